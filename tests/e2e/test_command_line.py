"""The manners of the command line: codes, streams, help."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from e2e.conftest import OKF
from okf_edge import __version__
from okf_edge_cli.commands import ANYWHERE, COMMANDS, GROUPS, USAGE


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_the_version_is_one_line(okf, flag):
    done = okf(flag)
    assert (done.code, done.out, done.err) == (0, f"okf {__version__}\n", "")


def test_the_version_loads_nothing_but_the_version(okf, environment):
    traced = subprocess.run(
        [OKF, "--version"],
        env={**environment, "PYTHONPROFILEIMPORTTIME": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(re.findall(r"\|\s+(\w+)", traced.stderr))
    assert "okf_edge" in loaded
    assert not loaded & {"argparse", "rich", "pydantic", "duckdb", "asyncio", "numpy", "yaml", "dataclasses"}


def test_help_lists_every_command_of_the_table(okf):
    done = okf("--help")
    assert done.code == 0
    for command in COMMANDS:
        assert f"  {command.name}" in done.out
        assert command.summary in done.out


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_help_of_a_command_names_its_arguments_and_exit_codes(okf, command):
    done = okf(*command.name.split(), "--help")
    assert (done.code, done.err) == (0, "")
    for argument in command.arguments:
        assert (argument.flags[0] if argument.flags else argument.shown) in done.out
    for code in {**command.exits, **ANYWHERE}:
        assert f"\n  {code} " in done.out


@pytest.mark.parametrize("group", sorted(GROUPS.keys() - {command.name for command in COMMANDS}))
def test_a_group_without_a_command_shows_what_it_has(okf, group):
    done = okf(group)
    assert done.code == USAGE
    assert okf(group, "--help").out == done.err


@pytest.mark.parametrize("argv", [("query", "pears", "--dir", ""), ("validate", ""), ("health", "--dir", "")])
def test_a_place_that_an_unset_variable_left_empty_is_a_usage_error_and_never_the_present_folder(okf, argv):
    done = okf(*argv)
    assert done.code == 2
    assert "[usage]" in done.err


def test_no_command_shows_the_help_and_is_a_usage_error(okf):
    done = okf()
    assert done.code == USAGE
    assert done.err == okf("--help").out


@pytest.mark.parametrize("arguments", [["bogus"], ["query"], ["query", "x", "--bogus"], ["query", "x", "-k", "many"]])
def test_a_wrong_command_line_is_told_with_a_code_and_a_hint(okf, arguments):
    done = okf(*arguments)
    assert done.code == USAGE
    assert done.out == ""
    assert done.err.startswith("error [usage]")
    assert re.search(r"hint: .*See `okf", done.err)


def test_with_json_an_error_is_one_json_object_on_stderr(okf, tmp_path):
    error = okf("query", "x", "--dir", tmp_path / "nowhere", "--json").error
    assert error == {
        "code": "no-folder",
        "message": f"no folder at {tmp_path / 'nowhere'}",
        "hint": "Check the path; okf does not make folders.",
        "issues": [],
    }


@pytest.mark.parametrize("command", [["query", "x"], ["read", "x"], ["index", "status"], ["list"]])
def test_a_missing_folder_is_an_input_error_of_every_command(okf, tmp_path, command):
    assert okf(*command, "--dir", tmp_path / "nowhere").code == USAGE
    assert not (tmp_path / "nowhere").exists()


def test_a_file_in_place_of_a_folder_is_an_input_error(okf, tmp_path):
    (tmp_path / "note.md").write_text("x")
    done = okf("list", "--dir", tmp_path / "note.md", "--json")
    assert done.code == USAGE
    assert done.error["code"] == "no-folder"


def test_no_colour_reaches_a_pipe(okf, tmp_path):
    assert "\x1b" not in okf("init", tmp_path, env={"FORCE_COLOR": "1"}).out


@pytest.mark.parametrize(
    ("variables", "is_coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_a_terminal_gets_colour_unless_it_or_its_person_objects(environment, tmp_path, variables, is_coloured):
    reader, writer = pty.openpty()
    env = {**environment, "TERM": "xterm-256color", **variables}
    with subprocess.Popen([OKF, "init", str(tmp_path)], env=env, stdout=writer, stderr=writer) as process:
        os.close(writer)
        shown = _drained(reader)
    assert process.returncode == 0
    assert ("\x1b[" in shown) == is_coloured
    assert "is now a knowledge base" in shown


def test_a_reader_that_leaves_early_is_no_error(environment, tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    with subprocess.Popen(
        [OKF, "init", str(tmp_path)], env=environment, stdout=writer, stderr=subprocess.PIPE
    ) as process:
        os.close(writer)
        _, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (0, b"")


def test_the_current_folder_may_be_gone(environment, tmp_path):
    script = f'mkdir gone && cd gone && rmdir ../gone && "{OKF}" list'
    done = subprocess.run(
        ["sh", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == USAGE
    assert "error [no-folder]" in done.stderr


def test_a_knowledge_base_is_found_from_below(okf, tmp_path):
    okf("init", tmp_path, "--name", "River lab")
    deep = tmp_path / "Notes" / "deep"
    deep.mkdir(parents=True)
    assert okf("list", "--json", cwd=deep).json == okf("list", "--json", cwd=tmp_path).json


def _drained(descriptor: int) -> str:
    parts = []
    while True:
        try:
            part = os.read(descriptor, 65536)
        except OSError:  # Linux says so when the other end of a terminal closes
            break
        if not part:
            break
        parts.append(part)
    os.close(descriptor)
    return b"".join(parts).decode()


def test_a_folder_whose_name_is_no_text_gets_a_name_that_is(okf, tmp_path):
    folder = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(folder)  # noqa: PTH102
    assert okf("init", os.fsdecode(folder), "--json").json["name"] == "caf\ufffd"


STREAMS = {
    "query russet pears --dir {notes} | true": (0, ""),
    "read bees --dir {notes} | true": (0, ""),
    "query russet pears --dir {notes} --json >&-": (0, ""),
    "nope 2>&-": (2, ""),
    "capture --dir {notes} --json <&-": (2, "no-text"),
    "query russet pears --dir {notes} --json >/dev/full": (3, "unavailable"),
    "read bees --dir {notes} --json >/dev/full": (3, "unavailable"),
    "validate {notes} --github >/dev/full": (3, "unavailable"),
    "--version >/dev/full": (3, ""),
    "--help >/dev/full": (3, "unavailable"),
    "nope 2>/dev/full": (2, ""),
}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("line", STREAMS)
def test_streams_that_are_closed_or_full_are_told_and_never_a_defect(notes, environment, line):
    script = f"set -o pipefail; {OKF} {line.format(notes=notes)}"
    done = subprocess.run(
        ["bash", "-c", script], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    code, told = STREAMS[line]
    assert done.returncode == code, done.stderr
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
