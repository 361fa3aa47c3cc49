"""TRC, the text files of motion capture: facts, names of markers over three columns each, a row of positions for each frame."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from redmax.design.data.markers import Markers
from redmax.design.data.text_table import NOT_THERE, text_of
from redmax.design.data.units import metres
from redmax.errors import SceneError, brief

HEADER = 5  # lines before the rows: the type, names of facts, facts, names of markers, names of coordinates


def read_trc(path: Path, lengths: str | None) -> Markers:
    """The markers, in m. lengths: their unit, that of the file unless given"""
    owner, lines = path.name, text_of(path)
    head = [[cell.strip() for cell in line.split("\t")] for line in lines[:HEADER]]
    if len(lines) <= HEADER or not head[0] or head[0][0] != "PathFileType":
        raise SceneError(f"{owner} is no TRC file: its first line does not begin with PathFileType.", owner=owner, argument="path")
    facts = dict(zip(head[1], head[2]))
    unit = metres(owner, lengths or facts.get("Units", "") or "m")
    columns = [(c, name) for c, name in enumerate(head[3]) if c > 1 and name]
    if not columns:
        raise SceneError(f"{owner}, line 4 has no names of markers behind Frame# and Time.", owner=owner, argument="path")
    times, rows = [], []
    for number, line in enumerate(lines[HEADER:], HEADER + 1):
        if not line.strip():
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        times.append(value(owner, number, "Time", cells[1] if len(cells) > 1 else ""))
        if np.isnan(times[-1]):
            raise SceneError(f"{owner}, line {number}, column 'Time': nothing there, expected the time (s).", owner=owner, argument="path")
        rows.append([[value(owner, number, name, cells[c + i] if c + i < len(cells) else "") for i in range(3)] for c, name in columns])
    if not rows:
        raise SceneError(f"{owner} has no frames below its header.", owner=owner, argument="path")
    return Markers(tuple(name for _, name in columns), np.array(times), np.array(rows) * unit)


def value(owner: str, line: int, column: str, cell: str) -> float:
    """A number, NaN where a marker was not seen."""
    if cell.lower() in NOT_THERE:
        return float("nan")
    try:
        return float(cell)
    except ValueError:
        said = f"{owner}, line {line}, column {column!r}: {brief(cell)} is no number"
        raise SceneError(f"{said}, expected a number, or nothing where the marker was not seen.", owner=owner, argument=column) from None


def trc_text(markers: Markers, name: str) -> str:
    """A TRC file of markers, in m; nothing where one was not seen."""
    rate = rate_of(markers.times)
    count = len(markers)
    facts = ["DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units", "OrigDataRate", "OrigDataStartFrame", "OrigNumFrames"]
    values = [f"{rate:g}", f"{rate:g}", str(count), str(len(markers.names)), "m", f"{rate:g}", "1", str(count)]
    lines = [f"PathFileType\t4\t(X/Y/Z)\t{name}", "\t".join(facts), "\t".join(values)]
    lines.append("Frame#\tTime\t" + "\t\t\t".join(markers.names) + "\t\t")
    lines.append("\t\t" + "\t".join(f"{axis}{i}" for i in range(1, len(markers.names) + 1) for axis in "XYZ"))
    for i, (t, row) in enumerate(zip(markers.times.tolist(), markers.positions.reshape(count, -1).tolist()), 1):
        lines.append("\t".join([str(i), repr(t), *["" if x != x else repr(x) for x in row]]))
    return "\n".join(lines) + "\n"


def rate_of(times: np.ndarray) -> float:
    """Frames in a second."""
    step = float(np.median(np.diff(times))) if len(times) > 1 else 0.0
    return 1.0 / step if step > 0 else 0.0
