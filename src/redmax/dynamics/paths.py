"""The functions of `Dynamics` that tell what forces along paths do at states: lengths, tensions, moment arms, fibres of muscles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_numbers, brief
from redmax.dynamics.common.force_report import States
from redmax.dynamics.common.path_states import MuscleStates, PathStates, muscle_states, muscles_of, path_states
from redmax.dynamics.kinematics import Kinematics
from redmax.dynamics.sweep import Sweep, sweep
from redmax.errors import SceneError, unknown
from redmax.types import Given

Activations: TypeAlias = ArrayLike | Mapping[str, ArrayLike] | None  # (..., muscles), or by name, (...) each


class Paths(Kinematics):
    """Those functions."""

    def paths(self, q: ArrayLike, qdot: Given = None, t: ArrayLike = 0.0) -> PathStates:
        """Length, rate, tension, power and moment arms of all forces along paths, at states (..., n); qdot is zero unless given.

        Activations of muscles are part of qdot where they follow an excitation. q and qdot may also be those of the joints alone:
        activations are then those that the scene begins with.
        """
        return path_states(self, states_at(self, q, qdot, t))

    def muscles(self, q: ArrayLike, qdot: Given = None, activation: Activations = None, t: ArrayLike = 0.0) -> MuscleStates:
        """What `paths` has, of muscles alone, with their fibres and tendons.

        activation: one for all, (..., muscles), or by name, (...) each, from 0 to 1, instead of those of the state
        """
        given = activations_of([str(force.name) for force in muscles_of(self.model)], activation)
        states = states_at(self, q, qdot, t, np.broadcast_shapes(*[x.shape for x in given.values()]))
        return muscle_states(self, states, given)

    def sweep(
        self,
        over: str,
        between: ArrayLike | None = None,
        count: int = 181,
        q: ArrayLike | None = None,
        activation: Activations = None,
        t: float = 0.0,
    ) -> Sweep:
        """What paths and muscles do while one coordinate goes over a range, and all else rests.

        over: the joint, or its body, or one of several coordinates: "knee", "hip.q1"; between: (lower, upper), or the joint's limits
        q: (nq,) where the others are, where the scene begins unless given; activation: as of `muscles`
        """
        return sweep(self, over, between, count, q, activation, t)


def states_at(dynamics: Kinematics, q: ArrayLike, qdot: Given, t: ArrayLike, lead: tuple[int, ...] = ()) -> States:
    """Of plain arrays. lead: leading axes that the result has beside theirs."""
    model, joints = dynamics.model, len(dynamics.model.bodies)
    still = np.zeros(int(model.offsets[joints])) if qdot is None else qdot
    given = {"q": completed(q, "q", model.q0, int(model.q_offsets[joints]))}
    given |= {"qdot": completed(still, "qdot", model.qdot0, int(model.offsets[joints]))}
    shape, arrays = dynamics.arrays(**given, t=t)
    whole = np.broadcast_shapes(shape, lead)
    spread = [np.broadcast_to(x if x.ndim == 1 else x.reshape(*shape, x.shape[-1]), (*whole, x.shape[-1])) for x in arrays[:3]]
    q, qdot, time = spread[0], spread[1], spread[2][..., 0]
    return States(dynamics.observe_bodies(q, qdot, time), q, qdot, time)


def completed(value: ArrayLike, name: str, initial: np.ndarray, joints: int) -> np.ndarray:
    """(..., n): of all that the model has, where only those of the joints are given. initial: of all, where the scene begins."""
    found = as_numbers(value, name, "float64")
    if found.shape[-1:] != (joints,) or joints == len(initial):
        return found
    return np.concatenate([found, np.broadcast_to(initial[joints:], (*found.shape[:-1], len(initial) - joints))], axis=-1)


def activations_of(names: Sequence[str], given: Activations) -> dict[str, np.ndarray]:
    """(...) by the name of the muscle, of what a user gives: for all, or by name."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        found = {name: as_numbers(value, f"activation of {brief(name)}", "float64") for name, value in given.items()}
    else:
        array = as_numbers(given, "activation", "float64")
        array = np.full(len(names), array) if array.ndim == 0 else array
        if array.shape[-1:] != (len(names),):
            valid = f"(..., {len(names)})"
            raise SceneError(
                f"activation must have shape {valid}, a number for each muscle, or be a dictionary by name. Got {array.shape}.",
                argument="activation", got=str(array.shape), expected=valid,
            )  # fmt: skip
        found = {name: array[..., k] for k, name in enumerate(names)}
    for name, value in found.items():
        if name not in names:
            raise SceneError(unknown("muscle", name, list(names)), argument="activation")
        outside = ~((value >= 0) & (value <= 1))
        if outside.any():
            raise SceneError(
                f"Muscle {name!r}: activation is {value[outside].flat[0]:g}, expected numbers from 0 to 1.", argument="activation"
            )
    return found
