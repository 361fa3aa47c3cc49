"""Boxes and cards that stand on each other: a stack of ten, and a house of cards, which stand still, and a pile of fifty boxes in a bin.

Nothing creeps or trembles: at rest, what friction and weight exert is carried over from step to step, and velocities are zero to the last
digits. Two cards of the house lean against each other and hold by friction alone.
"""

from itertools import pairwise
from math import cos, radians, sin

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry

FRICTION, SIDE = 0.8, 0.2  # m


def add_box(scene: rm.Scene, at: np.ndarray | tuple[float, ...], k: int, stiff: bool = False) -> rm.BodyHandle:
    """A cube of 1 kg."""
    material = rm.ContactMaterial(friction=FRICTION, stiff=stiff)
    colors = ("steelblue", "goldenrod", "tomato", "seagreen")
    return scene.add_body(
        rm.Cuboid((SIDE, SIDE, SIDE), mass=1.0), joint=rm.Free3D(), at=at, contact=material, name=f"box {k + 1}", color=colors[k % 4]
    )


def stack(count: int = 10, stiff: bool = False) -> rm.Scene:
    """Boxes a tenth of a millimetre above each other, which they fall."""
    scene = rm.Scene()
    scene.add_ground(contact=rm.ContactMaterial(friction=FRICTION, stiff=stiff))
    for k in range(count):
        add_box(scene, (0, 0, SIDE / 2 + SIDE * k + 1e-4 * (k + 1)), k, stiff)
    return scene


BIN, WALL, APART = 0.6, 0.05, 0.36  # m: from the middle to its walls, half of their thickness; between boxes that fall


def pile(count: int = 50, seed: int = 0, high: float = 1.2) -> rm.Scene:
    """Boxes that fall into a bin, so high, each turned some way."""
    scene, random = rm.Scene(), np.random.default_rng(seed)
    scene.add_ground(contact=FRICTION)
    long = 2 * (BIN + WALL)
    for name, x, y, size in (
        ("east", BIN, 0, (2 * WALL, long, high)), ("west", -BIN, 0, (2 * WALL, long, high)),
        ("north", 0, BIN, (long, 2 * WALL, high)), ("south", 0, -BIN, (long, 2 * WALL, high)),
    ):  # fmt: skip
        scene.add_obstacle(rm.Cuboid(size, mass=1), at=(x, y, high / 2), contact=FRICTION, name=f"{name} wall", color="silver", opacity=0.3)
    for k in range(count):
        layer, x, y = k // 9, k % 9 // 3 - 1, k % 3 - 1
        place = np.array([APART * x, APART * y, 0.2 + APART * layer]) + random.uniform(-0.005, 0.005, 3)
        add_box(scene, rm.pose(rotation_of(random.normal(size=4)), place), k)
    return scene


def rotation_of(quaternion: np.ndarray) -> np.ndarray:
    """(3, 3) of w, x, y, z."""
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    v = np.array([x, y, z])
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return (w * w - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * cross


STOREYS, LEAN, CARD, ROOM = 3, radians(18), (0.002, 0.06, 0.09), 0.091  # rad; m: thickness, width and length; between tops


def card_house() -> rm.Scene:
    """Pairs of cards that lean together, and cards laid across their tops."""
    scene, card = rm.Scene(), rm.Cuboid(CARD, mass=0.002)
    scene.add_ground(contact=FRICTION)
    thick, _, length = CARD
    out, up = (thick * cos(LEAN) + length * sin(LEAN)) / 2, (thick * sin(LEAN) + length * cos(LEAN)) / 2

    def add(name: str, x: float, z: float, turn: float) -> None:
        at = rm.pose(rm.rotation_about("y", turn), (x, 0, z))
        scene.add_body(card, joint=rm.Free3D(), at=at, contact=FRICTION, name=name, color="ivory" if turn < 1 else "tomato")

    for storey in range(STOREYS):
        base, pairs = storey * (2 * up + thick), STOREYS - storey
        tops = [ROOM * (k - (pairs - 1) / 2) for k in range(pairs)]
        for k, x in enumerate(tops):
            add(f"left {storey + 1}.{k + 1}", x - out, base + up, LEAN)
            add(f"right {storey + 1}.{k + 1}", x + out, base + up, -LEAN)
        for k, (x, other) in enumerate(pairwise(tops)):
            add(f"floor {storey + 1}.{k + 1}", (x + other) / 2, base + 2 * up + thick / 2, np.pi / 2)
    return scene


FEATURES = ("contact", "friction", "ground", "free")
ENTRIES = (
    Entry("stack", "Stack of ten", stack, FEATURES, 1.0, 0.002, integrator="implicit", conservative=False),
    Entry("pile", "Pile of fifty boxes", pile, (*FEATURES, "obstacles"), 3.0, 0.002, integrator="implicit", conservative=False),
    Entry("card-house", "House of cards", card_house, FEATURES, 2.0, 0.002, integrator="implicit", conservative=False),
)
