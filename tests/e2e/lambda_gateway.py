"""Doors to functions: HTTP as a Function URL turns it into events, the Invoke API of Lambda, and events of S3."""

from __future__ import annotations

import json
import random
import threading
import time
import uuid
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qsl, quote_plus, unquote, urlsplit

from tests.e2e.lambda_runtime import PAYLOAD_BYTES, Function, Quiet, Server

JSON = {"Content-Type": "application/json"}
DOMAIN = "127.0.0.1"
_TEXTUAL = (
    "text/",
    "application/json",
    "application/javascript",
    "application/xml",
    "application/x-www-form-urlencoded",
)


class FunctionUrl:
    """A Function URL of one function, on loopback."""

    def __init__(self, function: Function) -> None:
        self._server = Server(_function_url(function))
        self.url = f"http://{DOMAIN}:{self._server.server_port}"

    def close(self) -> None:
        self._server.stop()


class InvokeApi:
    """What boto3's client of Lambda talks to."""

    def __init__(self) -> None:
        self.functions: dict[str, Function] = {}
        self._server = Server(_invoke_api(self.functions))
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.stop()


class BucketEvents:
    """Tells a function of objects that were written, at least once each; now and then twice."""

    def __init__(self, s3: Any, bucket: str, function: Function, twice: float = 0.0, seed: int = 0) -> None:
        self._s3, self._bucket, self._function = s3, bucket, function
        self.twice, self._chance = twice, random.Random(seed)
        self._seen: set[tuple[str, str]] = set()
        self._ended = threading.Event()
        self._told = threading.RLock()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def pause(self) -> None:
        self._told.acquire()

    def resume(self) -> None:
        self._told.release()

    def close(self) -> None:
        self._ended.set()
        self._thread.join(10)

    def look(self) -> None:
        """Tell of what is new."""
        pages = self._s3.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix="incoming/")
        for each in (each for page in pages for each in page.get("Contents", [])):
            mark = (each["Key"], each["ETag"])
            if each["Key"].endswith("/request.json") and mark not in self._seen:
                self._seen.add(mark)
                for _ in range(2 if self._chance.random() < self.twice else 1):
                    self._function.invoke_later(event_of(self._bucket, each["Key"]))

    def _run(self) -> None:
        while not self._ended.wait(0.15):
            with self._told, suppress(Exception):  # a slow or absent store tells of its objects later
                self.look()


def event_of(bucket: str, key: str) -> dict[str, Any]:
    """The event of an object that was written, as S3 tells it."""
    where = {"bucket": {"name": bucket, "arn": f"arn:aws:s3:::{bucket}"}, "object": {"key": quote_plus(key, safe="/")}}
    record = {
        "eventVersion": "2.1", "eventSource": "aws:s3", "awsRegion": "us-east-1", "eventName": "ObjectCreated:Put",
        "s3": where,
    }  # fmt: skip
    return {"Records": [record]}


def to_event(method: str, target: str, headers: Iterable[tuple[str, str]], body: bytes, peer: str) -> dict[str, Any]:
    """A request as payload format 2.0."""
    parts = urlsplit(target)
    path = unquote(parts.path) or "/"
    told, cookies = _headers(headers)
    text = _as_text(told.get("content-type", ""), body)
    http = {"method": method, "path": path, "protocol": "HTTP/1.1", "sourceIp": peer, "userAgent": "test"}
    event: dict[str, Any] = {
        "version": "2.0", "routeKey": "$default", "rawPath": path, "rawQueryString": parts.query,
        "headers": {**told, "x-forwarded-proto": "https", "x-forwarded-for": peer}, "isBase64Encoded": text is None,
        "requestContext": {
            "accountId": "anonymous", "apiId": "local", "domainName": DOMAIN, "domainPrefix": "local", "http": http,
            "requestId": str(uuid.uuid4()), "routeKey": "$default", "stage": "$default",
            "timeEpoch": int(time.time() * 1000),
            "time": time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime()),
        },
    }  # fmt: skip
    if cookies:
        event["cookies"] = cookies
    if body:
        event["body"] = b64encode(body).decode() if text is None else text
    if parts.query:
        joined: dict[str, str] = {}
        for name, value in parse_qsl(parts.query, keep_blank_values=True):
            joined[name] = f"{joined[name]},{value}" if name in joined else value
        event["queryStringParameters"] = joined
    return event


def _headers(headers: Iterable[tuple[str, str]]) -> tuple[dict[str, str], list[str]]:
    told: dict[str, str] = {}
    cookies: list[str] = []
    for name, value in ((name.lower(), value) for name, value in headers):
        if name == "cookie":
            cookies += [part.strip() for part in value.split(";") if part.strip()]
        elif name not in ("connection", "transfer-encoding"):
            told[name] = f"{told[name]},{value}" if name in told else value
    return told, cookies


def _as_text(kind: str, body: bytes) -> str | None:
    """The body as text; None when it travels in base64."""
    if not kind.startswith(_TEXTUAL):
        return None if body else ""
    try:
        return body.decode()
    except UnicodeDecodeError:
        return None


def _function_url(function: Function) -> type[BaseHTTPRequestHandler]:
    class Gateway(Quiet):
        def handle_any(self) -> None:
            event = json.dumps(
                to_event(self.command, self.path, self.headers.items(), self.body(), self.client_address[0])
            ).encode()
            if len(event) > PAYLOAD_BYTES:
                return self.answer(413, b'{"message":"Request Too Long"}', JSON)
            started = time.perf_counter()
            invocation = function.invoke(event)
            spent = {"x-invocation-ms": f"{(time.perf_counter() - started) * 1000:.2f}"}
            if invocation.error is not None:
                kind = str(invocation.error.get("errorType"))
                body = json.dumps(invocation.error).encode()
                return self.answer(502, body, {**JSON, "x-amzn-errortype": kind})
            return self._reply(json.loads(invocation.result), spent)

        def _reply(self, told: Any, spent: Mapping[str, str]) -> None:
            if not (isinstance(told, dict) and "statusCode" in told):
                return self.answer(200, json.dumps(told).encode(), JSON)
            body = told.get("body") or ""
            data = b64decode(body) if told.get("isBase64Encoded") else body.encode()
            kept = {k: str(v) for k, v in (told.get("headers") or {}).items() if k.lower() != "content-length"}
            return self.answer(int(told["statusCode"]), data, {**kept, **spent})

        do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = do_OPTIONS = handle_any

    return Gateway


def _invoke_api(functions: Mapping[str, Function]) -> type[BaseHTTPRequestHandler]:
    class Invoke(Quiet):
        def do_POST(self) -> None:
            body, parts = self.body(), self.path.strip("/").split("/")
            function = functions.get(unquote(parts[2]) if len(parts) == 4 else "")
            if function is None:
                return self.answer(
                    404, b'{"Message":"no such function"}', {"x-amzn-ErrorType": "ResourceNotFoundException"}
                )
            if len(body) > PAYLOAD_BYTES:
                return self.answer(413, b'{"message":"too large"}', {"x-amzn-ErrorType": "RequestTooLargeException"})
            if self.headers.get("X-Amz-Invocation-Type") == "Event":
                function.invoke_later(body)
                return self.answer(202)
            invocation = function.invoke(body)
            if invocation.error is None:
                return self.answer(200, invocation.result, JSON)
            error = json.dumps(invocation.error).encode()
            return self.answer(200, error, {**JSON, "X-Amz-Function-Error": "Unhandled"})

    return Invoke
