"""A damped step within bounds, as a routine: min g'd + 1/2 d'(H + lambda 1) d, low <= d <= high, nearly.

Coordinates at a bound that the gradient pushes against stay; where the step over the others would go beyond a bound, those that do go to it
and the others are found again. Of H stands what is on and above the diagonal. Traced, with its loops written out, it is what lanes
keep in registers (damped_step.py); for many coordinates its loops run over memory.
"""

from __future__ import annotations

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, some
from redmax.solvers.elimination import factor, solve


@routine
def eliminate(H: Matrix, M: Matrix, g: Vector, free: Vector, d: Vector, x: Vector, damping: Number, n: Whole) -> None:
    """d of the free coordinates, with the others where they are in d."""
    for i in range(n):
        x[i] = 0.0 - g[i]
    for i in range(n):
        for j in range(i + 1, n):
            x[i] -= H[i, j] * ((1.0 - free[j]) * d[j])
            x[j] -= H[i, j] * ((1.0 - free[i]) * d[i])
            M[i, j] = H[i, j] * (free[i] * free[j])
        M[i, i] = where(free[i] > 0.5, H[i, i] + damping, 1.0)
    for i in range(n):
        x[i] *= free[i]
    factor(M, n, 0, n)
    solve(M, x, n)
    for i in range(n):
        d[i] = where(free[i] > 0.5, x[i], d[i])


@routine
def begin_step(
    H: Matrix, M: Matrix, g: Vector, low: Vector, high: Vector, free: Vector, d: Vector, x: Vector, damping: Number, n: Whole
) -> None:
    """d over the coordinates that no bound holds."""
    for i in range(n):
        below = where(low[i] >= 0.0, where(g[i] > 0.0, 0.0, 1.0), 1.0)
        free[i] = where(high[i] <= 0.0, where(g[i] < 0.0, 0.0, below), below)
        d[i] = 0.0
    eliminate(H, M, g, free, d, x, damping, n)


@routine
def hold_beyond(low: Vector, high: Vector, free: Vector, d: Vector, n: Whole) -> float:
    """Put those that went beyond a bound to it, no longer free; whether there are some."""
    found = 0.0
    for i in range(n):
        inside = where(d[i] < low[i], 0.0, where(d[i] > high[i], 0.0, 1.0))
        d[i] = where(d[i] < low[i], low[i], where(d[i] > high[i], high[i], d[i]))
        found = where(inside > 0.5, found, 1.0)
        free[i] *= inside
    return found


@routine
def end_step(
    H: Matrix, g: Vector, low: Vector, high: Vector, unit: Vector, d: Vector, x: Vector, damping: Number, longest: Number, n: Whole
) -> float:
    """Within bounds, and no longer than `longest`; what it promises."""
    most = longest
    for i in range(n):
        d[i] = where(d[i] < low[i], low[i], where(d[i] > high[i], high[i], d[i]))
        size = where(d[i] < 0.0, 0.0 - d[i], d[i]) / unit[i]
        most = where(size > most, size, most)
    shorter = longest / most
    for i in range(n):
        d[i] *= shorter
        x[i] = (H[i, i] + damping) * d[i]
    for i in range(n):
        for j in range(i + 1, n):
            x[i] += H[i, j] * d[j]
            x[j] += H[i, j] * d[i]
    promised = 0.0
    for i in range(n):
        promised -= d[i] * (g[i] + 0.5 * x[i])
    return promised


@routine
def bounded_step(
    H: Matrix, M: Matrix, g: Vector, low: Vector, high: Vector, unit: Vector, free: Vector, d: Vector, x: Vector, known: Vector, n: Whole
) -> None:
    """All of it. known: lambda, the longest that a coordinate may go in its unit; then what the step promises."""
    begin_step(H, M, g, low, high, free, d, x, known[0], n)
    beyond = hold_beyond(low, high, free, d, n)
    if some(beyond > 0.5):
        eliminate(H, M, g, free, d, x, known[0], n)
    known[2] = end_step(H, g, low, high, unit, d, x, known[0], known[1], n)
