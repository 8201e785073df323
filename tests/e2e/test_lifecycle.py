"""A base that is kept: set up, filled, compiled, changed, mended, asked beside others, as people run it."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import time
from importlib.resources import files

import jsonschema
import pytest

from e2e.conftest import OKF, snapshot

PAGE = "---\ntype: Concept\ndescription: When pears ripen.\nsources: [/Notes/pears.md]\n---\n\n# Pears\n\nIn October.\n"
GONE = "---\ntype: Concept\ndescription: d\nsources: [/Notes/gone.md]\n---\n\n# Lost\n\n[x](nowhere.md)\n"


def schema_of(name):
    return json.loads((files("okf_edge") / "schemas" / f"{name}.schema.json").read_text("utf-8"))


@pytest.fixture
def base(okf, tmp_path):
    """A base with a note, a page compiled from it, and a sync that recorded this."""
    folder = tmp_path / "lab"
    (folder / "Notes").mkdir(parents=True)
    okf("init", folder, "--name", "Lab", "--agent", "claude-code")
    (folder / "Notes/pears.md").write_text("# Pears\n\nThey ripen in October.\n")
    (folder / "concepts/pears.md").write_text(PAGE)
    assert okf("sync", "--dir", folder).code == 0
    return folder


def test_a_changed_note_makes_the_page_stale_whatever_clone_did_to_the_times(okf, base, tmp_path):
    (base / "Notes/pears.md").write_text("# Pears\n\nThey ripen in September.\n")
    copy = tmp_path / "clone"
    subprocess.run(["cp", "-r", base, copy], check=True)
    for path in copy.rglob("*.md"):
        os.utime(path, (1_000_000, 1_000_000 + hash(path.name) % 1000))
    for folder in (base, copy):
        report = okf("stale", "--dir", folder, "--json").json
        jsonschema.validate(report, schema_of("stale"))
        [page] = report["stale"]
        assert (page["path"], page["changed"][0]["evidence"]) == ("concepts/pears.md", "hash")


def test_a_clone_of_an_unchanged_base_has_nothing_stale(okf, base, tmp_path):
    copy = tmp_path / "clone"
    subprocess.run(["cp", "-r", base, copy], check=True)
    for number, path in enumerate(sorted(copy.rglob("*.md"))):
        os.utime(path, (2_000_000_000 - number * 86_400, 2_000_000_000 - number * 86_400))
    assert okf("stale", "--dir", copy, "--json").json["stale"] == []


def test_sync_twice_writes_nothing_the_second_time(okf, base):
    before = snapshot(base)
    times = {path: path.stat().st_mtime_ns for path in base.rglob("*") if path.is_file()}
    done = okf("sync", "--dir", base, "--json")
    jsonschema.validate(done.json, schema_of("sync"))
    assert done.json["written"] == []
    assert snapshot(base) == before
    assert {path: path.stat().st_mtime_ns for path in base.rglob("*") if path.is_file()} == times


def test_health_exits_by_its_score_and_fix_mends_what_is_safe(okf, base):
    assert okf("health", "--dir", base, "--passes", "100").code in (0, 1)
    (base / "SCHEMA.md").unlink()
    (base / "queries/q.md").write_text("---\ntitle: Q\n---\n\n# Q\n")
    worse = okf("health", "--dir", base, "--passes", "100", "--json")
    jsonschema.validate(worse.json, schema_of("health"))
    assert (worse.code, worse.json["healthy"]) == (1, False)
    mended = okf("health", "--dir", base, "--fix", "--passes", "0", "--json")
    assert mended.code == 0
    assert {"SCHEMA.md", "queries/q.md"} <= set(mended.json["mended"])
    assert (base / "queries/q.md").read_text() == "---\ntitle: Q\ntype: Query\n---\n\n# Q\n"
    assert mended.json["score"] > worse.json["score"]


def test_what_is_broken_is_named_with_its_place(okf, base):
    (base / "concepts/lost.md").write_text(GONE)
    shown = okf("health", "--dir", base).out
    assert "concepts/lost.md:9 `nowhere.md` leads nowhere" in shown
    assert "concepts/lost.md:4 `/Notes/gone.md` is cited and is not there" in shown
    assert "concepts/lost.md:4 cites /Notes/gone.md" in okf("stale", "--dir", base).out


def test_the_map_tells_what_there_is(okf, base):
    found = okf("map", "--dir", base, "--json").json
    jsonschema.validate(found, schema_of("map"))
    assert [(group["folder"], [page["title"] for page in group["pages"]]) for group in found["groups"]] == [
        ("concepts", ["pears"])
    ]
    assert found["name"] == "Lab"


def test_capture_takes_an_argument_or_what_is_piped_and_never_overwrites(okf, base, environment):
    first = okf("capture", "a thought", "--dir", base, "--json").json
    jsonschema.validate(first, schema_of("capture"))
    piped = subprocess.run(
        [OKF, "capture", "--title", "Piped: it", "--dir", base],
        input="text\r\nof a pipe \xff".encode("latin-1"),
        env=environment,
        capture_output=True,
        check=True,
    )
    assert b"inbox/" in piped.stdout
    assert len(list((base / "inbox").glob("*.md"))) == 2
    assert okf("capture", "", "--dir", base).code == 2


def test_a_symlinked_inbox_is_refused_and_nothing_is_written_through_it(okf, base, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (base / "inbox").symlink_to(outside)
    assert okf("capture", "x", "--dir", base).code == 2
    assert list(outside.iterdir()) == []


def test_names_stand_for_folders_on_every_command(okf, base, tmp_path):
    assert okf("kb", "add", "lab", base).code == 0
    listed = okf("kb", "list", "--json").json
    jsonschema.validate(listed, schema_of("kb-list"))
    assert listed == {"bases": [{"name": "lab", "path": str(base), "state": "ok"}]}
    for command in (["stale"], ["health"], ["map"], ["sync"], ["list"], ["index", "status"], ["validate"]):
        assert okf(*command, "--kb", "lab").code in (0, 1)
    assert okf("read", "concepts/pears.md", "--kb", "lab").out == PAGE
    other = okf("stale", "--kb", "lob", "--json")
    assert (other.code, "lab" in other.error["hint"]) == (2, True)
    assert okf("stale", "--kb", "lab", "--dir", tmp_path).code == 2
    assert okf("stale", "--kb", "*").code == 2
    elsewhere = okf("kb", "add", "lab", tmp_path, "--json")
    assert (elsewhere.code, elsewhere.error["code"]) == (2, "base-elsewhere")
    assert okf("kb", "remove", "lab").code == 0
    assert okf("kb", "list", "--json").json == {"bases": []}
    assert (base / "concepts/pears.md").exists()


def test_a_name_alone_means_the_folder_of_that_name_here_or_here(okf, tmp_path):
    (tmp_path / "notes/notes").mkdir(parents=True)
    (tmp_path / "set-up/set-up").mkdir(parents=True)
    assert okf("init", "set-up").code == 0

    def added(name, here=tmp_path):
        return okf("kb", "add", name, "--force", "--json", cwd=here).json["path"]

    assert added("notes") == str(tmp_path / "notes")
    assert added("work") == str(tmp_path)
    assert added("set-up", tmp_path / "set-up") == str(tmp_path / "set-up")
    as_path = okf("kb", "add", "./notes", "--json").error
    assert (as_path["code"], "okf kb add notes ./notes" in as_path["hint"]) == ("bad-name", True)


def test_all_bases_answer_at_once_and_those_that_cannot_are_named(okf, base, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "bees.md").write_text("# Hives\n\nSix hives stand behind the barn.\n")
    okf("init", other)
    plain = tmp_path / "plain"
    plain.mkdir()
    for name, folder in (("lab", base), ("bees", other), ("plain", plain)):
        okf("kb", "add", name, folder)
    answer = okf("query", "how many hives behind the barn", "--kb", "*", "--json").json
    jsonschema.validate(answer, schema_of("answer"))
    assert [(each["kb"], each["path"]) for each in answer["candidates"]][:1] == [("bees", "bees.md")]
    assert "plain is not set up" in answer["coverage"]["note"]
    assert "bees: bees.md" in okf("query", "hives behind the barn", "--kb", "*").out


def test_a_corrupt_registry_stops_what_needs_it_and_is_left_as_it_is(okf, base, home):
    place = home / ".config/okf/registry.json"
    okf("kb", "add", "lab", base)
    place.write_text('{"format": 1, "bases": {"Bad Name": {"path": "/x"}}}')
    before = place.read_bytes()
    for command in (["kb", "list"], ["kb", "add", "x", base], ["kb", "remove", "lab"], ["map", "--kb", "lab"]):
        done = okf(*command, "--json")
        assert (done.code, done.error["code"], "registry.json" in done.error["message"]) == (
            3,
            "state-file-corrupt",
            True,
        )
    assert place.read_bytes() == before
    assert okf("map", "--dir", base).code == 0


def test_init_asks_at_a_terminal_and_takes_the_answers(tmp_path, environment):
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [OKF, "init", tmp_path], stdin=follower, stdout=follower, stderr=follower, env=environment
    ) as process:
        os.close(follower)
        os.write(leader, b"River lab\ncodex\n")
        assert process.wait(timeout=60) == 0
    os.close(leader)
    manifest = json.loads((tmp_path / ".okf/manifest.json").read_text())
    assert (manifest["name"], manifest["agent"]) == ("River lab", "codex")
    assert (tmp_path / ".agents/skills/ask/SKILL.md").exists()


def test_an_unknown_agent_lists_those_that_there_are(okf, tmp_path):
    done = okf("init", tmp_path, "--agent", "clippy", "--json")
    assert (done.code, done.error["code"]) == (2, "unknown-agent")
    assert "claude-code, codex, opencode, none" in done.error["hint"]
    assert list(tmp_path.iterdir()) == []


def test_watch_tells_each_change_in_a_line_and_ends_on_ctrl_c(base, environment):
    process = subprocess.Popen(
        [OKF, "watch", "--dir", base, "--json"], stdout=subprocess.PIPE, env=environment, text=True
    )
    assert process.stdout is not None
    first = json.loads(process.stdout.readline())
    jsonschema.validate(first, schema_of("watch"))
    (base / "Notes/pears.md").write_text("# Pears\n\nThey ripen in August.\n")
    event = json.loads(process.stdout.readline())
    jsonschema.validate(event, schema_of("watch"))
    assert event == {"event": "changed", "path": "Notes/pears.md", "stale": ["concepts/pears.md"]}
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130
    process.stdout.close()
