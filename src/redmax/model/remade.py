"""Parameters that are arguments of a component: which constants of its kernels follow from them, and what these are in each world.

The pitch of a screw is a constant of its kernels as it is; the control frames of a spline become the screws between them, the size of a
cuboid its inertia. So the component is made again with other numbers: which constants differ then is found by changing each number a
little, once. Where the constants are the numbers themselves, programs take these, and have derivatives by them; otherwise they take the
constants, which are computed world by world.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from redmax.components.numbers import Path, Values
from redmax.errors import SceneError
from redmax.trace import Table

Entry: TypeAlias = tuple[str, int]  # a constant of the kernels, and which of its numbers
Constants: TypeAlias = Mapping[str, "np.ndarray | Table"]
Maker: TypeAlias = Callable[[Values], Constants]
MADE = "made"  # what constants that several arguments make together are called among the parameters of a joint or force
ROUNDING = 1e-13  # of the largest number of a constant: what another turn makes of the inertia of a ball
LITTLE = 2**-6  # by which numbers are changed, of their size; exact for most


class Refused(Exception):
    """Why a number cannot be a parameter."""


@dataclass(frozen=True, eq=False)
class Remaking:
    """How the constants of one link or force follow from its arguments.

    make: its constants, made again; values, names: of the parameters by path; entries: the constants that differ; same: whether they are
    the values, as they are
    """

    make: Maker
    values: Values
    names: Mapping[Path, str]
    entries: tuple[Entry, ...]
    same: bool
    owner: object

    def columns(self, given: Mapping[str, np.ndarray]) -> np.ndarray:
        """(..., entries) from values by name, (..., its shape) each."""
        shapes = {path: given[name].shape[: given[name].ndim - value.ndim] for path, name, value in self.each(given)}
        lead = np.broadcast_shapes(*shapes.values())
        spread = {p: np.broadcast_to(given[n], (*lead, *v.shape)).reshape(-1, *v.shape) for p, n, v in self.each(given)}
        count = int(np.prod(lead))
        if self.same and spread:
            self.check({path: f(values, axis=0) for path, values in spread.items()} for f in (np.min, np.max) if count)
            return next(iter(spread.values())).reshape(*lead, -1)
        known: dict[bytes, np.ndarray] = {}
        rows = np.empty((count, len(self.entries)))
        for w in range(count):
            own = {path: values[w] for path, values in spread.items()}
            key = b"".join(value.tobytes() for value in own.values())
            if key not in known:
                known[key] = self.row(own)
            rows[w] = known[key]
        return rows.reshape(*lead, len(self.entries))

    def each(self, given: Mapping[str, np.ndarray]) -> list[tuple[Path, str, np.ndarray]]:
        """(path, name, value as the model has it) of those that are given."""
        return [(path, self.names[path], value) for path, value in self.values.items() if self.names[path] in given]

    def check(self, worlds: Any) -> None:
        """Raise the sentence of the constructor where it does not take these."""
        for values in worlds:
            self.made(values)

    def row(self, values: Values) -> np.ndarray:
        """The entries in one world."""
        constants, (base, known) = self.made(values), self.base
        made = flat(constants)
        changed = np.flatnonzero(np.abs(made - base) > ROUNDING * sizes(constants))
        if set(changed.tolist()) - set(known):
            names = " and ".join(self.names.values())
            why = "change more than the numbers near those of the scene do, where it is in a special position"
            raise SceneError(f"The given values of {names} {why}. Build the scene with other numbers.", owner="parameters")
        return made[known]

    @cached_property
    def touching(self) -> dict[str, Any]:
        """What has been found of arguments of many numbers, by name: the entries that each of them changes, and which can move together."""
        return {}

    @cached_property
    def base(self) -> tuple[np.ndarray, list[int]]:
        """All of its numbers as the model has them, and where the entries stand among them."""
        constants = self.make({})
        return flat(constants), places(constants, self.entries)

    def made(self, values: Values) -> Constants:
        """Its constants in one world, of the same structure."""
        try:
            return self.make(values)
        except Refused as why:
            names = " and ".join(self.names.values())
            raise SceneError(f"The given values of {names} make another component of it: {why}.", owner="parameters") from None


def flat(constants: Constants) -> np.ndarray:
    """All of their numbers."""
    return np.concatenate([np.zeros(0), *[ravelled(v) for v in constants.values()]])


def sizes(constants: Constants) -> np.ndarray:
    """Of each number, how large those are that it belongs to."""
    each = [ravelled(v) for v in constants.values()]
    return np.concatenate([np.zeros(0), *[np.full(x.size, np.abs(x).max(initial=0.0)) for x in each]])


def ravelled(value: np.ndarray | Table) -> np.ndarray:
    """Of one constant."""
    return np.ravel(value.array if isinstance(value, Table) else value).astype(float)


def places(constants: Constants, entries: Sequence[Entry]) -> list[int]:
    """Where entries stand among all numbers."""
    starts = dict(zip(constants, np.cumsum([0, *[ravelled(v).size for v in constants.values()]]).tolist(), strict=False))
    return [starts[name] + k for name, k in entries]


def remaking(make: Maker, values: Values, names: Mapping[Path, str], owner: object = None) -> Remaking:
    """Find the entries. Raises Refused where nothing, or too much, follows from the values."""
    base = make({})
    before, changed, same = flat(base), np.zeros(flat(base).size, bool), len(values) == 1
    for path, value in values.items():
        try:
            tries = tried(make, path, value)
        except SceneError:  # poses, knots and the like: no number of theirs changes alone
            changed |= np.concatenate([np.zeros(0, bool), *[np.full(ravelled(v).size, n.startswith(OF[path[0]])) for n, v in base.items()]])
            same = False
            continue
        moved = np.any([found != before for _, found in tries], axis=0)
        if not moved.any():
            raise Refused("no constant of its kernels follows from it, as where it is part of a function of time")
        same = same and all(np.array_equal(found[moved], np.ravel(other)) for other, found in tries)
        changed |= moved
    if len(values) > 1:
        changed |= moved_together(make, values, before)
    return Remaking(make, values, names, entries_of(base, changed), same, owner)


def moved_together(make: Maker, values: Values, before: np.ndarray) -> np.ndarray:
    """What changes with all of them at once: turns about two axes do what neither of them does."""
    try:
        return flat(make({path: nudged(value)[0] for path, value in values.items()})) != before
    except (Refused, SceneError):
        return np.zeros(before.size, bool)


OF = {"joint": ("joint.",), "shape": ("mass", "h", "A", "body_"), "force": ("",), "frame": ("anchors",)}  # of what


def tried(make: Maker, path: Path, value: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """(numbers near a value, the constants they make): each changed by another amount or, where that makes another component, alike."""
    try:
        return [(other, flat(make({path: other}))) for other in nudged(value)]
    except Refused:
        found = [(other, flat(make({path: other}))) for other in (value * (1 + LITTLE), value * (1 - LITTLE))]
        if all(np.array_equal(constants, flat(make({}))) for _, constants in found):
            raise
        return found


def nudged(value: np.ndarray) -> list[np.ndarray]:
    """Numbers near a value, each by another amount, with none that is zero.

    A turn is about two axes, none of which a point in a special position is on.
    """
    if value.shape == (3,) and not value.any():
        return [np.array(turn) for turn in ((0.0131, -0.0223, 0.0317), (0.0279, 0.0181, -0.0113))]
    steps = LITTLE * (1 + np.arange(value.size).reshape(value.shape) % 8)
    size = float(np.abs(value).max()) or 1.0
    return [np.where(value == 0, part * steps * size, value * (1 + part * steps)) for part in (1.0, 0.5)]


def entries_of(constants: Constants, changed: np.ndarray) -> tuple[Entry, ...]:
    """The constants that changed, number by number, but tables as a whole."""
    found: list[Entry] = []
    start = 0
    for name, value in constants.items():
        size = ravelled(value).size
        own = changed[start : start + size]
        chosen = range(size) if isinstance(value, Table) and own.any() else np.flatnonzero(own).tolist()
        found += [(name, k) for k in chosen]
        start += size
    return tuple(found)
