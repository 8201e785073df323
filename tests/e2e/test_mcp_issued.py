"""Tokens that somebody else issued name their callers when their issuer signed them for this server, and never else.

A certified OpenID provider issues them over real HTTP; for what no honest provider issues there are keys of our own.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from okf_edge.errors import OkfError, PolicyError, UnavailableError
from okf_edge.inmemory.system import ManualClock
from okf_edge_native.issued import Issuer
from tests.served import Served, serving

NODE = Path(__file__).parents[1] / "node"
RESOURCE = "https://kb.example.org"
AUDIENCE = f"{RESOURCE}/mcp"
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    node = shutil.which("node")
    assert node and (NODE / "node_modules").is_dir(), "expected node and its packages: `make conformance` brings both"
    process = subprocess.Popen(
        [node, "issuer.mjs"], cwd=NODE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["issuer"]
    finally:
        process.terminate()
        process.wait(20)


@pytest.fixture(scope="module")
def served(provider: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    root = tmp_path_factory.mktemp("notes") / "river"
    for path, text in {"weir.md": "# Weir\n\nThe sluice opens at dawn.\n", "private/diary.md": "# Diary\n"}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    options = ("--issuer", provider, "--resource", RESOURCE, "--allow", "capture")
    with serving(root, tmp_path_factory.mktemp("home"), *options) as it:
        yield it


def issue(provider: str, client: str, scope: str = "read", resource: str = AUDIENCE) -> str:
    form = {
        "grant_type": "client_credentials",
        "client_id": client,
        "client_secret": f"secret-of-{client}",
        "scope": scope,
        "resource": resource,
    }
    reply = httpx.post(f"{provider}/token", data=form, trust_env=False)
    assert reply.status_code == 200, reply.text
    return str(reply.json()["access_token"])


def with_token(served: Served, token: str) -> Served:
    return replace(served, token=token)


def test_a_token_of_the_provider_names_its_caller_and_what_it_may(provider: str, served: Served) -> None:
    agent = with_token(served, issue(provider, "agent", "read capture install"))
    tools = {tool["name"] for tool in agent.call("tools/list")["result"]["tools"]}
    assert "capture" in tools and "update_bundle" not in tools
    kept = agent.call("tools/call", {"name": "capture", "arguments": {"content": "A heron."}})["result"]
    assert not kept["isError"]

    reader = with_token(served, issue(provider, "reader"))
    assert "capture" not in {tool["name"] for tool in reader.call("tools/list")["result"]["tools"]}
    answer = reader.call("tools/call", {"name": "query", "arguments": {"question": "diary"}})["result"]
    assert "diary.md" not in json.dumps(answer)


def test_own_tokens_are_accepted_beside_it(served: Served) -> None:
    assert served.post(LIST).status_code == 200


def test_tokens_for_others_expired_or_changed_are_refused(provider: str, served: Served) -> None:
    good = issue(provider, "brief")
    head, claims, signature = good.split(".")
    wrong = [
        issue(provider, "agent", resource="https://elsewhere.example.org/mcp"),
        f"{head}.{claims}.{'A' * len(signature)}",
        f"{head}.{claims}.",
        f"{head}x.{claims}.{signature}",
        "a.b.c",
        "..",
    ]
    for token in wrong:
        reply = with_token(served, token).post(LIST)
        assert reply.status_code == 401, token
        assert reply.json()["error"]["message"] == "expected a valid bearer token"
        assert f"{RESOURCE}/.well-known/oauth-protected-resource/mcp" in reply.headers["www-authenticate"]


def test_a_client_finds_the_provider_from_the_refusal(provider: str, served: Served) -> None:
    reply = httpx.get(served.url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp"), trust_env=False)
    assert reply.json()["authorization_servers"] == [provider]
    assert reply.json()["resource"] == AUDIENCE
    assert reply.json()["scopes_supported"] == ["read", "capture"]


class Stand:
    """An issuer of our own, with keys in our hand."""

    def __init__(self) -> None:
        self.documents: dict[str, Any] = {}
        self.asked: list[str] = []
        stand = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                stand.asked.append(self.path)
                found = stand.documents.get(self.path)
                data = found if isinstance(found, bytes) else json.dumps(found).encode()
                self.send_response(404 if found is None else 200)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *told: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.key = rsa.generate_private_key(65537, 2048)
        self.publish({"kid": "one"})
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def publish(self, more: dict[str, Any]) -> None:
        key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
        self.documents["/.well-known/openid-configuration"] = {"issuer": self.url, "jwks_uri": f"{self.url}/keys"}
        self.documents["/keys"] = {"keys": [{**key, "use": "sig", **more}, {"kty": "oct", "k": "AAAA"}, 5]}

    def token(self, key: Any = None, algorithm: str = "RS256", kid: str = "one", **claims: Any) -> str:
        told = {"iss": self.url, "aud": AUDIENCE, "sub": "ada", "exp": time.time() + 60, "scope": "read", **claims}
        told = {name: value for name, value in told.items() if value is not None}
        return jwt.encode(told, key or self.key, algorithm=algorithm, headers={"kid": kid} if kid else {})

    def issuer(self, clock: ManualClock | None = None) -> Issuer:
        return Issuer(self.url, (AUDIENCE, RESOURCE), clock or ManualClock())


@pytest.fixture(scope="module")
def stand() -> Iterator[Stand]:
    it = Stand()
    yield it
    it.server.shutdown()


async def refused(issuer: Issuer, token: str) -> str:
    with pytest.raises(PolicyError) as told:
        await issuer(token)
    assert told.value.message == "expected a valid bearer token"
    return str(told.value.details["reason"])


async def test_a_right_token_names_its_caller(stand: Stand) -> None:
    told = stand.token(scope="openid read admin", okf_kbs=["river"], okf_deny_paths=["secret"])
    caller = await stand.issuer()(told)
    assert caller.name == f"ada@127.0.0.1:{stand.server.server_port}"
    assert (caller.scopes, caller.bases) == (frozenset({"read"}), frozenset({"river"}))
    assert not caller.is_local and not caller.rules.admits("secret/x.md")
    assert (await stand.issuer()(stand.token(kid="", scope=None, scp=["read"]))).scopes == {"read"}


async def test_whoever_did_not_sign_with_the_issuers_key_is_refused(stand: Stand) -> None:
    issuer, other = stand.issuer(), rsa.generate_private_key(65537, 2048)
    public = stand.key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    await issuer(stand.token())
    assert await refused(issuer, stand.token(other)) == "jwt-InvalidSignatureError"
    assert await refused(issuer, stand.token(other, kid="two")) == "jwt-key-unknown"
    assert await refused(issuer, stand.token("x" * 32, "HS256")) == "jwt-algorithm"
    assert await refused(issuer, unsigned(stand)) == "jwt-algorithm"
    assert await refused(issuer, stand.token(ec.generate_private_key(ec.SECP256R1()), "ES256")) == "jwt-algorithm"
    with pytest.raises(jwt.InvalidKeyError):
        stand.token(public, "HS256")  # the confusion of a public key with a shared secret can't even be made here


def unsigned(stand: Stand) -> str:
    return jwt.encode({"iss": stand.url, "aud": AUDIENCE, "sub": "ada"}, None, algorithm="none", headers={"kid": "one"})


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://evil.test"}, {"iss": None}, {"aud": "https://evil.test"}, {"aud": None}, {"aud": []},
        {"aud": AUDIENCE + "/"}, {"exp": 1}, {"exp": None}, {"exp": "soon"}, {"exp": float("inf")},
        {"nbf": 4_000_000_000},
        {"sub": None}, {"sub": ""}, {"sub": "a" * 500}, {"sub": "a\nb"}, {"sub": "a\u202eb"}, {"scope": 5},
        {"scope": {"read": True}}, {"okf_kbs": "river"}, {"okf_kbs": [5]}, {"okf_deny_paths": "x"},
        {"okf_allow_paths": [""]}, {"okf_allow_paths": {}},
    ],
)  # fmt: skip
async def test_claims_that_are_missing_wrong_or_of_another_form_refuse(stand: Stand, claims: dict[str, Any]) -> None:
    await refused(stand.issuer(), stand.token(**claims))


async def test_a_new_key_is_found_and_nobody_makes_us_ask_often(stand: Stand) -> None:
    clock = ManualClock()
    issuer = stand.issuer(clock)
    old, before = stand.key, stand.token()
    await issuer(before)
    try:
        stand.key = rsa.generate_private_key(65537, 2048)
        stand.publish({"kid": "two"})
        stand.asked.clear()
        for _ in range(20):
            assert await refused(issuer, stand.token(kid="two")) == "jwt-key-unknown"
        assert stand.asked == []
        clock.advance(31)
        await issuer(stand.token(kid="two"))
        assert len(stand.asked) == 2
        assert await refused(issuer, before) == "jwt-key-unknown"
    finally:
        stand.key = old
        stand.publish({"kid": "one"})


@pytest.mark.parametrize("document", [
    {"issuer": "https://evil.test", "jwks_uri": "KEYS"}, {"issuer": "URL"}, {"issuer": "URL", "jwks_uri": 5},
    {"issuer": "URL", "jwks_uri": "http://evil.test/keys"}, {"issuer": "URL", "jwks_uri": "file:///etc/passwd"},
    {"issuer": "URL", "jwks_uri": "URL/.well-known/openid-configuration"}, b"<html>", b"[]", b"[" * 100_000,
    b"x" * 300_000,
])  # fmt: skip
async def test_an_issuer_that_is_another_or_says_nothing_useful_is_not_believed(stand: Stand, document: Any) -> None:
    text = document if isinstance(document, bytes) else json.dumps(document).replace("URL", stand.url).encode()
    stand.documents["/.well-known/openid-configuration"] = text
    try:
        with pytest.raises(OkfError) as told:
            await stand.issuer().ready()
        assert told.value.code in ("no-issuer", "not-https")
    finally:
        stand.publish({"kid": "one"})


async def test_known_keys_stay_in_force_while_the_issuer_is_away(stand: Stand) -> None:
    clock = ManualClock()
    issuer = stand.issuer(clock)
    await issuer(stand.token())
    stand.documents.clear()
    try:
        clock.advance(4000)
        await issuer(stand.token())
        with pytest.raises(UnavailableError):
            await stand.issuer()(stand.token())
    finally:
        stand.publish({"kid": "one"})


async def test_an_issuer_without_https_elsewhere_is_refused() -> None:
    for url in ("http://id.example.org", "ftp://id.example.org", "id.example.org", "https://"):
        with pytest.raises(OkfError):
            await Issuer(url, (AUDIENCE,), ManualClock()).ready()
