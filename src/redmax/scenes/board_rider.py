"""A rider on a board in a bowl that is one Bezier surface of 5 x 5 control points (Si & Guenter Fig. 4).

The board stays in the tangent plane of the surface, slides without friction, and turns about the normal. The rider stands across it with
both feet strapped on: ankles, knees and hips bend about axes along the board, the two of each as one, so that no loop has to be closed;
springs in the joints hold the rider up. Pushed off high on the wall, the rider goes round the bowl, leans with the wall, sinks into the
knees where it is low and fast, and balances with the arms.
"""

from collections.abc import Sequence
from math import asin, cos, pi, sin
from typing import Any

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry

SIDE = 8.0  # m, of the square under the control points
HEIGHTS = np.array(  # m, of the control points: flat in the middle, and steeper outwards
    [
        [0.8, 0.2, 0.0, 0.2, 0.8],
        [0.2, -1.3, -1.5, -1.3, 0.2],
        [0.0, -1.5, -1.6, -1.5, 0.0],
        [0.2, -1.3, -1.5, -1.3, 0.2],
        [0.8, 0.2, 0.0, 0.2, 0.8],
    ]
)
LIFT = 0.045  # m, of the middle of the deck: the bowl is curved, the deck is flat
START, PUSH, TURN = 2.8, 2.3, 1.3  # m from the middle, m/s and rad/s: the board turns about as fast as it goes round


def bowl() -> rm.surfaces.BezierPatch:
    """u goes along x, v along y, and the normal points up."""
    at = np.linspace(-SIDE / 2, SIDE / 2, 5)
    x, y = np.meshgrid(at, at, indexing="ij")
    return rm.surfaces.BezierPatch(np.stack([x, y, HEIGHTS], axis=-1))


def build() -> rm.Scene:
    scene, hinge = rm.Scene(), rm.Revolute("x")
    sliding = rm.PointOnSurface(bowl(), spin=True)
    deck = scene.add_body(board(), joint=sliding, q=(0.5, 0.5 - START / SIDE, 0), qdot=(PUSH / SIDE, 0, TURN), name="board")
    shin, thigh = pair(0.06, 2.4, (0.25, 0.21), 0.4), pair(0.08, 3.2, (0.21, 0.1), 0.4)
    shins = scene.add_body(shin, parent=deck, joint=hinge, at=(0, 0, LIFT + 0.115), q=-0.45, stiffness=2000, name="shins")
    thighs = scene.add_body(thigh, parent=shins, joint=hinge, at=(0, 0, 0.4), q=1.1, stiffness=1500, name="thighs")
    trunk = scene.add_body(torso(), parent=thighs, joint=rm.Spherical(), at=(0, 0, 0.4), q=(-1, 0, 0), stiffness=1000, name="torso")
    neck, face = (0, 0, 0.56), rm.Ellipsoid((0.09, 0.1, 0.13), mass=5)
    scene.add_body(face, parent=trunk, joint=rm.Spherical(), at=neck, com=(0, 0.02, 0.13), q=(0.25, 0, 0), stiffness=100, name="head")
    for s, side in ((-1, "back"), (1, "front")):
        bent: dict[str, Any] = {"q": (0.5, -s, 0), "stiffness": 40}
        arm = limb(scene, f"{side} upper arm", trunk, rm.Spherical(), (0.22 * s, 0, 0.46), (0.05, 0.28, 2.2), **bent)
        limb(scene, f"{side} forearm", arm, hinge, (0, 0, -0.3), (0.04, 0.26, 1.6), q=0.7, stiffness=15)
    return scene


def board() -> rm.Composite:
    """A deck with its round ends turned up, lying on the surface, and the boots on it."""
    flat, width, deep, kick = 0.9, 0.3, 0.03, 0.35
    deck: list = [(rm.Cuboid((flat, width, deep), mass=3), (0, 0, LIFT))]
    arc = [(0.16 + width / 2 * cos(a), width / 2 * sin(a)) for a in np.linspace(-pi / 2, pi / 2, 13)]
    end = rm.Extrusion(np.array([(0, -width / 2), *arc, (0, width / 2)]), deep, mass=0.8)
    for turn in (0, pi):
        R = rm.rotation_about("z", turn)
        deck.append((end, rm.pose(R @ rm.rotation_about("y", -kick), R @ (flat / 2, 0, LIFT))))
    boot = rm.Cuboid((0.11, 0.28, 0.1), mass=1.2)
    return rm.Composite([*deck, (boot, (-0.25, 0.04, LIFT + 0.065)), (boot, (0.25, 0.04, LIFT + 0.065))])


def pair(radius: float, mass: float, apart: tuple[float, float], height: float) -> rm.Composite:
    """Two limbs, mirrored in x = 0, as one body: so far from it at the joint, and at the height (m) above."""
    low, high = apart
    lean = asin((low - high) / height)
    limb = rm.Capsule(radius, height - 0.02, mass=mass)
    sides = [(rm.rotation_about("y", -s * lean), s * (low + high) / 2) for s in (-1, 1)]
    return rm.Composite([(limb, rm.pose(R, (x, 0, height / 2))) for R, x in sides])


def torso() -> rm.Composite:
    hips = rm.Capsule(0.1, 0.14, mass=10), rm.pose(rm.rotation_about("y", pi / 2), (0, 0, 0.02))
    return rm.Composite([hips, (rm.Ellipsoid((0.2, 0.12, 0.26), mass=24), (0, 0, 0.3))])


def limb(
    scene: rm.Scene, name: str, parent: rm.BodyHandle, joint: rm.Joint, at: Sequence[float], size: tuple[float, float, float], **more: Any
) -> rm.BodyHandle:
    """A capsule that hangs from its joint; size: radius and length (m), and mass (kg)."""
    radius, length, mass = size
    shape = rm.Capsule(radius, length, mass=mass)
    return scene.add_body(shape, name=name, parent=parent, joint=joint, at=at, com=(0, 0, -length / 2), **more)


FEATURES = ("point on surface", "Bezier surface", "revolute", "spherical", "stiffness", "composite body", "tree")
ENTRIES = (Entry("bezier-board", "Board rider in a Bezier bowl", build, FEATURES, duration=12.0),)
