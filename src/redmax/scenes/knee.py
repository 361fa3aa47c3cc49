"""A leg that kicks, with a knee that rolls and slides as it bends: one spline curve joint (after Lee & Terzopoulos Fig. 1).

The shin's upper end is a plateau, flat, that touches the thigh's condyle, whose radius shrinks from front to back,
r(a) = r0 exp(-c a). At flexion a the plateau lies across the condyle's normal there, and the contact has moved backwards on the plateau by
b (1 - exp(-a / a0)): at first the condyle almost rolls, later it slides. The spline's control frames are such poses.
"""

from math import pi, radians

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry

FRONT, SHRINK = 0.034, 0.3  # r0 (m) and c (1/rad) of the condyle
BACKWARDS, SOON = 0.016, radians(35)  # b (m) and a0
THIGH, SHIN, SIDE = 0.42, 0.38, 0.045  # lengths of the bones, and how far the shaft is beside the hip (m)
ACROSS = rm.rotation_about("x", pi / 2)  # what is drawn in x and y, in x and z
STEP, FIRST, LAST = radians(10), -1, 14  # between control frames, and the first and last of them in steps of flexion
STOP = 40.0  # stiffness of the ends of the range, J for a step squared


def condyle(a: float) -> np.ndarray:
    """The point (3,) where the outward normal is (-sin a, 0, -cos a): distal at a = 0, to the back with larger a; x is forward, z up.

    From dp/da = r(a) (-cos a, 0, sin a), with the distal point at the origin.
    """
    e, c = np.exp(-SHRINK * a), SHRINK
    x = (e * (np.sin(a) - c * np.cos(a)) + c) / (1 + c * c)
    z = (1 - e * (np.cos(a) + c * np.sin(a))) / (1 + c * c)
    return FRONT * np.array([-x, 0.0, z])


def moved_back(a: float) -> float:
    """How far behind the middle of the plateau the contact is (m)."""
    return BACKWARDS * (1 - np.exp(-a / SOON))


def shin_pose(a: float) -> np.ndarray:
    """The plateau's frame in that of the condyle at flexion a: turned by a about y, which swings the shin backwards."""
    R = rm.rotation_about("y", a)
    return rm.pose(R, condyle(a) + R @ (moved_back(a), 0, 0))


def knee() -> rm.SplineCurve:
    """q counts steps of STEP from straight; stiff springs end its range."""
    frames = [shin_pose(k * STEP) for k in range(FIRST, LAST + 1)]
    return rm.SplineCurve(frames, outside="limit", limit_stiffness=STOP)


def flexion(q: float) -> float:
    """The angle of the knee at q (rad)."""
    return (q + FIRST + 1) * STEP


def femur() -> rm.Composite:
    """From the hip at the origin down to the condyles, whose distal points are at the height -THIGH; the shaft is beside the head."""
    profile = np.array([condyle(a)[[0, 2]] for a in np.radians(np.linspace(-55, 150, 40))])
    condyles = [(rm.Extrusion(profile, 0.03, mass=0.15), rm.pose(ACROSS, (0, SIDE + y, -THIGH))) for y in (-0.021, 0.021)]
    above = rm.Ellipsoid((0.026, 0.036, 0.06), mass=0.2), (0, SIDE, 0.065 - THIGH)
    shaft = rm.Capsule(0.019, THIGH - 0.1, mass=1.0), (0, SIDE, -THIGH / 2)
    neck = rm.Capsule(0.017, 0.05, mass=0.1), rm.pose(rm.rotation_about("x", 1.0), (0, SIDE / 2, -0.018))
    return rm.Composite([(rm.Sphere(0.03, mass=0.2), (0, 0, 0)), neck, shaft, above, *condyles])


def tibia() -> rm.Composite:
    """From the plateau, whose surface is at the origin, down to the foot."""
    angle = 2 * pi * np.arange(48) / 48
    plateau = rm.Extrusion(np.column_stack([0.034 * np.cos(angle), 0.045 * np.sin(angle)]), 0.014, mass=0.2)
    head = [(plateau, (0, 0, -0.007)), (rm.Ellipsoid((0.027, 0.036, 0.05), mass=0.2), (0, 0, -0.03))]
    heel = rm.Ellipsoid((0.035, 0.028, 0.03), mass=0.2), (-0.02, 0, -SHIN)
    sole = rm.Ellipsoid((0.11, 0.034, 0.016), mass=0.5), rm.pose(rm.rotation_about("y", 0.12), (0.06, 0, -SHIN - 0.012))
    return rm.Composite([*head, (rm.Capsule(0.016, SHIN - 0.04, mass=0.9), (0, 0, -SHIN / 2)), heel, sole])


def build() -> rm.Scene:
    scene = rm.Scene()
    scene.add_body(rm.Torus(0.045, 0.016, mass=0.1), at=rm.pose(ACROSS, (0, 0, 0)), name="hip")
    thigh = scene.add_body(femur(), joint=rm.Revolute("y"), q=1.0, name="femur")
    scene.add_body(tibia(), parent=thigh, joint=knee(), at=(0, SIDE, -THIGH), q=9.0, name="tibia")
    return scene


ENTRIES = (Entry("spline-knee", "A kick with a knee that rolls and slides", build, ("spline curve", "revolute"), duration=6.0),)
