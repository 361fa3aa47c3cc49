"""The dynamics a user chooses by name, as stages that an integrator runs: given q, qdot, tau and t they leave qddot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from redmax.backends.base import Mechanism, Runner
from redmax.dynamics.maximal import system as maximal
from redmax.dynamics.maximal.runner import MaximalRunner
from redmax.dynamics.recursive import forces as coupled
from redmax.dynamics.recursive.joints import implicit_dynamics, implicit_fields
from redmax.dynamics.recursive.system import dynamics_fields, hybrid_dynamics
from redmax.dynamics.redmax import matrix_free
from redmax.dynamics.redmax import system as redmax
from redmax.dynamics.redmax.hyper_reduced import HyperReduced
from redmax.dynamics.soft import system as soft
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import Program, ProgramStage

NAMES = ("recursive", "redmax", "maximal")


@dataclass(frozen=True, eq=False)
class System:
    """accelerations: explicit dynamics; implicit: with the impedance of the joints (linearly implicit Euler); fields: their record.

    model: what the program is laid out for; complete and wrap: what turns an integrator's program, and its runner, into those of the
    joints' coordinates.
    """

    name: str
    accelerations: tuple[ProgramStage, ...]
    implicit: tuple[ProgramStage, ...]
    fields: Callable[..., Fields]
    model: Mechanism
    wrap: Callable[[Runner], Runner] = lambda runner: runner
    implicit_fields: Callable[..., Fields] | None = None  # where they differ
    in_doubles: bool = False  # whatever dtype a run has: its states are rounded on their way out
    complete: Callable[[Program], Program] = lambda program: program


def couples(model: Model) -> bool:
    """Whether a force acts between bodies, so that implicit steps cannot go joint by joint."""
    return any(f.implicit and len(f.bodies) > 1 for f in model.forces)


def system(
    name: str,
    model: Model,
    solve: matrix_free.Solver | None = None,
    backend: str = "llvm",
    solver: str = "auto",
    stabilisation: str = "baumgarte",
) -> System:
    """The dynamics of this name, for a model that goes with it (see run/combinations.py).

    solve: what solves redmax systems without forming them; solver: of deformables; stabilisation: of maximal dynamics
    """
    found = rigid_system(name, model, solve, backend, stabilisation == "project")
    if not model.soft:
        return found
    return replace(found, implicit=soft.stages(model, backend, solver), implicit_fields=partial(coupled.coupled_fields, model))


def rigid_system(name: str, model: Model, solve: matrix_free.Solver | None, backend: str, project: bool) -> System:
    if name == "redmax" and model.map is not None:
        hyper = HyperReduced(model, model.map)
        return System(name, hyper.stages(False), hyper.stages(True), hyper.fields, hyper.joints, hyper.wrap, in_doubles=True)
    if name == "recursive":
        explicit = partial(dynamics_fields, False, model)
        if any(f.implicit and f.stiffness_kind == "exact" for f in model.forces):  # not symmetric: by the dense solver
            dense = redmax.stages(model, True)
            return System(name, (hybrid_dynamics,), dense, explicit, model, implicit_fields=partial(redmax.redmax_fields, model))
        if couples(model):
            together = partial(coupled.coupled_fields, model)
            return System(name, (hybrid_dynamics,), coupled.stages(model), explicit, model, implicit_fields=together)
        alone = partial(implicit_fields, model) if model.acting else None
        return System(name, (hybrid_dynamics,), (implicit_dynamics,), explicit, model, implicit_fields=alone)
    if name == "redmax" and solve is not None:
        explicit, implicit = matrix_free.stages(False, solve), matrix_free.stages(True, solve)
        return System(name, explicit, implicit, partial(solve.fields, model), model)
    if name == "redmax":
        return System(name, redmax.stages(model, False), redmax.stages(model, True), partial(redmax.redmax_fields, model), model)
    fields, of_implicit = partial(maximal.maximal_fields, model), partial(maximal.implicit_fields, model)
    wrap, complete = partial(MaximalRunner, len(model.links), project), partial(maximal.in_coordinates, project=project)
    return System(name, maximal.stages(model, False), maximal.stages(model, True), fields, model, wrap, of_implicit, True, complete)
