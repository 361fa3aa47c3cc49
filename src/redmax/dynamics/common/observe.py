"""What one reads off a state: poses and twists of the bodies, energy, momentum.

Kinetic energy is 1/2 V^T M V, and that of rotors; potential energy -m g . x + 1/2 k (q - rest)^2 (RedMax notes Sec. 1.6; joint_laws.py),
momentum the wrench-like (angular about the world's origin; linear) in world axes, of the bodies alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.components.one_line import OneLine
from redmax.dynamics.common.joint_laws import energy_within
from redmax.dynamics.common.kinematics import coordinates, motion, rotor_torque
from redmax.lie import Adjoint
from redmax.program.fields import Fields
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Part, forward, interactions, once, recursion


@dataclass(frozen=True, eq=False, repr=False)
class Observation(OneLine):
    """What there is to see of states (...).

    kinetic, potential: (...) J;  momentum: (..., 6) angular about the origin, then linear, in world axes
    pose: (..., bodies, 4, 4) of the body frames in the world;  twist: (..., bodies, 6) angular, then linear, in body axes
    """

    kinetic: np.ndarray
    potential: np.ndarray
    momentum: np.ndarray
    pose: np.ndarray
    twist: np.ndarray

    @property
    def total(self) -> np.ndarray:
        """Total energy (J)."""
        return self.kinetic + self.potential


@once
def nothing_yet(w: WorldView) -> None:
    w.kinetic, w.potential, w.momentum = 0.0, 0.0, np.zeros(6)


@forward
def place(j: JointView, p: ParentView, w: WorldView) -> None:
    X, m = motion(j, j.qdot, w)
    V = (X @ p.V) + m.twist(j.qdot)
    Rp = np.asarray(p.R, object).reshape(3, 3)
    R = Rp @ X.R
    x = p.x + Rp @ np.asarray(X.p, object)
    j.R, j.x, j.V = R.ravel(), x, V

    body_R = R @ j.body_R
    j.pose = np.concatenate([body_R, (x + R @ j.body_p)[:, None]], axis=1).ravel()
    j.twist = Adjoint(j.body_R, j.body_p) @ V

    if not j.counted:  # it keeps a state, and is nothing that moves
        return
    P = j.M @ V
    w.gather("kinetic", 0.5 * (dot(V, P) + dot(j.qdot, rotor_torque(j, m.S, j.qdot))))
    stored = j.joint.potential(j.q) if j.joint.has_own("potential") else 0.0
    for force in j.joint_forces:
        stored = stored + force.potential(coordinates(j))
    weight = -(dot(j.gravity, x) * j.mass_value + dot(j.gravity, R @ j.first_moment))
    w.gather("potential", weight + energy_within(j.joint, j.stiffness, j.rest, coordinates(j)) + stored)
    w.gather("momentum", Adjoint(R, x).T @ P)


def dot(a: Any, b: Any) -> Any:
    total: Any = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


reset = recursion(nothing_yet, name="reset")
observe = recursion(place, interactions(Part.POTENTIAL), name="observe")

OBSERVE_FIELDS = Fields(
    down={"V": 6, "R": 9, "x": 3},
    state={"q": "q", "qdot": "v", "pose": 12, "twist": 6},
    world={"t": 1, "kinetic": 1, "potential": 1, "momentum": 6},
)
