"""The rows of a model's constraints as stages of a program: what they ask for, their multipliers, and what these do to accelerations.

    (G M^-1 G' + c) lambda = right,      qddot += M^-1 G' lambda          (RedMax notes Eqs. 2.102-2.103, by the dual)

right: what the rows ask for beyond what qddot has of it (constraints/law.py). Trees that no row connects are systems of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from redmax.constraints.law import Kept
from redmax.dynamics.common.row_terms import row_terms
from redmax.model.model import Model
from redmax.program.interaction import Acting
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole
from redmax.program.sweep import Part
from redmax.solvers.along_tree import gram, inward, outward, put_slope, put_wrench, weigh
from redmax.solvers.reduced_matrix import clear, copy
from redmax.solvers.semidefinite import eliminate_largest, least_norm, scale_rows, solve_ranked


@dataclass(frozen=True, eq=False)
class Rows:
    """Those of one constraint. number: of the constraint; first: its first row within its island; k: its place among its kind."""

    number: int
    first: int
    acting: Acting
    k: int
    kept: Kept
    bodies: tuple[int, ...]
    joints: tuple[int, ...]
    compliant: bool


@dataclass(frozen=True, eq=False)
class Island:
    """Trees that rows connect. bodies: all of theirs, root first; held: those that rows act on, with all above them."""

    number: int
    rows: tuple[Rows, ...]
    bodies: tuple[int, ...]
    held: tuple[int, ...]

    @property
    def m(self) -> int:
        """How many rows."""
        return sum(r.kept.size for r in self.rows)

    def data(self, name: str, rows: int, columns: int | None = None) -> Data:
        """A matrix or vector of this island."""
        return Data(f"{name} of island {self.number}", rows, columns)


def islands(model: Model) -> tuple[Island, ...]:
    """The rows of a model, by the trees that they connect."""
    parent = model.tree.parent
    root = list(range(len(parent)))
    for j, p in enumerate(parent):
        root[j] = j if p < 0 else root[p]
    leader = {r: r for r in root}

    def find(r: int) -> int:
        while leader[r] != r:
            r = leader[r]
        return r

    touched = [(c.number, [root[b] for b in (*c.bodies, *c.joints)]) for c in unplaced(model)]
    for _, roots in touched:
        for r in roots[1:]:
            leader[find(r)] = find(roots[0])
    groups: dict[int, list[int]] = {}
    for number, roots in touched:
        groups.setdefault(find(roots[0]), []).append(number)
    known = {c.number: c for c in unplaced(model)}
    result: list[Island] = []
    for number, (leading, members) in enumerate(groups.items()):
        rows, first = [], 0
        for c in (known[n] for n in members):
            rows.append(Rows(c.number, first, c.acting, c.k, c.kept, c.bodies, c.joints, c.compliant))
            first += c.kept.size
        held = {a for r in rows for b in (*r.bodies, *r.joints) for a in model.tree.ancestors(b)}
        bodies = tuple(j for j in range(len(parent)) if find(root[j]) == leading)
        result.append(Island(number, tuple(rows), bodies, tuple(sorted(held))))
    return tuple(result)


def unplaced(model: Model) -> Iterator[Rows]:
    """The rows of each constraint, in the order in which the scene has them."""
    found: dict[int, Rows] = {}
    for acting, numbers in model.row_kinds:
        for k, number in enumerate(numbers):
            c = model.constraints[number]
            bodies, joints = tuple(b.index for b in c.bodies), tuple(b.index for b in c.joints)
            kept = Kept(c.size, len(bodies), tuple(model.links[j].joint.dof for j in joints))
            found[number] = Rows(number, 0, acting, k, kept, bodies, joints, c.compliant)
    yield from (found[n] for n in sorted(found))


@routine
def add_diagonal(A: Matrix, first: Whole, n: Whole, c: Vector) -> None:
    """A_kk += c."""
    for k in range(n):
        A[first + k, first + k] += c[0]


@routine
def all_active(active: Vector, m: Whole) -> None:
    """All rows take part."""
    active[0:m] = 1.0


@dataclass(frozen=True, eq=False)
class RowSystem:
    """All rows of a model at one level: Part.ACCELERATION_ROWS, VELOCITY_ROWS or POSITION_ROWS. implicit: with forces' impedance.

    target: the field of joints that multipliers add to
    """

    model: Model
    part: Part
    implicit: bool
    target: str = "qddot"

    @cached_property
    def islands(self) -> tuple[Island, ...]:
        """Systems that know nothing of each other."""
        return islands(self.model)

    def stages(self) -> tuple[ProgramStage, ...]:
        """From accelerations without constraints to those with them."""
        found: list[ProgramStage] = [row_terms(self.part, self.implicit)]
        for island in self.islands:
            found += [*self.columns(island), *self.multipliers(island), *self.accelerations(island)]
        return tuple(found)

    def dof(self, j: int) -> int:
        """Coordinates of a joint that rows can move."""
        return 0 if self.model.prescribed[j] else self.model.links[j].joint.dof

    def first(self, bodies: Sequence[int]) -> list[int]:
        """Where each body's coordinates begin, and their end."""
        found = [0]
        for j in bodies:
            found.append(found[-1] + self.dof(j))
        return found

    def parents(self, bodies: Sequence[int]) -> list[int]:
        """Of each body, its parent's place among them, or -1."""
        place = {j: i for i, j in enumerate(bodies)}
        return [place.get(self.model.tree.parent[j], -1) for j in bodies]

    def places(self, at: Addresses, bodies: Sequence[int], field: str, width: int) -> list[int]:
        """Where the field of each of their coordinates begins."""
        return [at.field(j, field) + width * c for j in bodies for c in range(self.dof(j))]

    def columns(self, i: Island) -> list[ProgramStage]:
        """u, Psi u and G M^-1 G' of an island."""
        held, m, first = i.held, i.m, self.first(i.held)
        n = first[-1]
        P, X, Y, A = i.data("P", 6 * len(held), m), i.data("u", n, m), i.data("Psi u", n, m), i.data("A", m, m)
        place = {j: k for k, j in enumerate(held)}

        def wrenches(at: Addresses) -> list[tuple[Any, ...]]:
            rows = [(r, k, b) for r in i.rows for k, b in enumerate(r.bodies)]
            return [(at.kept(r.acting, r.k) + r.kept.wrench(k), P, place[b], r.first, r.kept.size) for r, k, b in rows]

        def slopes(at: Addresses) -> list[tuple[Any, ...]]:
            rows = [(r, k, j) for r in i.rows for k, j in enumerate(r.joints) if self.dof(j)]
            return [
                (at.kept(r.acting, r.k) + r.kept.slope(k), X, first[place[j]], self.dof(j), r.first, r.kept.size) for r, k, j in rows
            ]

        def passes(at: Addresses) -> list[tuple[Any, ...]]:
            s, U = self.places(at, held, "row_s", 6), self.places(at, held, "row_U", 6)
            return [(X, P, m, s, U, first, self.parents(held), len(held))]

        def softness(at: Addresses) -> list[tuple[Any, ...]]:
            return [(A, r.first, r.kept.size, at.kept(r.acting, r.k) + r.kept.softness) for r in i.rows if r.compliant]

        return [
            Call(clear, lambda at: [(at[P], P.size), (at[X], X.size)], (P, X)),
            Call(put_wrench, wrenches, (P,)),
            Call(put_slope, slopes, (X,)),
            Call(inward, passes, (X, P)),
            Call(weigh, lambda at: [(X, Y, m, [at.field(j, "row_Psi") for j in held], first, len(held))], (X, Y)),
            Call(gram, lambda at: [(X, Y, A, n, m)], (X, Y, A)),
            Call(add_diagonal, softness, (A,)),
        ]

    def multipliers(self, i: Island) -> list[ProgramStage]:
        """lambda, kept with each constraint."""
        m = i.m
        A, F, C, N = i.data("A", m, m), i.data("F", m, m), i.data("C", m, m), i.data("N", m, m)
        b, x, z, scale, active, order = (i.data(n, m) for n in ("right", "lambda", "z", "scale", "active", "order"))
        rank = i.data("rank", 1)

        def inwards(at: Addresses) -> list[tuple[Any, ...]]:
            return [(at.kept(r.acting, r.k) + r.kept.right, at[b] + r.first, r.kept.size) for r in i.rows]

        def outwards(at: Addresses) -> list[tuple[Any, ...]]:
            return [(at[x] + r.first, at.kept(r.acting, r.k) + r.kept.multipliers, r.kept.size) for r in i.rows]

        return [
            Call(copy, inwards, (b,)),
            Call(all_active, lambda at: [(active, m)], (active,)),
            Call(scale_rows, lambda at: [(A, F, scale, active, order, m)], (A, F, scale, active, order)),
            Call(eliminate_largest, lambda at: [(F, order, rank, m)], (F, order, rank)),
            Call(solve_ranked, lambda at: [(F, order, rank, scale, b, x, z, m)], (F, order, rank, scale, b, x, z)),
            Call(least_norm, lambda at: [(F, order, rank, scale, x, C, N, z, m)], (F, order, rank, scale, x, C, N, z)),
            Call(copy, outwards, (x,)),
        ]

    def accelerations(self, i: Island) -> list[ProgramStage]:
        """What lambda adds to the accelerations of all joints of the trees."""
        first, m = self.first(i.bodies), i.m
        held = dict(zip(i.held, self.first(i.held), strict=False))
        Y, x, a = i.data("Psi u", self.first(i.held)[-1], m), i.data("lambda", m), i.data("a", len(i.bodies), 6)
        rows = [held[j] + c if j in held else -1 for j in i.bodies for c in range(self.dof(j))]

        def passes(at: Addresses) -> list[tuple[Any, ...]]:
            s, U = self.places(at, i.bodies, "row_s", 6), self.places(at, i.bodies, "row_U", 6)
            y = self.places(at, i.bodies, self.target, 1)
            return [(Y, x, m, a, s, U, y, first, rows, self.parents(i.bodies), len(i.bodies))]

        return [Call(outward, passes, (Y, x, a))]
