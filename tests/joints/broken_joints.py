"""Joints with one thing wrong, each with where that is and how large: known from how they are made, not from any check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import redmax as rm
from redmax.math import absolute, array, atan2, cos, floor, frozen, log, maximum, minimum, norm, sin, sqrt, where

ONE = np.eye(3)
C = np.sqrt(2) - 1  # a place that no grid meets
D = -np.cbrt(3)


def at(x: Any = 0.0, y: Any = 0.0, z: Any = 0.0) -> Any:
    """A translation."""
    return rm.pose(ONE, array([x, y, z]))


def turned(angle: Any, axis: str = "z") -> Any:
    return rm.pose(rm.rotation_about(axis, angle), np.zeros(3))


@dataclass(frozen=True)
class Broken:
    """says: the message, with # where it states the size; places: of the defects, with None for coordinates that may be any."""

    name: str
    function: Callable[..., Any]
    dof: int
    says: str
    places: tuple[tuple[float | None, ...], ...] = ()
    size: float | None = None


def stretched(q):
    return rm.pose((1.0 + 0.01 * cos(q[0])) * rm.rotation_about("z", q[0]), np.zeros(3))


def sheared(q):
    return rm.pose(array([[1.0, 0.3, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), array([q[0], 0.0, 0.0]))


def mirrored(q):
    return rm.pose(rm.rotation_about("z", q[0]) @ np.diag([1.0, 1.0, -1.0]), np.zeros(3))


def last_row(q):
    E = np.array(turned(q[0]), object)
    E[3, 1] = 0.25 * cos(q[0])
    return E


def turned_about(q: Any) -> Any:
    """Rodrigues' formula as in textbooks: it divides by the angle."""
    angle = norm(q)
    n = rm.lie.so3.bracket(q / angle)
    return rm.pose(ONE + sin(angle) * n + (1.0 - cos(angle)) * (n @ n), np.zeros(3))


def cone(q):
    return at(q[0], q[1], 0.7 * norm(q - array([C, D])))


def flipping(q):
    """Along a cubic with a cusp: its tangent turns round there."""
    x, y = 2.0 * (q[0] - C), 3.0 * (q[0] - C) ** 2
    length = sqrt(x * x + y * y)
    x, y = x / length, y / length
    return rm.pose(array([[x, -y, 0.0], [y, x, 0.0], [0.0, 0.0, 1.0]]), array([(q[0] - C) ** 2, (q[0] - C) ** 3, 0.0]))


def spike(q):
    return at(q[0], where(absolute(q[0] - C) < 1e-6, 0.5, 0.0))


def dependent(q):
    """Three rotations, of which the first two have the same axis."""
    return rm.pose(rm.rotation_about("z", q[0] - 2.0 * q[1]) @ rm.rotation_about("x", q[2]), np.zeros(3))


def screws(q):
    """Turn, climb, and a screw that does both."""
    return rm.pose(rm.rotation_about("z", q[0] + q[2]), array([0.0, 0.0, q[1] + 0.2 * q[2]]))


def sphere(q):
    """A point on a sphere, by longitude and latitude."""
    return at(2.0 * cos(q[1]) * cos(q[0]), 2.0 * cos(q[1]) * sin(q[0]), 2.0 * sin(q[1]))


def euler(order: str) -> Callable[[Any], Any]:
    def transform(q):
        R = ONE
        for axis, angle in zip(order, q):
            R = R @ rm.rotation_about(axis, angle)
        return rm.pose(R, np.zeros(3))

    return transform


QUARTERS = ((None, np.pi / 2), (None, -np.pi / 2))

ERRORS = (
    Broken("stretched", stretched, 1, "not orthonormal.*differs from 1 by #", ((0.0,),), 0.0201),
    Broken("sheared", sheared, 1, "not orthonormal.*differs from 1 by #", (), 0.3),
    Broken("mirrored", mirrored, 1, "reflection.*det R = -1"),
    Broken("last row", last_row, 1, r"last row of its pose is \(0, 0.25, 0, 1\).*by #", ((0.0,),), 0.25),
    Broken("nothing", lambda q: at(q[0], log(q[0] - 2.5)), 1, "pose is not finite.*domain"),
    Broken("root at zero", lambda q: at(q[0], q[1], norm(q)), 2, "S is not finite", ((0.0, 0.0),)),
    Broken("rodrigues", turned_about, 3, "pose is not finite", ((0.0, 0.0, 0.0),)),
    Broken("pole", lambda q: at(q[0], 0.01 / (q[0] - C)), 1, "pose grows without end", ((C,),)),
    Broken("upright", lambda q: at(q[0], where(q[0] < C, -1.0, 1.0) * sqrt(absolute(q[0] - C))), 1, "S grows without end", ((C,),)),
    Broken("sharp", lambda q: at(q[0], absolute(q[0] - C) ** 1.5), 1, "dS/dq grows without end", ((C,),)),
    Broken("steps", lambda q: at(q[0], 0.0, 0.3 * floor(q[0] / 4.0 - C)), 1, "pose jumps.*by # in position", ((4 * C,), (4 * C - 4,)), 0.3),
    Broken("branch", lambda q: turned(where(q[0] < D, q[0], q[0] + 0.2)), 1, "pose jumps.*by # rad", ((D,),), 0.2),
    Broken("cut", lambda q: at(0.1 * atan2(sin(q[0] + C), cos(q[0] + C))), 1, "pose jumps.*by # in position", ((np.pi - C,),), 0.2 * np.pi),
    Broken("cusp", flipping, 1, "pose jumps.*by # rad", ((C,),), np.pi),
    Broken("spike", spike, 1, "pose jumps.*by # in position", ((C - 1e-6,), (C + 1e-6,)), 0.5),
    Broken("kink", lambda q: at(q[0], 0.4 * absolute(q[0] - C)), 1, "corner.*linear velocity for q.0. jumps by #", ((C,),), 0.8),
    Broken("bend", lambda q: turned(where(q[0] < D, q[0], 3 * q[0] - 2 * D)), 1, "corner.*angular velocity.*jumps by #", ((D,),), 2.0),
    Broken("stop", lambda q: at(q[0], maximum(q[0], C)), 1, "corner.*jumps by #", ((C,),), 1.0),
    Broken("roof", lambda q: at(q[0], q[1], 0.5 * minimum(q[0] - C, 0.0)), 2, "corner.*for q.0. jumps by #", ((C, None),), 0.5),
    Broken("cone", cone, 2, "corner.*jumps by #", ((C, D),), 1.4),
    Broken("hidden", lambda q: at(q[0] + frozen(0.3 * sin(q[0]))), 1, "frozen"),
    Broken("idle", lambda q: turned(q[0]), 2, r"q\[1\] moves nothing"),
    Broken("twice", lambda q: turned(q[0] + q[1]), 2, r"q\[0\] and q\[1\] do not move independently"),
    Broken("dependent", dependent, 3, r"q\[0\] and q\[1\] do not move independently"),
    Broken("screws", screws, 3, r"q\[0\], q\[1\] and q\[2\] do not move independently"),
)

WARNINGS = (
    Broken("sphere", sphere, 2, "S is singular", QUARTERS),
    Broken("xyz", euler("xyz"), 3, "S is singular", tuple((*place, None) for place in QUARTERS)),
    Broken("zyz", euler("zyz"), 3, "S is singular", ((None, 0.0, None), (None, np.pi, None), (None, -np.pi, None))),
    Broken("slow", lambda q: at((q[0] - C) ** 3), 1, "S is singular", ((C,),)),
    Broken("turning back", lambda q: at(cos(q[0] - 0.5 * D)), 1, "S is singular", ((0.5 * D,), (0.5 * D + np.pi,))),
    Broken("at zero", lambda q: at(where(q[0] == 0.0, 0.0, q[0])), 1, "S is singular at", ((0.0,),)),
    Broken("flat", lambda q: at(where(q[0] < C, 0.0, (q[0] - C) ** 3)), 1, "S is singular in [5-6][0-9] % of its domain"),
    Broken("arc", lambda q: at(q[0], where(q[0] < C, 0.0, 0.6 * (q[0] - C) ** 2)), 1, "twice.*jumps by #", ((C,),), 1.2),
    Broken("twist", lambda q: turned(q[0] + 0.1 * maximum(q[0] - C, 0.0) ** 2), 1, "twice.*angular.*jumps by #", ((C,),), 0.2),
    Broken("trough", lambda q: at(q[0], q[1], where(q[1] < D, 0.0, 0.6 * (q[1] - D) ** 2)), 2, "twice.*jumps by #", ((None, D),), 1.2),
    Broken("blemish", lambda q: at(q[0], 1e-4 * absolute(q[0] - C)), 1, "corner.*jumps by #", ((C,),), 2e-4),
)
