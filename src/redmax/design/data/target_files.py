"""What a scene is to reach, from files: markers, and poses or rotations of frames, by their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike

import numpy as np

from redmax.arguments import as_path
from redmax.design.data.marker_files import Z_UP, Up, read_markers
from redmax.design.data.motion_table import TIMES, check_suffix, read_text_table
from redmax.design.data.pose_columns import KNOWN, chosen, positions, rotations
from redmax.design.data.text_table import TextTable
from redmax.design.data.units import Lengths
from redmax.errors import SceneError
from redmax.lie import se3
from redmax.types import Array

SUFFIXES = (".csv", ".trc", ".c3d", ".sto", ".mot")
TABLES = (".csv", ".sto", ".mot")
SEPARATORS = "._/ "
FIRST = {variant[0] for kind, variants in KNOWN.items() if kind != "position" for variant in variants}  # columns that begin a rotation


@dataclass(frozen=True)
class MovingTargets:
    """Goals in each row of a file.

    times: (N,) s, or None where the file has none; markers: (N, m, 3) of `names`, NaN where one was not seen
    poses: frame -> (N, 4, 4); turns: frame -> (N, 3, 3), of those without positions
    """

    times: Array | None = field(repr=False)
    names: tuple[str, ...]
    markers: Array = field(repr=False)
    poses: Mapping[str, Array] = field(repr=False)
    turns: Mapping[str, Array] = field(repr=False)

    def __len__(self) -> int:
        return len(self.markers)

    @property
    def of(self) -> tuple[str, ...]:
        """All that it has goals of."""
        return (*self.names, *self.poses, *self.turns)

    def of_markers(self, names: list[str]) -> Array:
        """(N, m, 3) of some, in this order."""
        return self.markers[:, [self.names.index(name) for name in names]]


def read_targets(path: str | PathLike[str], *, lengths: Lengths | None = None, up: Up = "z") -> MovingTargets:
    """Markers from all files that have them; of tables also poses, of which a rotation stands beside the position: foot_x, foot_qw, ...

    A row without a time is a goal by itself. lengths, up: as of `read_markers`
    """
    given = as_path(path, "A file of targets", "walk.trc")
    check_suffix(given, "read_targets", SUFFIXES)
    table = read_text_table(given, "read_targets", TABLES) if given.suffix.lower() in TABLES else None
    frames = [] if table is None else turning(table)
    if table is None or (given.suffix.lower() == ".csv" and not frames and has_times(table)):
        found = read_markers(given, lengths=lengths, up=up)
        return MovingTargets(found.times, found.names, found.positions, {}, {})
    return of_table(table, frames, lengths, Z_UP if up == "y" else np.eye(3))


def of_table(table: TextTable, frames: list[str], lengths: str | None, up: np.ndarray) -> MovingTargets:
    """frames: whose rotations it has; up: (3, 3) from its axes to the world's"""
    poses: dict[str, Array] = {}
    turns: dict[str, Array] = {}
    used: set[str] = set()
    for name in frames:
        roles = chosen(table, name, None)
        used |= {column for columns in roles.values() for column in columns}
        kind = next(k for k in roles if k != "position")
        R = up @ there(table, roles[kind], rotations(table, kind, roles[kind], "xyz", None, None))
        if "position" not in roles:
            turns[name] = R
            continue
        poses[name] = se3.pose(R, there(table, roles["position"], positions(table, roles["position"], lengths)) @ up.T)
    rest = {n[:-2]: [f"{n[:-1]}{axis}" for axis in "xyz"] for n in table.names if is_first(n, used)}
    seen = [positions(table, columns, lengths) @ up.T for columns in rest.values()]
    if not (seen or poses or turns):
        said = f"{table.owner} has no columns such as knee_x, knee_y, knee_z. Its columns: {', '.join(table.names[:20])}"
        raise SceneError(f"{said}. Name them by frames or bodies of the scene.", owner=table.owner, argument="path")
    empty = np.zeros((len(table.values), 0, 3))
    return MovingTargets(times_of(table), tuple(rest), np.stack(seen, axis=1) if seen else empty, poses, turns)


def turning(table: TextTable) -> list[str]:
    """Names before columns that begin a rotation."""
    heads = [n[: -len(first)] for n in table.names for first in FIRST if n.lower().endswith(first)]
    return list(dict.fromkeys(head[:-1] for head in heads if len(head) > 1 and head[-1] in SEPARATORS))


def is_first(name: str, used: set[str]) -> bool:
    """Whether a column is the x of a position that nothing else has used."""
    return len(name) > 2 and name[-1] in "xX" and name[-2] in SEPARATORS and name not in used


def there(table: TextTable, columns: list[str], values: Array) -> Array:
    """The values of rows, all of which must be there: only markers may be missing."""
    gone = np.flatnonzero(np.isnan(values).reshape(len(values), -1).any(axis=1))
    if len(gone):
        raise table.wrong(int(gone[0]), columns[0], "nothing there", "the pose of the frame. Leave the row out")
    return values


def has_times(table: TextTable) -> bool:
    return any(name.lower() in TIMES for name in table.names)


def times_of(table: TextTable) -> Array | None:
    """(N,) s, increasing."""
    name = next((n for n in table.names if n.lower() in TIMES), None)
    if name is None:
        return None
    times = table.column(name)
    if np.isnan(times).any():
        raise table.wrong(int(np.argmax(np.isnan(times))), name, "nothing there", "the time (s) of the row")
    return times
