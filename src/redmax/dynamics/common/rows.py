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
from redmax.model.model import Model
from redmax.program.interaction import Acting
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole
from redmax.program.sweep import Part
from redmax.solvers.reduced_matrix import copy
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

    @property
    def A(self) -> Data:
        """G M^-1 G'."""
        return self.data("A", self.m, self.m)

    @property
    def multipliers(self) -> Data:
        """lambda."""
        return self.data("lambda", self.m)

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
    """All rows of a model at one level: Part.ACCELERATION_ROWS, VELOCITY_ROWS or POSITION_ROWS. How M^-1 G' is found, others say.

    target: the field of joints that multipliers add to
    """

    model: Model
    part: Part
    target: str = "qddot"

    @cached_property
    def islands(self) -> tuple[Island, ...]:
        """Systems that know nothing of each other."""
        return islands(self.model)

    def terms(self) -> tuple[ProgramStage, ...]:
        """What fills the rows."""
        raise NotImplementedError

    def columns(self, i: Island) -> tuple[ProgramStage, ...]:
        """A = G M^-1 G' of an island."""
        raise NotImplementedError

    def accelerations(self, i: Island) -> tuple[ProgramStage, ...]:
        """What lambda adds to the accelerations of its joints."""
        raise NotImplementedError

    def stages(self) -> tuple[ProgramStage, ...]:
        """From accelerations without constraints to those with them."""
        found = [*self.terms()]
        for island in self.islands:
            found += [*self.columns(island), *self.softened(island), *multipliers(island), *self.accelerations(island)]
        return tuple(found)

    def dof(self, j: int) -> int:
        """Coordinates of a joint that rows can move."""
        return 0 if self.model.prescribed[j] else self.model.links[j].joint.dof

    def places(self, at: Addresses, bodies: Sequence[int], field: str, width: int) -> list[int]:
        """Where the field of each of their coordinates begins."""
        return [at.field(j, field) + width * c for j in bodies for c in range(self.dof(j))]

    def softened(self, i: Island) -> tuple[ProgramStage, ...]:
        """A with what compliance adds."""
        soft, A = [r for r in i.rows if r.compliant], i.A
        rows = lambda at: [(A, r.first, r.kept.size, at.kept(r.acting, r.k) + r.kept.softness) for r in soft]  # noqa: E731
        return (Call(add_diagonal, rows, (A,)),) if soft else ()


def multipliers(i: Island) -> tuple[ProgramStage, ...]:
    """lambda of A lambda = right, kept with each constraint."""
    m, A, F, C, N = i.m, i.A, i.data("F", i.m, i.m), i.data("C", i.m, i.m), i.data("N", i.m, i.m)
    b, x, z, scale, active, order = (i.data(n, m) for n in ("right", "lambda", "z", "scale", "active", "order"))
    rank = i.data("rank", 1)

    def inwards(at: Addresses) -> list[tuple[Any, ...]]:
        return [(at.kept(r.acting, r.k) + r.kept.right, at[b] + r.first, r.kept.size) for r in i.rows]

    def outwards(at: Addresses) -> list[tuple[Any, ...]]:
        return [(at[x] + r.first, at.kept(r.acting, r.k) + r.kept.multipliers, r.kept.size) for r in i.rows]

    return (
        Call(copy, inwards, (b,)),
        Call(all_active, lambda at: [(active, m)], (active,)),
        Call(scale_rows, lambda at: [(A, F, scale, active, order, m)], (A, F, scale, active, order)),
        Call(eliminate_largest, lambda at: [(F, order, rank, m)], (F, order, rank)),
        Call(solve_ranked, lambda at: [(F, order, rank, scale, b, x, z, m)], (F, order, rank, scale, b, x, z)),
        Call(least_norm, lambda at: [(F, order, rank, scale, x, C, N, z, m)], (F, order, rank, scale, x, C, N, z)),
        Call(copy, outwards, (x,)),
    )
