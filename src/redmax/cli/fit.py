"""`redmax fit`: a joint from a file of measured poses, as a scene file, with a report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from redmax.cli import completion
from redmax.cli.console import say
from redmax.cli.examples import with_examples
from redmax.cli.extras import missing
from redmax.cli.making import making
from redmax.cli.options import Debug
from redmax.cli.outputs import KINDS, SCENES, check_files
from redmax.errors import RedmaxError

if TYPE_CHECKING:
    from redmax.design.data.pose_files import MeasuredPoses

DATA, JOINT = "What the file has", "The joint"
FEW = 12  # poses: a curve goes through so many; of more it has so many control frames
LOSSES = ("huber", "cauchy", "tukey")
Poses = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="Poses: .csv, .sto, .mot, .npy or .npz.", show_default=False, autocompletion=completion.pose_files),
]
Out = Annotated[Path | None, typer.Option(metavar="FILE.yaml", help="The joint, in a scene file with one body.")]
Report = Annotated[Path | None, typer.Option(metavar="FILE.html", help="One page with plots and numbers, to be read offline.")]
Json = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="The fit as numbers; - for standard output, and nothing else there.")
]
Parameter = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="The column that is the coordinate; of a surface once for each.", rich_help_panel=DATA),
]
BodyName = Annotated[str | None, typer.Option("--body", metavar="NAME", help="Whose columns, of several bodies.", rich_help_panel=DATA)]
Lengths = Annotated[str | None, typer.Option(metavar="UNIT", help="Of positions: m, cm or mm.", rich_help_panel=DATA)]
Angles = Annotated[str | None, typer.Option(metavar="UNIT", help="Of rotations and the parameter: rad or deg.", rich_help_panel=DATA)]
Quaternions = Annotated[str | None, typer.Option(metavar="ORDER", help="Of arrays: wxyz or xyzw.", rich_help_panel=DATA)]
Grid = Annotated[
    str | None,
    typer.Option("--grid", metavar="N,M", help="A surface, of so many control values along each parameter.", rich_help_panel=JOINT),
]
Metric = Annotated[
    float | None,
    typer.Option("--metric", metavar="METRES", help="What counts as much as a radian.", show_default="1", rich_help_panel=JOINT),
]
Count = Annotated[
    int | None,
    typer.Option("--frames", metavar="N", help="Control frames.", show_default=f"one for each pose, at most {FEW}", rich_help_panel=JOINT),
]
Order = Annotated[int, typer.Option(metavar="K", help="Of the spline; 4 is cubic.", rich_help_panel=JOINT)]
Cyclic = Annotated[bool, typer.Option("--cyclic", metavar="", help="The motion closes on itself.", rich_help_panel=JOINT)]
Period = Annotated[float | None, typer.Option(metavar="Q", help="After how much of the parameter.", rich_help_panel=JOINT)]
LossName = Annotated[
    str | None,
    typer.Option("--loss", metavar="NAME:SCALE", help="Outliers count less: huber:0.05; cauchy, tukey.", rich_help_panel=JOINT),
]
Smoothing = Annotated[
    str | None,
    typer.Option(metavar="WEIGHT", help="Of bending: a number, cross-validation or l-curve.", rich_help_panel=JOINT),
]
Stop = Annotated[float, typer.Option(metavar="K", help="Of a spring beyond both ends, in the scene file (N m/rad).", rich_help_panel=JOINT)]


@with_examples(
    ("redmax fit knee.csv --out knee.yaml", "a scene to run"),
    ("redmax fit knee.csv --report knee.html", "how well it fits"),
    ("redmax fit walk.sto --body tibia_r --parameter knee", "of OpenSim"),
    ("redmax fit knee.csv --frames 6 --loss huber:0.02 --json -", "outliers"),
    ("redmax fit knee.csv --smoothing cross-validation", "noisy poses"),
    ("redmax fit blade.npz --grid 6,5", "a surface"),
)
def fit(
    file: Poses, out: Out = None, report: Report = None, json_file: Json = None,
    parameter: Parameter = None, body: BodyName = None, lengths: Lengths = None, angles: Angles = None, quaternions: Quaternions = None,
    frames: Count = None, grid: Grid = None, order: Order = 4, cyclic: Cyclic = False, period: Period = None, metric: Metric = None,
    loss: LossName = None, smoothing: Smoothing = None, stop: Stop = 100.0, debug: Debug = False,
) -> int:  # fmt: skip
    """Fit a joint to measured poses."""
    import redmax as rm
    from redmax.cli.fitted import FittedCurve, FittedSurface

    quiet = json_file is not None and str(json_file) == "-"
    files = {"--out": out, "--report": report, "--json": None if quiet else json_file}
    named = {option: path for option, path in files.items() if path is not None}
    check_files(named, file, KINDS | {"--out": SCENES, "--report": (".html", ".htm")})
    if report is not None and missing("--plot", "--report"):
        raise RedmaxError(missing("--plot", "--report"))
    law, weight = parsed_loss(loss), parsed_smoothing(smoothing)
    found: Any = rm.read_poses(
        file, body=body, parameters=parameter or None, lengths=lengths, angles=angles, quaternions=quaternions  # type: ignore[arg-type]
    )  # fmt: skip
    asked: dict[str, Any] = {"order": order, "loss": law, "metric": metric}
    if grid is None:
        check_one(found, file)
        asked |= {"frames": counted(frames, found, weight, 3 if cyclic else order), "cyclic": cyclic, "period": period}
        fitted: Any = FittedCurve(found, weight, asked)
    else:
        check_surface({"--frames": frames, "--cyclic": cyclic or None, "--period": period}, weight)
        fitted = FittedSurface(found, asked | {"grid": parsed_grid(grid, found), "smoothing": weight}, stop)
    made = fitted.made
    if out is not None:
        fitted.scene(file.stem, stop).save(out)
    if report is not None:
        with making(report):
            fitted.report(report, f"{file.name}: a joint fitted to poses")
    if json_file is not None:
        text = json.dumps(fitted.numbers(), indent=2)
        if quiet:
            say(text)
        else:
            from redmax.writing import write_text

            write_text(json_file, text + "\n")
    if not quiet:
        facts = [f"  {label:<16}{text}" for label, text in fitted.facts().items()]
        say("\n".join([file.name, *facts, *[f"  {o.strip('-'):<13}{path}" for o, path in named.items()]]))
    if not made.converged:
        say(f"Warning: the fit is not at a minimum. {made.reason}", err=True)
    return 0


def check_one(found: MeasuredPoses, file: Path) -> None:
    """A curve has one parameter."""
    if found.parameters is not None and found.parameters.ndim > 1:
        example = ",".join(["6"] * found.parameters.shape[1])
        said = f"'{file}' has several parameters, {', '.join(found.names)}; a curve has one"
        raise RedmaxError(f"{said}. Say --grid {example} for a surface.")


def check_surface(of_curves: dict[str, Any], smoothing: Any) -> None:
    """What goes with curves alone."""
    option = next((option for option, value in of_curves.items() if value is not None), None)
    if option is not None:
        raise RedmaxError(f"{option} is of a curve, and --grid asks for a surface. Leave one of them out.")
    if isinstance(smoothing, str):
        raise RedmaxError(f"--smoothing {smoothing} is for curves; of a surface it is a number, such as 1e-4.")


def parsed_grid(text: str, found: MeasuredPoses) -> tuple[int, ...]:
    """As many numbers as there are parameters, if the file has any."""
    parts = text.replace("x", ",").split(",")
    counts = tuple(int(part) for part in parts if part.strip().isdigit())
    wanted = 0 if found.parameters is None else found.parameters.reshape(len(found), -1).shape[1]
    if len(counts) != len(parts) or wanted not in (0, len(counts)):
        each = f"{wanted} numbers, one for each of {', '.join(found.names)}" if wanted else "one to three numbers"
        raise RedmaxError(f"--grid is {text!r}, expected {each}: control values along each parameter, as 6,5.")
    return counts


def counted(frames: int | None, found: MeasuredPoses, smoothing: Any, least: int) -> int | None:
    """How many control frames: through a few poses, and not more of them for many. least: of the order"""
    from redmax.design.poses import two_at_one

    if frames is not None:
        return frames
    u, known = found.parameters, np.isfinite(found.poses[:, 0, 0])
    different = int(known.sum()) if u is None else len(np.unique(u[known]))
    if different < least:
        many = f"{different} poses" if u is None else f"poses at {different} different values of {found.names[0]}"
        fix = f"Measure more, or say --frames {least} --smoothing 1e-3, by which there may be more frames than poses"
        raise RedmaxError(f"There are {many}, and a curve has {least} control frames or more. {fix}.")
    if len(found) > FEW or smoothing is not None:
        return min(len(found), FEW)
    two = None if u is None else two_at_one(u, found.poses)
    if u is None or two is None:
        return None
    i, j = (found.rows[k] for k in two)
    said = f"{i} and {j} have the same {found.names[0]}, {u[two[0]]:.6g}, and the curve passes between their poses"
    say(f"Warning: {said}. Leave one of them out; or say --frames, if it is to pass between others too.", err=True)
    return different


def parsed_loss(text: str | None) -> Any:
    """A robust loss from "huber:0.02"."""
    import redmax as rm

    if text is None:
        return None
    name, _, scale = text.partition(":")
    try:
        size = float(scale)
    except ValueError:
        size = 0.0
    if name.lower() not in LOSSES or not size > 0:
        raise RedmaxError(f"--loss is {text!r}, expected {', '.join(LOSSES)} with a scale (rad and m): huber:0.02.")
    return {"huber": rm.Huber, "cauchy": rm.Cauchy, "tukey": rm.Tukey}[name.lower()](size)


def parsed_smoothing(text: str | None) -> Any:
    """A weight, or the way to find it."""
    if text is None or text in ("cross-validation", "l-curve"):
        return text
    try:
        return float(text)
    except ValueError:
        raise RedmaxError(f"--smoothing is {text!r}, expected a number, cross-validation or l-curve.") from None
