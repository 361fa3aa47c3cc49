"""A cube thrown upwards in weak gravity, turning; in rotation vectors, or in Euler angles."""

import redmax as rm
from redmax.scenes.base import redmax, redmax_diff


def build(joint: rm.Joint) -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, -1))
    scene.add_body(rm.Cuboid((1, 1, 1), density=1), joint=joint, qdot=(0, 0, 3, 0.2, 0.4, 0.6), name="cube")
    return scene


def euler_angles() -> rm.Scene:
    return build(rm.CompositeJoint(rm.Translational(), rm.SphericalEuler()))


ENTRIES = (
    redmax(18, "free-cube", "Cube in free flight", lambda: build(rm.Free3D()), ("free",), duration=7.0),
    redmax_diff(9, "diff-free-cube", "Cube in free flight, fully implicit", euler_angles, ("free", "Euler angles", "composite joint"),
                dt=0.05, duration=6.0),
)  # fmt: skip
