"""A leg that climbs a step: its foot goes where it is told, through a hip and an ankle that are hinges and a knee that rolls and slides.

Told are three poses of the sole: on the ground, lifted, on the step. Inverse kinematics finds angles of hip, knee and ankle for each, the
knee within the range of its data; between them the joints go smoothly. They follow that exactly (`motion=`), so that the run tells which
torques this takes: `run.torques["knee.motion"]`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry
from redmax.scenes.bones import ramp
from redmax.scenes.flexion import poses, thigh

HIP, FEMUR, SHANK, SOLE = 0.84, 0.40, 0.38, 0.06  # height of the hip, hip to condyle, plateau to ankle, ankle to sole (m)
STEP = (0.42, 0.2)  # middle and height of the step (m)
SOLES = ((-0.1, 0.0, 0.0), (0.1, 0.32, 0.2), (0.36, STEP[1], 0.0))  # forwards, up (m), and the toe down (rad): of the sole below the ankle
COLORS = {"thigh": "ivory", "shank": "goldenrod", "foot": "goldenrod"}
TIMES = ((0.3, 1.1), (1.0, 1.7))  # s: from when to when the foot is lifted, and put down


def shank() -> rm.Composite:
    """From the plateau at the origin down to the ankle."""
    head = rm.Ellipsoid((0.027, 0.036, 0.05), mass=0.3), (0, 0, -0.035)
    plateau = rm.Cylinder(0.036, 0.014, mass=0.2), (0, 0, -0.007)
    return rm.Composite([plateau, head, (rm.Capsule(0.016, SHANK - 0.04, mass=2.0), (0, 0, -SHANK / 2))])


def foot() -> rm.Composite:
    """Around the ankle; the sole is level."""
    heel = rm.Ellipsoid((0.035, 0.03, 0.03), mass=0.2), (-0.03, 0, 0.03 - SOLE)
    sole = rm.Ellipsoid((0.11, 0.036, 0.02), mass=0.6), (0.05, 0, 0.02 - SOLE)
    return rm.Composite([(rm.Sphere(0.024, mass=0.2), (0, 0, 0)), heel, sole])


def sole_pose(x: float, z: float, down: float) -> np.ndarray:
    """(4, 4)."""
    return rm.pose(rm.rotation_about("y", down), (x, 0, z))


def leg(q: np.ndarray, follow: bool) -> rm.Scene:
    """q: (3, 3), hip, knee and ankle on the ground, lifted, and on the step. follow: whether the joints move from one to the other"""
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.3, 0.3, STEP[1]), mass=10), at=(STEP[0], 0, STEP[1] / 2), name="step", color="steelblue")
    scene.add_body(rm.Ellipsoid((0.05, 0.06, 0.06), mass=1), at=(0, 0, HIP), name="pelvis", color="ivory")
    joints = {"hip": rm.Revolute("y"), "knee": rm.SplineCurve.through(*poses()), "ankle": rm.Revolute("y")}
    shapes = {"thigh": (thigh(), (0, 0, HIP)), "shank": (shank(), (0, 0, -FEMUR)), "foot": (foot(), (0, 0, -SHANK))}
    body: rm.BodyHandle | None = None
    for k, ((name, kind), (part, (shape, at))) in enumerate(zip(joints.items(), shapes.items(), strict=True)):
        motion = between(*map(float, q[:, k])) if follow else None
        place = (0, 0, -FEMUR) if name == "hip" else None
        body = scene.add_body(
            shape, parent=body, joint=kind, at=at, body=place, q=q[0, k], name=part, joint_name=name, color=COLORS[part], motion=motion
        )
    assert body is not None
    scene.add_frame("sole", body, (0, 0, -SOLE), relative_to="joint")
    return scene


def between(first: float, second: float, third: float) -> Callable[[Any], Any]:
    """A coordinate over time (s)."""
    lift, put = TIMES
    return lambda t: first + (second - first) * ramp(t, *lift) + (third - second) * ramp(t, *put)


def found() -> np.ndarray:
    """(3, 3): the coordinates of hip, knee and ankle with which the sole is where it is told."""
    start = np.array([-0.2, 0.6, -0.4])
    ik = rm.InverseKinematics(leg(np.tile(start, (3, 1)), follow=False), rm.FrameTarget("sole"))
    return ik.solve({"sole": np.array([sole_pose(*x) for x in SOLES])}).q


def build() -> rm.Scene:
    return leg(found(), follow=True)


FEATURES = ("inverse kinematics", "spline curve", "revolute", "prescribed motion")
TITLE = "A leg that climbs a step"
ENTRIES = (Entry("climbing-leg", TITLE, build, FEATURES, duration=2.2, conservative=False),)
