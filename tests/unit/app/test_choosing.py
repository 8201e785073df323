"""Which releases are taken: ranges, needs in their order, what was withdrawn, and ids that look alike."""

from __future__ import annotations

import pytest

from feed_kit import release
from okf_edge.app.choosing import choose, newer, require_distinct
from okf_edge.errors import BundleError, InputError, NotFoundError, TooLargeError


def offers(*lines: str, **more):
    """Releases of lines such as `ada.x 1.0.0 needs ada.y@^1`."""
    made = []
    for line in lines:
        about, _, needs = line.partition(" needs ")
        bundle_id, version = about.split()
        pairs = tuple((each.partition("@")[0], each.partition("@")[2]) for each in needs.split())
        made.append(release(bundle_id, version, dependencies=pairs, **more))
    return made


def chosen(wanted: dict[str, str], releases, installed: dict[str, str] | None = None) -> list[str]:
    return [f"{each.id}@{each.version}" for each in choose(wanted, releases, installed or {})]


def test_the_newest_version_within_the_range_is_taken():
    found = offers("ada.x 1.0.0", "ada.x 1.10.0", "ada.x 1.9.0", "ada.x 2.0.0", "ada.x 2.1.0-rc.1")
    assert chosen({"ada.x": "^1"}, found) == ["ada.x@1.10.0"]
    assert chosen({"ada.x": ""}, found) == ["ada.x@2.0.0"]


def test_what_is_needed_comes_first_however_deep():
    found = offers(
        "ada.a 1.0.0 needs ada.b ada.c@^1", "ada.b 1.0.0 needs ada.c", "ada.c 1.0.0 needs ada.d", "ada.d 1.0.0"
    )
    assert chosen({"ada.a": ""}, found) == ["ada.d@1.0.0", "ada.c@1.0.0", "ada.b@1.0.0", "ada.a@1.0.0"]


def test_two_who_need_one_bundle_share_a_version_that_both_take():
    found = offers(
        "ada.a 1.0.0 needs ada.b ada.c@>=1.1", "ada.b 1.0.0 needs ada.c@<1.3", *(f"ada.c 1.{n}.0" for n in range(5))
    )
    assert chosen({"ada.a": ""}, found)[0] == "ada.c@1.2.0"


def test_needs_that_exclude_each_other_are_told_with_who_asks():
    found = offers("ada.a 1.0.0 needs ada.b ada.c@^2", "ada.b 1.0.0 needs ada.c@^1", "ada.c 1.0.0", "ada.c 2.0.0")
    with pytest.raises(NotFoundError) as caught:
        choose({"ada.a": ""}, found, {})
    assert caught.value.code == "no-release"
    assert "ada.a" in caught.value.message and "ada.b" in caught.value.message


def test_what_is_installed_and_serves_is_left_alone():
    found = offers("ada.a 1.0.0 needs ada.b@^1", "ada.b 1.5.0")
    assert chosen({"ada.a": ""}, found, {"ada.b": "1.2.0"}) == ["ada.a@1.0.0"]
    assert chosen({"ada.a": ""}, found, {"ada.b": "0.9.0"}) == ["ada.b@1.5.0", "ada.a@1.0.0"]


def test_bundles_that_need_each_other_are_both_taken_once():
    found = offers("ada.a 1.0.0 needs ada.b", "ada.b 1.0.0 needs ada.a")
    assert sorted(chosen({"ada.a": ""}, found)) == ["ada.a@1.0.0", "ada.b@1.0.0"]


def test_a_need_that_a_newer_choice_drops_is_not_installed():
    found = offers(
        "ada.a 1.0.0 needs ada.b@^1 ada.c@<2", "ada.b 1.0.0 needs ada.c", "ada.c 1.0.0", "ada.c 2.0.0 needs ada.z"
    )
    assert sorted(chosen({"ada.a": ""}, found)) == ["ada.a@1.0.0", "ada.b@1.0.0", "ada.c@1.0.0"]


def test_what_was_withdrawn_is_never_chosen_and_its_reason_is_told():
    found = [*offers("ada.x 1.1.0", yanked="wrong numbers"), *offers("ada.x 1.0.0")]
    assert chosen({"ada.x": ""}, found) == ["ada.x@1.0.0"]
    with pytest.raises(BundleError) as caught:
        choose({"ada.x": "1.1.0"}, found, {})
    assert (caught.value.code, "wrong numbers" in caught.value.message) == ("yanked", True)


def test_an_unknown_id_names_similar_ones():
    with pytest.raises(NotFoundError) as caught:
        choose({"ada.harbor": ""}, offers("ada.harbour 1.0.0"), {})
    assert "ada.harbour" in caught.value.hint


def test_needs_without_end_are_refused():
    chain = [line for n in range(1_000) for line in offers(f"ada.n{n} 1.0.0 needs ada.n{n + 1}")]
    with pytest.raises(TooLargeError):
        choose({"ada.n0": ""}, chain, {})


def test_only_what_is_newer_stable_and_not_withdrawn_is_offered():
    assert newer("1.0.0", offers("ada.x 1.0.0", "ada.x 0.9.0")) is None
    assert newer("1.0.0", offers("ada.x 2.0.0-rc.1")) is None
    assert newer("1.0.0", [*offers("ada.x 1.2.0", yanked="no"), *offers("ada.x 1.1.0")]).version == "1.1.0"


@pytest.mark.parametrize(("one", "other"), [("ada.x1", "ada.xl"), ("ada.rn", "ada.m"), ("ada.a-b", "ada.ab")])
def test_an_id_that_is_taken_for_another_is_refused(one: str, other: str):
    with pytest.raises(InputError) as caught:
        require_distinct(one, [other])
    assert caught.value.code == "confusable-id"
    require_distinct(one, [one, "ada.other"])
