"""The commands as one program, and its entry `main`."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any

import typer

from redmax.cli.bash_words import completes_in_bash, in_bash
from redmax.cli.cache import cache_app
from redmax.cli.check import check
from redmax.cli.complain import complain
from redmax.cli.console import say, show_all_characters, show_traceback
from redmax.cli.examples import examples, unwrapped
from redmax.cli.export import export
from redmax.cli.fit import fit
from redmax.cli.ik import ik
from redmax.cli.info import info
from redmax.cli.new import new
from redmax.cli.plot import plot
from redmax.cli.run import run
from redmax.cli.scenes import scenes
from redmax.cli.view import view

HELP_OPTIONS = ["-h", "--help"]
HELP = "Articulated dynamics: simulate mechanisms and look at them."
app = typer.Typer(
    rich_markup_mode="rich",
    context_settings={"help_option_names": HELP_OPTIONS},
    pretty_exceptions_enable=False,
    help=HELP,
    epilog=examples(
        ("redmax run", "simulate a kinetic sculpture"),
        ("redmax run windmill --html windmill.html", "an animation that plays offline"),
        ("redmax scenes spline", "what there is with splines"),
        ("redmax new mine.yaml", "a scene of your own to begin with"),
        ("redmax COMMAND --help", "options and examples of a command"),
    ),
)
SIMULATE, RESULTS, FILES, DATA, REST = "Simulate", "Look at a run", "Scenes of your own", "From data", "This installation"
COMMANDS: dict[Callable[..., Any], str] = {
    scenes: SIMULATE, run: SIMULATE, view: RESULTS, plot: RESULTS, export: RESULTS, new: FILES, check: FILES, fit: DATA, ik: DATA,
    info: REST,
}  # fmt: skip
for command, panel in COMMANDS.items():
    app.command(rich_help_panel=panel, help=unwrapped(command), epilog=getattr(command, "examples", None))(command)
app.add_typer(cache_app, name="cache", rich_help_panel=REST)


@cache
def program() -> Callable[..., int | None]:
    """What the commands are to the shell, made when first asked for."""
    found = typer.main.get_command(app)
    for command in [found, *getattr(found, "commands", {}).values()]:
        for parameter in [*command.params, command.get_help_option(typer.Context(command, help_option_names=HELP_OPTIONS))]:
            if parameter is not None and (parameter.metavar is None or parameter.param_type_name == "argument"):
                parameter.display_type_rich = lambda ctx: None  # typer shows <list[Path]> or <bool> there, which says nothing
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    show_all_characters()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *rest, **more: say(f"Warning: {message}", err=True)
            if completes_in_bash():
                in_bash(lambda: program()(words, prog_name="redmax"), say)
            return program()(words, prog_name="redmax", standalone_mode=False) or 0
    except Exception as error:
        if "--debug" in words:
            sys.excepthook = show_traceback
            raise
        return complain(error)


Version = Annotated[bool, typer.Option("--version", metavar="", help="Show the version and exit.")]


@app.callback(invoke_without_command=True)
def without_command(context: typer.Context, version: Version = False) -> None:
    if version:
        from redmax import __version__

        say(f"redmax {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())
