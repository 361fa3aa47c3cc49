"""A rod on two joints in one: it turns about x and slides along the same axis, with no body between."""

import redmax as rm
from redmax.scenes.base import redmax


def build() -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, -980))
    joint = rm.CompositeJoint(rm.Revolute("x"), rm.Prismatic("x"))
    scene.add_body(rm.Cuboid((1, 1, 10), density=1), joint=joint, com=(0, 0, 5), q=(0.1, 0), qdot=(0, 1), name="rod")
    return scene


ENTRIES = (redmax(19, "composite-joint", "A hinge and a slide in one joint", build, ("composite joint",), dt=0.02),)
