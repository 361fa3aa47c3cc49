"""Contact by methods of before, one problem for all forces or turns of normal forces and friction, as a stage in place of the solver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import cos, pi, sin

import numpy as np

from redmax.dynamics.contact.fields import COUNTS, LIMITS
from redmax.dynamics.contact.stages import ContactSystem
from redmax.dynamics.rubbing.constants import constants
from redmax.model.model import Model
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Call, Data
from redmax.solvers.contact.in_turns import solve_in_turns

NAMES = (
    "M", "E", "s", "T", "x", "V", "I", "w", "G", "L", "p", "G0", "L0", "p0", "z", "tau", "y", "W", "X", "sums", "Q", "H", "P", "Z", "N",
    "before", "at", "later", "order", "place", "degree", "number", "sizes", "widths", "places", "starts", "used", "up", "begin", "of",
)  # fmt: skip

ContactKind = Callable[[Model, bool, bool], ContactSystem]  # of a model, implicit or not, with exact friction or not


@dataclass(frozen=True, eq=False)
class ContactInTurns(ContactSystem):
    """sides: of cones, 0 where they are round; staggered: in turns, which end as `Scene.set_staggering` says"""

    sides: int = 0
    staggered: bool = False

    @property
    def side(self) -> Data:
        """Cos and sin of half the angle between two sides, and of all of it."""
        return Data("side of contact", 4)

    @property
    def ends(self) -> Data:
        """How turns end."""
        return Data("ends of contact", 2)

    def begin(self) -> tuple[ProgramStage, ...]:
        """Once in a program."""
        half, settings = pi / (self.sides or 1), self.model.staggering
        side = np.array([cos(half), sin(half), cos(2 * half), sin(2 * half)])
        formula = constants(side, np.array([settings.tolerance, float(settings.iterations)]))
        known = Call(formula, lambda at: [(at[self.side], at[self.ends])], (self.side, self.ends))
        return *super().begin(), known

    def solved(self) -> Call:
        data = self.data["contacts"], self.side, self.ends, *(self.data[name] for name in NAMES)
        numbers = [list(map(int, x)) for x in zip(*self.trees, strict=True)] or [[], []]
        tables = self.first, self.parent, [max(t, 0) for t in self.tree], numbers[0], self.widths, self.tree_places, self.held_trees
        sizes = self.n, self.first[-1], len(self.trees), self.wide, self.room, self.parts, self.sides, int(self.staggered)
        return Call(solve_in_turns, lambda at: [(data[0], at.world(COUNTS), at.world(LIMITS), *data[1:], *tables, *sizes)], data)


def contact_kind(friction: str, sides: int) -> ContactKind:
    """What contacts are solved by, as runs name it."""
    if friction == "staggered" or sides:
        return partial(ContactInTurns, sides=sides, staggered=friction == "staggered")
    return ContactSystem
