"""The command line: `redmax scenes`, `redmax run`, `redmax cache clear`.

Exit status: 0, 1 for a run that failed, 2 for wrong input, 130 when interrupted. Errors are one sentence on standard error.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from redmax.cli.report import observable, summary, write
from redmax.cli.request import Request, can_do, checked_request, choose_methods
from redmax.dynamics.systems import NAMES as DYNAMICS
from redmax.errors import Interrupted, RedmaxError, SimulationError
from redmax.integrators import METHODS

if TYPE_CHECKING:  # everything heavy is imported where it is used, so that --help is quick
    from redmax.trajectory import Trajectory

__all__ = ["app", "can_do", "choose_methods", "main"]

FAILED, WRONG_INPUT, INTERRUPTED = 1, 2, 130


def listed(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last


app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, help="Articulated dynamics: simulate mechanisms and look at them.")
cache_app = typer.Typer(help="The compiled code that is kept between runs.")
app.add_typer(cache_app, name="cache")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *rest, **more: typer.echo(f"Warning: {message}", err=True)
            return app(words, prog_name="redmax", standalone_mode=False) or 0
    except Exception as error:
        if "--debug" in words:
            raise
        return complain(error)


def complain(error: Exception) -> int:
    """Say what is wrong on standard error; the exit status that goes with it."""
    if isinstance(error, typer.Abort):  # as typer turns a KeyboardInterrupt into
        typer.echo("Interrupted.", err=True)
        return INTERRUPTED
    if hasattr(error, "format_message"):  # wrong usage, as typer found it
        message, status = error.format_message(), WRONG_INPUT  # type: ignore[attr-defined]
    elif isinstance(error, SimulationError):
        message, status = error.reason, FAILED
    elif isinstance(error, RedmaxError):
        message, status = str(error), WRONG_INPUT
    elif isinstance(error, OSError):
        message, status = f"Cannot write {error.filename!r}: {error.strerror}.", FAILED
    elif isinstance(error, MemoryError):
        message, status = "The run does not fit into memory; use a larger --dt or a shorter --duration.", FAILED
    else:
        message, status = f"Something went wrong inside redmax ({type(error).__name__}: {error}); --debug shows where.", FAILED
    lines = [" ".join(line.split()) for line in message.splitlines()]  # a scene file may have several mistakes, each in its line
    typer.echo("\n  ".join([f"Error: {lines[0]}", *lines[1:]]) if hasattr(error, "problems") else f"Error: {' '.join(lines)}", err=True)
    return status


Version = Annotated[bool, typer.Option("--version", help="Show the version and exit.")]


@app.callback(invoke_without_command=True)
def without_command(context: typer.Context, version: Version = False) -> None:
    if version:
        from redmax import __version__

        typer.echo(f"redmax {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def scenes(as_json: Annotated[bool, typer.Option("--json", help="Print the catalogue as JSON.")] = False) -> None:
    """List the catalogue: name, reference id, title and the features that each scene shows."""
    from redmax.scenes import CATALOGUE

    if as_json:
        typer.echo(json.dumps([entry.facts() for entry in CATALOGUE], indent=2))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table("name", "reference", "title", "features", box=box.SIMPLE_HEAD, pad_edge=False)
    for entry in CATALOGUE:
        table.add_row(entry.name, entry.reference, entry.title, ", ".join(entry.features))
    Console(width=None if sys.stdout.isatty() else 160).print(table)


@cache_app.command("clear")
def clear_cache() -> None:
    """Remove the compiled code that is kept on disk."""
    from redmax.backends.llvm.cache import default_cache, default_folder

    count = default_cache().clear()
    typer.echo(f"Removed {count} compiled {'part' if count == 1 else 'parts'} from {default_folder() or 'memory'}.")


RUN_HELP = """Simulate a scene.

Without options, a published scene (redmax:N) runs with its own step and duration, by `implicit` on `redmax` dynamics, or by
`bdf1` for redmax-diff:N; all others run with `adaptive` on `recursive`. With --integrator alone, explicit ones run on
`recursive` wherever that can do the scene, implicit ones on the scene's usual dynamics.
"""


@app.command(help=RUN_HELP)
def run(
    scene: Annotated[str | None, typer.Argument(help="Name or reference id, see `redmax scenes`.", show_default="a sculpture")] = None,
    dynamics: Annotated[str | None, typer.Option(help=f"How accelerations are found: {listed(DYNAMICS)}.")] = None,
    integrator: Annotated[str | None, typer.Option(help=f"How time advances: {listed(METHODS)}.")] = None,
    dt: Annotated[float | None, typer.Option(help="Time step; for adaptive the sampling interval (s).")] = None,
    duration: Annotated[float | None, typer.Option(help="Time to simulate (s).")] = None,
    rtol: Annotated[float | None, typer.Option(help="Relative tolerance of adaptive; 1e-8 unless given.")] = None,
    out: Annotated[Path | None, typer.Option(help="Results file (not built yet).")] = None,
    html: Annotated[Path | None, typer.Option(help="Write the animation as one HTML file.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Write the energy plot (.png, .svg or .pdf).")] = None,
    view: Annotated[bool, typer.Option("--view", help="Watch live (not built yet).")] = False,
    to_json: Annotated[str | None, typer.Option("--json", metavar="FILE|-", help="Write the final state as JSON.")] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show a traceback when something fails.")] = False,
) -> int:
    for option, wanted in (("--out", out), ("--view", view)):
        if wanted:
            raise RedmaxError(f"{option} is not built yet; use --html, --plot or --json.")
    request = checked_request(scene, dynamics, integrator, dt, duration, rtol, html, plot, to_json)
    try:
        trajectory, failure = simulated(request)
    except KeyboardInterrupt:
        typer.echo("Interrupted; nothing was written.", err=True)
        return INTERRUPTED
    write(request, trajectory)
    if not request.quiet:
        typer.echo(summary(request, trajectory))
    if isinstance(failure, Interrupted):
        typer.echo(f"Interrupted at t = {trajectory.t[-1]:g} s{'; the files hold what there is' if request.files else ''}.", err=True)
        return INTERRUPTED
    return complain(failure) if failure else 0


def simulated(request: Request) -> tuple[Trajectory, SimulationError | Interrupted | None]:
    """The run, and what happened if it broke off."""
    from redmax.progress import shown
    from redmax.simulate import simulate

    options = {"integrator": request.integrator, "dynamics": request.dynamics, "rtol": request.rtol}
    with shown(not request.quiet and sys.stderr.isatty()) as progress:  # also while it compiles
        try:
            return simulate(request.entry.scene(), request.duration, request.dt, progress=progress, **options), None
        except SimulationError as failure:
            if failure.trajectory is None:
                raise
            return observable(failure.trajectory), failure
        except Interrupted as interrupted:
            return observable(interrupted.trajectory), interrupted
