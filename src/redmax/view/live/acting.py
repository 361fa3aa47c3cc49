"""What forces along paths do at one sample: the line of a spring or a muscle, with its activation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.dynamics.common.force_report import body_numbers, frame_of
from redmax.forces.base import Force, Site
from redmax.forces.law import sites_of
from redmax.forces.path import PathForce
from redmax.model.model import Model
from redmax.view.live.recording import Recording


@dataclass(frozen=True, eq=False)
class ActingLine:
    """points: (n, 3) in the world that take part; level: the activation of a muscle, None for others."""

    points: NDArray[np.float64]
    level: float | None


def paths(model: Model) -> list[Force]:
    """The forces that are lines between places."""
    return [force for force in model.forces if len(force.anchors) > 1]


def line(force: Force, seen: Recording, i: int) -> ActingLine:
    """A force along a path at sample i."""
    force, sites = placed(force, seen, i)
    points = np.array([site.x for site in sites], float)
    if isinstance(force, PathForce):
        gates = [force.open(k) for k in range(len(sites))]
        points = points[[gate is None or float(gate) > 0 for gate in gates]]
    level: Any = getattr(force, "level", None)
    return ActingLine(points, None if level is None else float(level(float(seen.t[i]))))


def placed(force: Force, seen: Recording, i: int) -> tuple[Force, list[Site]]:
    """The force with the coordinates and states it reads, and its sites, at sample i."""
    model = seen.model
    frames = [frame_of(body_numbers(seen.pose[i, b.index], seen.twist[i, b.index])) for b in force.bodies]
    parts = model.configurations.parts()
    read = [(seen.q[i, parts[b.index]], seen.qdot[i, model.offsets[b.index] : model.offsets[b.index + 1]]) for b in force.joints]
    states = [float(seen.qdot[i, model.offsets[link]]) for link in model.states.get(force.name or "", ())]
    force = force.replaced(coordinates=read, states=states)
    return force, list(sites_of(force, frames))
