"""Where markers were, frame by frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from redmax.arguments import as_names
from redmax.components.checks import finite
from redmax.errors import SceneError, unknown, wrong
from redmax.types import Array

VALID = "positions (N, m, 3) (m): of m markers in N frames, NaN where one was not seen"


@dataclass(frozen=True)
class Markers:
    """Markers that were seen by cameras.

    names: of the m markers
    times: (N,) s
    positions: (N, m, 3) m; NaN where a marker was not seen
    """

    names: tuple[str, ...]
    times: Array = field(repr=False)
    positions: Array = field(repr=False)

    def __post_init__(self) -> None:
        seen = checked_positions("Markers", "positions", self.positions)
        times = finite("Markers", "times", self.times, ((len(seen),),), f"{len(seen)} numbers: the time (s) of each frame")
        names = as_names(self.names)
        if names is None or len(names) != seen.shape[1] or len(set(names)) != len(names):
            raise wrong("Markers", "names", self.names, f"{seen.shape[1]} names, no two alike: one for each marker")
        for name, value in {"names": tuple(names), "times": times, "positions": seen}.items():
            object.__setattr__(self, name, value)

    def of(self, *names: str) -> Array:
        """(N, m, 3) of some markers, by name, in this order."""
        return self.positions[:, [self.index(name) for name in names]]

    def index(self, name: str) -> int:
        if name not in self.names:
            raise SceneError(unknown("marker", name, list(self.names)), owner="Markers", argument="names")
        return self.names.index(name)

    def __len__(self) -> int:
        return len(self.times)


def checked_positions(owner: str, name: str, positions: Array | Sequence[object]) -> np.ndarray:
    """(N, m, 3); a marker is there with all of its coordinates, or not at all."""
    found = np.asarray(positions)
    if found.ndim != 3 or found.shape[2] != 3 or found.dtype.kind not in "fiu":
        raise wrong(owner, name, positions, VALID)
    found = found.astype(float)
    if np.isinf(found).any():
        i, m, _ = np.argwhere(np.isinf(found))[0].tolist()
        raise SceneError(f"{owner}: {name}[{i}, {m}] is infinite. Make it NaN if the marker was not seen.", owner=owner, argument=name)
    found[np.isnan(found).any(axis=2)] = np.nan
    return found
