"""Joints fitted to scattered poses: how long a surface takes, from noisy poses to an optimum whose gradient is below 1e-10.

The first fit of a process traces its derivatives, which later ones find: it is timed by itself. Beside a small surface is SciPy's
least_squares with the same residuals, its Jacobian sparse and exact, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import numpy as np
from numpy.polynomial.legendre import legvander
from scipy.interpolate import BSpline
from scipy.optimize import least_squares
from scipy.sparse import block_array, csr_array, diags_array

import redmax as rm
from benchmarks.report import Row, Target
from benchmarks.timing import Effort
from redmax.design.surfaces.kinds import misfit
from redmax.lie import se3

FIGURE, SECONDS, NOISE = "surfaces from poses", 5.0, 0.01  # NOISE: rad and m
LARGE, MANY, SMALL, FEW = (30, 30), 10_000, (8, 8), 1_000


def measure(effort: Effort) -> Iterator[Row]:
    turns = max(2, effort.processes)
    poses, q = scattered(MANY)
    fit = lambda **options: rm.fit_surface(poses, q, grid=LARGE, **options)  # noqa: E731
    name = f"30 x 30 control values, {MANY} poses"
    first = best(fit, 1)[0]
    plain, found = best(fit, turns)
    yield Row(FIGURE, name, plain, target=Target(seconds=SECONDS), note=f"{said(found)}; the first in a process: {first:.2f} s")
    for case, options in CASES.items():
        time, found = best(lambda options=options: fit(**options), turns)
        yield Row(FIGURE, f"{name}, {case}", time, target=Target(seconds=SECONDS), note=said(found))
    yield beside_scipy(turns)
    poses = scattered(FEW // 2)[0]
    time, found = best(lambda: rm.fit_surface(poses, grid=(6, 6)), 1)
    yield Row(FIGURE, f"6 x 6 control values, {FEW // 2} poses, parameters not known", time, note=said(found))


CASES: dict[str, dict[str, Any]] = {
    "angles": {"kind": "angles"},
    "smoothed": {"smoothing": 1e-4},
    "Cauchy's loss": {"loss": rm.Cauchy(0.03)},
}


def scattered(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Noisy poses (N, 4, 4) on a smooth surface that turns by up to a radian, and their parameters (N, 2)."""
    rng = np.random.default_rng(0)
    q = rng.uniform(-1, 1, (count, 2))
    waves = np.einsum("ni,nj->nij", legvander(q[:, 0], 5), legvander(q[:, 1], 5)).reshape(count, 36)
    twists = waves[:, 1:] @ (rng.normal(size=(35, 6)) / 12) + 0.3 * q[:, [0, 1, 0, 1, 0, 1]]
    return se3.exp(twists) @ se3.exp(NOISE * rng.normal(size=(count, 6))), q


def best(call: Callable[[], Any], turns: int) -> tuple[float, Any]:
    """The least of the times (s), and what came of it."""
    times: list[float] = []
    found = None
    for _ in range(turns):
        start = perf_counter()
        found = call()
        times.append(perf_counter() - start)
    return min(times), found


def said(fit: rm.SurfaceFit) -> str:
    return f"{len(fit.log)} steps, gradient {np.abs(fit.gradient).max():.0e}"


def beside_scipy(turns: int) -> Row:
    poses, q = scattered(FEW)
    own, fit = best(lambda: rm.fit_surface(poses, q, grid=SMALL), turns)
    n = int(np.prod(SMALL))
    N = [csr_array(BSpline(t, np.eye(m), 3)(x)) for t, m, x in zip(fit.knots, SMALL, q.T, strict=True)]
    rows, columns = np.indices(SMALL).reshape(2, -1)
    weights = csr_array(N[0].tocsc()[:, rows] * N[1].tocsc()[:, columns])
    T, known, points = se3.inverse(fit.base) @ poses, misfit(""), np.zeros(FEW, bool)

    def residuals(x: np.ndarray) -> np.ndarray:
        return known.residuals(weights @ x.reshape(6, n).T, T, points).T.ravel()

    def jacobian(x: np.ndarray) -> Any:
        J = known.linear(weights @ x.reshape(6, n).T, T, points)[1]
        return block_array([[diags_array(J[:, i, j]) @ weights for j in range(6)] for i in range(6)]).tocsr()

    tight: dict[str, Any] = {"ftol": 1e-12, "xtol": 1e-12, "gtol": 1e-10}
    start = np.zeros(6 * n)
    other, result = best(lambda: least_squares(residuals, start, jac=jacobian, **tight), turns)  # pyright: ignore[reportArgumentType]
    agreement = abs(2 * result.cost / fit.objective - 1)
    note = f"{said(fit)}; of SciPy {result.nfev}, {np.abs(2 * result.grad).max():.0e}"
    return Row(FIGURE, f"8 x 8 control values, {FEW} poses", own, "SciPy, least_squares", other, own / other, None, agreement, note)
