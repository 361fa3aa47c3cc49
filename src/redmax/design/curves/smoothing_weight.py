"""The weight of smoothing, from the poses themselves.

Cross-validation: the least RSS / (m - p)^2, with m numbers measured and p = tr(H^-1 H_f) parameters used, which is what leaving out one
number after the other comes to on the whole (Craven and Wahba 1979). Around a fit the misfit f and the bending b are nearly quadratic in
the motions of the control frames; their Hessians are made diagonal together, after which the fit with any weight is one division for each
unknown. The fit with the best one is where the next one is looked for, until it stays.

L-curve: where log b over log f turns most towards less bending (Hansen 1992), from fits with weights half a decade apart. As
db/df = -1/lambda at minima, its slope is -f/(lambda b), without differences. Poses that are met ever better the smaller the weight make no
corner: what is sought goes on below, until they have one or are met, and then the least weight stays.

Heavy weights make a curved valley, narrow by their root, of curves that are nearly one screw: steps that stay in it are short. The fits
with ever heavier ones are its bottom, on which from each to the next little is left to go (continuation).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, NamedTuple, TypeVar

import numpy as np
from scipy.linalg import eigh

from redmax.design.curves.objective import AtFrames, Unknowns
from redmax.types import Array

Way = Literal["cross-validation", "l-curve"]
WAYS: tuple[Way, ...] = ("cross-validation", "l-curve")
DECADES, EACH = (-3.0, 9.0), 20  # of the weight, from where misfit and bending weigh alike; weights that are tried in each decade
FARTHEST = 2.0  # decades from one fit to the next, as far as quadratics are trusted
LEFT = 0.02  # of the numbers measured: what must be left when parameters are taken away, or the fit would follow the noise
STAYS, ROUNDS = 0.05, 12  # change of the weight that does not matter; fits at most
HALF_DECADES, BELOW = 15, 24  # of the L-curve, from where misfit and bending weigh alike up, and down where there is no corner
TURN = 0.005  # rad of the L-curve from one weight to the next but one: a corner
MET = 1e-16  # of the misfit of a pose (rad^2, m^2): nothing is left of it
NO_CORNER = (
    "The L-curve has no corner, as poses are met the better the less is smoothed: the least weight that was tried is taken."
    ' If they are noisy, take "cross-validation" or a weight.'
)
HEAVY, HEAVIER, HEAVIEST = 1e4, 1e2, 1e16  # of the balanced weight: from where lighter ones come first, their steps, and their end
RIDGE = 1e-13  # of the largest: what neither misfit nor bending determines

Fit = Callable[[AtFrames], AtFrames]
U = TypeVar("U", bound=Unknowns)


class Along(NamedTuple):
    """Of weights (m,): the misfit of fits with them, and how many of the numbers measured are left when parameters are taken away."""

    weight: Array
    misfit: Array
    left: Array


def balance(point: AtFrames) -> float:
    """The weight with which the diagonals of both Hessians are alike."""
    f, b = (point.by_frames(g, H, exact=False).trace for g, H in parts(point))
    return float(f / b)


def hessians(point: AtFrames) -> tuple[Array, Array, Array, Array]:
    """Gradient and Hessian of the misfit and of the bending, dense."""
    (gf, Hf), (gb, Hb) = ((point.gradient_of(g), point.by_frames(g, H, exact=False).dense()) for g, H in parts(point))
    return gf, Hf, gb, Hb


def parts(point: AtFrames) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Gradient and Hessian of the misfit, and of the bending, by the coordinates of pieces."""
    of = point.of
    return of.misfit.both(point.window, point.residuals, of.spans.pieces, exact=False), point.bending(exact=False)


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


def by_l_curve(point: AtFrames, fit: Fit, total: float) -> tuple[AtFrames, str]:
    """The fit at the corner, and what is to be said of it. total: of the weights of poses"""
    middle = balance(point)
    fits: list[AtFrames] = []
    for half in range(HALF_DECADES, -BELOW - 1, -1):  # from the smoothest on, each where the last one ended
        point = fit(weighted(point, float(middle * 10.0 ** (0.5 * half))))
        fits.append(point)
        at = corner(fits) if half <= 0 else None
        if at is not None:
            return fits[at], ""
        if half <= 0 and point.misfit <= MET * total:
            break
    return fits[-1], NO_CORNER


def corner(fits: list[AtFrames]) -> int | None:
    """Which of fits with ever smaller weights is where their L-curve turns most, if it does."""
    tiny = np.finfo(float).tiny
    f, b, weight = np.array([(max(p.misfit, tiny), max(p.bent, tiny), p.of.smoothing) for p in fits]).T
    steep = np.arctan(f / (weight * b))
    turn = steep[2:] - steep[:-2]
    way = np.hypot(np.log(f[:-2] / f[2:]), np.log(b[2:] / b[:-2]))
    bend = np.where(turn > TURN, turn / np.maximum(way, tiny), 0.0)
    return 1 + int(np.argmax(bend)) if bend.any() else None


def eased(point: U, fit: Callable[[U], U]) -> U:
    """The same objective where fits with lighter weights end, if its own is heavy."""
    heavy = point.of.smoothing
    if not heavy:
        return point
    middle = balance(point.here)
    weight = HEAVY * middle
    while weight < min(heavy, HEAVIEST * middle):
        point = fit(weighted(point, weight))
        weight *= HEAVIER
    return weighted(point, heavy)


def weighted(point: U, weight: float) -> U:
    """The objective with another weight of smoothing, at the same frames."""
    return type(point)(replace(point.of, smoothing=weight), point.C, point.near)
