"""The three curves that a muscle has, as one object.

Each is a function of one number, made of Python's operators, NumPy or redmax.math: floats in, floats out; traced scalars alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from redmax.arguments import as_array, as_float, brief
from redmax.components.from_function import check_call
from redmax.components.given import CalledWith
from redmax.errors import SceneError, wrong
from redmax.trace import Graph, is_traced
from redmax.trace.blame import Blaming
from redmax.types import ValueOrArray

Function = Callable[[Any], Any]
NODES, WEIGHTS = np.polynomial.legendre.leggauss(20)


@dataclass(frozen=True)
class Integral:
    """The integral of a function from 1 to x by a Gauss rule: exact for polynomials, good where the function bends nowhere sharply."""

    function: Function

    def __call__(self, x: Any) -> Any:
        half = 0.5 * (x - 1.0)
        total: Any = 0.0
        for node, weight in zip(NODES.tolist(), WEIGHTS.tolist()):
            total = total + weight * self.function(1.0 + (1.0 + node) * half)
        return half * total


@dataclass(frozen=True, repr=False)
class Curves:
    """The curves of a muscle, each a function of one number.

    active_length, passive_length: f_L and f_P, of the fibre length over the optimal one
    velocity: f_V, of the velocity over the largest one, positive when lengthening
    passive_energy: the integral of f_P, found by quadrature from 1 on unless it is given
    """

    active_length: Annotated[Function, CalledWith(x=())]
    velocity: Annotated[Function, CalledWith(x=())]
    passive_length: Annotated[Function, CalledWith(x=())]
    passive_energy: Annotated[Function, CalledWith(x=())] | None = None
    name: str = "own"

    def __post_init__(self) -> None:
        for what in ("active_length", "velocity", "passive_length", "passive_energy"):
            function = getattr(self, what)
            if what != "passive_energy" or function is not None:
                check_curve(what, function)

    def energy(self, x: ValueOrArray) -> Any:
        """The integral of f_P up to the normalised length x: the energy that the fibres store, over f_opt l_opt."""
        return (self.passive_energy or Integral(self.passive_length))(x)

    def __repr__(self) -> str:
        return f"Curves({self.name!r})"


@Blaming()
def check_curve(argument: str, function: Any) -> None:
    """Raise unless the function maps one number to one finite number, and a traced scalar to such."""
    said, parts = f"Curves: {argument}", {"owner": "Curves", "argument": argument}
    if not callable(function):
        raise wrong("Curves", argument, function, "a function of one number")
    check_call(said, function, ("x",), {}, **parts)
    for x in (0.0, 0.7, 1.0, 1.5):
        value: Any = function(x)
        found = as_float(value) if as_array(value).shape == () and as_array(value).dtype.kind in "fiub" else None
        if found is None or not np.isfinite(found):
            raise SceneError(f"{said} gives {brief(value)} at {x:g}, expected one finite number.", **parts)
    traced: Any = function(Graph().input("x", 0))
    if not is_traced(traced) and np.shape(traced) != ():
        shape = np.shape(traced)
        raise SceneError(f"{said} gives an array of shape {shape} for a traced number, expected one number.", **parts)
