"""All forces of joints that rub by one problem, normal forces that push and friction together (RedMax notes Eq. 1.88), for comparison:

    min 1/2 c' R M^-1 R' c - c' R u,   c >= 0,      a = sum of c of a normal,   b = mu sum of +- c     u: what bodies would do by themselves

R has a row for each normal and each corner of its polygon, N + mu (+- T +- ...): what Eqs. 1.85 and 1.88 ask of sums, c >= 0 says of these.
As R V <= 0 is asked of velocities, a point slips only as it comes apart, which points that are opposite to each other cannot: those lock.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.contact.rubbing.points import RubbingPoints
from redmax.dynamics.rubbing import terms
from redmax.dynamics.rubbing.constants import constants, padded
from redmax.dynamics.rubbing.problem import FrictionProblem, share
from redmax.dynamics.rubbing.rows import RubbingRows
from redmax.program.program import ProgramStage
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.routines.call import Call, Data
from redmax.program.sweep import forward, once, recursion
from redmax.solvers.nonnegative import minimise_nonnegative


@forward
def come_apart_alone(j: JointView, p: ParentView, w: WorldView) -> None:
    """How fast joints would come apart if nothing held them (Eq. 1.88)."""
    X, _ = terms.placed(j)
    j.rub_A = j.rub_V + w.h * (np.asarray(j.rub_inverse, object).reshape(6, 6) @ j.rub_f)
    j.rub_slip = j.rub_A - (X @ p.rub_A)


@once
def count_one(w: WorldView) -> None:
    w.rub_turns, w.rub_square, w.rub_whole = 1.0, 0.0, 0.0


apart_alone = recursion(come_apart_alone, name="rubbing apart by themselves")
told_of_single = recursion(terms.push_together, name="rubbing of one problem"), recursion(count_one, name="rubbing one turn")


def corners(points: RubbingPoints, friction: float) -> np.ndarray:
    """(normals and tangents, rows): what a unit of each row is of them. A polygon of k intervals has 2 k corners, + + - to - - +."""
    m, n = len(points.N), len(points.T)
    found: list[np.ndarray] = []
    for normal, point in enumerate(points.normal_of):
        tangents = [t for t, of in enumerate(points.tangent_of) if of == point]
        k = len(tangents)
        for turn in range(2 * k):
            column = np.zeros(m + n)
            column[normal] = 1.0
            for i, t in enumerate(tangents):
                column[m + t] = friction * points.share[t] * (1.0 if (i - turn) % (2 * k) < k else -1.0)
            found.append(column)
    return np.array(found).T


@dataclass(frozen=True, eq=False)
class SingleProblem:
    """Of one model, in place of turns."""

    friction: FrictionProblem

    @cached_property
    def corners(self) -> list[np.ndarray]:
        """Of each place."""
        return [corners(place.points, place.rubbing.friction) for place in self.friction.places.all]

    @cached_property
    def R(self) -> RubbingRows:
        tables = [c.T @ np.vstack([p.N, p.T]) for c, p in zip(self.corners, self.friction.points, strict=True)]
        return RubbingRows("R", self.friction.places, tuple(tables))

    @cached_property
    def sums(self) -> Data:
        """What makes normal and tangential impulses of those of rows, place after place."""
        return Data("rub sums", sum(len(c) for c in self.corners), max(c.shape[1] for c in self.corners))

    def begun(self) -> tuple[ProgramStage, ...]:
        """What is constant, once in a program."""
        table = np.concatenate([np.pad(c, ((0, 0), (0, (self.sums.columns or 0) - c.shape[1]))) for c in self.corners])
        formula = constants(padded(table, self.sums))
        return *self.friction.N.begun(), *self.R.begun(), Call(formula, lambda at: [(at[self.sums],)], (self.sums,))

    def stages(self, solve: tuple[ProgramStage, ...]) -> tuple[ProgramStage, ...]:
        """Behind accelerations without friction. solve: from rub_push to rub_y = H^-1 rub_push."""
        R, n, problem = self.R, self.R.n, self.friction
        N, T, sums = problem.N, problem.T, self.sums
        c, g, *room = (Data(f"rub R {name}", n) for name in ("c", "g", "c0", "w", "d", "y", "Aw", "Ad", "order"))
        data = R.A, Data("rub R K", n, n), g, c, *room

        def shared(at: Any) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            first = 0
            for k, table in enumerate(self.corners):
                m, size = N.size(k), table.shape[1]
                for out, row, count in ((at[problem.a] + N.first[k], first, m), (at[problem.b] + T.first[k], first + m, len(table) - m)):
                    found.append(((at[sums] + row * sums.leading, sums.leading), at[c] + R.first[k], out, count, size))
                first += len(table)
            return found

        return (
            *R.assembled(),
            apart_alone,
            *R.asked("rub_slip", g),
            Call(minimise_nonnegative, lambda at: [(*data, n)], data),
            Call(share, shared, (sums, c, problem.a, problem.b)),
            *N.acting(problem.a, "rub_load"),
            *T.acting(problem.b, "rub_t"),
            *told_of_single,
            terms.spread_friction,
            terms.pushed_by_friction,
            *solve,
        )
