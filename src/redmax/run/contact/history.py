"""What touched what during a run, sample by sample, and the sums of it by body and by pair: touch sensors.

Forces are those of the steps that end at the samples: impulse / dt, so that m (v - v_before) / dt = m g + the sum of them. Points and
normals are where that step began.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from redmax.arguments import as_world, brief, check_sample
from redmax.components.one_line import OneLine
from redmax.dynamics.contact.detect import FEATURES
from redmax.errors import SceneError, unknown
from redmax.run.contact.listed import listed, write_csv
from redmax.run.contact.of_nodes import add_node_wrenches, centre_of, node_numbers, nodes_of, pair_frictions
from redmax.run.contact.records import (
    COLUMNS,
    ENERGY,
    FIRST,
    FORCE,
    GAP,
    KEY,
    MOMENT,
    NORMAL,
    POINT,
    SECOND,
    SLIP,
    STATE,
    STATES,
    check_touching,
    gathered,
    owner_names,
)

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory


@dataclass(frozen=True, eq=False, repr=False)
class Contact(OneLine):
    """One point where two of bodies, obstacles and deformables meet; arrays are (3,), in world axes.

    first, second: their names; node: which of a deformable's nodes it is, -1 where none is part of it
    point (m); normal: from the first to the second; gap (m): below 0 where they overlap
    force (N): on the second, and its opposite on the first; slip (m/s): of the second on the first, along the surface
    state: "open" where they do not press on each other, "sticking" or "sliding"
    moment (N m): of torsional and rolling friction, on the second, beside the force at the point
    energy (J): held by giving way; friction: mu of the two
    """

    first: str
    second: str
    point: np.ndarray
    normal: np.ndarray
    gap: float
    force: np.ndarray
    slip: np.ndarray
    state: str
    moment: np.ndarray
    energy: float = 0.0
    node: int = -1
    friction: float = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class ContactSample(OneLine):
    """All contacts at one sample, at the time t (s): arrays with a row for each, otherwise as `Contact` has them.

    first, second, state: (n,) of texts; point, normal, force, slip, moment: (n, 3); gap, normal_force, energy, node, friction: (n,)
    """

    t: float
    first: np.ndarray
    second: np.ndarray
    point: np.ndarray
    normal: np.ndarray
    gap: np.ndarray
    force: np.ndarray
    slip: np.ndarray
    state: np.ndarray
    moment: np.ndarray
    energy: np.ndarray
    node: np.ndarray
    friction: np.ndarray

    @property
    def normal_force(self) -> np.ndarray:
        """(n,): how hard they press (N)."""
        return (self.force * self.normal).sum(axis=-1)

    def __len__(self) -> int:
        return len(self.gap)

    def __getitem__(self, k: int) -> Contact:
        check_sample(k, len(self))
        kinds: dict[Any, str] = {str: "first second state", float: "gap energy friction", int: "node"}
        kinds[np.asarray] = "point normal force slip moment"
        return Contact(**{name: kind(getattr(self, name)[k]) for kind, names in kinds.items() for name in names.split()})

    def __iter__(self) -> Iterator[Contact]:
        return (self[k] for k in range(len(self)))


@dataclass(frozen=True, eq=False, repr=False)
class Contacts:
    """Contacts of a run: `contacts[k]` are those of a sample, `contacts[k, i]` of one world of a batch.

    t: (time,) s; count: (time, ...), how many points there are at each sample, open ones among them
    nodes, friction: (pairs,), as of `nodes_of`, and mu
    names: of bodies, obstacles, deformables, as they are numbered in rows, (n, COLUMNS) of records.py, which begin at `begin` (time, ...)
    solver: (time, ..., 3), see `residual`, `convex_problems` and `newton_steps`
    """

    t: np.ndarray
    count: np.ndarray
    begin: np.ndarray
    solver: np.ndarray
    rows: Any
    names: tuple[str, ...]
    units: tuple[str, str] = ("m", "N")  # of lengths and forces
    nodes: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    friction: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, at: int | tuple[int, ...]) -> ContactSample:
        k, *world = at if isinstance(at, tuple) else (at,)
        check_sample(k, len(self))
        if len(world) != self.count.ndim - 1:
            got = f"This run has worlds {self.count.shape[1:]}" if self.count.ndim > 1 else "This run has one world"
            raise SceneError(f"contacts[k, ...] takes a sample and a world, one number for each axis of the batch. {got}. Got {brief(at)}.")
        place = (k, *as_world(tuple(world), self.count.shape[1:])) if world else (k,)
        rows = gathered(self.rows, np.asarray(self.begin[place]), np.asarray(self.count[place]))
        return ContactSample(float(self.t[k]), **self.read(rows))

    def __repr__(self) -> str:
        most = int(np.max(self.count, initial=0))
        return f"Contacts(t = {self.t[0]:g} .. {self.t[-1]:g} s, at most {most} points, residual at most {np.nanmax(self.residual):.1e})"

    def __iter__(self) -> Iterator[ContactSample]:
        return (self[k] for k in range(len(self)))

    def read(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """What rows (n, COLUMNS) say, by the names that a ContactSample has."""
        names, parts = np.array(self.names, str), {"point": POINT, "normal": NORMAL, "force": FORCE, "slip": SLIP, "moment": MOMENT}
        found = {name: rows[:, at : at + 3] for name, at in parts.items()}
        found |= {"gap": rows[:, GAP], "energy": rows[:, ENERGY], "node": nodes_of(rows, self.nodes)}
        found["friction"] = self.friction[(rows[:, KEY] // FEATURES).astype(int)]
        texts = {"first": (names, FIRST), "second": (names, SECOND), "state": (np.array(STATES), STATE)}
        return found | {name: words[rows[:, at].astype(int)] for name, (words, at) in texts.items()}

    def to_numpy(self) -> dict[str, np.ndarray]:
        """All contacts of all samples, (n,) or (n, 3) by name: t, sample, world of a batch, and what a ContactSample has."""
        return listed(self)

    def to_csv(self, path: str | PathLike[str]) -> Path:
        """Write a table with a line for each contact of each sample."""
        return write_csv(self, path)

    @property
    def residual(self) -> np.ndarray:
        """(time, ...): how far the steps since the sample before are from solving contact and friction: the worst, a velocity (m/s)."""
        return np.asarray(self.solver[..., 0])

    @property
    def convex_problems(self) -> np.ndarray:
        """(time, ...): how often friction was adapted to how fast contacts slide, in all steps since the sample before."""
        return np.asarray(self.solver[..., 1])

    @property
    def newton_steps(self) -> np.ndarray:
        """(time, ...): steps of Newton's method in all steps since the sample before."""
        return np.asarray(self.solver[..., 2])

    @cached_property
    def all_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows of all samples and worlds, and the place of each among these, counted in one row."""
        count = np.asarray(self.count)
        return gathered(self.rows, np.asarray(self.begin), count), np.repeat(np.arange(count.size), count.ravel())

    @cached_property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The names of all that pressed on each other during the run, in the order of bodies and obstacles."""
        rows = self.all_rows[0]
        found = np.unique(np.sort(rows[rows[:, STATE] > 0.5, FIRST : SECOND + 1].astype(int), axis=1), axis=0)
        return tuple((self.names[a], self.names[b]) for a, b in found.tolist())

    @cached_property
    def pressing(self) -> np.ndarray:
        """(time, ...): how many points press, which are not open."""
        rows, place = self.all_rows
        return self.summed(place, (rows[:, STATE] > 0.5).astype(float)).astype(int)

    @cached_property
    def energy(self) -> np.ndarray:
        """(time, ...): what contacts hold of the energy of bodies (J), as springs do; bodies get it back, and have it not meanwhile."""
        rows, place = self.all_rows
        return self.summed(place, rows[:, ENERGY])

    def summed(self, place: np.ndarray, values: np.ndarray) -> np.ndarray:
        """(time, ..., *own) sums of values (n, *own) by place."""
        shape = self.count.shape
        found = np.zeros((int(np.prod(shape)), *values.shape[1:]))
        np.add.at(found, place, values)
        return found.reshape(*shape, *values.shape[1:])

    def number(self, name: str) -> int:
        """Of a body, an obstacle or a deformable, by its name."""
        if name not in self.names:
            raise SceneError(unknown("body, obstacle or deformable", name, list(self.names)))
        return self.names.index(name)

    def felt(self, name: str, other: str | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Forces on a body or obstacle, of all or of one other: the places of samples (n,), where (n, 3), force and moment (n, 3)."""
        (rows, place), me = self.all_rows, self.number(name)
        them = None if other is None else self.number(other)
        first, second = rows[:, FIRST].astype(int), rows[:, SECOND].astype(int)
        sign = np.where(second == me, 1.0, 0.0) - np.where(first == me, 1.0, 0.0)
        chosen = (sign != 0) & (True if them is None else (first == them) | (second == them))
        force, moment = (sign[chosen, None] * rows[chosen, at : at + 3] for at in (FORCE, MOMENT))
        return place[chosen], rows[chosen, POINT : POINT + 3], force, moment

    def normal_force(self, first: str, second: str) -> np.ndarray:
        """(time, ...): how hard two press on each other (N), the sum over their points."""
        rows, place = self.all_rows
        pair = np.sort(rows[:, FIRST : SECOND + 1].astype(int), axis=1)
        chosen = (pair == sorted((self.number(first), self.number(second)))).all(axis=1)
        return self.summed(place[chosen], (rows[chosen, FORCE : FORCE + 3] * rows[chosen, NORMAL : NORMAL + 3]).sum(axis=1))


@dataclass(frozen=True, eq=False)
class RecordsContacts:
    """What a Trajectory has of contacts: None in all of these where nothing in the scene touches.

    contact_count: (time, ...), how many points; contact_first: (time, ...), where their rows begin in contact_rows (n, COLUMNS)
    contact_solver: (time, ..., 3), residual (m/s), convex problems and Newton steps; contact_check: checksums of rows in a file
    """

    contact_count: np.ndarray | None = field(default=None, kw_only=True, repr=False)
    contact_first: np.ndarray | None = field(default=None, kw_only=True, repr=False)
    contact_solver: np.ndarray | None = field(default=None, kw_only=True, repr=False)
    contact_check: np.ndarray | None = field(default=None, kw_only=True, repr=False)
    contact_rows: Any = field(default=None, kw_only=True, repr=False)

    @cached_property
    def contacts(self) -> Contacts:
        """What touches what: `run.contacts[k]` at a sample, with bodies, points, normals, gaps, forces and states of all contacts."""
        run = as_run(self)
        names, shape = owner_names(run.model), run.q.shape[:-1]
        units = run.model.units.length, run.model.units.force
        if self.contact_count is None or self.contact_first is None or self.contact_solver is None:
            none = np.zeros(shape, int)
            return Contacts(run.t, none, none, np.zeros((*shape, 3)), np.zeros((0, COLUMNS)), names, units)
        told = self.contact_count, self.contact_first, self.contact_solver, self.contact_rows
        return Contacts(run.t, *told, names, units, node_numbers(run.model), pair_frictions(run.model, run.engine.given))

    def contact_force(self, name: str, other: str | None = None) -> np.ndarray:
        """(time, ..., 3): the sum of contact forces on a body, obstacle or deformable (N), of all others or of one, in world axes."""
        check_touching(as_run(self).model, name, other)
        place, _, force, _ = self.contacts.felt(name, other)
        return self.contacts.summed(place, force)

    def contact_wrench(self, name: str, other: str | None = None) -> np.ndarray:
        """(time, ..., 6): torque about its centre of mass, where it is as the step begins, and force on a body or deformable (N m; N)."""
        run = as_run(self)
        check_touching(run.model, name, other)
        place, point, force, moment = self.contacts.felt(name, other)
        centre = centre_of(run, name).reshape(-1, 3)
        return self.contacts.summed(place, np.concatenate([np.cross(point - centre[place], force) + moment, force], axis=1))

    @cached_property
    def contact_wrenches(self) -> np.ndarray:
        """(time, ..., links, 6): torque and force of contacts on all links, in body axes, as dynamics functions take them."""
        run = as_run(self)
        found = np.zeros((*run.q.shape[:-1], len(run.model.links), 6))
        for j, link in enumerate(run.model.bodies):
            if link.contact is not None:
                R = np.asarray(run.body_pose(j))[..., :3, :3]
                wrench = self.contact_wrench(link.name).reshape(*R.shape[:-2], 2, 3)
                found[..., j, :] = (wrench @ R).reshape(*R.shape[:-2], 6)
        add_node_wrenches(run, found)
        return found


def as_run(part: RecordsContacts) -> Trajectory:
    """Itself: only a Trajectory has these."""
    return cast("Trajectory", part)
