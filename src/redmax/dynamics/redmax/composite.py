"""Bodies that a joint moves as one (composite rigid bodies; Walker and Orin 1982), each as ten numbers in a joint frame.

    mass m,  first moment h = m c,  the upper half of the inertia A about the frame's origin

and seen from the parent, whose frame has the child's at (R, p):

    h' = R h + m p,      A' = R A R' + (h'' . p) 1 - (h'' p' + p h'') / 2,      h'' = 2 R h + m p
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.lie import Adjoint, Inertia
from redmax.lie.inertia import UPPER, rotate
from redmax.lie.three import symmetric
from redmax.program.record import JointView

SIZE = 10


def of_body(j: JointView) -> np.ndarray:
    """The joint's own body."""
    return np.array([j.mass_value, *j.first_moment, *j.M.flat()[:6]], object)


def as_inertia(body: Any) -> Inertia:
    """What takes twists to momenta."""
    return Inertia.rigid(body[0], body[1:4], half(body[4:]))


def in_parent(X: Adjoint, body: Any) -> np.ndarray:
    """The same body in the parent's frame; X takes twists from there."""
    m, h, A, p = body[0], np.asarray(body[1:4], object), half(body[4:]), np.asarray(X.p, object)
    for R in reversed(X.rotations):
        h, A = np.array(R, object) @ h, rotate(R, A)
    e = h + (0.5 * m) * p
    along = 2.0 * (e @ p)
    moved = [A[i][k] - e[i] * p[k] - p[i] * e[k] + (along if i == k else 0.0) for i, k in UPPER]
    return np.array([m, *(h + m * p), *moved], object)


def half(entries: Any) -> list[list[Any]]:
    """A symmetric (3, 3) from the upper half of it."""
    return symmetric(lambda i, k: entries[UPPER.index((i, k))])
