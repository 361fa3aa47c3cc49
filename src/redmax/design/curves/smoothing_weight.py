"""The weight of smoothing, from the poses themselves.

Cross-validation: the least RSS / (m - p)^2, with m numbers measured and p = tr(H^-1 H_f) parameters used, which is what leaving out one
number after the other comes to on the whole (Craven and Wahba 1979). Around a fit the misfit f and the bending b are nearly quadratic in
the motions of the control frames; their Hessians are made diagonal together, after which the fit with any weight is one division for each
unknown. The fit with the best one is where the next one is looked for, until it stays.

L-curve: where log b over log f bends most (Hansen 1992), from fits with weights half a decade apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
from scipy.linalg import eigh

from redmax.design.curves.objective import AtFrames
from redmax.types import Array

Way = Literal["cross-validation", "l-curve"]
WAYS: tuple[Way, ...] = ("cross-validation", "l-curve")
DECADES, EACH = (-3.0, 9.0), 20  # of the weight, from where misfit and bending weigh alike; weights that are tried in each decade
FARTHEST = 2.0  # decades from one fit to the next, as far as quadratics are trusted
LEFT = 0.02  # of the numbers measured: what must be left when parameters are taken away, or the fit would follow the noise
STAYS, ROUNDS = 0.05, 12  # change of the weight that does not matter; fits at most
HALF_DECADES = 15  # of the L-curve, from where misfit and bending weigh alike
RIDGE = 1e-13  # of the largest: what neither misfit nor bending determines

Fit = Callable[[AtFrames], AtFrames]


class Along(NamedTuple):
    """Of weights (m,): the misfit of fits with them, and how many of the numbers measured are left when parameters are taken away."""

    weight: Array
    misfit: Array
    left: Array


def balance(point: AtFrames) -> float:
    """The weight with which the diagonals of both Hessians are alike."""
    f, b = hessians(point)[1::2]
    return float(np.trace(f) / np.trace(b))


def hessians(point: AtFrames) -> tuple[Array, Array, Array, Array]:
    """Gradient and Hessian of the misfit and of the bending, dense."""
    of = point.of
    f = of.misfit.both(point.window, point.residuals, of.spans.pieces, exact=False)
    b = point.bending(exact=False)
    (gf, Hf), (gb, Hb) = ((point.gradient_of(g), point.by_frames(g, H, exact=False).dense()) for g, H in (f, b))
    return gf, Hf, gb, Hb


def along(point: AtFrames, measured: int) -> Along:
    """The fits with other weights, by quadratics about this point. measured: how many numbers the poses are"""
    gf, Hf, gb, Hb = hessians(point)
    s = np.trace(Hf) / np.trace(Hb)
    whole = Hf + s * Hb
    whole[np.diag_indices_from(whole)] += RIDGE * np.abs(np.diag(whole)).max()
    d, V = eigh(s * Hb, whole)  # ascending: what the poses determine comes first
    d = np.clip(d, 0.0, 1.0)
    weights = s * np.logspace(*DECADES, int(EACH * (DECADES[1] - DECADES[0])) + 1)
    r = weights[:, None] / s
    scale = 1.0 / ((1.0 - d) + r * d + RIDGE)
    f, b = V.T @ gf, V.T @ gb
    u = -scale * (f + weights[:, None] * b)
    misfit = point.misfit + u @ f + 0.5 * np.sum((1.0 - d) * u * u, axis=1)
    most = min(measured, len(d))
    left = measured - most + np.sum((r * d * scale)[:, :most], axis=1)  # the rest of the parameters the poses say nothing of
    return Along(weights, misfit, left)


def by_cross_validation(point: AtFrames, fit: Fit, measured: int) -> AtFrames:
    """The fit with the weight that predicts best. point: where to begin"""
    point = fit(weighted(point, 1e3 * balance(point)))
    for _ in range(ROUNDS):
        curve, now = along(point, measured), point.of.smoothing
        near = np.abs(np.log10(curve.weight / now)) <= FARTHEST
        tried = near & (curve.left >= LEFT * measured)
        if not tried.any():
            tried = curve.left >= curve.left.max()
        score = np.where(tried, np.maximum(curve.misfit, 0.0) / curve.left**2, np.inf)
        best = float(curve.weight[np.argmin(score)])
        if abs(best / now - 1.0) < STAYS:
            break
        point = fit(weighted(point, best))
    return point


def by_l_curve(point: AtFrames, fit: Fit) -> AtFrames:
    """The fit at the corner."""
    weights = balance(point) * 10.0 ** (0.5 * np.arange(HALF_DECADES + 1))
    fits: list[AtFrames] = []
    for weight in weights[::-1]:  # from the smoothest on, each where the last one ended
        point = fit(weighted(point, float(weight)))
        fits.append(point)
    tiny = np.finfo(float).tiny
    x = np.log([max(p.misfit, tiny) for p in fits])
    y = np.log([max(p.bent, tiny) for p in fits])
    (dx, dy), (ddx, ddy) = (np.gradient(np.array([x, y]), axis=1), np.gradient(np.gradient(np.array([x, y]), axis=1), axis=1))
    bend = (dy * ddx - dx * ddy) / np.maximum(dx * dx + dy * dy, 1e-30) ** 1.5
    return fits[1 + int(np.argmax(bend[1:-1]))]


def weighted(point: AtFrames, weight: float) -> AtFrames:
    """The objective with another weight of smoothing, at the same frames."""
    return AtFrames(replace(point.of, smoothing=weight), point.C, point.near)
