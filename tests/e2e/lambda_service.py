"""A whole deployment on this machine: SeaweedFS as S3, moto as SSM and DynamoDB, all functions, and their doors."""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx

from okf_edge.app.publishing import release_from
from okf_edge.bundles.contents import open_zip
from okf_edge.bundles.digest import MANIFEST
from okf_edge.bundles.manifest import read_manifest
from okf_edge.embedding.models import MODELS
from okf_edge.errors import OkfError
from okf_edge.feed import drafts
from okf_edge.feed.holding import held_by
from okf_edge.feed.keys import SslibVerifier, signed
from okf_edge.feed.publish import Change, publish
from okf_edge.feed.release import Release
from okf_edge.feed.writer import Writer
from okf_edge.ports import Signer
from okf_edge_native.keyring import signer_from
from okf_edge_native.s3 import S3Blobs
from okf_edge_native.service import Service, ServiceBlobs
from okf_edge_native.system import SystemClock
from tests.e2e.conftest import OKF, Done
from tests.e2e.lambda_gateway import BucketEvents, FunctionUrl, InvokeApi
from tests.e2e.lambda_runtime import Function
from tests.models_fixture import FOLDER
from tests.seaweed import KEY, SECRET, client_of, free_ports

PAGE = "---\ntype: Note\ntitle: {title}\ndescription: d\n---\n\n{text}\n"


@dataclass(frozen=True, slots=True)
class Owner:
    """A person with a machine of their own: the feed's owner, a creator, or a reader."""

    home: Path
    environment: Mapping[str, str]

    def okf(self, *arguments: object, code: int | None = 0, env: Mapping[str, str] | None = None) -> Done:
        ended = subprocess.run(
            [OKF, *map(str, arguments)], env={**self.environment, **(env or {})}, cwd=self.home,
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert code in (ended.returncode, None), (arguments, ended.returncode, ended.stdout, ended.stderr)
        return Done(ended.returncode, ended.stdout, ended.stderr)

    def archive(self, bundle_id: str, version: str, pages: Mapping[str, str], *options: object) -> bytes:
        """An archive of these pages, made by the real `okf`, as from a tree kept for publishing."""
        source = self.home / f"source-{bundle_id}-{version}"
        for path, text in pages.items():
            (source / path).parent.mkdir(parents=True, exist_ok=True)
            (source / path).write_text(text)
        out = self.home / f"{bundle_id}-{version}.okf.zip"
        self.okf("export", source, "--id", bundle_id, "--version", version, "--out", out, "--json", *options)
        return out.read_bytes()

    def key(self, public: str) -> str:
        """A private key of this person, as PEM."""
        from hashlib import sha256

        name = sha256(bytes.fromhex(public)).hexdigest()
        return (self.home / f"okf/config/keys/{name}.pem").read_text()


class HeldKeys:
    """A `Keyring` of keys in memory."""

    def __init__(self, *pems: str) -> None:
        self._signers = {signer.public_key: signer for signer in (signer_from(pem.encode()) for pem in pems)}

    async def create(self, *, offline: bool = False) -> Signer:
        raise AssertionError("no key is made here")

    async def signers(self, public_keys: Sequence[bytes]) -> Sequence[Signer]:
        return [self._signers[key] for key in public_keys if key in self._signers]

    async def every(self) -> list[Signer]:
        return list(self._signers.values())


class Deployed:
    """The service, and what a test does to it."""

    def __init__(self, folder: Path, s3_endpoint: str, aws_endpoint: str, sizes: Mapping[str, int]) -> None:
        self.folder = folder
        self.bucket = f"okf-{secrets.token_hex(4)}"
        self.s3 = client_of(s3_endpoint)
        self.s3.create_bucket(Bucket=self.bucket)
        self.aws = aws_endpoint
        self.s3_endpoint = s3_endpoint
        self.owner = self.person("owner")
        self.root = self.owner.okf("feed", "init", self.store, "--json").json["root"]
        self.invoke_api = InvokeApi()
        self.environment = self._environment()
        self.put_tokens()
        self.put_keys()
        _client(self, "ssm").put_parameter(Name="/okf/audit", Value="ab" * 32, Type="SecureString", Overwrite=True)
        self.functions = {
            name: self._function(name, sizes.get(name, 1)) for name in ("api", "search", "ingest", "clock")
        }
        self.invoke_api.functions.update({f"okf-{name}": each for name, each in self.functions.items()})
        self.door = FunctionUrl(self.functions["api"])
        self.events = BucketEvents(self.s3, self.bucket, self.functions["ingest"])

    @property
    def url(self) -> str:
        return self.door.url

    @property
    def store(self) -> str:
        return f"s3://{self.bucket}/feed"

    def person(self, name: str) -> Owner:
        home = self.folder / "people" / name
        home.mkdir(parents=True, exist_ok=True)
        kept = {each: os.environ[each] for each in ("PATH", "LANG") if each in os.environ}
        aws = {"AWS_ENDPOINT_URL_S3": self.s3_endpoint, **_credentials()}
        return Owner(home, {**kept, "HOME": str(home), "OKF_HOME": str(home / "okf"), "OKF_NO_PROGRESS": "1", **aws})

    def creator(self, name: str) -> Owner:
        """Somebody who may publish: the owner let them in with the key that they made."""
        person = self.person(name)
        key = person.okf("feed", "key", "--json").json["public_key"]
        self.owner.okf("feed", "add-creator", self.store, name, "--public-key", key)
        return person

    def know(self, person: Owner, token: str) -> None:
        """Have a person's `okf` keep a token for the service."""
        person.okf("remote", "add", self.url, "--name", "service", "--token-env", "T", env={"T": token})

    def publish(self, creator: Owner, archive: bytes, token: str) -> Change:
        """Publish as the client of the product does, from a machine with the creator's key."""

        async def job() -> Change:
            blobs = ServiceBlobs(Service(self.url, lambda url: _given(f"Bearer {token}")))
            manifest = read_manifest(await open_zip(archive).read(MANIFEST))
            pems = [path.read_text() for path in (creator.home / "okf/config/keys").glob("*.pem")]
            writer = Writer(blobs, HeldKeys(*pems), SslibVerifier())
            return await publish(writer, release_from(manifest, archive), archive, SystemClock().now())

        return asyncio.run(job())

    def signed_for(self, signer: Owner, archive: bytes, bundle_id: str, version: str, creator: str = "") -> str:
        """The creator's next releases with one more, signed on a person's machine; whatever bytes the archive has."""
        creator = creator or bundle_id.partition(".")[0]
        release = Release(bundle_id, version, "T", len(archive), sha256(archive).hexdigest(), "0" * 64)
        with suppress(OkfError):
            manifest = read_manifest(asyncio.run(open_zip(archive).read(MANIFEST)))
            release = replace(release_from(manifest, archive), id=bundle_id, version=version)

        async def job() -> bytes:
            now = SystemClock().now()
            holding = await held_by(S3Blobs(self.store, self.s3), SslibVerifier())
            held = holding.creators.get(creator)
            content = drafts.with_release(held.signed if held else drafts.no_targets(now), release, now)
            content.version = holding.free(creator, above=content.version - 1)
            keys = HeldKeys(*(path.read_text() for path in (signer.home / "okf/config/keys").glob("*.pem")))
            return (await signed(content, await keys.every())).to_bytes()

        return asyncio.run(job()).decode()

    def accepting(self, person: Owner, text: str) -> list[str]:
        """Options that let `okf export` pack a text that it takes for a risk: the service scans again."""
        source = person.home / "source-risky"
        source.mkdir(exist_ok=True)
        (source / "keys.md").write_text(page("Keys", text))
        done = person.okf(
            "export", source, "--id", "ada.leaky", "--version", "1.0.0", "--out", ".", "--json", code=None
        )
        ids = re.findall(r"risk-[0-9a-z-]+|[0-9a-f]{12}", done.err + done.out)
        return [part for each in ids for part in ("--accept", f"{each}=test")]

    def token(self, name: str, *options: str) -> str:
        made = self.owner.okf("token", "create", name, *options, "--json").json["token"]
        self.put_tokens()
        return str(made)

    def put_tokens(self) -> None:
        place = self.owner.home / "okf/config/tokens.json"
        text = place.read_text() if place.exists() else json.dumps({"format": 1, "tokens": []})
        _client(self, "ssm").put_parameter(
            Name="/okf/tokens", Value=text, Type="SecureString", Overwrite=True, Tier="Advanced"
        )

    def put_keys(self) -> None:
        """The keys for snapshot and timestamp, which are the owner's last ones beside those that are offline."""
        pems = []
        for role in self.online_keys():
            pems.append(self.owner.key(role))
        _client(self, "ssm").put_parameter(Name="/okf/keys", Value="".join(pems), Type="SecureString", Overwrite=True)

    def online_keys(self) -> list[str]:
        """The public keys of snapshot and timestamp in the newest root."""
        names = sorted(
            (each["Key"] for each in self.objects("feed/metadata/") if each["Key"].endswith(".root.json")),
            key=lambda name: int(name.rpartition("/")[2].partition(".")[0]),
        )
        root = json.loads(self.read(names[-1]))["signed"]
        ids = [key for role in ("snapshot", "timestamp") for key in root["roles"][role]["keyids"]]
        return [root["keys"][each]["keyval"]["public"] for each in ids]

    def http(self, token: str = "") -> httpx.Client:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60, trust_env=False)

    def objects(self, prefix: str = "") -> list[dict[str, Any]]:
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=prefix)
        return [each for page in pages for each in page.get("Contents", [])]

    def read(self, key: str) -> bytes:
        data: bytes = self.s3.get_object(Bucket=self.bucket, Key=key)["Body"].read()
        return data

    def put_models(self) -> None:
        for model in MODELS[:1]:
            for file in model.files:
                data = (FOLDER / model.id / file.name).read_bytes()
                self.s3.put_object(Bucket=self.bucket, Key=f"models/{file.sha256}", Body=data)

    def logs(self) -> str:
        return "".join(path.read_text(errors="replace") for path in self.folder.glob("functions/*/log"))

    def close(self) -> None:
        self.events.close()
        self.door.close()
        self.invoke_api.close()
        for each in self.functions.values():
            each.close()

    def _function(self, name: str, most: int) -> Function:
        handler = f"okf_edge_lambda.{name}.handler"
        return Function(f"okf-{name}", handler, self.environment, self.folder / "functions", most=most)

    def _environment(self) -> dict[str, str]:
        return {
            **_credentials(),
            "AWS_ENDPOINT_URL_S3": self.s3_endpoint,
            "AWS_ENDPOINT_URL_SSM": self.aws,
            "AWS_ENDPOINT_URL_DYNAMODB": self.aws,
            "AWS_ENDPOINT_URL_LAMBDA": self.invoke_api.url,
            "POWERTOOLS_TRACE_DISABLED": "1",
            "OKF_BUCKET": self.bucket,
            "OKF_FEED_ROOT": self.root,
            "OKF_SEARCH_FUNCTION": "okf-search",
            "OKF_INGEST_FUNCTION": "okf-ingest",
            "OKF_TOKENS_PARAMETER": "/okf/tokens",
            "OKF_KEYS_PARAMETER": "/okf/keys",
            "OKF_AUDIT_KEY_PARAMETER": "/okf/audit",
            "OKF_BELIEVE_SECONDS": "0.5",
            "OKF_REREAD_SECONDS": "1",
        }


@contextmanager
def deployed(folder: Path, s3_endpoint: str, aws_endpoint: str, **sizes: int) -> Iterator[Deployed]:
    """Args: sizes: how many environments a function may have, by its name; one otherwise."""
    service = Deployed(folder, s3_endpoint, aws_endpoint, sizes)
    try:
        yield service
    finally:
        service.close()


@contextmanager
def aws_services() -> Iterator[str]:
    """The address of a moto server."""
    [port] = free_ports(1)
    command = [str(Path(sys.executable).with_name("moto_server")), "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with suppress(httpx.HTTPError):
                httpx.get(f"{url}/moto-api/", timeout=5, trust_env=False)
                break
            time.sleep(0.2)
        yield url
    finally:
        server.kill()
        server.wait(10)


async def _given(text: str) -> str:
    return text


def page(title: str, text: str) -> str:
    return PAGE.format(title=title, text=text)


def _credentials() -> dict[str, str]:
    return {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_DEFAULT_REGION": "us-east-1"}


def _client(service: Deployed, name: str) -> Any:
    import boto3

    return boto3.client(
        name, endpoint_url=service.aws, aws_access_key_id=KEY, aws_secret_access_key=SECRET, region_name="us-east-1"
    )
