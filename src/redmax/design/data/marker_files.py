"""Markers in and out of files: TRC, C3D and CSV."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from redmax.arguments import as_path
from redmax.components.checks import choice
from redmax.design.data.c3d import read_c3d, write_c3d
from redmax.design.data.markers import Markers
from redmax.design.data.motion_table import TIMES, check_suffix, csv_text
from redmax.design.data.text_table import TextTable, read_csv
from redmax.design.data.trc import read_trc, trc_text
from redmax.design.data.units import METRES, Lengths, checked_unit
from redmax.errors import SceneError
from redmax.writing import write_text

Up = Literal["z", "y"]
SUFFIXES = (".trc", ".c3d", ".csv")
FAR = 20.0  # m: rooms with cameras are smaller
Z_UP = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])  # from axes with y up


def read_markers(path: str | PathLike[str], *, lengths: Lengths | None = None, up: Up = "z") -> Markers:
    """Where markers were, in m, from a TRC, C3D or CSV file; NaN where one was not seen.

    A CSV file has columns time, and for each marker name_x, name_y, name_z (or name.x), with a unit behind them if wanted, "knee_x [mm]".
    lengths: "m", "cm" or "mm": their unit, if the file does not say it, or is wrong about it
    up: "y" for files whose y axis is up, as OpenSim has it: turned so that z is
    """
    given = as_path(path, "A file of markers", "walk.trc")
    check_suffix(given, "read_markers", SUFFIXES)
    checked_unit("read_markers", "lengths", lengths, Lengths)
    choice("read_markers", "up", up, get_args(Up))
    read = {".trc": read_trc, ".c3d": read_c3d, ".csv": read_marker_csv}[given.suffix.lower()]
    found = read(given, lengths)
    return found if up == "z" else Markers(found.names, found.times, found.positions @ Z_UP.T)


def read_marker_csv(path: Path, lengths: str | None) -> Markers:
    """Three columns for each marker."""
    found = read_csv(path)
    at = next((n for n in found.names if n.lower() in TIMES), None)
    names = [n[:-2] for n in found.names if n.lower()[-2:] in ("_x", ".x", " x") and len(n) > 2]
    if at is None or not names:
        there = ", ".join(found.names[:20])
        said = f"{path.name} has no column 'time', or none such as 'knee_x'. Its columns: {there}"
        raise SceneError(f"{said}. Name them time, knee_x, knee_y, knee_z.", owner=path.name, argument="path")
    positions = np.stack([marker_column(found, name, lengths) for name in names], axis=1)
    times = found.column(at)
    if np.isnan(times).any():
        raise found.wrong(int(np.argmax(np.isnan(times))), at, "nothing there", "the time (s) of the row")
    far = np.nanmax(np.abs(positions), initial=0.0)
    if lengths is None and not any(found.units) and far > FAR:
        said = f"{path.name}: markers are up to {far:.4g} m away, by the look of it in millimetres"
        raise found.refused(f"{said}. Say lengths='mm' (or 'm', if it is right), or name the columns 'knee_x [mm]'.", "lengths")
    return Markers(tuple(names), times, positions)


def marker_column(found: TextTable, name: str, lengths: str | None) -> np.ndarray:
    """(N, 3) m of one marker."""
    mark = next(n[len(name)] for n in found.names if n.startswith(name) and n.lower()[len(name) + 1 :] == "x")
    own = [found.index(f"{name}{mark}{axis}") for axis in "xyz"]
    return found.values[:, own] * [METRES[lengths or found.units[i] or "m"] for i in own]


def write_markers(path: str | PathLike[str], markers: Markers) -> None:
    """Markers to a TRC or CSV file, with all digits, or to a C3D file, in single precision; in m."""
    target = as_path(path, "A file of markers", "walk.trc")
    check_suffix(target, "write_markers", SUFFIXES)
    if not isinstance(markers, Markers):
        raise SceneError(f"write_markers writes Markers. Got an object of type {type(markers).__name__}.", owner="write_markers")
    if target.suffix.lower() == ".c3d":
        write_c3d(target, markers)
    elif target.suffix.lower() == ".trc":
        write_text(target, trc_text(markers, target.name))
    else:
        names = ["time", *[f"{name}_{axis}" for name in markers.names for axis in "xyz"]]
        write_text(target, csv_text(names, np.column_stack([markers.times, markers.positions.reshape(len(markers), -1)])))
