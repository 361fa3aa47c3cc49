"""The parameters of a run in its file: a dataset for each, with the axes of the worlds before its own, and one checksum of all.

Their names are in the header, which has a checksum too. Values are checked once more when a file is opened, as those of a user are.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any
from zlib import crc32

import numpy as np

from redmax.errors import SceneError, unknown
from redmax.model.model import Model
from redmax.model.parameters import known_parameters
from redmax.results.contents import Contents
from redmax.run.trajectory import Trajectory

ABOUT = "the parameter {name}: what differs from world to world"


def dataset_of(number: int) -> str:
    """Where a parameter is; its name, which may hold anything, is in the header."""
    return f"parameters/{number}"


def values_of(run: Trajectory) -> dict[str, np.ndarray]:
    """name -> (worlds..., its shape) of a run."""
    shapes = {p.name: p.shape for p in run.model.parameters}
    return {n: np.broadcast_to(np.asarray(x, float), (*run.q.shape[1:-1], *shapes[n])).copy() for n, x in run.engine.given.items()}


def check_of(values: Mapping[str, np.ndarray]) -> int:
    """The checksum of all values."""
    found = 0
    for array in values.values():
        found = crc32(np.ascontiguousarray(array, float).tobytes(), found)
    return found


def facts_of(values: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """What the header says of them."""
    return {"parameters": list(values), "parameters_check": check_of(values)} if values else {}


def stored_parameters(file: Contents, header: Mapping[str, Any], model: Model, batch: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Those of a result file, by name."""
    names = header.get("parameters", [])
    known = known_parameters(model) if names else {}
    values: dict[str, np.ndarray] = {}
    for k, name in enumerate(names):
        if name not in known:
            raise SceneError(unknown("parameter", name, list(known)), owner="parameters", argument=name)
        shape = (*batch, *known[name].shape)
        stored = file.dataset(dataset_of(k), np.dtype(float), shape)
        if 8 * prod(shape) > file.bytes:
            file.refuse(dataset_of(k), f"declares {8 * prod(shape)} bytes, expected at most {file.bytes}")
        values[name] = stored[()]
    if names and check_of(values) != header.get("parameters_check"):
        raise ValueError("its parameters are not as they were written")
    return values
