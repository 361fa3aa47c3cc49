"""Where coordinates may go: ranges of limits (JointLimit, HardLimit, splines) and of motions that are defined for some coordinates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from redmax.constraints.hard_limit import HardLimit
from redmax.errors import SceneError
from redmax.forces.joint_limit import JointLimit
from redmax.model.model import Model
from redmax.run.coordinate_units import units_of_rates


@dataclass(frozen=True, eq=False)
class Bounds:
    """Of velocities' coordinates. lower, upper: (nv,), infinite where there is none; place: (nv,), where the coordinate lies in a
    configuration, -1 where steps go along a group; movable: (nv,); unit: (nv,) what is much: 1 rad, or the mechanism's size; size: n."""

    lower: np.ndarray
    upper: np.ndarray
    place: np.ndarray
    movable: np.ndarray
    unit: np.ndarray
    words: tuple[str, ...]
    size: int

    def room(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(worlds, nv) each: how far down and up coordinates of configurations (worlds, n) may go."""
        here = np.where(self.place >= 0, q[:, self.place], 0.0)
        return self.lower - here, self.upper - here

    def within(self, q: np.ndarray) -> np.ndarray:
        """The nearest configurations that keep the bounds."""
        return self.clipped(q.copy())

    def clipped(self, q: np.ndarray) -> np.ndarray:
        """The same in their place."""
        low, high = self.ends
        return np.minimum(np.maximum(q, low, out=q), high, out=q)

    @cached_property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """(n,) each: of all numbers of a configuration."""
        found, known = (np.full(self.size, -np.inf), np.full(self.size, np.inf)), self.place >= 0
        for side, bound in zip(found, (self.lower, self.upper), strict=True):
            side[self.place[known]] = bound[known]
        return found

    def random(self, rng: np.random.Generator, model: Model, count: int, near: np.ndarray) -> np.ndarray:
        """Configurations (count, n): anywhere in the bounds, or up to half a turn or pi times the mechanism's size from `near`."""
        low, high = self.room(near)
        both = np.isfinite(low) & np.isfinite(high)
        reach = np.pi * self.unit
        low, high = (np.where(both, x, np.clip(x, -reach, reach)) for x in (low, high))
        step = np.where(self.movable, rng.uniform(low, high), 0.0)
        q, charts = model.configurations.split(near)
        return self.within(model.configurations.join(model.moved(q, step), charts if charts.size else None))


def bounds_of(model: Model, fixed: Iterable[str], size: float, limits: bool) -> Bounds:
    """Of a model. fixed: joints that stay where they start; limits: whether limits count."""
    n = model.nv
    lower, upper, place = np.full(n, -np.inf), np.full(n, np.inf), np.full(n, -1)
    movable = np.zeros(n, bool)
    for i, link in enumerate(model.bodies):
        own = slice(int(model.offsets[i]), int(model.offsets[i + 1]))
        movable[own] = not model.prescribed[i]
        if link.joint.nq != link.joint.dof:
            continue
        place[own] = model.configurations.offsets[i] + np.arange(link.joint.dof)
        sides = [(f.lower, f.upper) for f in model.within_joint(i) if isinstance(f, JointLimit)] if limits else []
        if limits:
            sides += [(c.lower, c.upper) for c in model.constraints if isinstance(c, HardLimit) and c.joints[0].index == i]
        if limits and link.joint.free_range is not None:
            sides.append(tuple(np.array(link.joint.free_range, float).T))
        if link.joint.domain is not None:
            sides.append(tuple(np.array(link.joint.domain, float).T))
        for low, high in sides:
            lower[own], upper[own] = np.maximum(lower[own], low), np.minimum(upper[own], high)
    for name in fixed:
        movable[model.v_slice(name)] = False
    crossed = np.flatnonzero(lower > upper)
    if len(crossed):
        k = int(crossed[0])
        joint = model.joint_of(k)
        raise SceneError(f"The limits of joint {joint!r} leave it no range: from {lower[k]:g} to {upper[k]:g}.", owner=joint)
    units = units_of_rates(model)
    unit = np.array([size if name == model.units.length else 1.0 for name in units])
    return Bounds(lower, upper, place, movable, unit, tuple(coordinate_names(model)), model.configurations.size)


def coordinate_names(model: Model) -> list[str]:
    """(nv,): "elbow" of a joint of one velocity, "wrist.q1" of one of several."""
    dofs = [link.joint.dof for link in model.links]
    return [name if n == 1 else f"{name}.q{k}" for name, n in zip(model.joint_names, dofs, strict=True) for k in range(n)]
