"""The small problem of contact: which forces f meet Coulomb's law, where u = W f + b is how contacts leave and slide (or begin to).

    f in K,  u + mu |u_t| n in K*,  f . (u + mu |u_t| n) = 0      of contacts that may stick       (De Saxce and Feng 1998)
    f = lambda (n - mu d),  lambda >= 0,  u_n >= 0,  lambda u_n = 0    of those that slide along d, whose friction is known

First by projections in turn, then by Newton's method on f = P_K(f - r (u + mu |u_t| n)), whose steps are of least norm: rows of several
points of one body repeat each other. Where that does not end, contacts that give way lead there, less and less.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

SWEEPS, STEPS = 60, 30
SOFTER = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10)  # what contacts give way, of what bodies do, where it is hard to find f
SOLVED = 1e-12  # of the size of forces
NEARLY = 1e-7  # of the same, by which projections change them no more
REPEATS = 1e-10  # of the largest singular value, below which rows repeat others


@dataclass(frozen=True, eq=False)
class Cones:
    """W: (3 m, 3 m), rows n, t, t of each contact; b: (3 m,); mu: (m,); along: (m, 2), where one that slides goes, or nan."""

    W: np.ndarray
    b: np.ndarray
    mu: np.ndarray
    along: np.ndarray

    @cached_property
    def slides(self) -> np.ndarray:
        """(m,): whose friction is known."""
        return np.isfinite(self.along[:, 0])

    @cached_property
    def known(self) -> tuple[np.ndarray, np.ndarray]:
        """C, f = C z, and the rows of u that are asked of: three unknowns of a contact that may stick, one of one that slides."""
        columns: list[np.ndarray] = []
        rows: list[int] = []
        for c, slides in enumerate(self.slides):
            if slides:
                column = np.zeros(len(self.b))
                column[3 * c : 3 * c + 3] = 1.0, *(-self.mu[c] * self.along[c])
                columns.append(column)
                rows.append(3 * c)
            else:
                columns += list(np.eye(len(self.b))[3 * c : 3 * c + 3])
                rows += [3 * c, 3 * c + 1, 3 * c + 2]
        return np.array(columns).T.reshape(len(self.b), -1), np.array(rows, int)

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """(contact, first unknown)."""
        found: list[tuple[int, int]] = []
        at = 0
        for c, slides in enumerate(self.slides):
            found.append((c, at))
            at += 1 if slides else 3
        return found

    @cached_property
    def system(self) -> tuple[np.ndarray, np.ndarray]:
        """G and c: rows of u that are asked of, G z + c."""
        C, rows = self.known
        return self.W[rows] @ C, self.b[rows]

    def held(self) -> np.ndarray:
        """(3 m,): f of least norm for which all that is asked of is zero: all contacts stay closed, and those that stick stick."""
        C, _ = self.known
        G, c = self.system
        return C @ np.linalg.lstsq(G, -c, rcond=REPEATS)[0] if len(c) else np.zeros(0)

    def excess(self, f: np.ndarray) -> float:
        """How far f is outside the law's cones."""
        parts = f.reshape(-1, 3)
        normal = -parts[:, 0]
        beyond = np.where(self.slides, -np.inf, np.hypot(parts[:, 1], parts[:, 2]) - self.mu * parts[:, 0])
        return float(np.maximum(normal, beyond).max(initial=0.0))

    def solve(self) -> tuple[np.ndarray, float]:
        """(3 m,) f, and how far it is from a solution, relative to the size of forces."""
        C, _ = self.known
        G, c = self.system
        if not len(c):
            return np.zeros(0), 0.0
        sizes = [np.trace(G[k : k + n, k : k + n]) / n for _, k in self.places for n in [self.width(k)]]
        steps = [1.0 / s if s > 0.0 else 0.0 for s in sizes]
        z, best, least = np.zeros(len(c)), np.zeros(len(c)), np.inf
        scale = max(float(np.abs(c).max()) * max(steps), 1e-300)
        for softer in (0.0, *SOFTER, 0.0):
            soft = G + softer * float(np.mean(sizes)) * np.eye(len(c))
            z = self.refined(soft, c, self.swept(soft, c, z, steps), steps)
            size = float(np.abs(self.missing(G, c, z, steps)[0]).max()) / scale
            if size < least:
                best, least = z, size
            if least < SOLVED:
                break
        return C @ best, least

    def width(self, k: int) -> int:
        """Unknowns of the contact whose first is k."""
        return next(1 if self.slides[c] else 3 for c, at in self.places if at == k)

    def swept(self, G: np.ndarray, c: np.ndarray, z: np.ndarray, steps: list[float]) -> np.ndarray:
        """Projections, one contact after the other."""
        z = z.copy()
        for _ in range(SWEEPS):
            before = z.copy()
            for (contact, k), r in zip(self.places, steps, strict=True):
                if self.slides[contact]:
                    z[k] = max(0.0, z[k] - r * (G[k] @ z + c[k]))
                    continue
                u = G[k : k + 3] @ z + c[k : k + 3]
                u[0] += self.mu[contact] * float(np.hypot(u[1], u[2]))
                z[k : k + 3] = projected(z[k : k + 3] - r * u, self.mu[contact])[0]
            if np.abs(z - before).max() < NEARLY * np.abs(z).max():
                break
        return z

    def refined(self, G: np.ndarray, c: np.ndarray, z: np.ndarray, steps: list[float]) -> np.ndarray:
        """Newton's method, as far as it gets nearer."""
        F, slope = self.missing(G, c, z, steps)
        for _ in range(STEPS):
            size = float(np.linalg.norm(F))
            if size <= 1e-15 * max(float(np.linalg.norm(z)), 1e-300):
                break
            step = np.linalg.lstsq(slope, -F, rcond=REPEATS)[0]
            for part in (1.0, 0.5, 0.25, 0.1, 0.02):
                tried = self.missing(G, c, z + part * step, steps)
                if np.linalg.norm(tried[0]) < size * (1.0 - 0.1 * part):
                    break
            else:
                break
            z, (F, slope) = z + part * step, tried
        return z

    def missing(self, G: np.ndarray, c: np.ndarray, z: np.ndarray, steps: list[float]) -> tuple[np.ndarray, np.ndarray]:
        """z - P(z - r (u + mu |u_t| n)), which is zero at a solution, and its derivative."""
        F, slope, u = np.empty(len(c)), np.empty_like(G), G @ z + c
        eye = np.eye(len(c))
        for (contact, k), r in zip(self.places, steps, strict=True):
            if self.slides[contact]:
                free = z[k] - r * u[k] > 0.0
                F[k], slope[k] = (r * u[k], r * G[k]) if free else (z[k], eye[k])
                continue
            own, rows, mu = slice(k, k + 3), G[k : k + 3].copy(), float(self.mu[contact])
            v, size = u[own].copy(), float(np.hypot(u[k + 1], u[k + 2]))
            v[0] += mu * size
            if size > 0.0:
                rows[0] += mu * (u[k + 1] * rows[1] + u[k + 2] * rows[2]) / size
            place, turn = projected(z[own] - r * v, mu)
            F[own] = z[own] - place
            slope[own] = eye[own] - turn @ (eye[own] - r * rows)
        return F, slope


def projected(y: np.ndarray, mu: float) -> tuple[np.ndarray, np.ndarray]:
    """The nearest point of the cone |f_t| <= mu f_n, and its derivative."""
    size = float(np.hypot(y[1], y[2]))
    if size <= mu * y[0]:
        return y, np.eye(3)
    if mu * size <= -y[0]:
        return np.zeros(3), np.zeros((3, 3))
    s = y[1:] / size
    normal = (y[0] + mu * size) / (1.0 + mu * mu)
    ray = np.array([1.0, *(mu * s)])
    turn = np.outer(ray, ray) / (1.0 + mu * mu)
    turn[1:, 1:] += mu * normal / size * (np.eye(2) - np.outer(s, s))
    return normal * ray, turn
