"""How the differentials of exp and log change: their derivatives along a twist, contracted with a covector.

    l . D(J(x))[a] b = a^T N(x; l) b        J = I + alpha [x] + beta [x]^2 over dual numbers, alpha and beta functions of s = x.x

With N = 2 x n^T + beta (l x^T + (l.x) I) - alpha [l] and n = alpha' l x x + beta' ((l.x) x - s l) - beta l over dual numbers, the 6x6 is
[[Du N, Re N], [Re N, 0]], where l = l_v + e l_w. What Newton's method needs beside `se3.dexp_right` and its inverse (`many_twists` has
the alpha and beta of both); numbers only.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from redmax.lie.three import cross, dot, plus
from redmax.types import Array


class Coefficients(NamedTuple):
    """alpha and beta, each with its first and second derivative by s, (...)."""

    alpha: tuple[Array, Array, Array]
    beta: tuple[Array, Array, Array]


def change(x: Array, covector: Array, of: Coefficients) -> Array:
    """The 6x6, from the real and the dual part of N: entry by entry, over arrays that lie in one piece."""
    (w, v), (d, c) = halves(x), halves(covector)  # x = w + e v, the covector c + e d
    (a, a1, a2), (b, b1, b2) = of
    s, ds, p, dp = dot(w, w), 2.0 * dot(w, v), dot(c, w), dot(d, w) + dot(c, v)
    across, dacross = cross(c, w), plus(cross(d, w), cross(c, v))
    a1s, a2s, b1s, b2s = a1 * ds, a2 * ds, b1 * ds, b2 * ds
    n, dn, e, f = [], [], [], []
    for i in range(3):
        bent, dbent = p * w[i] - s * c[i], dp * w[i] + p * v[i] - ds * c[i] - s * d[i]
        e.append(b * c[i])
        f.append(b1s * c[i] + b * d[i])
        n.append(2.0 * (a1 * across[i] + b1 * bent - e[i]))
        dn.append(2.0 * (a2s * across[i] + a1 * dacross[i] + b2s * bent + b1 * dbent - f[i]))
    g, h = [a * y for y in c], [a1s * y + a * z for y, z in zip(c, d)]
    N = np.zeros((*s.shape, 6, 6))
    for i in range(3):
        for j in range(3):
            real = w[i] * n[j] + e[i] * w[j]
            dual = v[i] * n[j] + w[i] * dn[j] + f[i] * w[j] + e[i] * v[j]
            if i == j:
                real, dual = real + b * p, dual + (b1s * p + b * dp)
            else:
                k, sign = 3 - i - j, 1.0 if (j - i) % 3 == 1 else -1.0  # -[g] has g_k at (i, j) where i, j, k are in order
                real, dual = real + sign * g[k], dual + sign * h[k]
            N[..., i, j] = dual
            N[..., i, j + 3] = N[..., i + 3, j] = real
    return N


def halves(x: Array) -> tuple[list[Any], list[Any]]:
    """The entries of twists (..., 6), angular and linear."""
    entries = [np.ascontiguousarray(x[..., i]) for i in range(6)]
    return entries[:3], entries[3:]


def skew_and_diagonal(w: Array, d: Array) -> Array:
    """[w] + d I of (..., 3) and (..., 1)."""
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
