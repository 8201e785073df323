"""The commands of the web reader."""

from __future__ import annotations

from okf_edge_cli.command import DONE, JSON, REFUSED, Argument, Command, option

ASSETS = option("assets", "--assets", "FILE", "okf-edge-webview-VERSION.zip [default: what `make web` built]")
MODELS = Argument("models", "bring only this model; repeatable [default: all]", ("--model",), "texts", "MODEL")
WEB_COMMANDS = (
    Command(
        "reader",
        "serve the web reader to this machine",
        "reading:reader",
        (Argument("port", "the port [default: 8766]", ("--port",), "number", "PORT"), ASSETS),
    ),
    Command(
        "bundle-site",
        "make a static site: the web reader and some bundles, with a signed feed of them",
        "reading:bundle_site",
        (
            Argument("folder", "the folder of the site, new or made before", shown="DIR"),
            Argument("sources", "an archive or an http(s) URL of one", takes="texts", shown="BUNDLE"),
            option("title", "--title", "TITLE", "what the site is called"),
            ASSETS,
            MODELS,
            Argument("accepted", "accept a finding, with the reason; repeatable", ("--accept",), "texts", "ID=REASON"),
            JSON,
        ),
        {DONE: "written", REFUSED: "refused: a bundle that is no bundle, or must not leave"},
    ),
    Command(
        "plugin install",
        "put the Obsidian plugin and its engine into a vault, and so on every device that it is synced to",
        "plugins:install",
        (
            option("vault", "--vault", "DIR", "the vault: a folder that Obsidian has opened", required=True),
            ASSETS,
            MODELS,
            option("config", "--config-dir", "NAME", "the vault's settings folder [default: .obsidian]", ".obsidian"),
            JSON,
        ),
        {DONE: "equipped", REFUSED: "refused: files that are damaged or not of one build"},
    ),
)
