"""What targets, limits and loops have to say of coordinates, frame by frame, for all frames at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from redmax.design.reach.inverse_kinematics import InverseKinematics
from redmax.design.track.coordinates import SplineCoordinates
from redmax.design.track.fit import Frames

LATER = 1e-2  # the weight of a priority, relative to that of the one before
FIRM = 1e3  # of the largest: how much loops know of coordinates
FAINT = 1e-6  # of the largest mass: the least that a coordinate has, and what draws it to where it was found by itself


@dataclass(frozen=True, eq=False)
class Moments:
    """goals: (frames, goals);  given: (frames, rows), weights;  alone: (frames, nq), found frame by frame"""

    ik: InverseKinematics
    goals: np.ndarray
    given: np.ndarray
    coordinates: SplineCoordinates
    alone: np.ndarray

    @cached_property
    def weights(self) -> np.ndarray:
        """(frames, rows)."""
        levels = np.array([self.ik.targets[k].priority for k in self.ik.rows.owner], float)
        return self.given * LATER ** (levels - levels.min(initial=0.0))

    @cached_property
    def ranged(self) -> tuple[np.ndarray, np.ndarray]:
        """Velocities whose coordinates must be above a bound, and those that must be below one."""
        bounds = self.ik.bounds
        ours = bounds.movable & (bounds.place >= 0)
        return np.flatnonzero(ours & np.isfinite(bounds.lower)), np.flatnonzero(ours & np.isfinite(bounds.upper))

    @cached_property
    def sided(self) -> np.ndarray:
        """Of what is held, (rows held,): which only push."""
        return np.concatenate([self.ik.closures.sided, np.ones(sum(map(len, self.ranged)), bool)])

    @cached_property
    def before(self) -> np.ndarray:
        """u of what was found frame by frame."""
        return self.coordinates.begun(self.alone)

    @cached_property
    def known(self) -> np.ndarray:
        """(frames, columns, columns): what the targets know of u, A'W^2 A, where it was found frame by frame."""
        _, A = self.targets(self.alone)
        slopes = (A * self.weights[..., None]) @ self.coordinates.slopes(self.before, self.alone)
        return np.swapaxes(slopes, 1, 2) @ slopes

    @cached_property
    def largest(self) -> float:
        """How much of a coordinate they know at most."""
        return float(np.einsum("kuu->ku", self.known).mean(axis=0).max(initial=0.0)) + 1e-300

    @cached_property
    def mass(self) -> np.ndarray:
        """(columns,): how well the targets know each, beside all others, alike for those that are smoothed as one.

        The inverse of the mean variance of what is found frame by frame, for targets that err by 1: smoothing then weighs it as that.
        """
        _, along = self.coordinates.lengths(self.before)
        _, G = self.held(self.alone)
        loops = (G @ self.coordinates.slopes(self.before, self.alone))[:, ~self.sided]
        closed = np.swapaxes(along, 1, 2) @ along + FIRM * np.swapaxes(loops, 1, 2) @ loops + FAINT * np.eye(self.coordinates.size)
        variance = np.einsum("kuu->ku", np.linalg.inv(self.known + self.largest * closed)).mean(axis=0)
        found = np.zeros(self.coordinates.size)
        for _, columns in self.coordinates.groups():
            found[columns] = 1.0 / variance[columns].mean()
        return np.clip(found, FAINT * self.largest, self.largest)

    def targets(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """r (frames, rows) and A (frames, rows, nv)."""
        still = np.zeros((len(q), self.ik.model.nv))
        _, r, A = self.ik.rows.at(self.ik.model.configurations.join(q), still, self.goals, 0.0)
        return r, A

    def look(self, u: np.ndarray) -> Frames:
        """Of u (frames, columns)."""
        coordinates, mass = self.coordinates, self.mass
        q = coordinates.coordinates(u, self.alone)
        T = coordinates.slopes(u, q)
        r, A = self.targets(q)
        off, bent = coordinates.lengths(u)
        first = [part.columns.start for part in coordinates.parts if part.turns]
        drawn, stretched = np.sqrt(FAINT * mass), np.sqrt(mass[first])
        e = [self.weights * r, drawn * (u - self.near(u)), stretched * off]
        alone = np.broadcast_to(np.diag(drawn), (len(u), len(drawn), len(drawn)))
        slopes = [(self.weights[..., None] * A) @ T, alone, stretched[:, None] * bent]
        held, G = self.held(q)
        return Frames(np.concatenate(e, axis=1), np.concatenate(slopes, axis=1), held, G @ T)

    def near(self, u: np.ndarray) -> np.ndarray:
        """What was found frame by frame, of quaternions and their opposites those nearer to u."""
        found = self.before.copy()
        for part in self.coordinates.parts:
            if part.turns:
                own = slice(part.columns.start, part.columns.start + 4)
                found[:, own] *= np.where((found[:, own] * u[:, own]).sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
        return found

    def held(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Gaps of loops and what is left to bounds, (frames, rows held), and how they change with velocities."""
        ik, (below, above) = self.ik, self.ranged
        configuration, still = ik.model.configurations.join(q), np.zeros((len(q), ik.model.nv))
        gaps, slopes = [np.zeros((len(q), 0))], [np.zeros((len(q), 0, ik.model.nv))]
        if ik.closures.size:
            c, C = ik.closures.at(configuration, still, 0.0)
            gaps.append(c)
            slopes.append(C)
        place, rows = ik.bounds.place, np.eye(ik.model.nv)
        gaps += [configuration[:, place[below]] - ik.bounds.lower[below], ik.bounds.upper[above] - configuration[:, place[above]]]
        slopes += [np.broadcast_to(sign * rows[k], (len(q), len(k), ik.model.nv)) for sign, k in ((1.0, below), (-1.0, above))]
        return np.concatenate(gaps, axis=1), np.concatenate(slopes, axis=1)

    def told(self, q: np.ndarray) -> dict[str, np.ndarray]:
        """target -> (frames, rows), m and rad; not numbers where a marker was not seen."""
        r, _ = self.targets(q)
        counted = np.where(self.given > 0, r, np.nan)
        return {target.name: counted[:, self.ik.rows.of(k)] for k, target in enumerate(self.ik.targets)}
