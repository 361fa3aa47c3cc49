"""The quantities of a run that are those of the frames that its scene names: rows of the table in run/quantities.py.

Their columns in tables are called by the frame: "tool.x", "tool.quaternion.w", "tool.omega.x", "tool.v.x". Files need none of them: they
follow from the states, whose scene has the frames.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from redmax.components.handles import FrameHandle
from redmax.lie import to_quaternion
from redmax.model.model import Model
from redmax.run.quantity import TWIST, XYZ, Heading, Quantity, frames_of, in_units

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory


def of_frames(run: Trajectory, size: int, function: Callable[[FrameHandle], np.ndarray]) -> np.ndarray:
    """(time, ..., frames, size) of a function that gives (time, ..., size) for each."""
    found = [function(frame) for frame in frames_of(run.model)]
    return np.stack(found, axis=-2) if found else np.zeros((*run.q.shape[:-1], 0, size), run.q.dtype)


def positions(run: Trajectory) -> np.ndarray:
    return of_frames(run, 3, lambda frame: run.pose(frame)[..., :3, 3])


def quaternions(run: Trajectory) -> np.ndarray:
    return of_frames(run, 4, lambda frame: to_quaternion(run.pose(frame)[..., :3, :3]))


def twists(run: Trajectory) -> np.ndarray:
    return of_frames(run, 6, lambda frame: run.twist(frame, "hybrid"))


def columns(labels: tuple[str, ...], unit: str, model: Model) -> list[tuple[int, Heading]]:
    """One for each frame and label."""
    units = in_units(unit, model).split("; ")
    named = [(label, units[k * len(units) // len(labels)]) for k, label in enumerate(labels)]
    found = [Heading(None, label, f"{frame.name}.{label}", of) for frame in frames_of(model) for label, of in named]
    return list(enumerate(found))


def row(name: str, about: str, axis: str, unit: str, values: Callable[[Trajectory], np.ndarray], labels: tuple[str, ...]) -> Quantity:
    return Quantity(name, about, ("frame", axis), unit, values, array=False, table="frames", columns=partial(columns, labels, unit))


FRAME_QUANTITIES = (
    row("frame_position", "origins of the frames that the scene names, in the world", "xyz", "{L}", positions, XYZ),
    row("frame_quaternion", "of their axes, w >= 0", "wxyz", "1", quaternions, tuple(f"quaternion.{axis}" for axis in "wxyz")),
    row("frame_twist", "of these frames, at their origins, in world axes", "angular; linear", "rad/s; {L}/s", twists, TWIST),
)
