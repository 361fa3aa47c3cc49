"""Named columns over time, as OpenSim's STO and MOT files have them: coordinates, forces, activations."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

import numpy as np

from redmax.arguments import as_names, as_path
from redmax.components.checks import finite
from redmax.design.data.text_table import TextTable, read_csv, read_opensim
from redmax.errors import SceneError, unknown, wrong
from redmax.types import Array
from redmax.writing import write_text

TIMES = ("time", "t", "time_s")
SUFFIXES = (".sto", ".mot", ".csv")


@dataclass(frozen=True)
class MotionTable:
    """Columns of numbers over time.

    names: of the columns; times: (N,) s; values: (N, columns) as the file has them, NaN for empty cells
    degrees: whether angles among them are in degrees, where the file says so; which columns are angles only their model knows
    """

    names: tuple[str, ...]
    times: Array = field(repr=False)
    values: Array = field(repr=False)
    degrees: bool = False

    def __post_init__(self) -> None:
        values = np.asarray(self.values, float)
        names = as_names(self.names)
        if names is None:
            raise wrong("MotionTable", "names", self.names, "a list of texts: a name for each column")
        if values.ndim != 2 or len(set(names)) != len(names) or values.shape[1] != len(names):
            raise wrong("MotionTable", "values", self.values, f"(N, {len(names)}): a column for each name, no two names alike")
        if any(set(',;\t\n\r"#') & set(name) or not name.strip() for name in names):
            raise wrong("MotionTable", "names", self.names, "names without commas, tabs and quotes, which end a column in files")
        times = finite("MotionTable", "times", self.times, ((len(values),),), f"{len(values)} numbers: the time (s) of each row")
        for name, value in {"names": tuple(names), "times": times, "values": values}.items():
            object.__setattr__(self, name, value)

    def column(self, name: str) -> Array:
        """(N,) by name, as the file has it."""
        if name not in self.names:
            raise SceneError(unknown("column", name, list(self.names)), owner="MotionTable", argument="name")
        return self.values[:, self.names.index(name)]

    def angle(self, name: str) -> Array:
        """(N,) a column that is an angle, in rad."""
        return np.radians(self.column(name)) if self.degrees else self.column(name)


def read_motion(path: str | PathLike[str]) -> MotionTable:
    """The columns of a motion over time, from an STO, MOT or CSV file with a column "time" (s)."""
    found = read_text_table(as_path(path, "A motion", "walk.mot"), "read_motion", SUFFIXES)
    names = [n.lower() for n in found.names]
    at = next((names.index(t) for t in TIMES if t in names), None)
    if at is None:
        raise SceneError(f"{found.owner} has no column 'time'. Its columns: {', '.join(found.names[:20])}.", owner=found.owner)
    missing = np.flatnonzero(np.isnan(found.values[:, at]))
    if len(missing):
        raise found.wrong(int(missing[0]), found.names[at], "nothing there", "the time (s) of the row")
    rest = [i for i in range(len(names)) if i != at]
    return MotionTable(tuple(found.names[i] for i in rest), found.values[:, at], found.values[:, rest], bool(found.degrees))


def read_text_table(path: Path, owner: str, suffixes: tuple[str, ...]) -> TextTable:
    """By the ending of the file's name."""
    check_suffix(path, owner, suffixes)
    return read_csv(path) if path.suffix.lower() == ".csv" else read_opensim(path)


def check_suffix(path: Path, owner: str, suffixes: tuple[str, ...]) -> None:
    if path.suffix.lower() not in suffixes:
        valid = f"one of {', '.join(suffixes)}"
        raise SceneError(f"{owner}: the name of {path.name!r} ends in {path.suffix!r}, expected {valid}.", owner=owner, argument="path")


def write_motion(path: str | PathLike[str], motion: MotionTable) -> None:
    """To an STO, MOT or CSV file, with all digits; a cell that is missing is nan (in CSV empty)."""
    target = as_path(path, "A motion", "walk.mot")
    check_suffix(target, "write_motion", SUFFIXES)
    rows = np.column_stack([motion.times, motion.values])
    names = ["time", *motion.names]
    if target.suffix.lower() == ".csv":
        write_text(target, csv_text(names, rows))
        return
    facts = [target.stem, "version=1", f"nRows={len(rows)}", f"nColumns={len(names)}", f"inDegrees={'yes' if motion.degrees else 'no'}"]
    body = ["\t".join(map(repr, row)) for row in rows.tolist()]
    write_text(target, "\n".join([*facts, "endheader", "\t".join(names), *body]) + "\n")


def csv_text(names: list[str], rows: Array) -> str:
    """Numbers with all their digits; nothing where one is missing."""
    return "\n".join([",".join(names), *[",".join("" if x != x else repr(x) for x in row) for row in rows.tolist()]]) + "\n"
