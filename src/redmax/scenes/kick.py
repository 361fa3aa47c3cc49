"""A leg that swings back and kicks, moved by nothing but its muscles: seven of them on hip, knee and ankle.

Where rectus femoris and vasti go over the kneecap, their paths have a point that moves over the thigh as the knee bends: from in front of
the condyle to below it, by half the knee's angle. The other paths bend over points of pelvis, shin and foot. First the hamstrings and the
gluteus draw the leg back and bend the knee; then hip flexors and, a little later, the extensors of the knee fire, and the
shin whips forwards. Springs in the joints keep them within the range of a human leg. Later the muscles rest, and the leg swings out.
"""

from math import radians
from typing import Any

import redmax as rm
from redmax.math import cos, sin
from redmax.scenes.base import Entry
from redmax.scenes.bones import bone, local, on, ramp

FEMUR, TIBIA = 0.42, 0.40  # m
CONDYLE = 0.047  # m, from the axis of the knee to the tendon over the kneecap
BACK, FIRE, WHIP, REST = 0.2, 0.55, 0.68, 0.95  # s, when the muscles behind begin, those in front, those of the knee, and when all end
RANGES = (("femur", -35, 110), ("tibia", 2, 135), ("foot", -40, 20))  # degrees: flexion of hip and knee, the foot upwards
MUSCLES = {  # isometric force (N), lengths of fibres and tendon (m)
    "gluteus": (1800, 0.16, 0.09),
    "hamstrings": (2000, 0.18, 0.245),
    "iliopsoas": (1600, 0.13, 0.107),
    "rectus femoris": (1200, 0.15, 0.416),
    "vasti": (3200, 0.12, 0.30),
    "gastrocnemius": (1200, 0.08, 0.352),
    "tibialis": (700, 0.09, 0.25),
}


def during(strength: float, start: float, end: float) -> Any:
    """An excitation: of this strength from start to end, and a little of it at all times."""
    return lambda t: 0.03 + strength * (ramp(t, start - 0.04, start + 0.04) - ramp(t, end - 0.04, end + 0.04))


EXCITATIONS = {
    "gluteus": during(0.6, BACK, FIRE - 0.1),
    "hamstrings": during(0.6, BACK, FIRE),
    "iliopsoas": during(0.95, FIRE, REST),
    "rectus femoris": during(0.7, WHIP, REST),
    "vasti": during(0.7, WHIP, REST),
    "gastrocnemius": during(0.25, FIRE, REST + 0.1),
    "tibialis": during(0.25, BACK, FIRE),
}


def build() -> rm.Scene:
    scene, forwards, backwards = rm.Scene(), rm.Revolute((0, -1, 0)), rm.Revolute("y")
    wing = rm.Ellipsoid((0.1, 0.014, 0.085), mass=2), rm.pose(rm.rotation_about("x", 0.2), (-0.02, 0.04, 0.06))
    pelvis = scene.add_body(rm.Composite([wing, (rm.Sphere(0.036, mass=0.2), (0, 0, 0))]), name="pelvis")
    femur = scene.add_body(
        bone(FEMUR, 0.016, (0.03, 0.034), 7.5), parent=pelvis, joint=forwards, damping=3.0, name="femur", joint_name="hip"
    )
    tibia = scene.add_body(
        bone(TIBIA, 0.014, (0.03, 0.02), 3.5),
        parent=femur,
        joint=backwards,
        at=(0, 0, -FEMUR),
        q=0.1,
        damping=0.8,
        name="tibia",
        joint_name="knee",
    )
    sole = rm.Ellipsoid((0.11, 0.034, 0.016), mass=0.7), rm.pose(rm.rotation_about("y", 0.15), (0.065, 0, -0.04))
    heel = rm.Ellipsoid((0.035, 0.026, 0.026), mass=0.4), (-0.03, 0, -0.03)
    foot = scene.add_body(
        rm.Composite([sole, heel]), parent=tibia, joint=forwards, at=(0, 0, -TIBIA), damping=0.3, name="foot", joint_name="ankle"
    )
    for name, low, high in RANGES:
        scene.add_force(rm.JointLimit(name, radians(low), radians(high), stiffness=150 if name == "foot" else 1500))

    def kneecap(flexion: Any) -> Any:
        angle = 0.15 - 0.5 * flexion
        return local(scene, femur, CONDYLE * cos(angle), 0.0, CONDYLE * sin(angle) - FEMUR)

    patella = rm.MovingPoint(femur, kneecap, joint=tibia)
    tuberosity, calcaneus = on(scene, tibia, 0.036, -0.07), on(scene, foot, -0.06, -0.015)
    ischium = on(scene, pelvis, -0.055, -0.035)
    paths = {
        "gluteus": [on(scene, pelvis, -0.11, 0.09), on(scene, pelvis, -0.105, -0.01), on(scene, femur, -0.03, -0.14)],
        "hamstrings": [ischium, on(scene, femur, -0.05, -0.2), on(scene, femur, -0.045, -0.36), on(scene, tibia, -0.03, -0.05)],
        "iliopsoas": [on(scene, pelvis, -0.01, 0.13), on(scene, pelvis, 0.06, 0.01), on(scene, femur, 0.02, -0.08)],
        "rectus femoris": [on(scene, pelvis, 0.065, 0.055), on(scene, femur, 0.068, -0.2), patella, tuberosity],
        "vasti": [on(scene, femur, 0.025, -0.12), on(scene, femur, 0.05, -0.24), patella, tuberosity],
        "gastrocnemius": [on(scene, femur, -0.04, -FEMUR + 0.02), on(scene, tibia, -0.055, -0.12), calcaneus],
        "tibialis": [on(scene, tibia, 0.03, -0.09), on(scene, tibia, 0.034, -TIBIA + 0.04), on(scene, foot, 0.07, -0.02)],
    }
    for name, (force, fibres, tendon) in MUSCLES.items():
        excitation = EXCITATIONS[name]
        scene.add_force(rm.Muscle(paths[name], force=force, optimal_length=fibres, tendon_length=tendon, excitation=excitation, name=name))
    return scene


FEATURES = ("muscles", "activation dynamics", "moving point", "joint limit", "revolute")
ENTRIES = (Entry("kick", "Leg that kicks", build, FEATURES, duration=3.0, dt=0.005, conservative=False),)
