"""The dynamics a user chooses by name, as stages that an integrator runs: given q, qdot, tau and t they leave qddot.

A formulation is imported when somebody chooses it: most programs use one of them, and few use all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from redmax.backends.base import Mechanism, Runner
from redmax.dynamics.recursive.joints import implicit_dynamics, implicit_fields
from redmax.dynamics.recursive.system import dynamics_fields, hybrid_dynamics, stepped_dynamics
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import Program, ProgramStage
from redmax.program.sweep import Part

if TYPE_CHECKING:
    from redmax.dynamics.redmax.matrix_free import Solver

NAMES = ("recursive", "redmax", "maximal")
DRIFT = 1e-4  # of constraints, relative to the mechanism's size, that fixed steps leave to Baumgarte's method
FRICTION = ("exact", "convex", "staggered")  # of contact
SOLVERS = ("auto", "direct", "cg")  # of redmax dynamics and of deformables


@dataclass(frozen=True, eq=False)
class Upkeep:
    """What keeps rows closed over many steps (dynamics/common/row_upkeep.py); nothing where there are none.

    begin: once in a program; gains: the same, larger for shorter steps or not; ahead: the same, of implicit steps
    after_step: of fixed steps; project: puts q, qdot on the rows, where every step does
    noticed: whether rows that only push must begin or cease to; settled: what happens then (row_events.py)
    bounds: once in a program of fixed steps: where the ranges of coordinates end
    """

    begin: tuple[ProgramStage, ...] = ()
    gains: Callable[[bool], tuple[ProgramStage, ...]] = lambda by_step: ()
    ahead: tuple[ProgramStage, ...] = ()
    after_step: tuple[ProgramStage, ...] = ()
    project: tuple[ProgramStage, ...] = ()
    noticed: tuple[ProgramStage, ...] = ()
    settled: tuple[ProgramStage, ...] = ()
    bounds: tuple[ProgramStage, ...] = ()


@dataclass(frozen=True, eq=False)
class System:
    """accelerations: explicit dynamics; implicit: with the impedance of the joints (linearly implicit Euler); fields: their record.

    model: what the program is laid out for; complete and wrap: what turns an integrator's program (implicit or not), and its runner,
    into those of the joints' coordinates.
    """

    name: str
    accelerations: tuple[ProgramStage, ...]
    implicit: tuple[ProgramStage, ...]
    fields: Callable[..., Fields]
    model: Mechanism
    wrap: Callable[[Runner], Runner] = lambda runner: runner
    implicit_fields: Callable[..., Fields] | None = None  # where they differ
    in_doubles: bool = False  # whatever dtype a run has: its states are rounded on their way out
    complete: Callable[[Program, bool], Program] = lambda program, implicit: program
    upkeep: Upkeep = Upkeep()  # of constraints
    placed: tuple[ProgramStage, ...] = ()  # what puts joints where they are that follow from other coordinates
    entering: tuple[ProgramStage, ...] = ()  # before what a fixed step of an explicit method does, and after it
    leaving: tuple[ProgramStage, ...] = ()
    moving: tuple[ProgramStage, ...] = ()  # from accelerations to the end of a step of `euler` or `implicit`, where there is more to that
    symplectic: tuple[ProgramStage, ...] = ()  # explicit, with rows that hold the velocities at the end of a step, where there are rows


def couples(model: Model) -> bool:
    """Whether a force acts between bodies, or on coordinates of several joints, so that implicit steps cannot go joint by joint."""
    return any(f.implicit and (len(f.bodies) > 1 or f.on_coordinates) for f in model.forces)


def matrix_free_solver(name: str, solver: str, model: Model, implicit: bool) -> Solver | None:
    """What solves the systems of dynamics of this name without forming them, where that is possible and asked for."""
    if name != "redmax" or model.soft:
        return None
    from redmax.dynamics.redmax.solve import matrix_free_solver

    return matrix_free_solver(solver, model, implicit)


def system(
    name: str,
    model: Model,
    solve: Solver | None = None,
    backend: str = "llvm",
    solver: str = "auto",
    stabilisation: str = "baumgarte",
    drift: float = DRIFT,
    friction: str = FRICTION[0],
    friction_sides: int = 0,
    side_by_side: bool = False,
) -> System:
    """The dynamics of this name, for a model that goes with it (see run/combinations.py).

    solve: what solves redmax systems without forming them; solver: of deformables; stabilisation: of maximal dynamics, and of constraints
    drift: relative to the mechanism's size, from which on stabilisation "auto" projects; friction: of contact, one of FRICTION
    side_by_side: of many worlds, all of whose contact is with what is fixed
    """
    found = rigid_system(name, model, solve, backend, stabilisation)
    if model.soft:
        from redmax.dynamics.soft import system as soft

        found = replace(found, implicit=soft.stages(model, solver), implicit_fields=partial(soft.fields, model))
    if model.rubbing:
        upkeep = upkeep_of(name, model, stabilisation, drift, found.accelerations) if model.constraints else Upkeep()
        return rubbing(found, model, upkeep, friction, friction_sides)
    if not model.constraints:
        if not model.touches:
            return found
        from redmax.dynamics.contact.in_turns import contact_kind
        from redmax.dynamics.contact.slots.stages import SlotSystem
        from redmax.dynamics.contact.system import touching

        if model.map is not None:
            from redmax.dynamics.redmax.contact_through_map import ContactThroughMap

            return touching(found, model, friction == "exact", ContactThroughMap)
        return touching(found, model, friction == "exact", SlotSystem if side_by_side else contact_kind(friction, friction_sides))
    by = "recursive" if solve is not None else name  # without a matrix, along the tree
    upkeep = upkeep_of(by, model, stabilisation, drift, found.accelerations)
    rows = rows_of(by, model)
    if model.touches:
        from redmax.dynamics.contact.system import rows_with_contact, touching

        exact = friction == "exact"
        return touching(replace(constrained(found, model, rows_with_contact(model, rows, exact)), upkeep=upkeep), model, exact)
    return replace(constrained(found, model, rows), upkeep=upkeep)


def rubbing(found: System, model: Model, upkeep: Upkeep, friction: str, friction_sides: int) -> System:
    """The same with friction in joints, beside constraints and contact."""
    from redmax.dynamics.contact.in_turns import contact_kind
    from redmax.dynamics.recursive.rubbing import solve_along_tree
    from redmax.dynamics.redmax.rubbing import solve_by_matrix
    from redmax.dynamics.rubbing.beside import beside_of
    from redmax.dynamics.rubbing.system import rubbed, stages

    by_matrix = found.name == "redmax"
    solve = solve_by_matrix(model) if by_matrix else solve_along_tree(model)
    exact, kind = friction == "exact", contact_kind(friction, friction_sides)
    beside = beside_of(model, found.name, exact, kind)
    if model.constraints:
        rows, turns = rows_of(found.name, model), stages(model, solve, beside)

        def in_turns(part: Part, implicit: bool) -> tuple[ProgramStage, ...]:
            return turns if implicit and part is Part.VELOCITY_ROWS else rows(part, implicit)

        found = replace(constrained(found, model, in_turns), upkeep=upkeep)
    if model.touches:
        from redmax.dynamics.contact.system import touching

        found = touching(found, model, exact, kind)
    return rubbed(found, model, solve, beside)


def constrained(found: System, model: Model, rows: Callable[[Part, bool], tuple[ProgramStage, ...]]) -> System:
    """The same with rows: accelerations without them first, then what their multipliers add."""
    from redmax.dynamics.common import closing, faded, impulses, limited_rows, row_events, row_projection, torn
    from redmax.dynamics.common.closing_runner import closing_runner
    from redmax.dynamics.common.limits_near import WORLD
    from redmax.dynamics.common.row_terms import DOWN, STATE, UP

    kept, world = (
        {**STATE, **row_projection.STATE, **torn.STATE},
        {**WORLD, **faded.WORLD, **torn.WORLD, **row_projection.WORLD, **row_events.WORLD, **closing.world(model), **impulses.world(model)},
    )
    world |= limited_rows.WORLD if any(c.limited for c in model.constraints) else {}

    def with_rows(fields: Callable[..., Fields]) -> Callable[..., Fields]:
        def widened(**extra: Any) -> Fields:
            f = fields(**extra)
            rows = replace(f, down={**f.down, **DOWN}, up={**f.up, **UP}, state={**f.state, **kept}, world={**f.world, **world})
            return replace(rows, lasting=(*f.lasting, *closing.lasting(model)))

        return widened

    return replace(
        found,
        accelerations=(*found.accelerations, *rows(Part.ACCELERATION_ROWS, False)),
        symplectic=(*(found.symplectic or found.accelerations), *rows(Part.VELOCITY_ROWS, False)),
        implicit=(*found.implicit, *rows(Part.VELOCITY_ROWS, True)),
        fields=with_rows(found.fields),
        implicit_fields=with_rows(found.implicit_fields or found.fields),
        complete=lambda program, implicit: found.complete(
            impulses.recorded(model, closing.begun(model, program, found.name, found.placed)), implicit
        ),
        wrap=lambda runner: found.wrap(closing_runner(model, runner)),
        in_doubles=True,  # which rows repeat others is told by roundings
    )


def upkeep_of(name: str, model: Model, stabilisation: str, drift: float, free: tuple[ProgramStage, ...]) -> Upkeep:
    """What keeps rows closed, of dynamics of this name. free: accelerations without them."""
    from redmax.dynamics.common.limits_near import limit_bounds
    from redmax.dynamics.common.row_upkeep import upkeep, with_events

    found = upkeep(model, name, stabilisation, drift)
    if any(c.ranges for c in model.constraints):
        found = replace(found, bounds=(limit_bounds,))
    return with_events(found, model, name, free) if any(c.bounded and not c.compliant for c in model.constraints) else found


def rows_of(name: str, model: Model) -> Callable[[Part, bool], tuple[ProgramStage, ...]]:
    """How the rows of a model are eliminated with dynamics of this name: (level, whether of an implicit step) -> stages."""
    from redmax.dynamics.constrained import rows_of

    return rows_of(name, model)


def rigid_system(name: str, model: Model, solve: Solver | None, backend: str, stabilisation: str) -> System:
    """Of the joints, without deformables."""
    if name == "recursive":
        return recursive_system(model)
    return redmax_system(model, solve) if name == "redmax" else maximal_system(model, stabilisation)


def carries(model: Model) -> bool:
    """Whether steps carry the momentum of something along, so that those of explicit methods are more than accelerations."""
    return model.carries and (any(model.on_group) or any(model.flying))


def recursive_system(model: Model) -> System:
    """Explicit always; implicit joint by joint, or with the reduced system where forces couple bodies."""
    found = recursively(model)
    return replace(found, symplectic=(stepped_dynamics,)) if carries(model) else found


def recursively(model: Model) -> System:
    """The same, with explicit steps that are nothing but accelerations."""
    name, explicit = "recursive", partial(dynamics_fields, False, model)
    if any(f.implicit and f.stiffness_kind == "exact" for f in model.forces):  # not symmetric: by the dense solver
        from redmax.dynamics.redmax import system as redmax

        dense = redmax.stages(model, True)
        return System(name, (hybrid_dynamics,), dense, explicit, model, implicit_fields=partial(redmax.redmax_fields, model))
    if couples(model):
        from redmax.dynamics.recursive import forces as coupled

        together = partial(coupled.coupled_fields, model)
        return System(name, (hybrid_dynamics,), coupled.stages(model), explicit, model, implicit_fields=together)
    alone = partial(implicit_fields, model) if model.acting else None
    return System(name, (hybrid_dynamics,), (implicit_dynamics,), explicit, model, implicit_fields=alone)


def redmax_system(model: Model, solve: Solver | None) -> System:
    """On the coordinates of a map, without the matrix, or with it."""
    from redmax.dynamics.redmax import matrix_free
    from redmax.dynamics.redmax import system as redmax

    name = "redmax"
    if model.map is not None:
        from redmax.dynamics.redmax.hyper_reduced import HyperReduced

        hyper = HyperReduced(model, model.map)
        stages, placed = (hyper.stages(False), hyper.stages(True)), hyper.placed()
        return System(name, *stages, hyper.fields, hyper.joints, hyper.wrap, in_doubles=True, placed=placed)
    if solve is not None:
        explicit, implicit = matrix_free.stages(False, solve), matrix_free.stages(True, solve)
        symplectic = matrix_free.stages(False, solve, stepped=True) if carries(model) else ()
        return System(name, explicit, implicit, partial(solve.fields, model), model, symplectic=symplectic)
    symplectic = redmax.stages(model, False, stepped=True) if carries(model) else ()
    stages, fields = (redmax.stages(model, False), redmax.stages(model, True)), partial(redmax.redmax_fields, model)
    if model.touches and couples(model):  # contact takes what forces do between bodies about the origins of trees
        from redmax.dynamics.recursive import forces as coupled

        together = partial(coupled.coupled_fields, model)
        return System(name, stages[0], coupled.stages(model), fields, model, implicit_fields=together, symplectic=symplectic)
    return System(name, *stages, fields, model, symplectic=symplectic)


def maximal_system(model: Model, stabilisation: str) -> System:
    """Bodies and rows."""
    from redmax.dynamics.maximal import system as maximal
    from redmax.dynamics.maximal.runner import BAUMGARTE, MaximalRunner

    project, gain = stabilisation == "project", 0.0 if stabilisation == "none" else BAUMGARTE
    fields, of_implicit = partial(maximal.maximal_fields, model), partial(maximal.implicit_fields, model)
    wrap = partial(MaximalRunner, len(model.links), project, gain)
    complete = partial(maximal.in_coordinates, project=project and not model.constraints)  # beside which joints close with rows
    explicit, implicit = maximal.stages(model, False), maximal.stages(model, True)
    symplectic = (*maximal.PROJECT, maximal.symplectic) if model.constraints else ()
    return System("maximal", explicit, implicit, fields, model, wrap, of_implicit, True, complete, symplectic=symplectic)
