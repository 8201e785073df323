"""The HTTP side of the service: one ASGI application with MCP, feed, bundles, questions and publishing.

docs/decisions/0024-what-the-service-speaks.md is the contract; `/docs` shows it.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Header, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from okf_edge import __version__
from okf_edge.errors import NotFoundError, OkfError, PolicyError
from okf_edge.feed.names import FOLDER, HIDDEN, TIMESTAMP_KEY, TOP_LEVEL, is_target, role_in
from okf_edge.feed.release import Release
from okf_edge.limits import LIMITS
from okf_edge.policy.caller import Caller
from okf_edge_lambda import docs, environment, layout, refusals, store, submitting
from okf_edge_lambda.access import Asgi, caller_of
from okf_edge_lambda.believed import newest
from okf_edge_lambda.settings import settings
from okf_edge_lambda.telling import count
from okf_edge_native.mcp.http import Endpoint

DIRECT_BYTES = 1_000_000
"""Metadata that goes through the function; larger goes by redirect, since an answer holds 6 MB as text in JSON."""

Auth = Annotated[str, Header(alias="authorization")]


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class QueryBody(Body):
    """A question. `kb` is a creator, or `*` for all."""

    question: str = Field(min_length=1, max_length=LIMITS.question_chars)
    kb: str = Field("*", max_length=64)
    k: int = Field(8, ge=1, le=LIMITS.answer_candidates_count)
    types: list[str] = []
    tags: list[str] = []
    paths: list[str] = []
    means: str = "hybrid"
    explain: bool = False


class PublishBody(Body):
    """Step 1: what will be uploaded. `accepted` are risks that may leave, by id, each with its reason."""

    id: str = Field(max_length=200)
    version: str = Field(max_length=64)
    sha256: str = Field(max_length=64)
    bytes: int
    accepted: dict[Annotated[str, Field(max_length=100)], Annotated[str, Field(max_length=1000)]] = Field(
        {}, max_length=500
    )


class SignedBody(Body):
    """Step 2: the creator's next releases, as the text that was signed."""

    metadata: str = Field(max_length=LIMITS.feed_targets_bytes)


class ListBody(SignedBody):
    """The creator's next releases, with none that was not there."""

    creator: str = Field(max_length=64)


def application(endpoint: Endpoint) -> Asgi:
    """Everything that the Function URL serves."""
    app = FastAPI(
        title="okf-edge",
        version=__version__,
        description="Verified bundles of knowledge: published, found, asked.",
        docs_url=None,  # their pages load scripts from elsewhere
        redoc_url=None,
    )
    app.get("/docs", include_in_schema=False)(lambda: HTMLResponse(docs.page(app.openapi())))
    refusals.tell(app)
    app.state.endpoint = endpoint
    app.include_router(routes)
    return refusals.Pinned(app, endpoint)


async def _reader(request: Request, authorization: Auth = "") -> Caller:
    return await caller_of(request.app.state.endpoint, authorization, "read")


async def _asker(request: Request, authorization: Auth = "") -> Caller:
    """As a reader; what is asked is counted by the pipeline."""
    return await caller_of(request.app.state.endpoint, authorization, "read", is_counted=False)


async def _publisher(request: Request, authorization: Auth = "") -> Caller:
    return await caller_of(request.app.state.endpoint, authorization, "publish")


async def _follower(request: Request, authorization: Auth = "") -> Caller | None:
    """Who reads the feed; nobody in particular where it is public."""
    return None if settings().feed_public else await _reader(request, authorization)


Reader = Annotated[Caller, Depends(_reader)]
Asker = Annotated[Caller, Depends(_asker)]
Publisher = Annotated[Caller, Depends(_publisher)]
Follower = Annotated[Caller | None, Depends(_follower)]

routes = APIRouter()


@routes.get("/health")
async def health() -> JSONResponse:
    """Whether the feed can be believed, and until when."""
    return await _health()


@routes.get("/v1/feed/metadata")
async def metadata(caller: Follower) -> dict[str, Any]:
    """The names that are taken: for whoever signs next. Those of creators whom the token may not use are left out."""
    found = await store.feed().list(FOLDER)
    return {"keys": [asdict(each) for each in found if _is_for(caller, role_in(each.key))]}


@routes.get("/v1/feed/metadata/{name}")
async def feed_file(name: str, caller: Follower) -> Response:
    """Signed metadata: of the feed, and of creators whom the token may use."""
    key = f"{FOLDER}{name}"
    role = role_in(key)
    if not role:
        raise NotFoundError(f"expected the name of metadata, found {name[:100]!r}", code="no-metadata")
    if not _is_for(caller, role):
        raise PolicyError(f"what {role} releases is not for this token", code=HIDDEN)
    return await _metadata(key)


@routes.get("/v1/feed/targets/{bundle_id}/{name}")
async def target(bundle_id: str, name: str, caller: Follower) -> Response:
    """An archive, by redirect."""
    _require_whole(caller, bundle_id)
    if not is_target(bundle_id, name):
        raise _no_release(bundle_id, "")
    key = f"{layout.FEED}/targets/{bundle_id}/{name}"
    await store.bucket().head(key)
    return RedirectResponse(store.presigned_get(key), 307)


@routes.get("/v1/bundles")
async def bundles(caller: Reader) -> dict[str, Any]:
    """All releases of the bundles that the token may use, the newest of each first."""
    releases = await environment.believed().releases()
    return {"bundles": [_bundle(each) for each in releases if caller.may_use_bundle(each.id)]}


@routes.get("/v1/bundles/{bundle_id}/{version}")
async def bundle(bundle_id: str, version: str, caller: Reader) -> Response:
    """The archive of a release, by redirect; `latest` is a version."""
    _require_whole(caller, bundle_id)
    release = await _release(bundle_id, version)
    return RedirectResponse(store.presigned_get(f"{layout.FEED}/{release.key}"), 307)


@routes.post("/v1/query")
async def query(body: QueryBody, request: Request, caller: Asker) -> JSONResponse:
    """The answer to a question, or a refusal that says why (answer.schema.json)."""
    service = request.app.state.endpoint.service
    arguments = body.model_dump(exclude={"explain"})
    if body.explain:
        return JSONResponse(dict((await service.call(caller, "explain", arguments)).content))
    arguments["max_tokens"] = LIMITS.result_tokens
    return JSONResponse(dict((await service.call(caller, "query", arguments)).content))


@routes.post("/v1/publish")
async def begin(body: PublishBody, caller: Publisher) -> JSONResponse:
    """Step 1: where to upload an archive."""
    upload = await submitting.begin(caller, body.id, body.version, body.sha256, body.bytes, body.accepted)
    if upload is None:
        return JSONResponse({"state": "published"})
    return JSONResponse(asdict(upload), 201)


@routes.post("/v1/publish/{upload}")
async def finish(upload: str, body: SignedBody, caller: Publisher) -> JSONResponse:
    """Step 2: what the creator signed. The archive has to be uploaded."""
    await submitting.finish(caller, upload, body.metadata)
    count("Submitted")
    return JSONResponse({"state": "accepted", "upload": upload}, 202)


@routes.post("/v1/releases")
async def relist(body: ListBody, caller: Publisher) -> JSONResponse:
    """What a creator signed about releases that are there: withdrawn, or signed with a new key. How it stands is told
    like a publication."""
    upload = await submitting.finish_list(caller, body.creator, body.metadata)
    count("Submitted")
    return JSONResponse({"state": "accepted", "upload": upload}, 202)


@routes.get("/v1/publish/{upload}")
async def standing(upload: str, caller: Publisher) -> dict[str, Any]:
    """How a publication stands."""
    found = await submitting.standing(caller, upload)
    if found.state == "published":
        environment.believed().forget()
    shown = ("state", "id", "version", "code", "message", "issues", "snapshot")
    return {"upload": upload, **{name: value for name, value in asdict(found).items() if name in shown}}


async def _health() -> JSONResponse:
    known = {"version": __version__, "root": f"sha256:{settings().feed_root}"}
    try:
        trusted = await environment.believed().now()
    except OkfError as error:
        count("FeedNotBelieved")
        told = {"status": "failing", **known, "problem": {"code": error.code, "message": error.message}}
        return JSONResponse(told, 503)
    expires = min(trusted.timestamp.expires, trusted.snapshot.expires)
    snapshot = trusted.snapshot.version
    return JSONResponse(
        {"status": "ok", **known, "snapshot": snapshot, "expires": expires.isoformat(), "problem": None}
    )


async def _metadata(key: str) -> Response:
    limit = max(LIMITS.feed_targets_bytes, LIMITS.feed_snapshot_bytes)
    blob = await store.feed().get(key, limit)
    if len(blob.data) > DIRECT_BYTES:
        return RedirectResponse(store.presigned_get(f"{layout.FEED}/{key}"), 307)
    cache = "no-cache" if key == TIMESTAMP_KEY else "private, max-age=31536000, immutable"
    return Response(blob.data, media_type="application/json", headers={"etag": blob.version, "cache-control": cache})


async def _release(bundle_id: str, version: str) -> Release:
    releases = [each for each in await environment.believed().releases() if each.id == bundle_id]
    wanted = newest(releases) if version == "latest" else [each for each in releases if each.version == version]
    if not wanted:
        raise _no_release(bundle_id, version)
    return wanted[0]


def _is_for(caller: Caller | None, role: str) -> bool:
    """Whether the caller may read the metadata of a role: the feed's own are for every reader of it."""
    return caller is None or role in TOP_LEVEL or caller.may_use_some_of(role)


def _require_whole(caller: Caller | None, bundle_id: str) -> None:
    """An archive holds every page: nothing for whoever may see a part, or none."""
    if caller is None:
        return
    if not caller.may_use_bundle(bundle_id):
        raise _no_release(bundle_id, "")
    if caller.rules:
        raise PolicyError("this token sees a part of bundles, and an archive is a whole one", code="forbidden")


def _no_release(bundle_id: str, version: str) -> NotFoundError:
    return NotFoundError(f"expected a release {bundle_id[:200]} {version[:64]}, found none", code="no-release")


def _bundle(release: Release) -> dict[str, Any]:
    told = asdict(release)
    return {name: told[name] for name in told if name not in ("dependencies", "signer")} | {"creator": release.creator}
