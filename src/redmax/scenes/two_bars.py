"""A double pendulum of two equal bars: neither friction nor a drive. Variational steps keep its energy over a million steps."""

import redmax as rm
from redmax.scenes.base import Entry


def two_bars() -> rm.Scene:
    """Bars of 1 m and 1 kg, hinged about y at the origin and at the end of the first."""
    scene = rm.Scene(gravity=(0, 0, -9.81))
    bar = rm.Cuboid((1, 0.1, 0.1), mass=1)
    upper = scene.add_body(bar, joint=rm.Revolute("y"), com=(0.5, 0, 0), q=0.5, qdot=0.3, name="upper")
    scene.add_body(bar, parent=upper, joint=rm.Revolute("y"), at=(1, 0, 0), com=(0.5, 0, 0), q=0.8, qdot=-0.6, name="lower")
    return scene


ENTRIES = (Entry("variational-pendulum", "Double pendulum of two equal bars", two_bars, ("revolute",), duration=10.0),)
