"""`linearize`: how the state after one step of an integrator changes with the state before it, with torques and with parameters.

    x = (q, qdot),     dx_1 = A dx_0 + B dtau + ...

The program of a step, differentiated as it was traced (program/tangent.py), one direction in a lane: with everything in it, Newton's method
among others, so that it is the exact derivative of what the step computes. q moves along velocities, on groups along body twists: of the
state before at its configuration, of the state after at its own. Where a step changes charts, the rates after it are in the new chart.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from redmax.backends.base import make_runner, rolled_plan
from redmax.design.gradients.adaptive_steps import AdaptiveSteps
from redmax.design.gradients.contact_numbers import check_numbers
from redmax.design.gradients.fixed_steps import FixedSteps
from redmax.design.gradients.mapped_steps import slopes_of_mapped
from redmax.design.gradients.reversible import ToReverse, going_on, inputs_of, on_groups, refuse, refused_scene, reversible
from redmax.design.gradients.solved_steps import Slopes, is_solved, slopes_of, split
from redmax.dynamics.choose import FRICTION
from redmax.dynamics.common.parameter_slopes import by_name
from redmax.errors import SceneError, SimulationError
from redmax.integrators.bdf import MARKS, PAST
from redmax.integrators.bdf_samples import Failure
from redmax.joints.group_rates import pulled, pushed_weights, speeds_of
from redmax.model.model import Model
from redmax.model.scene import Scene
from redmax.model.state import State
from redmax.program.kernel import PARAMETERS
from redmax.program.tangent import tangent
from redmax.run.options import RunOptions, with_defaults
from redmax.run.simulation import Simulation

STEP = "linearize", "a step"  # who asks, for the derivative of what


class CarriedLinearization(NamedTuple):
    """Of what bodies carry from step to step beside x: dx_1 = A dx_0 + by dz_0 + ...,  dz_1 = self.A dx_0 + own dz_0 + B dtau + ...

    z = (v, a, v') of each body in turn, all v first: v is what its velocity is beyond what q and qdot make of it, a the acceleration of the
    method (docs/derivatives.md). Where a run begins all follows from x: there `by` and `own` are zero

    by: (..., 2 nv, m);  A: (..., m, 2 nv);  own: (..., m, m);  B: (..., m, nv);  parameters: name -> (..., m, its shape); m = 18 bodies
    """

    by: np.ndarray
    A: np.ndarray
    own: np.ndarray
    B: np.ndarray
    parameters: Mapping[str, np.ndarray]


class StepLinearization(NamedTuple):
    """Of one step: dx_1 = A dx_0 + B dtau + past dx_-1 + carried.by dz_0, x = (q, qdot).

    A: (..., 2 nv, 2 nv);  B: (..., 2 nv, nv);  parameters: name -> (..., 2 nv, its shape);  state: after the step
    past: (..., 2 nv, 2 nv), by the state a step before, where a simulation of `bdf2` has one; None where steps take no more than one state
    carried: of what bodies of `generalized-alpha` carry on, z: by (..., 2 nv, m), how x_1 follows from z_0, and how z_1 follows from x_0,
        A (..., m, 2 nv), from z_0, own (..., m, m), from torques, B, and from parameters; None of other integrators
    """

    A: np.ndarray
    B: np.ndarray
    parameters: Mapping[str, np.ndarray]
    state: State
    past: np.ndarray | None = None
    carried: CarriedLinearization | None = None


@with_defaults
def linearize(
    scene: Scene | Model | Simulation | str | PathLike[str],
    initial: State | None = None,
    tau: ArrayLike | None = None,
    dt: float = 0.01,
    *,
    integrator: str | None = None,
    dynamics: str | None = None,
    rtol: float = 1e-8,
    solver: str = "auto",
    stabilisation: str = "auto",
    friction: str = FRICTION[0],
    parameters: Mapping[str, ArrayLike] | None = None,
    backend: str = "llvm",
    group: str | None = None,
    index: int | None = None,
    rho: float | None = None,
    frame: str | None = None,
) -> StepLinearization:
    """How the state after one step changes with the state before it, torques and parameters: the exact derivative of the step.

    scene: a scene, or a Simulation, whose next step it is then, with its options and parameters, and which stays where it is
    initial: the state before; of a scene its own unless given;  tau: (..., nv) joint forces held in the step, zero unless given
    dt (s), integrator, dynamics, rtol, solver, stabilisation, friction: as of `redmax.simulate`; `adaptive` takes as many steps in dt as
        it needs. `bdf2` of a scene has no past yet and takes its first step, SDIRK2; of a simulation on its way it reads two states.
    parameters: name -> (..., its shape), by which derivatives are wanted too; leading axes make a batch, as those of the state do
    group, index, rho, frame: of `generalized-alpha` and of methods along groups, as of `redmax.simulate`

    Of a step with contact it is that of its solution: which contacts are open, stick and slide is held (docs/contact.md). Where that has
    none, and of joints that rub, a sentence says so. On a map of coordinates it is along the ways that the map has.
    """
    if isinstance(scene, Simulation):
        if initial is not None or parameters is not None:
            said = (
                "linearize takes a Simulation as it is. Give initial and parameters to it: Simulation(scene, initial=..., parameters=...)."
            )
            raise SceneError(said, owner="linearize", argument="initial" if initial is not None else "parameters")
        return linearized(scene, tau)
    form = {"group": group, "index": index, "rho": rho, "frame": frame}
    asked = RunOptions(None, dt, integrator, dynamics, rtol, solver, stabilisation, 0, 1, backend, friction=friction, **form)  # type: ignore[arg-type]
    method = asked.of_simulation()
    return linearized(ToReverse(scene, initial=initial, parameters=parameters, **method), tau)


def linearized(sim: Simulation, tau: ArrayLike | None) -> StepLinearization:
    """Of the next step of a simulation."""
    sim.engine.refuse_corners("redmax.linearize", {"q": sim.q, "qdot": sim.qdot, "t": sim.t})
    if is_solved(sim):
        refuse(refused_scene(sim), *STEP)
        return solved(sim, slopes_of(sim, tau))
    if sim.model.map is not None and not sim.method.adaptive and sim.method.program is not None and not sim.model.touches:
        refuse(refused_scene(sim, mapped=True), *STEP)
        return solved(sim, slopes_of_mapped(sim, tau))
    return backwards(sim, tau) if sim.method.adaptive or sim.model.touches else Step(sim).linearized(tau)


def solved(sim: Simulation, found: Slopes) -> StepLinearization:
    """Of a step that its runner finds by iterations."""
    m, n, charts = found.z.shape[1], sim.model.nv, sim.model.configurations
    rows = [x.reshape(*sim.batch, *x.shape[1:]) for x in (found.x, found.z)]
    (A, by, B, of_x), (A_z, own, B_z, of_z) = (split(x, n, m) for x in rows)
    names, values = sim.engine.parameter_values() if sim.model.parameters else ([], {})
    named = [
        by_given(sim, by_name(sim.model, names, x, values, (len_rows,), "linearize")) if names else {}
        for x, len_rows in ((of_x, 2 * n), (of_z, m))
    ]
    q, chart = charts.split(found.q.reshape(*sim.batch, -1))
    state = State(sim.t + sim.dt, q, found.qdot.reshape(*sim.batch, n), charts.chart_names(chart))
    carried = CarriedLinearization(by, A_z, own, B_z, named[1]) if m else None
    return StepLinearization(A, B, named[0], state, None, carried)


def backwards(sim: Simulation, tau: ArrayLike | None) -> StepLinearization:
    """Of a step with contact, and of those that `adaptive` chooses, which are held: each entry of the state after is pulled back, in a
    world of its own."""
    model, n, worlds = sim.model, sim.model.nv, len(sim.q)
    charts, rows = model.configurations, 2 * n
    q, chart = charts.split(np.repeat(sim.q, rows, axis=0))
    begin = State(sim.t, q, np.repeat(sim.qdot, rows, axis=0), charts.chart_names(chart))
    shapes = {p.name: p.shape for p in model.parameters}
    known, values = sim.engine.parameter_values() if shapes else ([], {})
    check_numbers(model, values, STEP[0])
    spread = {x: np.repeat(np.broadcast_to(values[x], (*sim.batch, *shapes[x])).reshape(worlds, *shapes[x]), rows, axis=0) for x in known}
    many = ToReverse(model, initial=begin, parameters=spread or None, **sim.options.of_simulation())
    many.h = None if sim.h is None else np.repeat(sim.h, rows, axis=0)  # how long its next step is to be
    held = np.broadcast_to(sim.torques(tau), (worlds, n))
    steps: Any = AdaptiveSteps(many, True, *STEP) if sim.method.adaptive else FixedSteps(many, *STEP, gone_on(sim, rows))
    path = steps.forwards(np.repeat(held, rows, axis=0)[None])
    after = steps.end(path)
    each = np.tile(np.eye(rows), (worlds, 1))
    weights = {"q": pushed_weights(charts, after[0], each[:, :n]), "qdot": np.ascontiguousarray(each[:, n:])}
    found = steps.backwards(path, weights, None)
    slopes = [pulled(charts, np.repeat(sim.q, rows, axis=0), found["q"]), found["qdot"], found["tau"][0]]
    A, B = (np.reshape(x, (*sim.batch, rows, -1)) for x in (np.concatenate(slopes[:2], axis=-1), slopes[2]))
    own = np.reshape(found[PARAMETERS], (*sim.batch, rows, -1)) if known else B
    named = by_given(sim, by_name(model, known, own, values, (rows,), "linearize")) if known else {}
    end_q, end_chart = charts.split(after[0][::rows].reshape(*sim.batch, -1))
    state = State(sim.t + sim.dt, end_q, after[1][::rows].reshape(*sim.batch, n), charts.chart_names(end_chart))
    return StepLinearization(A, B, named, state)


def by_given(sim: Simulation, found: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
    """By parameters as they were given, those of a file among them, of slopes (..., 2 nv, shape) by those of the model."""
    return found if sim.declared is None else sim.declared.slopes(found, 1)


def gone_on(sim: Simulation, rows: int) -> Mapping[str, np.ndarray]:
    """What the next step takes from those before it, for so many worlds in place of each."""
    return {name: np.repeat(x, rows, axis=0) for name, x in going_on(sim).items()}


class Step:
    """One step of a simulation, from where it is."""

    def __init__(self, sim: Simulation) -> None:
        if sim.options.group is not None:
            refuse(refused_scene(sim), *STEP)
        mechanism, program = on_groups(sim) or reversible(sim, *STEP)
        self.sim, self.model, self.reads_two = sim, sim.model, sim.options.integrator == "bdf2"
        self.plan = rolled_plan(mechanism, program, sim.backend)
        self.runner = make_runner(tangent(self.plan), sim.backend, "float64")

    def linearized(self, tau: ArrayLike | None) -> StepLinearization:
        """By all that goes in."""
        sim, n, names = self.sim, self.model.nv, self.plan.names[0]
        given = inputs_of(sim, self.plan) | going_on(sim)
        worlds, own = len(sim.q), given[PARAMETERS].shape[-1] if PARAMETERS in given else 0
        given["tau"] = np.ascontiguousarray(sim.torques(tau), float)
        by = ["q", "qdot", "tau", *(PAST if self.reads_two and (given["given"][:, -1] != 1.0).any() else ())]
        count = len(by) * n + own
        spread = {name: np.repeat(np.broadcast_to(x, (worlds, x.shape[-1])), count, axis=0) for name, x in given.items()}
        moves = {name: np.zeros_like(x) for name, x in spread.items()}
        each = np.tile(np.eye(count), (worlds, 1))
        for k, name in enumerate(by):
            moves[name] = each[:, k * n : (k + 1) * n]
        for name in (name for name in by if name in ("q", "q_older")):
            moves[name] = sim.engine.change_of_configuration(spread[name], moves[name])
        if own:
            moves[PARAMETERS] = each[:, count - own :]
        found = self.run([spread[name] for name in names], [moves[name] for name in names], worlds * count)
        charts = self.model.configurations
        rates = speeds_of(charts, found["q"], found["tangent of q"])
        slopes = np.concatenate([rates, found["tangent of qdot"]], axis=-1).reshape(*sim.batch, count, 2 * n)
        slopes = np.swapaxes(slopes, -1, -2)
        after = {name: found[name][::count].reshape(*sim.batch, -1) for name in ("q", "qdot")}
        q, chart = charts.split(after["q"])
        state = State(sim.t + sim.dt, q, after["qdot"], charts.chart_names(chart))
        A, B, past, columns = np.split(slopes, [2 * n, 3 * n, len(by) * n], axis=-1)
        return StepLinearization(A, B, self.by_parameters(columns), state, past if past.shape[-1] else None)

    def by_parameters(self, slopes: np.ndarray) -> Mapping[str, np.ndarray]:
        """name -> (..., 2 nv, its shape), of slopes (..., 2 nv, columns)."""
        if not self.model.parameters:
            return {}
        names, values = self.sim.engine.parameter_values()
        return by_given(self.sim, by_name(self.model, names, slopes, values, (2 * self.model.nv,), "linearize"))

    def run(self, values: list[np.ndarray], moves: list[np.ndarray], worlds: int) -> dict[str, np.ndarray]:
        """The last sample of each output and of its tangent, (worlds, n), by name."""
        arrays = [np.ascontiguousarray(x) for x in (*values, *moves)]
        sizes = dict(zip(self.plan.names[1], self.plan.outputs, strict=True))
        outputs = [np.full((1, worlds, len(sizes[name.removeprefix("tangent of ")])), np.nan) for name in self.runner.outputs]
        self.runner.run(arrays, outputs, worlds, 1, 1)
        found = {name: o[0] for name, o in zip(self.runner.outputs, outputs, strict=True)}
        if "marks" in found:
            self.check_solved(found["marks"])
        for name in ("q", "qdot"):
            if not np.isfinite(found[name]).all():
                raise SimulationError(
                    f"redmax.linearize: the step breaks off at t = {self.sim.t:.6g} s. Take a shorter one: dt={self.sim.dt / 2:g}."
                )
            if not np.isfinite(found[f"tangent of {name}"]).all():
                where = f"at t = {self.sim.t:.6g} s: a force has a corner there, a length of zero, or a joint is singular"
                raise SimulationError(f"redmax.linearize: the step has no derivative {where}. Take a state beside it.")
        return found

    def check_solved(self, marks: np.ndarray) -> None:
        """Raise where Newton's method found no solution: what it stopped at is no step. marks: (worlds, marks)"""
        for mark in marks:
            kind, t, residual = (float(mark[MARKS.index(name)]) for name in ("failed", "t_failed", "size"))
            if kind:
                raise SimulationError(f"redmax.linearize: {Failure(kind, t, residual)} Take a shorter step: dt={self.sim.dt / 2:g}.")
