"""How the differentials of exp and log change: their derivatives along a twist, contracted with a covector.

    l . D(J(x))[a] b = a^T N(x; l) b        J = I + alpha [x] + beta [x]^2 over dual numbers, alpha and beta functions of s = x.x

With N = 2 x n^T + beta (l x^T + (l.x) I) - alpha [l] and n = alpha' l x x + beta' ((l.x) x - s l) - beta l over dual numbers, the 6x6 is
[[Du N, Re N], [Re N, 0]], where l = l_v + e l_w. What Newton's method needs beside `se3.dexp_right` and its inverse (`many_twists` has
the alpha and beta of both); numbers only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from redmax.types import Array


class Coefficients(NamedTuple):
    """alpha and beta, each with its first and second derivative by s, (...)."""

    alpha: tuple[Array, Array, Array]
    beta: tuple[Array, Array, Array]


def change(x: Array, covector: Array, of: Coefficients) -> Array:
    """The 6x6, from the real and the dual part of N."""
    w, v, c, d = x[..., :3], x[..., 3:], covector[..., 3:], covector[..., :3]  # x = w + e v, the covector c + e d
    s, ds = dot(w, w), 2.0 * dot(w, v)
    (a, a1, a2), (b, b1, b2) = ([y[..., None] for y in f] for f in of)
    p, dp = dot(c, w), dot(d, w) + dot(c, v)
    across, dacross = cross(c, w), cross(d, w) + cross(c, v)
    bent, dbent = p * w - s * c, dp * w + p * v - ds * c - s * d
    n = a1 * across + b1 * bent - b * c
    dn = a2 * ds * across + a1 * dacross + b2 * ds * bent + b1 * dbent - b1 * ds * c - b * d
    N = np.zeros((*np.broadcast_shapes(x.shape, covector.shape), 6))
    N[..., :3, 3:] = 2.0 * outer(w, n) + outer(b * c, w) + skew_and_diagonal(-a * c, b * p)
    N[..., 3:, :3] = N[..., :3, 3:]
    N[..., :3, :3] = 2.0 * (outer(v, n) + outer(w, dn)) + outer(b1 * ds * c + b * d, w) + outer(b * c, v)
    N[..., :3, :3] += skew_and_diagonal(-a1 * ds * c - a * d, b1 * ds * p + b * dp)
    return N


def cross(x: Array, y: Array) -> Array:
    """(..., 3), in a fraction of the time of NumPy's."""
    z = np.empty_like(x)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        z[..., i] = x[..., j] * y[..., k] - x[..., k] * y[..., j]
    return z


def dot(x: Array, y: Array) -> Array:
    """(..., 1)."""
    return np.sum(x * y, axis=-1, keepdims=True)


def outer(x: Array, y: Array) -> Array:
    return x[..., :, None] * y[..., None, :]


def skew_and_diagonal(w: Array, d: Array) -> Array:
    """[w] + d I."""
    M = np.empty((*w.shape, 3))
    x, y, z = w[..., 0], w[..., 1], w[..., 2]
    M[..., 0, 1], M[..., 0, 2], M[..., 1, 2] = -z, y, -x
    M[..., 1, 0], M[..., 2, 0], M[..., 2, 1] = z, -y, x
    M[..., range(3), range(3)] = d
    return M


def bracket_form(covector: Array) -> Array:
    """K (..., 6, 6) with l . ad(a) b = a^T K b: -[[[l_w], [l_v]], [[l_v], 0]]."""
    K = np.zeros((*covector.shape, 6))
    zero = np.zeros((*covector.shape[:-1], 1))
    K[..., :3, :3] = skew_and_diagonal(-covector[..., :3], zero)
    K[..., :3, 3:] = K[..., 3:, :3] = skew_and_diagonal(-covector[..., 3:], zero)
    return K
