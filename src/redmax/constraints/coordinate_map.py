"""Hyper-reduced coordinates (RedMax notes Sec. 2.6): the joints' coordinates are functions of fewer, q_r = f(q_R).

    qdot_r = J_rR qdot_R,    qddot_r = J_rR qddot_R + Jdot_rR qdot_R

f is a constant matrix or a traced function, so that J_rR = df/dq_R and its rate are exact, and so are their derivatives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.arguments import as_array, as_floats, as_objects, as_whole, brief
from redmax.components.from_function import check_call
from redmax.errors import Phrase, SceneError
from redmax.forces.given import are_numbers
from redmax.trace import Graph, Scalar, evaluate_numeric, jacobian, jvp
from redmax.trace.vector import vector_of

ITERATIONS, HALVINGS, NEAR = 50, 30, 1e-6  # of the search for q_R, and of its steps; how far from the map a state may be
STARTS, WIDTHS = 12, (0.3, 1.0, 3.0)  # of the search, where the first leads nowhere: how many, and how far they lie from the map's own


@dataclass(frozen=True, eq=False)
class CoordinateMap:
    """function: q_R (size,) -> q_r (joints' coordinates,);  q, qdot: (size,) at the start."""

    function: Callable[[Any], Any]
    size: int
    q: np.ndarray
    qdot: np.ndarray

    @cached_property
    def inputs(self) -> dict[str, list[Scalar]]:
        """q_R, qdot_R."""
        graph = Graph()
        return {n: graph.inputs(n, self.size) for n in ("q", "qdot")}

    @cached_property
    def position(self) -> np.ndarray:
        return checked(self.function(vector(self.inputs["q"])))

    @cached_property
    def J(self) -> np.ndarray:
        """J_rR, traced, (joints' coordinates, size)."""
        return jacobian(list(self.position), self.inputs["q"])

    @cached_property
    def rate(self) -> np.ndarray:
        return rate_along(self.position, self.inputs["q"], self.inputs["qdot"])

    @cached_property
    def bias(self) -> np.ndarray:
        """Jdot_rR qdot_R."""
        return rate_along(self.rate, self.inputs["q"], self.inputs["qdot"])

    def terms(self, q: list[Any], qdot: list[Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """q_r, qdot_r, J_rR and Jdot_rR qdot_R at inputs of a trace, (size,) each."""
        position = checked(self.function(vector(q)))
        rate = rate_along(position, q, qdot)
        return position, rate, jacobian(list(position), q), rate_along(rate, q, qdot)

    def evaluate(self, what: str, **given: Any) -> np.ndarray:
        """One of the traced arrays above at numbers (..., size); `what` names it."""
        return evaluated(getattr(self, what), given)

    def coordinates(self, q_R: Any) -> np.ndarray:
        """q_r, (..., joints' coordinates)."""
        return self.evaluate("position", q=q_R)

    def rates(self, q_R: Any, qdot_R: Any) -> np.ndarray:
        """qdot_r, (..., joints' coordinates)."""
        return self.evaluate("rate", q=q_R, qdot=qdot_R)

    def inverse(self, q: np.ndarray, qdot: np.ndarray, guess: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """q_R and qdot_R of one state (joints' coordinates,), from the map's start unless there is a better guess."""
        return self.nearest(q, qdot, guess, NEAR)

    def nearest(
        self, q: np.ndarray, qdot: np.ndarray, guess: np.ndarray | None = None, within: float = NEAR
    ) -> tuple[np.ndarray, np.ndarray]:
        """q_R and qdot_R with which the map comes nearest to one state (joints' coordinates,), by the method of Gauss and Newton with steps
        that are halved where they lead away, from several places where one leads nowhere. Raises where it stays off by more."""
        found = self.sought(q, self.q if guess is None else guess)
        for k in range(0 if self.off(q, found) <= within else STARTS):
            rng = np.random.default_rng(k)
            found = min(found, self.sought(q, self.q + WIDTHS[k % len(WIDTHS)] * rng.normal(size=self.size)), key=lambda x: self.off(q, x))
            if self.off(q, found) <= within:
                break
        J = self.evaluate("J", q=found)
        if not (np.isfinite(self.coordinates(found)).all() and np.isfinite(J).all()):
            said = f"q = {np.array2string(q, threshold=8)} is not one that the scene's map gives"
            raise SceneError(f"{said}: the search for it went too far.")
        qdot_R = np.linalg.lstsq(J, qdot, rcond=None)[0]
        for name, value, given in (("q", self.coordinates(found), q), ("qdot", J @ qdot_R, qdot)):
            off = np.abs(value - given).max(initial=0.0)
            if not off <= within * (1.0 + np.abs(given).max(initial=0.0)):
                what = f"{name} = {np.array2string(given, threshold=8)} is not one that the scene's map gives"
                raise SceneError(f"{what}: the nearest that was found is {off:.3g} beside it.")
        return found, qdot_R

    def off(self, q: np.ndarray, q_R: np.ndarray) -> float:
        """How far the map is from a state there, beside its size; infinite where it is no number."""
        off = np.abs(q - self.coordinates(q_R)).max(initial=0.0) / (1.0 + np.abs(q).max(initial=0.0))
        return float(off) if np.isfinite(off) else np.inf

    def sought(self, q: np.ndarray, start: np.ndarray) -> np.ndarray:
        """q_R, from one place."""
        q_R, rounding = start.astype(float), 1e-15 * (1.0 + np.abs(q).max(initial=0.0))
        off = q - self.coordinates(q_R)
        for _ in range(ITERATIONS):
            J = self.evaluate("J", q=q_R)
            if not (np.isfinite(off).all() and np.isfinite(J).all()) or np.abs(off).max(initial=0.0) <= rounding:
                break
            step, size = np.linalg.lstsq(J, off, rcond=None)[0], float(np.linalg.norm(off))
            for _ in range(HALVINGS):
                there = q - self.coordinates(q_R + step)
                if np.linalg.norm(there) < size:
                    break
                step = 0.5 * step
            else:
                break
            q_R, off = q_R + step, there
        return q_R


def evaluated(traced: np.ndarray, given: dict[str, Any]) -> np.ndarray:
    """(..., *traced.shape) from inputs with common leading axes."""
    lead = np.broadcast_shapes(*[np.shape(x)[:-1] for x in given.values()])
    values = evaluate_numeric(list(traced.ravel()), lambda base, index: np.asarray(given[base], float)[..., index])
    spread = [np.broadcast_to(np.asarray(v, float), lead) for v in values]
    return np.stack(spread, axis=-1).reshape(*lead, *traced.shape) if spread else np.zeros((*lead, *traced.shape))


def rate_along(values: np.ndarray, inputs: list[Scalar], direction: list[Scalar]) -> np.ndarray:
    return vector(jvp(list(values), dict(zip(inputs, direction, strict=True))))


def vector(entries: Any) -> np.ndarray:
    return vector_of(entries)


def checked(value: Any) -> np.ndarray:
    array = vector(value) if isinstance(value, list | tuple) else as_objects(value)
    if array.ndim != 1 or not are_numbers(array):
        got = f"shape {array.shape}" if array.ndim != 1 else brief(value)
        raise SceneError(
            f"The function of a map must return one number for each coordinate of the joints. Got {got}.", owner="set_map", argument="map"
        )
    return array


def coordinate_map(given: Any, size: int | None, q: Any, qdot: Any) -> CoordinateMap:
    """A map from a matrix (joints' coordinates, size), from one column of it, or from a function."""
    function, size = (given, size) if callable(given) else linear(given, size)
    check_call("The map of set_map: the function", function, ("q_R",), {}, owner="set_map", argument="map")
    if size is None or as_whole(size, 1) is None:
        raise SceneError(
            f"set_map needs coordinates=N, the number of entries that its function takes, from 1 up. Got {brief(size)}.",
            owner="set_map",
            argument="coordinates",
        )
    start = [np.zeros(size) if x is None else at_least_one(name, x) for name, x in (("q", q), ("qdot", qdot))]
    for name, x in zip(("q", "qdot"), start, strict=True):
        if x.shape != (size,) or not np.isfinite(x).all():
            raise SceneError(
                f"{name} of set_map must be {size} finite numbers, one for each coordinate of the map. Got {x.tolist()}.",
                owner="set_map",
                argument=name,
            )
    return CoordinateMap(function, size, start[0], start[1])


def at_least_one(name: str, value: Any) -> np.ndarray:
    found = as_floats(value)
    if found is None:
        raise SceneError(f"{name} of set_map must be numbers. Got {brief(value)}.", owner="set_map", argument=name)
    return np.atleast_1d(found)


def linear(given: Any, size: int | None) -> tuple[Callable[[Any], Any], int]:
    """q_R -> matrix q_R."""
    matrix = at_least_one(Phrase("the matrix", "map"), given)
    matrix = matrix[:, None] if matrix.ndim == 1 else matrix
    if matrix.ndim != 2 or not np.isfinite(matrix).all() or not (size is None or as_whole(size) == matrix.shape[1]):
        expected = "finite numbers, (coordinates of the joints, coordinates of the map)"
        raise SceneError(
            f"The matrix of set_map must be {expected}. Got shape {as_array(given).shape}, coordinates={brief(size)}.",
            owner="set_map",
            argument="map",
        )
    return lambda q_R: matrix @ q_R, matrix.shape[1]
