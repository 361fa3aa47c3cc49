"""Columns of a table as poses: which of them are positions and rotations, in which units, in which order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from redmax.design.data.text_table import TextTable
from redmax.design.data.units import METRES, RADIANS
from redmax.design.looks import FAR
from redmax.errors import SceneError, brief
from redmax.lie import so3

XYZ = ("x", "y", "z")
KNOWN: dict[str, tuple[tuple[str, ...], ...]] = {
    "position": (XYZ, ("px", "py", "pz"), ("tx", "ty", "tz"), ("pos_x", "pos_y", "pos_z")),
    "quaternion": (("qw", "qx", "qy", "qz"), ("q0", "q1", "q2", "q3"), ("quat_w", "quat_x", "quat_y", "quat_z")),
    "rotation_vector": (("rx", "ry", "rz"), ("rvx", "rvy", "rvz"), ("rot_x", "rot_y", "rot_z")),
    "matrix": tuple(tuple(f"{letter}{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3)) for letter in "rm"),
    "angles": (("ox", "oy", "oz"), ("alpha", "beta", "gamma")),
}
COUNTS = {"position": 3, "quaternion": 4, "rotation_vector": 3, "matrix": 9, "angles": 3}
OF_UNIT = 0.01  # by how much the norm of a quaternion in a file may miss 1
HARDLY, HALF, WHOLE = 0.55, 0.6, 0.95  # what the first part never reaches, the last one mostly has, and has once, if w stands last
TURN = 2 * np.pi + 0.2  # rad: no rotation vector is longer than a turn by more than a little


def chosen(found: TextTable, body: str | None, columns: Any) -> dict[str, list[str]]:
    """The names of the columns of the position and of the rotation, by what they are."""
    if columns is not None:
        return stated(found, columns)
    lower = {name.lower(): name for name in found.names}
    start = "" if body is None else next((body.lower() + s for s in "._/ " if any(n.startswith(body.lower() + s) for n in lower)), None)
    if start is None:
        heads = sorted({n.rsplit("_", 1)[0] for n in found.names if "_" in n})
        said = f"{found.owner} has no columns of a body {body!r}"
        raise found.refused(f"{said}. Bodies by the look of it: {', '.join(heads[:20])}.", "body")
    result: dict[str, list[str]] = {}
    for kind, variants in KNOWN.items():
        own = next((v for v in variants if all(start + n in lower for n in v)), None)
        if own is not None and (kind == "position" or not set(result) - {"position"}):
            result[kind] = [lower[start + n] for n in own]
    if not set(result) - {"position"}:
        there = ", ".join(found.names[:20])
        fix = "Name them qw, qx, qy, qz, or rx, ry, rz (a rotation vector), or r11, r12, ..., or say which are which by columns="
        said = f"{found.owner} has no columns that are a rotation by their names. Its columns: {there}"
        raise found.refused(f"{said}. {fix}.", "columns")
    return result


def stated(found: TextTable, columns: Any) -> dict[str, list[str]]:
    """What a user says about the columns, checked."""
    kinds = ", ".join(f"{kind} ({count})" for kind, count in COUNTS.items())
    valid = f"a dictionary of names of columns, such as {{'position': ['x', 'y', 'z'], 'quaternion': [...]}}. Kinds: {kinds}"
    if not isinstance(columns, Mapping) or not set(columns) <= set(COUNTS) or len(set(columns) - {"position"}) != 1:
        raise SceneError(f"{found.owner}: columns is {brief(columns)}, expected {valid}; one of them a rotation.", argument="columns")
    for kind, names in columns.items():
        if not isinstance(names, Sequence) or isinstance(names, str) or len(names) != COUNTS[kind]:
            raise found.refused(f"{found.owner}: columns[{kind!r}] is {brief(names)}, expected {COUNTS[kind]} names.", "columns")
        for name in names:
            found.index(str(name))
    return {kind: [found.names[found.index(str(n))] for n in names] for kind, names in columns.items()}


def positions(found: TextTable, names: Sequence[str], lengths: str | None) -> np.ndarray:
    """(N, 3) m; NaN where it is missing, with all of its coordinates."""
    p = whole_rows(found, names, "a position")
    units = {found.units[found.index(name)] for name in names} - {""}
    unit = lengths or next(iter(units), None)
    if unit is not None and unit not in METRES:
        raise found.refused(f"{found.owner}: column {names[0]!r} is a position in {unit!r}. Known: m, cm, mm.", "lengths")
    p = p * METRES[unit or "m"]
    far = np.nan_to_num(np.linalg.norm(p, axis=1))
    i = int(np.argmax(far))
    if unit is None and far[i] > FAR:
        said = f"{found.owner}, {found.rows[i]}: a position {far[i]:.4g} m away, by the look of it in millimetres"
        raise found.refused(f"{said}. Say lengths='mm' (or 'm', if it is right), or name the columns 'x [mm]'.", "lengths")
    return p


def rotations(found: TextTable, kind: str, names: Sequence[str], order: str, angles: str | None, quaternions: str | None) -> np.ndarray:
    """(N, 3, 3); NaN where it is missing."""
    given = whole_rows(found, names, "a rotation")
    if kind == "matrix":
        return given.reshape(-1, 3, 3)
    if kind == "quaternion":
        return turned(found, given, names, quaternions)
    units = {found.units[found.index(name)] for name in names} - {""}
    unit = angles or next(iter(units), None) or {True: "deg", False: "rad", None: None}[found.degrees]
    if unit is not None and unit not in RADIANS:
        raise found.refused(f"{found.owner}: column {names[0]!r} is a rotation in {unit!r}. Known: rad, deg.", "angles")
    v = given * RADIANS[unit or "rad"]
    size = np.nan_to_num(np.abs(v).max(axis=1))
    if unit is None and (size > TURN).any():
        i = int(np.argmax(size))
        said = f"{found.owner}, {found.rows[i]}: a rotation by {size[i]:.4g} rad, by the look of it in degrees"
        raise found.refused(f"{said}. Say angles='deg' (or 'rad', if it is right), or name the columns '{names[0]} [deg]'.", "angles")
    if kind == "rotation_vector":
        return so3.exp(v)
    R = np.tile(np.eye(3), (len(v), 1, 1))
    for axis, angle in zip(order, v.T):
        R = R @ so3.exp(angle[:, None] * np.eye(3)[XYZ.index(axis)])
    return R


def turned(found: TextTable, q: np.ndarray, names: Sequence[str], order: str | None) -> np.ndarray:
    """Rotations of quaternions whose w is said to stand first. order: of the columns in the file, where they are said to be otherwise."""
    norm = np.linalg.norm(q, axis=1)
    off = np.nan_to_num(np.abs(norm - 1))
    if (off > OF_UNIT).any():
        i = int(np.argmax(off > OF_UNIT))
        said = f"{found.owner}, {found.rows[i]}: a quaternion of length {norm[i]:.4g}, expected 1"
        raise SceneError(f"{said}. Is one of the columns {', '.join(names)} another one?", argument=names[0])
    named = any([n.lower() for n in names] == list(known) for known in KNOWN["quaternion"]) or names[0].lower().endswith("w")
    if order is not None:
        stand = np.argsort([found.index(name) for name in names]) if named else np.arange(4)  # as they are in the file
        q = q[:, stand[[3, 0, 1, 2] if order == "xyzw" else [0, 1, 2, 3]]]
    elif w_looks_last(q[np.isfinite(norm)]):
        i = int(np.argmax(np.abs(q[:, 3]) > WHOLE))
        said = f"{found.owner}, {found.rows[i]}: the quaternion {brief(np.round(q[i], 4))} is nearly half a turn about z, as others are"
        why = "by the look of it w stands last, not first"
        fix = "Say quaternions='xyzw'"
        if named:
            right = "wxyz" if found.index(names[0]) < found.index(names[1]) else "xyzw"
            fix = f"Exchange the names, or say quaternions={'xyzw' if right == 'wxyz' else 'wxyz'!r}, the order of the columns"
            raise found.refused(f"{said}: {why}. {fix}; or {right!r} if it is right.", "quaternions")
        raise found.refused(f"{said}: {why}. {fix}, or 'wxyz' if it is right.", "quaternions")
    return so3.from_quaternion(q / norm[:, None])


def w_looks_last(q: np.ndarray) -> bool:
    """Whether quaternions (N, 4) would be those of a joint that is at rest once, if w stood last, and are far from it as they are."""
    size = np.abs(q)
    return bool(len(q)) and bool(size[:, 0].max() < HARDLY and np.median(size[:, 3]) > HALF and size[:, 3].max() > WHOLE)


def whole_rows(found: TextTable, names: Sequence[str], what: str) -> np.ndarray:
    """(N, columns) of which each row is there, or NaN as a whole."""
    values = found.values[:, [found.index(name) for name in names]]
    gone = np.isnan(values)
    half = np.flatnonzero(gone.any(axis=1) & ~gone.all(axis=1))
    if len(half):
        i = int(half[0])
        column = names[int(np.argmax(gone[i]))]
        raise found.wrong(i, column, "nothing there", f"a number, or {what} that is missing as a whole")
    return values
