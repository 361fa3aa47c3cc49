"""Symmetric terms P_r of joints and P_m of bodies, as a user gives them and as the kernels of RedMax notes Alg. 10 read them."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.arguments import as_floats, brief
from redmax.errors import SceneError
from redmax.model.model import Model

# The 21 numbers of Inertia.flat: upper triangle of A, all of B, upper triangle of C.
ROWS = np.array([0, 0, 0, 1, 1, 2, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5])
COLUMNS = np.array([0, 1, 2, 1, 2, 2, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 4, 5, 5])
SYMMETRY = 1e-9  # how much the two halves may differ, relative to the largest entry


def block_index(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of the joints' own blocks in a reduced matrix, in the order in which they are stored: by joints, each by rows."""
    rows: list[int] = []
    columns: list[int] = []
    for start, link in zip(model.offsets, model.links, strict=False):
        n = link.joint.dof
        rows += [start + a for a in range(n) for _ in range(n)]
        columns += [start + b for _ in range(n) for b in range(n)]
    return np.array(rows, int), np.array(columns, int)


def joint_terms(model: Model, given: Any) -> np.ndarray:
    """(..., sum of dof^2) from that, or from the diagonal (..., nv)."""
    rows, columns = block_index(model)
    array = number_array(given, "joint_terms")
    size = array.shape[-1] if array.ndim else 0
    if size == len(rows):
        transposed = np.lexsort((rows, columns))
        check_symmetric(array, array[..., transposed], "joint_terms: each joint's block")
        return array
    if size != model.nv:
        expected = f"(..., {model.nv}) (a diagonal) or (..., {len(rows)}) (the joints' blocks one after the other, each by rows)"
        raise SceneError(f"joint_terms must have shape {expected} for this model. Got {array.shape}.")
    result = np.zeros((*array.shape[:-1], len(rows)))
    result[..., rows == columns] = array
    return result


def body_terms(model: Model, given: Any) -> np.ndarray:
    """(..., bodies, 21) from (..., bodies, 6, 6)."""
    array = number_array(given, "body_terms")
    expected = (len(model.links), 6, 6)
    if array.shape[-3:] != expected:
        raise SceneError(f"body_terms must have shape (..., {', '.join(map(str, expected))}) for this model. Got {array.shape}.")
    check_symmetric(array, np.swapaxes(array, -1, -2), "body_terms: each body's 6x6")
    return array[..., ROWS, COLUMNS]


def number_array(given: Any, name: str) -> np.ndarray:
    array = as_floats(given)
    if array is None:
        raise SceneError(f"{name} must be an array of numbers. Got {brief(given)}.")
    return array


def check_symmetric(array: np.ndarray, transposed: np.ndarray, what: str) -> None:
    off = float(np.abs(array - transposed).max(initial=0.0))
    if off > SYMMETRY * float(np.abs(array).max(initial=0.0)):
        raise SceneError(f"{what} must be symmetric. Got one that differs from its transpose by {off:.3g}.")
