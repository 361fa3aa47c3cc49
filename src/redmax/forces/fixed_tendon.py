"""FixedTendon: a spring and a damper over the coordinates of several joints.

    L = sum_i c_i q_i,    T = k (L - rest) + d Ldot,    tau_i = -c_i T,    V = 1/2 k (L - rest)^2        (MuJoCo, tendon/fixed)

Its stiffness c_i c_j k and damping c_i c_j d stand between any two of the joints (forces/coordinate_law.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from redmax.arguments import brief
from redmax.components.checks import finite
from redmax.components.data_and_structure import one_line
from redmax.components.given import FromZero, JointWeights, RestLength
from redmax.components.handles import BodyHandle
from redmax.errors import SceneError, wrong
from redmax.forces.base import Force, Site
from redmax.forces.checks import nonnegative
from redmax.joints.base import Joint
from redmax.joints.turning import has_lasting_rates
from redmax.math import maximum, minimum
from redmax.types import Value

VALID_REST = "a finite number, or two of them, the lower one first"


class FixedTendon(Force):
    """A tendon of length L = sum c q over coordinates of joints, with the tension T = k (L - rest) + d dL/dt: tau = -c T in each of them.

    joints: {joint: c}: joints, by a body or a name, each with its coefficient (m/rad of angles; as many as the joint has coordinates)
    stiffness, damping: k (N/m) and d (N s/m)
    rest: length at which it is relaxed (m), or (lower, upper), between which it is slack; where the scene begins unless given
    """

    on_coordinates = True
    held = ("joints",)

    def __init__(
        self, joints: JointWeights, *, stiffness: FromZero = 0.0, damping: FromZero = 0.0, rest: RestLength | None = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        self.name = name
        if not isinstance(joints, Mapping) or not joints:
            raise wrong(self.label, "joints", joints, 'joints with their coefficients, such as {"hip": 1.0, "knee": -0.5}')
        self.bodies, self.anchors, self.joints = (), (), tuple(map(self.named, joints))
        self.weights = tuple(np.atleast_1d(self.weight(*pair)) for pair in joints.items())
        self.stiffness, self.damping = (nonnegative(self.label, n, x) for n, x in (("stiffness", stiffness), ("damping", damping)))
        self.rest = None if rest is None else finite(self.label, "rest", rest, ((), (2,)), VALID_REST)
        if self.rest is not None and self.rest.ndim and self.rest[0] > self.rest[1]:
            raise wrong(self.label, "rest", rest, VALID_REST)

    def named(self, given: Any) -> BodyHandle:
        """A handle, or one that is found by its name once the scene is known."""
        if not isinstance(given, BodyHandle | str):
            raise wrong(self.label, "joints", given, "bodies whose joints they are, or names, each with a coefficient")
        return given  # type: ignore[return-value]

    def weight(self, joint: Any, given: Any) -> np.ndarray:
        """c of one joint."""
        valid = f"a number for {one_line(getattr(joint, 'name', joint))}, or as many as it has coordinates"
        return finite(self.label, "joints", given, ((), (-1,)), valid)

    def check_added(self, joints: Sequence[Joint]) -> None:
        names = [handle.joint for handle in self.joints]
        for name, joint, c in zip(names, joints, self.weights, strict=True):
            what = f"{self.label} reads the joint {name!r}, {type(joint).__name__},"
            if joint.nq != joint.dof:
                why = f"has {joint.nq} coordinates for {joint.dof} velocities. Use exponential coordinates or angles"
                raise SceneError(f"{what} which {why}.", owner=self.label, argument="joints")
            if not has_lasting_rates(joint):
                why = "may exchange its coordinates for others during a run. Use a joint that keeps them"
                raise SceneError(f"{what} which {why}.", owner=self.label, argument="joints")
            if len(c) != joint.dof:
                has = f"which has {joint.dof} coordinates" if joint.dof else "which has no degree of freedom"
                raise SceneError(f"{what} {has}, with the coefficients {brief(c.tolist())}.", owner=self.label, argument="joints")
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise SceneError(f"{self.label} has the joint {twice!r} twice. Add its coefficients.", owner=self.label, argument="joints")

    def settled(self, sites: Sequence[Site]) -> Self:
        return self if self.rest is not None else self.replaced(rest=np.asarray(self.length_and_rate()[0], float))

    def length_and_rate(self, sites: Sequence[Site] = ()) -> tuple[Any, Any]:
        """L and its rate, where the force is evaluated."""
        length: Any = 0.0
        rate: Any = 0.0
        for c, (q, qdot) in zip(self.weights, self.coordinates, strict=True):
            for k in range(len(c)):
                length, rate = length + c[k] * q[k], rate + c[k] * qdot[k]
        return length, rate

    def stretch(self, length: Value) -> Any:
        """How far it is from where it is relaxed."""
        rest: Any = self.rest  # which is known once the scene is
        if np.ndim(rest) == 0:
            return length - rest
        lower, upper = rest
        return length - minimum(maximum(length, lower), upper)

    def tension(self, length: Value, rate: Value, t: Value) -> Any:
        """T."""
        return self.stiffness * self.stretch(length) + self.damping * rate

    def potential(self, sites: Sequence[Site], t: Value) -> Any:
        away = self.stretch(self.length_and_rate()[0])
        return 0.5 * self.stiffness * away * away

    def torques(self, t: Value) -> list[Any]:
        """tau of each joint, (dof,)."""
        T = self.tension(*self.length_and_rate(), t)
        return [-T * c for c in self.weights]

    def wrenches(self, sites: Sequence[Site], t: Value) -> list[Any]:
        return []

    def __repr__(self) -> str:
        names = [getattr(joint, "joint", joint) for joint in self.joints]
        weights = ", ".join(f"{n}: {one_line(c.item() if len(c) == 1 else c)}" for n, c in zip(names, self.weights, strict=True))
        more = [f"{n}={one_line(v)}" for n in ("stiffness", "damping", "rest", "name") if (v := getattr(self, n)) is not None]
        return f"FixedTendon({', '.join([f'{{{weights}}}', *more])})"
