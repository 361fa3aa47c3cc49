"""A curve from one function of its parameter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from redmax.arguments import brief
from redmax.components.from_function import FromFunction
from redmax.components.given import CalledWith, Interval, Parameter
from redmax.curves.base import ParametricCurve, check_point, checked_domain, returned
from redmax.errors import SceneError
from redmax.trace.blame import Blaming
from redmax.types import ValueOrArray


class Curve(FromFunction, ParametricCurve):
    """A curve from one function: x = function(s, **parameters), (3,) (m).

    domain: (low, high) of s
    The parameters are data that curves of this kind may differ in.
    """

    @Blaming()
    def __init__(
        self, function: Annotated[Callable[..., Any], CalledWith(s=())], domain: Interval | None = None, **parameters: Parameter
    ) -> None:
        if not callable(function):
            raise SceneError(
                f"curves.Curve takes a function s -> point (3,). Got {brief(function)}.", owner="curves.Curve", argument="function"
            )
        self.hold("curves.Curve", function, ("s",), parameters)
        self.bounds = np.array(checked_domain("curves.Curve", domain))  # data, so that curves over other domains share kernels
        check_point("curves.Curve", self.point, self.sample(3)[1])

    @property
    def domain(self) -> tuple[float, float]:
        low, high = self.bounds
        return float(low), float(high)

    def point(self, s: ValueOrArray) -> Any:
        return returned("curves.Curve", self.function(s, **self.parameters))
