"""One of each constraint, between bodies a and b, a place of the world, and joints "one" (2 coordinates) and "two" (1)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import redmax as rm
from redmax.constraints.base import Constraint
from redmax.constraints.pulley import Winding
from redmax.lie import se3, so3

A, B = rm.BodyHandle("a", 0, "a"), rm.BodyHandle("b", 1, "b")
JOINTS = {"one": rm.Universal(), "two": rm.Revolute("z")}
TILT = se3.pose(so3.exp(np.array([0.4, -0.7, 0.9])), np.array([0.1, 0.2, -0.3]))
OTHER = se3.pose(TILT[:3, :3] @ so3.exp(np.array([0.0, 0.6, 0.0])), np.array([-0.2, 0.1, 0.4]))  # the same y, as wheels of a belt have
P, Q = A.point(0.1, 0.2, -0.1), B.point(-0.3, 0.1, 0.2)
HERE = (1.0, -0.5, 0.7)


def wheels(sign: Winding = "positive") -> list:
    """Two pulleys side by side, between points: with parallel axes where the bodies are parallel, which the rows do not ask for."""
    return [P, rm.Pulley((A, TILT), 0.12), rm.Pulley((B, OTHER), 0.2, winding=sign), HERE]


def slot(s):
    return [s, 0.3 * rm.math.sin(s), 0.2 * s * s]


def moving(t):
    return [rm.math.sin(2 * t), t * t, rm.math.cos(t)]


def turning(t):
    return rm.pose(rm.rotation_about("x", rm.math.sin(3 * t)), [t, 0.0, t * t])


SAMPLES: dict[str, Callable[[], Constraint]] = {
    "Distance": lambda: rm.Distance(P, Q, 0.8, gain=3),
    "Distance to the world": lambda: rm.Distance(P, HERE, 0.8, gain=3),
    "Rope": lambda: rm.Rope([P, HERE, Q, A], 2.0, gain=3),
    "Rope over pulleys": lambda: rm.Rope(wheels(), 2.0, gain=3),
    "Rope that crosses": lambda: rm.Rope(wheels("negative"), 2.0, slack=False, gain=3),
    "Rope, closed": lambda: rm.Rope([rm.Pulley((A, TILT), 0.1), Q, HERE], 2.0, closed=True, gain=3),
    "Belt": lambda: rm.Belt([rm.Pulley((A, TILT), 0.12), rm.Pulley((B, OTHER), 0.2)], gain=3),
    "Belt with ends": lambda: rm.Belt(wheels(), closed=False, gain=3),
    "PointClosure": lambda: rm.PointClosure(P, Q, gain=3),
    "HingeClosure": lambda: rm.HingeClosure((A, TILT), (B, OTHER), "y", (1, 2, 3), gain=3),
    "UniversalClosure": lambda: rm.UniversalClosure((A, TILT), (B, OTHER), (1, 0, 1), gain=3),
    "WeldClosure": lambda: rm.WeldClosure((A, TILT), (B, OTHER), gain=3),
    "PointInPlane": lambda: rm.PointInPlane(P, (B, OTHER), (1, -1, 2), gain=3),
    "PointOnCurve": lambda: rm.PointOnCurve(P, rm.curves.Curve(slot, (-2, 2)), (B, OTHER), gain=3),
    "PrescribedPoint": lambda: rm.PrescribedPoint(P, moving, gain=3),
    "PrescribedPoint on another": lambda: rm.PrescribedPoint(P, moving, relative_to=(B, OTHER), gain=3),
    "PrescribedFrame": lambda: rm.PrescribedFrame((A, TILT), turning, relative_to=B, gain=3),
    "HardLimit": lambda: rm.HardLimit("one", [-0.5, None], [0.7, 0.9], gain=3),
    "Gear": lambda: rm.Gear("one", "two", -2.5, phase=0.2, coordinates=(1, 0), gain=3),
    "ScrewCoupling": lambda: rm.ScrewCoupling("two", "one", 0.01, offset=0.1, gain=3),
    "EqualAngles": lambda: rm.EqualAngles(["two", "two'"], gain=3),
    "Coupling": lambda: rm.Coupling({"one": (1.0, -2.0), "two": 0.5}, 0.3, gain=3),
    "PrescribedCoordinate": lambda: rm.PrescribedCoordinate("one", lambda t: [rm.math.sin(t), t * t], gain=3),
    "own, of positions": lambda: rm.constraint(
        lambda a, b, q, t, k: [k * (a.x @ b.x) - t, a.R[0, 1] * q[1] * q[0]], bodies=[P, (B, OTHER)], joints=["one"], rows=2, k=0.3, gain=3
    ),
    "own, of velocities": lambda: rm.constraint(
        lambda a, q, qdot, t: [a.v @ a.x + q[0] * qdot[1] - t, a.omega @ a.R[:, 0]], bodies=[P], joints=["one"], rows=2, velocities=True,
        gain=3,
    ),
    "own, a limit": lambda: rm.constraint(lambda a: a.x[2], bodies=[P], lower=-0.1, upper=0.4, gain=3),
}  # fmt: skip


def made(name: str) -> Constraint:
    """A sample, with the rows that its joints ask for."""
    sample = SAMPLES[name]()
    joints = [JOINTS[str(n).rstrip("'")] for n in sample.joints]
    return sample.fitted(joints)


def dofs(sample: Constraint) -> tuple[int, ...]:
    """Of the joints that it reads."""
    return tuple(JOINTS[str(n).rstrip("'")].dof for n in sample.joints)


def scene_with(*names: str, placed: np.ndarray | None = None) -> rm.Scene:
    """A scene of all bodies and joints, somewhere, with these samples. placed: all of it turned by this pose, gravity too."""
    C = np.eye(4) if placed is None else placed
    scene = rm.Scene(gravity=C[:3, :3] @ np.array([0.3, -0.2, -9.81]))
    R = so3.exp(np.array([0.2, 0.1, -0.3]))
    turned = [se3.pose(R, np.array(x)) for x in ((0, 0, 0), (2, 0.1, -0.2))]
    for handle, E in zip((A, B), turned, strict=True):
        scene.add_body(
            rm.Cuboid((0.3, 0.2, 0.1)), joint=rm.Free3D(), at=C @ E, name=handle.name, q=(0.05, -0.1, 0.02, 0.1, 0.2, -0.1),
            qdot=(0.3, -0.2, 0.1, 0.4, 0.2, -0.3),
        )  # fmt: skip
    for name, joint in JOINTS.items():
        scene.add_body(rm.Cuboid((0.3, 0.2, 0.1)), joint=joint, name=name, at=C, com=(0.2, 0.1, 0), q=0.2 * np.ones(joint.dof))
    scene.add_body(rm.Sphere(0.1), joint=JOINTS["two"], name="two'", at=C, com=(0.2, 0.1, 0))
    for name in names:
        scene.add_constraint(SAMPLES[name]())
    return scene
