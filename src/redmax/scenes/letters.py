"""A chain of letters that hold on to each other by their outlines (after Lee & Terzopoulos Fig. 5c).

The first letter turns about a pin at its top. Of each further letter a fixed place follows the outline of the letter above: 8 degrees of
freedom. Or both outlines slide, E = F(s) Rz(pi) F'(s')^-1 with the tangent frames F of the letter above and F' of the letter itself, "one
spline joint and an inverted one": 15. There, outlines must not be equally curved at the contact, where sliding and rolling become one;
they touch with round ends.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from math import pi

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry
from redmax.scenes.closed_curves import evenly, frames_along, tangent_frames
from redmax.scenes.letter_shapes import Shape, letters

WORD = "SIGGRAPH"
HEIGHT, DEPTH, DENSITY = 0.5, 0.12, 300.0  # m, m, kg/m^3
FRAMES, ORDER = 128, 6  # of an outline; the order makes accelerations as smooth as the integrator's fifth order wants them
OPPOSITE = rm.pose(rm.rotation_about("z", pi), (0, 0, 0))  # outlines that touch run against each other
UPRIGHT = rm.rotation_about("x", pi / 2)  # letters are drawn in x and y; y becomes up


@dataclass(frozen=True, eq=False)
class Letter:
    """A letter with its outline as a joint: x along it, y inwards. Described in its own plane, the foot of its middle at the origin."""

    shape: Shape

    @cached_property
    def curve(self) -> rm.SplineCurve:
        outline = HEIGHT * evenly(self.shape.outline, FRAMES)
        points = np.column_stack([outline, np.zeros(FRAMES)])
        return rm.SplineCurve(tangent_frames(points, np.array([0, 0, 1.0])), order=ORDER, cyclic=True)

    @cached_property
    def poses(self) -> np.ndarray:
        """Of the outline, (8 FRAMES, 4, 4)."""
        return frames_along(self.curve, 8 * FRAMES)

    @cached_property
    def body(self) -> rm.Extrusion:
        hole = None if self.shape.hole is None else HEIGHT * self.shape.hole
        return rm.Extrusion(self.poses[::4, :2, 3], DEPTH, hole, density=DENSITY)

    def at(self, place: tuple[float, float]) -> float:
        """The coordinate q of the outline's point that is nearest to a place of the shape."""
        return float(np.argmin(np.linalg.norm(self.poses[:, :2, 3] - HEIGHT * np.array(place), axis=1)) / 8)

    @cached_property
    def hangs(self) -> float:
        return self.at(self.shape.top)

    @cached_property
    def carries(self) -> float:
        return self.at(self.shape.bottom)

    def frame(self, q: float) -> np.ndarray:
        return np.asarray(self.curve.transform(np.array([q])), float)


@cache
def alphabet() -> tuple[Letter, ...]:
    made = {name: Letter(shape) for name, shape in letters().items()}
    return tuple(made[name] for name in WORD)


def pinned(scene: rm.Scene, first: Letter, swing: float) -> tuple[rm.BodyHandle, np.ndarray]:
    """The first letter on a pin at its top, swung aside (rad), and where it is in the frame of that joint."""
    here = rm.pose(np.eye(3), -first.frame(first.hangs)[:3, 3])
    upright = rm.pose(UPRIGHT, (0, 0, 0))
    return scene.add_body(first.body, joint=rm.Revolute("z"), at=upright, body=here, q=swing, name=f"{WORD[0]}1"), here


def sliding_on_the_letter_above() -> rm.Scene:
    """It begins at rest, as a word in an almost level line."""
    scene, chain = rm.Scene(), alphabet()
    above, at = pinned(scene, chain[0], swing=1.35)
    for k, (upper, letter) in enumerate(pairwise(chain)):
        here = OPPOSITE @ np.linalg.inv(letter.frame(letter.hangs))
        name = f"{WORD[k + 1]}{k + 2}"
        above = scene.add_body(letter.body, parent=above, joint=upper.curve, at=at, body=here, q=upper.carries, name=name)
        at = here
    return scene


def sliding_on_both() -> rm.Scene:
    """It swings less far: the contacts stay where outlines are round, so that S keeps its rank, which a check would not know."""
    scene, chain = rm.Scene(), alphabet()
    above, at = pinned(scene, chain[0], swing=0.8)
    for k, (upper, letter) in enumerate(pairwise(chain)):
        joint = rm.CompositeJoint(upper.curve, OPPOSITE, rm.Inverted(letter.curve))
        q, name = (upper.carries, letter.hangs), f"{WORD[k + 1]}{k + 2}"
        above = scene.add_body(letter.body, parent=above, joint=joint, at=at, q=q, name=name, check_joint=False)
        at = np.eye(4)
    return scene


SHOWN = ("spline curve", "revolute", "extrusion")
ENTRIES = (
    Entry("letters", "Letters that slide on each other", sliding_on_the_letter_above, SHOWN, duration=10.0),
    Entry("letters-sliding", "Letters that slide and roll on each other", sliding_on_both, (*SHOWN, "composite joint", "inverted joint"),
          duration=10.0),
)  # fmt: skip
