"""Checks of what the user gives, for all families; every message says whose, what it is, what is valid.

owner: who is given it, as sentences call it; name: of the argument, or a Phrase for it
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.arguments import as_array, brief
from redmax.errors import SHOWN, SceneError, wrong

RIGID_TOLERANCE = 1e-8


def finite(owner: str, name: str, value: Any, shapes: tuple[tuple[int, ...], ...], valid: str) -> NDArray[np.float64]:
    """`value` as a new array of floats of one of `shapes` (-1 stands for any length), or an error that says `valid`."""
    array = as_array(value)
    fits = any(array.ndim == len(shape) and all(want in (-1, n) for want, n in zip(shape, array.shape)) for shape in shapes)
    if array.dtype.kind not in "fiu" or not fits:
        raise wrong(owner, name, value, valid)
    array = array.astype(np.float64)
    if not np.isfinite(array).all():
        at = [int(i) for i in np.argwhere(~np.isfinite(array))[0]]
        hidden = array.size > SHOWN or f"{array[tuple(at)]}" not in brief(value)
        raise wrong(owner, name, value, valid, but=f", with {array[tuple(at)]} at {at}" if hidden else "")
    return array


def number(owner: str, name: str, value: Any, valid: str, *, above: float = -inf, least: float = -inf, most: float = inf) -> float:
    """`value` as a finite float that is greater than `above`, and from `least` to `most`, or an error that says `valid`."""
    found = float(finite(owner, name, value, ((),), valid))
    if not (found > above and least <= found <= most):
        raise wrong(owner, name, value, valid)
    return found


def positive(owner: str, name: str, value: Any, unit: str) -> float:
    """`value` as a positive float, or an error."""
    return number(owner, name, value, f"a finite number greater than 0 ({unit})", above=0)


def positive3(owner: str, name: str, value: Any, meaning: str) -> tuple[float, float, float]:
    """`value` as three positive lengths, or an error."""
    valid = f"three finite numbers greater than 0 ({meaning} in x, y, z, m)"
    x, y, z = finite(owner, name, value, ((3,),), valid).tolist()
    if not min(x, y, z) > 0:
        raise wrong(owner, name, value, valid)
    return x, y, z


def vector3(owner: str, name: str, value: Any, valid: str = "three finite numbers") -> NDArray[np.float64]:
    """`value` as (3,), or an error that says `valid`."""
    return finite(owner, name, value, ((3,),), valid)


def whole(owner: str, name: str, value: Any, least: int, why: str = "") -> int:
    """`value` as a whole number from `least` up, or an error. why: what it is for, at the end of the sentence"""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        raise wrong(owner, name, value, f"a whole number from {least} up{why}")
    return int(value)


def choice(owner: str, name: str, value: Any, valid: tuple[str, ...]) -> str:
    """`value` as one of some texts, or an error that lists them."""
    if not isinstance(value, str) or value not in valid:
        said, words = brief(value), ", ".join(map(repr, valid))
        raise SceneError(f"{owner}: {name} is {said}. Valid: {words}.", owner=owner, argument=name, got=said, expected=words)
    return value


def flag(owner: str, name: str, value: Any) -> bool:
    """`value` as True or False, or an error: the text "no" would count as true."""
    if not isinstance(value, bool | np.bool_ | int) or value not in (0, 1):
        raise wrong(owner, name, value, "True or False")
    return bool(value)


def as_pose(owner: str, name: str, value: Any) -> NDArray[np.float64]:
    """(4, 4) pose from a translation (3,) or a rigid transform (4, 4)."""
    valid = "a translation (3 numbers, m) or a 4x4 rigid transform"
    given = finite(owner, name, value, ((3,), (4, 4)), valid)
    if given.shape == (4, 4):
        check_rigid(owner, name, given)
        return given
    E = np.eye(4)
    E[:3, 3] = given
    return E


def check_rigid(owner: str, name: str, E: NDArray[np.float64]) -> None:
    """Raise unless E = [R p; 0 1] with R' R = 1 and det R = +1."""
    R = E[:3, :3]
    error = float(np.abs(R.T @ R - np.eye(3)).max())
    if not error <= RIGID_TOLERANCE:  # nor is nan
        got, fix = f"|R'R - 1| = {error:.1e}", "remove any scaling or shear and normalise it"
        raise not_rigid(owner, name, "a rotation block R with ", got, f"below {RIGID_TOLERANCE:g}; {fix}")
    if np.linalg.det(R) < 0:
        raise not_rigid(owner, name, "a rotation block with ", "determinant -1 (a reflection)", "+1")
    if not np.array_equal(E[3], [0, 0, 0, 1]):
        raise not_rigid(owner, name, "the last row ", brief(E[3]), "(0, 0, 0, 1)")


def not_rigid(owner: str, name: str, part: str, got: str, expected: str) -> SceneError:
    parts = {"owner": owner, "argument": name, "got": got, "expected": expected}
    return SceneError(f"{owner}: {name} has {part}{got}, expected {expected}.", **parts)
