"""An arm that curls a dumbbell: biceps and triceps of Hill type on an elbow, whose activations follow excitations given in time.

The biceps runs from the shoulder over the humerus to the forearm, just below the elbow; the triceps behind it to the olecranon, above the
elbow's axis. Once the elbow is bent by more than WRAP, the triceps lies on the humerus at one more point. That point is where the
straight path is at just this angle, so that the length of the muscle has no jump. The biceps lifts the dumbbell, holds it, and
lets it down again by being less active, while it lengthens.
"""

from math import radians

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry
from redmax.scenes.bones import bone, on, ramp

HUMERUS, FOREARM, HAND = 0.30, 0.25, 0.33  # m; the hand is so far from the elbow
LOAD = 5.0  # kg
WRAP = radians(50)
BEHIND, OLECRANON = np.array((-0.038, -0.17)), np.array((-0.026, 0.014))  # x and z: of the triceps on the humerus, and on the forearm


def curl(t: float) -> float:
    """The excitation of the biceps: it lifts, holds, and lets down."""
    return 0.03 + 0.57 * ramp(t, 0.3, 1.2) - 0.54 * ramp(t, 2.0, 4.0)


def slow(t: float) -> float:
    """The excitation of the triceps, which steadies the elbow."""
    return 0.02 + 0.08 * ramp(t, 0.3, 1.2) - 0.06 * ramp(t, 2.0, 4.0)


def wrapping() -> np.ndarray:
    """x and z on the humerus where the straight triceps is close to the elbow, bent by WRAP."""
    c, s = np.cos(WRAP), np.sin(WRAP)
    x, z = OLECRANON
    end = np.array((c * x - s * z, s * x + c * z - HUMERUS))
    return BEHIND + 0.8 * (end - BEHIND)


def build() -> rm.Scene:
    scene, bend = rm.Scene(), rm.Revolute((0, -1, 0))  # positive: forwards and up
    trunk = rm.Composite([(rm.Ellipsoid((0.03, 0.05, 0.09), mass=1), (-0.05, 0.03, -0.05)), (rm.Sphere(0.028, mass=0.2), (0, 0, 0))])
    shoulder = scene.add_body(trunk, name="shoulder")
    humerus = scene.add_body(
        bone(HUMERUS, 0.013, (0.024, 0.02), 2.0), joint=bend, parent=shoulder, q=0.05, stiffness=150, damping=15, name="humerus"
    )
    forearm = scene.add_body(
        bone(FOREARM, 0.011, (0.018, 0.016), 1.3), joint=bend, parent=humerus, at=(0, 0, -HUMERUS), q=0.25, damping=0.5, name="forearm"
    )
    across = rm.rotation_about("x", np.pi / 2)
    disc, grip = rm.Cylinder(0.055, 0.035, mass=0.45 * LOAD), rm.Capsule(0.012, 0.11, mass=0.1 * LOAD)
    dumbbell = rm.Composite([(grip, rm.pose(across, (0, 0, 0))), *[(disc, rm.pose(across, (0, y, 0))) for y in (-0.07, 0.07)]])
    scene.add_body(rm.Ellipsoid((0.02, 0.035, 0.05), mass=0.4), parent=forearm, at=(0, 0, -FOREARM - 0.05), name="hand")
    scene.add_body(dumbbell, parent=forearm, at=(0.03, 0, -HAND), name="dumbbell")
    scene.add_force(rm.JointLimit(forearm, 0.05, radians(145), stiffness=200))

    biceps = [on(scene, shoulder, 0.032, 0.025), on(scene, humerus, 0.048, -0.1), on(scene, humerus, 0.042, -0.22)]
    scene.add_force(
        rm.Muscle(
            [*biceps, on(scene, forearm, 0.017, -0.045)], force=1300, optimal_length=0.14, tendon_length=0.2, excitation=curl, name="biceps"
        )
    )
    wrap = rm.ConditionalPoint(on(scene, humerus, *wrapping()), joint=forearm, between=(WRAP, 4.0))
    triceps = [on(scene, shoulder, -0.03, 0.0), on(scene, humerus, *BEHIND), wrap, on(scene, forearm, *OLECRANON)]
    scene.add_force(rm.Muscle(triceps, force=900, optimal_length=0.13, tendon_length=0.18, excitation=slow, name="triceps"))
    return scene


FEATURES = ("muscles", "activation dynamics", "conditional point", "joint limit", "revolute")
ENTRIES = (Entry("arm", "Arm that curls a dumbbell", build, FEATURES, duration=5.0, conservative=False),)
