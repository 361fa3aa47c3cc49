"""`redmax plot`: energies, coordinates, reactions and muscles of a run over time; moment arms also over a coordinate."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from redmax.cli import completion
from redmax.cli.console import say
from redmax.cli.examples import with_examples
from redmax.cli.extras import missing
from redmax.cli.making import making
from redmax.cli.options import Debug, Settings, Source
from redmax.cli.outputs import PLOTS, check_files
from redmax.cli.simulated import before_it_moves, trajectory_of
from redmax.errors import RedmaxError
from redmax.run.quantities import plots

NAMES = list(plots())
What = Annotated[str, typer.Option(metavar="NAME", help=f"{', '.join(NAMES[:-1])} or {NAMES[-1]}.", autocompletion=completion.quantities)]
Joints = Annotated[
    list[str] | None,
    typer.Option(
        "--joint", metavar="NAME", help="Only this joint, by its name or its body's; may be given several times.",
        autocompletion=completion.joints,
    ),
]  # fmt: skip
Muscles = Annotated[
    list[str] | None,
    typer.Option(
        "--muscle",
        metavar="NAME",
        help="Only this muscle, or other force along a path; may be given several times.",
        autocompletion=completion.muscles,
    ),
]
Constraints = Annotated[
    list[str] | None,
    typer.Option(
        "--constraint", metavar="NAME", help="Only this constraint; may be given several times.", autocompletion=completion.constraints
    ),
]
Over = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Plot moment arms over this coordinate, such as knee or hip.q1; nothing is run for it.",
        autocompletion=completion.joints,
    ),
]
Between = Annotated[
    tuple[float, float] | None,
    typer.Option(metavar="LOW HIGH", help="Its range, in rad or the unit of length.", show_default="the limits of the joint"),
]
Out = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Where to: .png, .svg or .pdf.", show_default="FILE-WHAT.png in this folder")
]
Window = Annotated[bool, typer.Option("--window", metavar="", help="Show it in a window instead.")]


@with_examples(
    ("redmax plot arm.h5", "energies, to arm-energy.png"),
    ("redmax plot arm.h5 --what rates --joint forearm", "of the elbow"),
    ("redmax plot arm.h5 --what coordinates --out q.svg", "all coordinates"),
    ("redmax plot windmill --window", "run it first"),
    ("redmax plot arm --what muscles --muscle biceps", "activation, force, fibres"),
    ("redmax plot kick --what moment-arms --over knee", "over the angle of the knee"),
)
def plot(
    file: Source, what: What = "energy", joints: Joints = None, muscles: Muscles = None, over: Over = None, between: Between = None,
    constraints: Constraints = None, out: Out = None, window: Window = False, settings: Settings = None, debug: Debug = False,
) -> int:  # fmt: skip
    """Plot a run over time, to a file or in a window."""
    from redmax.view.path_plots import PathChoice
    from redmax.view.plots import check_window, checked_quantity

    what = checked_quantity(what, joints, PathChoice(muscles or None, joints, over, between, constraints or None))
    if window and out:
        raise RedmaxError("--out and --window: give one of them.")
    unmet = missing("--plot", "redmax plot")
    if unmet:
        raise RedmaxError(unmet)
    path = None if window else out or Path(f"{Path(file.replace(':', '-')).stem}-{what}.png")
    if window:
        check_window()
    if path:
        check_files({"--out": path}, Path(file), {"--out": PLOTS})
    trajectory, status = trajectory_of(file, settings) if over is None else (before_it_moves(file, settings), 0)
    with making(path) if path else nullcontext():
        chosen = {"joints": joints, "muscles": muscles or None, "constraints": constraints or None}
        trajectory.plot(path, what=what, over=over, between=between, **chosen)
    if path:
        say(f"Wrote {path}.")
    return status
