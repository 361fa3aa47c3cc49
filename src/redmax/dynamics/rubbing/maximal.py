"""What the rows of constraints would exert on bodies without joints (RedMax notes Eq. 2.115), as published code has it while f_a is found.

    A = W M^-1 W',    A lambda = right + W (J a - M^-1 (f + f_b)),    a: accelerations before rows, right: what these ask for beyond them

With it f_a = M (J v_r - v_m) / h has what constraints exert on joints as they are, less this: joints seem to bear what they do not. It is
there for published numbers alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from redmax.dynamics.common.islands import Rows, unplaced
from redmax.dynamics.rubbing.rows import couple
from redmax.dynamics.rubbing.terms import placed
from redmax.dynamics.rubbing.wrenches import into_joint, take_wrench
from redmax.model.model import Model
from redmax.program.program import ProgramStage
from redmax.program.record import JointView, ParentView
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, dot
from redmax.program.sweep import forward, recursion
from redmax.solvers.complementarity import complementary
from redmax.solvers.reduced_matrix import clear


@routine
def rows_in_joint(W: Vector, R: Vector, x: Vector, o: Vector, z: Vector, out: Matrix, n: Whole) -> None:
    """Rows in world axes about the origin of a tree, as rows over the twist of a joint frame."""
    for r in range(n):
        into_joint(W[6 * r :], R, x, o, z, out[r])


@routine
def begin_asked(b: Vector, right: Vector, n: Whole) -> None:
    """b = right."""
    b[0:n] = right[0:n]


@routine
def add_asked(W: Matrix, a: Vector, b: Vector, n: Whole) -> None:
    """b += W a."""
    for r in range(n):
        b[r] += dot(W[r, 0:6], a[0:6])


@forward
def come_apart_by(j: JointView, p: ParentView) -> None:
    """J a - M^-1 (f + f_b), a before rows."""
    X, S = placed(j)
    j.rub_A = (X @ p.rub_A) + S @ j.qddot
    j.rub_after = j.rub_A - np.asarray(j.rub_inverse, object).reshape(6, 6) @ (j.rub_f + j.rub_b)


apart_before_rows = recursion(come_apart_by, name="rubbing apart before rows")


@dataclass(frozen=True, eq=False)
class MaximalRows:
    """All rows of a model's constraints, over bodies that move by themselves."""

    model: Model

    @cached_property
    def rows(self) -> tuple[Rows, ...]:
        """Those that hold both ways come first."""
        found, first = [], 0
        for r in sorted(unplaced(self.model), key=lambda r: (r.bounded, r.number)):
            found.append(replace(r, first=first))
            first += r.kept.size
        return tuple(found)

    @cached_property
    def m(self) -> int:
        """How many there are."""
        return sum(r.kept.size for r in self.rows)

    @cached_property
    def parts(self) -> list[tuple[Rows, int, int, int]]:
        """(constraint, which of its bodies, the body, where its rows in the joint frame begin)."""
        found, first = [], 0
        for r in self.rows:
            for k, body in enumerate(r.bodies):
                found.append((r, k, body, first))
                first += r.kept.size
        return found

    def data(self, name: str, rows: int, columns: int | None = None) -> Data:
        """By its name."""
        return Data(f"rub maximal {name}", rows, columns)

    def stages(self) -> tuple[ProgramStage, ...]:
        """rub_world of all bodies, anew."""
        m, total = self.m, sum(r.kept.size for r, *_ in self.parts)
        W, A, z, frame = self.data("W", total, 6), self.data("A", m, m), Data("rub z", 6), self.data("frame", 6)
        F, b, x = self.data("F", m, m), self.data("b", m), self.data("lambda", m)
        zz, scale, active, order, wrong = (self.data(name, m) for name in ("z", "scale", "active", "order", "wrong"))
        rank, together = self.data("rank", 1), self.data("together", 1)
        place = lambda at, first: (at[W] + first * W.leading, W.leading)  # noqa: E731

        def turned(at: Addresses) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            for r, k, body, first in self.parts:
                where = tuple(at.field(body, name) for name in ("rub_R", "rub_x", "rub_o"))
                found.append((at.kept(r.acting, r.k) + r.kept.wrench(k), *where, frame, place(at, first), r.kept.size))
            return found

        def pairs(at: Addresses) -> list[tuple[Any, ...]]:
            both = [(p, q) for p in self.parts for q in self.parts if p[2] == q[2]]
            sizes = [(p[0].first, q[0].first, p[0].kept.size, q[0].kept.size, 1) for p, q in both]
            inverse = [(at.field(p[2], "rub_inverse"), 6) for p, _ in both]
            return [(place(at, p[3]), place(at, q[3]), i, z, A, *s) for (p, q), i, s in zip(both, inverse, sizes, strict=True)]

        asked = lambda at: [(at[b] + r.first, at.kept(r.acting, r.k) + r.kept.right, r.kept.size) for r in self.rows]  # noqa: E731
        more = lambda at: [(place(at, n), at.field(j, "rub_after"), at[b] + r.first, r.kept.size) for r, _, j, n in self.parts]  # noqa: E731
        free = sum(r.kept.size for r in self.rows if not r.bounded)
        row = (A, F, b, x, zz, scale, active, order, rank, wrong, together)

        def wrenches(at: Addresses) -> list[tuple[Any, ...]]:
            kept = [(at.kept(r.acting, r.k) + r.kept.wrench(k), at[x] + r.first) for r, k, _, _ in self.parts]
            bodies = [(at.field(body, "rub_world"), r.kept.size, 0) for r, _, body, _ in self.parts]
            return [(*own, at.world("h"), *out) for own, out in zip(kept, bodies, strict=True)]

        return (
            Call(rows_in_joint, turned, (W, frame)),
            Call(clear, lambda at: [(at[A], A.size)], (A,)),
            Call(couple, pairs, (W, A, z)),
            Call(begin_asked, asked, (b,)),
            Call(add_asked, more, (W, b)),
            Call(complementary, lambda at: [(*row, free, m)], row),
            Call(clear, lambda at: [(at.field(j, "rub_world"), 6) for j in range(len(self.model.links))]),
            Call(take_wrench, wrenches, (x,)),
        )
