"""Contact of scenes with a map of coordinates, q = f(q_R) (RedMax notes Sec. 2.6), as stages of a step.

A_R once more | accelerations of joints, G qddot_R | place bodies and shapes | find points | make rows | solve | qddot_R += x / h
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from redmax.dynamics.contact.fields import COUNTS, HELD, LIMITS, TABLE
from redmax.dynamics.contact.pair_laws import given_laws
from redmax.dynamics.contact.remember import remember
from redmax.dynamics.contact.rows import TOLD
from redmax.dynamics.contact.stages import ContactSystem
from redmax.dynamics.contact.terms import contact_terms
from redmax.dynamics.redmax.projection import Projection, joint_rows
from redmax.dynamics.redmax.rows_through_map import lead, through_map
from redmax.program.program import Branch, ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.solvers.contact.through_map import apply_to_slides, solve_through_map
from redmax.solvers.reduced_matrix import copy


@dataclass(frozen=True, eq=False)
class ContactThroughMap(ContactSystem):
    """Contact of a model with a map."""

    @cached_property
    def through(self) -> Projection:
        return through_map(self.model, self.implicit)

    @cached_property
    def mapped(self) -> dict[str, Data]:
        """What the solver needs beside the rest, of q_R."""
        N, m = self.through.N, self.capacity
        sizes = {"F": (N, N), "L": (N, N), "S": (N, 8 * self.n + 8), "Q": (m, 3 * N)} | dict.fromkeys(("x", "y"), (N, None))
        sizes["t"] = self.model.nv, None
        return {name: Data(f"{name} of contact through the map", rows, columns) for name, (rows, columns) in sizes.items()}

    @cached_property
    def number(self) -> list[int]:
        """The row of G of each coordinate."""
        start = [0]
        for link in self.model.links:
            start.append(start[-1] + link.joint.dof)
        return [start[j] + c for j in self.order for c in range(self.dof(j))]

    def stages(self) -> tuple[ProgramStage, ...]:
        """From accelerations without contact to those with it."""
        before = lambda at: (at.world(COUNTS), (at.world(TABLE), TOLD), at.world(HELD), at.world("h"))  # noqa: E731
        told = self.call(remember, ("contacts", "raw"), before)
        points = *self.found(), *given_laws(self), self.made()
        solve = Branch(COUNTS, (self.solved(), self.applied()))
        return *self.through.matrix(), *self.led(), contact_terms(False), self.gathered(), *points, solve, told

    def led(self) -> tuple[Call, ...]:
        """Accelerations of joints, without what bends the map: that is of positions."""
        through, n, found = self.through, self.model.nv, Data("qddot of joints", self.model.nv)
        J, x = through.J, through.x_R
        return (
            Call(lead, lambda at: [(J, x, found, n, through.N)], (J, x, found)),
            Call(copy, lambda at: joint_rows(at, "qddot", found), (found,)),
        )

    def solved(self) -> Call:
        through, own, N = self.through, self.mapped, self.through.N
        C, s, V, W, X, Y, A, gamma, known, sums = (
            self.data[n] for n in ("contacts", "s", "V", "W", "X", "Y", "A", "gamma", "known", "sums")
        )
        given = through.A_R, through.J, through.x_R, own["F"], own["L"], s, own["t"], own["S"], own["Q"], own["x"], own["y"], V, W
        data = *given, X, Y, A, gamma, known, sums

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            tables = at.world("h"), self.first, self.parent, self.number, self.n, len(self.number), N
            return [(C, at.world(COUNTS), at.world(LIMITS), *data, *tables)]

        return Call(solve_through_map, rows, (C, *data))

    def applied(self) -> Call:
        x, N = self.mapped["x"], self.through.N
        slides = lambda at: [at.field(at.tree.led + k, "qddot") for k in range(N)]  # noqa: E731
        return Call(apply_to_slides, lambda at: [(x, slides(at), N, at.world("h"))], (x,))
