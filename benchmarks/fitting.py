"""Spline curves fitted to noisy poses: how long that takes, and where fits end that begin anywhere.

Beside a small fit is SciPy's least_squares with the same residuals, evaluated by the same code for all poses at once, and its own
differences. A thousand fits begin with frames that are moved by chance, by a radian and a metre: each must end where the gradient is
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import numpy as np
from scipy.optimize import least_squares

import redmax as rm
from benchmarks.report import Row, Target
from benchmarks.timing import Effort
from redmax.design.curves.chains import chain
from redmax.design.curves.spans import make_spans
from redmax.design.curves.windows import places, windows
from redmax.lie import se3

FIGURE, NOISE = "curves from poses", 0.01  # rad and m
STILL, BEST = 1e-8, 1.0 + 1e-6  # gradient of a stationary point; objective of the best one, over the best
CASES: tuple[tuple[str, int, int, dict[str, Any], float | None], ...] = (
    ("100 poses, 10 frames", 100, 10, {}, 0.01),
    ("100 poses, 100 frames: through all", 100, 100, {}, None),
    ("10,000 poses, 100 frames", 10_000, 100, {}, 0.3),
    ("10,000 poses, 100 frames, Cauchy's loss", 10_000, 100, {"loss": rm.Cauchy(0.03)}, None),
    ("10,000 poses, 100 frames, closed", 10_000, 100, {"cyclic": True, "period": 2.0001}, None),
    ("10,000 poses, 100 frames, smoothed", 10_000, 100, {"smoothing": 1e-3}, 1.0),
    ("10,000 poses, 100 frames, cross-validation", 10_000, 100, {"smoothing": "cross-validation"}, 1.0),
    ("1,000 poses, 20 frames, parameters not known", 1_000, 20, {"parameters": None}, None),
)


def measure(effort: Effort) -> Iterator[Row]:
    for case, count, frames, options, seconds in CASES:
        poses, q = motion(count)
        given = {"parameters": q, "frames": frames} | options
        time, fit = best(lambda given=given, poses=poses: rm.fit_curve(poses, **given), effort)
        target = None if seconds is None else Target(seconds=seconds)
        yield Row(FIGURE, case, time, target=target, note=f"{len(fit.log)} steps, gradient {np.abs(fit.gradient).max():.0e}")
    yield beside_scipy(effort)
    yield from_anywhere(effort)


def motion(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Noisy poses (N, 4, 4) on a way with more than a turn, and their parameters."""
    q = np.linspace(0, 2, count)
    waves = [1.2 * q, 0.3 * np.sin(2 * q), 0.2 * np.cos(3 * q), 0.3 * np.sin(q), 0.2 * q, 0.1 * np.cos(2 * q)]
    noise = NOISE * np.random.default_rng(0).normal(size=(count, 6))
    return se3.exp(np.stack(waves, axis=1)) @ se3.exp(noise), q


def best(call: Callable[[], Any], effort: Effort) -> tuple[float, Any]:
    """The least of the times (s), and what came of it. Short calls are made more often, as some turn must have the core for itself."""
    times, found = [], None
    while len(times) < 2 or (sum(times) < effort.turns * effort.seconds and len(times) < 10 * effort.turns):
        start = perf_counter()
        found = call()
        times.append(perf_counter() - start)
    return min(times), found


def beside_scipy(effort: Effort) -> Row:
    poses, q = motion(100)
    own, fit = best(lambda: rm.fit_curve(poses, q, frames=10), effort)
    first = rm.fit_curve(poses, q, frames=10, iterations=0).frames
    spans = make_spans("benchmark", 10, 4, fit.knots, False)
    at, order = places(spans, q)
    back = se3.inverse(poses[order])

    def residuals(u: np.ndarray) -> np.ndarray:
        bound = chain(spans, first @ se3.exp(u.reshape(-1, 6)))
        return se3.log(back @ windows(bound.starts, bound.twists, at).G).ravel()

    time, found = best(lambda: least_squares(residuals, np.zeros(60), xtol=1e-12, ftol=1e-14, gtol=1e-10), effort)
    off = abs(2 * found.cost / fit.objective - 1)
    return Row(FIGURE, "100 poses, 10 frames", own, "scipy least_squares", time, own / time, agreement=off, note="its own differences")


def from_anywhere(effort: Effort) -> Row:
    """1,000 fits, a tenth of them where time is short."""
    count = 1_000 if effort.processes > 2 else 100
    poses, q = motion(60)
    known, rng = rm.fit_curve(poses, q, frames=8), np.random.default_rng(3)
    still = there = 0
    start = perf_counter()
    for _ in range(count):
        frames = known.frames @ se3.exp(rng.normal(size=(8, 6)))
        fit = rm.fit_curve(poses, q, frames=8, initial=frames, iterations=400)
        still += bool(np.abs(fit.gradient).max() < STILL)
        there += fit.objective < BEST * known.objective
    note = f"{still / count:.1%} end with a gradient below {STILL:g}, {there / count:.1%} at the best minimum or below"
    return Row(FIGURE, f"from {count} random starts, each", (perf_counter() - start) / count, note=note)
