"""Arrays of poses in NumPy's files, as a table with the columns that texts have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from redmax.design.data.text_table import TextTable
from redmax.errors import SceneError

POSITION = ("x", "y", "z")
VECTOR = ("rx", "ry", "rz")
QUATERNION = ("q_1", "q_2", "q_3", "q_4")  # which of them is w is not known
MATRIX = tuple(f"r{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3))
VALID = "(N, 4, 4), (N, 3, 4), (N, 16), (N, 12), (N, 7) for a position and a quaternion, or (N, 6) for a position and a rotation vector"


def read_arrays(path: Path) -> tuple[TextTable, dict[str, list[str]], Any, Any]:
    """The poses as a table, which columns are which, parameters and times or None. Nothing but numbers is taken from the file."""
    try:
        found = np.load(path, allow_pickle=False)
        kept = {"poses": found} if isinstance(found, np.ndarray) else {name: found[name] for name in found.files}
    except FileNotFoundError:
        raise SceneError(f"There is no file {str(path)!r}.", argument="path") from None
    except Exception as error:
        raise SceneError(f"{path.name} cannot be read as an array of NumPy's: {error}.", owner=path.name, argument="path") from None
    if "poses" not in kept:
        there = ", ".join(kept) or "none"
        raise SceneError(f"{path.name} has no array 'poses'. Its arrays: {there}.", owner=path.name, argument="path")
    E = kept["poses"]
    if E.dtype.kind not in "fiu" or not E.size:
        raise SceneError(f"{path.name}: poses is an array of {E.dtype}, shape {E.shape}, expected numbers {VALID}.", owner=path.name)
    names, values = as_table(path.name, E.astype(float))
    table = TextTable(path.name, names, ("",) * len(names), values, tuple(f"poses[{i}]" for i in range(len(values))))
    extras = [checked(path.name, name, kept.get(name), len(values)) for name in ("parameters", "times")]
    kind = {3: "rotation_vector", 4: "quaternion", 9: "matrix"}[len(names) - 3]
    return table, {"position": list(POSITION), kind: list(names[3:])}, *extras


def as_table(owner: str, E: np.ndarray) -> tuple[tuple[str, ...], np.ndarray]:
    """Columns of a position and a rotation."""
    flat = E.reshape(len(E), -1)
    if E.shape[1:] in ((4, 4), (16,)):
        last = flat[:, 12:]
        there = ~np.isnan(flat).any(axis=1)
        off = there & (last != [0, 0, 0, 1]).any(axis=1)
        if off.any():
            i = int(np.argmax(off))
            fix = " It is transposed: save np.swapaxes(poses, 1, 2)." if not flat[i, [3, 7, 11]].any() else ""
            said = f"{owner}: poses[{i}] has the last row {last[i].tolist()}, expected (0, 0, 0, 1)"
            raise SceneError(f"{said}.{fix}", owner=owner, argument="poses")
        flat = flat[:, :12]
    elif E.shape[1:] == (6,):
        return (*POSITION, *VECTOR), flat
    elif E.shape[1:] == (7,):
        return (*POSITION, *QUATERNION), flat
    elif E.shape[1:] not in ((3, 4), (12,)):
        raise SceneError(f"{owner}: poses has shape {E.shape}, expected {VALID}.", owner=owner, argument="poses")
    rows = flat.reshape(-1, 3, 4)
    return (*POSITION, *MATRIX), np.column_stack([rows[:, :, 3], rows[:, :, :3].reshape(-1, 9)])


def checked(owner: str, name: str, value: Any, count: int) -> Any:
    """A row of numbers for each pose."""
    if value is None:
        return None
    fits = value.dtype.kind in "fiu" and len(value.shape) in (1, 2) and len(value) == count
    if not fits or not np.isfinite(value).all():
        raise SceneError(f"{owner}: {name} has shape {value.shape}, expected {count} finite numbers, or rows of them.", owner=owner)
    return value.astype(float)
