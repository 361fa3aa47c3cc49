"""Fitting and smoothing as Lee and Terzopoulos (2008) print them, Secs. 6.1 to 6.3, for comparison with what this package does instead.

Both approximate how the pose, and how the joint Hessian, move with control frames to first order in the twists between these:

    u(q) ~ sum_l B_l T_l u_l                                                                            (Eq. 34)
    dh/dt ~ sum_l N_l' (u_l - Ad(exp -z_l) u_{l-1})                                                     (Eqs. 37-41)

so that errors fall by half where frames come closer by half. Printed slips are corrected: z_j for z_i in Eq. 37, and inverses of adjoints
where the text has Ad_e and Ad_B. `iterate` repeats Eqs. 35-36; it converges linearly, where residuals stay not to their least squares.
"""

from __future__ import annotations

import numpy as np

from redmax.design.curves.bands import assembled, assembled_gradient
from redmax.design.curves.chains import Chain, chain
from redmax.design.curves.spans import Spans
from redmax.design.curves.windows import Places, Windows, places, summed, summed_products, windows
from redmax.lie import se3
from redmax.lie.many_twists import ManyTwists, inverse_adjoints, inverses, logarithms
from redmax.types import Array

STEP = 1e-4  # of the width of a piece, for derivatives by q, which the paper takes numerically


def pose_columns(spans: Spans, window: Windows) -> Array:
    """M of Eqs. 34-35 at places, (N, 6, 6 k): the twist of the pose by those of the frames of its piece."""
    B = spans.ordinary(window.at.piece, window.at.u)
    N, k = B.shape
    return np.swapaxes(B[..., None, None] * window.T, 1, 2).reshape(N, 6, 6 * k)


def exact_pose_columns(bound: Chain, window: Windows) -> Array:
    """What Eq. 34 is an approximation of."""
    return window.columns @ bound.Y[window.at.piece]


def hessian_columns(spans: Spans, bound: Chain, at: Places) -> Array:
    """N of Eq. 42 at places of a cubic curve, (N, 6, 24): the rate of the joint Hessian by the twists of the frames of a piece."""
    h = STEP * np.diff(spans.breaks)[at.piece]
    ahead, behind = (turning(spans, bound, at, at.u + sign * h) for sign in (1.0, -1.0))
    slope = (ahead - behind) / (2.0 * h)[:, None, None, None]  # N_l', (N, 3, 6, 6)
    X = bound.X[bound.link[at.piece]]
    columns = np.zeros((len(at.u), 6, 4, 6))
    for i in range(3):
        columns[:, :, i + 1] += slope[:, i]
        columns[:, :, i] -= slope[:, i] @ X[:, i]
    return columns.reshape(-1, 6, 24)


def turning(spans: Spans, bound: Chain, at: Places, u: Array) -> Array:
    """N_{j-2}, N_{j-1}, N_j of Eqs. 39-41, (N, 3, 6, 6), with gamma' = B~'_1 z_1 and beta' = B~'_2 z_2."""
    b, slope = (spans.cumulative(at.piece, u, derivative)[..., None] for derivative in (0, 1))
    z = bound.twists[at.piece]
    after_beta, after_alpha = (inverse_adjoints(ManyTwists(b[:, i] * z[:, i]).exp) for i in (1, 2))
    gamma, beta = slope[:, 0] * z[:, 0], slope[:, 1] * z[:, 1]
    both = after_alpha @ after_beta
    carried = beta + (after_beta @ gamma[..., None])[..., 0]
    b, slope = b[..., None], slope[..., None]
    first = slope[:, 0] * both
    second = slope[:, 1] * after_alpha + b[:, 1] * (both @ se3.ad(gamma))
    third = slope[:, 2] * np.eye(6) + b[:, 2] * (after_alpha @ se3.ad(carried))
    return np.stack([first, second, third], axis=1)


def iterate(spans: Spans, C: Array, q: Array, poses: Array) -> Array:
    """Control frames (n, 4, 4) after one turn of Eqs. 35-36: M u = log(G(q)^-1 G_k) by least squares, then C_l exp(u_l)."""
    at, order = places(spans, q)
    bound = chain(spans, C)
    window = windows(bound.starts, bound.twists, at)
    wanted = logarithms(inverses(window.G) @ poses[order]).x
    M = pose_columns(spans, window)
    g = assembled_gradient(spans, summed((np.swapaxes(M, 1, 2) @ wanted[..., None])[..., 0], at, spans.pieces))
    u = assembled(spans, summed_products(M, M, at, spans.pieces)).solve(g.ravel())
    if u is None:
        raise np.linalg.LinAlgError("The poses do not determine the frames.")
    return C @ ManyTwists(u.reshape(-1, 6)).exp


def knots_of_frames(frames: Array) -> Array:
    """The knots of Sec. 6.1, one for each frame: q_j = q_{j-1} + |log(G_{j-1}^-1 G_j)| (the printed square is a footnote mark).

    A spline of order k over n frames has n + k knots: `natural_knots` chooses them so that their Greville abscissae are these numbers.
    """
    steps = logarithms(inverses(frames[:-1]) @ frames[1:]).x
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(steps, axis=1))])
