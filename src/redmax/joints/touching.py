"""Two moving frames that are held together: what joints between curves, and between surfaces, have in common.

F1(q1) slides on the parent, F2(q2) on the child, and Q is the second in the first: E = F1 Q F2^-1. With S_i the body twists of F_i,

    S = Ad(F2) (Q^-1 S1, -S2, and the axis about which Q turns, if it does).

Seen from the contact, as in brackets, S is sparse: curves and surfaces give it so. Ad(F2) takes it to the child's frame.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.lie.three import Matrix, cross, plus, product, rows, split, times, transpose
from redmax.math import array


def relative_pose(F1: Any, Q: Matrix, F2_inverse: Any) -> np.ndarray:
    """F1 Q F2^-1, (4, 4), with Q a rotation (3, 3)."""
    R1, p1 = rows(F1[..., :3, :3]), split(F1[..., :3, 3])
    R2, p2 = rows(F2_inverse[..., :3, :3]), split(F2_inverse[..., :3, 3])
    turned = product(R1, Q)
    R, p = product(turned, R2), plus(p1, times(turned, p2))
    return array([[*row, x] for row, x in zip(R, p)] + [[0.0, 0.0, 0.0, 1.0]])


def relative_jacobian(S1: Any, Q: Matrix, F2_inverse: Any, spatial2: Any, axis: list[float] | None = None) -> np.ndarray:
    """S, (6, ...): columns of S1, of the second frame, then of a rotation about `axis` of it. spatial2 = Ad(F2) S2, (6, ...)."""
    Qt = transpose(Q)
    first = [to_child(F2_inverse, times(Qt, c[:3]), times(Qt, c[3:])) for c in transpose(rows(S1))]
    second = [[0.0 - x for x in column] for column in transpose(rows(spatial2))]
    last = [to_child(F2_inverse, axis, [0.0, 0.0, 0.0])] if axis is not None else []
    return array(transpose([*first, *second, *last]))


def to_child(F2_inverse: Any, w: list[Any], v: list[Any]) -> list[Any]:
    """Ad(F2) of a twist, from the inverse (R2^T, -d) of F2: (R2 w; R2 (v + d x w))."""
    R2 = transpose(rows(F2_inverse[..., :3, :3]))
    d = [0.0 - x for x in split(F2_inverse[..., :3, 3])]
    return times(R2, w) + times(R2, plus(v, cross(d, w)))
