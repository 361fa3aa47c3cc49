"""The command line: `redmax scenes`, `redmax run`, `redmax cache clear`.

Exit status: 0, 1 for a run that failed, 2 for wrong input, 130 when interrupted. Errors are one sentence on standard error.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from redmax.dynamics.systems import NAMES as DYNAMICS
from redmax.errors import Interrupted, RedmaxError, SimulationError
from redmax.integrators import METHODS

if TYPE_CHECKING:  # everything heavy is imported where it is used, so that --help is quick
    from redmax.model import Model
    from redmax.scenes import Entry
    from redmax.trajectory import Trajectory

FAILED, WRONG_INPUT, INTERRUPTED = 1, 2, 130
HUGE = 1e30  # the animation holds single precision


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
    typer.echo(f"Error: {' '.join(message.split())}", err=True)
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


@dataclass(frozen=True)
class Request:
    """What to run, checked: lengths of time in s; paths are None where nothing is to be written, and `json` may be "-"."""

    entry: Entry
    dynamics: str
    integrator: str
    dt: float
    duration: float
    rtol: float
    html: Path | None
    plot: Path | None
    json: str | None

    @property
    def quiet(self) -> bool:
        """Standard output belongs to the JSON object."""
        return self.json == "-"

    @property
    def files(self) -> dict[str, Path]:
        """What is to be written, by the option that asks for it."""
        files = {"--html": self.html, "--plot": self.plot, "--json": Path(self.json) if self.json and not self.quiet else None}
        return {option: path for option, path in files.items() if path is not None}


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


def checked_request(
    scene: str | None, dynamics: str | None, integrator: str | None, dt: float | None, duration: float | None, rtol: float | None,
    html: Path | None, plot: Path | None, to_json: str | None,
) -> Request:  # fmt: skip
    """Everything that can be wrong is found here, before time is spent on the run."""
    from redmax.simulate import number_of_steps
    from redmax.simulation import positive

    entry = find_scene(scene)
    dynamics, integrator = choose_methods(entry, dynamics, integrator)
    if rtol is not None and integrator != "adaptive":
        raise RedmaxError(f"--rtol is for --integrator adaptive; {integrator} takes steps of --dt.")
    request = Request(
        entry, dynamics, integrator,
        positive(entry.dt if dt is None else dt, "--dt"), positive(entry.duration if duration is None else duration, "--duration"),
        positive(1e-8 if rtol is None else rtol, "--rtol"), html, plot, to_json,
    )  # fmt: skip
    number_of_steps(request.duration, request.dt, 1)
    check_files(request.files)
    return request


def find_scene(name: str | None) -> Entry:
    from redmax.scenes import DEFAULT, find

    try:
        return find(DEFAULT if name is None else name)
    except RedmaxError:
        if name and (Path(name).suffix or os.sep in name or Path(name).is_file()):
            raise RedmaxError(f"Scene files such as {name!r} are not read yet; name a scene that `redmax scenes` lists.") from None
        raise


def choose_methods(entry: Entry, dynamics: str | None, integrator: str | None) -> tuple[str, str]:
    """(dynamics, integrator): as asked for, else the scene's own; explicit integrators go with recursive dynamics where these will do."""
    from redmax.dynamics.systems import system
    from redmax.integrators import method

    explicit = integrator is not None and not method(integrator).implicit
    model = entry.scene().model()
    if dynamics is not None:
        system(dynamics, model)  # says what is wrong with it
    elif explicit and can_do("recursive", model):
        dynamics = "recursive"
    return dynamics or entry.dynamics, integrator or entry.integrator


def can_do(dynamics: str, model: Model) -> bool:
    from redmax.dynamics.systems import system

    try:
        system(dynamics, model)
    except RedmaxError:
        return False
    return True


def check_files(files: dict[str, Path]) -> None:
    """Raise unless each path can be written to, and the plot can be made."""
    for option, path in files.items():
        if path.is_dir():
            raise RedmaxError(f"{option}: '{path}' is a folder; name a file in it.")
        if not path.parent.is_dir():
            raise RedmaxError(f"{option}: there is no folder '{path.parent}' to write '{path.name}' into; create it first.")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise RedmaxError(f"{option}: '{path}' cannot be written to; choose another place.")
    if len({path.resolve() for path in files.values()}) < len(files):
        raise RedmaxError(f"{' and '.join(files)} name the same file; give each its own.")
    if "--plot" in files:
        check_plot(files["--plot"])


def check_plot(path: Path) -> None:
    from importlib.util import find_spec

    from redmax.view.plot import SUFFIXES

    if path.suffix.lower() not in SUFFIXES:
        raise RedmaxError(f"--plot: '{path}' ends in {path.suffix!r}, expected {', '.join(SUFFIXES)}.")
    if find_spec("matplotlib") is None:
        raise RedmaxError('--plot needs matplotlib: pip install "redmax[plot]".')


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


def observable(trajectory: Trajectory) -> Trajectory:
    """The samples whose energy can be shown: when a run breaks off, the squares of its rates overflow before the rates do."""
    good, bad = 1, len(trajectory) + 1
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            seen = trajectory.engine.observe(trajectory.q[:middle], trajectory.qdot[:middle])
            fits = abs(seen.kinetic).max() < HUGE and abs(seen.potential).max() < HUGE
        except RedmaxError:
            fits = False
        good, bad = (middle, bad) if fits else (good, middle)
    return replace(trajectory, t=trajectory.t[:good], q=trajectory.q[:good], qdot=trajectory.qdot[:good])


def write(request: Request, trajectory: Trajectory) -> None:
    if request.html:
        trajectory.html(request.html)
    if request.plot:
        trajectory.plot(request.plot)
    if request.json:
        text = json.dumps(final_state(request, trajectory), indent=2)
        if request.quiet:
            typer.echo(text)
        else:
            Path(request.json).write_text(text + "\n", encoding="utf-8")


def final_state(request: Request, trajectory: Trajectory) -> dict[str, Any]:
    """What --json writes."""
    kinetic, potential = trajectory.energy.kinetic, trajectory.energy.potential
    return {
        "scene": request.entry.name,
        "reference": request.entry.reference,
        "dynamics": trajectory.dynamics,
        "integrator": trajectory.integrator,
        "dt": trajectory.dt,
        "t": float(trajectory.t[-1]),
        "steps": trajectory.steps,
        "q": trajectory.q[-1].tolist(),
        "qdot": trajectory.qdot[-1].tolist(),
        "chart": trajectory.model.charts,
        "energy": {
            "kinetic": float(kinetic[-1]),
            "potential": float(potential[-1]),
            "total": float(kinetic[-1] + potential[-1]),
            "initial_potential": float(potential[0]),
            "initial_kinetic": float(kinetic[0]),
            "H": float(kinetic[-1] + potential[-1] - potential[0]),
        },
        "wall_s": trajectory.wall_s,
        "compile_s": trajectory.compile_s,
    }


def summary(request: Request, trajectory: Trajectory) -> str:
    """What a person wants to know of a run, in a few lines."""
    energy, entry = trajectory.energy, request.entry
    accuracy = f"rtol {request.rtol:g}" if trajectory.integrator == "adaptive" else f"dt {trajectory.dt:g} s"
    method = f"{trajectory.integrator}, {accuracy}; {trajectory.dynamics} dynamics"
    lines = {
        "simulated": f"{trajectory.t[-1]:g} s in {trajectory.steps:,} steps ({method})",
        "took": f"{trajectory.wall_s:.2f} s, and {trajectory.compile_s:.2f} s to compile",
    }
    if entry.conservative:
        lines["energy drift"] = f"{energy.drift.max():.1e} of the largest kinetic energy"
    else:
        unit = trajectory.model.units.energy
        lines["energy"] = f"from {energy.total[0]:.6g} to {energy.total[-1]:.6g} {unit}; the scene's forces give and take some"
    if trajectory.joint_drift is not None:
        lines["joint drift"] = f"{trajectory.joint_drift.max():.1e}: how far the joints, as constraints, were open at most"
    files = {"animation": request.html, "energy plot": request.plot, "final state": request.json}
    lines |= {what: str(path) for what, path in files.items() if path}
    name = f"{entry.title} ({', '.join(filter(None, (entry.name, entry.reference)))})"
    return "\n".join([name, *(f"  {label:<13}{text}" for label, text in lines.items())])


if __name__ == "__main__":
    sys.exit(main())
