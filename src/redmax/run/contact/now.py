"""What touches what in a simulation, at the state it is in."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from redmax.dynamics.contact.runner import Told
from redmax.run.contact.history import Contacts, ContactSample
from redmax.run.contact.of_nodes import node_numbers, pair_frictions
from redmax.run.contact.records import COLUMNS, owner_names
from redmax.run.contact.samples import ContactSamples

if TYPE_CHECKING:
    from redmax.run.simulation import Simulation


class TouchingNow:
    """The parts of a Simulation that tell of contacts."""

    @property
    def contacts(self) -> ContactSample:
        """All contacts of the last step, with bodies, points, normals, gaps, forces and states; of one world. None before the first."""
        return self.contacts_of(())

    def advance_by_one(self, before: Told | None, tau: np.ndarray, q: np.ndarray, qdot: np.ndarray) -> Told | None:
        """One of the steps that lead to a sample; before: what the one before it returned. What is told then is of all of them."""
        sim = cast("Simulation", self)
        sim.advance(1, tau, q, qdot)
        if sim.told is not None and before is not None:
            sim.told = sim.told.after(before)
        return sim.told

    def contacts_of(self, world: int | tuple[int, ...]) -> ContactSample:
        """The same of one world of a batch, by its number, or by its place where the batch has several axes."""
        sim = cast("Simulation", self)
        place = (0, *world) if isinstance(world, tuple) else (0, world)
        return contacts_now(sim)[place]


def contacts_now(sim: Simulation) -> Contacts:
    """Those of all worlds, as those of a run of one sample."""
    time, names = np.array([sim.t]), owner_names(sim.model)
    if sim.told is None or sim.taken == 0:
        none = np.zeros((1, *sim.batch), int)
        return Contacts(time, none, none, np.zeros((1, *sim.batch, 3)), np.zeros((0, COLUMNS)), names)
    found = ContactSamples(sim, 1)
    told = sim.told.counts, sim.told.held, sim.told.table, sim.told.moments
    last = Told(*(None if x is None else x[-1:] for x in told))  # type: ignore[arg-type]
    found.keep(0, 1, last)
    fields = found.fields(1, sim.batch)
    count, first, solver, rows = (fields[f"contact_{name}"] for name in ("count", "first", "solver", "rows"))
    friction = pair_frictions(sim.model, sim.engine.given)
    return Contacts(time, count, first, solver, rows, names, nodes=node_numbers(sim.model), friction=friction)
