"""From where the solver of contact ends to where rounding ends: Newton's method on r(x) = 0 (coulomb.py), with states as they are found.

The solver is content with a residual of its tolerance; what is differentiated must be a solution, as its derivative is the equation's.
There that exists where every contact is clearly open, sticking or sliding (strict complementarity): else this is told as doubt.

    touching or not    |y_n| <= eps (|y| + m g h),   of convex friction |y_n + mu |y_t||
    stick or slide     ||y_t| - mu y_n| <= eps (|y| + m g h)
    overlaps or not    |gap| <= eps h v, v the approach beyond which contacts give way less: the bias of what presses has a corner there
"""

from __future__ import annotations

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, Wholes, whole
from redmax.solvers.contact.columns import BEFORE, FREE, FRICTION, GAP, KEY, MASS, STATE, Y
from redmax.solvers.contact.converged_rows import border, row_doubt, rows_off
from redmax.solvers.contact.coulomb import out_of_balance_turning, slopes_of_balance
from redmax.solvers.contact.coulomb_turns import add_turns, doubt_of_turns
from redmax.solvers.pivoted import factor_pivoted, solve_pivoted

CLEAR = 1e-9  # eps
STANDING, NEAR, TURNS = 1e-12, 1e-2, 30.0  # of speeds: changes so small are the last; how far it goes; steps of Newton's method
SURE, OPENING, SLIPPING, UNSOLVED, LEVEL, BOUNDED = 0.0, 1.0, 2.0, 3.0, 4.0, 5.0  # doubts; the last of a row of constraints
DOUBTS = 3  # numbers: which, the key of the contact, or the row, its state


@routine
def converge(
    C: Matrix, counts: Vector, limits: Vector, M: Matrix, B: Matrix, E: Matrix, K: Vector, s: Matrix, x: Vector, V: Matrix, w: Matrix,
    g: Vector, G: Matrix, D: Vector, Q: Matrix, A: Matrix, order: Vector, begun: Vector, up: Vector, begin: Vector, of: Vector, h: Vector,
    doubt: Vector, first: Wholes, parent: Wholes, bodies: Whole, n: Whole, one: Wholes, two: Wholes, forth: Wholes, start: Wholes,
    span: Wholes, width: Wholes, pairs: Whole,
) -> None:  # fmt: skip
    """x, and with it u and F of all contacts, and what is in doubt there."""
    converge_in_full(
        h, A, A, h, h, h, h, C, counts, limits, M, B, E, K, s, x, V, w, g, G, D, Q, A, order, begun, up, begin, of, h, doubt, first,
        parent, bodies, n, one, two, forth, start, span, width, pairs, 0, 0, 0, 0,
    )  # fmt: skip


@routine
def converge_in_full(
    turned: Vector, R: Matrix, S: Matrix, b: Vector, soft: Vector, box: Vector, held: Vector, C: Matrix, counts: Vector, limits: Vector,
    M: Matrix, B: Matrix, E: Matrix, K: Vector, s: Matrix, x: Vector, V: Matrix, w: Matrix, g: Vector, G: Matrix, D: Vector, Q: Matrix,
    A: Matrix, order: Vector, begun: Vector, up: Vector, begin: Vector, of: Vector, h: Vector, doubt: Vector, first: Wholes, parent: Wholes,
    bodies: Whole, n: Whole, one: Wholes, two: Wholes, forth: Wholes, start: Wholes, span: Wholes, width: Wholes, pairs: Whole,
    free: Whole, rows: Whole, limited: Whole, moments: Whole,
) -> None:  # fmt: skip
    """x, and behind it the multipliers of constraints; turned: how many contacts have moments, if some may.

    Where it leads away from what the solver found, that stays.
    """
    turns, going, speed, size = 0.0, 1.0, 0.0, 0.0
    every, count = n + rows, whole(counts[0])
    for k in range(every):
        begun[k] = x[k]
    for c in range(whole(counts[0])):
        for k in range(3):
            speed = max(speed, abs(C[c, FREE + k]))
            speed = max(speed, abs(C[c, BEFORE + k]))
    while going > 0.0:
        out_of_balance_turning(
            turned, C, counts, limits, M, E, K, s, x, V, w, g, first, parent, bodies, one, two, forth, start, span, width, pairs, moments
        )  # fmt: skip
        slopes_of_balance(
            C, counts, limits, M, B, E, K, s, G, D, Q, A, up, begin, of, first, parent, bodies, n, one, two, forth, start, span, width,
            pairs,
        )  # fmt: skip
        if moments > 0:
            add_turns(C, count, count + whole(turned[0]), s, Q, A, up, begin, of, n)
        if rows > 0:
            rows_off(R, b, soft, box, held, x, g, n, rows, limited)
            border(R, soft, held, A, n, rows)
        factor_pivoted(A, order, every, 0, every)
        solve_pivoted(A, order, g, every)
        change = 0.0
        size = speed
        for k in range(every):
            x[k] -= g[k]
        for k in range(n):
            change = max(change, abs(g[k]))
            size = max(size, abs(x[k]))
        for k in range(n):
            change = where(g[k] == g[k], change, 1.0 + size)  # of a matrix without an inverse
        turns += 1.0
        going = where(change <= STANDING * size, 0.0, where(turns < TURNS, 1.0, 0.0))
        doubt[0] = where(change <= STANDING * size, SURE, UNSOLVED)
    for k in range(n):
        doubt[0] = where(abs(x[k] - begun[k]) <= NEAR * size, doubt[0], UNSOLVED)
    for k in range(every):
        x[k] = where(doubt[0] > 0.5, begun[k], x[k])
    out_of_balance_turning(
        turned, C, counts, limits, M, E, K, s, x, V, w, g, first, parent, bodies, one, two, forth, start, span, width, pairs, moments
    )  # fmt: skip
    for c in range(whole(counts[0])):
        if doubt[0] < 0.5:
            note_doubt(C[c], limits, h, doubt)
    if moments > 0 and doubt[0] < 0.5:
        doubt_of_turns(C, count, count + whole(turned[0]), doubt, SLIPPING)
    if rows > 0 and doubt[0] < 0.5:
        row = row_doubt(R, S, b, soft, box, held, x, limits[4], n, free, rows, limited)
        doubt[0] = where(row > 0.5, BOUNDED, SURE)
        doubt[1] = row - 1.0


@routine
def note_doubt(row: Vector, limits: Vector, h: Vector, doubt: Vector) -> None:
    """Whether a contact is at the edge of two states."""
    mu, n = row[FRICTION], row[Y]
    across = sqrt(row[Y + 1] * row[Y + 1] + row[Y + 2] * row[Y + 2])
    clear = CLEAR * (abs(n) + across + row[MASS] * limits[4])
    opens = n + where(limits[3] > 0.5, 0.0, mu * across)
    doubt[0] = where(abs(opens) <= clear, OPENING, SURE)
    if row[STATE] > 0.5 and abs(row[GAP]) <= CLEAR * h[0] * limits[6]:
        doubt[0] = LEVEL
    if mu > 0.0 and row[STATE] > 0.5 and abs(across - mu * n) <= clear:
        doubt[0] = SLIPPING
    doubt[1] = row[KEY]
    doubt[2] = row[STATE]


@routine
def keep_solution(x: Vector, counts: Vector, solution: Vector, n: Whole) -> None:
    """x, where anything touches."""
    touches = where(counts[0] > 0.5, 1.0, 0.0)
    for k in range(n):
        solution[k] = where(touches > 0.5, x[k], 0.0)


@routine
def step_back(solution: Vector, g: Vector, x: Vector, n: Whole) -> None:
    """x = solution - (dr/dx)^-1 r."""
    for k in range(n):
        x[k] = solution[k] - g[k]


@routine
def spoil(A: Matrix, doubt: Vector) -> None:
    """Of a step that has no derivative, numbers that are not finite; those who ask first have a sentence."""
    some = where(doubt[0] > 0.5, where(doubt[0] == LEVEL, 0.0, 1.0), 0.0)
    A[0, 0] *= (1.0 - some) / (1.0 - some)


@routine
def copy_vector(x: Vector, y: Vector, n: Whole) -> None:
    """y = x."""
    for k in range(n):
        y[k] = x[k]


@routine
def empty(A: Matrix, rows: Whole, columns: Whole) -> None:
    """A = 0."""
    for i in range(rows):
        A[i, 0:columns] = 0.0
