"""Multipliers beside the unknowns of Newton's method: what tries them, weighs rows, chooses which take part, and asks for the next ones.

    off = 0 of rows that hold both ways;   min(off, lambda d) = 0 of those that only push, off >= 0 and lambda >= 0

d > 0 is a row's own compliance: what its off loses to a unit of lambda. How rows and unknowns are found, others say.
"""

from __future__ import annotations

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Places, Vector, Whole, Wholes, dot
from redmax.solvers.newton import CLOSE, HUGE

WEAK = 1e-2  # the least pivot, beside 1, of rows that are not nearly alike
LOOSE, GROWTH = 8.0, 1e3  # turns in which |r| may grow, and how much
DAMPING, MOST = 10.0, 0.01  # that is added to a diagonal of 1: beside how far rows are off, and in all


@routine
def try_multipliers(x: Vector, base: Vector, step: Vector, n: Whole, lost: Vector, fraction: Vector) -> None:
    """lambda a fraction of the way along its step, as joints go along theirs."""
    for k in range(n):
        base[k] = where(lost[0] > 0.0, x[k], base[k])
        x[k] = base[k] + fraction[0] * step[k]


@routine
def note(off: Number, number: Whole, square: Vector, worst: Vector) -> None:
    """The square of how far a row is off; and by how much, and whose it is, if none was worse."""
    square[0] += off * off
    worst[1] = where(abs(off) > worst[0], float(number), worst[1])
    worst[0] = where(abs(off) > worst[0], abs(off), worst[0])


@routine
def add_squares(off: Vector, n: Whole, number: Whole, square: Vector, worst: Vector) -> None:
    """|off|^2."""
    for k in range(n):
        note(off[k], number, square, worst)


@routine
def add_squares_one_sided(off: Vector, x: Vector, d: Vector, n: Whole, number: Whole, square: Vector, worst: Vector) -> None:
    """|min(off, lambda d)|^2."""
    for k in range(n):
        note(where(x[k] * d[k] < off[k], x[k] * d[k], off[k]), number, square, worst)


@routine
def put_moved(W: Matrix, P: Matrix, B: Matrix, rows: Whole, first: Whole, count: Whole, chi: Places, number: Wholes, r1: Vector) -> None:
    """B_ka += (W_k . psi_a + P_k . s_a) / r1 of a constraint on velocities, and the coordinates that move one of its bodies."""
    for k in range(rows):
        for a in range(count):
            B[first + k, number[a]] += (dot(W[k, 0:6], chi[a][6:12]) + dot(P[k, 0:6], chi[a][12:18])) / r1[0]


@routine
def put_moved_entries(D: Matrix, Q: Matrix, B: Matrix, rows: Whole, first: Whole, count: Whole, start: Whole, r1: Vector) -> None:
    """B_ka += D_ka + Q_ka / r1 of a constraint on velocities and the coordinates of one joint."""
    for k in range(rows):
        for a in range(count):
            B[first + k, start + a] += D[k, a] + Q[k, a] / r1[0]


@routine
def without_reactions(G: Matrix, x: Vector, b: Vector, m: Whole, n: Whole) -> None:
    """b -= G' lambda."""
    for k in range(m):
        b[0:n] -= x[k] * G[k, 0:n]


@routine
def ask(B: Matrix, y: Vector, off: Vector, right: Vector, active: Vector, m: Whole, n: Whole) -> None:
    """right = -off - B y; all rows take part."""
    for k in range(m):
        right[k] = -off[k] - dot(B[k, 0:n], y[0:n])
        active[k] = 1.0


@routine
def soften(right: Vector, x: Vector, c: Vector, n: Whole) -> None:
    """Of a row that gives way, whose off has c lambda already."""
    for k in range(n):
        right[k] += c[0] * x[k]


@routine
def choose_active(off: Vector, x: Vector, d: Vector, was: Vector, active: Vector, n: Whole, size: Vector) -> None:
    """Which rows of a one-sided constraint take part; |r| of another set is no measure of this one."""
    for k in range(n):
        active[k] = where(x[k] * d[k] > off[k], 1.0, 0.0)
        size[0] = where(abs(active[k] - was[k]) < 0.5, size[0], HUGE)
        was[k] = active[k]


@routine
def begin_turns(damping: Vector, least: Vector) -> None:
    """Before the first."""
    damping[0] = DAMPING
    least[0] = HUGE


@routine
def note_least(size: Vector, least: Vector) -> None:
    """The least |r| so far."""
    least[0] = where(size[0] < least[0], size[0], least[0])


@routine
def ask_beyond(A: Matrix, x: Vector, active: Vector, right: Vector, m: Whole) -> None:
    """What is asked for beyond the present lambda, of which rows that do not take part have none."""
    for k in range(m):
        x[k] *= active[k]
    for k in range(m):
        right[k] -= dot(A[k, 0:m], x[0:m])


@routine
def look_for_weak(F: Matrix, scale: Vector, rank: Vector, weak: Vector, held: Vector, m: Whole) -> None:
    """Whether rows that move something repeat others, or almost do. F: eliminated."""
    held[0] = 0.0
    live = 0.0
    for k in range(m):
        live += where(scale[k] > 0.0, 1.0, 0.0)
    weak[0] = where(rank[0] < live, 1.0, 0.0)
    for k in range(m):
        if float(k) < rank[0]:
            weak[0] = where(abs(F[k, k]) * WEAK > 1.0, 1.0, weak[0])


@routine
def hold_back(F: Matrix, B: Matrix, off: Vector, scale: Vector, m: Whole, n: Whole, damping: Vector, held: Vector) -> None:
    """F_kk += damping |off / B|; held: whether that is so much that a short step is no sign of a near solution.

    Rows of a loop that moves although they are too many repeat each other where it is closed, and only almost where it is off by a little.
    What tells them apart there is no reason for large multipliers. Damping goes with what is off, and keeps Newton's order; it is also less
    from turn to turn, for the sake of rows that are nearly alike for good.
    """
    worst = 0.0
    for k in range(m):
        length = dot(B[k, 0:n], B[k, 0:n])
        away = where(scale[k] > 0.0, off[k] * off[k], 0.0) / where(length > 0.0, length, 1.0)
        worst = where(away > worst, away, worst)
    added = damping[0] * sqrt(worst)
    added = where(added < MOST, added, MOST)
    damping[0] *= 0.25
    held[0] = where(added > CLOSE, 1.0, 0.0)
    for k in range(m):
        F[k, k] += where(scale[k] > 0.0, added, 0.0)


@routine
def loosen(size: Vector, least: Vector, turns: Vector) -> None:
    """|r| may grow in the first turns: along rows that bend, a full step leaves more of forces and less of everything in the next one."""
    loose = where(turns[0] < LOOSE, GROWTH * least[0], size[0])
    size[0] = where(size[0] < HUGE, loose, size[0])


@routine
def add_present(x: Vector, found: Vector, m: Whole) -> None:
    """lambda+ from what is added to lambda."""
    found[0:m] += x[0:m]


@routine
def step_of(found: Vector, x: Vector, step: Vector, n: Whole) -> None:
    """From lambda to lambda+."""
    step[0:n] = found[0:n] - x[0:n]


@routine
def add_columns(Z: Matrix, x: Vector, y: Vector, m: Whole, n: Whole) -> None:
    """y += Z' x."""
    for k in range(m):
        y[0:n] += x[k] * Z[k, 0:n]
