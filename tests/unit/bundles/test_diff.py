"""What changed between two versions is told concept by concept."""

from __future__ import annotations

from okf_edge.bundles.diff import Change, FieldChange, changes_between

PAGE = b"---\ntype: Note\ntitle: Tides\nstatus: draft\n---\n\n# High\n\nAt noon.\n\n# Low\n\nAt six.\n"


def test_equal_versions_differ_in_nothing() -> None:
    assert changes_between({"a.md": PAGE}, {"a.md": PAGE}) == ()


def test_what_is_derived_from_the_content_is_not_compared() -> None:
    old = {"a.md": PAGE, "index.md": b"1", "log.md": b"1", "okf-bundle.json": b"1", "okf-index.duckdb": b"1"}
    assert changes_between(old, {"a.md": PAGE, "index.md": b"2", "log.md": b"2"}) == ()


def test_a_changed_page_tells_fields_sections_and_lines() -> None:
    new = PAGE.replace(b"status: draft", b"tags: [sea]").replace(b"At six.", b"At seven.\nOr eight.")
    assert changes_between({"a.md": PAGE}, {"a.md": new}) == (
        Change(
            "a.md",
            "changed",
            "Tides",
            fields=(FieldChange("status", "draft", None), FieldChange("tags", None, ["sea"])),
            sections=("Low",),
            added_lines=2,
            removed_lines=1,
        ),
    )


def test_a_page_under_a_new_path_is_renamed_and_not_lost() -> None:
    assert changes_between({"a.md": PAGE, "c.md": b"c"}, {"b.md": PAGE, "d.md": b"d"}) == (
        Change("b.md", "renamed", "Tides", "a.md"),
        Change("c.md", "removed", "c"),
        Change("d.md", "added", "d"),
    )


def test_one_page_that_was_copied_is_renamed_once() -> None:
    found = changes_between({"a.md": PAGE}, {"b.md": PAGE, "c.md": PAGE})
    assert [(each.path, each.kind) for each in found] == [("b.md", "renamed"), ("c.md", "added")]


def test_an_attachment_that_changed_is_told_by_its_path() -> None:
    assert changes_between({"x.png": b"1"}, {"x.png": b"2"}) == (Change("x.png", "changed"),)
