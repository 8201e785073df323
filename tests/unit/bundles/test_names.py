"""Ids of bundles, and names that one person or system takes for another."""

from __future__ import annotations

import pytest

from okf_edge.bundles.names import collisions, confusable_key, derive_bundle_id, problems_of_bundle_id


@pytest.mark.parametrize("good", ["acme.handbook", "a.b", "acme.field-notes.v2", "0x.y"])
def test_an_id_of_two_lower_case_segments_is_taken(good):
    assert problems_of_bundle_id(good) == ()


@pytest.mark.parametrize(
    "bad",
    ["", "acme", "Acme.x", "acme..x", ".acme.x", "acme.x.", "ünï.x", "a b.c", "../x.y", "a/b.c", "con.x", "a.nul",
     "a_b.c", "-a.b", "a-.b", "а.b", "x" * 60 + "." + "y" * 60, "a.b\n", "__proto__.x"],
)  # fmt: skip
def test_any_other_id_is_refused(bad):
    assert problems_of_bundle_id(bad)


def test_titles_of_any_script_give_valid_ids_that_differ():
    titles = [
        "缓存策略",
        "缓存战略",
        "キャッシュ",
        "Кэш",
        "캐시",
        "مخبأ",
        "Größe",
        "Grosse",
        "Notes",
        "!!!",
        "???",
        "con",
    ]
    ids = [derive_bundle_id("ada", title) for title in [*titles, "x" * 200, "x" * 201]]
    assert [problem for each in ids for problem in problems_of_bundle_id(each)] == []
    assert len(set(ids)) == len(ids)
    assert derive_bundle_id("Ada", "Field Notes") == "ada.field-notes"


@pytest.mark.parametrize(
    ("one", "other"),
    [("acme.tools", "acme.to0ls"), ("acme.bill", "acme.bi1l"), ("acme.modern", "acme.modem"), ("acme.a-b", "acme.ab")],
)
def test_ids_that_a_reader_takes_for_one_another_share_a_key(one, other):
    assert confusable_key(one) == confusable_key(other)


def test_ids_that_differ_visibly_have_different_keys():
    assert confusable_key("acme.handbook") != confusable_key("acme.notebook")


def test_every_member_of_a_collision_is_told_once_with_its_partner():
    found = collisions(["Note.md", "note.md", "NOTE.md", "other.md"])
    assert [(problem.path, "Note.md" in problem.message) for problem in found] == [("note.md", True), ("NOTE.md", True)]
