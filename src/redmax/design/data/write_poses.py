"""Poses into files: CSV, NumPy, STO and MOT."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from redmax.arguments import as_path
from redmax.components.checks import choice
from redmax.design.data.motion_table import MotionTable, check_suffix, csv_text, write_motion
from redmax.design.data.pose_columns import KNOWN
from redmax.design.data.pose_files import ARRAYS, TEXTS, MeasuredPoses
from redmax.design.poses import checked_parameters, checked_poses
from redmax.errors import SceneError
from redmax.lie import so3
from redmax.types import Array, Given
from redmax.writing import whole_file, write_text

Rotation = Literal["vector", "quaternion", "matrix"]


def write_poses(
    path: str | PathLike[str],
    poses: Array | MeasuredPoses,
    parameters: Given = None,
    *,
    name: str = "parameter",
    times: Given = None,
    rotation: Rotation = "vector",
) -> None:
    """Poses (N, 4, 4), NaN for missing ones, to a CSV, .npz, .npy, STO or MOT file, with all digits.

    parameters: (N,) what goes with each; name: of their column; times: (N,) s, which STO and MOT files need
    rotation: its columns, "vector" (rx, ry, rz: easily edited), "quaternion" (qw, qx, qy, qz), "matrix" (r11, ...: exact to the last digit)
    """
    target = as_path(path, "A file of poses", "knee.csv")
    check_suffix(target, "write_poses", TEXTS + ARRAYS)
    choice("write_poses", "rotation", rotation, get_args(Rotation))
    if isinstance(poses, MeasuredPoses):
        parameters = poses.parameters if parameters is None else parameters
        times = poses.times if times is None else times
        name = poses.names[0] if poses.names else name
        poses = poses.poses
    E = checked_poses(poses, owner="write_poses", least=1, missing=True, sequence=False, looks=False)
    u = None if parameters is None else checked_parameters(parameters, len(E), owner="write_poses", repeated=True)
    t = None if times is None else checked_parameters(times, len(E), owner="write_poses", repeated=True)
    if target.suffix.lower() in ARRAYS:
        kept = {"poses": E} | ({} if u is None else {"parameters": u}) | ({} if t is None else {"times": t})
        write_arrays(target, kept)
        return
    names, values = as_columns(E, rotation)
    if u is not None:
        one = u.ndim == 1
        names = [*([name] if one else [f"{name}{i}" for i in range(u.shape[1])]), *names]
        values = np.column_stack([u, values])
    if target.suffix.lower() == ".csv":
        both = names if t is None else ["time", *names]
        write_text(target, csv_text(both, values if t is None else np.column_stack([t, values])))
        return
    if t is None:
        raise SceneError(f"write_poses: {target.suffix} files have a time in each row. Give times=, (N,) s.", owner="write_poses")
    write_motion(target, MotionTable(tuple(names), t, values))


def write_arrays(target: Path, kept: dict[str, Array]) -> None:
    """.npy of the poses alone, .npz of all."""
    if target.suffix.lower() == ".npy" and len(kept) > 1:
        said = f"write_poses: an .npy file has one array, and no place for {', '.join(k for k in kept if k != 'poses')}"
        raise SceneError(f"{said}. Name it .npz.", owner="write_poses", argument="path")
    with whole_file(target) as file:
        if target.suffix.lower() == ".npy":
            np.save(file, kept["poses"])
        else:
            np.savez(file, **kept)  # type: ignore[arg-type]


def as_columns(E: np.ndarray, rotation: str) -> tuple[list[str], np.ndarray]:
    """Names of columns and (N, columns)."""
    R = E[:, :3, :3]
    if rotation == "matrix":
        return [*KNOWN["position"][0], *KNOWN["matrix"][0]], np.column_stack([E[:, :3, 3], R.reshape(-1, 9)])
    q = so3.log(R) if rotation == "vector" else so3.to_quaternion(R)
    turn = KNOWN["rotation_vector" if rotation == "vector" else "quaternion"][0]
    return [*KNOWN["position"][0], *turn], np.column_stack([E[:, :3, 3], q])
