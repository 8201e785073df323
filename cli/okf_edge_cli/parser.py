"""The command line as typer sees it: names, flags and help.

Each command returns its job, and that runs outside of typer, which has its own ideas of closed pipes and Ctrl-C.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import typer

from okf_edge.errors import InputError
from okf_edge_cli.commands import COMMANDS, DONE, USAGE

Job = Callable[[], int]

_HELP = {"help_option_names": ["-h", "--help"]}
_SUMMARY = {command.name: command.summary for command in COMMANDS}

app = typer.Typer(
    help="Ask curated markdown, and ship it as verified bundles.",
    context_settings=_HELP,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)
index = typer.Typer(help="The index of a folder.", context_settings=_HELP, no_args_is_help=True)
model = typer.Typer(help="The embedding models.", context_settings=_HELP, no_args_is_help=True)
app.add_typer(index, name="index")
app.add_typer(model, name="model")

Folder = Annotated[
    str | None,
    typer.Option(
        "--dir", metavar="DIR", help="The folder to ask [default: nearest knowledge base at or above, else here]."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Embedder = Annotated[
    str, typer.Option("--embedder", metavar="MODEL", help="The model to embed with [default: by the content].")
]
Sha256 = Annotated[str, typer.Option("--verify", metavar="SHA256", help="The digest that the archive must have.")]
AcceptRisks = Annotated[bool, typer.Option("--accept-risks", help="Go on in spite of the risks that were shown.")]


def parse_and_run(argv: list[str]) -> int:
    """Run one command line and return its exit code.

    Raises: InputError: the command line is wrong. Any OkfError of the command.
    """
    try:
        job = app(argv, prog_name="okf", standalone_mode=False)
    except typer.Exit as stop:
        return stop.exit_code
    except _USAGE_ERROR as error:
        if error.__class__.__name__ == "NoArgsIsHelpError":
            print(error, file=sys.stderr)
            return USAGE
        raise _usage(error) from None
    return job() if callable(job) else DONE


_USAGE_ERROR: type[Exception] = typer.BadParameter.__bases__[0]
"""What every complaint about a command line derives from; typer exports this branch of it only."""


def _usage(error: Any) -> InputError:
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "okf"
    return InputError(error.format_message(), code="usage", hint=f"See `{command} --help`.")


def _version(wanted: bool) -> None:
    if wanted:
        from okf_edge import __version__

        print(f"okf {__version__}")
        raise typer.Exit


@app.callback()
def _okf(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None: ...


@app.command(help=_SUMMARY["query"])
def query(
    question: Annotated[list[str], typer.Argument(help="The question.", show_default=False)],
    folder: Folder = None,
    k: Annotated[int, typer.Option("-k", help="How many places to return.")] = 10,
    types: Annotated[list[str], typer.Option("--type", help="Only concepts of this type. Repeatable.")] = [],  # noqa: B006
    tags: Annotated[list[str], typer.Option("--tag", help="Only this tag and those below it. Repeatable.")] = [],  # noqa: B006
    paths: Annotated[list[str], typer.Option("--path", help="Only this page or folder. Repeatable.")] = [],  # noqa: B006
    lexical: Annotated[bool, typer.Option("--lexical", help="Search by words only.")] = False,
    dense: Annotated[bool, typer.Option("--dense", help="Search by meaning only.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show how each step decided.")] = False,
    embedder: Embedder = "",
    as_json: Json = False,
) -> Job:
    from okf_edge.retrieval.request import Filters, SearchRequest
    from okf_edge_cli import ask

    request = SearchRequest(
        " ".join(question),
        k=k,
        filters=Filters(tuple(types), tuple(tags), tuple(paths)),
        lexical=not dense or lexical,
        dense=not lexical or dense,
        explain=explain,
    )
    return partial(ask.query, request, folder, embedder, as_json)


@app.command(help=_SUMMARY["read"])
def read(
    concept: Annotated[str, typer.Argument(help="A path, title or okf:// address, with #heading for one section.")],
    folder: Folder = None,
    as_json: Json = False,
) -> Job:
    from okf_edge_cli import ask

    return partial(ask.read, concept, folder, as_json)


@index.command("build", help=_SUMMARY["index build"])
def index_build(folder: Folder = None, embedder: Embedder = "", as_json: Json = False) -> Job:
    from okf_edge_cli import indexing

    return partial(indexing.build, folder, embedder, as_json)


@index.command("status", help=_SUMMARY["index status"])
def index_status(folder: Folder = None, as_json: Json = False) -> Job:
    from okf_edge_cli import indexing

    return partial(indexing.status, folder, as_json)


@app.command(help=_SUMMARY["init"])
def init(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The folder; it must exist.")] = ".",
    name: Annotated[str | None, typer.Option("--name", help="What to call it [default: the folder's name].")] = None,
    as_json: Json = False,
) -> Job:
    from okf_edge_cli import setup

    return partial(setup.init, folder, name, as_json)


@app.command(help=_SUMMARY["validate"])
def validate(
    folder: Annotated[
        str | None, typer.Argument(metavar="[DIR]", help="The folder [default: the nearest knowledge base, else here].")
    ] = None,
    as_json: Json = False,
    sarif: Annotated[bool, typer.Option("--sarif", help="Print a SARIF 2.1.0 log.")] = False,
    github: Annotated[bool, typer.Option("--github", help="Print GitHub annotations.")] = False,
) -> Job:
    from okf_edge_cli import validating

    if as_json + sarif + github > 1:
        raise typer.BadParameter("expected one of --json, --sarif and --github, found several")
    form: validating.Format = "json" if as_json else "sarif" if sarif else "github" if github else "text"
    return partial(validating.validate, folder, form)


@app.command(help=_SUMMARY["verify"])
def verify(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The archive.")],
    sha256: Annotated[str, typer.Option("--verify", metavar="SHA256", help="The digest that it must have.")] = "",
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Also prove that its index was made from its text.")
    ] = False,
    as_json: Json = False,
) -> Job:
    from okf_edge_cli import bundling

    return partial(bundling.verify, file, sha256, rebuild, as_json)


@app.command(help=_SUMMARY["install"])
def install(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="An archive, a folder or an http(s) URL.")],
    folder: Folder = None,
    sha256: Annotated[
        str, typer.Option("--verify", metavar="SHA256", help="The digest that the archive must have.")
    ] = "",
    bundle_id: Annotated[str, typer.Option("--id", help="The id of a bundle that states none.")] = "",
    version: Annotated[str, typer.Option("--version", help="The version of a bundle that states none.")] = "",
    force: Annotated[bool, typer.Option("--force", help="Allow a downgrade, and the loss of local edits.")] = False,
    accept_risks: Annotated[
        bool, typer.Option("--accept-risks", help="Install in spite of risks that were shown.")
    ] = False,
    accept_nonconformant: Annotated[
        bool, typer.Option("--accept-nonconformant", help="Install what does not conform to OKF.")
    ] = False,
    as_json: Json = False,
) -> Job:
    from okf_edge.bundles.install import InstallOptions
    from okf_edge_cli import bundling

    options = InstallOptions(
        source,
        bundle_id=bundle_id,
        version=version,
        force=force,
        accept_risks=accept_risks,
        accept_nonconformant=accept_nonconformant,
    )
    return partial(bundling.install, options, sha256, folder, as_json)


@app.command("list", help=_SUMMARY["list"])
def list_(folder: Folder = None, as_json: Json = False) -> Job:
    from okf_edge_cli import bundling

    return partial(bundling.list_bundles, folder, as_json)


@app.command(help=_SUMMARY["uninstall"])
def uninstall(
    bundle_id: Annotated[str, typer.Argument(metavar="ID", help="The id of the bundle.")],
    folder: Folder = None,
    force: Annotated[bool, typer.Option("--force", help="Lose local edits in it.")] = False,
    as_json: Json = False,
) -> Job:
    from okf_edge_cli import bundling

    return partial(bundling.uninstall, bundle_id, force, folder, as_json)


@model.command("build", help=_SUMMARY["model build"])
def model_build(
    model_ids: Annotated[list[str] | None, typer.Argument(metavar="[MODEL]...", help="Which [default: all].")] = None,
    as_json: Json = False,
) -> Job:
    from okf_edge_cli import modelling

    return partial(modelling.build, model_ids or [], as_json)


@model.command("list", help=_SUMMARY["model list"])
def model_list(as_json: Json = False) -> Job:
    from okf_edge_cli import modelling

    return partial(modelling.list_models, as_json)


@model.command("use", help=_SUMMARY["model use"])
def model_use(
    model_id: Annotated[str, typer.Argument(metavar="MODEL", help="Its id, or `auto` to choose by the content.")],
    as_json: Json = False,
) -> Job:
    from okf_edge_cli import modelling

    return partial(modelling.use, model_id, as_json)


@model.command("info", help=_SUMMARY["model info"])
def model_info(model_id: Annotated[str, typer.Argument(metavar="MODEL", help="Its id.")], as_json: Json = False) -> Job:
    from okf_edge_cli import modelling

    return partial(modelling.info, model_id, as_json)
