"""A shoulder after Lee & Terzopoulos Fig. 4: the blade glides on the rib cage, on a spline surface; springs tie it to the clavicle.

Usually the shoulder blade hangs on the clavicle, and constraints keep it on the ribs. Here it is the other way round: a spline surface
joint of two degrees of freedom carries it, and no loop has to be closed. The surface leaves room for the clavicle everywhere, so that the
springs, the ligaments, have little to do. More springs stand for the muscles that hold the blade, and an arm swings from it.
"""

from math import pi
from typing import Any

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry
from redmax.scenes.bones import bone, on
from redmax.scenes.ribs import ACROMION, CLAVICLE, MIDDLE, RIBS, STERNUM, gliding, joint

GLENOID, CORACOID = (0.03, 0.068, 0.0), (0.045, 0.06, 0.03)  # m, on the blade: up, sideways, outwards
START = 1.5, 1.5  # of the blade, close to the middle


def blade() -> rm.Composite:
    """A triangle with a ridge that ends in the acromion."""
    corners = np.array([(-0.085, -0.005), (-0.02, 0.035), (0.045, 0.06), (0.05, -0.03), (0.02, -0.045)])
    ridge, root = np.array(ACROMION), np.array((0.02, -0.04, 0.004))
    along = ridge - root
    spine = rm.Capsule(0.006, float(np.linalg.norm(along)), mass=0.05), rm.pose(turning_z_to(along), (ridge + root) / 2)
    hook = rm.Capsule(0.006, 0.03, mass=0.02), rm.pose(np.eye(3), CORACOID)
    return rm.Composite([(rm.Extrusion(corners, 0.008, mass=0.25), (0, 0, 0)), spine, hook, (rm.Sphere(0.016, mass=0.05), GLENOID)])


def turning_z_to(direction: np.ndarray) -> np.ndarray:
    """A rotation (3, 3)."""
    z = direction / np.linalg.norm(direction)
    x = np.cross((0, 0, 1.0) if abs(z[2]) < 0.9 else (0, 1.0, 0), z)
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def build() -> rm.Scene:
    scene, E, facing = rm.Scene(), gliding(*MIDDLE), rm.pose(rm.rotation_about("z", pi), (0, 0, 0))
    trunk = [(rm.Ellipsoid(RIBS, mass=12), (0, 0, 0)), (rm.Capsule(0.022, 0.5, mass=3), (-0.08, 0, 0.03))]
    ribs = scene.add_body(rm.Composite([*trunk, (rm.Ellipsoid((0.01, 0.02, 0.09), mass=0.3), (0.088, 0, 0.03))]), at=facing, name="ribs")
    scapula = scene.add_body(blade(), joint=joint(), parent=ribs, q=START, damping=0.02, name="scapula")
    end = (E @ (*ACROMION, 1.0))[:3]
    at = rm.pose(turning_z_to(STERNUM - end), STERNUM)
    clavicle = scene.add_body(
        bone(CLAVICLE - 0.012, 0.007, (0.011, 0.009), 0.2), joint=rm.Universal(), parent=ribs, at=at, damping=0.01, name="clavicle"
    )
    hang = rm.pose(E[:3, :3].T, GLENOID)  # from the glenoid, in the axes of the world
    arm: dict[str, Any] = {"q": (0.4, -1.5, 0), "rest": (0.3, 0, 0), "stiffness": 5.0, "damping": 0.15}
    humerus = scene.add_body(bone(0.3, 0.012, (0.022, 0.018), 2.0), joint=rm.Spherical(), parent=scapula, at=hang, name="humerus", **arm)
    forearm = bone(0.25, 0.01, (0.016, 0.02), 1.4)
    elbow = scene.add_body(forearm, joint=rm.Revolute((0, -1, 0)), parent=humerus, at=(0, 0, -0.3), q=0.5, damping=0.05, name="forearm")
    scene.add_force(rm.JointLimit(elbow, 0.1, 2.4, stiffness=40))
    tie(scene, clavicle, scapula)
    hold(scene, ribs, scapula)
    return scene


def tie(scene: rm.Scene, clavicle: rm.BodyHandle, scapula: rm.BodyHandle) -> None:
    """The ligaments between the end of the clavicle and acromion and coracoid."""
    ends = {"acromioclavicular": (0.175, ACROMION), "trapezoid": (0.165, CORACOID), "conoid": (0.145, CORACOID)}
    for name, (along, (up, side, out)) in ends.items():
        a, b = on(scene, clavicle, 0, -along), on(scene, scapula, up, out, side)
        scene.add_force(rm.SpringDamper(a, b, stiffness=2e4, damping=60, name=name))


def hold(scene: rm.Scene, ribs: rm.BodyHandle, scapula: rm.BodyHandle) -> None:
    """Muscles from the spine and the ribs to the blade, as springs that are relaxed where the scene begins."""
    ends = {
        "upper trapezius": ((-0.06, 0.0, 0.27), ACROMION),
        "levator scapulae": ((-0.055, 0.02, 0.25), (0.05, -0.03, 0.006)),
        "rhomboid": ((-0.105, 0.0, 0.14), (-0.02, -0.03, 0.006)),
        "lower trapezius": ((-0.1, 0.0, -0.15), (0.02, -0.04, 0.006)),
        "serratus anterior": ((0.02, 0.135, -0.06), (-0.08, -0.005, 0.006)),
    }
    for name, ((x, y, z), (up, side, out)) in ends.items():
        a, b = on(scene, ribs, x, z, y), on(scene, scapula, up, out, side)
        scene.add_force(rm.SpringDamper(a, b, stiffness=1200, damping=15, name=name))


FEATURES = ("spline surface", "universal", "spherical", "springs and dampers", "joint limit")
ENTRIES = (Entry("scapula", "Shoulder blade that glides on the ribs", build, FEATURES, duration=5.0, conservative=False),)
