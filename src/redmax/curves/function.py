"""A curve from one function of its parameter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from redmax.curves.base import ParametricCurve, checked_domain
from redmax.errors import SceneError


class Curve(ParametricCurve):
    """x = function(s, **parameters), (3,) (m). domain: (low, high) of s; the parameters are data that curves of this kind may differ in."""

    def __init__(self, function: Callable[..., Any], domain: Any = None, **parameters: Any) -> None:
        if not callable(function):
            raise SceneError(f"curves.Curve takes a function s -> point (3,). Got {function!r}.")
        self.function, self.names = function, tuple(parameters)
        self.bounds = np.array(checked_domain("curves.Curve", domain))  # data, so that curves over other domains share kernels
        for name, value in parameters.items():
            setattr(self, "parameter_" + name, np.asarray(value, float) if np.ndim(value) else float(value))
        shape = np.shape(np.asarray(self.point(self.sample(3)[1]), object))
        if shape != (3,):
            raise SceneError(f"curves.Curve: the function returns an array of shape {shape}, expected a point (3,).")

    @property
    def domain(self) -> tuple[float, float]:
        low, high = self.bounds
        return float(low), float(high)

    def point(self, s: Any) -> Any:
        return np.asarray(self.function(s, **{n: getattr(self, "parameter_" + n) for n in self.names}))
