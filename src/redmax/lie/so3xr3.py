"""SO(3) x R^3, the direct product: turn and place of a frame as two things that know nothing of each other.

    (R1, r1) (R2, r2) = (R1 R2, r1 + r2)          exp(w; u) = (exp [w], u)          [(w; u), (a; b)] = (w x a; 0)

(Mueller and Terze, Geometric methods and formulations, Sec. 2.2 and Eqs. 26-34.) Elements are poses (..., 4, 4), but multiplied so, not as
frames are; vectors are (..., 6), angular first. From the left, g^-1 gdot, a velocity is the mixed twist, from the right, gdot g^-1, the
hybrid one. `matrix` and `bracket` are the 7x7 of an element and of a vector, in which products are products of matrices.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from redmax.lie import se3, so3
from redmax.lie.three import plus, product, rows, split, transpose
from redmax.math import array
from redmax.types import Array


def multiply(A: Array, B: Array) -> np.ndarray:
    """(R1 R2, r1 + r2)."""
    R = product(rows(se3.rotation(A)), rows(se3.rotation(B)))
    return se3.pose(array(R), array(plus(split(se3.translation(A)), split(se3.translation(B)))))


def inverse(A: Array) -> np.ndarray:
    """(R^T, -r)."""
    return se3.pose(array(transpose(rows(se3.rotation(A)))), array([0.0 - x for x in split(se3.translation(A))]))


def exp(X: Array) -> np.ndarray:
    """(exp [w], u)."""
    X = np.asarray(X)
    return se3.pose(so3.exp(X[..., :3]), X[..., 3:])


def log(A: Array) -> np.ndarray:
    """The vector (..., 6) with exp(X) = A and an angle of at most pi."""
    return array([*split(so3.log(se3.rotation(A))), *split(se3.translation(A))])


def Ad(A: Array) -> np.ndarray:
    """The 6x6 [[R, 0], [0, I]]: A exp(X) A^-1 = exp(Ad(A) X)."""
    return block(se3.rotation(A), 1.0)


def ad(X: Array) -> np.ndarray:
    """The 6x6 [[[w], 0], [0, 0]], with ad(X) Y the Lie bracket of the two."""
    return block(so3.bracket(np.asarray(X)[..., :3]), 0.0)


def dexp_left(X: Array) -> np.ndarray:
    """J with d/dt exp(X) = (J Xdot) exp(X): Xdot to the hybrid twist."""
    return turned(so3.dexp_left, X)


def dexp_right(X: Array) -> np.ndarray:
    """J with d/dt exp(X) = exp(X) (J Xdot): Xdot to the mixed twist."""
    return turned(so3.dexp_right, X)


def dexp_left_inverse(X: Array) -> np.ndarray:
    """Xdot from the hybrid twist; |w| < 2 pi."""
    return turned(so3.dexp_left_inverse, X)


def dexp_right_inverse(X: Array) -> np.ndarray:
    """Xdot from the mixed twist; |w| < 2 pi."""
    return turned(so3.dexp_right_inverse, X)


def matrix(A: Array) -> np.ndarray:
    """The 7x7 [[R, 0, 0], [0, I, r], [0, 0, 1]]; that of a product is the product of the two."""
    R, r = rows(se3.rotation(A)), split(se3.translation(A))
    one = np.eye(4).tolist()
    return array([[*row, *[0.0] * 4] for row in R] + [[0.0] * 3 + one[i][:3] + [r[i]] for i in range(3)] + [[0.0] * 3 + one[3]])


def bracket(X: Array) -> np.ndarray:
    """The 7x7 of a vector: [[[w], 0, 0], [0, 0, u], [0, 0, 0]]."""
    X = np.asarray(X)
    W, u = rows(so3.bracket(X[..., :3])), split(X[..., 3:])
    return array([[*row, *[0.0] * 4] for row in W] + [[0.0] * 6 + [x] for x in u] + [[0.0] * 7])


def turned(f: Callable[[Array], np.ndarray], X: Array) -> np.ndarray:
    """A function of rotation vectors on the angular part, nothing on the other."""
    return block(f(np.asarray(X)[..., :3]), 1.0)


def block(J: np.ndarray, one: float) -> np.ndarray:
    """[[J, 0], [0, one I]]."""
    M = np.full((*J.shape[:-2], 6, 6), 0.0, J.dtype)
    M[..., :3, :3] = J
    M[..., [3, 4, 5], [3, 4, 5]] = one
    return M
