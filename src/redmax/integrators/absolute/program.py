"""The program of generalized-alpha steps (method.py says what they are): `count` of them, saving each `stride`-th.

A step is found by Newton's method from where qdot and qddot of the joints lead. It is over when dx and the contraction of the last
iteration say that what is left is below TOLERANCE of the way of the step, or where roundings let it come no nearer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.dynamics.common.joint_laws import motion_rates
from redmax.dynamics.recursive import newton
from redmax.dynamics.recursive.linearised import FORCED, linearised_fields
from redmax.dynamics.recursive.newton_matrix import NewtonMatrix, fields_of
from redmax.dynamics.recursive.newton_step import fields_of as fields_of_step
from redmax.dynamics.recursive.newton_step import newton_step
from redmax.integrators.absolute import level
from redmax.integrators.absolute.frame import FRAMES
from redmax.integrators.absolute.group import Group, group_of
from redmax.integrators.absolute.place import STATE, attempt_of, begin_of, conclude_of, going, missing, rechart
from redmax.integrators.absolute.slopes import ALONE, BodySlopes
from redmax.math import array, logical_and, logical_not, logical_or, minimum, sqrt, where
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import Branch, Program, ProgramStage, Repeat, Save
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import Part, compiled_together, forward, interactions, once, recursion
from redmax.solvers import newton as solver
from redmax.solvers.further import going_further, iterations

if TYPE_CHECKING:
    from redmax.dynamics.recursive.newton_rows import NewtonRows
    from redmax.integrators.absolute.level_rows import LevelRows

TOLERANCE, ITERATIONS = 1e-14, 50
LEFT = 0.2 * TOLERANCE  # with room: velocities make 1 / h of it, and seen from the world a step is but a tenth of the last
CLOSE = 1e-12  # the last of Newton's steps is at most so long beside the way
ROUNDING, LEAST = 1e-7, 1e-13  # where steps no longer become shorter, and are as short beside the way, or beside 1: by roundings
STOPPED, BROKEN, TURNED = 1.0, 2.0, 3.0  # what `failed` says
PAST = ("qddot", "pose", "v0", "a0", "rate0")
GIVEN = ("t0", "h", "k", "rho", "fresh")  # numbers of a world that go in together, in few arrays as each costs time
MARKS = ("failed", "t_failed", "step_size", "steps_taken")  # and those that go out with each sample
TOLD = ("slip", "F")  # of each joint: what is left of hidden constraints, and what it transmits
INPUTS = ("q", "qdot", "tau", "given", *PAST)
OUTPUTS = ("q", "qdot", "marks", *PAST, *TOLD)
FEW = 12  # coordinates up to which Newton's matrix is dense, whatever couples bodies
WORLD = dict.fromkeys(
    ("t0", "k", "rho", "fresh", "am", "af", "gamma", "beta", "going", "done", "turns", "way", "way_square", "moved", "moved_far", "last",
     "t_failed", "failed", "step_size", "steps_taken", "square",
     "turned_far"), 1,
) | {"given": len(GIVEN), "marks": len(MARKS)}  # fmt: skip


@dataclass(frozen=True)
class Form:
    """group: of bodies, by name; index: of the equations, 3 or 2; frame: of bodies, "body" or "joint"."""

    group: str
    index: int
    frame: str = FRAMES[0]

    @property
    def of_bodies(self) -> Group:
        """The group."""
        return group_of(self.group, self.frame)


@once
def begin(w: WorldView) -> None:
    for name, value in zip(GIVEN, w.given, strict=True):
        setattr(w, name, value)
    w.am, w.af = (2.0 * w.rho - 1.0) / (w.rho + 1.0), w.rho / (w.rho + 1.0)
    w.gamma = 0.5 + w.af - w.am
    w.beta = 0.25 * (w.gamma + 0.5) * (w.gamma + 0.5)
    w.r0, w.r1 = 1.0, w.gamma / (w.beta * w.h)
    w.r2 = (1.0 - w.am) / ((1.0 - w.af) * w.beta * w.h * w.h)
    w.t = w.t0 + w.k * w.h
    w.going, w.steps_taken, w.t_failed, w.step_size, w.failed = 1.0, 0.0, 0.0, 0.0, 0.0


@once
def begin_step(w: WorldView) -> None:
    w.t = w.t0 + (w.k + 1.0) * w.h
    w.turns, w.done, w.way_square, w.moved, w.moved_far, w.last, w.square = 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0
    w.turned_far = 0.0


@forward
def guess(j: JointView, w: WorldView) -> None:
    """Where the step ends at first, and with which rates; of a prescribed joint, for good."""
    j.dx = np.zeros(j.joint.dof)
    if not j.joint.dof:
        return
    if j.prescribed:
        j.q, j.qdot = prescribed_end(j, w)
    else:
        j.q, j.qdot = j.joint.retract(j.q, w.h * (j.qdot + (0.5 * w.h) * j.qddot)), j.qdot + w.h * j.qddot
    way = w.h * j.qdot
    w.gather("way_square", way @ way)


@forward
def guess_from(j: JointView, w: WorldView) -> None:
    """And where it began."""
    j.q_begin = j.q
    guess.function(j, w)


def prescribed_end(j: JointView, w: WorldView) -> tuple[Any, Any]:
    """q and qdot of a joint whose motion is given, at the end of the step; without one it goes on as it goes."""
    h, begin = w.h, w.t - w.h
    if "motion" not in j:
        return j.joint.retract(j.q, h * (j.qdot + (0.5 * h) * j.qddot)), j.qdot + h * j.qddot
    rates = motion_rates(j.motion, w.t, j.joint, j.motion_level)
    if j.motion_level == "position":
        return array([*rates[0], *j.q[j.joint.nq :]]), rates[1]
    if j.motion_level == "velocity":
        mean = np.ravel(np.asarray(j.motion(begin + 0.5 * h), object))
        return j.joint.retract(j.q, h * mean), rates[0]
    before, between, after = (np.ravel(np.asarray(j.motion(t), object)) for t in (begin, begin + 0.5 * h, w.t))
    return j.joint.retract(j.q, h * (j.qdot + (0.5 * h) * between)), j.qdot + (0.5 * h) * (before + after)


@once
def begin_improving(w: WorldView) -> None:
    w.way, w.way_square, w.moved, w.moved_far = sqrt(w.way_square), 0.0, 0.0, 0.0


@once
def judge(w: WorldView) -> None:
    """After an improvement: whether another one is needed."""
    size = sqrt(w.moved)
    shrunk = minimum(size / w.last, 1.0)
    w.turns, w.steps_taken = w.turns + 1.0, w.steps_taken + 1.0
    solved = logical_or(size <= LEFT, logical_and(size <= CLOSE, size * shrunk <= LEFT))
    near = logical_or(size <= ROUNDING, sqrt(w.moved_far) <= LEAST)
    rounding = logical_and(logical_and(near, size >= 0.3 * w.last), w.turns > 1.5)
    found, finite = logical_or(solved, rounding), size < 1e100
    over = logical_or(w.turns >= float(ITERATIONS), logical_not(finite))
    w.failed = where(found, 0.0, where(finite, where(over, STOPPED, 0.0), BROKEN))
    w.done = where(logical_or(found, over), 1.0, 0.0)
    w.step_size, w.last = size, size
    begin_improving.function(w)


@once
def end_step(w: WorldView) -> None:
    """A world that failed goes no further, nor one whose bodies turned too far."""
    w.failed = where(logical_and(w.going > 0.0, logical_and(w.failed < 0.5, w.turned_far > 0.5)), TURNED, w.failed)
    broke = logical_and(w.going > 0.0, w.failed > 0.0)
    w.t_failed, w.going = where(broke, w.t, w.t_failed), where(w.failed > 0.0, 0.0, 1.0)
    w.k = w.k + 1.0
    w.marks = array([getattr(w, name) for name in MARKS])


@once
def begin_rows(w: WorldView) -> None:
    """What the rows of constraints ask of a line search, which there is none: each of Newton's steps is taken."""
    w.lost, w.fraction, w.whole, w.scale = 1.0, 1.0, 1.0, 1.0
    clear_sums(w)


@once
def measure_rows(w: WorldView) -> None:
    """|r|, by which rows that are nearly alike are told."""
    w.size = sqrt(w.square)
    clear_sums(w)


def clear_sums(w: WorldView) -> None:
    for name in solver.SUMS:
        setattr(w, name, 0.0)


ROWS_BEGIN, ROWS_MEASURED = compiled_together(begin_rows, measure_rows, name="absolute rows")
START, STEP, IMPROVE, JUDGE, END = compiled_together(begin, begin_step, begin_improving, judge, end_step, name="absolute world")
RECHART = recursion(rechart, name="absolute charts")


@dataclass(frozen=True, eq=False)
class Step:
    """The stages of a step, for a model and a form of the equations."""

    model: Model
    form: Form
    further: bool = False  # whether iterations follow once the end is found (solvers/further.py)

    @property
    def slopes(self) -> BodySlopes:
        """How what bodies feel changes."""
        return BodySlopes(self.form.of_bodies, self.form.index)

    @cached_property
    def matrix(self) -> NewtonMatrix:
        """Where forces or constraints couple bodies: dense, or sparse where many joints bear few that are coupled."""
        if self.model.nv > FEW:
            from redmax.dynamics.maximal.newton import matrix_of

            sparse = matrix_of(self.model, self.slopes)
            if 2 * sparse.p < self.model.nv:
                return sparse
        return NewtonMatrix(tuple(link.joint.dof for link in self.model.links), self.model.prescribed, FORCED, linearise=self.slopes)

    @cached_property
    def rows(self) -> NewtonRows | None:
        """Those of constraints."""
        return newton.rows_of(self.model, self.matrix) if self.model.constraints else None

    @cached_property
    def level_rows(self) -> LevelRows | None:
        """Those of index 2, of constraints that hold positions."""
        if self.rows is None or self.form.index != 2:
            return None
        from redmax.integrators.absolute.level_rows import LevelRows

        dofs = tuple(link.joint.dof for link in self.model.links)
        found = LevelRows(self.model, NewtonMatrix(dofs, self.model.prescribed, FORCED), self.form.of_bodies)
        return found if found.m else None

    def direction(self) -> tuple[ProgramStage, ...]:
        """dx of the joints: along the tree, or by the matrix."""
        if self.rows is not None:
            return *self.matrix.assemble(True), *self.rows.solve()
        if newton.couples(self.model):
            return *self.matrix.assemble(), *self.matrix.solve()
        return (newton_step(ALONE, self.slopes),)

    def attempt(self) -> tuple[ProgramStage, ...]:
        """Go by dx; what is missing there."""
        group, index = self.form.of_bodies, self.form.index
        acting = [interactions(Part.WRENCH)] + [interactions(Part.REACTIONS)] * bool(self.model.constraints)
        carried = self.follow()  # where bodies are, which is then a stage of its own
        goes = index == 3 and not carried
        seen = recursion(attempt_of(group, index, goes), *acting, missing, name=f"absolute attempt {self.form} {len(acting)} {goes}")
        corrected: tuple[ProgramStage, ...] = (level.level(group),) if index == 2 else ()
        if self.rows is None:
            return *corrected, seen
        asked: tuple[ProgramStage, ...] = ()
        if self.level_rows is not None:
            corrected, asked = (*self.level_rows.corrected(not carried), *carried), self.level_rows.ask()
        if carried:
            corrected = (recursion(going(index), name=f"absolute step {index}"), *carried, *corrected)
        return *self.rows.attempt(), *corrected, seen, *asked, *self.rows.weigh(), ROWS_MEASURED

    def follow(self) -> tuple[ProgramStage, ...]:
        """The coordinates that constraints carry, where bodies are."""
        if not any(c.carries for c in self.model.constraints):
            return ()
        from redmax.dynamics.common.closing import follow

        return follow(self.model)

    def stages(self) -> tuple[ProgramStage, ...]:
        """The whole of it."""
        rows = (*self.rows.begin(), ROWS_BEGIN) if self.rows is not None else ()
        begin = (*self.follow(), *self.level_rows.begin_step()) if self.level_rows is not None else ()
        charts = (RECHART,) if any(link.joint.has_own("rechart") for link in self.model.links) else ()
        first = recursion(guess if self.form.index == 3 else guess_from, name=f"absolute guess {self.form.index}")
        attempt = self.attempt()
        group = self.form.of_bodies
        conclusion = recursion(conclude_of(group), name=f"absolute conclusion {group!r}")
        turn = *self.direction(), *attempt
        solve = (IMPROVE, *attempt, IMPROVE, Repeat((*turn, JUDGE), until="done"), *(iterations(turn) if self.further else ()))
        return *charts, *begin, STEP, first, *rows, *solve, conclusion


def program(model: Model, form: Form, further: bool = False) -> Program:
    begun = recursion(begin_of(form.of_bodies), name=f"absolute beginning {form.of_bodies!r}")
    loop = Repeat((Branch("going", Step(model, form, further).stages()), END, Save(strided=True)))
    made = Program("generalized-alpha", (START, Branch("fresh", (begun,)), loop), fields(model, form), INPUTS, OUTPUTS)
    made = going_further(made) if further else made
    if not any(c.carries for c in model.constraints):
        return made
    from redmax.dynamics.common import closing

    return closing.begun(model, made, "")


def fields(model: Model, form: Form) -> Fields:
    """The record of its program."""
    up, kept = fields_of(FORCED) if newton.couples(model) else (fields_of_step(ALONE)[0], {})
    down, world = {} if newton.couples(model) else fields_of_step(ALONE)[1], WORLD
    state: dict[str, Any] = {"dx": "v"} | kept | STATE
    if form.index == 2:
        up, down, state = up | level.UP, down | level.DOWN, state | level.STATE
    if model.constraints:
        world = solver.WORLD | newton.rows_of(model).world | world
    found = linearised_fields(model, state, up, down, world)
    if not any(c.carries for c in model.constraints):
        return found
    from redmax.constraints.law import DOWN
    from redmax.dynamics.common import closing

    return replace(found, down={**found.down, **DOWN}, world={**found.world, **closing.world(model)})
