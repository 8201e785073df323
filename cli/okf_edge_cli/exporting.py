"""`okf export`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from okf_edge.app import Okf
from okf_edge.bundles.export import Exported, ExportOptions
from okf_edge.bundles.manifest import Creator, Dependency
from okf_edge.bundles.names import problems_of_bundle_id
from okf_edge.bundles.ranges import is_within
from okf_edge.bundles.risks import Finding
from okf_edge.errors import InputError
from okf_edge_cli import session
from okf_edge_cli.commands import DONE
from okf_edge_cli.screen import Line, bold, dim, good, line, wary
from okf_edge_native.compose import existing_folder
from okf_edge_native.disk import DiskTree


@dataclass(frozen=True, slots=True)
class Written:
    """An archive on disk."""

    exported: Exported
    file: str


def export(
    folder: str,
    bundle_id: str,
    version: str,
    out: str,
    title: str,
    description: str,
    creator: str,
    creator_url: str,
    licence: str,
    languages: Sequence[str],
    needs: Sequence[str],
    accepted: Sequence[str],
    local: bool,
    reviewed: bool,
    embedder: str,
    as_json: bool,
) -> int:
    options = ExportOptions(
        id=bundle_id,
        version=version,
        title=title,
        description=description,
        creator=Creator(creator, creator_url),
        licence=licence,
        languages=tuple(languages),
        dependencies=tuple(map(dependency, needs)),
        accepted=dict(map(acceptance, accepted)),
        local=local,
    )

    async def job(okf: Okf) -> Written:
        place, name = _place(out)
        exported = await (okf.export_reviewed if reviewed else okf.export)(options, embedder)
        name = name or exported.file_name
        await DiskTree(place).write(name, exported.archive)
        if reviewed:
            await okf.record_release(exported)
        return Written(exported, f"{place}/{name}")

    written = session.run(job, folder, as_json)
    session.print_result(_json(written), _lines(written), as_json)
    return DONE


def acceptance(text: str) -> tuple[str, str]:
    """A finding's id and the reason why it may leave."""
    finding, _, reason = text.partition("=")
    if not reason.strip():
        raise InputError(f"expected ID=REASON, found {text!r}", code="usage", hint="Say why the finding may leave.")
    return finding, reason.strip()


def dependency(text: str) -> Dependency:
    """Another bundle that this one needs, and in which versions. Raises InputError."""
    bundle_id, _, versions = text.partition("@")
    if problems := problems_of_bundle_id(bundle_id):
        raise InputError(problems[0], code="bad-bundle-id", hint="For example: --needs acme.terms@^1.2")
    is_within("1.0.0", [versions])
    return Dependency(bundle_id, versions)


def finding_json(each: Finding) -> dict[str, Any]:
    """A risk as it is told of what leaves."""
    return {
        "id": each.id,
        "kind": each.kind,
        "severity": each.severity,
        "path": each.path,
        "line": each.line,
        "sample": each.sample,
        "reason": each.reason,
    }


def _place(out: str) -> tuple[str, str]:
    """The folder to write into, and the name of the file when it was given."""
    path = Path(out or ".")
    if path.is_dir():
        return existing_folder(str(path)), ""
    if path.exists() and not path.is_file():  # e.g. /dev/stdout, a link that writing would replace
        raise InputError(f"expected a file or a folder to write, found neither: {out}", code="no-file")
    return existing_folder(str(path.parent)), path.name


def _json(written: Written) -> dict[str, Any]:
    exported, manifest = written.exported, written.exported.manifest
    index = manifest.index
    return {
        "id": manifest.id,
        "version": manifest.version,
        "title": manifest.title,
        "file": written.file,
        "bytes": len(exported.archive),
        "sha256": sha256(exported.archive).hexdigest(),
        "content_digest": manifest.content_digest,
        "files": len(manifest.files),
        "concepts": sum(file.kind == "concept" for file in manifest.files),
        "chunks": index.chunks if index else 0,
        "embedder": index.embedder if index else "",
        "local": manifest.local,
        "risks": [finding_json(each) for each in exported.findings],
        "notes": list(exported.notes),
    }


def _lines(written: Written) -> Iterator[Line]:
    shown = _json(written)
    yield line(good("exported "), bold(f"{shown['id']}@{shown['version']}"), f" to {shown['file']}")
    index = f"{shown['chunks']} chunks, {shown['embedder'] or 'without vectors'}"
    yield line(f"  {shown['concepts']} concepts in {shown['files']} files, {shown['bytes']:,} bytes; index: {index}")
    yield line(dim(f"  content sha256:{shown['content_digest']}"))
    yield line(dim(f"  archive sha256:{shown['sha256']}"))
    if shown["local"]:
        yield line(wary("  note: "), "made with --local, without a review: it can't be published")
    yield from (line(wary("  risk: "), str(finding)) for finding in written.exported.findings)
    yield from (line(wary("  note: "), note) for note in written.exported.notes)
