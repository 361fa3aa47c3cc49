"""Functions that a user gives for a link, checked where they are called: torques, motions, and the wrenches on a body as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from redmax.arguments import as_objects, brief
from redmax.errors import SceneError
from redmax.forces.given import are_numbers
from redmax.lie.three import cross
from redmax.model.links import Link, Wrench


@lru_cache(maxsize=4096)
def sized_cached(function: Callable[..., Any], dof: int, name: str, what: str) -> Callable[..., Any]:
    """A user's function of time (and state), whose result is checked to be so many numbers."""

    def checked(*args: Any) -> np.ndarray:
        given = function(*args)
        value = as_objects(given)
        if value.size != dof or value.ndim > 1 or not are_numbers(value):
            got = f"shape {value.shape}" if value.size != dof or value.ndim > 1 else brief(given)
            raise SceneError(
                f"The {what} function of body {name!r} must return {dof} number{'s' * (dof != 1)}. Got {got}.", owner=name, argument=what
            )
        return value.reshape(dof)

    return checked


def sized(function: Callable[..., Any], link: Link, what: str) -> Callable[..., Any]:
    """A motion gives coordinates, all else a number for each velocity."""
    n = link.joint.nq if what == "motion" and link.motion_level == "position" else link.joint.dof
    return sized_cached(function, n, link.name, what)


def body_wrench(acting: Sequence[Wrench], t: Any) -> Any:
    """The sum (6,) at the body's origin, in body axes, of wrenches given in body axes."""
    total = np.zeros(6).astype(object)
    for w in acting:
        value = w.value(t)
        total = total + value + np.concatenate([np.array(cross(list(w.point), list(value[3:])), object), np.zeros(3)])
    return total


def world_wrench(acting: Sequence[Wrench], t: Any) -> Any:
    """Rows (torque, force, point) of wrenches given in world axes; the point is in the body frame."""
    return np.array([[*w.value(t), *w.point] for w in acting], object)
