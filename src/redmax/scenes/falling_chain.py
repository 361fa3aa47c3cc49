"""A chain of 20 capsules that falls on the ground and comes to rest there.

Its hinges turn about y and z by turns and are damped a little; its links touch the ground and each other.
"""

from math import pi
from typing import Any

import redmax as rm
from redmax.scenes.base import Entry

LINKS, LENGTH, RADIUS, FRICTION, DAMPING = 20, 0.3, 0.05, 0.8, 0.05  # m, N m s/rad


def build(bend: float = 0.0, height: float = 1.0, group: int = 1, contact: bool = True) -> rm.Scene:
    """bend: of its hinges about y when it begins (rad); group: 0 if its links touch each other; contact: whether anything touches."""
    scene, link = rm.Scene(), None
    if contact:
        scene.add_ground(contact=FRICTION)
    for k in range(LINKS):
        joint = rm.Free3D() if link is None else rm.Revolute("y" if k % 2 else "z")
        hinge: dict[str, Any] = {} if link is None else {"damping": DAMPING, "q": bend if k % 2 else 0.0}
        shape = rm.Capsule(RADIUS, LENGTH, mass=1.0)
        link = scene.add_body(
            shape, joint=joint, parent=link, at=(0, 0, height) if link is None else (LENGTH, 0, 0),
            body=rm.pose(rm.rotation_about("y", pi / 2), (LENGTH / 2, 0, 0)), contact=FRICTION if contact else None, contact_group=group,
            name=f"link {k + 1}", color="steelblue" if k % 2 else "goldenrod", **hinge,
        )  # fmt: skip
    return scene


def bent() -> rm.Scene:
    """As a bow that stands on its middle."""
    return build(bend=-0.2, height=0.3, group=0)


FEATURES = ("contact", "friction", "ground", "free", "revolute", "damping")
ENTRIES = (Entry("chain-on-ground", "Chain on the ground", bent, FEATURES, 2.5, 0.002, integrator="implicit", conservative=False),)
