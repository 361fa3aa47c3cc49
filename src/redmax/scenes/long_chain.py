"""RC20: twenty links of 1 m and 1 kg, hinged about z and y by turns; the mechanism on which articulated-body codes are compared."""

import redmax as rm
from redmax.scenes.base import Entry


def chain(links: int) -> rm.Scene:
    """RCn for any n, let go from a straight, horizontal line."""
    scene = rm.Scene()
    parent = None
    for i in range(links):
        parent = scene.add_body(
            rm.Cuboid((1, 0.1, 0.1), mass=1), parent=parent, joint=rm.Revolute("zy"[i % 2]), at=(1, 0, 0) if i else None, com=(0.5, 0, 0),
            qdot=0.2 if i == 0 else None,
        )  # fmt: skip
    return scene


ENTRIES = (Entry("chain-20", "Chain of 20 links (RC20)", lambda: chain(20), ("revolute", "20 degrees of freedom"), duration=5.0),)
