"""Steps in which Coulomb's law has not been met, as where iterations are cut short, add no more energy than contacts hold all the same.

Impulses f of the last iteration change energy by f . u at most, u = u_free + W f by exact momentum balance. Of these a part is taken,

    part a + part^2 b <= E,     a = f . u_free,   b = f . W f,   E: what all contacts hold

all where that is met. What one gives beyond what it holds itself is then taken from what the others hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from redmax.dynamics.contact.fields import COUNTS, LIMITS
from redmax.dynamics.contact.rows import R_HELD
from redmax.math import sqrt, where
from redmax.program.routines.call import Call
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, Wholes, dot, whole
from redmax.solvers.contact.columns import DU, FREE, IMPULSE, TWIN, U
from redmax.solvers.contact.moments import residual_with_moments
from redmax.solvers.contact.newton import balance
from redmax.solvers.contact.terms import end_at, moved, residual

if TYPE_CHECKING:
    from redmax.dynamics.contact.stages import ContactSystem

NAMES = "w", "s", "G0", "L0", "p0", "z", "tau", "y", "W", "x", "V"


@routine
def stay_within(
    raw: Matrix, C: Matrix, turned: Vector, counts: Vector, limits: Vector, w: Matrix, s: Matrix, G: Matrix, L: Matrix, p: Vector,
    z: Vector, tau: Vector, y: Vector, W: Matrix, x: Vector, V: Matrix, first: Wholes, parent: Wholes, bodies: Whole, n: Whole,
    moments: Whole,
) -> None:  # fmt: skip
    """x and V, impulses and u, and what contacts held before the step."""
    count = whole(counts[0])
    if counts[2] > limits[0]:
        every = count
        if moments > 0:
            every = count + whole(turned[0])
        balance(C, every, w, s, tau, G, L, p, z, y, W, first, parent, bodies)
        a, b, held = 0.0, 0.0, 0.0
        for c in range(every):
            row = C[c]
            moved(row, W, bodies, row[DU:])
            a += dot(row[IMPULSE : IMPULSE + 3], row[FREE : FREE + 3])
            b += dot(row[IMPULSE : IMPULSE + 3], row[DU : DU + 3])
        for c in range(count):
            held += raw[c, R_HELD]
        part = 1.0
        if a + b > held:
            root = sqrt(a * a + 4.0 * max(b, 0.0) * held)
            part = where(a > 0.0, 2.0 * held / max(a + root, 1e-300), 0.5 * (root - a) / max(b, 1e-300))
        for k in range(n):
            x[k] = part * y[k]
        for k in range(bodies):
            V[k, 0:8] = part * W[k, 0:8]
        for c in range(every):
            for k in range(3):
                C[c, IMPULSE + k] *= part
        most = residual(C, count, V, limits[3], bodies, moments)
        if moments > 0:
            most = max(most, residual_with_moments(C, count, every, V, limits[3], bodies))
        counts[2] = sqrt(most)
        end_at(C, count)
        share_out(raw, C, count, V, bodies, moments)


@routine
def share_out(raw: Matrix, C: Matrix, count: Whole, V: Matrix, bodies: Whole, moments: Whole) -> None:
    """What some contacts give and do not hold, from what others hold behind the step."""
    missing, left = 0.0, 0.0
    for c in range(count):
        row = C[c]
        row[DU] = raw[c, R_HELD] - dot(row[IMPULSE : IMPULSE + 3], row[U : U + 3])
        if moments > 0 and row[TWIN] > -0.5:
            t = C[whole(row[TWIN])]
            moved(t, V, bodies, t[DU:])
            row[DU] -= dot(t[IMPULSE : IMPULSE + 3], t[DU : DU + 3]) + dot(t[IMPULSE : IMPULSE + 3], t[FREE : FREE + 3])
        missing += max(-row[DU], 0.0)
        left += max(row[DU], 0.0)
    if missing > 0.0:
        for c in range(count):
            raw[c, R_HELD] -= max(C[c, DU], 0.0) * min(missing / max(left, 1e-300), 1.0)


def within(system: ContactSystem) -> tuple[Call, ...]:
    """Behind the solver; not where constraints hold something too, or springs between bodies."""
    if system.rows.m or system.couplings.pairs:
        return ()
    raw, C, turned, *data = (system.data[name] for name in ("raw", "contacts", "turned", *NAMES))
    sizes = system.first, system.parent, system.n, system.first[-1], int(system.model.turning)
    given = lambda at: [(raw, C, turned, at.world(COUNTS), at.world(LIMITS), *data, *sizes)]  # noqa: E731
    return (Call(stay_within, given, (raw, C, turned, *data)),)
