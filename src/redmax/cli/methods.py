"""Which dynamics and which integrator a run uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redmax.cli.sources import FROM_FILE
from redmax.errors import RedmaxError

if TYPE_CHECKING:
    from redmax.model.model import Model
    from redmax.scenes import Entry


def choose_methods(entry: Entry, dynamics: str | None, integrator: str | None) -> tuple[str, str]:
    """(dynamics, integrator): as asked for, else the scene's own; explicit integrators go with recursive dynamics where these will do."""
    from redmax.integrators import METHODS
    from redmax.run.combinations import broken, usual_dynamics
    from redmax.run.options import RunOptions

    RunOptions(dynamics=dynamics, integrator=integrator).checked()
    model = entry.scene().model()
    if dynamics is None and integrator is not None and METHODS[integrator].only_on:
        dynamics = METHODS[integrator].only_on
    if dynamics is None and integrator is not None and not METHODS[integrator].implicit and can_do("recursive", model):
        dynamics = "recursive"
    if dynamics is None and integrator is not None and leaves_dynamics_open(entry):
        dynamics = usual_dynamics(model, integrator=integrator)  # those of the file go with its own integrator
    dynamics, integrator = dynamics or entry.dynamics, integrator or entry.integrator
    for _, said in broken(model, RunOptions(dynamics=dynamics, integrator=integrator)):
        raise RedmaxError(said)
    return dynamics, integrator


def leaves_dynamics_open(entry: Entry) -> bool:
    """Whether a scene file says nothing of dynamics, so that these were chosen for it."""
    scene = entry.scene()
    return entry.features == FROM_FILE and "dynamics" not in scene.defaults and not scene.twists


def can_do(dynamics: str, model: Model) -> bool:
    """Whether a scene can be run with these dynamics."""
    from redmax.run.combinations import allowed
    from redmax.run.options import RunOptions

    return allowed(model, RunOptions(dynamics=dynamics))
