"""Runs as bytes, for other processes: the scene as text, for functions have no bytes, and the samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import lru_cache
from typing import Any

import numpy as np

from redmax.dynamics.dynamics import Dynamics
from redmax.errors import RedmaxError
from redmax.model.model import Model
from redmax.results.contact_rows import gathered_fields
from redmax.results.scene_text import model_from, prescribed, scene_text
from redmax.run.quantities import held
from redmax.run.trajectory import Trajectory


def pickled(run: Trajectory) -> tuple[Callable[..., Trajectory], tuple[Any, ...]]:
    """What `__reduce__` returns."""
    text, missing = scene_text(run.model)
    if missing:
        raise RedmaxError(f"The run cannot be pickled, since its scene cannot be saved: {missing}")
    given = {f.name: getattr(run, f.name) for f in fields(Trajectory) if f.name not in ("model", "engine")}
    given |= {name: None if given[name] is None else np.asarray(given[name]) for name in ("t", "nearby", *held())}
    given |= gathered_fields(run)
    return restored, (text, tuple(prescribed(run.model)), run.engine.backend, run.engine.dtype, given, run.engine.given)


def restored(
    text: str, joints: tuple[str, ...], backend: str, dtype: str, given: Mapping[str, Any], parameters: Mapping[str, Any]
) -> Trajectory:
    engine = Dynamics(known_model(text, joints), backend, dtype, parameters)
    return Trajectory(model=engine.model, engine=engine, **given)


@lru_cache(maxsize=16)
def known_model(text: str, joints: tuple[str, ...]) -> Model:
    """Many runs of one scene come as often as runs of many scenes."""
    return model_from(text, list(joints))
