"""C3D, the binary files of motion capture, by the package ezc3d."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from redmax.design.data.c3d_layout import check_layout
from redmax.design.data.markers import Markers
from redmax.design.data.trc import rate_of
from redmax.design.data.units import metres
from redmax.errors import RedmaxError, SceneError
from redmax.writing import beside


def package() -> Any:
    """ezc3d, or what to install."""
    try:
        import ezc3d  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise RedmaxError("C3D files need the package ezc3d: pip install 'redmax[c3d]'.") from None
    return ezc3d


def read_c3d(path: Path, lengths: str | None) -> Markers:
    """The markers, in m. lengths: their unit, that of the file unless given"""
    owner, ezc3d = path.name, package()
    if not path.is_file():
        raise SceneError(f"There is no file {str(path)!r}.", argument="path")
    try:
        check_layout(path.read_bytes())
        found = ezc3d.c3d(str(path))
        points = np.asarray(found["data"]["points"], float)
        facts = found["parameters"]["POINT"]
        names = [str(name).strip() for name in facts["LABELS"]["value"]]
        rate, first = float(found["header"]["points"]["frame_rate"]), int(found["header"]["points"]["first_frame"])
        unit = str((facts.get("UNITS", {}).get("value") or [""])[0]).strip()
    except Exception as error:  # whatever the package raises about a file that is none
        raise SceneError(f"{owner} cannot be read as a C3D file: {error}.", owner=owner, argument="path") from None
    if not points.size or not rate > 0:
        raise SceneError(f"{owner} has no markers in it, or no rate of frames.", owner=owner, argument="path")
    names += [f"point {i}" for i in range(len(names), points.shape[1])]
    times = (first + np.arange(points.shape[2])) / rate
    positions = np.moveaxis(points[:3], 0, 2).swapaxes(0, 1) * metres(owner, lengths or unit or "m")
    return Markers(distinct(names[: points.shape[1]]), times, positions)


def distinct(names: list[str]) -> tuple[str, ...]:
    """As files have them; a name that occurs again, or is empty, gets a number."""
    found: list[str] = []
    for i, name in enumerate(names):
        found.append(name if name and name not in found else f"{name or 'point'} {i}")
    return tuple(found)


def write_c3d(path: Path, markers: Markers) -> None:
    """In m. C3D counts frames from the first one, and has single precision."""
    ezc3d = package()
    rate = rate_of(markers.times)
    if not rate > 0 or np.ptp(np.diff(markers.times)) > 1e-6 / rate:
        why = "C3D files have frames at one rate"
        raise SceneError(f"write_markers: times are not evenly spaced, and {why}. Write a TRC or CSV file.", owner="write_markers")
    made = ezc3d.c3d()
    point = made["parameters"]["POINT"]
    point["RATE"]["value"], point["UNITS"]["value"], point["LABELS"]["value"] = [rate], ["m"], list(markers.names)
    whole = np.ones((4, len(markers.names), len(markers)))
    whole[:3] = np.moveaxis(markers.positions, 2, 0).swapaxes(1, 2)
    made["data"]["points"] = whole
    made["header"]["points"]["first_frame"] = round(float(markers.times[0]) * rate)
    with beside(path) as draft:
        made.write(str(draft))
