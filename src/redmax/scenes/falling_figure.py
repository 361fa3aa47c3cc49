"""A figure that falls on the ground, sinks on its knees and comes to rest: joints with weak springs and dampers, limbs that touch.

Its limbs touch the ground and each other. It is the figure that tumbles freely in another scene, with gravity.
"""

import redmax as rm
from redmax.scenes.base import Entry
from redmax.scenes.humanoid import add_figure

HEIGHT, DAMPED = 1.1, 0.15  # m; s: how long the dampers of its joints take


def build() -> rm.Scene:
    scene = rm.Scene()
    scene.add_ground(contact=0.8)
    add_figure(scene, at=(0, 0, HEIGHT), damped=DAMPED, contact=0.8)
    return scene


FEATURES = ("contact", "friction", "ground", "free", "spherical", "universal", "revolute", "stiffness", "damping", "tree")
ENTRIES = (Entry("humanoid-falls", "Falling figure", build, FEATURES, 3.0, 0.002, integrator="implicit", conservative=False),)
