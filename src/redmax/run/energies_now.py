"""The energy of a simulation where it stands, for those who watch it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from redmax.errors import SceneError, SimulationError

if TYPE_CHECKING:
    from redmax.run.simulation import Simulation


def energies_now(sim: Simulation) -> tuple[float, float]:
    """Kinetic and potential energy (J), of all worlds together that have not failed; not a number where they overflow."""
    alive = ~sim.failed.reshape(sim.batch)
    q, qdot = (np.where(alive[..., None], x.reshape(*sim.batch, x.shape[-1]), 0.0).astype(sim.dtype) for x in (sim.q, sim.qdot))
    q, qdot = (np.stack([x, x]) for x in (q, qdot))  # several worlds: the code of whole runs, too
    try:
        seen = sim.engine.observe(q, qdot, sim.t)
    except (SceneError, SimulationError):
        return np.nan, np.nan
    return float(seen.kinetic[0][alive].sum()), float(seen.potential[0][alive].sum())
