"""What forces along paths and muscles did during a run: the functions of `Dynamics` that tell it of states, at every sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from redmax.dynamics.common.path_states import MuscleStates, PathStates
from redmax.run.force_history import ForceHistory, force_history
from redmax.run.known_samples import where_known

if TYPE_CHECKING:
    from redmax.dynamics.dynamics import Dynamics
    from redmax.run.trajectory import Trajectory

Found = TypeVar("Found", bound=PathStates)


class PathHistories:
    """The methods of a Trajectory that tell what acts along paths; arrays are (time, ..., paths), with the batch axes of the run."""

    def force(self, name: str) -> ForceHistory:
        """What a force of the scene did: points, length, tension, activation or torque, energy, power and work over time."""
        return force_history(as_run(self), name)

    @cached_property
    def paths(self) -> PathStates:
        """Length, rate, tension, power and moment arms of all forces along paths, muscles among them."""
        return at_samples(as_run(self), lambda engine, q, qdot, t: engine.paths(q, qdot, t))

    @cached_property
    def muscles(self) -> MuscleStates:
        """The same of the muscles alone, with activations, fibres and tendons; `run.muscle(name)` is one of them."""
        return at_samples(as_run(self), lambda engine, q, qdot, t: engine.muscles(q, qdot, t=t))

    def path(self, name: str) -> PathStates:
        """Of one force along a path, by its name: arrays (time, ...)."""
        return self.paths[name]

    def muscle(self, name: str) -> MuscleStates:
        """Of one muscle, by its name: arrays (time, ...)."""
        return self.muscles[name]


def at_samples(run: Trajectory, ask: Callable[[Dynamics, np.ndarray, np.ndarray, np.ndarray], Found]) -> Found:
    """What is asked of states, at all samples; not a number where a world broke off."""
    kept: list[Found] = []

    def arrays(q: np.ndarray, qdot: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, ...]:
        kept.append(ask(run.engine, q, qdot, t))
        return tuple(getattr(kept[0], name) for name in (*kept[0].arrays(), "moment_arms"))

    values = where_known(run, arrays)
    return replace(kept[0], **dict(zip((*kept[0].arrays(), "moment_arms"), values, strict=True)))


def as_run(histories: PathHistories) -> Trajectory:
    """Itself: only a Trajectory has these methods."""
    from redmax.run.trajectory import Trajectory

    assert isinstance(histories, Trajectory)
    return histories
