"""Two capsules: rods (rods.py)."""

from __future__ import annotations

from typing import Any

from redmax.contact.pairs.rods import rods
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector


@routine
def sides(a: Vector, b: Vector, margin: Number, found: Matrix) -> Any:
    """(number of points, least gap) of two capsules, or of the sides of two cylinders."""
    P, U, Q, V = (a[9], a[10], a[11]), (a[2], a[5], a[8]), (b[9], b[10], b[11]), (b[2], b[5], b[8])
    return rods(P, U, a[13], a[12], Q, V, b[13], b[12], (a[0], a[3], a[6]), margin, found)


@routine
def capsule_capsule(a: Vector, b: Vector, margin: Number, found: Matrix) -> Any:
    """At most 5 points."""
    count, _ = sides(a, b, margin, found)
    return count
