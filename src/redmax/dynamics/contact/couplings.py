"""Forces between bodies beside contact, in implicit steps: their blocks h D - h^2 K, in the coordinates of the trees that they couple.

An impulse on one body moves the others through these springs and dampers within the step, so that the solver of contact needs them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call
from redmax.solvers.contact.coupled import couple_bodies, couple_coordinates
from redmax.solvers.reduced_matrix import clear

if TYPE_CHECKING:
    from redmax.dynamics.contact.stages import ContactSystem

K = "K"  # the name of the data


@dataclass(frozen=True, eq=False)
class Couplings:
    """Of the trees of a system; none in steps that are not implicit."""

    system: ContactSystem

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Trees that forces couple, the lower first; one with itself, if they couple its bodies."""
        found: set[tuple[int, int]] = set()
        for force in self.system.model.forces if self.system.implicit else ():
            if force.implicit:
                members = force.joints if force.on_coordinates else force.bodies
                trees = [self.tree(b.index) for b in members]
                pairs = [(t, u) for i, t in enumerate(trees) for u in trees[i if force.on_coordinates else i + 1 :]]
                found |= {(min(pair), max(pair)) for pair in pairs if min(pair) >= 0}
        return sorted(found)

    def tree(self, body: int) -> int:
        """-1 where contact does not move it."""
        return self.system.tree[self.system.row[body]] if body in self.system.row else -1

    @cached_property
    def trees(self) -> set[int]:
        return {t for pair in self.pairs for t in pair}

    @cached_property
    def places(self) -> dict[tuple[int, int], int]:
        """Where the block with rows of one tree and columns of another begins."""
        found: dict[tuple[int, int], int] = {}
        end = 0
        for t, u in self.pairs:
            for a, b in dict.fromkeys(((t, u), (u, t))):
                found[a, b] = end
                end += self.size(a, b)
        return found

    def size(self, t: int, u: int) -> int:
        return self.system.trees[t][1] * self.system.widths[u]

    @property
    def room(self) -> int:
        return sum(self.size(t, u) for t, u in self.places)

    @property
    def tables(self) -> tuple[list[int], list[int], list[int], list[int]]:
        """The trees of all pairs, and where their blocks are, as the solver takes them."""
        forth, back = [self.places[t, u] for t, u in self.pairs], [self.places[u, t] for t, u in self.pairs]
        return [t for t, _ in self.pairs], [u for _, u in self.pairs], forth, back

    def filled(self) -> Sequence[ProgramStage]:
        """From the blocks that forces have left."""
        if not self.pairs:
            return ()
        s, data, system = self.system.data["s"], self.system.data[K], self.system

        def bodies(at: Addresses) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            for i, j in (pair for pair in at.pairs if min(pair) >= 0):
                t, u = self.tree(i), self.tree(j)
                if min(t, u) >= 0:
                    left, right = system.above(i), system.above(j)
                    where = self.places[t, u], self.places[u, t], system.trees[t][0], system.trees[u][0], system.widths[t], system.widths[u]
                    found.append(((at.block(i, j), 6), s, data, left, right, len(left), len(right), *where))
            return found

        def coordinates(at: Addresses) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            for i, j in ((~i, ~j) for i, j in at.pairs if max(i, j) < 0):
                t, u = self.tree(i), self.tree(j)
                if min(t, u) >= 0 and system.dof(i) and system.dof(j):
                    row, column = (system.first[system.row[k]] - system.trees[x][0] for k, x in ((i, t), (j, u)))
                    place = self.places[t, u] + system.widths[u] * row + column
                    found.append(((at.block(~i, ~j), 6), data, system.dof(i), system.dof(j), place, system.widths[u]))
            return found

        return (
            Call(clear, lambda at: [(data, self.room)], (data,)),
            Call(couple_bodies, bodies, (s, data)),
            Call(couple_coordinates, coordinates, (data,)),
        )
