"""How far two poses are from each other: a metric on the rigid motions that does not depend on the frame they are seen from.

    d(A, B)^2 = V^T W V,      V = log(A^-1 B), angular then linear           (Lee & Terzopoulos Sec. 6.1, without the square)

W says what a radian counts for against a metre. With the inertia of a body, d^2 is twice the kinetic energy of the body when it gets from A
to B in one unit of time.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from redmax.bodies.base import Body
from redmax.components.checks import finite
from redmax.components.given import Shape
from redmax.errors import wrong
from redmax.lie import se3
from redmax.types import Array

Metric: TypeAlias = Annotated[ArrayLike, Shape((), (6,), (6, 6))] | Body

VALID = (
    "a length (m) that counts as much as a radian, six weights above zero (three of rad^2, three of m^2), "
    "a symmetric positive definite (6, 6), or a body for its inertia"
)


def metric_matrix(metric: Metric | None, owner: str = "metric") -> np.ndarray:
    """W, (6, 6).

    metric: None for the plain norm of the six numbers (rad and m); a length (m), which counts as much as a radian does; six weights of
        their squares; a symmetric matrix; or a body, for its inertia about its centre of mass, which is then the frames' origin
    """
    if metric is None:
        return np.eye(6)
    if isinstance(metric, Body):
        W = metric.mass_matrix
    else:
        given = finite(owner, "metric", metric, ((), (6,), (6, 6)), VALID)
        if given.ndim == 0:
            given = np.array([float(given) ** 2] * 3 + [1.0] * 3) if given > 0 else np.zeros(6)
        W = np.diag(given) if given.ndim == 1 else given
    if not np.array_equal(W, W.T) or not np.linalg.eigvalsh(W)[0] > 0:
        raise wrong(owner, "metric", metric, VALID)
    return W


def pose_distances(a: Array, b: Array, metric: Metric | None = None) -> np.ndarray:
    """How far poses a (..., 4, 4) and b (..., 4, 4) are from each other, (...): the norm of log(a^-1 b) under a metric.

    metric: None, where a radian counts as much as a metre; a length (m) that counts as much as a radian; six weights of the squares of the
        numbers of the twist, angular first; a symmetric (6, 6); or a body, whose inertia weighs them. The distance is the same in all
        frames: moving a and b together changes nothing.
    """
    return lengths(se3.log(se3.inverse(poses_of(a, "a")) @ poses_of(b, "b")), metric_matrix(metric, "pose_distances"))


def lengths(V: np.ndarray, W: np.ndarray) -> np.ndarray:
    """sqrt(V^T W V) of twists (..., 6)."""
    return np.sqrt(np.einsum("...i,ij,...j->...", V, W, V))


def poses_of(value: Any, name: str) -> np.ndarray:
    E = np.asarray(value)
    if E.shape[-2:] != (4, 4) or E.dtype.kind not in "fiu":
        raise wrong("pose_distances", name, value, "poses (..., 4, 4)")
    return E.astype(float)
