"""Rows of contacts in the coordinates of joints."""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, dot, whole


@routine
def along_coordinates(J: Vector, s: Matrix, body: Whole, up: Vector, begin: Vector, Q: Matrix) -> None:
    """Q += J s, three rows, of all coordinates that move a body, from its own up to the root's."""
    b = float(body)
    while b > -0.5:
        at = whole(b)
        for k in range(whole(begin[at]), whole(begin[at + 1])):
            for r in range(3):
                Q[r, k] += dot(J[8 * r : 8 * r + 6], s[k, 0:6])
        b = up[at]
