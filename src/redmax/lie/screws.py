"""Screws: a line, and how far one moves along it for each turn about it.

    X = (e; p x e + h e)       e unit, p any point of the line, h the pitch (m/rad);       X = (0; e) for h = infinity, a translation

(Mueller and Terze, Geometric methods and formulations, Eqs. 14-15.) exp(X q) is the motion by q (rad, m of a translation). The other way,
a twist is a magnitude times a screw: e = w/|w|, h = w.v/|w|^2, p = w x v/|w|^2, the point of the line nearest to the origin.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from redmax.errors import RedmaxError, SceneError, brief
from redmax.lie.so3 import AXES
from redmax.lie.three import cross, dot, plus, split
from redmax.math import array, less, sqrt, where
from redmax.types import Array, ValueOrArray, Vector

NO_TURN = 1e-200  # |w|^2, below which a twist is a translation


class Screw(NamedTuple):
    """What a twist is made of: magnitude * screw(axis, point, pitch).

    axis: (..., 3) unit, z of no motion at all; point: (..., 3) of its line, the nearest to the origin; pitch: (...) m/rad, inf of a
    translation; magnitude: (...) rad/s, m/s of a translation
    """

    axis: np.ndarray
    point: np.ndarray
    pitch: Any
    magnitude: Any


def screw(axis: ArrayLike, point: Vector = (0.0, 0.0, 0.0), pitch: ValueOrArray = 0.0) -> np.ndarray:
    """The unit screw (..., 6), angular first, about a line.

    axis: along it, "x", "y", "z" (with a sign if wanted) or a 3-vector of any length but zero; point: (..., 3), any of the line (m)
    pitch: m/rad; 0 of a rotation, inf of a translation, which has no place
    """
    try:
        e, p = unit(direction(axis)), split(np.asarray(point))
        if len(p) == 3:
            return of_line(e, p, pitch)
    except Exception as error:  # no numbers, or objects that raise when they are asked for them
        if isinstance(error, RedmaxError):
            raise
    valid = "an axis ('x', 'y', 'z' or a 3-vector of any length but zero), a point (3 numbers) and a pitch (m/rad, inf of a translation)"
    got = f"{brief(axis)}, {brief(point)} and {brief(pitch)}"
    raise SceneError(f"screw takes {valid}. Got {got}.", owner="screw", argument="axis", got=got, expected=valid)


def direction(axis: ArrayLike) -> list[Any]:
    """Three entries, not all of them zero."""
    if isinstance(axis, str):
        sign, name = (-1.0, axis[1:]) if axis.startswith("-") else (1.0, axis)
        return [sign * x for x in AXES[name]]
    along = split(np.asarray(axis))
    numbers = np.asarray(axis).dtype != object
    if len(along) != 3 or (numbers and not (np.isfinite(axis).all() and np.asarray(axis).any(axis=-1).all())):
        raise ValueError
    return along


def unit(axis: list[Any]) -> list[Any]:
    length = sqrt(dot(axis, axis))
    return [x / length for x in axis]


def of_line(e: list[Any], p: list[Any], pitch: ValueOrArray) -> np.ndarray:
    """(e; p x e + h e), or (0; e) where h is infinite."""
    moment = cross(p, e)
    pitch = np.asarray(pitch, float) if isinstance(pitch, list | tuple) else pitch
    if isinstance(pitch, float | int | np.ndarray | np.number):
        h = np.asarray(pitch, float)
        if np.isnan(h).any():
            raise ValueError
        slides = np.isinf(h)
        if slides.all() and h.ndim == 0:
            return array([0.0, 0.0, 0.0, *[x + 0.0 * y for x, y in zip(e, moment)]])  # for each point, wherever it is
        if slides.any():
            finite_h = np.where(slides, 0.0, h)
            linear = [where(slides, x, m + finite_h * x) for x, m in zip(e, moment)]
            return array([*[where(slides, 0.0, x) for x in e], *linear])
    return array([*e, *plus(moment, [pitch * x for x in e])])


def screw_of(twist: Array) -> Screw:
    """Axis, point, pitch and magnitude of a twist (..., 6): `twist` is magnitude * screw(axis, point, pitch)."""
    entries = split(np.asarray(twist))
    if len(entries) != 6:
        raise SceneError(f"screw_of takes a twist (..., 6). Got {brief(twist)}.", owner="screw_of", argument="twist")
    w, v = entries[:3], entries[3:]
    x, y = dot(w, w), dot(v, v)
    turns, moves = less(NO_TURN, x), less(0.0, y)
    square = where(turns, x, where(moves, y, 1.0))
    size = sqrt(square)
    axis = [where(turns, a, where(moves, b, z)) / size for a, b, z in zip(w, v, AXES["z"])]
    point = [where(turns, c, 0.0) / square for c in cross(w, v)]
    still = where(moves, np.inf, 0.0)
    pitch = where(turns, dot(w, v) / square, still)
    return Screw(array(axis), array(point), pitch, where(turns, size, where(moves, size, 0.0)))
