"""`redmax ik`: the motion of a scene that follows markers and frames, or configurations that reach them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from redmax.cli import completion
from redmax.cli.console import say
from redmax.cli.examples import with_examples
from redmax.cli.making import making
from redmax.cli.options import Debug, Settings
from redmax.cli.outputs import check_files
from redmax.errors import RedmaxError

if TYPE_CHECKING:
    from redmax.design.data.target_files import MovingTargets
    from redmax.design.motion import Motion
    from redmax.design.reach.inverse_kinematics import InverseKinematics
    from redmax.design.reach.reached import Reached
    from redmax.model.model import Model
    from redmax.run.trajectory import Trajectory

SHOWN = 6  # names in a sentence
LINES, RESTARTS = 20, 50  # rows of which each has a line; of the search for one row
Scene = Annotated[
    str, typer.Argument(metavar="SCENE", help="A scene file, or a name of `redmax scenes`.", autocompletion=completion.scene_names)
]
Targets = Annotated[Path, typer.Option(metavar="FILE", help="Markers or poses (.csv, .trc, .c3d, .sto, .mot).", show_default=False)]
Out = Annotated[Path, typer.Option(metavar="FILE.h5", help="The motion, as a result file.", show_default=False)]
Cutoff = Annotated[float | None, typer.Option(metavar="HZ", help="How fast a motion is followed.", show_default="from the data")]
Fixed = Annotated[
    list[str] | None,
    typer.Option("--fixed", metavar="JOINT", help="Stays where it starts; may be given several times.", autocompletion=completion.joints),
]
Muscles = Annotated[
    Path | None,
    typer.Option("--activations", metavar="FILE.sto", help="Of muscles that move it so with least effort (.sto, .mot, .csv)."),
]
NoLimits = Annotated[bool, typer.Option("--no-limits", metavar="", help="Go beyond the limits of joints.")]
Lengths = Annotated[str | None, typer.Option(metavar="m|cm|mm", help="Unit of the file.", show_default="what it says")]
Up = Annotated[str, typer.Option(metavar="z|y", help="Axis of the file that is up.")]


@with_examples(
    ("redmax ik leg.yaml --targets walk.trc --out walk.h5", "a motion of markers"),
    ("redmax ik leg.yaml --targets a.csv --out a.h5 --cutoff 6", "up to 6 Hz"),
    ("redmax view walk.h5", "look at it"),
    ("redmax plot walk.h5 --what torques", "what it takes"),
)
def ik(
    scene: Scene, targets: Targets, out: Out, cutoff: Cutoff = None, fixed: Fixed = None, no_limits: NoLimits = False,
    lengths: Lengths = None, up: Up = "z", activations: Muscles = None, settings: Settings = None, debug: Debug = False,
) -> int:  # fmt: skip
    """Find the motion of a scene that follows markers or frames, and write it as a run.

    The names of markers and of poses are those of frames or bodies of the scene. The motion is smooth, within limits and with loops closed;
    the result has the torques that it takes. Rows without times, or fewer than four, are reached one by one, and held there.
    """
    from redmax.cli.sources import check_there, find_scene, parsed_settings
    from redmax.design.data.motion_table import SUFFIXES, check_suffix
    from redmax.design.data.target_files import read_targets
    from redmax.design.reach.inverse_kinematics import InverseKinematics
    from redmax.design.smoothing_spline import LEAST
    from redmax.design.track import track

    files = {"--out": out} | ({} if activations is None else {"--activations": activations})
    check_files(files, targets, further={"--activations": lambda path: check_suffix(path, "--activations", SUFFIXES)})
    check_there(targets)
    model = find_scene(scene, parsed_settings(settings)).scene().model()
    goals = read_targets(targets, lengths=lengths, up=up)  # type: ignore[arg-type]
    aims, wanted = aimed(followed(model, goals, targets), goals)
    aim = InverseKinematics(model, aims, fixed=fixed or (), limits=not no_limits)
    if goals.times is not None and len(goals) >= LEAST:
        found = track(aim, goals.times, wanted, cutoff)
        motion, words = found.motion, found.report()
    else:
        motion, words = one_by_one(aim, goals, wanted)
    run, efforts = driven(model, motion, activations)
    with making(out):
        run.save(out)
    say("\n".join([words, *efforts]))
    say(f"Wrote {out}. Look at it with: redmax view {out}")
    return 0


def driven(model: Model, motion: Motion, activations: Path | None) -> tuple[Trajectory, list[str]]:
    """The motion as a run, driven by torques, or by muscles, whose activations are written; and what is to be said of these."""
    from redmax.design.data.motion_table import MotionTable, write_motion
    from redmax.design.inverse_motion import inverse_dynamics
    from redmax.design.static_optimisation import static_optimisation

    if activations is None:
        return inverse_dynamics(model, motion).run(), []
    found = static_optimisation(model, motion)
    with making(activations):
        write_motion(activations, MotionTable(found.names, motion.t, found.activation))
    k = np.unravel_index(int(found.activation.argmax()), found.activation.shape)
    most = f"  {len(found.names)} muscles: {found.names[k[1]]} is most active, {found.activation[k]:.3g} at t = {motion.t[k[0]]:g} s"
    shown = set(found.names) <= set(model.states)  # a run has the activations of muscles that follow an excitation
    run = found.run() if shown else inverse_dynamics(model, motion).run()
    return run, [most, *[f"  {sentence}" for sentence in found.unmet]]


def aimed(names: Sequence[str], goals: MovingTargets) -> tuple[list[Any], dict[str, np.ndarray]]:
    """The targets, and what each is to reach in each row."""
    from redmax.design.targets import FrameTarget, MarkerTarget, OrientationTarget

    aims: list[Any] = []
    wanted: dict[str, np.ndarray] = {}
    markers = [name for name in names if name in goals.names]
    if markers:
        aims.append(MarkerTarget(markers))
        wanted["markers"] = goals.of_markers(markers)
    for kind, known in ((FrameTarget, goals.poses), (OrientationTarget, goals.turns)):
        own = {name: known[name] for name in names if name in known}
        aims += [kind(name) for name in own]
        wanted |= own
    return aims, wanted


def one_by_one(aim: InverseKinematics, goals: MovingTargets, wanted: dict[str, np.ndarray]) -> tuple[Motion, str]:
    """Each row by itself, at rest, and how near it comes."""
    from redmax.design.motion import Motion

    found = aim.solve(wanted, restarts=RESTARTS)
    rest = np.zeros((len(goals), aim.model.nv))
    times = np.arange(float(len(goals))) if goals.times is None else goals.times
    return Motion(aim.model, times, found.q, rest, rest), rows_in_words(found)


def rows_in_words(found: Reached) -> str:
    """Of each row why it ended there; of many, how many came how far."""
    if len(found.q) > LINES:
        return found.report()
    return "\n".join(f"row {k}: {found.world(k - 1).reason}" for k in range(1, len(found.q) + 1))


def followed(model: Model, goals: MovingTargets, file: Path) -> list[str]:
    """The goals that the scene has a frame or a body for; others are left out, and named."""
    known = names_of(model)
    ours = [name for name in goals.of if name in known]
    others = [name for name in goals.of if name not in known]
    if not ours:
        has = listed(sorted(known)) or "none"
        said = f"'{file}' has the markers {listed(others)}, and the scene no frames or bodies of these names. It has: {has}."
        raise RedmaxError(f"{said} Give it frames: scene.add_frame({others[0]!r}, body, place), or in its file under frames.")
    if others:
        say(f"Left out, as the scene has no frames or bodies of these names: {listed(others)}.", err=True)
    unseen = {name for name in goals.names if not np.isfinite(goals.of_markers([name])[..., 0]).any()}
    return [name for name in ours if name not in unseen]


def names_of(model: Model) -> set[str]:
    """Frames and bodies that a marker may be on."""
    frames = () if model.scene is None else model.scene.frames
    return {link.name for link in model.bodies} | {str(getattr(frame, "name", frame)) for frame in frames}


def listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
