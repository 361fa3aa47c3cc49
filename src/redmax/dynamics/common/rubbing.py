"""Steps with joints that rub: bilateral staggered projections behind the accelerations without friction (RedMax notes Alg. 8).

    qddot = qddot_0 + H^-1 J' f_b;    f_a;    stop if it is the last one's;    normal impulses;    friction;    f_b;    again

f_b is kept from step to step, and handed from program to program (rubbing_runner.py). How H^-1 is applied is the dynamics' matter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from redmax.dynamics.choose import System
from redmax.dynamics.common import rubbing_terms as terms
from redmax.dynamics.common.rubbing_problem import FrictionProblem
from redmax.dynamics.common.rubbing_runner import KEPT, RubbingRunner
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import Branch, Program, ProgramStage, Repeat

SEEN = ("rub_normal", "rub_turns")  # of samples


def rubbed(found: System, model: Model, solve: tuple[ProgramStage, ...]) -> System:
    """The same with joints that rub. solve: from rub_push to rub_y = H^-1 rub_push."""
    problem, settings = FrictionProblem(model), model.staggering
    again = (*problem.solved(), terms.spread_friction)
    first, contact = unilateral(problem) if settings.contact == "unilateral" else ((), (terms.reactions, *problem.shared()))
    turn = (terms.pushed_by_friction, *solve, *contact, terms.compare(settings), Branch("rub_going", again))
    last = (terms.pushed_by_contact, *solve, terms.taken_contact) if settings.add_contact_force else terms.limited_work
    stages = (terms.terms(settings), *problem.T.assembled(), *first, terms.begun, Repeat(turn, until="rub_done"), *last)
    constant = (*problem.begun(), *(problem.N.begun() if first else ()))

    def complete(program: Program, implicit: bool) -> Program:
        inner = found.complete(program, implicit)
        inputs, outputs = (*inner.inputs, *KEPT), (*inner.outputs, *KEPT, *SEEN)
        return replace(inner, stages=(*constant, *inner.stages), inputs=inputs, outputs=outputs)

    sizes = {"rub_b": 6 * len(model.links), "rub_t": 6 * len(model.links), "rub_torque": model.nv, "rub_impulse": problem.T.n}
    sizes |= {"rub_normal": problem.N.n, "rub_turns": 1}
    return replace(
        found,
        implicit=(*found.implicit, *stages),
        implicit_fields=widened(found.implicit_fields or found.fields),
        complete=complete,
        wrap=lambda runner: RubbingRunner(sizes, found.wrap(runner)),
        in_doubles=True,
    )


def unilateral(problem: FrictionProblem) -> tuple[tuple[ProgramStage, ...], tuple[ProgramStage, ...]]:
    """Staggered projections (Alg. 7): normals that only push, by a problem of their own. What runs once a step, and in each turn."""
    return problem.N.assembled(), (terms.apart, *problem.pushing("rub_slip", "rub_load"), terms.pushed_together)


def widened(fields: Callable[..., Fields]) -> Callable[..., Fields]:
    """With the fields of friction."""

    def wider(**extra: Any) -> Fields:
        f = fields(**extra)
        down, up, state = {**f.down, **terms.DOWN}, {**f.up, **terms.UP}, {**f.state, **terms.STATE}
        lasting = (*f.lasting, "rub_inverse", "rub_V")
        return replace(f, down=down, up=up, state=state, world={**f.world, **terms.WORLD}, lasting=lasting)

    return wider
