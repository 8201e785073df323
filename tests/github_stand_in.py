"""GitHub on loopback, as far as its API documentation says: repositories, branches, releases, assets, limits.

Assets and source archives lie on a second host, to which the API redirects. What a test breaks, it breaks in fields.

Source: GitHub REST API, version 2022-11-28: repository contents, Git database, releases, release assets, rate limits.
"""

from __future__ import annotations

import base64
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN = "ghp_stand_in_of_no_account"


def blob_sha(data: bytes) -> str:
    return sha1(b"blob %d\0" % len(data) + data).hexdigest()


@dataclass
class Asset:
    number: int
    name: str
    data: bytes
    state: str = "uploaded"


@dataclass
class Release:
    number: int
    tag: str
    title: str = ""
    draft: bool = False
    prerelease: bool = False
    assets: list[Asset] = field(default_factory=list)


@dataclass
class Repo:
    private: bool = True
    visibility: str = ""
    branches: dict[str, dict[str, bytes]] = field(default_factory=dict)
    trees: dict[str, dict[str, bytes]] = field(default_factory=dict)
    releases: list[Release] = field(default_factory=list)
    zipballs: dict[str, bytes] = field(default_factory=dict)


@dataclass
class Seen:
    host: str
    method: str
    path: str
    authorization: str


class StandIn:
    """The server's state. `limits` are answers that come before anything else, one a request.

    The request of the number `fails_at` fails; with `does_before_failing` only its answer does.
    """

    def __init__(self) -> None:
        self.repos: dict[str, Repo] = {}
        self.seen: list[Seen] = []
        self.limits: list[tuple[int, dict[str, str]]] = []
        self.fails_at = 0
        self.does_before_failing = False
        self.busy = 0
        self.answers = b""
        self.lag: set[str] = set()
        self.api = ""
        self.files = ""
        self.lock = threading.RLock()
        self.number = 0

    def next(self) -> int:
        self.number += 1
        return self.number

    def repo(self, name: str, **options: Any) -> Repo:
        return self.repos.setdefault(name, Repo(branches={"main": {"README.md": b"hello"}}, **options))


@contextmanager
def standing_in() -> Iterator[StandIn]:
    state = StandIn()
    servers = []
    for kind in (_Api, _Files):
        handler = type(kind.__name__, (kind,), {"state": state})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
    state.api = f"http://127.0.0.1:{servers[0].server_port}"
    state.files = f"http://localhost:{servers[1].server_port}"
    try:
        yield state
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()


class _Base(BaseHTTPRequestHandler):
    state: StandIn
    is_mute = False
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None: ...

    def answer(self, status: int, value: Any = None, headers: dict[str, str] | None = None) -> None:
        if self.is_mute:
            return
        raw = isinstance(value, bytes)
        data = value if raw else b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        kind = "application/vnd.github.raw+json; charset=utf-8" if raw else "application/json; charset=utf-8"
        for name, text in {"Content-Type": kind, "Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, text)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def note(self) -> None:
        host = self.headers.get("Host", "").partition(":")[0]
        self.state.seen.append(Seen(host, self.command, self.path, self.headers.get("Authorization", "")))


class _Files(_Base):
    """The host of assets and source archives: it wants no token, and refuses one."""

    def do_GET(self) -> None:
        self.note()
        if self.headers.get("Authorization"):
            self.answer(400, {"message": "only one auth mechanism allowed"})
            return
        _, kind, *rest = unquote(urlsplit(self.path).path).split("/")
        if kind == "assets":
            found = [
                a for r in self.state.repos.values() for e in r.releases for a in e.assets if a.number == int(rest[0])
            ]
            self.answer(200, found[0].data)
        else:
            self.answer(200, self.state.repos["/".join(rest[:2])].zipballs["/".join(rest[2:])])


class _Api(_Base):
    def do_GET(self) -> None:
        self._serve()

    do_POST = do_PUT = do_DELETE = do_HEAD = do_GET

    def _serve(self) -> None:
        self.note()
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with self.state.lock:
            if self.state.limits:
                status, headers = self.state.limits.pop(0)
                self.answer(status, {"message": "API rate limit exceeded"}, headers)
                return
            if self.state.answers:
                self.answer(200, self.state.answers)
                return
            if len(self.state.seen) == self.state.fails_at:
                if self.state.does_before_failing:
                    self.is_mute = True
                    self._route(body)
                    self.is_mute = False
                self.answer(502, {"message": "Server Error"})
                return
            self._route(body)

    def _route(self, body: bytes) -> None:
        parts = urlsplit(self.path)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        path = parts.path
        if path == "/user":
            self.answer(200, {"login": "ada"}) if self._knows() else self.answer(401, {"message": "Bad credentials"})
            return
        if found := re.fullmatch(r"/(user|orgs/([^/]+))/repos", path):
            wanted = json.loads(body)
            name = f"{found[2] or 'ada'}/{wanted['name']}"
            self.state.repo(name, private=wanted["private"])
            self.answer(201, {"full_name": name})
            return
        found = re.fullmatch(r"/(?:upload/)?repos/([^/]+/[^/]+)(/.*)?", path)
        repo = self.state.repos.get(found[1]) if found else None
        if found is None or repo is None or (repo.private and not self._knows()):
            self.answer(404, {"message": "Not Found"})
            return
        if self.command != "GET" and not self._knows():
            self.answer(403, {"message": "Resource not accessible"})
            return
        self._in(repo, found[1], found[2] or "", query, body)

    def _knows(self) -> bool:
        return self.headers.get("Authorization", "") == f"Bearer {TOKEN}"

    def _in(self, repo: Repo, name: str, path: str, query: dict[str, str], body: bytes) -> None:
        routes: list[tuple[str, str, Callable[..., None]]] = [
            ("GET", r"", self._about),
            ("GET", r"/commits", self._commits),
            ("GET", r"/contents/(.+)", self._contents),
            ("PUT", r"/contents/(.+)", self._write),
            ("GET", r"/git/trees/(.+)", self._tree),
            ("POST", r"/git/trees", self._new_tree),
            ("POST", r"/git/commits", self._new_commit),
            ("POST", r"/git/refs", self._new_ref),
            ("GET", r"/releases", self._releases),
            ("POST", r"/releases", self._new_release),
            ("GET", r"/releases/latest", self._latest),
            ("GET", r"/releases/tags/([^/]+)", self._tagged),
            ("POST", r"/releases/(\d+)/assets", self._upload),
            ("GET", r"/releases/assets/(\d+)", self._download),
            ("DELETE", r"/releases/assets/(\d+)", self._delete),
            ("GET", r"/zipball(?:/(.+))?", self._zipball),
        ]
        for method, pattern, serve in routes:
            if method == self.command and (found := re.fullmatch(pattern, path)):
                serve(repo, name, [unquote(each or "") for each in found.groups()], query, body)
                return
        self.answer(404, {"message": f"Not Found: no route for {self.command} {path}"})

    def _about(self, repo: Repo, name: str, *_: Any) -> None:
        visibility = repo.visibility or ("private" if repo.private else "public")
        self.answer(200, {"full_name": name, "private": repo.private, "visibility": visibility})

    def _commits(self, repo: Repo, *_: Any) -> None:
        self.answer(200, [{}]) if repo.branches else self.answer(409, {"message": "Git Repository is empty."})

    def _contents(self, repo: Repo, _: str, at: list[str], query: dict[str, str], __: bytes) -> None:
        files = repo.branches.get(query.get("ref", "main"), {})
        if at[0] in files:
            self.answer(200, files[at[0]])
        elif any(each.startswith(f"{at[0]}/") for each in files):
            self.answer(200, [])
        else:
            self.answer(404, {"message": "Not Found"})

    def _write(self, repo: Repo, _: str, at: list[str], __: dict[str, str], body: bytes) -> None:
        wanted = json.loads(body)
        branch = wanted.get("branch", "main")
        if branch not in repo.branches and (repo.branches or "branch" in wanted):
            self.answer(404, {"message": f"Branch {branch} not found"})
            return
        if self.state.busy:
            self.state.busy -= 1
            self.answer(409, {"message": "is at 1 but expected 2"})
            return
        files = repo.branches.setdefault(branch, {})
        if at[0] in files and "sha" not in wanted:
            self.answer(422, {"message": 'Invalid request.\n\n"sha" wasn\'t supplied.'})
        elif at[0] in files and wanted["sha"] != blob_sha(files[at[0]]):
            self.answer(409, {"message": f"{at[0]} does not match {wanted['sha']}"})
        else:
            is_new = at[0] not in files
            files[at[0]] = base64.b64decode(wanted["content"])
            self.answer(201 if is_new else 200, {"content": {"sha": blob_sha(files[at[0]])}})

    def _tree(self, repo: Repo, _: str, at: list[str], *__: Any) -> None:
        if not repo.branches:
            self.answer(409, {"message": "Git Repository is empty."})
        elif at[0] not in repo.branches:
            self.answer(404, {"message": "Not Found"})
        else:
            files = {path: data for path, data in repo.branches[at[0]].items() if path not in self.state.lag}
            tree = [{"path": p, "type": "blob", "sha": blob_sha(d), "size": len(d)} for p, d in files.items()]
            self.answer(200, {"tree": tree, "truncated": False})

    def _new_tree(self, repo: Repo, _: str, __: list[str], ___: dict[str, str], body: bytes) -> None:
        if not repo.branches:
            self.answer(409, {"message": "Git Repository is empty."})
            return
        sha = str(self.state.next())
        repo.trees[sha] = {each["path"]: each["content"].encode() for each in json.loads(body)["tree"]}
        self.answer(201, {"sha": sha})

    def _new_commit(self, repo: Repo, _: str, __: list[str], ___: dict[str, str], body: bytes) -> None:
        self.answer(201, {"sha": json.loads(body)["tree"]})

    def _new_ref(self, repo: Repo, _: str, __: list[str], ___: dict[str, str], body: bytes) -> None:
        wanted = json.loads(body)
        branch = wanted["ref"].removeprefix("refs/heads/")
        if branch in repo.branches:
            self.answer(422, {"message": "Reference already exists"})
        else:
            repo.branches[branch] = dict(repo.trees[wanted["sha"]])
            self.answer(201, {})

    # --- releases ----------------------------------------------------------------------------------------------------

    def _shown(self, name: str, release: Release) -> dict[str, Any]:
        assets = [
            {"id": a.number, "name": a.name, "size": len(a.data), "state": a.state,
             "browser_download_url": f"https://github.com/{name}/releases/download/{release.tag}/{a.name}"}
            for a in release.assets
        ]  # fmt: skip
        upload = f"{self.state.api}/upload/repos/{name}/releases/{release.number}/assets{{?name,label}}"
        return {
            "id": release.number, "tag_name": release.tag, "name": release.title, "draft": release.draft,
            "prerelease": release.prerelease, "upload_url": upload, "assets": assets,
        }  # fmt: skip

    def _releases(self, repo: Repo, name: str, _: list[str], query: dict[str, str], __: bytes) -> None:
        size, page = int(query.get("per_page", 30)), int(query.get("page", 1))
        self.answer(200, [self._shown(name, each) for each in repo.releases[(page - 1) * size : page * size]])

    def _new_release(self, repo: Repo, name: str, _: list[str], __: dict[str, str], body: bytes) -> None:
        wanted = json.loads(body)
        if any(each.tag == wanted["tag_name"] for each in repo.releases):
            self.answer(422, {"message": "Validation Failed", "errors": [{"code": "already_exists"}]})
        elif wanted["target_commitish"] not in repo.branches:
            self.answer(422, {"message": "Validation Failed", "errors": [{"field": "target_commitish"}]})
        else:
            made = Release(self.state.next(), wanted["tag_name"], wanted["name"], False, wanted["prerelease"])
            repo.releases.append(made)
            self.answer(201, self._shown(name, made))

    def _latest(self, repo: Repo, name: str, *_: Any) -> None:
        found = [each for each in repo.releases if not each.draft and not each.prerelease]
        self.answer(200, self._shown(name, found[-1])) if found else self.answer(404, {"message": "Not Found"})

    def _tagged(self, repo: Repo, name: str, at: list[str], *_: Any) -> None:
        found = [each for each in repo.releases if not each.draft and each.tag == at[0]]
        self.answer(200, self._shown(name, found[-1])) if found else self.answer(404, {"message": "Not Found"})

    def _upload(self, repo: Repo, _: str, at: list[str], query: dict[str, str], body: bytes) -> None:
        (release,) = (each for each in repo.releases if each.number == int(at[0]))
        name = re.sub(r"[^A-Za-z0-9._-]", ".", query["name"]).strip(".")
        if any(each.name == name for each in release.assets):
            self.answer(422, {"message": "Validation Failed", "errors": [{"code": "already_exists"}]})
            return
        release.assets.append(Asset(self.state.next(), name, body))
        self.answer(201, {"id": release.assets[-1].number, "name": name})

    def _download(self, repo: Repo, _: str, at: list[str], *__: Any) -> None:
        if any(a.number == int(at[0]) for each in repo.releases for a in each.assets):
            self.answer(302, None, {"Location": f"{self.state.files}/assets/{at[0]}?signature=short-lived"})
        else:
            self.answer(404, {"message": "Not Found"})

    def _delete(self, repo: Repo, _: str, at: list[str], *__: Any) -> None:
        for release in repo.releases:
            release.assets = [each for each in release.assets if each.number != int(at[0])]
        self.answer(204)

    def _zipball(self, repo: Repo, name: str, at: list[str], *_: Any) -> None:
        if at[0] not in repo.zipballs:
            self.answer(404, {"message": "Not Found"})
        else:
            self.answer(302, None, {"Location": f"{self.state.files}/zip/{name}/{at[0]}?token=short-lived"})
