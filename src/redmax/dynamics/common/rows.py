"""The rows of a model's constraints as stages of a program: what they ask for, their multipliers, and what these do to accelerations.

    (G M^-1 G' + c) lambda = right,      qddot += M^-1 G' lambda          (RedMax notes Eqs. 2.102-2.103, by the dual)

right: what the rows ask for beyond what qddot has of it (constraints/traced_rows.py). Of accelerations, rows that give way have no share in
the system: their lambda_s is known, and the others are asked for right - G M^-1 G_s' lambda_s. Trees that no row connects are systems of
their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from redmax.dynamics.common import limited_rows
from redmax.dynamics.common.closing import follow
from redmax.dynamics.common.faded import left_out, ranked
from redmax.dynamics.common.impulses import of_step
from redmax.dynamics.common.islands import Island, Rows, islands
from redmax.dynamics.common.limits_near import PASSED, begin_check, in_range, limit_rows, near
from redmax.dynamics.common.soft_rows import exerted, put_known
from redmax.math import where
from redmax.model.model import Model
from redmax.program.program import Branch, ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Places, Vector, Whole, Wholes
from redmax.program.sweep import Part
from redmax.solvers.complementarity import complementary
from redmax.solvers.reduced_matrix import clear, copy
from redmax.solvers.semidefinite import eliminate_largest, least_norm, scale_rows, solve_ranked


@routine
def look(
    b: Vector, passed: Vector, count: Whole, right: Places, rows: Wholes, first: Wholes, part: Wholes, G: Places, width: Wholes, y: Places
) -> None:
    """b = right - G y of constraints that only push; and whether one asks for something. part: which parts of G belong to which."""
    for c in range(count):
        for k in range(rows[c]):
            left = right[c][k]
            for p in range(part[c], part[c + 1]):
                n = width[p]
                for i in range(n):  # mostly of one coordinate
                    left -= G[p][n * k + i] * y[p][i]
            b[first[c] + k] = left
            passed[0] = where(left > 0.0, 1.0, passed[0])


@routine
def add(source: Vector, target: Vector, n: Whole) -> None:
    """target += source."""
    target[0:n] += source[0:n]


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

    target: the field of joints that multipliers add to; counted: whether impulses of rows that only push are told (impulses.py)
    dynamics: by whose coordinates bodies are placed, for coordinates that constraints carry (closing.py)
    """

    model: Model
    part: Part
    target: str = "qddot"
    dynamics: str = ""
    counted: bool = True

    @cached_property
    def islands(self) -> tuple[Island, ...]:
        """Systems that know nothing of each other."""
        return islands(self.model)

    def terms(self, factors: bool) -> tuple[ProgramStage, ...]:
        """What fills the rows; factors: and what M^-1 takes."""
        raise NotImplementedError

    def factors(self) -> tuple[ProgramStage, ...]:
        """What M^-1 takes, where `terms` left it out."""
        return ()

    def columns(self, i: Island) -> tuple[ProgramStage, ...]:
        """A = G M^-1 G' of an island."""
        raise NotImplementedError

    def accelerations(self, i: Island) -> tuple[ProgramStage, ...]:
        """What lambda adds to the accelerations of its joints, and as `row_y` by itself."""
        raise NotImplementedError

    def moved(self, at: Addresses, i: Island, body: int) -> int:
        """Where the acceleration of a body stands that multipliers have brought."""
        raise NotImplementedError

    def stages(self) -> tuple[ProgramStage, ...]:
        """From accelerations without constraints to those with them.

        Equalities first. Rows that only push are looked at then, and cost no more as long as none of them would be passed: otherwise all
        rows of their islands are solved together, from where the equalities left off. Limits of coordinates need no bodies for that. Rows
        with limited force always are.
        """
        equal, pushing = [i for i in self.islands if i.free], [i for i in self.islands if i.free < i.m]
        known = follow(self.model, self.dynamics)
        if self.part is Part.ACCELERATION_ROWS and (pushing or any(r.compliant for i in equal for r in i.rows)):
            return *known, *self.terms(factors=True), *[stage for i in self.islands for stage in self.by_modes(i)]
        bounded, limited = [r for i in pushing for r in i.rows if r.bounded], any(i.limited for i in pushing)
        ready = bool(equal) or limited
        found = [*known, *(self.terms(factors=ready) if ready or not all(r.waits for r in bounded) else ())]
        for i in (island.equal for island in equal):
            found += [*self.columns(i), *self.softened(i), *asked(i), *equalities(i, self.part), *stored(i), *self.accelerations(i)]
        return *found, *(self.pushed(pushing, bounded, ready) if pushing else ())

    def pushed(self, pushing: Sequence[Island], bounded: Sequence[Rows], factored: bool) -> tuple[ProgramStage, ...]:
        """What rows that only push, or give way, add. factored: whether `terms` were, with factors."""
        waiting, placed = any(r.waits for r in bounded), not all(r.waits for r in bounded)
        others = [i for i in pushing if any(r.bounded and not r.waits for r in i.rows)]
        looked = [begin_check, *near(bounded), *in_range(bounded), *[self.checked(i) for i in others]]
        filled = [*(() if factored else self.factors() if placed else self.terms(factors=True)), *([limit_rows] if waiting else [])]
        always = [stage for i in pushing if i.limited for stage in self.together(i)]
        at_times = [stage for i in pushing if not i.limited for stage in self.together(i)]
        if not always:
            return *looked, Branch(PASSED, (*filled, *at_times))
        return *looked, *filled, *always, *([Branch(PASSED, tuple(at_times))] if at_times else [])

    def together(self, i: Island) -> list[ProgramStage]:
        """All rows of an island, from where its equalities left off."""
        solve = *self.columns(i), *self.softened(i), *nothing(i), *asked_late(i), *complementarity(i)
        return [*solve, *(of_step(self.model, i) if self.counted else ()), *added(i), *self.accelerations(i)]

    def by_modes(self, i: Island) -> tuple[ProgramStage, ...]:
        """Rows that only push are equalities, or out of it, by their modes (row_events.py); what rows with compliance exert is known."""
        if i.limited:
            solve = *self.columns(i), *asked(i), *exerted(i), *limited_rows.by_modes(i), *put_known(i), *stored(i)
            return *solve, *self.accelerations(i)
        active, sided = i.data("active", i.m), [r for r in i.rows if r.pushes]
        modes = lambda at: [(at.kept(r.acting, r.k) + r.kept.mode, at[active] + r.first, r.kept.size) for r in sided]  # noqa: E731
        acting = Call(all_active, lambda at: [(active, i.m)], (active,)), Call(copy, modes, (active,))
        return *self.columns(i), *asked(i), *exerted(i), *acting, *solved(i, self.part), *put_known(i), *stored(i), *self.accelerations(i)

    def checked(self, i: Island) -> Call:
        """What rows that only push ask for beyond what equalities have done."""
        b, before = asked_of(i), i.equal if i.free else None
        sided = [r for r in i.rows if r.bounded and not r.waits]

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            parts: list[tuple[int, int, int]] = []
            starts = [0]
            for r in sided:
                kept = at.kept(r.acting, r.k)
                if before:
                    parts += [(kept + r.kept.wrench(k), 6, self.moved(at, before, j)) for k, j in enumerate(r.bodies)]
                    dofs = [(k, j, self.dof(j)) for k, j in enumerate(r.joints) if self.dof(j)]
                    parts += [(kept + r.kept.slope(k), n, at.field(j, "row_y")) for k, j, n in dofs]
                starts.append(len(parts))
            rights = [at.kept(r.acting, r.k) + r.kept.right for r in sided]
            sizes, first = [r.kept.size for r in sided], [r.first for r in sided]
            G, widths, y = ([part[n] for part in parts] for n in range(3))
            return [(b, at.world(PASSED), len(sided), rights, sizes, first, starts, G, widths, y)]

        return Call(look, rows, (b,))

    def dof(self, j: int) -> int:
        """Coordinates of a joint that rows can move."""
        return 0 if self.model.prescribed[j] else self.model.links[j].joint.dof

    def places(self, at: Addresses, bodies: Sequence[int], field: str, width: int) -> list[int]:
        """Where the field of each of their coordinates begins."""
        return [at.field(j, field) + width * c for j in bodies for c in range(self.dof(j))]

    def softened(self, i: Island) -> tuple[ProgramStage, ...]:
        """A with what compliance adds."""
        A = i.A
        rows = lambda at: [(A, r.first, r.kept.size, at.kept(r.acting, r.k) + r.kept.softness) for r in i.soft]  # noqa: E731
        return (Call(add_diagonal, rows, (A,)),) if i.soft else ()


def asked_of(i: Island) -> Data:
    """What the rows of an island ask for."""
    return i.data("right", i.m)


def vectors(i: Island, *names: str) -> list[Data]:
    """Vectors of the solvers, as long as there are rows."""
    return [i.data(name, i.m) for name in names]


def asked(i: Island) -> tuple[ProgramStage, ...]:
    """What each constraint asks for, together."""
    return (copied_right(i, i.rows),)


def asked_late(i: Island) -> tuple[ProgramStage, ...]:
    """What limits ask for that waited until one would be passed."""
    waiting = [r for r in i.rows if r.waits]
    return (copied_right(i, waiting),) if waiting else ()


def copied_right(i: Island, rows: Sequence[Rows]) -> Call:
    """What these constraints ask for, together."""
    b = asked_of(i)
    return Call(copy, lambda at: [(at.kept(r.acting, r.k) + r.kept.right, at[b] + r.first, r.kept.size) for r in rows], (b,))


def nothing(i: Island) -> tuple[ProgramStage, ...]:
    """Of equalities, which are kept already, nothing more is asked for."""
    b = asked_of(i)
    return (Call(clear, lambda at: [(at[b], i.free)], (b,)),) if i.free else ()


def equalities(i: Island, part: Part | None = None) -> tuple[ProgramStage, ...]:
    """lambda of A lambda = right."""
    active = i.data("active", i.m)
    return Call(all_active, lambda at: [(active, i.m)], (active,)), *solved(i, part)


def solved(i: Island, part: Part | None = None) -> tuple[ProgramStage, ...]:
    """lambda of A lambda = right, of the rows that are active. part: at which level it is looked whether they have faded."""
    m, A, F, C, N = i.m, i.A, i.data("F", i.m, i.m), i.data("C", i.m, i.m), i.data("N", i.m, i.m)
    z, scale, active, order = vectors(i, "z", "scale", "active", "order")
    b, x, rank = asked_of(i), i.multipliers, i.data("rank", 1)
    return (
        *([left_out(i, part)] if part else []),
        Call(scale_rows, lambda at: [(A, F, scale, active, order, m)], (A, F, scale, active, order)),
        Call(eliminate_largest, lambda at: [(F, order, rank, m)], (F, order, rank)),
        *([ranked(i, part)] if part else []),
        Call(solve_ranked, lambda at: [(F, order, rank, scale, b, x, z, m)], (F, order, rank, scale, b, x, z)),
        Call(least_norm, lambda at: [(F, order, rank, scale, x, C, N, z, m)], (F, order, rank, scale, x, C, N, z)),
    )


def complementarity(i: Island) -> tuple[ProgramStage, ...]:
    """What lambda changes where some rows only push, or give way."""
    if i.limited:
        return *limited_rows.bounds(i), *limited_rows.boxed(i)
    A, F, b, x = i.A, i.data("F", i.m, i.m), asked_of(i), i.multipliers
    z, scale, active, order, wrong = vectors(i, "z", "scale", "active", "order", "wrong")
    rank, together = i.data("rank", 1), i.data("together", 1)
    row = (A, F, b, x, z, scale, active, order, rank, wrong, together)
    return (Call(complementary, lambda at: [(*row, i.free, i.m)], row),)


def stored(i: Island) -> tuple[ProgramStage, ...]:
    """lambda to each constraint."""
    x = i.multipliers
    return (Call(copy, lambda at: [(at[x] + r.first, at.kept(r.acting, r.k) + r.kept.multipliers, r.kept.size) for r in i.rows], (x,)),)


def added(i: Island) -> tuple[ProgramStage, ...]:
    """The same, to what is there already."""
    x = i.multipliers
    return (Call(add, lambda at: [(at[x] + r.first, at.kept(r.acting, r.k) + r.kept.multipliers, r.kept.size) for r in i.rows], (x,)),)
