"""Steps with joints that rub: bilateral staggered projections behind the accelerations without friction (RedMax notes Alg. 8).

    qddot = qddot_0 + H^-1 J' f_b;   constraints and contact;   f_a;   stop if it is the last one's;   normal impulses;   friction;   again

f_b is kept from step to step, and handed from program to program (runner.py). How H^-1 is applied is the dynamics' matter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from redmax.dynamics.choose import System
from redmax.dynamics.rubbing import terms
from redmax.dynamics.rubbing.beside import Beside
from redmax.dynamics.rubbing.problem import FrictionProblem
from redmax.dynamics.rubbing.runner import HELD, KEPT, RubbingRunner
from redmax.dynamics.rubbing.single import SingleProblem
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import Branch, Program, ProgramStage, Repeat

SEEN = ("rub_normal", "rub_turns")  # of samples


def stages(model: Model, solve: tuple[ProgramStage, ...], beside: Beside) -> tuple[ProgramStage, ...]:
    """Behind accelerations without friction. solve: from rub_push to rub_y = H^-1 rub_push."""
    problem, settings = FrictionProblem(model), model.staggering
    if settings.contact == "single":
        one = SingleProblem(problem).stages(solve)
        return terms.terms(settings), *problem.places.placed(), terms.begun, *one, *last(model, solve, beside)
    again = (*problem.solved(), terms.spread_friction, *problem.T.acting_held(problem.b, HELD))
    others = (terms.taken_friction, *beside.turn()) if beside.there else ()
    first, contact = unilateral(problem) if settings.contact == "unilateral" else ((), bilateral(problem, beside))
    turn = (terms.pushed_by_friction, *solve, *others, *contact, terms.compare(settings), Branch("rub_going", again))
    begin = terms.terms(settings, beside.there), *problem.places.placed(), *problem.T.assembled(), *first, terms.begun
    return *begin, Repeat(turn, until="rub_done"), *last(model, solve, beside), *beside.after()


def last(model: Model, solve: tuple[ProgramStage, ...], beside: Beside) -> tuple[ProgramStage, ...]:
    """Once turns have ended: what sees to it that friction adds no energy, or what published code does."""
    again = beside.turn() if beside.there else ()
    if model.staggering.add_contact_force:
        return terms.pushed_by_contact, *solve, terms.taken_friction, *again
    if model.staggering.external == "maximal":  # as published: nothing keeps friction from adding energy
        return ()
    if not beside.there:
        return terms.limited_work
    return *terms.looked_at_end, Branch("rub_wrong", (terms.left_friction, *again, *terms.limited_beside, *again))


def rubbed(found: System, model: Model, solve: tuple[ProgramStage, ...], beside: Beside) -> System:
    """The same with joints that rub. Beside constraints, their rows are stages of friction already."""
    problem = FrictionProblem(model)
    pushing = {"unilateral": problem.N.begun, "single": SingleProblem(problem).begun}.get(model.staggering.contact, tuple)
    constant = (*problem.begun(), *pushing())

    def complete(program: Program, implicit: bool) -> Program:
        inner = found.complete(program, implicit)
        inputs, outputs = (*inner.inputs, *KEPT, HELD), (*inner.outputs, *KEPT, HELD, *SEEN)
        return replace(inner, stages=(*constant, *inner.stages), inputs=inputs, outputs=outputs)

    sizes = {"rub_b": 6 * len(model.links), "rub_t": 6 * len(model.links), "rub_torque": model.nv, "rub_impulse": problem.T.n}
    sizes |= {HELD: 6 * max(len(model.rubbing_held), 1), "rub_normal": problem.N.n, "rub_turns": 1}
    return replace(
        found,
        implicit=found.implicit if model.constraints else (*found.implicit, *stages(model, solve, beside)),
        implicit_fields=widened(found.implicit_fields or found.fields, model),
        complete=complete,
        wrap=lambda runner: RubbingRunner(sizes, found.wrap(runner)),
        in_doubles=True,
    )


def bilateral(problem: FrictionProblem, beside: Beside) -> tuple[ProgramStage, ...]:
    """What joints transmit and points bear, by the joints' own equations."""
    maximal = beside.there and problem.model.staggering.external == "maximal"
    return terms.reactions(beside.there, maximal), *problem.shared(beside.load)


def unilateral(problem: FrictionProblem) -> tuple[tuple[ProgramStage, ...], tuple[ProgramStage, ...]]:
    """Staggered projections (Alg. 7): normals that only push, by a problem of their own. What runs once a step, and in each turn."""
    return problem.N.assembled(), (terms.apart, *problem.pushing("rub_slip", "rub_load"), terms.pushed_together)


def widened(fields: Callable[..., Fields], model: Model) -> Callable[..., Fields]:
    """With the fields of friction."""
    placed, held = terms.PLACED, {HELD: 6 * max(len(model.rubbing_held), 1)}

    def wider(**extra: Any) -> Fields:
        f = fields(**extra)
        down, up, state = {**f.down, **terms.DOWN, **placed}, {**f.up, **terms.UP}, {**f.state, **terms.STATE, **terms.BESIDE}
        lasting = (*f.lasting, "rub_inverse", "rub_V", *placed)
        return replace(f, down=down, up=up, state=state, world={**f.world, **terms.WORLD, **held}, lasting=lasting)

    return wider
