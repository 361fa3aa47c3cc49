"""An objective of a whole run, `redmax.gradient`, as a function of arrays: what it is by, with leading axes for batches."""

from __future__ import annotations

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

    def arguments(self, arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
        """As a gradient is called: steps come first."""
        lead = np.broadcast_shapes(*[self.lead(name, x.shape) for name, x in arrays.items()])
        spread = {name: np.broadcast_to(x, (*lead, *self.shapes[name])) for name, x in arrays.items()}
        if TORQUES in spread:
            spread[TORQUES] = np.moveaxis(spread[TORQUES], -2, 0)
        own = {name: x for name, x in spread.items() if name in ("q", "qdot", TORQUES)}
        return own | {"parameters": {name: x for name, x in spread.items() if name not in own}}

    def value(self, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
        """(...)"""
        return np.asarray(self.gradient.value(**self.arguments(arrays)), float)

    def value_and_slopes(self, arrays: Mapping[str, np.ndarray]) -> tuple[np.ndarray, list[np.ndarray]]:
        """(...), and for each array one of its slopes, with these axes in front."""
        found = self.gradient(**self.arguments(arrays))
        value = np.asarray(found.value, float)
        slopes = [np.moveaxis(found.by[name], 0, -2) if name == TORQUES else found.by[name] for name in arrays]
        for name, slope in zip(arrays, slopes, strict=True):
            if slope.shape != (*value.shape, *self.shapes[name]):
                said = f"Slopes by {name!r} are along motions of its poses, and cannot cross a bridge"
                raise SceneError(f"{said}. Take redmax.gradient itself.", argument=name)
        return value, [np.asarray(slope, order="C") for slope in slopes]
