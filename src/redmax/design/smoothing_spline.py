"""Natural splines of degree 5 through noisy samples: smooth up to the fourth derivative, as accelerations need.

    min over s of  sum_k w_k |y_k - s(t_k)|^2 / n  +  p / T  integral |s'''|^2 dt,       p = (2 pi f)^-6

(Woltring 1986, of half order 3.) Far from the ends s is what a filter leaves of y that lets half of the cut-off frequency f through and
turns no phase, 1 / (1 + (f' / f)^6); of p = 0, or f without bound, s goes through all samples. Generalised cross-validation (Craven and
Wahba 1979) finds f from the samples alone, as that which predicts each of them best from the others:

    min over f of  (R / n) / (1 - tr A / n)^2,       R = sum_k w_k |y_k - s(t_k)|^2,   s = A y
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

DEGREE, HALF = 5, 3
LEAST = HALF + 1  # samples: fewer are on a parabola
FASTEST, GRID = 6.0, 24  # largest cut-off frequency that is tried, as 2 pi f times the mean interval; and how many are, at first
FINE = 0.15  # 2 pi f times the mean interval between knots: finer ones change the eighth digit, and cost all


@dataclass(frozen=True, eq=False)
class SmoothingSpline:
    """knots; coefficients: (knots - 6, columns); cutoff: f (Hz), infinite where it goes through all samples."""

    knots: np.ndarray
    coefficients: np.ndarray
    cutoff: float

    def at(self, t: np.ndarray, derivative: int = 0) -> np.ndarray:
        """(..., columns) at times t (...)."""
        from scipy.interpolate import BSpline

        return np.asarray(BSpline(self.knots, self.coefficients, DEGREE)(t, derivative))


@dataclass(frozen=True, eq=False)
class SplineSpace:
    """Splines of degree 5 with a knot at each so-manieth sample. t: (n,) increasing, the times of samples (s)."""

    t: np.ndarray
    every: int = 1

    @cached_property
    def unit(self) -> float:
        """The mean interval between knots, in which time is counted: what is solved has then numbers of like size."""
        return float(self.t[-1] - self.t[0]) / (len(self.inner) - 1)

    @cached_property
    def inner(self) -> np.ndarray:
        """Times of the knots (s)."""
        last = self.every * max((len(self.t) - 1) // self.every, 1)
        return np.append(self.t[: last : self.every], self.t[-1])

    @cached_property
    def knots(self) -> np.ndarray:
        """In these units, from zero, those at the ends as often as the degree asks for."""
        return (np.pad(self.inner, DEGREE, "edge") - self.t[0]) / self.unit

    @cached_property
    def values(self) -> Any:
        """(n, coefficients), sparse: the basis at the samples."""
        from scipy.interpolate import BSpline

        return BSpline.design_matrix((self.t - self.t[0]) / self.unit, self.knots, DEGREE)

    @cached_property
    def jerk(self) -> Any:
        """Integrals of products of third derivatives of the basis, over the length of the motion."""
        return self.jerks.T @ self.jerks

    @cached_property
    def jerks(self) -> Any:
        """(3 intervals, coefficients): third derivatives at three points of each interval, whose squares add up to their integral exactly.

        What is small because differences are is small here with all its digits, which products with `jerk` lose.
        """
        from scipy.interpolate import BSpline
        from scipy.sparse import diags_array, eye_array

        D: Any = eye_array(self.values.shape[1])
        knots = self.knots
        for k in range(DEGREE, DEGREE - HALF, -1):  # coefficients of a derivative from those of the spline
            n = D.shape[0]
            width = knots[k + 1 : n + k] - knots[1:n]
            D = diags_array([-k / width, k / width], offsets=[0, 1], shape=(n - 1, n)) @ D  # type: ignore[call-arg]
            knots = knots[1:-1]
        nodes, weights = np.polynomial.legendre.leggauss(3)
        low, high = self.knots[DEGREE : -DEGREE - 1], self.knots[DEGREE + 1 : -DEGREE]
        x = (0.5 * (low + high)[:, None] + 0.5 * (high - low)[:, None] * nodes).ravel()
        w = (0.5 * (high - low)[:, None] * weights).ravel() / (len(self.inner) - 1)
        B = BSpline.design_matrix(x, knots, DEGREE - HALF)
        return (diags_array(np.sqrt(w)) @ B @ D).tocsr()

    def stiffness(self, cutoff: float) -> float:
        """p, in the units of this space."""
        return (2 * np.pi * cutoff * self.unit) ** (-2 * HALF)

    def bands(self, cutoff: float) -> np.ndarray:
        """The upper bands of the matrix of the least squares problem, as scipy.linalg has them."""
        A = self.values.T @ self.values / len(self.t) + self.stiffness(cutoff) * self.jerk
        return np.array([np.concatenate([np.zeros(k), A.diagonal(k)]) for k in range(DEGREE, -1, -1)])

    def smoothed(self, y: np.ndarray, cutoff: float) -> SmoothingSpline:
        """Of samples (n, columns), with a cut-off frequency (Hz)."""
        from scipy.interpolate import make_interp_spline
        from scipy.linalg import solveh_banded

        if np.isinf(cutoff):
            free = [(k, np.zeros(y.shape[1])) for k in (HALF, HALF + 1)]
            found = make_interp_spline(self.t, y, DEGREE, bc_type=(free, free))
            return SmoothingSpline(found.t, found.c, cutoff)
        mean = y.mean(axis=0)  # taken out, so that roundings are of what changes; a constant is its own spline
        bands, right = self.bands(cutoff), self.values.T @ (y - mean) / len(y)
        c = solveh_banded(bands, right)
        c += solveh_banded(bands, right - self.times(c, cutoff))  # a step of refinement: long motions smoothed strongly ask for it
        return SmoothingSpline(self.t[0] + self.unit * self.knots, c + mean, cutoff)

    def times(self, c: np.ndarray, cutoff: float) -> np.ndarray:
        """The matrix of the least squares problem times coefficients."""
        return self.values.T @ (self.values @ c) / len(self.t) + self.stiffness(cutoff) * (self.jerks.T @ (self.jerks @ c))

    def trace(self, cutoff: float) -> float:
        """tr A: how many numbers the smoothed motion has to choose."""
        from scipy.linalg import cholesky_banded

        inverse = inverse_within_bands(cholesky_banded(self.bands(cutoff)))
        rows = self.values.tocsr()
        columns, entries = rows.indices.reshape(-1, DEGREE + 1), rows.data.reshape(-1, DEGREE + 1)
        first, k = columns[:, 0], np.arange(DEGREE + 1)
        low, high = np.minimum(k[:, None], k), np.maximum(k[:, None], k)
        Z = inverse[first[:, None, None] + low, high - low]
        return float(np.einsum("ni,nij,nj->", entries, Z, entries)) / len(self.t)


@dataclass(frozen=True, eq=False)
class Smoother:
    """Finds splines through samples at times t (n,) (s), increasing."""

    t: np.ndarray

    @cached_property
    def spaces(self) -> dict[int, SplineSpace]:
        """Those in use, by how many samples there are to a knot."""
        return {}

    def space(self, cutoff: float) -> SplineSpace:
        """The coarsest that a cut-off frequency (Hz) allows."""
        mean = (self.t[-1] - self.t[0]) / (len(self.t) - 1)
        ratio = FINE / (2 * np.pi * cutoff * mean) if np.isfinite(cutoff) else 1.0
        every = 2 ** int(np.log2(np.clip(ratio, 1, max(len(self.t) // LEAST, 1))))
        return self.spaces.setdefault(every, SplineSpace(self.t, every))

    def smoothed(self, y: np.ndarray, cutoff: float | None = None) -> SmoothingSpline:
        """Of samples (n, columns), with a cut-off frequency (Hz); with the one that cross-validation finds for all columns unless given."""
        frequency = self.best(y) if cutoff is None else cutoff
        return self.space(frequency).smoothed(y, frequency)

    @cached_property
    def tried(self) -> tuple[np.ndarray, np.ndarray]:
        """Logarithms of cut-off frequencies, and tr A there."""
        length = float(self.t[-1] - self.t[0])
        frequencies = np.geomspace(1 / length, FASTEST * (len(self.t) - 1) / length, GRID) / (2 * np.pi)
        return np.log(frequencies), np.array([self.space(f).trace(f) for f in frequencies])

    def best(self, y: np.ndarray) -> float:
        """The cut-off frequency (Hz) of generalised cross-validation, of samples (n, columns)."""
        from scipy.interpolate import CubicSpline
        from scipy.optimize import minimize_scalar

        logs, traces = self.tried
        trace = CubicSpline(logs, traces)

        def score(log: float) -> float:
            left = float(((y - self.smoothed(y, float(np.exp(log))).at(self.t)) ** 2).sum())
            return float(np.log(max(left, 1e-300)) - 2 * np.log(1 - min(float(trace(log)) / len(y), 1 - 1e-9)))

        found = [score(x) for x in logs]
        k = int(np.argmin(found))
        around = (logs[max(k - 1, 0)], logs[min(k + 1, GRID - 1)])
        best: Any = minimize_scalar(score, bounds=around, method="bounded", options={"xatol": 1e-3})
        return float(np.exp(best.x))


def inverse_within_bands(U: np.ndarray) -> np.ndarray:
    """(n, bands): row i has the entries (i, i), (i, i + 1), ... of the inverse of U'U. U: as cholesky_banded has it.

    Backwards (Hutchinson and de Hoog 1985): with L = U' D^-1/2, Z = D^-1 - (L' - 1) Z within the bands, entry by entry.
    """
    width, n = len(U) - 1, U.shape[1]
    diagonal = U[-1]
    rows = np.zeros((n, width))  # of the unit upper triangle
    for k in range(1, width + 1):
        rows[: n - k, k - 1] = U[width - k, k:] / diagonal[: n - k]
    Z = np.zeros((n + width, width + 1))
    block = np.zeros((width, width))  # the inverse at i + 1, ..., i + width
    for i in range(n - 1, -1, -1):
        beside = -(block @ rows[i])
        own = 1.0 / diagonal[i] ** 2 - rows[i] @ beside
        Z[i, 0], Z[i, 1:] = own, beside
        block[1:, 1:] = block[:-1, :-1].copy()
        block[0, 0] = own
        block[0, 1:] = block[1:, 0] = beside[:-1]
    return Z[:n]
