"""Where Newton's method begins: at the velocities before the step, of trees that touch something."""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Places, Vector, Whole, Wholes


@routine
def begin_rates(x: Vector, touched: Vector, rate: Places, first: Wholes, tree: Wholes, bodies: Whole, h: Vector) -> None:
    """x = -h qddot, or 0."""
    for b in range(bodies):
        for k in range(first[b + 1] - first[b]):
            x[first[b] + k] = -h[0] * touched[tree[b]] * rate[b][k]
