"""The commands of `okf` and their exit codes, as data: the documentation and the tests read this table.

A refusal ("no confident match") is an answer, so it exits 0. Every command can also exit with a code of `ANYWHERE`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

DONE = 0
REFUSED = 1
USAGE = 2
FAILED = 3
DEFECT = 70
INTERRUPTED = 130

ANYWHERE: Mapping[int, str] = {
    USAGE: "the command line or its input is wrong: an unknown flag, a missing folder, an unknown name",
    FAILED: "something else failed: a full or read-only disk, no network, a corrupt state file, index or model",
    DEFECT: "a defect of okf itself",
    INTERRUPTED: "interrupted with Ctrl-C",
}


@dataclass(frozen=True, slots=True)
class Command:
    """One command. `exits` are its own exit codes; `has_json` says that `--json` prints one object on stdout."""

    name: str
    summary: str
    exits: Mapping[int, str] = field(default_factory=lambda: {DONE: "done"})
    has_json: bool = True


COMMANDS = (
    Command(
        "query",
        "Ask a question; answers with quoted evidence, or says that nothing here answers it.",
        {DONE: "answered, or refused because nothing matches with confidence"},
    ),
    Command("read", "Print a concept, or one section of it."),
    Command("index build", "Index the folder anew."),
    Command("index status", "Say what is indexed, how, and what changed since."),
    Command(
        "validate",
        "Check a folder against OKF v0.2.",
        {DONE: "conformant", REFUSED: "not conformant"},
    ),
    Command(
        "export",
        "Compile a folder of OKF concepts into one archive with its index inside.",
        {DONE: "written", REFUSED: "refused: risks, or content that makes no bundle"},
    ),
    Command(
        "verify",
        "Check an archive against its manifest without installing it.",
        {DONE: "verified", REFUSED: "not what it claims to be"},
    ),
    Command(
        "install",
        "Install a bundle from an archive, a folder or a URL.",
        {DONE: "installed", REFUSED: "refused; nothing was written"},
    ),
    Command("list", "List the installed bundles."),
    Command("uninstall", "Remove an installed bundle."),
    Command("init", "Make a folder a knowledge base; creates what is missing, touches nothing else."),
    Command("model build", "Build an embedding model from pinned packages into the user's cache."),
    Command("model list", "List the models that can be built and those at hand."),
    Command("model use", "Choose the model for new indexes."),
    Command("model info", "Describe one model."),
)
