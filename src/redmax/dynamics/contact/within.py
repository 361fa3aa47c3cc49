"""Steps in which Coulomb's law has not been met, as where iterations are cut short, add no more energy than contacts hold all the same.

There, changes of rates x are those of the last convex problem, as far as Newton's method got, and change energy by x . H v at most, with
v = v_free + x at the end of the step. Of them and of impulses a part is taken,

    part a + part^2 b <= E,     a = x . H v_free,   b = x . H x,   E: what all contacts hold

all where that is met. What is given beyond what impulses say of themselves, f . u, is taken from what contacts hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from redmax.dynamics.contact.fields import COUNTS, LIMITS
from redmax.dynamics.contact.rows import R_HELD
from redmax.math import sqrt, where
from redmax.program.routines.call import Addresses, Call
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Places, Vector, Whole, Wholes, dot, whole
from redmax.solvers.contact.columns import DU, FREE, IMPULSE, TWIN, U
from redmax.solvers.contact.terms import moved

if TYPE_CHECKING:
    from redmax.dynamics.contact.stages import ContactSystem

LEAST = 1e-300
NAMES = "x", "V", "M", "E", "free"


@routine
def stay_within(
    raw: Matrix, C: Matrix, turned: Vector, counts: Vector, limits: Vector, h: Vector, x: Vector, V: Matrix, M: Matrix, E: Matrix,
    free: Matrix, before: Places, rate: Places, first: Wholes, bodies: Whole, moments: Whole,
) -> None:  # fmt: skip
    """x and V, impulses and u, and what contacts held before the step."""
    if counts[2] > limits[0]:
        count = whole(counts[0])
        every = count
        if moments > 0:
            every = count + whole(turned[0])
        a, b, held = 0.0, 0.0, 0.0
        for n in range(bodies):
            for i in range(6):
                a += V[n, i] * dot(M[6 * n + i, 0:6], free[n, 0:6])
                b += V[n, i] * dot(M[6 * n + i, 0:6], V[n, 0:6])
            for k in range(first[n], first[n + 1]):
                for c in range(first[n], first[n + 1]):
                    own = E[k, c - first[n]]
                    a += x[k] * own * (before[n][c - first[n]] + h[0] * rate[n][c - first[n]])
                    b += x[k] * own * x[c]
        for c in range(count):
            held += raw[c, R_HELD]
        part = 1.0
        if a + b > held:
            root = sqrt(a * a + 4.0 * max(b, 0.0) * held)
            part = where(a > 0.0, 2.0 * held / max(a + root, LEAST), 0.5 * (root - a) / max(b, LEAST))
            for n in range(bodies):
                V[n, 0:8] *= part
                for k in range(first[n], first[n + 1]):
                    x[k] *= part
            for c in range(every):
                for k in range(3):
                    C[c, IMPULSE + k] *= part
                    C[c, U + k] = C[c, FREE + k] + part * (C[c, U + k] - C[c, FREE + k])
        share_out(raw, C, count, V, part * (a + part * b), bodies, moments)


@routine
def share_out(raw: Matrix, C: Matrix, count: Whole, V: Matrix, given: Number, bodies: Whole, moments: Whole) -> None:
    """What is given beyond what impulses say, or contacts have, from what others hold behind the step."""
    missing, left = given, 0.0
    for c in range(count):
        row = C[c]
        work = dot(row[IMPULSE : IMPULSE + 3], row[U : U + 3])
        if moments > 0 and row[TWIN] > -0.5:
            t = C[whole(row[TWIN])]
            moved(t, V, bodies, t[DU:])
            work += dot(t[IMPULSE : IMPULSE + 3], t[DU : DU + 3]) + dot(t[IMPULSE : IMPULSE + 3], t[FREE : FREE + 3])
        row[DU] = max(raw[c, R_HELD] - work, 0.0)
        missing += row[DU] - raw[c, R_HELD]
        left += row[DU]
    if missing > 0.0:
        for c in range(count):
            raw[c, R_HELD] -= C[c, DU] * min(missing / max(left, LEAST), 1.0)


def within(system: ContactSystem) -> tuple[Call, ...]:
    """Behind the solver; not where constraints hold something too, or springs between bodies."""
    if system.rows.m or system.couplings.pairs:
        return ()
    raw, C, turned, *data = (system.data[name] for name in ("raw", "contacts", "turned", *NAMES))

    def rows(at: Addresses) -> list[tuple[object, ...]]:
        rates = [[at.field(j, name) if system.dof(j) else 0 for j in system.order] for name in ("qdot", "qddot")]
        given = raw, C, turned, at.world(COUNTS), at.world(LIMITS), at.world("h"), *data, *rates
        return [(*given, system.first, system.n, int(system.model.turning))]

    return (Call(stay_within, rows, (raw, C, turned, *data)),)
