"""What forces along paths, and muscles among them, do at states: arrays with a last axis of paths, and moment arms.

    r = -dl/dq,    tau = r T

r has a number for each rate, so that ldot = -r . qdot beside what time alone changes: of a hinge a length, of a slide a pure number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from redmax.components.one_line import OneLine
from redmax.dynamics.common.force_report import FIBRES, UNIT, States, force_report
from redmax.errors import SceneError, unknown
from redmax.forces.path import PathForce
from redmax.model.model import Model
from redmax.muscles.fibres import Fibres
from redmax.muscles.muscle import Muscle

if TYPE_CHECKING:
    from redmax.dynamics.kinematics import Kinematics

OF_PATHS = ("length", "rate", "tension", "potential", "power")
OF_MUSCLES = (*OF_PATHS, "activation", *FIBRES)


@dataclass(frozen=True, eq=False, repr=False)
class PathStates(OneLine):
    """Forces along paths (muscles, cables, springs between points, your own) at states (...): arrays (..., paths).

    names: of the paths, along that axis; `states[name]` is one of them, with arrays (...)
    length (m), rate (m/s), tension (N, positive if it pulls), potential: the energy stored (J), power: given to the bodies (W)
    moment_arms: (..., paths, nv), -d(length)/dq for each rate; `moment_arm(joint)` has those of one joint
    """

    names: tuple[str, ...]
    length: np.ndarray
    rate: np.ndarray
    tension: np.ndarray
    potential: np.ndarray
    power: np.ndarray
    moment_arms: np.ndarray
    model: Model = field(repr=False, kw_only=True)

    def __getitem__(self, name: str) -> Self:
        """One path, by its name."""
        if name not in self.names:
            raise SceneError(unknown(self.kind(), name, list(self.names)))
        k = self.names.index(name)
        picked = {n: getattr(self, n)[..., k] for n in self.arrays()}
        return replace(self, names=(name,), moment_arms=self.moment_arms[..., k, :], **picked)

    @classmethod
    def kind(cls) -> str:
        """What messages call one of them."""
        return "force along a path"

    @classmethod
    def arrays(cls) -> list[str]:
        """The names of the fields that have a number for each path."""
        return [f.name for f in fields(cls) if f.name not in ("names", "moment_arms", "model")]

    def moment_arm(self, joint: str) -> np.ndarray:
        """(..., paths, dof) about the coordinates of a joint, named by itself or its body."""
        return self.moment_arms[..., self.model.v_slice(joint)]

    @property
    def torques(self) -> np.ndarray:
        """(..., paths, nv): what each does to the coordinates, moment arm times tension."""
        return self.moment_arms * self.tension[..., None]


@dataclass(frozen=True, eq=False, repr=False)
class MuscleStates(Fibres, PathStates):
    """Muscles at states (...): arrays (..., muscles), those of `Fibres` among them.

    activation, excitation: from 0 to 1; excitation is the activation itself where that is given
    """

    activation: np.ndarray
    excitation: np.ndarray

    @classmethod
    def kind(cls) -> str:
        """What messages call one of them."""
        return "muscle"


def paths_of(model: Model) -> list[PathForce]:
    """The forces along paths, in the order in which they were added."""
    return [force for force in model.forces if isinstance(force, PathForce)]


def muscles_of(model: Model) -> list[Muscle]:
    """Those of them that are muscles."""
    return [force for force in model.forces if isinstance(force, Muscle)]


def rates_crossed(model: Model, force: PathForce) -> list[int]:
    """The rates that change the length of a path: of joints with some of its points behind them and some not, and what moves a point."""
    points = [frozenset() if a.member < 0 else behind(model, force.bodies[a.member].index) for a in force.anchors]
    joints = frozenset.union(*points) - frozenset.intersection(*points)
    found = {rate for i in joints for rate in range(model.offsets[i], model.offsets[i + 1])}
    moved = {int(model.offsets[force.joints[m.joint].index]) + m.coordinate for m in force.movers if m is not None}
    return sorted(map(int, found | moved))


def behind(model: Model, i: int) -> frozenset[int]:
    """The joints that carry a body: its own, and those up to the world."""
    found: list[int] = []
    while i >= 0:
        found.append(i)
        i = model.links[i].parent
    return frozenset(found)


def path_states(dynamics: Kinematics, states: States) -> PathStates:
    """Of all forces along paths."""
    return PathStates(**found_arrays(dynamics, states, paths_of(dynamics.model), OF_PATHS, {}), model=dynamics.model)


def muscle_states(dynamics: Kinematics, states: States, activations: Mapping[str, np.ndarray]) -> MuscleStates:
    """Of all muscles. activations: (...) by name, instead of their own."""
    forces = muscles_of(dynamics.model)
    found = found_arrays(dynamics, states, forces, OF_MUSCLES, activations)
    excitation = found["activation"].copy()  # of those whose activation is given
    for k, force in enumerate(forces):
        if force.dynamics is not None:
            excitation[..., k] = excitations(force, states.t)
    return MuscleStates(**found, excitation=excitation, model=dynamics.model)


def excitations(force: Muscle, t: np.ndarray) -> np.ndarray:
    """Of a muscle at times (...). They are no part of the law of its tension, whose kernels muscles with other excitations share."""
    times, places = np.unique(t, return_inverse=True)
    return np.array([float(force.excited(time)) for time in times.tolist()])[places].reshape(t.shape)


def found_arrays(
    dynamics: Kinematics, states: States, forces: Sequence[PathForce], names: Sequence[str], activations: Mapping[str, np.ndarray]
) -> dict[str, Any]:
    """The fields of the states of these forces, but for the model: names, (..., paths) each, and the moment arms."""
    model, lead = dynamics.model, states.qdot.shape[:-1]
    arms, columns = np.zeros((*lead, len(forces), model.nv), dynamics.dtype), np.zeros((len(names), *lead, len(forces)), dynamics.dtype)
    for k, force in enumerate(forces):
        unit = 6 * len(force.bodies) + sum(model.links[b.index].joint.dof for b in force.joints)
        found = force_report(dynamics, force, states, {**dict.fromkeys(names, 1), UNIT: unit}, activations.get(force.name or ""))
        arms[..., k, :] = moment_arms(dynamics, force, states, found.pop(UNIT))
        columns[..., k] = [x[..., 0] for x in found.values()]
    return {"names": tuple(str(f.name) for f in forces), **dict(zip(names, columns, strict=True)), "moment_arms": arms}


def moment_arms(dynamics: Kinematics, force: PathForce, states: States, unit: np.ndarray) -> np.ndarray:
    """(..., nv) = J' (wrenches of a tension of 1), and what moves its points over their bodies. unit: as forces/unit_pull.py has it."""
    model, bodies = dynamics.model, [b.index for b in force.bodies]
    y = np.zeros((*unit.shape[:-1], len(model.links), 6))
    y[..., bodies, :] = unit[..., : 6 * len(bodies)].reshape(*unit.shape[:-1], len(bodies), 6)
    arms = dynamics.jacobian_transposed_product(states.q, y, states.t)
    start = 6 * len(bodies)
    for b in force.joints:
        own = slice(*model.offsets[b.index : b.index + 2])
        arms[..., own] += unit[..., start : start + own.stop - own.start]
        start += own.stop - own.start
    return arms
