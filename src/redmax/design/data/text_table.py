"""Tables of numbers in text files: CSV, and OpenSim's STO and MOT. Each row knows its line, each column its name and unit."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from redmax.design.data.units import split_name
from redmax.errors import SceneError, brief, unknown

DELIMITERS = "\t;,"
NOT_THERE = ("", "nan", "na", "n/a", "null", "none", "-")
QUATERNION = ("qw", "qx", "qy", "qz")


@dataclass(frozen=True)
class TextTable:
    """owner: the name of the file; names, units: of columns; values: (N, columns), NaN for empty cells; rows: what sentences call each;
    degrees: whether its header says that angles are in degrees; None if it does not say"""

    owner: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    values: np.ndarray
    rows: tuple[str, ...]
    degrees: bool | None = None

    def column(self, name: str) -> np.ndarray:
        return self.values[:, self.index(name)]

    def index(self, name: str) -> int:
        """The place of a column, also where only its letters' case differs."""
        lower = [n.lower() for n in self.names]
        if name.lower() not in lower:
            raise SceneError(f"{self.owner}: {unknown('column', name, list(self.names))}", owner=self.owner, argument="columns")
        return lower.index(name.lower())

    def refused(self, said: str, argument: str) -> SceneError:
        """The error of the file, about an argument that reads it otherwise."""
        return SceneError(said, owner=self.owner, argument=argument)

    def wrong(self, row: int, column: str, got: str, expected: str) -> SceneError:
        """The error of one cell."""
        said = f"{self.owner}, {self.rows[row]}, column {column!r}: {got}, expected {expected}."
        return SceneError(said, owner=self.owner, argument=column, got=got, expected=expected)


def text_of(path: Path) -> list[str]:
    """The lines of a file, or an error that says why it cannot be read."""
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise SceneError(f"There is no file {str(path)!r}.", argument="path") from None
    except UnicodeDecodeError:
        raise SceneError(f"{path.name} is no text in UTF-8. Save it with that encoding.", owner=path.name, argument="path") from None
    except OSError as error:
        raise SceneError(f"{path.name} cannot be read: {error.strerror or error}.", owner=path.name, argument="path") from None


def read_csv(path: Path) -> TextTable:
    """Lines of cells between commas, semicolons or tabs, the first with the names of columns; "#" begins a comment."""
    lines = [(i, text) for i, text in enumerate(text_of(path), 1) if text.strip() and not text.lstrip().startswith("#")]
    if not lines:
        raise SceneError(f"{path.name} is empty. Its first line has the names of columns.", owner=path.name, argument="path")
    first = lines[0][1]
    delimiter = max(DELIMITERS, key=first.count)
    header = cells(first, delimiter)
    if all(is_number(cell, delimiter == ";") for cell in header):
        example = "flexion,x,y,z,qw,qx,qy,qz"
        said = f"{path.name}, line {lines[0][0]}: numbers, where the names of columns belong"
        raise SceneError(f"{said}. Put them in a line before, as {example!r}.", owner=path.name, argument="path")
    return table(path.name, header, [(i, cells(text, delimiter)) for i, text in lines[1:]], comma=delimiter == ";")


def read_opensim(path: Path) -> TextTable:
    """STO or MOT: lines of facts up to "endheader", the names of columns, and numbers between tabs or spaces."""
    lines = text_of(path)
    ends = [i for i, text in enumerate(lines) if text.strip().lower() == "endheader"]
    if not ends:
        raise SceneError(f"{path.name} has no line 'endheader', which ends the header of an STO or MOT file.", owner=path.name)
    pairs = [text.lower().split("=", 1) for text in lines[: ends[0]] if "=" in text]
    facts = {name.strip(): value.strip() for name, value in pairs}
    rows = [(i, text.strip().split("\t") if "\t" in text else text.split()) for i, text in enumerate(lines[ends[0] + 1 :], ends[0] + 2)]
    rows = [(i, [cell.strip() for cell in row]) for i, row in rows if any(cell.strip() for cell in row)]
    if not rows:
        raise SceneError(f"{path.name} has no columns below its header.", owner=path.name)
    names = rows[0][1]
    if facts.get("datatype") == "quaternion":
        rows = [(i, [part for cell in row for part in (cell.split(",") if "," in cell else [cell])]) for i, row in rows[1:]]
        names = [names[0], *[f"{name}_{part}" for name in names[1:] for part in QUATERNION]]
    else:
        rows = rows[1:]
    stated = {"yes": True, "no": False}.get(facts.get("indegrees", ""))
    return table(path.name, names, rows, degrees=stated)


def table(
    owner: str, header: Sequence[str], rows: Sequence[tuple[int, Sequence[str]]], comma: bool = False, degrees: bool | None = None
) -> TextTable:
    """Of cells, as numbers. comma: whether decimals may stand behind a comma"""
    names, units = zip(*map(split_name, header), strict=True)
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise SceneError(f"{owner}: there are two columns {twice!r}. Rename one of them.", owner=owner, argument="path")
    if not rows:
        raise SceneError(f"{owner} has no rows below the names of columns.", owner=owner, argument="path")
    values = np.full((len(rows), len(names)), np.nan)
    found = TextTable(owner, names, units, values, tuple(f"line {i}" for i, _ in rows), degrees)
    for r, (line, row) in enumerate(rows):
        if any(row[len(names) :]) or len(row) < len(names):
            said = f"{owner}, line {line}: {len(row)} cells, expected {len(names)}, one for each column"
            raise SceneError(f"{said}.", owner=owner, argument="path")
        for c, cell in enumerate(row[: len(names)]):
            if cell.lower() in NOT_THERE:
                continue
            try:
                values[r, c] = float(cell.replace(",", ".") if comma else cell)
            except ValueError:
                raise found.wrong(r, names[c], f"{brief(cell)} is no number", "a number, or nothing where it is missing") from None
            if np.isinf(values[r, c]):
                raise found.wrong(r, names[c], cell, "a finite number, or nothing where it is missing")
    return found


def cells(text: str, delimiter: str) -> list[str]:
    return [cell.strip() for cell in next(csv.reader([text], delimiter=delimiter))]


def is_number(cell: str, comma: bool) -> bool:
    try:
        float(cell.replace(",", ".") if comma else cell)
    except ValueError:
        return False
    return True
