"""What a command of `okf` is: its name, arguments and exit codes as data; and the arguments that many have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

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
class Argument:
    """One argument. `name` is that of its handler's parameter; `flags` are empty for a positional one.

    `takes` tells its values: nothing for a switch, one text or number, or one or more texts. A positional argument that
    `may_be_absent` takes its default then; an option may go without its value then. An option may be `required`.
    """

    name: str
    help: str
    flags: tuple[str, ...] = ()
    takes: Literal["nothing", "text", "number", "texts"] = "text"
    shown: str = ""
    default: str | int | None = None
    may_be_absent: bool = False
    required: bool = False


def switch(name: str, flag: str, help: str) -> Argument:
    return Argument(name, help, (flag,), "nothing")


def option(
    name: str, flag: str, shown: str, help: str, default: str | None = "", *, required: bool = False
) -> Argument:
    return Argument(name, help, (flag,), shown=shown, default=default, required=required)


JSON = switch("as_json", "--json", "print one JSON object")
FOLDER = option("folder", "--dir", "DIR", "the folder [default: nearest knowledge base at or above, else here]", None)
KB = option("kb", "--kb", "NAME", "a registered knowledge base, in place of a folder")
KB_OR_ALL = option("kb", "--kb", "NAME", "a registered knowledge base in place of a folder, or '*' for all of them")
EMBEDDER = option("embedder", "--embedder", "MODEL", "the model to embed with [default: by the content]")
SHA256 = option("sha256", "--verify", "SHA256", "the digest that the archive must have")
FORCE = switch("force", "--force", "lose local edits, or go back to an older version")
ACCEPT_NONCONFORMANT = switch("accept_nonconformant", "--accept-nonconformant", "install what does not conform to OKF")
FEED = Argument("feed", "the feed: a folder, s3://bucket/prefix or github:owner/repository", shown="FEED")
FEED_NAME = option("feed", "--feed", "NAME", "only this feed [default: all that are followed]")
KEYS = option("keys_folder", "--keys", "DIR", "where keys lie that are taken out once a year, e.g. a stick")
PASSPHRASE = switch("passphrase", "--passphrase", "ask for a passphrase for new keys")
PUBLIC_KEY = option("public_key", "--public-key", "HEX", "a key that another machine holds [default: make one here]")
ACCEPT_RISKS = switch("accept_risks", "--accept-risks", "go on in spite of the risks that were shown")


@dataclass(frozen=True, slots=True)
class Command:
    """One command. `runs` is the `module:function` of `okf_edge_cli` that it calls with its arguments."""

    name: str
    summary: str
    runs: str
    arguments: tuple[Argument, ...]
    exits: Mapping[int, str] = field(default_factory=lambda: {DONE: "done"})

    def with_kb(self) -> Command:
        """The command, which takes `--kb` wherever it takes a folder by `--dir`."""
        if FOLDER not in self.arguments or KB_OR_ALL in self.arguments:
            return self
        place = self.arguments.index(FOLDER) + 1
        return replace(self, arguments=(*self.arguments[:place], KB, *self.arguments[place:]))

    @property
    def handed_over(self) -> tuple[Argument, ...]:
        """The arguments that its function gets: the parser turns a `KB` into the folder that it names."""
        return tuple(argument for argument in self.arguments if argument is not KB)
