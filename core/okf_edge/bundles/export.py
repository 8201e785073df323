"""Exports a source tree as a bundle archive: compile → scan → index → manifest → zip → verify what was made.

Exporting one tree twice gives the same bytes, but for the index file and its digest in the manifest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from okf_edge import __version__
from okf_edge.bundles.compile import Compiled, compile_tree
from okf_edge.bundles.contents import TreeContents, is_markdown, open_folder, open_zip
from okf_edge.bundles.digest import AGENT_INDEX, KNOWLERY_MANIFEST, MANIFEST, content_digest, digest_of
from okf_edge.bundles.indexer import BuiltIndex, Indexer
from okf_edge.bundles.knowlery import write_knowlery
from okf_edge.bundles.manifest import Creator, Dependency, Manifest, listed_files, problems_of, write_manifest
from okf_edge.bundles.names import problems_of_bundle_id
from okf_edge.bundles.navigation import agent_index
from okf_edge.bundles.risks import Finding, blocking, scan
from okf_edge.bundles.verify import verify_files
from okf_edge.bundles.versions import parse_version
from okf_edge.bundles.zip_writer import write_archive
from okf_edge.errors import BundleError, InputError, NotFoundError, RiskError
from okf_edge.okf.listings import OKF_VERSION
from okf_edge.okf.notes import Notes
from okf_edge.ports import FileTree, Progress

_BASE_MARKS = (".okf/manifest.json", ".knowlery/manifest.json", "KNOWLEDGE.md")
_BASE_FILES = frozenset({"KNOWLEDGE.md", "SCHEMA.md", "INDEX.base", "AGENTS.md", "CLAUDE.md", "GEMINI.md"})
_LIBRARY = "Library/"
_PLACEHOLDER = ".icloud"
_PHONE_BYTES = 5 * 1024 * 1024

_SCRIPT_OF_LANGUAGE = {
    **dict.fromkeys(("ru", "uk", "bg", "sr", "mk", "be"), "Cyrillic"),
    **dict.fromkeys(("ar", "fa", "ur"), "Arabic"),
    "zh": "Han",
    "ja": "Kana",
    "ko": "Hangul",
    "el": "Greek",
    "he": "Hebrew",
    "hi": "Devanagari",
    "th": "Thai",
}


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What a bundle is to say of itself, and what was decided about it.

    `accepted` maps ids of findings to the reason why they may leave. `languages` are those in which readers may ask,
    as codes such as `zh`. `local` exports a knowledge base without its review; the result can never be published.
    """

    id: str
    version: str
    title: str = ""
    description: str = ""
    creator: Creator = field(default_factory=Creator)
    licence: str = ""
    created: str = ""
    dependencies: tuple[Dependency, ...] = ()
    languages: tuple[str, ...] = ()
    accepted: Mapping[str, str] = field(default_factory=dict)
    local: bool = False


@dataclass(frozen=True, slots=True)
class Exported:
    """A bundle archive and what was found on the way. `notes` say in words what its publisher should know."""

    file_name: str
    archive: bytes
    manifest: Manifest
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]


async def export_bundle(
    source: FileTree, options: ExportOptions, *, indexer: Indexer | None, progress: Progress, notes: Notes | None = None
) -> Exported:
    """Compile a source tree into an archive.

    Raises:
        InputError: a bad id or version; a knowledge base without `local`; notes that are not downloaded.
        BundleError: names that are not portable (see its code), or a tree that does not conform to OKF.
        RiskError: blocking findings that nobody accepted, each in `issues` with its id.
    """
    progress.step("read", 0, 4)
    _require_named(options)
    is_base = await _require_source(source, options)
    contents = await open_folder(source)
    files = await _files(contents, is_base)
    return await export_files(
        files, options, left_out=contents.left_out, indexer=indexer, progress=progress, notes=notes
    )


async def export_files(
    files: Mapping[str, bytes],
    options: ExportOptions,
    *,
    origins: Mapping[str, str] | None = None,
    scanned: Mapping[str, Sequence[Finding]] | None = None,
    left_out: Sequence[str] = (),
    indexer: Indexer | None,
    progress: Progress,
    notes: Notes | None = None,
) -> Exported:
    """Compile files into an archive.

    Args:
        origins: what a file is called where it comes from, when that is another path: risks are told by it.
        scanned: the findings of files that were scanned as they are given, by path.
        notes: those that were read already.
    Raises: as `export_bundle` does.
    """
    _require_named(options)
    progress.step("compile", 1, 4)
    read = notes or Notes()
    compiled = compile_tree(
        files, title=title_of(options), version=options.version, created=options.created, notes=read
    )
    known = {path: found for path, found in (scanned or {}).items() if compiled.files[path] == files[path]}
    fresh = {path: data for path, data in compiled.files.items() if path not in known}
    findings = (*scan(fresh, origins, read), *(finding for path in sorted(known) for finding in known[path]))
    _require_no_risk(findings, options.accepted)
    progress.step("index", 2, 4)
    built = await indexer.build(_markdown(compiled.files)) if indexer else None
    manifest, archive = _packed(compiled, options, built)
    progress.step("verify", 3, 4)
    await verify_files(open_zip(archive))
    progress.step("done", 4, 4)
    told = (*_notes(left_out, compiled), *_language_notes(built, options.languages))
    return Exported(f"{manifest.id}-{manifest.version}.okf.zip", archive, manifest, findings, told)


def _require_named(options: ExportOptions) -> None:
    if problems := problems_of_bundle_id(options.id):
        raise InputError(problems[0], code="bad-bundle-id", hint="For example: --id acme.handbook", issues=problems)
    parse_version(options.version)


async def _require_source(source: FileTree, options: ExportOptions) -> bool:
    """Whether the tree is a knowledge base. Raises InputError: it is one, and was not asked for as such."""
    marks = [mark for mark in _BASE_MARKS if await _exists(source, mark)]
    if marks and not options.local:
        raise InputError(
            f"expected a source tree of concepts, found a knowledge base ({marks[0]})",
            code="knowledge-base",
            hint="What leaves a knowledge base is reviewed first; --local makes a bundle that can't be published.",
        )
    return bool(marks)


async def _exists(tree: FileTree, path: str) -> bool:
    try:
        await tree.stat(path)
    except NotFoundError:
        return False
    return True


async def _files(contents: TreeContents, is_base: bool) -> dict[str, bytes]:
    """What is compiled: of a knowledge base neither its instructions nor the bundles of others."""
    waiting = [path for path in contents.left_out if path.endswith(_PLACEHOLDER)]
    if waiting:
        raise InputError(
            f"expected all notes on this machine, found {len(waiting)} that are not downloaded: {waiting[0]}",
            code="not-downloaded",
            hint="Download them in your sync service first; a bundle without them would lack what it links to.",
            issues=waiting,
        )
    paths = [path for path in contents.sizes if not (is_base and (path in _BASE_FILES or path.startswith(_LIBRARY)))]
    return {path: await contents.read(path) for path in paths}


def title_of(options: ExportOptions) -> str:
    """What a bundle is called: what was given, else the last part of its id."""
    return options.title or options.id.rpartition(".")[2].replace("-", " ").capitalize()


def _require_no_risk(findings: Sequence[Finding], accepted: Mapping[str, str]) -> None:
    if stopping := blocking(findings, accepted):
        raise RiskError(
            f"expected nothing that must not leave, found {len(stopping)}: {stopping[0].kind} in {stopping[0].path}"
            f" line {stopping[0].line}",
            hint="Remove them, or accept each by its id with a reason.",
            issues=[str(finding) for finding in stopping],
        )


def _packed(compiled: Compiled, options: ExportOptions, built: BuiltIndex | None) -> tuple[Manifest, bytes]:
    """The manifest, last in the archive, and the archive."""
    digests = {path: digest_of(data) for path, data in compiled.files.items()}
    draft = Manifest(
        id=options.id,
        version=options.version,
        title=title_of(options),
        content_digest=content_digest(digests),
        files=(),
        description=options.description,
        creator=options.creator,
        licence=options.licence,
        created=compiled.created,
        okf_version=OKF_VERSION,
        index=built.info() if built else None,
        dependencies=options.dependencies,
        generator=f"okf-edge/{__version__}",
        local=options.local,
    )
    derived = _derived(draft, compiled, built)
    manifest = _with_files(draft, {**compiled.files, **derived})
    whole = {**compiled.files, **derived, MANIFEST: write_manifest(manifest)}
    order = sorted(whole, key=lambda path: (path == MANIFEST, path.encode()))
    return manifest, write_archive((path, whole[path]) for path in order)


def _derived(draft: Manifest, compiled: Compiled, built: BuiltIndex | None) -> dict[str, bytes]:
    attachments = {path: digest_of(data) for path, data in compiled.files.items() if not is_markdown(path)}
    derived = {
        AGENT_INDEX: agent_index(
            draft.title, draft.created, OKF_VERSION, compiled.concepts, compiled.links, compiled.domains
        ),
        KNOWLERY_MANIFEST: write_knowlery(draft, _markdown(compiled.files), attachments),
    }
    if built and draft.index:
        derived[draft.index.path] = built.data
    return derived


def _with_files(draft: Manifest, files: Mapping[str, bytes]) -> Manifest:
    manifest = replace(draft, files=listed_files({path: digest_of(data) for path, data in files.items()}))
    if problems := problems_of(manifest):
        raise BundleError(
            f"expected names that every system can store, found {len(problems)} problems: {problems[0]}",
            code="bad-manifest",
            hint="Rename the files.",
            issues=problems,
        )
    return manifest


def _markdown(files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {path: data for path, data in files.items() if is_markdown(path)}


def _notes(left_out: Sequence[str], compiled: Compiled) -> list[str]:
    big = [path for path, data in compiled.files.items() if len(data) > _PHONE_BYTES]
    told = [
        ("hidden files and links left out", left_out),
        ("files with links made standard and comments taken out", compiled.changed),
        ("listings made", compiled.made),
        ("files above 5 MB, which phones and sync services refuse", big),
    ]
    return [
        f"{what} ({len(paths)}): {', '.join(paths[:3])}{'…' if len(paths) > 3 else ''}" for what, paths in told if paths
    ]


def _language_notes(built: BuiltIndex | None, languages: Sequence[str]) -> list[str]:
    """Whether the index can answer in the languages of its readers."""
    if built is None:
        return ["no index was made: each reader builds one at installation"]
    if not built.embedder:
        return ["the index has no vectors: readers find words only, and only in the language of the text"]
    wanted = {_SCRIPT_OF_LANGUAGE.get(code.lower().partition("-")[0], "Latin") for code in languages} or {
        "Han",
        "Latin",
    }
    unanswered = sorted(wanted - set(built.scripts))
    if not unanswered:
        return []
    return [
        f"the index was made with {built.embedder}, which understands {', '.join(built.scripts)}: readers who ask in"
        f" {', '.join(unanswered)} find by shared words only; export with --embedder e5-small-cjk to answer them"
    ]
