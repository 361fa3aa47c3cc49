"""Values that no argument of the library wants, or that only some want: what random calls put where a sensible value belongs."""

from __future__ import annotations

import datetime
import decimal
import fractions
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import redmax as rm

HUGE = 10**400
NAN, INF = float("nan"), float("inf")


class Rude:
    """Raises whatever it is asked for."""

    def __repr__(self) -> str:
        return "<Rude>"

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("no array")

    def __float__(self) -> float:
        raise RuntimeError("no float")

    def __len__(self) -> int:
        raise RuntimeError("no length")


def recursive() -> list[Any]:
    values: list[Any] = [1.0]
    values.append(values)
    return values


def looped() -> dict[Any, Any]:
    values: dict[Any, Any] = {}
    values["x"] = values
    return values


def divides(*_: Any, **__: Any) -> Any:
    return 1 / 0


def raises(*_: Any, **__: Any) -> Any:
    raise KeyError("inside a user's function")


PLAIN: list[Callable[[], Any]] = [
    lambda: None, lambda: NAN, lambda: INF, lambda: -INF, lambda: HUGE, lambda: -HUGE, lambda: -1, lambda: 0, lambda: 0.0, lambda: -0.5,
    lambda: 1e308, lambda: 1e-320, lambda: 10**30, lambda: True, lambda: 1j, lambda: "", lambda: "x", lambda: "10", lambda: "nan",
    lambda: "\0", lambda: "\udc80", lambda: "a" * 5000, lambda: b"", lambda: b"x", list, lambda: (), dict, set,
    lambda: [[]], lambda: [1, [2]], lambda: [None], lambda: [HUGE], lambda: (HUGE, 1, 0), lambda: (NAN, 0, 0), lambda: (1, 2),
    lambda: (0, 0, 0), lambda: (1, "x", 2), lambda: ["1", "2", "3"], lambda: [1, 2, 3], lambda: (1, 0, 0), lambda: np.zeros(0),
    lambda: np.zeros((0, 3)), lambda: np.zeros((3, 0)), lambda: np.eye(3), lambda: np.eye(4), lambda: np.zeros((3, 3)),
    lambda: np.zeros((4, 4)), lambda: -np.eye(3), lambda: np.full((4, 4), NAN), lambda: np.zeros((2, 3, 4)), lambda: np.array("x"),
    lambda: np.array([None, 1], object), lambda: np.array([HUGE], object), lambda: np.array([1j, 2, 3]), lambda: np.arange(3),
    lambda: np.array(["1", "2", "3"]), lambda: np.array(["2020-01-01"], "datetime64[D]"), lambda: np.float32(NAN), lambda: np.int64(-1),
    lambda: np.float64(3), lambda: np.zeros((), object), object, Rude, lambda: [Rude()], recursive, looped,
    lambda: (i for i in range(3)), lambda: range(3), lambda: iter("abc"), lambda: datetime.datetime(2020, 1, 1),
    lambda: datetime.timedelta(1), lambda: decimal.Decimal("NaN"), lambda: decimal.Decimal(1), lambda: fractions.Fraction(1, 3),
    lambda: slice(None), lambda: ..., lambda: NotImplemented, lambda: lambda: 1.0, lambda: lambda x: x,
    lambda: lambda *a: None, lambda: divides, lambda: raises, lambda: lambda *a: HUGE, lambda: lambda *a: "x", lambda: lambda *a: 1.0,
    lambda: rm, lambda: rm.Revolute, lambda: rm.Revolute("z"), lambda: rm.Sphere, lambda: rm.Sphere(0.1), lambda: rm.Scene,
    rm.Scene, lambda: rm.SpringDamper, lambda: rm.curves.Circle(1.0), lambda: rm.surfaces.Sphere(1.0), lambda: rm.State,
    lambda: rm.BodyHandle("x", 7, "x"), lambda: rm.BodyHandle(None, None, None), lambda: rm.Point(None, (0, 0, 0)),  # type: ignore[arg-type]
    lambda: rm.FrameHandle(None, None, None), lambda: rm.FrameHandle("x", rm.BodyHandle("x", 7, "x"), ((1.0,),)),  # type: ignore[arg-type]
    lambda: rm.State(0.0, np.zeros(2), np.zeros(2)), lambda: rm.State(None, None, None), lambda: Path("/nonexistent/x"),  # type: ignore[arg-type]
    lambda: Path("/"), lambda: "/nonexistent/x.h5", lambda: "/dev/null", lambda: 3, lambda: 2**63, lambda: -(2**63) - 1,
]  # fmt: skip


def nasty(draw: random.Random, depth: int = 0) -> Any:
    """A value, sometimes several of them in a list, a tuple or an array of objects."""
    if depth < 2 and draw.random() < 0.15:
        parts = [nasty(draw, depth + 1) for _ in range(draw.randrange(4))]
        form = draw.randrange(3)
        return parts if form == 0 else tuple(parts) if form == 1 else as_objects(parts)
    return draw.choice(PLAIN)()


def as_objects(parts: list[Any]) -> np.ndarray:
    found = np.empty(len(parts), object)
    for i, part in enumerate(parts):
        found[i] = part
    return found
