"""A turn of few coordinates in registers: all that follows from what was found is one piece of straight code."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from redmax.design.reach.damped_step import GIVEN, KNOWN, Tried, chosen, damping, judged, largest, squares_of, step, triangle
from redmax.design.reach.lanes import Lanes
from redmax.math import logical_and, where
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.formula import Formula

MOST = 12  # coordinates


class InRegisters(Lanes):
    """Of targets that so many coordinates move."""

    @cached_property
    def squares(self) -> Data:
        """A'A by rows below its diagonal, then A'e, of the best place of this start."""
        return Data("squares", self.n * (self.n + 1) // 2 + self.n)

    def tried(self, found: np.ndarray, weights: np.ndarray, length: Any, angle: Any) -> Tried:
        """What the formulas of the targets have found, with weights."""
        r, at, rows, columns = self.rows.places
        where_is = {int(c): k for k, c in enumerate(self.columns)}
        A = np.zeros((self.rows.size, self.n), object)
        for place, i, c in zip(at.tolist(), rows.tolist(), columns.tolist(), strict=True):
            A[i, where_is[c]] = weights[i] * found[place]
        near: Any = None
        for p in self.rows.parts:
            square: Any = 0.0
            for i in range(p.row, p.row + p.block.size):
                square = square + where(weights[i] > 0.0, found[r[i]] * found[r[i]], 0.0)
            most = length if p.block.unit == "m" else angle
            close = square <= most * most
            near = close if near is None else logical_and(near, close)
        return Tried([weights[i] * found[k] for i, k in enumerate(r.tolist())], A, near)

    def computed(self, *given: np.ndarray) -> list[Any]:
        """A turn of all."""
        found, weights, squares, state, *places = given
        w: dict[str, Any] = dict(zip((*GIVEN, *KNOWN), state, strict=True))
        count, n = len(self.joints), self.n
        tried, best, kept = places[:count], places[count : 2 * count], places[2 * count :]
        found_there = self.tried(found, weights, w["length"], w["angle"])
        cost, H, g = squares_of(found_there)
        better, nearer, after = judged(w, cost, found_there.near)
        flat = chosen(better, [*[H[i, j] for i in range(n) for j in range(i + 1)], *g], squares)
        best = [np.array(chosen(better, new, old), object) for new, old in zip(tried, best, strict=True)]
        kept = [chosen(nearer, new, old) for new, old in zip(best, kept, strict=True)]
        M, g = triangle(flat[:-n], n), flat[-n:]
        d, after["promised"] = step(M, g, damping(after, largest(M, n)), *self.room(best), self.bounds.unit[self.columns])
        return [np.array(flat, object), *[after[k] for k in KNOWN], *best, *best, *kept, *self.by_joint(d)]

    def turn(self) -> list[ProgramStage]:
        """One formula."""
        dofs = [self.model.links[j].joint.dof for j in self.joints]
        every = list(zip(self.joints, self.sizes, strict=True))
        inputs = {"found": self.rows.found.rows, "weights": self.rows.size, "squares": self.squares.rows, "state": len(GIVEN) + len(KNOWN)}
        inputs |= {f"{name}{j}": n for name in ("q", "best", "kept") for j, n in every}
        outputs = {"squares_after": self.squares.rows} | {f"{k}_after": 1 for k in KNOWN}
        outputs |= {f"{name}{j}_after": n for name in ("base", "best", "kept") for j, n in every}
        outputs |= {f"dq{j}_after": n for j, n in zip(self.joints, dofs, strict=True)}

        def rows(at: Addresses) -> list[list[int]]:
            fields = [at.field(j, name) for name in ("q", "best", "kept") for j in self.joints]
            stored = [at.field(j, name) for name in ("base", "best", "kept", "dq") for j in self.joints]
            given = [at[self.rows.found], at[self.weights], at[self.squares], at.world(GIVEN[0])]
            return [[*given, *fields, at[self.squares], *[at.world(k) for k in KNOWN], *stored]]

        return [Call(Formula(inputs, outputs, self.computed), rows, (self.rows.found, self.weights, self.squares))]
