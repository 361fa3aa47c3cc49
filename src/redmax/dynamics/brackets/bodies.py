"""What brackets do not know of: the inertia of each body, how gravity accelerates it, and all that acts on bodies and joints beside it.

    tau = sum of J' (M (Vdot + rest) - ad(V)' M V) + taken,     rest = -Ad(E^-1) (0; g)

`taken` is what springs, dampers, torques, forces and wrenches leave to be done, and what rotors take.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.common.kinematics import applied_wrench, felt, motion, passive_torque, place_frame, pushed, rotor_torque, still
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import Program
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Part, backward, forward, interactions, recursion
from redmax.trace.vector import vector_of


@forward
def weigh_bodies(j: JointView, p: ParentView, w: WorldView) -> None:
    X, _ = still(j, w)
    j.Vdot = j.rest = X @ p.Vdot
    j.inertia = np.asarray(j.M.matrix(), object).ravel()


BODIES = Program(
    "inertias of bodies",
    (recursion(weigh_bodies, name="inertias of bodies"),),
    Fields(down={"Vdot": 6}, state={"q": "q", "inertia": 36, "rest": 6}, world={"t": 1}),
    ("q", "t"),
    ("inertia", "rest"),
)


@forward
def move_bodies(j: JointView, p: ParentView, w: WorldView) -> None:
    X, m = motion(j, j.qdot, w)
    place_frame(j, p, X)
    j.X, j.S, j.V = X, m.S, (X @ p.V) + m.twist(j.qdot)
    j.F = vector_of(list(0.0 - applied_wrench(j, w)))
    j.within = passive_torque(j, w)


@backward
def leave_to_joints(j: JointView, p: ParentView) -> None:
    X = j.X
    F = j.F + j.F_children - felt(j)
    j.tau = j.S.T @ F - j.within - pushed(j) + rotor_torque(j, j.S, j.qddot)
    p.F_children += X.T @ F


taken = recursion(move_bodies, interactions(Part.WRENCH), leave_to_joints, name="forces and rotors")


def taken_program(model: Model, wrench: bool) -> Program:
    """`taken`, as "tau"."""
    placed, given = model.force_fields(), {"wrench": 6} if wrench else {}
    state: dict[str, Any] = {"q": "q", "qdot": "v", "qddot": "v", "tau": "v"} | given | placed["state"]
    fields = Fields(down={"V": 6} | placed["down"], up={"F_children": 6}, state=state, sums=placed["sums"], world={"t": 1})
    return Program("forces and rotors", (taken,), fields, ("q", "qdot", "qddot", "t", *given), ("tau",))
