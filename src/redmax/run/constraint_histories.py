"""What constraints did during a run: multipliers, gaps and wrenches, from the states of its samples.

Multipliers are those of the accelerations at each sample, with what the run was given: exact reactions of the continuous motion, whatever
steps it was found by. What a step of `euler` or `implicit` itself used is their mean over the step, as near to these as the step is short;
where one-sided rows meet, bodies are stopped within a step by an impulse that no acceleration has, and which is not in them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from redmax.constraints.twist_rows import TwistRows
from redmax.dynamics.constraints import ConstraintStates
from redmax.run.force_history import work_of
from redmax.run.known_samples import where_known

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory


@dataclass(frozen=True, eq=False, repr=False)
class ConstraintHistory(ConstraintStates):
    """What one constraint did during a run: arrays (time, ...), with the batch axes of the run, at the times t (s)."""

    t: np.ndarray = field(kw_only=True)

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
        tau = () if run.controls is None else (run.controls,)

        def solve(q: np.ndarray, qdot: np.ndarray, t: np.ndarray, tau: np.ndarray | None = None) -> tuple[np.ndarray, ...]:
            return run.engine.solve_rows(q, qdot, tau, None, None, t)

        return where_known(run, solve, *tau)

    @property
    def multipliers(self) -> np.ndarray:
        """(time, ..., rows): of the rows of all constraints, as the scene has them; of redundant rows, those of least norm."""
        return np.asarray(as_run(self).quantity("multipliers"))

    def constraint(self, name: str) -> ConstraintHistory:
        """What a constraint did: gap, rate, multipliers, wrenches on its places, power and work over time."""
        run = as_run(self)
        run.model.constraint(name)
        found = where_known(run, lambda q, qdot, t, size: run.engine.constraint_with(name, q, qdot, size, t), self.multipliers)
        return ConstraintHistory(**{f.name: getattr(found, f.name) for f in fields(ConstraintStates)}, t=run.t)

    def closing_coordinates(self, name: str) -> np.ndarray:
        """(time, ..., n): of the joint that closes a loop (Closure), or of the curve that a point is on; angles are within one turn."""
        run = as_run(self)
        return where_known(run, lambda q, qdot, t: run.engine.closing_coordinates(q, name, t))


def multipliers_of(run: Trajectory) -> np.ndarray:
    """(time, ..., rows)."""
    return run.solved[2] if run.model.constraints else np.zeros((*run.q.shape[:-1], 0), run.q.dtype)


def of_rows(run: Trajectory, what: str) -> np.ndarray:
    """(time, ..., rows): gap or rate."""
    return where_known(run, lambda q, qdot, t: run.engine.of_rows(what, q, qdot, None, t))


def wrenches_of(run: Trajectory) -> np.ndarray:
    """(time, ..., places, 6): on the places of all constraints, one constraint after the other."""
    found = [run.constraint(str(c.name)).wrenches for c in run.model.constraints]
    return np.concatenate([np.zeros((*run.q.shape[:-1], 0, 6), run.q.dtype), *found], axis=-2)


def powers_of(run: Trajectory) -> np.ndarray:
    """(time, ..., constraints)."""
    found = [run.constraint(str(c.name)).power for c in run.model.constraints]
    return np.stack(found, axis=-1) if found else np.zeros((*run.q.shape[:-1], 0), run.q.dtype)


def prescribed_wrench(run: Trajectory, name: str) -> np.ndarray:
    """(time, ..., 6): what the prescribed twists of a body need, in its axes: their multipliers."""
    body = run.model.index(name)
    if run.redmax is not None:
        return run.redmax[2][..., body, :]
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
