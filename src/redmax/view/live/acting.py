"""What forces do at one sample: the line of a spring or a muscle with its activation, and arrows of what pulls and turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.forces import AppliedWrench, PointForce
from redmax.forces.base import Force, Site
from redmax.forces.law import sites_of
from redmax.forces.path import PathForce
from redmax.model.links import Wrench
from redmax.model.model import Model
from redmax.run.force_history import body_numbers, frame_of
from redmax.view.live.recording import Recording


@dataclass(frozen=True, eq=False)
class Line:
    """points: (n, 3) in the world that take part; level: the activation of a muscle, None for others."""

    points: NDArray[np.float64]
    level: float | None


@dataclass(frozen=True, eq=False)
class Arrow:
    """vector: a force (N) or a torque (N m) in world axes, at a point (3,) of the world."""

    point: NDArray[np.float64]
    vector: NDArray[np.float64]
    kind: str


def paths(model: Model) -> list[Force]:
    """The forces that are lines between places."""
    return [force for force in model.forces if len(force.anchors) > 1]


def line(force: Force, seen: Recording, i: int) -> Line:
    """A force along a path at sample i."""
    force, sites = placed(force, seen, i)
    points = np.array([site.x for site in sites], float)
    if isinstance(force, PathForce):
        gates = [force.open(k) for k in range(len(sites))]
        points = points[[gate is None or float(gate) > 0 for gate in gates]]
    level: Any = getattr(force, "level", None)
    return Line(points, None if level is None else float(level(float(seen.t[i]))))


def arrows(seen: Recording, i: int) -> list[Arrow]:
    """The forces and torques that are applied at sample i, those that are zero left out."""
    found = []
    for force in seen.model.forces:
        if isinstance(force, PointForce | AppliedWrench):
            acting, sites = placed(force, seen, i)
            for site, (torque, pull) in zip(sites, acting.wrenches(sites, float(seen.t[i])), strict=True):
                found += [Arrow(numbers(site.x), numbers(pull), "force"), Arrow(numbers(site.x), numbers(torque), "torque")]
    for wrench in seen.model.wrenches:
        found += applied(wrench, seen.pose[i, wrench.body], float(seen.t[i]))
    return [arrow for arrow in found if np.linalg.norm(arrow.vector) > 0]


def applied(wrench: Wrench, pose: NDArray[np.float64], t: float) -> list[Arrow]:
    """The arrows of a wrench on a body, which may be given in its axes."""
    value, R = numbers(wrench.value(t)), pose[:3, :3]
    torque, force = (value[:3], value[3:]) if wrench.frame == "world" else (R @ value[:3], R @ value[3:])
    point = R @ np.asarray(wrench.point) + pose[:3, 3]
    return [Arrow(point, force, "force"), Arrow(point, torque, "torque")]


def placed(force: Force, seen: Recording, i: int) -> tuple[Force, list[Site]]:
    """The force with the coordinates and states it reads, and its sites, at sample i."""
    model = seen.model
    frames = [frame_of(body_numbers(seen.pose[i, b.index], seen.twist[i, b.index])) for b in force.bodies]
    parts = model.configurations.parts()
    read = [(seen.q[i, parts[b.index]], seen.qdot[i, model.offsets[b.index] : model.offsets[b.index + 1]]) for b in force.joints]
    states = [float(seen.qdot[i, model.offsets[link]]) for link in model.states.get(force.name or "", ())]
    force = force.replaced(coordinates=read, states=states)
    return force, list(sites_of(force, frames))


def numbers(values: Any) -> NDArray[np.float64]:
    return np.zeros(3) if values is None else np.array([float(x) for x in values])
