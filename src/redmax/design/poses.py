"""Poses as they were measured, checked before anything is fitted to them.

What cannot be a pose ends in an error: numbers that are none, matrices that are not rigid, mirrored or transposed, a parameter that two
poses have. What can be one, but looks like a mistake, is a warning (`looks`). Each names the row and what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from redmax.arguments import as_array
from redmax.components.checks import finite
from redmax.design.looks import warn_of_looks
from redmax.design.pose_rows import Rows, transposed
from redmax.errors import SceneError, brief, wrong
from redmax.types import Array, Given

NEARLY_RIGID = 1e-4  # of R'R - 1: what remains of rotations that were written with four digits; less is taken out
ROUNDED = 2e-15  # less than this is rounding, and stays as it is
VALID = "(N, 4, 4): a rigid transform for each pose"


def checked_poses(
    poses: Any,
    parameters: Given = None,
    *,
    name: str = "poses",
    owner: str = "fit_curve",
    least: int = 2,
    missing: bool = False,
    repeated: bool = False,
    sequence: bool = True,
    rows: Sequence[str] | None = None,
    looks: bool = True,
) -> Array:
    """`poses` as (N, 4, 4) with rotations that are so to the last digit, or an error that says which one is wrong and what to do.

    parameters: what goes with each pose, (N,), or (N, m) for m parameters; None where they are not known
    name, owner: of the argument, and whose it is, in sentences
    least: how many poses are needed
    missing: whether poses may be missing, with NaN in all of their rotation and position; they stay NaN
    repeated: whether two poses may have the same parameters, as where they are averaged
    sequence: whether poses that follow each other (by their parameter, if it is one) are neighbours
    rows: what sentences call each pose, as the line of a file; by its index unless given
    looks: whether to warn of what is possible, but looks like a mistake
    """
    E = four_by_four(owner, name, poses)
    say = Rows(owner, name, [f"{name}[{i}]" for i in range(len(E))] if rows is None else rows)
    known = present(say, E, missing)
    if known.sum() < least:
        there = f"{known.sum()} of them known" if known.sum() < len(E) else "no more"
        raise wrong(owner, name, E, f"{least} poses or more", f" ({len(E)} poses, {there})")
    bent = known & (check_each(say, E, known) > ROUNDED)
    E[bent, :3, :3] = straightened(E[bent, :3, :3])
    order, line = np.flatnonzero(known), None
    if parameters is not None:
        u = checked_parameters(parameters, len(E), owner=owner, repeated=repeated, missing=~known)
        if u.ndim == 1:
            order = order[np.argsort(u[order], kind="stable")]
            line = u[order]
    if looks:
        warn_of_looks(say, E, order, line, sequence)
    return E


def checked_parameters(
    parameters: Any, count: int, *, owner: str = "fit_curve", repeated: bool = False, missing: np.ndarray | None = None
) -> Array:
    """`parameters` as (N,) or (N, m), or an error that says which one is wrong.

    repeated: whether two rows may be the same; missing: (N,) where no pose is, and thus no parameter need be: it is 0 there, if it is NaN
    """
    u, given = as_array(parameters), parameters
    if missing is not None and u.dtype.kind == "f" and len(u.shape) in (1, 2) and len(u) == count:
        given = u.copy()
        given[missing] = np.where(np.isnan(given[missing]), 0.0, given[missing])
    valid = f"{count} numbers, or rows of them: what goes with each pose"
    if u.dtype.kind in "fiu" and len(u.shape) in (1, 2) and len(u) != count:
        raise wrong(owner, "parameters", parameters, f"{valid} (got {len(u)})")
    u = finite(owner, "parameters", given, ((count,), (count, -1)), valid)
    if repeated:
        return u
    rows, there = u.reshape(count, -1), np.arange(count) if missing is None else np.flatnonzero(~missing)
    order = there[np.lexsort(rows[there].T[::-1])]
    same = np.flatnonzero((np.diff(rows[order], axis=0) == 0).all(axis=1))
    if len(same):
        i, j = sorted(order[same[0] : same[0] + 2].tolist())
        fix = "Leave out one of them, put their mean in their place, or fit fewer frames than poses by least squares"
        said = brief(u[i])
        raise SceneError(
            f"{owner}: parameters[{i}] and parameters[{j}] are both {said}, and one joint cannot be in two poses there. {fix}.",
            owner=owner,
            argument="parameters",
            got=said,
        )
    return u


def two_at_one(u: Array, E: Array) -> tuple[int, int] | None:
    """The first two poses (N, 4, 4) that differ at the same one of parameters (N,), if there are two; missing ones are none."""
    known = np.flatnonzero(~np.isnan(E[:, 0, 0]))
    order = known[np.argsort(u[known], kind="stable")]
    i, j = order[:-1], order[1:]
    same = np.flatnonzero((u[i] == u[j]) & (np.abs(E[i] - E[j]).max(axis=(1, 2), initial=0.0) > NEARLY_RIGID))
    return (int(i[same[0]]), int(j[same[0]])) if len(same) else None


def four_by_four(owner: str, name: str, poses: Any) -> Array:
    """A new array (N, 4, 4) of floats, of which any may be NaN or infinite."""
    given = as_array(poses)
    if given.ndim == 3 and given.shape[1:] == (4, 4) and given.dtype.kind in "fiu":
        return given.astype(float)
    hint = ""
    if given.ndim == 2 and given.shape[1] == 7:
        hint = ". Seven numbers are made poses by rm.pose(rm.lie.from_quaternion(q), p), q in the order w, x, y, z"
    if given.ndim == 2 and given.shape[1] == 6:
        hint = ". Six numbers are made poses by rm.pose(rm.lie.so3.exp(v), p), v in rad"
    if given.ndim == 3 and given.shape[1:] == (3, 4):
        hint = ". Add the row (0, 0, 0, 1) to each"
    if given.ndim == 3 and given.shape[0] == given.shape[1] == 4:
        hint = ". np.moveaxis(poses, 2, 0) puts the number of the pose first"
    raise wrong(owner, name, poses, VALID + hint)


def present(say: Rows, E: Array, missing: bool) -> np.ndarray:
    """(N,) where there are poses. A pose that is not there has no number at all in its rotation and position."""
    numbers = E[:, :3]
    none = np.asarray(np.isnan(numbers).all(axis=(1, 2)))
    bad = np.argwhere(~np.isfinite(E) & ~none[:, None, None])
    if len(bad):
        i, a, b = bad[0].tolist()
        fix = "Leave the pose out" + (", or make all of it NaN, which says that it is missing" if missing else "")
        raise say.wrong(i, f"{E[i, a, b]} in row {a}, column {b}", f"finite numbers. {fix}")
    if none.any() and not missing:
        i = int(np.argmax(none))
        raise say.wrong(i, "NaN in all of it", "a pose. Leave it out, and its parameter with it")
    return ~none


def check_each(say: Rows, E: Array, known: np.ndarray) -> np.ndarray:
    """Raise for the first of the known ones that is no rigid transform; (N,) by how much the rotations miss being some."""
    R = E[:, :3, :3]
    square = transposed(R) @ R
    with np.errstate(invalid="ignore"):
        off = np.abs(square - np.eye(3)).max(axis=(1, 2))
        mirrored = np.einsum("ni,ni->n", np.cross(R[:, 0], R[:, 1]), R[:, 2]) < 0
    wrong_row = (E[:, 3] != [0, 0, 0, 1]).any(axis=1)
    rules: list[tuple[np.ndarray, Callable[[int], tuple[str, str]]]] = [
        (wrong_row, lambda i: last_row(E[i])),
        (~(off <= NEARLY_RIGID), lambda i: rotation_block(R[i], square[i], float(off[i]))),
        (mirrored, lambda i: ("a rotation with determinant -1: a reflection, as of left-handed axes", RIGHT_HANDED)),
    ]
    broken = {i: say for rule, say in reversed(rules) for i in np.flatnonzero(rule & known).tolist()}
    if broken:
        first = min(broken)
        raise say.wrong(first, *broken[first](first))
    return np.asarray(off)


RIGHT_HANDED = "+1. Turn one axis of both frames round: with D = diag(1, 1, -1, 1), D E D is right-handed where the data are left-handed"


def last_row(E: Array) -> tuple[str, str]:
    """What a last row is, and what it should be."""
    said = f"the last row {brief(E[3])}"
    if E[3, 3] == 1 and not E[:3, 3].any():
        return said, "(0, 0, 0, 1). The matrix is transposed, with its position below: give np.swapaxes(poses, 1, 2)"
    return said, "(0, 0, 0, 1)"


def rotation_block(R: Array, square: Array, off: float) -> tuple[str, str]:
    """What a rotation block is that is none, and what to do."""
    scale = np.cbrt(abs(np.linalg.det(R)))
    if scale > 0 and np.abs(square / scale**2 - np.eye(3)).max() < NEARLY_RIGID:
        return f"a rotation that is scaled by {scale:.6g}", "no scale. Divide the rotation by it, and see whether positions are scaled too"
    got = f"a rotation block R with |R'R - 1| = {off:.1e}"
    return got, f"below {NEARLY_RIGID:g}. Leave the pose out, or take the nearest rotation: U @ V of U, _, V = np.linalg.svd(R)"


def straightened(R: Array) -> Array:
    """The nearest rotations, of matrices that are nearly so: Newton's iteration, R <- R (3 - R'R) / 2."""
    for _ in range(3):
        R = R @ (1.5 * np.eye(3) - 0.5 * transposed(R) @ R)
    return R
