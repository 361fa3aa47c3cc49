"""What a run of backward differences goes on from and what it leaves: states with those before them, clocks, samples, and failures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from redmax.solvers.newton import SINGULAR, TOLERANCE

TURNED = 4.0  # what `failed` says beside what Newton's method does: of a joint that turns by more than half a turn in a step
NOT_MET = 1e-6  # how far a row is off (m or rad) that is worth a word


@dataclass(frozen=True, eq=False)
class Past:
    """States of all worlds at a time, those a step before, and where there are none (young).

    q, older_q: (worlds, configuration); qdot, older_qdot: (worlds, nv); young: (worlds, 1), 1 where the state before is not known
    """

    t: float
    q: np.ndarray
    qdot: np.ndarray
    older_q: np.ndarray
    older_qdot: np.ndarray
    young: np.ndarray

    @classmethod
    def fresh(cls, t: float, q: np.ndarray, qdot: np.ndarray) -> Past:
        """States without a history."""
        return cls(t, q, qdot, q, qdot, np.ones((len(q), 1)))

    def of(self, world: int) -> Past:
        """One world alone."""
        return Past(self.t, *(x[world : world + 1] for x in (self.q, self.qdot, self.older_q, self.older_qdot, self.young)))


@dataclass(frozen=True)
class Clock:
    """Steps of length h, counted from `start`, of which k are done."""

    start: float
    h: float
    k: float

    @property
    def t(self) -> float:
        """Now."""
        return self.start + self.k * self.h

    def after(self, count: int) -> Clock:
        """So many steps later."""
        return Clock(self.start, self.h, self.k + count)


@dataclass(frozen=True, eq=False)
class Failure:
    """Newton's method found no solution for a step that ends at t."""

    kind: float
    t: float
    residual: float
    row: str = ""

    def __str__(self) -> str:
        if self.kind == SINGULAR:
            return f"Newton's method met a singular matrix at t = {self.t:.6g} s: a joint is in a singular position."
        if self.kind == TURNED:
            said = f"A joint turned by more than half a turn in the step before t = {self.t:.6g} s"
            return f"{said}: bdf2 reads its past by the logarithm, which knows of less."
        said = f"Newton's method stopped at t = {self.t:.6g} s with a residual of {self.residual:.3g}, expected below {TOLERANCE:g}."
        return f"{said} {self.row}" if self.row else said


@dataclass(frozen=True, eq=False)
class Samples:
    """What a run left: configurations and rates (samples, worlds, n), the states a step before each, and numbers of each world."""

    q: np.ndarray
    qdot: np.ndarray
    older: tuple[np.ndarray, ...]
    marks: dict[str, np.ndarray]  # (samples, worlds)
    rows: np.ndarray | None = None  # (samples, worlds, 2), of constraints: how far the worst row is off, and the number of its constraint
    names: tuple[str, ...] = ()  # of these

    def past(self, sample: int, t: float) -> Past:
        """The states of one sample, with their history."""
        q, qdot = self.q[sample], self.qdot[sample]
        older_q, older_qdot = (x[sample] for x in self.older)
        return Past(t, q.copy(), qdot.copy(), older_q.copy(), older_qdot.copy(), self.marks["young"][sample][:, None].copy())

    def put(self, sample: int, w: int, state: Past) -> None:
        """Fill in the sample of a world."""
        self.q[sample, w], self.qdot[sample, w], self.marks["young"][sample, w] = state.q[0], state.qdot[0], state.young[0, 0]
        for array, value in zip(self.older, (state.older_q, state.older_qdot), strict=True):
            array[sample, w] = value[0]

    def good(self, world: int) -> int:
        """How many samples a world has filled."""
        return int(np.isfinite(self.q[:, world]).all(axis=1).sum())

    @property
    def broken(self) -> list[int]:
        """The worlds that broke off."""
        return np.flatnonzero(self.marks["failed"][-1:].any(axis=0)).tolist()

    def failure(self, world: int) -> Failure | None:
        """Why a world broke off, if it did."""
        kind, t, residual = (float(self.marks[name][-1, world]) for name in ("failed", "t_failed", "size"))
        return Failure(kind, t, residual, self.worst_row(world)) if kind else None

    def worst_row(self, world: int) -> str:
        """Of a world that broke off: which constraint is not met, if that is the reason."""
        if self.rows is None:
            return ""
        off, number = self.rows[-1, world]
        if not off > NOT_MET:
            return ""
        return f"{self.names[int(number)]} is off by {off:.3g} there: perhaps it cannot be met, beside the others or beside the joints."
