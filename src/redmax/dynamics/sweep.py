"""One coordinate swept over a range while all else stays where it is: what paths and muscles do along it, at rest.

The range is the one given; or else that of the joint's limits, that in which its motion is defined, or a quarter turn to both sides.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import pi
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_floats, brief
from redmax.components.checks import whole
from redmax.components.one_line import OneLine
from redmax.errors import SceneError, unknown
from redmax.forces.joint_limit import JointLimit
from redmax.model.model import Model

if TYPE_CHECKING:
    from redmax.dynamics.common.path_states import MuscleStates, PathStates
    from redmax.dynamics.paths import Activations, Paths

SIDE = pi / 2  # to which a coordinate without limits is swept, rad


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(OneLine):
    """name: of the coordinate, such as "knee.q0"; values: (count,) that it takes; q: (count, nq)

    paths, muscles: what forces along paths and muscles do there, as `Dynamics.paths` and `Dynamics.muscles` tell it
    """

    name: str
    values: np.ndarray
    q: np.ndarray
    dynamics: Paths = field(repr=False)
    activation: Activations = field(default=None, repr=False)
    t: float = 0.0

    @cached_property
    def paths(self) -> PathStates:
        """Length, tension and moment arms of all forces along paths, (count, paths); muscles with the activations of the state."""
        return self.dynamics.paths(self.q, t=self.t)

    @cached_property
    def muscles(self) -> MuscleStates:
        """What muscles do, (count, muscles), at the activation that was asked for."""
        return self.dynamics.muscles(self.q, activation=self.activation, t=self.t)


def sweep(
    dynamics: Paths, over: str, between: ArrayLike | None, count: int, q: ArrayLike | None, activation: Activations, t: float
) -> Sweep:
    """See `Dynamics.sweep`."""
    model = dynamics.model
    i, k = coordinate_named(model, over)
    base = model.configurations.join(model.q0) if q is None else as_floats(q)
    sizes = (model.nq, model.configurations.size)
    if base is None or base.ndim != 1 or len(base) not in sizes:
        raise SceneError(f"sweep: q must have shape ({model.nq},), one state. Got {brief(q)}.", argument="q")
    base = model.configurations.join(base) if len(base) == model.nq else base
    place = int(model.configurations.offsets[i]) + k
    low, high = range_of(model, i, k, float(base[place])) if between is None else checked_range(between)
    values = np.linspace(low, high, whole("sweep", "count", count, 2))
    states = np.tile(base, (len(values), 1))
    states[:, place] = values
    return Sweep(f"{model.joint_names[i]}.q{k}", values, states, dynamics, activation, float(t))


def coordinate_named(model: Model, name: str) -> tuple[int, int]:
    """The number of the joint, and that of the coordinate in it: of "knee", if it has but one, or of "knee.q1"."""
    moving = [(i, link) for i, link in enumerate(model.bodies) if link.joint.dof]
    known = {f"{n}.q{k}": (i, k) for i, link in moving for n in (link.name, link.joint_name) for k in range(link.joint.nq)}
    whole_joints = {n: i for i, link in reversed(moving) for n in (link.joint_name, link.name)}
    if not isinstance(name, str) or (name not in known and name not in whole_joints):
        raise SceneError(unknown("coordinate", name, [*reversed(whole_joints), *known]), argument="over")
    i, k = known[name] if name in known else (whole_joints[name], 0)
    joint = model.links[i].joint
    if joint.nq != joint.dof:
        why = f"has {joint.nq} coordinates for {joint.dof} velocities, of which none can be swept by itself. Pass states to muscles(q)"
        raise SceneError(f"The joint {brief(name)} {why}.", argument="over")
    if name not in known and joint.dof > 1:
        names = [f"{name}.q{k}" for k in range(joint.dof)]
        why = f"has {joint.dof} coordinates: give one of them, {', '.join(names)}" if joint.dof > 1 else "has none that can be swept"
        raise SceneError(f"The joint {brief(name)} {why}.", argument="over")
    return i, k


def range_of(model: Model, i: int, k: int, at: float) -> tuple[float, float]:
    """Where a coordinate may be. at: where it is."""
    limits = [f for f in model.within_joint(i) if isinstance(f, JointLimit)]
    low, high = (np.array([np.broadcast_to(getattr(f, side), model.links[i].joint.dof)[k] for f in limits]) for side in ("lower", "upper"))
    low, high = float(low.max(initial=-np.inf)), float(high.min(initial=np.inf))
    domain = model.links[i].joint.domain
    if domain is not None:
        low, high = max(low, domain[k][0]), min(high, domain[k][1])
    low, high = low if np.isfinite(low) else min(at, high) - SIDE, high if np.isfinite(high) else max(at, low) + SIDE
    return low, high


def checked_range(given: ArrayLike) -> tuple[float, float]:
    """Two numbers, the lower one first."""
    found = as_floats(given)
    if found is None or found.shape != (2,) or not np.isfinite(found).all() or not found[0] < found[1]:
        raise SceneError(f"sweep: between is {brief(given)}, expected two finite numbers, the lower one first.", argument="between")
    return float(found[0]), float(found[1])
