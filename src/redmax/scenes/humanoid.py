"""A figure that tumbles freely, without gravity: no force from outside, so its momentum stays as it is while its limbs swing on springs."""

from collections.abc import Sequence
from typing import Any

import redmax as rm
from redmax.scenes.base import Entry


def build() -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, 0))
    add_figure(scene, qdot=(0.02, 0, 0, 0.5, 1.6, 0.3), turning=1.5)
    return scene


def add_figure(
    scene: rm.Scene, at: Any = (0, 0, 0), qdot: Sequence[float] = (0,) * 6, turning: float = 0.0, damped: float = 0.0, **more: Any
) -> None:
    """at: its pelvis; qdot: of that; turning: its torso (rad/s); damped: joints, as so long (s) times their stiffness; more: of all."""

    def limb(
        name: str, parent: rm.BodyHandle | None, joint: rm.Joint, at: Any, r: float, length: float, mass: float, **own: Any
    ) -> rm.BodyHandle:
        """A capsule from its joint along z: upwards if the length is positive, else hanging."""
        return add(rm.Capsule(r, abs(length), mass=mass), name=name, joint=joint, parent=parent, at=at, com=(0, 0, length / 2), **own)

    def add(shape: rm.Body, **own: Any) -> rm.BodyHandle:
        return scene.add_body(shape, damping=damped * own.get("stiffness", 0.0), **own, **more)

    pelvis = limb("pelvis", None, rm.Free3D(), at, 0.11, 0.12, 11, qdot=qdot)
    torso = limb("torso", pelvis, rm.Spherical(), (0, 0, 0.15), 0.13, 0.38, 28, qdot=(0, 0, turning), stiffness=60)
    neck = limb("neck", torso, rm.Spherical(), (0, 0, 0.48), 0.045, 0.08, 1, stiffness=20)
    add(rm.Sphere(0.12, mass=4.5), parent=neck, at=(0, 0, 0.2), name="head")
    for s, side in ((-1, "right"), (1, "left")):  # the two sides begin in opposite phases of a stride
        bent: dict[str, Any] = {"q": (0.5 * s, -0.8 * s, 0), "rest": (1.1 * s, 0, 0), "stiffness": 6}
        arm = limb(f"{side} upper arm", torso, rm.Spherical(), (0, 0.2 * s, 0.4), 0.05, -0.28, 2.1, **bent)
        limb(f"{side} forearm", arm, rm.Revolute("y"), (0, 0, -0.3), 0.04, -0.27, 1.5, q=-1.6, rest=-0.5, stiffness=3)
        stride: dict[str, Any] = {"q": (0.2 * s, -0.9 * s, 0), "rest": (0.25 * s, 0, 0), "stiffness": 20}
        thigh = limb(f"{side} thigh", pelvis, rm.Spherical(), (0, 0.11 * s, -0.05), 0.075, -0.4, 8.5, **stride)
        shank = limb(f"{side} shank", thigh, rm.Revolute("y"), (0, 0, -0.42), 0.055, -0.4, 3.6, q=1.2, rest=0.3, stiffness=8)
        foot = rm.Cuboid((0.24, 0.09, 0.06), mass=1)
        add(foot, parent=shank, joint=rm.Universal(), at=(0, 0, -0.45), com=(0.06, 0, -0.02), stiffness=3, name=f"{side} foot")


ENTRIES = (Entry("humanoid", "Tumbling figure", build, ("free", "spherical", "universal", "revolute", "stiffness", "tree"), duration=8.0),)
