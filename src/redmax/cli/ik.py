"""`redmax ik`: the motion of a scene that follows markers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    from redmax.design.data.markers import Markers
    from redmax.model.model import Model

SHOWN = 6  # names in a sentence
Scene = Annotated[
    str, typer.Argument(metavar="SCENE", help="A scene file, or a name of `redmax scenes`.", autocompletion=completion.scene_names)
]
Targets = Annotated[Path, typer.Option(metavar="FILE", help="Where markers were seen (.csv, .trc, .c3d).", show_default=False)]
Out = Annotated[Path, typer.Option(metavar="FILE.h5", help="The motion, as a result file.", show_default=False)]
Cutoff = Annotated[float | None, typer.Option(metavar="HZ", help="How fast a motion is followed.", show_default="from the data")]
Fixed = Annotated[
    list[str] | None,
    typer.Option("--fixed", metavar="JOINT", help="Stays where it starts; may be given several times.", autocompletion=completion.joints),
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
    lengths: Lengths = None, up: Up = "z", settings: Settings = None, debug: Debug = False,
) -> int:  # fmt: skip
    """Find the motion of a scene that follows markers, and write it as a run.

    The names of markers are those of frames or bodies of the scene. The motion is smooth, within limits and with loops closed; the result
    has the torques that it takes.
    """
    from redmax.cli.sources import check_there, find_scene, parsed_settings
    from redmax.design.data.marker_files import read_markers
    from redmax.design.inverse_motion import inverse_dynamics
    from redmax.design.reach.inverse_kinematics import InverseKinematics
    from redmax.design.targets.marker import MarkerTarget
    from redmax.design.track import track

    check_files({"--out": out}, targets)
    check_there(targets)
    model = find_scene(scene, parsed_settings(settings)).scene().model()
    markers = read_markers(targets, lengths=lengths, up=up)  # type: ignore[arg-type]
    names = followed(model, markers, targets)
    aim = InverseKinematics(model, MarkerTarget(names), fixed=fixed or (), limits=not no_limits)
    found = track(aim, markers.times, {"markers": markers.of(*names)}, cutoff)
    run = inverse_dynamics(model, found.motion).run()
    with making(out):
        run.save(out)
    say(found.report())
    say(f"Wrote {out}. Look at it with: redmax view {out}")
    return 0


def followed(model: Model, markers: Markers, file: Path) -> list[str]:
    """The markers that the scene has a frame or a body for; others are left out, and named."""
    known = names_of(model)
    ours = [name for name in markers.names if name in known]
    others = [name for name in markers.names if name not in known]
    if not ours:
        has = listed(sorted(known)) or "none"
        said = f"'{file}' has the markers {listed(others)}, and the scene no frames or bodies of these names. It has: {has}."
        raise RedmaxError(f"{said} Give it frames: scene.add_frame({others[0]!r}, body, place), or in its file under frames.")
    if others:
        say(f"Left out, as the scene has no frames or bodies of these names: {listed(others)}.", err=True)
    seen = np.any(np.isfinite(markers.of(*ours)[..., 0]), axis=0).tolist()
    return [name for name, there in zip(ours, seen, strict=True) if there]


def names_of(model: Model) -> set[str]:
    """Frames and bodies that a marker may be on."""
    frames = () if model.scene is None else model.scene.frames
    return {link.name for link in model.bodies} | {str(getattr(frame, "name", frame)) for frame in frames}


def listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
