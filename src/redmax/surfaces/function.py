"""A surface from one function of its two parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from redmax.arguments import brief
from redmax.components.from_function import FromFunction
from redmax.components.given import CalledWith, Intervals, Parameter
from redmax.curves.base import check_point, checked_domain, returned
from redmax.errors import SceneError, wrong
from redmax.surfaces.base import ParametricSurface
from redmax.trace.blame import Blaming
from redmax.types import ValueOrArray


class Surface(FromFunction, ParametricSurface):
    """A surface from one function: x = function(u, v, **parameters), (3,) (m).

    domain: None or ((low, high), (low, high)) of u and v, None for all numbers
    The parameters are data that surfaces of this kind may differ in. The normal x_u x x_v must point out of the body.
    """

    @Blaming()
    def __init__(
        self, function: Annotated[Callable[..., Any], CalledWith(u=(), v=())], domain: Intervals | None = None, **parameters: Parameter
    ) -> None:
        if not callable(function):
            raise SceneError(
                f"surfaces.Surface takes a function (u, v) -> point (3,). Got {brief(function)}.",
                owner="surfaces.Surface",
                argument="function",
            )
        self.hold("surfaces.Surface", function, ("u", "v"), parameters)
        sides: Any = (None, None) if domain is None else domain
        try:
            given_u, given_v = sides
        except Exception:
            raise wrong("surfaces.Surface", "domain", domain, "((low, high), (low, high)) of u and v") from None
        self.bounds = np.array([checked_domain("surfaces.Surface", given) for given in (given_u, given_v)])
        check_point("surfaces.Surface", self.point, *[float(np.clip(0.3, low, high)) for low, high in self.domain])

    @property
    def domain(self) -> tuple[tuple[float, float], tuple[float, float]]:
        (a, b), (c, d) = self.bounds.tolist()
        return (a, b), (c, d)

    def point(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        return returned("surfaces.Surface", self.function(u, v, **self.parameters))
