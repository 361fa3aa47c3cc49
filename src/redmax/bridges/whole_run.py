"""An objective of a whole run, `redmax.gradient`, as a function of arrays: what it is by, with leading axes for batches."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from redmax.arguments import brief
from redmax.design.gradients import Gradient
from redmax.errors import SceneError

TORQUES = "tau"


class WholeRun:
    """shapes: of what a gradient is by, by name, in one world. Torques are (steps, nv)."""

    def __init__(self, gradient: Gradient) -> None:
        if not isinstance(gradient, Gradient):
            raise SceneError(f"objective takes what redmax.gradient returns. Got {brief(gradient)}.", argument="gradient")
        self.gradient, model = gradient, gradient.model
        if "q" in gradient.by and model.nq != model.nv:
            why = "slopes by q are along velocities, of which a joint on a group has fewer than coordinates"
            raise SceneError(f"An objective by 'q' of this scene cannot cross a bridge: {why}. Take g.flat.", argument="gradient")
        self.shapes = dict(gradient.sizes) | {name: x.shape for name, x in gradient.defaults.items()}

    def __repr__(self) -> str:
        return f"objective of {self.gradient!r}"

    def given(self, named: Mapping[str, Any], parameters: Mapping[str, Any] | None) -> dict[str, Any]:
        """What is given, in the order of what the gradient is by."""
        found = {**named, **(parameters or {})}
        for name in found:
            if name not in self.shapes:
                said = f"The gradient is not by {name!r}, but by {', '.join(self.shapes)}"
                raise SceneError(f"{said}. Make it with redmax.gradient(..., by=[..., {name!r}]).", argument=str(name))
        return {name: found[name] for name in self.shapes if found.get(name) is not None}

    def lead(self, name: str, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The leading axes of an array of this shape; raises where the others are wrong."""
        own = self.shapes[name]
        lead = shape[: len(shape) - len(own)]
        if shape[len(lead) :] != own or len(shape) < len(own):
            valid = f"({', '.join(['...', *map(str, own)])})"
            raise SceneError(f"{name} must have shape {valid} for this run. Got {shape}.", argument=name, got=str(shape), expected=valid)
        return lead

    def arguments(self, arrays: Mapping[str, np.ndarray]) -> tuple[tuple[int, ...], dict[str, Any]]:
        """The leading axes of a batch, and how a gradient is called: worlds in one axis, behind that of steps."""
        lead = np.broadcast_shapes(*[self.lead(name, x.shape) for name, x in arrays.items()])
        spread = {name: np.broadcast_to(x, (*lead, *self.shapes[name])) for name, x in arrays.items()}
        spread = {name: x.reshape(as_row(lead) + self.shapes[name]) for name, x in spread.items()}
        if TORQUES in spread:
            spread[TORQUES] = np.moveaxis(spread[TORQUES], -2, 0)
        own = {name: x for name, x in spread.items() if name in ("q", "qdot", TORQUES)}
        return lead, own | {"parameters": {name: x for name, x in spread.items() if name not in own}}

    def value(self, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
        """(...)"""
        lead, given = self.arguments(arrays)
        return np.asarray(self.gradient.value(**given), float).reshape(lead)

    def value_and_slopes(
        self, arrays: Mapping[str, np.ndarray], out: Mapping[str, np.ndarray] | None = None
    ) -> tuple[np.ndarray, list[np.ndarray]]:
        """(...), and for each array one of its slopes, with these axes in front. out: where they are written, arrays in one piece"""
        lead, given = self.arguments(arrays)
        for name in arrays:
            if self.gradient.sizes[name] != self.shapes[name]:
                said = f"Slopes by {name!r} are along motions of its poses, and cannot cross a bridge"
                raise SceneError(f"{said}. Take redmax.gradient itself.", argument=name)
        out = out or {}
        slopes = [out[name] if name in out else np.empty(lead + self.shapes[name]) for name in arrays]
        rooms = {name: x.reshape(as_row(lead) + self.shapes[name]) for name, x in zip(arrays, slopes, strict=True)}
        if TORQUES in rooms:
            rooms[TORQUES] = np.moveaxis(rooms[TORQUES], -2, 0)  # what a run finds step by step is written where it belongs
        return np.asarray(self.gradient(**given, out=rooms).value, float).reshape(lead), slopes


def as_row(lead: tuple[int, ...]) -> tuple[int, ...]:
    """All worlds in one axis, if there are some."""
    return (math.prod(lead),) if lead else ()
