"""Which dynamics and which integrator a run uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redmax.errors import RedmaxError

if TYPE_CHECKING:
    from redmax.model.model import Model
    from redmax.scenes import Entry


def choose_methods(entry: Entry, dynamics: str | None, integrator: str | None) -> tuple[str, str]:
    """(dynamics, integrator): as asked for, else the scene's own; explicit integrators go with recursive dynamics where these will do."""
    from redmax.dynamics.choose import system
    from redmax.integrators import method

    explicit = integrator is not None and not method(integrator).implicit
    model = entry.scene().model()
    if dynamics is not None:
        system(dynamics, model)  # says what is wrong with it
    elif explicit and can_do("recursive", model):
        dynamics = "recursive"
    return dynamics or entry.dynamics, integrator or entry.integrator


def can_do(dynamics: str, model: Model) -> bool:
    from redmax.dynamics.choose import system

    try:
        system(dynamics, model)
    except RedmaxError:
        return False
    return True
