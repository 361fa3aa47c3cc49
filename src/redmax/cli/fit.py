"""`redmax fit`: a joint from a file of measured poses, as a scene file, with a report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    from redmax.design.curves import CurveFit
    from redmax.design.data.pose_files import MeasuredPoses

DATA, JOINT = "What the file has", "The joint"
DIGITS = 12  # after the point, of frames in the scene file: short enough to be read, and far below what is measured
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
    str | None, typer.Option(metavar="NAME", help="The column that is the coordinate, such as flexion.", rich_help_panel=DATA)
]
BodyName = Annotated[str | None, typer.Option("--body", metavar="NAME", help="Whose columns, of several bodies.", rich_help_panel=DATA)]
Lengths = Annotated[str | None, typer.Option(metavar="UNIT", help="Of positions: m, cm or mm.", rich_help_panel=DATA)]
Angles = Annotated[str | None, typer.Option(metavar="UNIT", help="Of rotations and the parameter: rad or deg.", rich_help_panel=DATA)]
Quaternions = Annotated[str | None, typer.Option(metavar="ORDER", help="Of arrays: wxyz or xyzw.", rich_help_panel=DATA)]
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
)
def fit(
    file: Poses, out: Out = None, report: Report = None, json_file: Json = None,
    parameter: Parameter = None, body: BodyName = None, lengths: Lengths = None, angles: Angles = None, quaternions: Quaternions = None,
    frames: Count = None, order: Order = 4, cyclic: Cyclic = False, period: Period = None, loss: LossName = None,
    smoothing: Smoothing = None, stop: Stop = 100.0, debug: Debug = False,
) -> int:  # fmt: skip
    """Fit a joint to measured poses."""
    import redmax as rm

    quiet = json_file is not None and str(json_file) == "-"
    files = {"--out": out, "--report": report, "--json": None if quiet else json_file}
    named = {option: path for option, path in files.items() if path is not None}
    check_files(named, file, KINDS | {"--out": SCENES, "--report": (".html", ".htm")})
    if report is not None and missing("--plot", "--report"):
        raise RedmaxError(missing("--plot", "--report"))
    law, weight = parsed_loss(loss), parsed_smoothing(smoothing)
    found: Any = rm.read_poses(
        file, body=body, parameters=parameter, lengths=lengths, angles=angles, quaternions=quaternions  # type: ignore[arg-type]
    )  # fmt: skip
    if found.parameters is not None and found.parameters.ndim > 1:
        raise RedmaxError(f"'{file}' has several parameters, {', '.join(found.names)}; a curve has one. Fit a surface: rm.fit_surface.")
    asked: dict[str, Any] = {"frames": counted(frames, found, weight), "order": order, "cyclic": cyclic, "period": period, "loss": law}
    made = rm.fit_curve(found.poses, found.parameters, smoothing=weight, **asked)
    name = found.names[0] if found.names else "q"
    if out is not None:
        scene_of(made, file.stem, stop).save(out)
    if report is not None:
        before = rm.fit_curve(found.poses, found.parameters, **asked) if comparable(weight, asked, found) else None
        with making(report):
            rm.fit_report(made, found.poses, report, title=f"{file.name}: a joint fitted to poses", name=name, before=before)
    if json_file is not None:
        text = json.dumps(numbers(made, found, name), indent=2)
        if quiet:
            say(text)
        else:
            from redmax.writing import write_text

            write_text(json_file, text + "\n")
    if not quiet:
        say("\n".join([file.name, *lines(made, found, name), *[f"  {o.strip('-'):<13}{path}" for o, path in named.items()]]))
    if not made.converged:
        say(f"Warning: the fit is not at a minimum. {made.reason}", err=True)
    return 0


def counted(frames: int | None, found: MeasuredPoses, smoothing: Any) -> int | None:
    """How many control frames: through a few poses, and not more of them for many."""
    if frames is not None:
        return frames
    return None if len(found) <= FEW and smoothing is None else min(len(found), FEW)


def comparable(smoothing: Any, asked: dict[str, Any], found: MeasuredPoses) -> bool:
    """Whether a fit without smoothing can stand beside one with it: of known parameters, with no more frames than poses."""
    import numpy as np

    known = int(np.isfinite(found.poses).all(axis=(1, 2)).sum())
    return smoothing is not None and found.parameters is not None and (asked["frames"] or 0) <= known


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


def scene_of(made: CurveFit, name: str, stop: float) -> Any:
    """One body on the joint, its frames as rows that can be edited by hand."""
    import numpy as np

    import redmax as rm

    joint, closed = made.joint, made.joint.axis.cyclic
    limits: dict[str, Any] = {} if closed else {"outside": "limit", "limit_stiffness": stop}
    rows = rm.SplineCurve(np.round(rm.frame_rows(made.frames), DIGITS), order=joint.axis.order, knots=made.knots, cyclic=closed, **limits)
    low, high = joint.range
    scene = rm.Scene(title=f"A joint fitted to the poses of {name}")
    scene.add_body(rm.Capsule(0.04, 0.3, mass=3.0), joint=rows, com=(0, 0, -0.2), q=0.5 * (low + high), name="body", joint_name=name)
    return scene


def lines(made: CurveFit, found: MeasuredPoses, name: str) -> list[str]:
    """What a person wants to know."""
    from redmax.view.fit_facts import facts_of

    return [f"  {label:<16}{text}" for label, text in facts_of(made, found.poses, name).items()]


def numbers(made: CurveFit, found: MeasuredPoses, name: str) -> dict[str, Any]:
    """What --json writes."""
    import redmax as rm

    low, high = made.joint.range
    return {
        "poses": len(found),
        "coordinate": name,
        "range": [low, high],
        "order": made.joint.axis.order,
        "cyclic": made.joint.axis.cyclic,
        "knots": made.knots.tolist(),
        "frames": rm.frame_rows(made.frames).tolist(),
        "parameters": [None if x != x else x for x in made.parameters.tolist()],
        "residuals": [[None if x != x else x for x in row] for row in made.residuals.tolist()],
        "angle_rms": made.angle,
        "distance_rms": made.distance,
        "objective": made.objective,
        "smoothing": made.smoothing,
        "iterations": len(made.log),
        "converged": made.converged,
        "reason": made.reason,
    }
