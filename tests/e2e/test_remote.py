"""The client of a service: names and tokens, publishing, installing, asking from afar, and what operators are told."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from okf_edge.retrieval.answer import Answer, Candidate, Coverage, to_json
from tests.e2e.conftest import Run
from tests.service_stand_in import TOKEN, StandIn, made_feed, made_key, standing_in

PAGE = "---\ntype: Note\ntitle: Tides\ndescription: d\n---\n\nThe harbour floods at spring tide.\n"
CANDIDATE = Candidate(
    "Library/ada.harbour/tides.md", "Tides", "Tides", (7, 7), "The harbour floods at spring tide.", 0.9, 0.8, "bundle",
    "ada", "ada.harbour", "1.0.0", "okf://ada/tides", "unverified", True, ("all words",),
)  # fmt: skip
ANSWER = Answer("ok", "all words match", ("tide",), (CANDIDATE,), (), Coverage(1, 1, 0, "hybrid"), {"total": 1.0})


@pytest.fixture
def service(home: Path, tmp_path: Path) -> Iterator[StandIn]:
    """A feed, behind a service that has its online keys; ada may publish with the key of her machine."""
    public_key = made_key(tmp_path / "away")
    root = made_feed(tmp_path / "shelf", {"ada": public_key})
    (tmp_path / "source").mkdir()
    (tmp_path / "base").mkdir()
    (tmp_path / "source/tides.md").write_text(PAGE)
    with standing_in(tmp_path / "shelf", root) as service:
        service.answer = to_json(ANSWER)
        yield service


@pytest.fixture
def away(tmp_path: Path) -> dict[str, str]:
    """Another person's machine, and the token that it was given."""
    return {"OKF_HOME": str(tmp_path / "away"), "TOKEN_OF_ADA": TOKEN, "no_proxy": "127.0.0.1,localhost"}


def add(okf: Run, service: StandIn, away: dict[str, str], *more: str):
    return okf("remote", "add", service.url, "--name", "lab", "--token-env", "TOKEN_OF_ADA", *more, env=away)


def publish(okf: Run, service: StandIn, away: dict[str, str], version: str, *more: str):
    return okf(
        "publish", "source", "--to", service.url, "--id", "ada.harbour", "--version", version, "--json", *more, env=away
    )


def test_a_token_is_kept_for_its_owner_only_and_shown_nowhere(okf, service, away, tmp_path):
    added, listed = add(okf, service, away), okf("remote", "list", env=away)
    kept = tmp_path / "away/config/remote-tokens/lab"
    assert (added.code, listed.code) == (0, 0)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    assert TOKEN not in added.out + added.err + listed.out + listed.err
    assert "with a token" in listed.out
    files = [path for path in (tmp_path / "away").rglob("*") if path.is_file()]
    holding = [path for path in files if TOKEN.encode() in path.read_bytes()]
    assert holding == [kept]


@pytest.mark.parametrize("how", ["file", "standard input"])
def test_a_token_comes_from_a_file_or_from_standard_input(okf, service, away, tmp_path, how):
    (tmp_path / "given").write_text(f"{TOKEN}\n")
    if how == "file":
        done = okf("remote", "add", service.url, "--token-file", "given", "--json", env=away)
    else:
        done = okf("remote", "add", service.url, "--token-file", "-", "--json", env=away, stdin=TOKEN)
    assert done.json == {"name": "127", "url": service.url, "token": True, "root": service.root, "problem": ""}


def test_a_token_that_the_service_does_not_take_is_not_kept(okf, service, away, tmp_path):
    refused = add(okf, service, {**away, "TOKEN_OF_ADA": "okf_another-token-of-somebody"}, "--json")
    assert (refused.code, refused.error["code"]) == (3, "unauthenticated")
    assert not (tmp_path / "away/config/remotes.json").exists()
    assert not (tmp_path / "away/config/remote-tokens").exists()


def test_a_token_that_others_can_read_is_refused_until_its_mode_is_right(okf, service, away, tmp_path):
    add(okf, service, away)
    (tmp_path / "away/config/remote-tokens/lab").chmod(0o644)
    refused = okf("query", "tide", "--remote", "lab", "--json", env=away)
    assert refused.error["code"] == "token-exposed"
    assert TOKEN not in refused.err


@pytest.mark.parametrize(
    "url",
    ["http://example.org", "https://user:secret@example.org", "ftp://example.org", "https://x/?token=secret", "x"],
)
def test_an_address_that_a_token_must_not_be_sent_to_is_refused(okf, service, away, url):
    refused = okf("remote", "add", url, "--token-env", "TOKEN_OF_ADA", "--json", env=away)
    assert (refused.code, refused.error["code"]) == (2, "bad-url")
    assert "secret" not in refused.err


def test_a_name_stands_for_one_address_until_it_is_removed(okf, service, away, tmp_path):
    add(okf, service, away)
    with standing_in(tmp_path / "other") as other:
        taken = add(okf, other, away, "--json")
        assert (taken.code, taken.error["code"]) == (2, "remote-elsewhere")
        assert okf("remote", "remove", "lab", "--json", env=away).json == {"name": "lab", "url": service.url}
        assert not (tmp_path / "away/config/remote-tokens/lab").exists()
        assert add(okf, other, away).code == 0
    assert okf("query", "x", "--remote", "gone", "--json", env=away).error["code"] == "no-remote"


def test_a_release_is_signed_here_uploaded_and_in_force_when_the_command_ends(okf, service, away, tmp_path):
    add(okf, service, away)
    done = publish(okf, service, away, "1.0.0").json
    assert (done["outcome"], done["id"], done["root"]) == ("done", "ada.harbour", service.root)
    keys = {path.name for path in (tmp_path / "away/config/keys").iterdir()}
    assert len(keys) == 1, "the publisher has no key but their own"
    assert okf("feed", "status", "shelf", "--json", env=away).json["releases"] == 1
    assert publish(okf, service, away, "1.0.0").json["outcome"] == "unchanged"


def test_a_token_goes_to_its_service_and_not_to_where_that_sends_the_archive(okf, service, away, tmp_path):
    add(okf, service, away)
    publish(okf, service, away, "1.0.0")
    okf("init", "base", env=away)
    okf("install", "ada.harbour", "--feed", service.url, "--dir", "base", env=away)
    elsewhere = [has_token for _, path, has_token in service.asked if path.startswith("/s3/")]
    assert len(elsewhere) == 2 and not any(elsewhere)


def test_a_bundle_installs_from_the_url_of_a_service_and_is_updated_from_there(okf, service, away, tmp_path):
    add(okf, service, away)
    publish(okf, service, away, "1.0.0")
    okf("init", "base", env=away)
    done = okf("install", "ada.harbour", "--feed", service.url, "--dir", "base", "--json", env=away).json
    assert (done["bundle"]["version"], done["bundle"]["signer"]) == ("1.0.0", "ada")
    assert "root was taken as found" in done["notes"][-1]
    (tmp_path / "source/tides.md").write_text(PAGE.replace("floods", "empties"))
    publish(okf, service, away, "1.1.0")
    assert (
        okf("update", "--all", "--dir", "base", "--json", env=away).json["updated"][0]["bundle"]["version"] == "1.1.0"
    )
    again = okf("install", "ada.harbour", "--feed", service.url, "--dir", "base", "--json", env=away).json
    assert (again["outcome"], again["notes"]) == ("unchanged", [])


def test_without_a_token_the_hint_says_how_to_give_one(okf, service, away, tmp_path):
    refused = publish(okf, service, away, "1.0.0")
    assert refused.error["code"] == "unauthenticated"
    assert "okf remote add" in refused.error["hint"]


def test_a_dry_run_sends_nothing(okf, service, away, tmp_path):
    add(okf, service, away)
    done = publish(okf, service, away, "1.0.0", "--dry-run").json
    assert done["dry_run"] and done["written"]
    assert {method for method, _, _ in service.asked} == {"GET"}


def test_a_creator_withdraws_through_the_service_and_signs_the_list_anew(okf, service, away, tmp_path):
    add(okf, service, away)
    publish(okf, service, away, "1.0.0")
    done = okf("yank", "ada.harbour", "1.0.0", "--reason", "r", "--from", service.url, "--json", env=away).json
    assert done["outcome"] == "done"
    assert ("POST", "/v1/releases", True) in service.asked
    refused = okf("install", "ada.harbour", "--feed", service.url, "--dir", tmp_path, "--json", env=away)
    assert refused.error["code"] == "yanked"
    assert okf("feed", "refresh", service.url, "--json", env=away).json["outcome"] == "unchanged"


def test_a_question_to_a_service_prints_the_same_answer(okf, service, away):
    add(okf, service, away)
    asked = okf(
        "query", "when", "does", "it", "flood", "--remote", "lab", "--kb", "ada", "--tag", "sea", "-k", "3", "--json",
        env=away,
    )  # fmt: skip
    assert asked.json == to_json(ANSWER)
    assert service.bodies[-1] == {
        "question": "when does it flood", "kb": "ada", "k": 3, "types": [], "tags": ["sea"], "paths": [],
        "means": "hybrid", "explain": False,
    }  # fmt: skip
    shown = okf("query", "flood", "--remote", "lab", env=away).out
    assert "spring tide" in shown and "ada.harbour@1.0.0" in shown


def test_a_service_can_write_no_control_characters_to_a_terminal(okf, service, away):
    add(okf, service, away)
    service.answer = to_json(
        replace(ANSWER, reason="\x1b]0;owned\x07", candidates=(replace(CANDIDATE, text="\x1b[2J"),))
    )
    assert "\x1b" not in okf("query", "flood", "--remote", "lab", env=away).out


def test_a_service_takes_no_folder_and_no_model(okf, service, away, tmp_path):
    add(okf, service, away)
    refused = okf("query", "flood", "--remote", "lab", "--dir", tmp_path, "--json", env=away)
    assert (refused.code, refused.error["code"]) == (2, "usage")


def test_an_operator_is_told_what_is_wrong_and_a_script_sees_it_by_the_exit_code(okf, service, away):
    add(okf, service, away)
    assert publish(okf, service, away, "1.0.0").code == 0
    shown = okf("remote", "deploy-check", "lab", env=away)
    assert shown.code == 0 and "verified from its root on; published: ada" in shown.out
    service.faults["GET /health"] = lambda: (403, {"Message": "Forbidden"})
    told = okf("remote", "deploy-check", service.url, "--json", env=away)
    assert (told.code, told.json["ok"]) == (1, False)
    assert "lambda:InvokeFunctionUrl" in told.json["checks"][0]["fix"]
