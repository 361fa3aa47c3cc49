"""What steps of bodies in absolute coordinates tell of their joints: what is left of hidden constraints, and what they transmit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from redmax.run.quantity import WRENCH, Quantity

if TYPE_CHECKING:
    from redmax.run.simulation import Simulation
    from redmax.run.trajectory import Trajectory

SLIP, TRANSMITTED = "slip", "transmitted"  # what a runner notes
STEP_HISTORIES = {"hidden_rate": "joints/hidden_rate", "step_reaction": "joints/step_reaction"}  # in result files


@dataclass(frozen=True, eq=False)
class RecordsSteps:
    """What a Trajectory by integrator "generalized-alpha" knows of its steps; None of others.

    hidden_rate: (time, ..., links), how fast the bodies leave their joints: the relative twist that these do not allow, its norm
    step_reaction: (time, ..., bodies, 6), the multipliers of the steps: wrench of parent on child, in the joint frame. Not a number at the
        sample that a run begins with. `reactions` are those of the dynamics at the same q and qdot.
    """

    hidden_rate: np.ndarray | None = field(default=None, kw_only=True, repr=False)
    step_reaction: np.ndarray | None = field(default=None, kw_only=True, repr=False)


def steps_room(sim: Simulation, samples: int) -> dict[str, np.ndarray]:
    """Where a run keeps what its runner notes of steps."""
    noted = sim.runner.notes
    room = {name: np.zeros((samples, len(sim.q), noted[name].shape[-1])) for name in (SLIP, TRANSMITTED) if name in noted}
    if room:
        room[TRANSMITTED][0] = np.nan
    return room


def noted_steps(sim: Simulation, kept: dict[str, np.ndarray], samples: int) -> dict[str, np.ndarray]:
    """The fields of a Trajectory, from what was noted of its samples, (samples, worlds, n)."""
    if SLIP not in kept:
        return {}
    model, shape = sim.model, (samples, *sim.batch, len(sim.model.links))
    wrench = kept[TRANSMITTED][:samples].reshape(*shape, 6)[..., : len(model.bodies), :]
    turned = [wrench[..., i, :] @ np.kron(np.eye(2), model.frames[i][:3, :3]).T for i in range(len(model.bodies))]
    return {"hidden_rate": kept[SLIP][:samples].reshape(shape), "step_reaction": np.stack(turned, axis=-2)}


def told(run: Trajectory) -> bool:
    """Whether steps told of their joints."""
    return run.hidden_rate is not None


STEP_QUANTITIES = (
    Quantity(
        "hidden_rate", "how fast bodies leave their joints (integrator generalized-alpha): the norm of the relative twist that these bar",
        ("link",), "rad/s and {L}/s", lambda run: run.hidden_rate, kind="given", dataset=STEP_HISTORIES["hidden_rate"], dtype="float64",
        where=told,
    ),
    Quantity(
        "step_reaction", "wrench of parent on child, in the joint frame, as the steps of generalized-alpha solve for it",
        ("joint", "torque; force"), "{T}; {F}", lambda run: run.step_reaction, kind="given", dataset=STEP_HISTORIES["step_reaction"],
        dtype="float64", table="step reaction", labels=WRENCH, where=told,
    ),
)  # fmt: skip
