"""What constraints did during a run: multipliers, gaps and wrenches, from the states of its samples.

Multipliers are those of the accelerations at each sample, with what the run was given: exact reactions of the continuous motion, whatever
steps it was found by. What a step of `euler` or `implicit` itself used is their mean over the step, as near to these as the step is short;
where one-sided rows meet, bodies are stopped at once by an impulse that no acceleration has, and which is not in them: `impacts`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from redmax.constraints.twist_rows import TwistRows
from redmax.dynamics.constrained_motion import MOMENT
from redmax.dynamics.constraints import ConstraintStates
from redmax.integrators import METHODS
from redmax.run.force_history import work_of
from redmax.run.impacts import Impact, impacts_of
from redmax.run.known_samples import where_known

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory


@dataclass(frozen=True, eq=False, repr=False)
class ConstraintHistory(ConstraintStates):
    """What one constraint did during a run: arrays (time, ...), with the batch axes of the run, at the times t (s).

    impulse, impulse_time: (time, ..., rows), what impacts gave it since the run began (N s or N m s), and when the last was; None where
        nothing in the scene only pushes, and with bdf1 and bdf2
    """

    t: np.ndarray = field(kw_only=True)
    impulse: np.ndarray | None = field(default=None, kw_only=True)
    impulse_time: np.ndarray | None = field(default=None, kw_only=True)

    @cached_property
    def impacts(self) -> tuple[Impact, ...]:
        """Its impacts, in order of time: when, and the impulse of each row; those between two samples are one."""
        if self.impulse is None or self.impulse_time is None:
            return ()
        return impacts_of(self.t, np.asarray(self.impulse), np.asarray(self.impulse_time))

    @cached_property
    def work(self) -> np.ndarray:
        """(time, ...) the integral of the power from the start (J), by Simpson's rule; of two samples, by the trapezoid's."""
        return work_of(self.t, self.power)


class ConstraintHistories:
    """The methods of a Trajectory that are of constraints."""

    @cached_property
    def solved(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """qddot and what prescribed joints need, (time, ..., nv), and multipliers, (time, ..., rows)."""
        run = as_run(self)
        given = {} if run.controls is None else {"tau": run.controls}
        given |= dict(zip(("wrench",), run.step_wrenches, strict=False))
        stepped = run.integrator in METHODS and not METHODS[run.integrator].adaptive
        moment = float(run.dt) if stepped else MOMENT  # steps leave a slip that the next one stops

        def solve(q: np.ndarray, qdot: np.ndarray, t: np.ndarray, *more: np.ndarray) -> tuple[np.ndarray, ...]:
            had = dict(zip(given, more, strict=True))
            return run.engine.solve_rows(q, qdot, had.get("tau"), None, had.get("wrench"), t, moment)

        return where_known(run, solve, *given.values())

    @property
    def multipliers(self) -> np.ndarray:
        """(time, ..., rows): of the rows of all constraints, as the scene has them; of redundant rows, those of least norm."""
        return np.asarray(as_run(self).quantity("multipliers"))

    @cached_property
    def gaps(self) -> tuple[np.ndarray, np.ndarray]:
        """How far all rows are off, and how fast they go off, (time, ..., rows)."""
        run = as_run(self)
        return where_known(run, run.engine.gaps_and_rates)

    @cached_property
    def exerted(self) -> tuple[np.ndarray, np.ndarray]:
        """Wrenches on all places, (time, ..., places, 6), and the power of each constraint, (time, ..., constraints)."""
        run = as_run(self)

        def found(q: np.ndarray, qdot: np.ndarray, t: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, ...]:
            seen = run.engine.constraints_with(q, qdot, size, t).values()
            wrenches = [np.zeros((*qdot.shape[:-1], 0, 6), qdot.dtype), *[c.wrenches for c in seen]]
            powers = [np.zeros((*qdot.shape[:-1], 0), qdot.dtype), *[c.power[..., None] for c in seen]]
            return np.concatenate(wrenches, axis=-2), np.concatenate(powers, axis=-1)

        return where_known(run, found, self.multipliers)

    def constraint(self, name: str) -> ConstraintHistory:
        """What a constraint did: gap, rate, multipliers, wrenches on its places, power and work over time."""
        run = as_run(self)
        run.model.constraint(name)
        found = where_known(run, lambda q, qdot, t, size: run.engine.constraint_with(name, q, qdot, size, t), self.multipliers)
        own = run.model.row_slice(name)
        struck = [None if x is None else np.asarray(x)[..., own] for x in (run.impulse, run.impulse_time)]
        seen = {f.name: getattr(found, f.name) for f in fields(ConstraintStates)}
        return ConstraintHistory(**seen, t=run.t, impulse=struck[0], impulse_time=struck[1])

    def closing_coordinates(self, name: str) -> np.ndarray:
        """(time, ..., n): of the joint that closes a loop (Closure), or of the curve that a point is on; angles are within one turn."""
        run = as_run(self)
        return where_known(run, lambda q, qdot, t: run.engine.closing_coordinates(q, name, t))


def multipliers_of(run: Trajectory) -> np.ndarray:
    """(time, ..., rows)."""
    return run.solved[2] if run.model.constraints else np.zeros((*run.q.shape[:-1], 0), run.q.dtype)


def gap_of(run: Trajectory) -> np.ndarray:
    """(time, ..., rows)."""
    return run.gaps[0]


def rate_of(run: Trajectory) -> np.ndarray:
    """(time, ..., rows)."""
    return run.gaps[1]


def wrenches_of(run: Trajectory) -> np.ndarray:
    """(time, ..., places, 6): on the places of all constraints, one constraint after the other."""
    return run.exerted[0]


def powers_of(run: Trajectory) -> np.ndarray:
    """(time, ..., constraints)."""
    return run.exerted[1]


def prescribed_wrench(run: Trajectory, name: str) -> np.ndarray:
    """(time, ..., 6): what the prescribed twists of a body need, in its axes: their multipliers."""
    body = run.model.index(name)
    found = np.zeros((*run.q.shape[:-1], 6))
    for c in run.model.constraints:
        if isinstance(c, TwistRows) and c.twist.body == body:
            found[..., list(c.twist.rows)] += run.multipliers[..., run.model.row_slice(str(c.name))]
    return found


def as_run(histories: ConstraintHistories) -> Trajectory:
    """Itself: only a Trajectory has these methods."""
    from redmax.run.trajectory import Trajectory

    assert isinstance(histories, Trajectory)
    return histories
