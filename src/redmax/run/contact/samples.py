"""Contacts of a run while it is computed: rows of one sample after the other, in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.backends.apart import WorldsFailed
from redmax.backends.base import Runner
from redmax.dynamics.contact.fields import XYZ
from redmax.dynamics.contact.rows import TOLD
from redmax.dynamics.contact.runner import SOLVER, Told, told_of
from redmax.run.contact.impacts import ImpactSamples
from redmax.run.contact.records import COLUMNS, pair_owners, rows_of

if TYPE_CHECKING:
    from redmax.run.portion import Start
    from redmax.run.simulation import Simulation

LOST = 5  # points that there was no room for


def told_bytes(sim: Simulation) -> int:
    """What a sample of a portion takes in memory, of all worlds, while it is computed."""
    return 8 * (TOLD + (XYZ if sim.model.turning else 0)) * sim.model.contact_capacity * len(sim.q)


def note_contacts(sim: Simulation, begin: Start, stride: int, runner: Runner, q: np.ndarray, qdot: np.ndarray) -> None:
    """What a portion with samples q, qdot (samples, worlds, n) told. Raises where there was no room for all points."""
    told = told_of(runner.notes)
    if told is None or not sim.tells:
        return
    sim.told = told
    lost = np.nan_to_num(told.counts[..., LOST]) > 0.5
    if not lost.any():
        return
    reasons: dict[int, str] = {}
    for w in np.flatnonzero(lost.any(axis=0)).tolist():
        k = int(lost[:, w].argmax())
        q[k:, w] = qdot[k:, w] = np.nan
        when = begin.t + k * stride * sim.dt
        room = f"there is room for {sim.model.contact_capacity} points of contact, and {int(told.counts[k, w, LOST])} more were found"
        fix = "Begin with bodies apart, let pairs that need not touch pass with scene.ignore_contact, or use fewer shapes"
        reasons[w] = f"The run broke off at t = {when:.6g} s: {room} in the steps after that. {fix}."
    raise WorldsFailed(reasons)


class ContactSamples:
    """Of at most `size` samples of all worlds: how many contacts, where their rows begin, and what the solver says of itself."""

    def __init__(self, sim: Simulation, size: int) -> None:
        self.owners, self.dt, self.worlds = pair_owners(sim.model), sim.dt, len(sim.q)
        self.impacts = ImpactSamples(sim, size) if sim.method.adaptive else None
        self.begin(size)

    def begin(self, size: int) -> None:
        """Without any."""
        self.count, self.first = np.zeros((2, size, self.worlds), np.int64)
        self.solver = np.zeros((size, self.worlds, 3))
        self.parts: list[np.ndarray] = [np.zeros((0, COLUMNS))]
        self.total = 0
        if self.impacts is not None:
            self.impacts.begin(size)

    def keep(self, held: int, count: int, told: Told | None) -> None:
        """Those of the next samples, of which so many are held already."""
        if told is None:
            return
        now, known = slice(held, held + count), np.isfinite(told.held[:count])
        self.count[now] = np.where(known, np.nan_to_num(told.held[:count]), 0).astype(int)
        self.solver[now] = told.counts[:count, :, SOLVER]
        ends = self.total + np.cumsum(self.count[now].ravel()).reshape(self.count[now].shape)
        self.first[now] = ends - self.count[now]
        there = np.arange(told.table.shape[2]) < self.count[now][..., None]
        moments = None if told.moments is None else told.moments[:count][there]
        self.parts.append(rows_of(self.owners, told.table[:count][there], moments, self.dt))
        self.total += len(self.parts[-1])
        if self.impacts is not None:
            self.impacts.keep(held, count, told)

    def restart(self, last: int | None, size: int) -> None:
        """Forget all, but for the sample of this number, if one is given, which is the first then."""
        if last is None:
            return self.begin(size)
        first, n, solver = int(self.first[last].min()), self.count[last].copy(), self.solver[last].copy()
        rows = self.rows()[first : first + int(n.sum())]
        self.begin(size)
        self.count[0], self.first[0], self.solver[0] = n, np.cumsum(n) - n, solver
        self.parts, self.total = [rows], len(rows)
        return None

    def latest(self, held: int, count: int) -> list[np.ndarray]:
        """Rows of each of the last samples, of all worlds. held: how many samples there are."""
        each, found, length = self.count[held - count : held].sum(axis=1), list[np.ndarray](), 0
        for part in reversed(self.parts):
            if length >= each.sum():
                break
            found, length = [part, *found], length + len(part)
        rows = np.concatenate([np.zeros((0, COLUMNS)), *found])
        return np.split(rows[len(rows) - int(each.sum()) :], np.cumsum(each)[:-1])

    def rows(self) -> np.ndarray:
        """All rows."""
        self.parts = [np.concatenate(self.parts)]
        return self.parts[0]

    def fields(self, n: int, batch: tuple[int, ...]) -> dict[str, Any]:
        """What a Trajectory of the first n samples has of them."""
        return {
            "contact_count": self.count[:n].reshape(n, *batch),
            "contact_first": self.first[:n].reshape(n, *batch),
            "contact_solver": self.solver[:n].reshape(n, *batch, 3),
            "contact_rows": self.rows(),
            **({} if self.impacts is None else self.impacts.fields(n, batch)),
        }
