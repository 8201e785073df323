"""What is not answered, and how that is told: a foreign name, no route, unreadable words, or a defect of ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from okf_edge.errors import InputError, NotFoundError, OkfError, PolicyError
from okf_edge_lambda import faults
from okf_edge_lambda.access import Asgi
from okf_edge_lambda.telling import count, logger
from okf_edge_native.mcp.http import HEALTH, METADATA, PATH, Endpoint, without_port

ENDPOINT_PATHS = frozenset({PATH, METADATA, METADATA + PATH, HEALTH})


class Pinned:
    """The routes of the service and the endpoint of MCP, under the names that the service goes by: those that are
    configured, and that of its Function URL, which AWS writes into every event, whatever the client claims."""

    def __init__(self, app: Asgi, endpoint: Endpoint) -> None:
        self._app = app
        self._endpoint = endpoint

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        settings_of = self._endpoint.settings
        domain = str(scope.get("aws.event", {}).get("requestContext", {}).get("domainName", "")).lower()
        if domain and domain not in settings_of.hosts:
            self._endpoint.settings = replace(settings_of, hosts=settings_of.hosts | {domain})
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        meant: Asgi = self._endpoint if scope["path"] in ENDPOINT_PATHS else self._app
        await (self._refusal(headers) or meant)(scope, receive, send)

    def _refusal(self, headers: Mapping[str, str]) -> JSONResponse | None:
        known, host, origin = self._endpoint.settings, headers.get("host", ""), headers.get("origin", "")
        if without_port(host) not in known.hosts:
            error = PolicyError("the service does not go by that name", code="unknown-host", hint="See OKF_HOSTS.")
        elif origin and origin not in known.origins and origin not in (f"https://{host}", f"http://{host}"):
            error = PolicyError("pages of this origin are not answered", code="unknown-origin", hint="See OKF_ORIGINS.")
        else:
            return None
        return JSONResponse(faults.told(error), 403)


def tell(app: FastAPI) -> None:
    """Have every error told as JSON, with its code."""
    app.add_exception_handler(OkfError, _refusal)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _unanswered)
    app.add_exception_handler(Exception, _defect)


async def _refusal(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, OkfError)
    status = faults.status_of(error)
    headers = {}
    if status == 401:
        headers["www-authenticate"] = 'Bearer realm="okf", Basic realm="okf"'
    if isinstance(error, PolicyError) and "retry_after_seconds" in error.details:
        headers["retry-after"] = str(error.details["retry_after_seconds"])
    if status >= 500:
        count("Failed")
        logger.warning("refused", extra={"code": error.code, "reason": error.message, "path": request.url.path})
    return JSONResponse(faults.told(error), status, headers)


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    issues = [f"{'.'.join(map(str, each['loc'][1:])) or 'body'}: {each['msg']}" for each in error.errors()]
    told = InputError(f"this can't be asked like that: {'; '.join(issues)}", code="bad-arguments", issues=issues)
    return JSONResponse(faults.told(told), 400)


async def _unanswered(request: Request, error: Exception) -> JSONResponse:
    """No route, another method, or a body that is no JSON at all, e.g. compressed."""
    assert isinstance(error, HTTPException)
    told: OkfError = InputError("expected a body of JSON text in UTF-8, found something else", code="bad-arguments")
    if error.status_code == 404:
        told = NotFoundError("nothing is served here", code="no-route", hint="What is served is told at /docs.")
    elif error.status_code == 405:
        told = InputError(f"{request.method} is not answered here", code="no-route", hint="See /docs.")
    return JSONResponse(faults.told(told), error.status_code, error.headers)


async def _defect(request: Request, error: Exception) -> JSONResponse:
    count("Defect")
    logger.exception("defect", extra={"path": request.url.path})
    return JSONResponse(faults.told(OkfError("internal error", code="internal")), 500)
