"""Bad input: a clear error with a code, an exit code that is not 0, and nothing half-written."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from e2e.conftest import OKF, snapshot

FILES = {
    "index.md": "# Concepts\n\n* [Apdex](apdex.md) - a score\n",
    "apdex.md": "---\ntype: Metric\ntitle: Apdex\ndescription: A score.\n---\n\nApdex is a score of satisfaction.\n",
}


@pytest.fixture
def base(okf, tmp_path) -> Path:
    folder = tmp_path / "base"
    folder.mkdir()
    okf("init", folder)
    return folder


@pytest.fixture
def archive(okf, tmp_path) -> Path:
    source = tmp_path / "source"
    source.mkdir()
    for name, text in FILES.items():
        (source / name).write_text(text)
    done = okf("export", source, "--id", "acme.ops", "--version", "1.0.0", "--out", tmp_path / "ops.okf.zip")
    assert done.code == 0, done.err
    return tmp_path / "ops.okf.zip"


def rewritten(archive: Path, change: Callable[[dict[str, bytes]], object]) -> Path:
    """The archive with its files changed, in the order and manner of the original."""
    with zipfile.ZipFile(archive) as old:
        files = {info.filename: old.read(info) for info in old.infolist()}
    change(files)
    target = archive.with_name("changed.okf.zip")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in files.items():
            new.writestr(zipfile.ZipInfo(name), data)
    return target


def newer(files: dict[str, bytes]) -> None:
    manifest = json.loads(files["okf-bundle.json"])
    files["okf-bundle.json"] = json.dumps({**manifest, "schema": 99}).encode()


TAMPERED = {
    "a changed file": (lambda files: files.update({"apdex.md": files["apdex.md"] + b"x"}), "hash-mismatch"),
    "an added file": (lambda files: files.update({"more.md": b"# More\n"}), "extra-file"),
    "a dropped file": (lambda files: files.pop("apdex.md"), "missing-file"),
    "a swapped index": (lambda files: files.update({"okf-index.duckdb": b"another index"}), "hash-mismatch"),
    "a newer format": (newer, "newer-format"),
    "a manifest that is no JSON": (lambda files: files.update({"okf-bundle.json": b"{"}), "bad-manifest"),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_a_bundle_that_is_not_what_it_claims_is_refused(okf, archive, base, what):
    change, code = TAMPERED[what]
    changed, before = rewritten(archive, change), snapshot(base)
    for command in (["verify", changed], ["install", changed, "--dir", base]):
        done = okf(*command, "--json")
        assert (done.code, done.error["code"]) == (1, code)
    assert snapshot(base) == before


HOSTILE = {
    "no zip": b"this is no archive",
    "empty": b"",
    "truncated": None,
}


@pytest.mark.parametrize("what", HOSTILE)
def test_what_is_no_whole_archive_is_refused(okf, archive, base, what):
    archive.write_bytes(archive.read_bytes()[:-40] if HOSTILE[what] is None else HOSTILE[what])
    before = snapshot(base)
    done = okf("install", archive, "--dir", base, "--json")
    assert done.code == 1
    assert done.error["code"]
    assert snapshot(base) == before


def test_a_path_that_leads_out_of_the_library_is_refused(okf, archive, base):
    changed = rewritten(archive, lambda files: files.update({"../../evil.md": b"x"}))
    before = snapshot(base.parent)
    assert okf("install", changed, "--dir", base, "--json").code == 1
    assert snapshot(base.parent) == before


def test_an_archive_with_another_digest_than_promised_is_refused(okf, archive, base):
    before = snapshot(base)
    done = okf("install", archive, "--dir", base, "--verify", f"sha256:{'0' * 64}", "--json")
    assert (done.code, done.error["code"]) == (1, "hash-mismatch")
    assert okf("install", archive, "--dir", base, "--verify", "sha256:short", "--json").error["code"] == "bad-digest"
    assert snapshot(base) == before


@pytest.mark.parametrize("question", ["", "   ", "x" * 30_000])
def test_a_question_that_is_none_is_an_input_error(okf, notes, question):
    done = okf("query", question, "--dir", notes, "--json")
    assert (done.code, done.error["code"]) == (2, "bad-question")
    assert not (notes / ".okf").exists()


@pytest.mark.parametrize("k", ["0", "-1", "100000"])
def test_a_count_out_of_range_is_an_input_error(okf, notes, k):
    assert okf("query", "pears", "--dir", notes, "-k", k, "--json").error["code"] == "bad-question"


def test_an_unknown_concept_is_named_with_what_comes_near(okf, notes):
    done = okf("read", "orchard/paers", "--dir", notes, "--json")
    assert (done.code, done.error["code"]) == (2, "no-concept")
    assert "orchard/pears.md" in done.error["hint"]
    assert okf("read", "pears#Cooking", "--dir", notes, "--json").error["code"] == "no-heading"


@pytest.mark.parametrize("name", ["../secret.md", "/etc/passwd", "orchard/../../secret.md", ""])
def test_a_concept_outside_of_the_folder_does_not_exist(okf, notes, name):
    (notes.parent / "secret.md").write_text("secret")
    done = okf("read", name, "--dir", notes, "--json")
    assert (done.code, done.error["code"]) == (2, "no-concept")


def test_an_unknown_bundle_and_an_unknown_model_list_what_there_is(okf, base):
    assert okf("uninstall", "acme.nope", "--dir", base, "--json").code == 2
    done = okf("model", "info", "gpt", "--json")
    assert done.code == 2
    assert "minilm-l6" in done.error["hint"]


def test_a_model_that_is_not_at_hand_is_an_error_when_asked_for_by_name(okf, notes):
    done = okf("query", "pears", "--dir", notes, "--embedder", "minilm-l6", "--json")
    assert (done.code, done.error["code"]) == (3, "model-absent")
    assert okf("query", "pears", "--dir", notes, "--dense", "--json").code == 3


def test_a_truncated_model_answers_by_words_and_fails_when_asked_for(okf, notes, environment):
    model = Path(environment["HOME"]) / ".cache/okf/models/minilm-l6"
    model.mkdir(parents=True)
    (model / "model.onnx").write_bytes(b"truncated")
    done = okf("index", "build", "--dir", notes, "--embedder", "minilm-l6", "--json")
    assert (done.code, done.error["code"]) == (3, "model-damaged")
    assert "okf model build minilm-l6" in done.error["hint"]
    assert not (notes / ".okf/index.duckdb").exists()


def test_a_corrupt_state_file_is_named_and_left_as_it_is(okf, base):
    registry = base / ".okf/bundles.json"
    registry.write_text('{"format": 1, "bundles": ')
    for command in (["query", "x"], ["list"], ["uninstall", "a.b"]):
        done = okf(*command, "--dir", base, "--json")
        assert (done.code, done.error["code"]) == (3, "state-file-corrupt")
        assert ".okf/bundles.json" in done.error["message"]
    assert registry.read_text() == '{"format": 1, "bundles": '


def test_a_state_file_of_a_later_version_is_not_touched(okf, base):
    manifest = base / ".okf/manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "format": 2}))
    before = snapshot(base)
    for command in (["query", "x", "--dir", base], ["init", base]):
        assert okf(*command, "--json").error["code"] == "newer-format"
    assert snapshot(base) == before


def test_a_damaged_index_is_made_anew_and_said(okf, notes):
    okf("index", "build", "--dir", notes)
    for damage in (b"", b"no database", (notes / ".okf/index.duckdb").read_bytes()[:20_000]):
        (notes / ".okf/index.duckdb").write_bytes(damage)
        done = okf("query", "russet pears", "--dir", notes)
        assert (done.code, "made anew" in done.err) == (0, True)
        assert done.out.startswith("ok")


def test_a_bundle_without_its_index_is_an_error_and_no_refusal(okf, archive, base):
    okf("install", archive, "--dir", base)
    (base / "Library/acme.ops/okf-index.duckdb").unlink()
    done = okf("query", "apdex", "--dir", base, "--json")
    assert done.code == 3
    assert "acme.ops" in done.error["message"]


def test_a_note_that_is_no_text_costs_nothing_else(okf, notes):
    (notes / "latin1.md").write_bytes(b"# Caf\xe9 rota\n\nFran\xe7oise opens.\n")
    (notes / "utf16.md").write_bytes(b"\xff\xfe#\x00 \x00W\x00i\x00d\x00e\x00")
    answer = okf("query", "russet pears", "--dir", notes, "--json").json
    assert answer["candidates"][0]["path"] == "orchard/pears.md"
    coverage = answer["coverage"]
    assert (coverage["read"], coverage["found"], coverage["problems"]) == (6, 6, 2)


def test_names_and_values_that_are_no_text_cost_nothing_else(okf, notes):
    (notes / "halves.md").write_text('---\ntitle: "\\ud83d half"\ntags: ["\\udc00"]\n---\n\nRusset halves.\n')
    try:
        Path(os.fsdecode(os.fsencode(notes) + b"/caf\xe9.md")).write_text("# Cafe\n")
    except OSError:
        pytest.skip("this disk holds no such names")
    answer = okf("query", "russet pears", "--dir", notes, "--json").json
    assert answer["candidates"][0]["path"] == "orchard/pears.md"
    skipped = okf("index", "status", "--dir", notes, "--json").json["skipped"]
    assert {"path": "caf\udce9.md", "reason": "name-not-text"} in skipped
    for command in ("map", "health", "stale"):
        assert okf(command, "--dir", notes, "--json").json
    assert okf("validate", notes, "--sarif").json


def test_links_out_of_the_folder_are_never_followed(okf, notes):
    outside = notes.parent / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("# Heron\n\nThe heron nests by the weir.\n")
    (notes / "leak.md").symlink_to(outside / "secret.md")
    (notes / "dir").symlink_to(outside)
    (notes / "loop").symlink_to(notes)
    answer = okf("query", "heron nests weir", "--dir", notes, "--json").json
    assert answer["verdict"] == "no-confident-match"
    assert "heron" not in json.dumps(answer["near"])
    assert {"path": "leak.md", "reason": "symbolic-link"} in okf("index", "status", "--dir", notes, "--json").json[
        "skipped"
    ]
    assert okf("read", "leak", "--dir", notes).code == 2


def test_without_a_home_a_folder_answers_and_what_needs_a_home_says_so(okf, notes):
    homeless = {"HOME": ""} if os.getuid() else {"HOME": "relative"}
    assert okf("query", "russet pears", "--dir", notes, env=homeless).code == 0
    done = okf("model", "use", "auto", "--json", env=homeless)
    assert (done.code, done.error["code"]) == (3, "no-home")


def test_a_home_that_can_hold_nothing_is_named_by_what_needs_it(okf, notes, archive, tmp_path):
    home = {"OKF_HOME": str(notes / "bees.md")}
    assert okf("query", "russet pears", "--dir", notes, env=home).code == 0
    export = ["export", notes.parent / "source", "--id", "a.b", "--version", "1.0.0", "--out", tmp_path / "b.zip"]
    for command in (["model", "use", "auto"], export, ["verify", archive, "--rebuild"]):
        done = okf(*command, "--json", env=home)
        assert (done.code, done.error["code"]) == (3, "unavailable")
        assert "bees.md" in done.error["message"]


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="this system has no such devices")
def test_an_output_that_is_no_file_is_left_alone(okf, notes, tmp_path):
    (tmp_path / "out").symlink_to("/dev/stdout")
    done = okf("export", notes, "--id", "a.b", "--version", "1.0.0", "--out", tmp_path / "out", "--json")
    assert (done.code, done.error["code"]) == (2, "no-file")
    assert (tmp_path / "out").is_symlink()


def test_bytes_that_are_no_text_are_told_wherever_they_come_from(okf, notes, archive, tmp_path):
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    try:
        shutil.copytree(notes, odd)
    except OSError:
        pytest.skip("this disk holds no such names")
    (odd / "ops.zip").write_bytes(archive.read_bytes())
    kb = tmp_path / "kb"
    kb.mkdir()
    okf("init", kb)
    assert okf("install", odd / "ops.zip", "--dir", kb, "--json").code == 0
    assert okf("list", "--dir", kb, "--json").json["bundles"][0]["origin"].isprintable()
    for command, code in (
        (["query", "pears", "--dir", odd], 3),
        (["kb", "add", "odd", odd], 2),
        (["export", notes, "--id", "a.b", "--version", "1.0.0", "--title", odd.name], 2),
    ):
        assert okf(*command, "--json").error["hint"]
        assert okf(*command, "--json").code == code
    assert okf("validate", odd, "--json").json


@pytest.mark.parametrize("url", ["http://", "http://[::1", "https:///x.zip"])
def test_what_is_no_url_is_an_input_error(okf, base, url):
    done = okf("install", url, "--dir", base, "--json")
    assert (done.code, done.error["code"]) == (2, "bad-url")


def test_every_path_of_an_answer_opens(okf, notes):
    for name in (" lead.md", "trail .md", "a#b.md", "%20.md", "new\nline.md", "-k.md", "[[x]].md", "q?.md"):
        (notes / name).write_text("# Quinces\n\nA quince tree.\n")
    answer = okf("query", "quince tree", "--dir", notes, "-k", "20", "--json").json
    paths = {candidate["path"] for candidate in answer["candidates"]}
    assert len(paths) == 8
    for path in paths:
        assert okf("read", "--dir", notes, "--json", "--", path).json["path"] == path


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="this system has no limit of file sizes")
def test_a_full_disk_is_an_error_and_leaves_nothing(notes, environment):
    script = f'ulimit -f 64; exec "{OKF}" index build --dir "{notes}" --json'
    before = snapshot(notes)
    done = subprocess.run(
        ["sh", "-c", script], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    assert json.loads(done.stderr)["code"]
    left = {path for path in snapshot(notes) if not path.startswith(".okf/.gitignore")}
    assert left == set(before)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_named_pipe_among_the_notes_is_passed_over(okf, notes):
    os.mkfifo(notes / "pipe.md")
    done = okf("query", "russet pears", "--dir", notes, "--json")
    assert done.json["verdict"] == "ok"


def test_an_unwritable_output_is_an_error(okf, notes, tmp_path):
    done = okf("export", notes, "--id", "a.b", "--version", "1.0.0", "--out", tmp_path / "nowhere/x.zip", "--json")
    assert (done.code, done.error["code"]) == (2, "no-folder")


@pytest.mark.parametrize("option", [["--id", "Nope!"], ["--version", "1"]])
def test_a_bad_id_or_version_is_an_input_error(okf, notes, option):
    wanted = {"--id": "a.b", "--version": "1.0.0", **dict([option])}
    done = okf("export", notes, *(part for pair in wanted.items() for part in pair), "--json")
    assert done.code == 2
    assert not list(notes.parent.glob("*.zip"))


def test_risks_stop_an_export_until_each_is_accepted_with_a_reason(okf, tmp_path):
    source = tmp_path / "risky"
    source.mkdir()
    secret = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
    (source / "key.md").write_text(f"---\ntype: Note\ntitle: Key\ndescription: d\n---\n\nThe token is {secret}.\n")
    done = okf("export", source, "--id", "a.b", "--version", "1.0.0", "--json")
    assert (done.code, done.error["code"]) == (1, "risk-found")
    assert secret not in done.err
    assert not list(tmp_path.glob("*.zip"))
