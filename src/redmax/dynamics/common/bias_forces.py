"""What gravity and velocities do to the coordinates, each by itself, in O(n), beside the forces tau and those of the scene:

    M(q) qddot = tau + weight + swing + ...,      weight = sum of J' (m g),      swing = -sum of J' (M a0 - ad(V)' M V) - (rotors)

a0 is what is left of the bodies' accelerations without qddot: Coriolis and centrifugal ones, and those of joints that depend on time.
"""

from __future__ import annotations

from redmax.dynamics.common.kinematics import ad, has_ball_rotor, minus_ad_transposed, motion, rotor_bias, stack, still
from redmax.lie.three import cross
from redmax.program.fields import Fields
from redmax.program.program import Program
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import backward, forward, recursion
from redmax.trace.vector import vector_of


@forward
def fall(j: JointView, p: ParentView, w: WorldView) -> None:
    """g in the axes of each joint frame, and the weight of its body there."""
    j.X, j.S = still(j, w)
    j.g = vector_of(list(j.X.R.T @ (j.gravity if j.root else p.g)))
    if j.counted:
        j.F = stack(cross(list(j.first_moment), list(j.g)), list(j.mass_value * j.g))


@forward
def swing(j: JointView, p: ParentView, w: WorldView) -> None:
    """What the body's motion with qddot = 0 takes away from what acts on it."""
    X, m = motion(j, j.qdot, w)
    twist = m.twist(j.qdot)
    j.V = (X @ p.V) + twist
    j.A = (X @ p.A) + ad(j.V, twist) + m.bias(j.qdot)
    j.X, j.S = X, m.S
    if j.counted:
        j.F = -((j.M @ j.A) + minus_ad_transposed(j.V, j.M @ j.V))
    if has_ball_rotor(j):
        j.swung = rotor_bias(j, m)


@backward
def onto_coordinates(j: JointView, p: ParentView) -> None:
    """J' F."""
    X, F = j.X, j.F + j.F_children if j.counted else j.F_children
    j.force = j.S.T @ F - j.swung if "swung" in j else j.S.T @ F
    p.F_children += X.T @ F


GRAVITY = Program(
    "gravity forces",
    (recursion(fall, onto_coordinates, name="gravity forces"),),
    Fields(down={"g": 3}, up={"F_children": 6}, state={"q": "q", "force": "v"}, world={"t": 1}),
    ("q", "t"),
    ("force",),
)
CORIOLIS = Program(
    "Coriolis forces",
    (recursion(swing, onto_coordinates, name="Coriolis forces"),),
    Fields(down={"V": 6, "A": 6}, up={"F_children": 6}, state={"q": "q", "qdot": "v", "force": "v"}, world={"t": 1}),
    ("q", "qdot", "t"),
    ("force",),
)
