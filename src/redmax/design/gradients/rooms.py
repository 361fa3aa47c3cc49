"""Where derivatives are written that somebody has room for; and that they are there, and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from redmax.arguments import brief
from redmax.errors import RedmaxError, SceneError, unknown
from redmax.run.simulation import Simulation

TOGETHER = 1000  # numbers of slopes, up to which those of several are looked at as one
OF_RUN = ("qdot", "tau")  # what runs on their way back find as it is given out


@dataclass(frozen=True, eq=False)
class Rooms:
    """given: name -> the array that derivatives by it go to."""

    given: Mapping[str, np.ndarray] = field(default_factory=dict)

    @classmethod
    def of(cls, out: Any, sizes: Mapping[str, tuple[int, ...]], batch: tuple[int, ...]) -> Rooms:
        """Of what a user gives, if it is right. sizes: of the derivatives by each name, in one world"""
        if out is None:
            return NO_ROOMS
        shapes = {name: n[:1] + batch + n[1:] if name == "tau" else batch + n for name, n in sizes.items()}
        if not isinstance(out, Mapping):
            said = f'out is a dictionary, name -> array, such as {{"tau": np.empty({shapes.get("tau", (3,))})}}. Got {brief(out)}.'
            raise SceneError(said, owner="gradient", argument="out")
        for name, x in out.items():
            if name not in shapes:
                raise SceneError(unknown("name that the gradient is by", name, list(shapes)), owner="gradient", argument="out")
            if not isinstance(x, np.ndarray) or x.shape != shapes[name] or x.dtype != float or not x.flags.writeable:
                valid = f"an array of doubles of shape {shapes[name]} that can be written to"
                raise SceneError(f"out[{name!r}] must be {valid}. Got {brief(x)}.", owner="gradient", argument="out", expected=valid)
        return cls(out)

    @property
    def of_run(self) -> dict[str, np.ndarray]:
        """Those that the way back fills itself: "tau" as (steps, worlds, nv), "qdot" as (worlds, nv)."""
        found: dict[str, np.ndarray] = {}
        for name in (n for n in OF_RUN if n in self.given):
            x = self.given[name]
            batch = x.shape[1:-1] if name == "tau" else x.shape[:-1]
            if len(batch) <= 1:  # others are put together in one piece first
                steps = x.shape[:1] if name == "tau" else ()
                found[name] = x if batch else x.reshape(*steps, 1, x.shape[-1])
        return {name: x for name, x in found.items() if np.shares_memory(x, self.given[name])}

    def filled(self, by: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The derivatives, in these rooms."""
        for name, room in self.given.items():
            if not np.shares_memory(room, by[name]):
                room[...] = by[name]
        return by | dict(self.given)


NO_ROOMS = Rooms()


def zeroed(room: np.ndarray | None, shape: tuple[int, ...]) -> np.ndarray:
    """Zeros, in a room if there is one."""
    if room is None:
        return np.zeros(shape)
    room[...] = 0.0
    return room


class Beginnings:
    """Where runs of a simulation begin, of which it is asked whether forces have a corner there."""

    def __init__(self, sim: Simulation) -> None:
        self.sim, self.looked = sim, np.zeros((0, 0))

    def check(self) -> None:
        """Raise where one does, unless the last run began there."""
        sim = self.sim
        if not np.array_equal(self.looked, sim.q):
            sim.engine.refuse_corners("redmax.gradient", {"q": sim.q, "qdot": sim.qdot, "t": sim.t})
            self.looked = sim.q.copy()


def check_finite(by: Mapping[str, np.ndarray], corner: float | None) -> None:
    """Raise where there is no derivative. corner: when (s) the objective has none, if it is the objective."""
    few = [x.ravel() for x in by.values() if x.size <= TOGETHER]
    if all(np.isfinite(x).all() for x in (np.concatenate([np.zeros(0), *few]), *[x for x in by.values() if x.size > TOGETHER])):
        return
    for name, slope in by.items():
        if not np.isfinite(slope).all():
            where = np.argwhere(~np.isfinite(slope))[0].tolist()
            if corner is None:
                why = "a joint, a force or a constraint has none at a state of this run"
                fix = "Begin beside it, or smooth a force that has a kink there: sqrt(x @ x + 1e-12) for a length"
            else:
                why = f"the objective has none at t = {corner:.6g} s"
                fix = "Smooth what has a kink there, as in sqrt(x @ x + 1e-12) for a distance, or begin beside it"
            said = f"The derivative by {name!r} is no number, at {where}: {why}"
            raise RedmaxError(f"{said}. {fix}.", owner="gradient", argument=name)
