"""All frames at once: the splines whose targets are met best while they are smooth.

    min over C of   1/n sum_k |W r(q_k)|^2  +  sum_u m_u p_u c_u' J c_u,      u(t_k) = B_k C,    p_u = (2 pi f_u)^-6

m_u is how well the targets know a coordinate beside all others, the inverse of the mean variance of what is found frame by frame, so that
f_u is the frequency of which half is left, as where that is smoothed (smoothing_spline.py). Gauss-Newton steps solve banded equations.
What is held, limits of joints and loops of the scene, are equations that multipliers keep (Hestenes 1969): rho |c + y|^2 is added,
y <- y + c.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from redmax.design.smoothing_spline import DEGREE, HALF, SplineSpace

STEPS, ROUNDS, HALVINGS = 40, 8, 12
STILL, SAME = 1e-7, 1e-9  # changes of u, and of the sum relative to itself, after which nothing more is to be gained
STIFF = 30.0  # sqrt(rho), of the largest weight
KEPT = 1e-7  # of what is held: how far it may be off


@dataclass(frozen=True, eq=False)
class Frames:
    """What frames have at some u. e: (frames, rows), weighted;  slopes: (frames, rows, columns);  held, bent: the same of what is held"""

    e: np.ndarray
    slopes: np.ndarray
    held: np.ndarray
    bent: np.ndarray


@dataclass(frozen=True, eq=False)
class SplineFit:
    """look: of u (frames, columns);  sided: (rows held,), which only push;  mass: (columns,) m_u;  cutoff: (columns,) f_u (Hz)

    largest: of what targets know of a coordinate, the scale of what is held
    """

    space: SplineSpace
    look: Callable[[np.ndarray], Frames]
    sided: np.ndarray
    mass: np.ndarray
    cutoff: np.ndarray
    largest: float

    @cached_property
    def stiffness(self) -> np.ndarray:
        """(columns,): of third derivatives."""
        return self.mass * (2 * np.pi * self.cutoff * self.space.unit) ** (-2 * HALF)

    @property
    def rho(self) -> float:
        return STIFF**2 * self.largest

    def least(self, C: np.ndarray) -> tuple[np.ndarray, int]:
        """The coefficients (n, columns), from others, and how many steps it took."""
        at = self.look(self.space.values @ C)
        y, steps = np.zeros_like(at.held), 0
        for _ in range(ROUNDS):
            C, at, took = self.search(C, at, y)
            steps += took
            off = np.where(self.sided, np.minimum(at.held, 0.0), at.held)
            if not off.size or np.abs(off).max() <= KEPT:
                break
            y = y + at.held
            y = np.where(self.sided, np.minimum(y, 0.0), y)
        return C, steps

    def search(self, C: np.ndarray, at: Frames, y: np.ndarray) -> tuple[np.ndarray, Frames, int]:
        """With these multipliers."""
        took = 0
        for _ in range(STEPS):
            now, D = self.cost(C, at, y), self.step(C, at, y)
            took += 1
            length = 1.0
            for _ in range(HALVINGS):
                tried = C + length * D
                there = self.look(self.space.values @ tried)
                cost = self.cost(tried, there, y)
                if cost <= now:
                    break
                length *= 0.5
            else:
                break
            C, at = tried, there
            if np.abs(length * D).max(initial=0.0) <= STILL or now - cost <= SAME * now:
                break
        return C, at, took

    def pushed(self, at: Frames, y: np.ndarray) -> np.ndarray:
        """What is held, shifted by multipliers; zero where a row only pushes, and is not needed."""
        shifted = at.held + y
        return np.where(self.sided & (shifted >= 0.0), 0.0, shifted)

    def cost(self, C: np.ndarray, at: Frames, y: np.ndarray) -> float:
        """Half of the sum."""
        own = (at.e**2).sum() + self.rho * (self.pushed(at, y) ** 2).sum()
        return float(0.5 * own / len(at.e) + 0.5 * (self.stiffness * ((self.space.jerks @ C) ** 2).sum(axis=0)).sum())

    def step(self, C: np.ndarray, at: Frames, y: np.ndarray) -> np.ndarray:
        """Of Gauss and Newton."""
        from scipy.linalg import solveh_banded

        n, pushed = len(at.e), self.pushed(at, y)
        bent = at.bent * (pushed != 0.0)[..., None]
        g = np.einsum("kru,kr->ku", at.slopes, at.e) + self.rho * np.einsum("kru,kr->ku", bent, pushed)
        H = np.swapaxes(at.slopes, 1, 2) @ at.slopes + self.rho * (np.swapaxes(bent, 1, 2) @ bent)
        right = self.space.values.T @ g / n + self.stiffness * (self.space.jerks.T @ (self.space.jerks @ C))
        return -solveh_banded(self.bands(H / n), right.ravel()).reshape(C.shape)

    def bands(self, H: np.ndarray) -> np.ndarray:
        """Of the matrix over all coefficients, coefficient by coefficient, as scipy.linalg has them. H: (frames, columns, columns)."""
        from scipy.sparse import csr_array

        frames, m, _ = H.shape
        rows = self.space.values.tocsr()
        first, entries, n = rows.indices.reshape(frames, -1)[:, 0], rows.data.reshape(frames, -1), self.space.values.shape[1]
        width = (DEGREE + 1) * m - 1
        ab, flat = np.zeros((width + 1, n * m)), H.reshape(frames, m * m)
        a, b = (x.ravel() for x in np.meshgrid(np.arange(m), np.arange(m), indexing="ij"))
        for o in range(DEGREE + 1):
            k = np.arange(DEGREE + 1 - o)
            products = entries[:, k] * entries[:, k + o]
            at = (first[:, None] + k).ravel(), np.repeat(np.arange(frames), len(k))
            blocks = csr_array((products.ravel(), at), shape=(n, frames))[: n - o] @ flat
            blocks[:, a == b] += self.space.jerk.diagonal(o)[:, None] * self.stiffness
            i, j = np.arange(n - o)[:, None] * m + a, (np.arange(n - o)[:, None] + o) * m + b
            upper = i <= j
            ab[(width + i - j)[upper], j[upper]] = blocks[upper]
        diagonal = ab[-1]
        diagonal += 1e-12 * diagonal.max(initial=0.0) + 1e-300
        return ab
