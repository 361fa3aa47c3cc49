"""What a simulation keeps of a moment, to go back to it and go on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.model.model import Model
from redmax.model.state import State

if TYPE_CHECKING:
    from redmax.run.simulation import Simulation


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Everything a Simulation needs to go on exactly as it would have."""

    state: State
    start: float
    steps: int
    h: np.ndarray | None
    history: Any = None  # what a runner keeps of the past: states that BDF2 needs, the poses behind maximal states
    tau: np.ndarray | None = None  # torques that were held in the last interval


def simulation_again(
    model: Model, settings: dict[str, Any], controller: Any, checkpoint: Checkpoint, parameters: Mapping[str, Any] | None = None
) -> Simulation:
    """What unpickling calls."""
    from redmax.run.simulation import Simulation

    made = Simulation(model, controller=controller, initial=checkpoint.state, parameters=parameters, **settings)
    made.restore(checkpoint)
    return made
