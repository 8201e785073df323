"""`okf install`, `list`, `uninstall` and `verify`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from okf_edge.app import Okf
from okf_edge.app.shown import bundle_json, installation_json, verified_json
from okf_edge.bundles.install import Installation, InstallOptions
from okf_edge.bundles.names import problems_of_bundle_id
from okf_edge.bundles.registry import InstalledBundle
from okf_edge.bundles.verify import Verified
from okf_edge.errors import InputError, NotFoundError
from okf_edge_cli import session
from okf_edge_cli.commands import DONE
from okf_edge_cli.parser import ANY
from okf_edge_cli.screen import Line, bold, dim, good, line, wary
from okf_edge_native.sources import open_source, read_archive


def install(
    source: str | None,
    folder: str | None,
    sha256: str,
    bundle_id: str,
    version: str,
    force: bool,
    accept_risks: bool,
    accept_nonconformant: bool,
    feed: str,
    as_json: bool,
) -> int:
    if source is None and feed not in ("", ANY):
        source, feed = feed, ANY  # `--feed ID`: what stands behind the option is what is wanted
    if source is None:
        raise InputError("expected what to install, found nothing", code="usage", hint="See `okf install --help`.")
    if feed:
        from okf_edge_cli.subscribing import install_from_feed

        kept = InstallOptions("", force=force, accept_risks=accept_risks, accept_nonconformant=accept_nonconformant)
        return install_from_feed(source, feed, kept, folder, as_json)
    options = InstallOptions(source, bundle_id, version, force, accept_risks, accept_nonconformant)

    async def job(okf: Okf) -> Installation:
        try:
            return await okf.install(await open_source(source), options, sha256)
        except NotFoundError as error:
            if error.code == "no-archive" and _is_id(source):
                error.hint = f"If it is the id of a bundle in a feed: okf install {source} --feed"
            raise

    done = session.run(job, folder, as_json)
    session.print_result(installation_json(done), install_lines(done), as_json)
    return DONE


def _is_id(source: str) -> bool:
    return not problems_of_bundle_id(source.partition("@")[0])


def uninstall(bundle_id: str, folder: str | None, force: bool, as_json: bool) -> int:
    bundle = session.run(lambda okf: okf.uninstall(bundle_id, force), folder, as_json)
    session.print_result({"bundle": bundle_json(bundle)}, [line(good("uninstalled "), _named(bundle))], as_json)
    return DONE


def verify(file: str, sha256: str, rebuild: bool, as_json: bool) -> int:
    async def job(okf: Okf) -> Verified:
        return await okf.verify(await read_archive(file), sha256, rebuild)

    verified = session.run(job, None, as_json)
    session.print_result(verified_json(verified, rebuild), _verified_lines(verified, rebuild), as_json)
    return DONE


def list_bundles(folder: str | None, as_json: bool) -> int:
    bundles = session.run(lambda okf: okf.list_bundles(), folder, as_json)
    session.print_result({"bundles": [bundle_json(bundle) for bundle in bundles]}, _list_lines(bundles), as_json)
    return DONE


def _list_lines(bundles: Sequence[InstalledBundle]) -> Iterator[Line]:
    if not bundles:
        yield line("no bundles are installed")
    for bundle in bundles:
        yield line(bold(f"{bundle.id}@{bundle.version}"), f"  {bundle.title}")
        yield line(dim(f"  {bundle.path}  from {bundle.origin}  {signature_of(bundle)}, index {bundle.index_origin}"))


def _named(bundle: InstalledBundle) -> str:
    return f"{bundle.id}@{bundle.version}"


def signature_of(bundle: InstalledBundle) -> str:
    """Whose signature was verified, in words; an invalid one is never installed."""
    return f"signed by {bundle.signer} ({bundle.feed})" if bundle.signature == "valid" else "unsigned"


def install_lines(done: Installation) -> Iterator[Line]:
    yield line(good(f"{done.outcome} "), bold(_named(done.bundle)), f" in {done.bundle.path}")
    yield line(dim(f"  content sha256:{done.bundle.content_digest}, {signature_of(done.bundle)}"))
    yield from (line(wary("  note: "), note) for note in done.notes)
    if done.outcome == "installed":
        yield line(dim("  in a knowledge base, `okf sync` lists it in KNOWLEDGE.md"))


def _verified_lines(verified: Verified, rebuilt: bool) -> Iterator[Line]:
    shown = verified_json(verified, rebuilt)
    name = f"{shown['id']}@{shown['version']}" if shown["id"] else "a plain OKF directory"
    yield line(good("verified "), bold(name), f": {shown['files']} files are what they claim to be")
    yield line(dim(f"  content sha256:{shown['content_digest']}, unsigned"))
    if rebuilt:
        yield line("  the index equals one rebuilt from the text")
    if shown["local"]:
        yield line(wary("  note: "), "made with --local, without a review: it can't be published")
    yield from (line(wary("  note: "), note) for note in verified.notes)
