"""Poses from files: CSV, NumPy, STO and MOT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Literal

import numpy as np

from redmax.arguments import as_path
from redmax.components.checks import choice
from redmax.design.data.motion_table import check_suffix, read_text_table
from redmax.design.data.pose_arrays import read_arrays
from redmax.design.data.pose_columns import KNOWN, chosen, positions, rotations
from redmax.design.data.text_table import TextTable
from redmax.design.data.units import RADIANS, Angles, Lengths, checked_unit
from redmax.design.looks import degrees_by_the_look, several_by_the_look
from redmax.design.poses import checked_poses
from redmax.lie import se3
from redmax.types import Array

Quaternions = Literal["wxyz", "xyzw"]
Rotation = Literal["vector", "quaternion", "matrix"]
TEXTS = (".csv", ".sto", ".mot")
ARRAYS = (".npy", ".npz")
TIMES = ("time", "t", "frame", "frame#")
UNITLESS = ("rotation_vector", "angles")  # rotations whose columns have no unit unless it is said
ORDERS = tuple(a + b + c for a in "xyz" for b in "xyz" for c in "xyz" if a != b != c)


@dataclass(frozen=True)
class MeasuredPoses:
    """Poses from a file.

    poses: (N, 4, 4) m; NaN where one is missing, or its position is
    parameters: what goes with each, (N,), or (N, m) of several; None where the file has none
    names: of the parameters
    times: (N,) s, where the file has them
    rows: (N,) what sentences call each: its line, or its place in an array
    """

    poses: Array = field(repr=False)
    parameters: Array | None = field(default=None, repr=False)
    names: tuple[str, ...] = ()
    times: Array | None = field(default=None, repr=False)
    rows: tuple[str, ...] = field(default=(), repr=False)

    def __len__(self) -> int:
        return len(self.poses)


def read_poses(
    path: str | PathLike[str],
    *,
    body: str | None = None,
    parameters: str | Sequence[str] | None = None,
    columns: Mapping[str, Sequence[str]] | None = None,
    rotation_order: str = "xyz",
    lengths: Lengths | None = None,
    angles: Angles | None = None,
    quaternions: Quaternions | None = None,
) -> MeasuredPoses:
    """Poses from a CSV, STO, MOT, .npy or .npz file, in m and rad. What is wrong is said with its line and column.

    Columns are found by their names: x, y, z, and a rotation: qw, qx, qy, qz (a quaternion), rx, ry, rz (a rotation vector), r11 to r33
    (a matrix, row by row), or ox, oy, oz (angles about moving axes). A unit may stand behind a name, as in "x [mm]" or "flexion (deg)".
    An array has (N, 4, 4), (N, 3, 4), (N, 7) for a position and a quaternion or (N, 6) for a position and a rotation vector; an .npz file
    has such `poses`, and `parameters` and `times` if it likes.

    body: whose columns, of several: those that begin with its name, as femur_x or femur.x
    parameters: the column, or columns, that go with the poses, as "flexion". If not given: the only one besides poses and time
    columns: which are which, where names do not say it: {"position": [...], "angles": [...]}; also "quaternion" (w, x, y, z),
        "rotation_vector" and "matrix"
    rotation_order: of angles, the axes in turn, each moved by the turns before
    lengths: "m", "cm" or "mm", of positions; angles: "rad" or "deg", of rotations and of parameters whose names have no unit
    quaternions: "wxyz" or "xyzw", where no names say it
    What is not given and looks wrong (millimetres, degrees, w last) is an error that says so.
    """
    given = as_path(path, "A file of poses", "knee.csv")
    check_suffix(given, "read_poses", TEXTS + ARRAYS)
    checked_unit("read_poses", "lengths", lengths, Lengths)
    checked_unit("read_poses", "angles", angles, Angles)
    checked_unit("read_poses", "quaternions", quaternions, Quaternions)
    choice("read_poses", "rotation_order", rotation_order, ORDERS)
    if given.suffix.lower() in ARRAYS:
        found, roles, u, times = read_arrays(given)
        names: tuple[str, ...] = () if u is None else ("parameter",) if u.ndim == 1 else tuple(f"parameter{i}" for i in range(u.shape[1]))
    else:
        found = read_text_table(given, "read_poses", TEXTS)
        roles, u, times, names = chosen(found, body, columns), None, None, ()
    p = positions(found, roles["position"], lengths) if "position" in roles else np.zeros((len(found.values), 3))
    kind = next(k for k in roles if k != "position")
    E = posed(found, rotations(found, kind, roles[kind], rotation_order, angles, quaternions), p)
    if given.suffix.lower() in TEXTS:
        names = parameter_names(found, [n for group in roles.values() for n in group], parameters, body)
        u = parameters_of(found, names, E, angles)
        check_degrees(found, names, E, u, angles, [found.units[found.index(n)] for n in roles[kind]] if kind in UNITLESS else [])
        times = next((found.column(n) for n in found.names if n.lower() in TIMES and n not in names), None)
    return MeasuredPoses(E, u, names, times, found.rows)


def posed(found: TextTable, R: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Checked, and named by their lines where something is wrong."""
    E = se3.pose(R, p)
    E[np.isnan(R).any(axis=(1, 2))] = np.nan
    nowhere = np.isnan(E[:, :3, 3]).any(axis=1) & ~np.isnan(E[:, 0, 0])
    E[nowhere, :3, 3] = 0.0
    E = checked_poses(E, owner=found.owner, least=1, missing=True, sequence=False, rows=found.rows, looks=False)
    E[nowhere, :3, 3] = np.nan
    return E


def parameter_names(found: TextTable, used: list[str], parameters: Any, body: str | None) -> tuple[str, ...]:
    """The columns that are parameters."""
    if parameters is not None:
        asked = [parameters] if isinstance(parameters, str) else list(parameters)
        return tuple(found.names[found.index(str(name))] for name in asked)
    if body is not None:
        return ()
    rest = [n for n in found.names if n and n not in used and n.lower() not in TIMES]
    others = {n for variants in KNOWN.values() for v in variants for n in v}
    rest = [n for n in rest if n.lower() not in others]
    if len(rest) > 1:
        said = f"{found.owner}: which of the columns {', '.join(rest[:20])} goes with the poses?"
        fix = f"Say parameters={rest[0]!r}, several of them for a surface, or parameters=() for none"
        raise found.refused(f"{said} {fix}; to redmax fit --parameter {rest[0]}, once for each.", "parameters")
    return tuple(rest)


def parameters_of(found: TextTable, names: tuple[str, ...], E: np.ndarray, angles: str | None) -> Array | None:
    """(N,) or (N, m), in rad where they are angles."""
    if not names:
        return None
    u = np.column_stack([found.column(name) for name in names])
    for c, name in enumerate(names):
        gone = np.flatnonzero(np.isnan(u[:, c]) & ~np.isnan(E[:, 0, 0]))
        if len(gone):
            raise found.wrong(int(gone[0]), name, "nothing there", "the parameter of the pose. Leave the line out, or all of the pose")
        unit = found.units[found.index(name)] or angles or ""
        u[:, c] *= RADIANS.get(unit, 1.0)
    return u[:, 0] if len(names) == 1 else u


def check_degrees(found: TextTable, names: tuple[str, ...], E: np.ndarray, u: Array | None, angles: str | None, turns: list[str]) -> None:
    """Raise for a parameter whose unit nobody says, and that looks like degrees. turns: units of the columns of angles of rotations"""
    known = np.flatnonzero(~np.isnan(E[:, 0, 0]))
    if u is None or angles is not None:
        return
    if u.ndim == 1:
        order = known[np.argsort(u[known], kind="stable")]
        looks = [(0, degrees_by_the_look(E[order], u[order]))]
    else:
        looks = several_by_the_look(E[known, :3, :3], u[known])
    for c, turn in looks:
        if turn and not found.units[found.index(names[c])]:
            low, high = np.sort(u.reshape(len(u), -1)[known, c])[[0, -1]]
            said = f"{found.owner}: {names[c]!r} goes from {low:.4g} to {high:.4g} while the poses turn by {turn:.4g} rad"
            fix = f"Say angles='deg' (or 'rad', if it is right), or name the column '{names[c]} [deg]'"
            if "" in turns:  # which `angles` would make degrees, too
                fix = f"Name the column '{names[c]} [deg]' ('{names[c]} [rad]', if it is right); rotations are in rad, as they are taken"
            raise found.refused(f"{said}: by the look of it it is in degrees. {fix}.", "angles")
