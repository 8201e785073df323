"""A document means what the specification says its frontmatter means, and what it can't mean counts as absent."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from okf_edge.okf.concept import Concept, Source, concept_of
from okf_edge.okf.freshness import format_instant, instant, is_stale
from okf_edge.okf.reader import read_document
from okf_edge.okf.trust import actor_of


def concept(frontmatter: str, body: str = "", path: str = "dir/Some Note.md") -> Concept:
    return concept_of(read_document(path, f"---\n{frontmatter}\n---\n{body}".encode()))


def test_every_family_is_read() -> None:
    read = concept(
        "type: Metric\ntitle: Revenue\ndescription: A  line\nresource: https://x.y\ntags: [a]\n"
        "aliases: [B, 2026, true]\n"
        "status: Deprecated\nstale_after: 2026-09-23T02:00:00+02:00\n"
        "generated: { by: agent/1, at: 2026-06-01T00:00:00Z }\n"
        "verified:\n  - { by: 'human:ada', at: 2026-06-02T00:00:00Z }\n  - { by: process:nightly }\n"
        "sources:\n  - { id: s, resource: /a.md, title: T, author: team:x,\n"
        "      usage_count: 5, last_modified: 2026-01-01 }\n"
        "  - plain.md\n  - { title: without resource }",
        "text #inline",
    )
    assert (read.type, read.title, read.description, read.resource) == ("Metric", "Revenue", "A line", "https://x.y")
    assert (read.tags, read.aliases, read.status) == (("a", "inline"), ("B", "2026", "true"), "deprecated")
    assert read.stale_after == datetime(2026, 9, 23, tzinfo=UTC)
    assert read.generated_by and (read.generated_by.kind, read.generated_by.raw) == ("agent", "agent/1")
    assert [(event.by.raw, event.at) for event in read.verified] == [
        ("human:ada", datetime(2026, 6, 2, tzinfo=UTC)),
        ("process:nightly", None),
    ]
    assert read.trust == "human-reviewed"
    modified = datetime(2026, 1, 1, tzinfo=UTC)
    assert read.sources == (Source("/a.md", "s", "T", "team:x", 5, modified), Source("plain.md"))


def test_a_concept_with_nothing_has_the_defaults_of_the_specification() -> None:
    assert concept("type: T") == Concept("dir/Some Note.md", "T", "Some Note")


def test_a_note_without_frontmatter_is_named_after_its_file() -> None:
    assert concept_of(read_document("a/v1.2.md", b"x")).title == "v1.2"


@pytest.mark.parametrize(
    ("verified", "tier"),
    [
        ("{ by: 'human:ada', at: 2026-06-25T09:00:00Z }", "human-reviewed"),
        ("[{ by: process:x }, { by: human:ada }]", "human-reviewed"),
        ("[{ by: process:x }]", "machine-confirmed"),
        ("[{ by: agent/1 }]", "machine-confirmed"),
        ("[{ by: 'human:' }]", "machine-confirmed"),
        ("[{ by: 'human:  ' }]", "machine-confirmed"),
        ("[{ by: 'Human:ada' }]", "machine-confirmed"),
        ("[{ by: human }]", "machine-confirmed"),
        ("[]", "unverified"),
        ("true", "unverified"),
        ("human:ada", "unverified"),
        ("[{ at: 2026-06-25T09:00:00Z }]", "unverified"),
    ],
)
def test_trust_is_lifted_only_by_whom_the_specification_names(verified: str, tier: str) -> None:
    assert concept(f"type: T\nverified: {verified}").trust == tier


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("human:ada", "human"),
        ("human:", "unknown"),
        ("process:x", "process"),
        ("process:", "unknown"),
        ("agent/1.0", "agent"),
        ("ada", "unknown"),
        ("/x", "unknown"),
    ],
)
def test_an_actor_is_of_one_of_three_kinds_or_unknown(text: str, kind: str) -> None:
    actor = actor_of(text)
    assert actor and actor.kind == kind


def test_nobody_is_no_actor() -> None:
    assert actor_of(" ") is actor_of(None) is actor_of(["human:x"]) is None


def test_a_first_version_document_is_read_by_the_fallbacks() -> None:
    read = concept(
        "type: T\ntimestamp: '2026-05-28T22:53:05+00:00'",
        "# Citations\n- https://a.b/c\n- [Title](https://x.y/(z))\n1. <https://u.v>\n[4] Some book\n# Other\n- https://no\n",
    )
    assert read.generated_at == datetime(2026, 5, 28, 22, 53, 5, tzinfo=UTC)
    assert [(source.resource, source.title) for source in read.sources] == [
        ("https://a.b/c", ""),
        ("https://x.y/(z)", "Title"),
        ("https://u.v", ""),
        ("Some book", ""),
    ]


def test_new_fields_win_over_those_of_the_first_version() -> None:
    read = concept(
        "type: T\ntimestamp: 2020-01-01T00:00:00Z\n"
        "generated: {by: a/1, at: 2026-01-01T00:00:00Z}\n"
        "sources: [{resource: r.md}]",
        "# Citations\n- https://a.b\n",
    )
    assert read.generated_at == datetime(2026, 1, 1, tzinfo=UTC)
    assert read.sources == (Source("r.md"),)


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("2026-09-23T00:00:00Z", "instant", "2026-09-23T00:00:00Z"),
        ("2026-09-23t00:00:00z", "instant", "2026-09-23T00:00:00Z"),
        ("2026-09-23 00:00Z", "instant", "2026-09-23T00:00:00Z"),
        ("2026-09-24T00:30:00+02:00", "instant", "2026-09-23T22:30:00Z"),
        ("2026-09-24T00:30:00+0200", "instant", "2026-09-23T22:30:00Z"),
        ("2026-09-24T00:30:00 +02", "instant", "2026-09-23T22:30:00Z"),
        ("2026-09-23T00:00:00.123456789Z", "instant", "2026-09-23T00:00:00Z"),
        ("2026-09-23", "date", "2026-09-23T00:00:00Z"),
        ("2026-09-23T12:00:00", "naive", None),
        ("2026-13-45", "junk", None),
        ("2026-9-3", "junk", None),
        ("2026-09-23T25:00:00Z", "junk", None),
        ("0001-01-01T00:00:00+14:00", "junk", None),
        ("soon", "junk", None),
        (5, "junk", None),
        (["2026-09-23"], "junk", None),
        ("", "absent", None),
        (None, "absent", None),
    ],
)
def test_an_instant_is_read_by_its_value_alone(text: object, kind: str, value: str | None) -> None:
    read = instant(text)
    assert (read.kind, read.value and format_instant(read.value)) == (kind, value)


def test_a_concept_is_stale_on_and_after_its_instant() -> None:
    moment = datetime(2026, 9, 23, tzinfo=UTC)
    assert is_stale(moment, moment)
    assert not is_stale(moment, datetime(2026, 9, 22, 23, 59, 59, tzinfo=UTC))
    assert not is_stale(None, moment)
