"""Two links and two chains of masses and springs between them, the world and each other (RedMax notes Sec. 2.7).

The nodes at the ends of the springs have no coordinates of their own: their velocities follow from those of the bodies that carry them
(J_am of Eq. 2.86), so that nothing has to be held together by constraints. In cm, g and s.
"""

import redmax as rm
from redmax.scenes.base import CGS, Entry

LENGTH, CORNER, STIFFNESS = 10.0, (30.0, 0.0, 10.0), 1e5


def build() -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, -980))
    link, half = rm.Cuboid((LENGTH, 1, 1), density=1), (LENGTH / 2, 0, 0)
    first = scene.add_body(link, joint=rm.Revolute("y"), com=half, name="first link")
    second = scene.add_body(link, parent=first, joint=rm.Revolute("y"), at=(LENGTH, 0, 0), com=half, name="second link")
    hanging = rm.SpringChain(CORNER, (2 * LENGTH, 0, 0), 3, mass=1, stiffness=STIFFNESS, name="from the world")
    between = rm.SpringChain((LENGTH / 2, 0, 0), (1.5 * LENGTH, 0, 0), 2, mass=1, stiffness=STIFFNESS, name="between the links")
    scene.add_deformable(hanging.hold(0).attach(second, 2, at=(LENGTH / 2, 0, 0)))
    scene.add_deformable(between.attach(first, 0, at=(0, 0, 0)).attach(second, 1, at=(0, 0, 0)))
    return scene


FEATURES = ("revolute", "spring chain", "attached nodes", "deformable")
ENTRIES = (Entry("mass-springs", "Links held by mass-spring chains", build, FEATURES, 1.0, 5e-3, units=CGS),)
