"""`okf review` and `okf export --reviewed`, as a person and as a script use them."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import zipfile

import pytest

from tests.e2e.conftest import OKF, snapshot

ID = "ada.weir"


@pytest.fixture
def base(tmp_path):
    folder = tmp_path / "base"
    for path, text in {
        "concepts/weir.md": "---\ntype: Concept\nsources: ['[[Log]]']\n---\n\nSee [[Owner]] and [[gate]].\n",
        "concepts/gate.md": "---\ntype: Concept\ntitle: Gate\n---\n\nThe gate opens at dawn.\n",
        "Notes/Log.md": "The meadow was flooded in March.\n",
        "People/Owner.md": "---\ntype: Person\n---\n\nPays late.\n",
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def test_a_script_lists_decides_and_exports(okf, base, tmp_path):
    listed = okf("review", "weir", "--id", ID, "--dir", base, "--list", "--json")
    assert listed.code == 1
    assert {item["id"]: item["kind"] for item in listed.json["items"]} == {
        "Notes/Log.md": "source",
        "People/Owner.md": "concept",
        "concepts/gate.md": "concept",
        "concepts/weir.md": "concept",
    }
    refused = okf("export", base, "--reviewed", "--id", ID, "--version", "1.0.0", "--out", tmp_path / "b.zip", "--json")
    assert (refused.code, refused.error["code"]) == (2, "no-review")
    decisions = ["--approve", "concepts/weir.md", "--approve", "concepts/gate.md", "--flag", "People/Owner.md"]
    some = okf("review", "weir", "--id", ID, "--dir", base, *decisions, "--reviewer", "ada", "--json")
    assert (some.code, some.json["counts"]) == (1, {"approved": 2, "unreviewed": 1, "flagged": 1})
    before = snapshot(base)
    refused = okf("export", base, "--reviewed", "--id", ID, "--version", "1.0.0", "--out", tmp_path / "b.zip", "--json")
    assert (refused.code, refused.error["code"]) == (1, "review-required")
    assert refused.error["issues"] == ["Notes/Log.md: unreviewed"]
    assert snapshot(base) == before
    assert not (tmp_path / "b.zip").exists()
    rest = okf("review", "--id", ID, "--dir", base, "--approve", "Notes/Log.md", "--reviewer", "ada")
    assert rest.code == 0, rest.out + rest.err
    done = okf("export", base, "--reviewed", "--id", ID, "--version", "1.0.0", "--out", tmp_path / "b.zip", "--json")
    assert done.code == 0, done.err
    with zipfile.ZipFile(tmp_path / "b.zip") as packed:
        assert all(b"Owner" not in packed.read(name) and "Owner" not in name for name in packed.namelist())
    assert okf("install", tmp_path / "b.zip", "--dir", tmp_path / "home").code in (0, 2)
    assert json.loads((base / f".okf/reviews/{ID}.json").read_text())["releases"][0]["version"] == "1.0.0"


def test_a_decision_needs_a_reviewer(okf, base):
    done = okf("review", "weir", "--id", ID, "--dir", base, "--approve", "concepts/weir.md", "--json")
    assert (done.code, done.error["code"]) == (2, "bad-decision")


def test_the_environment_may_say_who_reviews(okf, base):
    done = okf(
        "review", "weir", "--id", ID, "--dir", base, "--flag", "Notes/Log.md", "--json", env={"OKF_REVIEWER": "ada"}
    )
    reviewed = [each["reviewer"] for each in done.json["items"] if each["status"] == "flagged"]
    assert reviewed == ["ada"]


def test_there_is_no_way_to_approve_all(okf, base):
    for attempt in (
        ["--approve-all"],
        ["--approve", "*", "--reviewer", "ada"],
        ["--approve", "concepts/", "--reviewer", "a"],
    ):
        assert okf("review", "weir", "--id", ID, "--dir", base, *attempt).code == 2


def test_an_approved_item_with_a_risk_that_nobody_accepted_is_told_and_asked_again(okf, base, environment):
    (base / "concepts/gate.md").write_text("---\ntype: Concept\n---\n\nAsk ada.lovelace@weirworks.org.\n")
    decide = ["--id", ID, "--dir", base, "--reviewer", "ada"]
    some = ["--approve", "concepts/weir.md", "--approve", "concepts/gate.md", "--approve", "Notes/Log.md"]
    told = okf("review", "weir", *decide, *some, "--flag", "People/Owner.md")
    assert told.code == 1
    assert "1 blocking risks of approved items are not accepted" in told.out
    (step,) = [line for line in told.out.splitlines() if line.startswith("  next: ")]
    assert "--accept" in step
    assert "okf publish" not in step
    main, side = pty.openpty()
    process = subprocess.Popen(
        [OKF, "review", *decide], stdin=side, stdout=side, stderr=side, env={**environment, "TERM": "xterm"},
        close_fds=True,
    )  # fmt: skip
    os.close(side)
    os.write(main, b"a\nshe agreed\n")
    try:
        while os.read(main, 65536):
            pass
    except OSError:  # the terminal is gone when the process is
        pass
    os.close(main)
    assert process.wait(60) == 0
    done = okf("review", *decide[:4], "--list")
    assert done.code == 0
    assert "accepted: she agreed" in done.out
    assert "next: okf publish" in done.out


def test_at_a_terminal_each_item_is_shown_with_its_text_and_decided_alone(environment, base):
    main, side = pty.openpty()
    process = subprocess.Popen(
        [OKF, "review", "weir", "--id", ID, "--dir", base, "--reviewer", "ada"],
        stdin=side, stdout=side, stderr=side, env={**environment, "TERM": "xterm"}, close_fds=True,
    )  # fmt: skip
    os.close(side)
    os.write(main, b"a\nf\na\nq\n")
    shown = b""
    try:
        while part := os.read(main, 65536):
            shown += part
    except OSError:  # the terminal is gone when the process is
        pass
    os.close(main)
    assert process.wait(60) == 1
    assert b"The meadow was flooded in March." in shown
    assert b"cited by concepts/weir.md" in shown
    items = json.loads((base / f".okf/reviews/{ID}.json").read_text())["items"]
    assert {path: item["status"] for path, item in items.items()} == {
        "Notes/Log.md": "approved",
        "People/Owner.md": "flagged",
        "concepts/gate.md": "approved",
    }
