"""Shapes that overlap deeply where a run begins: said once, since they come apart slowly, and what they do meanwhile means little."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from redmax.dynamics.contact.rows import T_GAP, T_KEY
from redmax.dynamics.contact.runner import told_of
from redmax.errors import warn
from redmax.run.contact.records import detected_pairs
from redmax.run.failures import BlowUp

if TYPE_CHECKING:
    from redmax.run.simulation import Simulation

DEEP = 0.1  # of the smaller shape's radius


def warn_of_overlap(sim: Simulation) -> None:
    """Look at what touches in the first step from here, and say which overlap most."""
    here = sim.checkpoint()
    with suppress(BlowUp):  # which is said when the run takes this step
        sim.advance(1, sim.torques(np.zeros(sim.model.nv)), *sim.room(1))  # a controller is not asked for it
    told, sim.told = told_of(sim.runner.notes), None
    sim.restore(here)
    if told is None:
        return
    pairs = detected_pairs(sim.model)
    deepest: dict[tuple[str, str], float] = {}
    for world in range(told.held.shape[1]):
        held = told.held[-1, world]
        for row in told.table[-1, world, : int(held) if np.isfinite(held) else 0]:
            a, b = pairs[int(row[T_KEY]) // 64]
            size = min(s.radius for s in (a, b) if s.radius > 0)
            if -row[T_GAP] > DEEP * size:
                names = (a.owner, b.owner)
                deepest[names] = max(deepest.get(names, 0.0), float(-row[T_GAP]))
    if deepest:
        (a, b), depth = max(deepest.items(), key=lambda item: item[1])
        more = f" So do {len(deepest) - 1} other pairs." if len(deepest) > 1 else ""
        said = f"{a!r} and {b!r} overlap by {depth:.3g} where the run begins, and will come apart slowly.{more} Begin with them apart,"
        warn(f"{said} or let them pass with scene.ignore_contact({a!r}, {b!r}).")
