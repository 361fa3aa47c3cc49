"""Runs that break off: how much of them is good, and which joint to blame."""

from __future__ import annotations

import numpy as np

from redmax.errors import SimulationError
from redmax.model import Model
from redmax.state import State


class BlowUp(SimulationError):
    """A portion that did not stay finite: how many of its samples are good, and what to say."""

    def __init__(self, good: int, message: str) -> None:
        super().__init__(message)
        self.good, self.message = good, message


def count_finite(q: np.ndarray, qdot: np.ndarray) -> int:
    """How many samples come before the first that is not finite."""
    bad = np.flatnonzero(~(np.isfinite(q).all(axis=(1, 2)) & np.isfinite(qdot).all(axis=(1, 2))))
    return int(bad[0]) if len(bad) else len(q)


def named(model: Model, state: State, dt: float, what: str) -> str:
    """What to say of a run whose last good state this is, dt before it was good no longer. q of the state is a configuration."""
    beyond = left_range(model, state, dt)
    if beyond is not None:
        return f"The run broke off at t = {state.t:.6g} s: {beyond}"
    speeds = np.abs(np.nan_to_num(np.atleast_2d(state.qdot), nan=np.inf)).max(axis=0)
    joint = model.joint_of(int(np.argmax(speeds))) if len(speeds) else "none"
    return f"The run broke off at t = {state.t:.6g} s, beginning in joint {joint!r} (rate {speeds.max(initial=0.0):.3g}): {what}."


def left_range(model: Model, state: State, dt: float) -> str | None:
    """Which joint is about to leave the range in which its motion is defined, if one is."""
    q, qdot = model.configurations.split(np.atleast_2d(state.q))[0], np.atleast_2d(state.qdot)
    for link, p in zip(model.links, map(model.v_slice, model.joint_names), strict=True):
        for k, (low, high) in enumerate(link.joint.domain or ()):
            x, v = q[:, p][:, k], qdot[:, p][:, k]
            soon = x + 2.0 * dt * v
            out = np.flatnonzero(~((np.minimum(x, soon) >= low) & (np.maximum(x, soon) <= high)))
            if len(out):
                where = f"coordinate {k} was {x[out[0]]:.6g} and moving at {v[out[0]]:.3g}"
                return f"joint {link.joint_name!r} left its range [{low:.6g}, {high:.6g}]; its {where}."
    return None
