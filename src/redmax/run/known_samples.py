"""Runs in which some worlds broke off: what can be computed of the samples that are there, and each world by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory


def where_known(run: Trajectory, function: Callable[..., Any], *more: np.ndarray) -> Any:
    """function(q, qdot, t, *more) of all samples, whose result is an array, or a tuple, a dictionary or a dataclass of such (time, ..., n).

    Where a world broke off, another sample that is known is asked for instead, and its result is not a number.
    """
    arrays = [run.configurations, run.qdot, run.times, *more]
    if not run.failures:
        return function(*arrays)
    known = known_of(run)

    def among(a: np.ndarray, other: Any) -> np.ndarray:
        return np.where(known.reshape(*known.shape, *[1] * (a.ndim - known.ndim)), a, other).astype(a.dtype, copy=False)

    some = np.unravel_index(int(known.argmax()), known.shape)
    found: Any = function(*[among(np.asarray(a), np.asarray(a)[some]) for a in arrays])
    if is_dataclass(found):
        whole: Any = replace(found, **{f.name: among(getattr(found, f.name), np.nan) for f in fields(found)})  # type: ignore[type-var]
        return whole
    if isinstance(found, dict):
        return {name: among(x, np.nan) for name, x in found.items()}
    return tuple(among(x, np.nan) for x in found) if isinstance(found, tuple) else among(found, np.nan)


def of_world(run: Trajectory, index: tuple[int, ...]) -> Trajectory:
    """One world, or a smaller batch, with the failures that are its own; a world that broke off ends with its last sample."""
    index = tuple(i % n for i, n in zip(index, run.q.shape[1:], strict=False))
    part = run.part((slice(None), *index))
    own = tuple(replace(f, world=f.world[len(index) :]) for f in run.failures if f.world[: len(index)] == index)
    part = replace(part, failures=own)
    if not own or part.q.ndim > 2:
        return part
    count = max(int(known_of(part).sum()), 1)
    steps = own[0].steps if run.integrator == "adaptive" else (count - 1) * int(run.settings.get("every", 1))
    return replace(part[:count], failures=(), complete=False, steps=steps, failure=replace(own[0], samples=count))


def known_of(run: Trajectory) -> np.ndarray:
    """(time, ...): whether the samples are there, as they are of each world until it broke off."""
    return np.asarray(np.isfinite(run.q).all(axis=-1) & np.isfinite(run.qdot).all(axis=-1))
