"""Three beads on a wire that is bent into a flower and turns on its stem (after Lee & Terzopoulos Fig. 5a).

Each bead follows the same closed spline curve, whose control frames are tangent to r = a (1 + b cos 5 phi), a little out of the plane.
With a hinge behind the spline, as one joint, a bead also spins about the wire. All three are on one orbit, one behind the other.
"""

from math import pi, sqrt

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry
from redmax.scenes.closed_curves import evenly, frames_along, tangent_frames, tube

RADIUS, PETALS, DEPTH, OUT = 0.75, 5, 0.32, 0.07  # of the flower (m), and how deep its petals are and how far they leave its plane
FRAMES, WIRE, BEAD = 100, 0.014, 0.06
ORDER = 6  # of the spline: accelerations are then as smooth as the integrator's fifth order wants them
TURNING, FASTEST = 1.0, 6.3  # rad/s of the flower, and m/s of a bead at the lowest point
STARTS = (10.0, 40.0, 75.0)  # q of the beads, apart by about the same time


def flower() -> rm.SplineCurve:
    """In the plane of x and z, one petal upwards; q = 0 is near the top, and q grows to the left and down."""
    phi = 2 * pi * np.arange(2000) / 2000
    r = RADIUS * (1 + DEPTH * np.cos(PETALS * phi))
    curve = np.stack([-r * np.sin(phi), OUT * RADIUS * np.sin(PETALS * phi), r * np.cos(phi)], axis=-1)
    return rm.SplineCurve(tangent_frames(evenly(curve, FRAMES), up=np.array([0, -1.0, 0])), order=ORDER, cyclic=True)


def speed(curve: rm.SplineCurve, q: float) -> float:
    """The rate of q with which a bead goes through q on the way that leads through the lowest point at FASTEST.

    In axes that turn with the wire, v^2 / 2 + g z - w^2 r^2 / 2 is the same everywhere, as long as the wire turns evenly.
    """
    places = frames_along(curve, 1000)[:, :3, 3]
    lowest = places[np.argmin(places[:, 2])]
    x, y, z = curve.transform(np.array([q]))[:3, 3]
    potential = 9.81 * (z - lowest[2]) - 0.5 * TURNING**2 * (x * x + y * y - lowest[0] ** 2 - lowest[1] ** 2)
    slope = float(np.linalg.norm(np.asarray(curve.jacobian(np.array([q]))[3:], float)))
    return sqrt(FASTEST**2 - 2 * potential) / slope


def stand(scene: rm.Scene, curve: rm.SplineCurve) -> rm.BodyHandle:
    """The stem, and the wire that turns on it."""
    low = -RADIUS * (1 - DEPTH)
    foot = -RADIUS * (1 + DEPTH) - 0.25
    stem = rm.Capsule(0.02, low - foot - 0.04, mass=1)
    scene.add_body(rm.Composite([(stem, (0, 0, (low + foot) / 2)), (rm.Cylinder(0.3, 0.03, mass=3), (0, 0, foot))]), name="stem")
    vertices, faces = tube(frames_along(curve, 600), WIRE)
    return scene.add_body(rm.Mesh(vertices, faces, mass=4), joint=rm.Revolute("z"), qdot=TURNING, name="wire")


def beads() -> rm.Scene:
    scene, curve = rm.Scene(), flower()
    wire = stand(scene, curve)
    for k, q in enumerate(STARTS):
        scene.add_body(rm.Sphere(BEAD, mass=0.3), parent=wire, joint=curve, q=q, qdot=speed(curve, q), name=f"bead{k + 1}")
    return scene


def fan() -> rm.Composite:
    """A bead with three blades around the wire. Its inertia is that of a body of revolution, so that nothing changes its spin."""
    blades = [rm.rotation_about("x", 2 * pi * k / 3) for k in range(3)]
    blade = rm.Ellipsoid((0.008, 0.03, 0.08), mass=0.02)
    return rm.Composite([(rm.Sphere(BEAD, mass=0.3), (0, 0, 0)), *[(blade, rm.pose(R, R @ (0, 0, 0.115))) for R in blades]])


def spinning_beads() -> rm.Scene:
    scene, curve = rm.Scene(), flower()
    wire = stand(scene, curve)
    joint = rm.CompositeJoint(curve, rm.Revolute("x"))
    for k, (q, spin) in enumerate(zip(STARTS, (0.0, 5.0, -10.0))):
        scene.add_body(fan(), parent=wire, joint=joint, q=(q, 0), qdot=(speed(curve, q), spin), name=f"bead{k + 1}")
    return scene


SHOWN = ("spline curve", "revolute")
ENTRIES = (
    Entry("beads", "Beads on a wire", beads, SHOWN, duration=10.0),
    Entry("spinning-beads", "Beads that spin about a wire", spinning_beads, (*SHOWN, "composite joint"), duration=10.0),
)
