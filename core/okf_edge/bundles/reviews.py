"""`.okf/reviews/<bundle-id>.json`: who approved which content of a base to leave in a bundle, what left, and where to.

Rules:
1. An approval holds for the bytes that were looked at: other bytes are unreviewed again. A flag holds for any bytes.
2. There is one decision an item, each by a person: nothing here approves several at once.
3. An accepted risk holds for its id in its item, with the reason, until the item's text no longer has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from okf_edge.bundles.names import problems_of_bundle_id
from okf_edge.errors import InputError
from okf_edge.ports import FileTree
from okf_edge.state import corrupt, read_state, write_state

FORMAT = 1
Verdict = Literal["approved", "flagged"]
Status = Literal["unreviewed", "approved", "flagged"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decided about one item. `sha256` is that of the bytes that were looked at."""

    status: Verdict
    sha256: str
    reviewer: str
    at: str


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Why a finding may leave, and who says so."""

    reason: str
    reviewer: str
    at: str


@dataclass(frozen=True, slots=True)
class Release:
    """What one exported version holds: the sha256 of each file by its path in the bundle."""

    version: str
    day: str
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Publication:
    """The receipt of a publication: which version went to which feed, and what that feed says of it.

    `root` is the digest of the feed's first root, `sha256` that of the archive. `outcome` and `snapshot` tell whether
    it is in force; `audience` who could read it there at that time.
    """

    version: str
    feed: str
    root: str
    at: str
    sha256: str
    outcome: str
    snapshot: int | None
    audience: str


@dataclass(frozen=True, slots=True)
class Review:
    """The review of one bundle. `accepted` are reasons by the id of a finding; `releases` and `publications` are in
    their order."""

    id: str
    title: str = ""
    seeds: tuple[str, ...] = ()
    hops: int = 1
    items: Mapping[str, Decision] = field(default_factory=dict)
    accepted: Mapping[str, Acceptance] = field(default_factory=dict)
    releases: tuple[Release, ...] = ()
    publications: tuple[Publication, ...] = ()
    unknown: Mapping[str, Any] = field(default_factory=dict)

    def status(self, path: str, sha256: str) -> Status:
        decision = self.items.get(path)
        if decision is None or (decision.status == "approved" and decision.sha256 != sha256):
            return "unreviewed"
        return decision.status

    @property
    def flagged(self) -> frozenset[str]:
        return frozenset(path for path, decision in self.items.items() if decision.status == "flagged")

    @property
    def reasons(self) -> dict[str, str]:
        """Why each accepted finding may leave, by its id."""
        return {finding: each.reason for finding, each in self.accepted.items()}

    def decided(self, decisions: Mapping[str, Decision], accepted: Mapping[str, Acceptance]) -> Review:
        return replace(self, items={**self.items, **decisions}, accepted={**self.accepted, **accepted})

    def released(self, release: Release) -> Review:
        """With a version that was exported; exported again, it takes the place of its former self."""
        others = tuple(each for each in self.releases if each.version != release.version)
        return replace(self, releases=(*others, release))

    def published(self, new: Publication) -> Review:
        """With a publication; one that changed nothing leaves the receipt of what did."""
        same = [each for each in self.publications if (each.version, each.root) == (new.version, new.root)]
        if new.outcome == "unchanged" and any(each.outcome == "done" for each in same):
            return self
        return replace(self, publications=(*(each for each in self.publications if each not in same), new))

    def before(self, version: str) -> tuple[Release, ...]:
        """The releases of other versions."""
        return tuple(each for each in self.releases if each.version != version)


def place_of(bundle_id: str) -> str:
    """Raises InputError: no id that a bundle can have."""
    if problems := problems_of_bundle_id(bundle_id):
        raise InputError(problems[0], code="bad-bundle-id", hint="For example: --id acme.handbook", issues=problems)
    return f".okf/reviews/{bundle_id}.json"


async def read_review(tree: FileTree, bundle_id: str) -> Review:
    """The review of a bundle; an empty one when there is none. Raises StateFileError, NewerFormatError, InputError."""
    place = place_of(bundle_id)
    state = await read_state(tree, place, FORMAT)
    return Review(bundle_id) if state is None else _review(place, bundle_id, state)


async def write_review(tree: FileTree, review: Review) -> None:
    plain = asdict(review)
    unknown = plain.pop("unknown")
    await write_state(tree, place_of(review.id), {"format": FORMAT, **plain, **unknown})


_KNOWN = frozenset({"format", "id", "title", "seeds", "hops", "items", "accepted", "releases", "publications"})


def _review(place: str, bundle_id: str, state: Mapping[str, Any]) -> Review:
    try:
        review = Review(
            bundle_id,
            str(state["title"]),
            tuple(state["seeds"]),
            int(state["hops"]),
            {str(path): Decision(**each) for path, each in state["items"].items()},
            {str(finding): Acceptance(**each) for finding, each in state["accepted"].items()},
            tuple(Release(**each) for each in state["releases"]),
            tuple(map(_publication, state.get("publications", ()))),
            {key: value for key, value in state.items() if key not in _KNOWN},
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise corrupt(place, f"holds no whole review ({type(error).__name__}: {error})") from error
    if state.get("id") != bundle_id or any(
        each.status not in ("approved", "flagged") for each in review.items.values()
    ):
        raise corrupt(place, "holds a review of another bundle, or a status that is none")
    return review


def _publication(state: Mapping[str, Any]) -> Publication:
    snapshot = state["snapshot"]
    texts = {key: str(value) for key, value in state.items() if key != "snapshot"}
    return Publication(**texts, snapshot=None if snapshot is None else int(snapshot))
