"""The dynamics a user chooses by name, as stages that an integrator runs: given q, qdot, tau and t they leave qddot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from redmax.dynamics import redmax
from redmax.dynamics.impedance import implicit_dynamics
from redmax.dynamics.recursive import dynamics_fields, hybrid_dynamics
from redmax.errors import RedmaxError
from redmax.model import Model
from redmax.program.fields import Fields
from redmax.program.program import Stage

NAMES = ("recursive", "redmax")
PLANNED = ("maximal",)


@dataclass(frozen=True, eq=False)
class System:
    """accelerations: explicit dynamics; implicit: with the impedance of the joints (linearly implicit Euler); fields: their record."""

    name: str
    accelerations: tuple[Stage, ...]
    implicit: tuple[Stage, ...]
    fields: Callable[..., Fields]


def system(name: str, model: Model) -> System:
    """The dynamics of this name."""
    if name == "recursive":
        return System(name, (hybrid_dynamics,), (implicit_dynamics,), partial(dynamics_fields, False, model.world_wrench))
    if name == "redmax":
        return System(name, redmax.stages(model, False), redmax.stages(model, True), partial(redmax.redmax_fields, model))
    if name in PLANNED:
        raise RedmaxError(f"Dynamics {name!r} is not built yet. Use: {', '.join(NAMES)}.")
    raise RedmaxError(f"There is no dynamics {name!r}. Valid: {', '.join(NAMES)}.")
