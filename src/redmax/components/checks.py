"""Checks of what the user gives for a body; every message says whose, what it is, what is valid."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.arguments import as_array, brief
from redmax.errors import SHOWN, SceneError

RIGID_TOLERANCE = 1e-8


def finite(owner: str, name: str, value: Any, shapes: tuple[tuple[int, ...], ...], valid: str) -> NDArray[np.float64]:
    """`value` as a new array of floats of one of `shapes` (-1 stands for any length), or an error that says `valid`."""
    array = as_array(value)
    fits = any(array.ndim == len(shape) and all(want in (-1, n) for want, n in zip(shape, array.shape)) for shape in shapes)
    if array.dtype.kind not in "fiu" or not fits:
        raise SceneError(f"{owner}: {name} is {brief(value)}, expected {valid}.")
    array = array.astype(np.float64)
    if not np.isfinite(array).all():
        at = [int(i) for i in np.argwhere(~np.isfinite(array))[0]]
        which = f", with {array[tuple(at)]} at {at}" if array.size > SHOWN else ""
        raise SceneError(f"{owner}: {name} is {brief(value)}{which}, expected {valid}.")
    return array


def positive(owner: str, name: str, value: Any, unit: str) -> float:
    """`value` as a positive float, or an error."""
    valid = f"a finite number greater than 0 ({unit})"
    number = float(finite(owner, name, value, ((),), valid))
    if not number > 0:
        raise SceneError(f"{owner}: {name} is {brief(value)}, expected {valid}.")
    return number


def positive3(owner: str, name: str, value: Any, meaning: str) -> tuple[float, float, float]:
    """`value` as three positive lengths, or an error."""
    valid = f"three finite numbers greater than 0 ({meaning} in x, y, z, m)"
    x, y, z = finite(owner, name, value, ((3,),), valid).tolist()
    if not min(x, y, z) > 0:
        raise SceneError(f"{owner}: {name} is {brief(value)}, expected {valid}.")
    return x, y, z


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
        raise SceneError(
            f"{owner}: {name} has a rotation block R with |R'R - 1| = {error:.1e}, expected below {RIGID_TOLERANCE:g}; "
            "remove any scaling or shear and normalise it."
        )
    if np.linalg.det(R) < 0:
        raise SceneError(f"{owner}: {name} has a rotation block with determinant -1 (a reflection), expected +1.")
    if not np.array_equal(E[3], [0, 0, 0, 1]):
        raise SceneError(f"{owner}: {name} has the last row {brief(E[3])}, expected (0, 0, 0, 1).")


def flag(owner: str, name: str, value: Any) -> bool:
    """`value` as True or False, or an error: the text "no" would count as true."""
    if not isinstance(value, bool | np.bool_ | int) or value not in (0, 1):
        raise SceneError(f"{owner}: {name} is {brief(value)}, expected True or False.")
    return bool(value)
