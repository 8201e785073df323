"""The use cases of what leaves a base: look at it, decide item by item, export what was approved.

Rules:
1. Everything is told of the bytes that would leave: the same code makes the checklist and the bundle.
2. An export of anything that nobody approved as it is now writes nothing and says what is open.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC
from hashlib import sha256

from okf_edge.app.bundle_index import BundleIndexer
from okf_edge.app.cache import Cache
from okf_edge.app.ports import Config, Ports
from okf_edge.app.publishing import Receipt
from okf_edge.bundles.closure import Arc, Item, Linked, closure
from okf_edge.bundles.digest import DERIVED
from okf_edge.bundles.export import Exported, ExportOptions, export_files
from okf_edge.bundles.names import derive_bundle_id
from okf_edge.bundles.release_log import release_log
from okf_edge.bundles.reviews import (
    Acceptance,
    Decision,
    Publication,
    Release,
    Review,
    Status,
    read_review,
    write_review,
)
from okf_edge.bundles.risks import Finding, blocking
from okf_edge.bundles.risks.scan import scan_file
from okf_edge.bundles.risks.stays import Staying
from okf_edge.bundles.sharing import SCHEMA, Shared, notes_of, schema_of, share
from okf_edge.errors import BundleError, InputError, NotFoundError, OkfError
from okf_edge.limits import LIMITS
from okf_edge.okf.concept import text_of
from okf_edge.okf.links import wiki_link
from okf_edge.okf.notes import Note, Notes
from okf_edge.okf.resolve import Entry, Resolver
from okf_edge.workspace import layout
from okf_edge.workspace.identity import identify
from okf_edge.workspace.survey import Survey, survey

DEFAULT_HOPS = 1


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be reviewed: without seeds or hops those of the last review of the id; without an id a derived one."""

    seeds: tuple[str, ...] = ()
    hops: int | None = None
    bundle_id: str = ""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What a person decided: paths of items, and reasons by the id of a finding that may leave."""

    reviewer: str
    approved: tuple[str, ...] = ()
    flagged: tuple[str, ...] = ()
    accepted: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Line:
    """One item of a checklist. `leaves_as` is its path in the bundle; `text` what a reader of the bundle would see."""

    item: Item
    status: Status
    is_changed: bool
    leaves_as: str
    bytes: int
    sha256: str
    findings: tuple[Finding, ...]
    decision: Decision | None
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Checklist:
    """What would leave, and what was decided about it. `problems` stop an export; `withheld` are places where the name
    of something that stays is taken out."""

    review: Review
    lines: tuple[Line, ...]
    withheld: tuple[str, ...]
    problems: tuple[str, ...]

    def count(self, status: Status) -> int:
        return sum(line.status == status for line in self.lines)

    def open_risks(self, line: Line) -> tuple[Finding, ...]:
        """The blocking findings of an item that nobody has accepted."""
        return blocking(line.findings, self.review.reasons)


@dataclass(frozen=True, slots=True)
class _Gathered:
    """What was read of a base for one review. `shared` leaves out what is flagged."""

    review: Review
    items: tuple[Item, ...]
    data: Mapping[str, bytes]
    shared: Shared
    staying: Staying
    absent: tuple[str, ...]
    notes: Notes


async def checklist(ports: Ports, config: Config, wanted: Wanted) -> Checklist:
    """Everything that would leave, item by item.

    Raises: NotFoundError: no such page. InputError: no seed, or no page that can leave. StateFileError.
    """
    return _checklist(await _gather(ports, config, wanted))


async def decide(ports: Ports, config: Config, wanted: Wanted, verdicts: Verdicts) -> Checklist:
    """Record decisions about items as they are now; the checklist after it.

    Raises: InputError: no reviewer; an item or finding that is not there, or is both approved and flagged.
    """
    gathered = await _gather(ports, config, wanted)
    before = _checklist(gathered)
    _require_sensible(before, verdicts)
    at = _instant(ports)
    digests = {line.item.path: line.sha256 for line in before.lines}
    chosen = {**dict.fromkeys(verdicts.approved, "approved"), **dict.fromkeys(verdicts.flagged, "flagged")}
    decisions = {
        path: Decision("approved" if word == "approved" else "flagged", digests[path], verdicts.reviewer, at)
        for path, word in chosen.items()
    }
    accepted = {key: Acceptance(reason, verdicts.reviewer, at) for key, reason in verdicts.accepted.items()}
    review = gathered.review.decided(decisions, accepted)
    await write_review(ports.tree, review)
    return await checklist(ports, config, Wanted(bundle_id=review.id))


async def export_reviewed(
    ports: Ports, config: Config, options: ExportOptions, embedder: str = "", seeds: Sequence[str] = ()
) -> Exported:
    """The bundle of a base whose every item was approved as it is now; nothing is written.

    Args: seeds: the pages to start from; none for those of the review. Without an id they decide which review counts.
    Raises: BundleError (`review-required`): what is open, item by item, in `issues`. As `export_bundle` does.
    """
    gathered = await _gather(ports, config, Wanted(tuple(seeds), bundle_id=options.id))
    found = _checklist(gathered)
    _require_reviewed(found)
    shared, review = gathered.shared, gathered.review
    options = replace(options, id=review.id)
    release = _release(ports, review, options.version, _digests(shared.files))
    log = release_log((*review.before(options.version), release), _titles(shared.files, gathered.notes))
    wanted = replace(options, title=options.title or review.title, accepted={**review.reasons, **options.accepted})
    exported = await export_files(
        {**shared.files, "log.md": log},
        wanted,
        origins=shared.origins,
        scanned={line.leaves_as: line.findings for line in found.lines if line.leaves_as},
        indexer=BundleIndexer(ports, ports.spare, embedder, gathered.notes),
        progress=ports.progress,
        notes=gathered.notes,
    )
    return replace(exported, notes=(*_withheld_notes(shared), *exported.notes))


async def record_release(ports: Ports, exported: Exported) -> None:
    """Remember what an exported version holds, so that the next one's log tells what changed since."""
    manifest = exported.manifest
    review = await read_review(ports.tree, manifest.id)
    made = {"index.md", "log.md"}
    files = {file.path: file.sha256 for file in manifest.files if file.path.rpartition("/")[2] not in made | DERIVED}
    await write_review(ports.tree, review.released(_release(ports, review, manifest.version, files)))


async def record_publication(ports: Ports, receipt: Receipt, feed: str) -> Receipt:
    """Keep the receipt of what was published, beside its review. What was published stays so: a fault is only noted."""
    release = receipt.release
    at = _instant(ports)
    done = Publication(
        release.version, feed, receipt.pin, at, release.sha256, receipt.change.outcome, receipt.change.snapshot,
        receipt.audience,
    )  # fmt: skip
    try:
        review = await read_review(ports.tree, release.id)
        if (after := review.published(done)) != review:
            await write_review(ports.tree, after)
    except OkfError as error:
        return replace(receipt, notes=(*receipt.notes, f"the receipt could not be kept: {error.message}"))
    return receipt


# --- gather ----------------------------------------------------------------------------------------------------------


async def _gather(ports: Ports, config: Config, wanted: Wanted) -> _Gathered:
    found = await survey(ports.tree, Cache(ports), ports.progress)
    resolver = _resolver(found)
    seeds = tuple(dict.fromkeys(_seed(each, found, resolver) for each in wanted.seeds))
    review = await _review(ports, config, wanted, seeds, found)
    _require_present(review.seeds, found)
    linked = _linked(found, review.seeds)
    items = closure(review.seeds, review.hops, linked, review.flagged)
    data = {item.path: await ports.tree.read(item.path, LIMITS.archive_file_bytes) for item in items}
    known = Notes()
    notes = notes_of(data, known)
    leaving = tuple(item for item in items if item.path not in review.flagged)
    if SCHEMA in found.scan.paths:
        items, leaving, data = await _with_schema(ports, review, items, leaving, data, notes)
    shared = share(leaving, data, notes, resolver)
    return _Gathered(review, items, data, shared, _staying(found, leaving), _absent(found, leaving), known)


async def _with_schema(
    ports: Ports,
    review: Review,
    items: tuple[Item, ...],
    leaving: tuple[Item, ...],
    data: Mapping[str, bytes],
    notes: Mapping[str, Note],
) -> tuple[tuple[Item, ...], tuple[Item, ...], dict[str, bytes]]:
    """With the part of SCHEMA.md that the leaving pages use, when they use any."""
    scoped = schema_of(await ports.tree.read(SCHEMA, LIMITS.note_bytes), leaving, notes)
    if not scoped:
        return items, leaving, dict(data)
    schema = Item(SCHEMA, "schema", ("rows that these pages use",))
    kept = leaving if SCHEMA in review.flagged else (*leaving, schema)
    return (*items, schema), kept, {**data, SCHEMA: scoped}


async def _review(ports: Ports, config: Config, wanted: Wanted, seeds: tuple[str, ...], found: Survey) -> Review:
    if not seeds and not wanted.bundle_id:
        raise InputError("expected a page to start from, found none", code="no-seed", hint="Name a page, or give --id.")
    title = found.pages[seeds[0]].title if seeds else ""
    name = (await identify(ports.tree, config.folder_name)).name
    kept = await read_review(ports.tree, wanted.bundle_id or derive_bundle_id(name, title))
    review = replace(
        kept,
        title=kept.title or title,
        seeds=seeds or kept.seeds,
        hops=kept.hops if wanted.hops is None else wanted.hops,
    )
    if not review.seeds:
        raise InputError(
            f"expected a review of {review.id}, found none",
            code="no-review",
            hint=f"Begin one: okf review PAGE --id {review.id}",
        )
    return review


def _seed(wanted: str, found: Survey, resolver: Resolver) -> str:
    """The page of a path, name or alias. Raises NotFoundError, InputError: several pages have that name."""
    end = resolver.resolve(wiki_link(wanted, "wikilink", 1), "")
    if end.path not in found.pages:
        raise NotFoundError(f"expected a page of this base, found none called {wanted!r}", hint="Give its path.")
    if end.candidates:
        raise InputError(
            f"expected one page called {wanted!r}, found {len(end.candidates)}: {', '.join(end.candidates)}",
            code="ambiguous-name",
            hint="Give its path.",
            issues=end.candidates,
        )
    return end.path


def _require_present(seeds: Sequence[str], found: Survey) -> None:
    if gone := [seed for seed in seeds if seed not in found.pages]:
        raise NotFoundError(
            f"expected the pages that the review started from, found no {', '.join(gone)}",
            hint="Name the pages to start from; decisions about the others are kept.",
        )


def _resolver(found: Survey) -> Resolver:
    pages = found.pages
    files = (Entry(path, pages[path].aliases if path in pages else ()) for path in found.scan.paths)
    absent = (Entry(path, downloaded=False) for path in found.scan.skipped_for("not-downloaded"))
    return Resolver([*files, *absent])


def _linked(found: Survey, seeds: Sequence[str]) -> Linked:
    """What may leave: own pages, and files that are no notes and lie in no bundle."""
    notes = frozenset(found.pages)
    concepts = {path for path, page in found.pages.items() if page.type or layout.tier_of(path) == "agent"}
    files = {
        path
        for path in found.scan.paths
        if not layout.is_note(path) and not path.startswith((f"{layout.LIBRARY}/", f"{layout.STATE}/"))
    }
    arcs = {
        path: tuple(
            Arc(end.path, link.is_citation)
            for link, end in zip(page.links, found.graph.ends[path], strict=True)
            if end.outcome in ("found", "ambiguous")
        )
        for path, page in found.pages.items()
    }
    return Linked(notes, frozenset(concepts | set(seeds)), frozenset(files), arcs)


def _absent(found: Survey, leaving: Sequence[Item]) -> tuple[str, ...]:
    """What the leaving pages link to and a sync service has not downloaded."""
    pages = [item.path for item in leaving if item.path in found.pages]
    ends = (end for path in pages for end in found.graph.ends[path])
    return tuple(sorted({end.path for end in ends if end.outcome == "not-downloaded"}))


def _staying(found: Survey, leaving: Sequence[Item]) -> Staying:
    """What is the person's own and does not leave; bundles of others and the base's own set-up are no secret."""
    going = {item.path for item in leaving}
    public = (f"{layout.LIBRARY}/", f"{layout.STATE}/")
    paths = [path for path in found.scan.paths if path not in going and not path.startswith(public)]
    aliases = (name for path in paths if path in found.pages for name in found.pages[path].aliases)
    return Staying((path for path in paths if path not in (SCHEMA, layout.GUIDE)), going, aliases)


# --- tell ------------------------------------------------------------------------------------------------------------


def _checklist(gathered: _Gathered) -> Checklist:
    names = {path: name for name, path in gathered.shared.origins.items()}
    lines = tuple(_line(gathered, item, names.get(item.path, "")) for item in gathered.items)
    absent = (f"{path} is not downloaded: a bundle without it would lack what it links to" for path in gathered.absent)
    return Checklist(gathered.review, lines, gathered.shared.withheld, (*gathered.shared.problems, *absent))


def _line(gathered: _Gathered, item: Item, name: str) -> Line:
    review = gathered.review
    data = gathered.data[item.path]
    leaving = gathered.shared.files.get(name, b"") if name else data
    digest = sha256(data).hexdigest()
    decision = review.items.get(item.path)
    return Line(
        item,
        review.status(item.path, digest),
        bool(decision and decision.sha256 != digest),
        name,
        len(data),
        digest,
        (
            *scan_file(item.path, leaving, gathered.notes),
            *(gathered.staying.findings(item.path, leaving) if name else ()),
        ),
        decision,
        leaving.decode(errors="replace") if b"\0" not in leaving[:4096] else "",
    )


def _require_sensible(found: Checklist, verdicts: Verdicts) -> None:
    there = {line.item.path for line in found.lines}
    findings = {finding.id for line in found.lines for finding in line.findings}
    named = (*verdicts.approved, *verdicts.flagged)
    issues = [f"{path}: no item of this review" for path in named if path not in there]
    issues += [f"{path}: approved and flagged" for path in verdicts.approved if path in verdicts.flagged]
    issues += [f"{each}: no finding of this review" for each in verdicts.accepted if each not in findings]
    if not verdicts.reviewer.strip():
        issues.append("reviewer: a decision is a person's")
    if issues:
        raise InputError(
            f"expected decisions about what is there, found {len(issues)} that are not: {issues[0]}",
            code="bad-decision",
            hint="`okf review --list` shows the items; --reviewer says who decides.",
            issues=issues,
        )


def _require_reviewed(found: Checklist) -> None:
    issues = [f"{line.item.path}: {_open_word(line)}" for line in found.lines if line.status == "unreviewed"]
    issues += [
        f"{line.item.path}: {finding}"
        for line in found.lines
        if line.status == "approved"
        for finding in found.open_risks(line)
    ]
    issues += found.problems
    if issues:
        raise BundleError(
            f"expected every item reviewed, found {len(issues)} open: {issues[0]}",
            code="review-required",
            hint=f"okf review {shlex.join(found.review.seeds)} --id {found.review.id}",
            issues=issues,
        )
    if not found.count("approved"):
        raise BundleError("expected an approved item, found none", code="no-concepts", hint="Everything is flagged.")


def _open_word(line: Line) -> str:
    return "changed since it was reviewed" if line.is_changed else "unreviewed"


def _withheld_notes(shared: Shared) -> list[str]:
    if not shared.withheld:
        return []
    places = ", ".join(shared.withheld[:3]) + (", …" if len(shared.withheld) > 3 else "")
    return [f"names of files that stay were taken out: {places}"]


# --- releases --------------------------------------------------------------------------------------------------------


def _instant(ports: Ports) -> str:
    return ports.clock.now().astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _digests(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: sha256(data).hexdigest() for name, data in files.items()}


def _release(ports: Ports, review: Review, version: str, files: Mapping[str, str]) -> Release:
    """The version as it leaves now; exported again unchanged, it keeps its day."""
    same = [each for each in review.releases if (each.version, each.files) == (version, files)]
    return same[0] if same else Release(version, ports.clock.now().astimezone(UTC).date().isoformat(), files)


def _titles(files: Mapping[str, bytes], notes: Notes) -> dict[str, str]:
    read = {path: notes.of(path, data).document for path, data in files.items() if path.endswith(".md")}
    return {path: text_of(note.frontmatter.get("title")) or _stem(path) for path, note in read.items()}


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")
