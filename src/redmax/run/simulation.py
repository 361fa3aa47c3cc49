"""Simulation: a model in motion, step by step, with controllers in Python, checkpoints, and batches of worlds.

The time loop is compiled with the dynamics. Python sees it in portions: to ask a controller, and to notice a run that blows up.
"""

from __future__ import annotations

import copy
import math
import pickle
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.arguments import as_float, as_whole, brief
from redmax.backends.base import Runner
from redmax.components.from_function import check_call
from redmax.dynamics.choose import default_dynamics, system
from redmax.dynamics.common.kinematics import motion_rates
from redmax.dynamics.common.runners import make_plan, make_runner
from redmax.dynamics.dynamics import Dynamics, as_numbers
from redmax.errors import RedmaxError, SceneError, SimulationError
from redmax.integrators import Method, method
from redmax.integrators.adaptive import MOST_STEPS, first_step
from redmax.memory import check_room
from redmax.model.model import Model
from redmax.model.scene import Scene
from redmax.model.state import State
from redmax.run.failures import BlowUp, BrokenOff, count_finite, last_state, left_range, named, without_inertia
from redmax.solvers.reduced import matrix_free_solver
from redmax.trace import Graph, evaluate_numeric
from redmax.trace.blame import Blaming, blamed

MOST_HALVINGS = 30
MOST_COUNT = 2**53  # of steps: floats count no further
FEWER = "Simulate fewer worlds at a time."
Controller = Callable[[float, np.ndarray, np.ndarray], Any]


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Everything a Simulation needs to go on exactly as it would have."""

    state: State
    start: float
    steps: int
    h: np.ndarray | None
    history: Any = None  # what a runner keeps of the past: states that BDF2 needs, the poses behind maximal states


def initial_state(model: Model, t: float = 0.0) -> State:
    """The scene's initial state; prescribed joints start on their motion unless the scene says otherwise."""
    q, qdot = model.q0, model.qdot0
    for i, link in enumerate(model.links):
        if link.motion is not None and link.on_motion:
            part = slice(model.offsets[i], model.offsets[i + 1])
            time_node = Graph().input("t", 0)
            position, rate, _ = motion_rates(link.motion, time_node, link.joint.dof)
            if link.motion_level == "position":
                q[part] = evaluate_numeric(list(position), lambda base, index: t)
                qdot[part] = evaluate_numeric(list(rate), lambda base, index: t)
            elif link.motion_level == "velocity":
                qdot[part] = evaluate_numeric(list(position), lambda base, index: t)
    return State(t, q, qdot, model.charts)


class Simulation:
    """A model in motion: step, read the state, change it, step on.

    scene: a Scene or Model; dt: the step (s) of a fixed-step integrator, the sampling interval of `adaptive`
    solver: of the reduced system of dynamics="redmax": "direct" (dense), "cg" (conjugate gradients, O(n) products), or "auto", by size
    stabilisation: of dynamics="maximal": "baumgarte" (terms in the constraints), or "project" (every step ends on them)
    halvings: how often bdf1 and bdf2 may halve a step for which Newton's method finds no solution
    controller: (t, q, qdot) -> tau, asked at the beginning of each dt and held until its end
    """

    @Blaming()
    def __init__(
        self,
        scene: Scene | Model,
        *,
        dt: float = 0.01,
        integrator: str | None = None,
        dynamics: str | None = None,
        rtol: float = 1e-8,
        solver: str = "auto",
        stabilisation: str = "baumgarte",
        halvings: int = 0,
        controller: Controller | None = None,
        initial: State | None = None,
        backend: str = "llvm",
        dtype: str = "float64",
    ) -> None:
        self.model = model_of(scene)
        self.dt, self.rtol = positive(dt, "dt"), positive(rtol, "rtol")
        if as_whole(halvings) is None or halvings > MOST_HALVINGS:
            raise RedmaxError(f"halvings must be a whole number from 0 to {MOST_HALVINGS}. Got {brief(halvings)}.")
        self.options = {"solver": solver, "stabilisation": stabilisation, "halvings": halvings}
        self.method: Method = method(("implicit" if self.model.soft else "adaptive") if integrator is None else integrator)
        if any(soft.ties for soft in self.model.soft) and self.method.name != "implicit":
            why = "constraint rows (Deformable.tie), which only the integrator 'implicit' solves"
            raise RedmaxError(f"The scene has nodes held by {why}. Got {brief(self.method.name)}. Use it, or attach the nodes.")
        if self.method.name == "implicit" and self.model.soft and not self.model.acting:
            why = "no elements, and nothing else acts on them: there is nothing for implicit steps to solve"
            raise RedmaxError(f"The deformables of the scene have {why}. Give them elements, or use another integrator, such as 'rk4'.")
        dynamics = default_dynamics(self.model) if dynamics is None else dynamics
        if controller is not None and not callable(controller):
            raise SceneError(f"controller is a function (t, q, qdot) -> tau, or None. Got {brief(controller)}.")
        if controller is not None:
            check_call("controller: the function", controller, ("t", "q", "qdot"), {})
        self.controller, self.dynamics = controller, dynamics
        started = time.perf_counter()
        self.engine = Dynamics(self.model, backend, dtype)
        self.backend, self.dtype = backend, dtype
        matrix_free = None if self.model.soft else matrix_free_solver(solver, dynamics, self.model, backend, self.method.implicit)
        chosen = system(dynamics, self.model, matrix_free, backend, solver)
        if self.method.program is not None:
            self.plan = make_plan(chosen.model, self.method.program(chosen), backend)
            self.runner: Runner = chosen.wrap(make_runner(self.plan, backend, "float64" if chosen.in_doubles else dtype))
            self.stabilise(stabilisation)
        elif self.method.runner is not None and (chosen.model is self.model or self.model.map is not None):
            self.runner = self.method.runner(self.model, backend, halvings)
        else:
            advice = f"Use it with recursive or redmax dynamics, not {dynamics}."
            raise RedmaxError(f"{self.method.name} solves the reduced equations of motion. {advice}")
        self.reset(initial)
        self.prepare()
        self.compile_s = time.perf_counter() - started

    def stabilise(self, how: str) -> None:
        """How dynamics="maximal" keeps its joints closed."""
        if not isinstance(how, str) or how not in ("baumgarte", "project"):
            raise RedmaxError(f"There is no stabilisation {brief(how)}. Valid: 'baumgarte' or 'project'.")
        if how == "project":
            if self.dynamics != "maximal" or self.method.adaptive:
                raise RedmaxError("stabilisation='project' is for dynamics='maximal' with a fixed-step integrator.")
            runner: Any = self.runner
            runner.project = True

    def prepare(self) -> None:
        """Compile now, not within the first step."""
        if hasattr(self.runner, "lowered"):
            runner: Any = self.runner
            runner.lowered(1 if self.method.adaptive or len(self.q) == 1 else runner.width)
        elif hasattr(self.runner, "compile"):
            runner = self.runner
            runner.compile()

    def reset(self, state: State | None = None) -> None:
        """Go (back) to a state, by default the scene's initial one."""
        state = initial_state(self.model) if state is None else checked_state(state)
        coordinates = as_state(state.q, self.model.nq, "q", self.dtype)
        q = self.model.configurations.join(coordinates, self.model.configurations.numbered(state.chart))
        qdot = as_state(state.qdot, self.model.nv, "qdot", self.dtype)
        try:
            self.batch = np.broadcast_shapes(q.shape[:-1], qdot.shape[:-1])
        except ValueError:
            raise SceneError(f"q and qdot must agree in their leading axes. Got {q.shape} and {qdot.shape}.") from None
        apart = abs(float(state.t)) * float(np.finfo(self.dtype).eps)  # of neighbouring numbers
        if 4.0 * apart > self.dt:
            why = f"near t = {state.t:g} s numbers are {apart:.2g} s apart, too far for dt = {self.dt:g} s"
            raise SceneError(f"t is too far from zero: {why}. Begin nearer to zero, or take a larger dt.")
        self.q, self.qdot = self.by_world(q, "q"), self.by_world(qdot, "qdot")
        self.start, self.steps, self.t, self.taken = float(state.t), 0, float(state.t), 0
        self.h: np.ndarray | None = None  # (worlds, 1), the next step of each world, once adaptive has chosen it

    def by_world(self, array: np.ndarray, name: str) -> np.ndarray:
        """(worlds, n) from (..., n), for each world of the batch; a copy."""
        try:
            spread = np.broadcast_to(array, (*self.batch, array.shape[-1]))
        except ValueError:
            raise SceneError(f"{name} must have the leading axes {self.batch} of the states, or none. Got {array.shape}.") from None
        worlds, n = math.prod(self.batch), array.shape[-1]
        check_room(3 * worlds * n * array.itemsize, f"A batch of {worlds:,} worlds", FEWER)
        return spread.reshape(worlds, n).copy()

    def copies(self) -> tuple[np.ndarray, np.ndarray]:
        """q and qdot with the axes of the batch."""
        q = self.model.configurations.split(self.q)[0]
        return q.reshape(*self.batch, self.model.nq).copy(), self.qdot.reshape(*self.batch, self.model.nv).copy()

    @property
    def state(self) -> State:
        """Where the mechanism is now: a copy."""
        charts = self.model.configurations.split(self.q)[1]
        return State(self.t, *self.copies(), self.model.configurations.chart_names(charts.reshape(*self.batch, charts.shape[-1])))

    def energies(self) -> tuple[float, float]:
        """Kinetic and potential energy now (J), of all worlds together; not a number where they overflow."""
        q, qdot = (np.concatenate([x, x]) for x in (self.q, self.qdot))  # several worlds: the code that looks at whole runs, too
        try:
            seen = self.engine.observe(q, qdot, self.t)
        except (SceneError, SimulationError):
            return np.nan, np.nan
        return float(seen.kinetic[: len(self.q)].sum()), float(seen.potential[: len(self.q)].sum())

    def checkpoint(self) -> Checkpoint:
        """Everything that the loop knows, for `restore`."""
        return Checkpoint(self.state, self.start, self.steps, self.h, copy.copy(getattr(self.runner, "history", None)))

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go back to a checkpoint; what follows is the same to the last bit."""
        if not isinstance(checkpoint, Checkpoint):
            raise SceneError(f"restore takes what checkpoint() returned. Got {brief(checkpoint)}.")
        self.reset(checkpoint.state)
        self.start, self.steps, self.h = checkpoint.start, checkpoint.steps, checkpoint.h
        if hasattr(self.runner, "history"):
            runner: Any = self.runner
            runner.history = copy.copy(checkpoint.history)

    def __copy__(self) -> Simulation:
        """One of its own, at the same state, which goes on in the same way."""
        return simulation_again(self.model, self.settings(), self.controller, self.checkpoint())

    def __deepcopy__(self, memo: dict[int, Any]) -> Simulation:
        return copy.copy(self)

    def __reduce__(self) -> Any:
        """Pickles hold the model, what was asked for, and a checkpoint; the other process compiles its own code."""
        try:
            pickle.dumps(self.controller)
        except Exception as error:
            advice = "Define it as a function of a module, or leave it out and set `controller` afterwards"
            raise SceneError(f"The simulation cannot be pickled, since its controller cannot ({error}). {advice}.") from error
        return simulation_again, (self.model, self.settings(), self.controller, self.checkpoint())

    def settings(self) -> dict[str, Any]:
        """What it was made with, besides model, controller and initial state."""
        known = {"dt": self.dt, "rtol": self.rtol, "integrator": self.method.name, "dynamics": self.dynamics}
        return known | self.options | {"backend": self.backend, "dtype": self.dtype}

    def step(self, count: int = 1, tau: Any = None) -> State:
        """Advance by `count` intervals of dt, with tau (..., nv) or the controller's torques held in each."""
        if as_whole(count) is None or count > MOST_COUNT:
            raise SceneError(f"step takes a whole number of intervals from 0 up. Got {brief(count)}.")
        q, qdot = self.room(1)
        for _ in range(count):
            self.advance(1, self.torques(tau), q, qdot)
        return self.state

    def torques(self, tau: Any = None) -> np.ndarray:
        if tau is None and self.controller is not None:
            tau = self.controller(self.t, *self.copies())
            if tau is not None and not np.isfinite(as_numbers(tau, "tau", self.dtype)).all():
                raise BlowUp(0, f"The run broke off at t = {self.t:.6g} s: the controller's tau is not finite there.")
        if tau is None:
            return np.zeros(self.model.nv, self.dtype)
        return self.by_world(as_state(tau, self.model.nv, "tau", self.dtype), "tau")

    def room(self, samples: int) -> tuple[np.ndarray, np.ndarray]:
        """Space for samples of configurations and qdot, (samples, worlds, n)."""
        worlds, size = len(self.q), self.model.configurations.size
        return np.empty((samples, worlds, size), self.dtype), np.empty((samples, worlds, self.model.nv), self.dtype)

    def advance(self, stride: int, tau: np.ndarray, q: np.ndarray, qdot: np.ndarray) -> None:
        """Fill the samples q, qdot (samples, worlds, n), each `stride` intervals of dt after the one before. Raises BlowUp."""
        run = self.advance_adaptive if self.method.adaptive else self.advance_fixed
        try:
            broken = run(stride, tau, q, qdot)
        except ArithmeticError as error:  # of a function that is called on the way
            raise blamed(error) from error
        except SimulationError as failure:
            good = count_finite(q, qdot)
            last = last_state(State(self.t, self.q, self.qdot), q[:good], qdot[:good], stride * self.dt)
            said = left_range(self.model, last, stride * self.dt) or without_inertia(self.model, self.engine, last) or failure.reason
            raise BlowUp(good, said) from None
        good = count_finite(q, qdot) if broken else len(q)
        if good < len(q):
            raise BlowUp(good, self.first_failure(q[:good], qdot[:good], stride, tau))
        steps = self.steps + len(q) * stride
        now = steps, self.start + steps * self.dt, q[-1].copy(), qdot[-1].copy()
        self.steps, self.t, self.q, self.qdot = now  # in one go, which no Ctrl-C parts

    def advance_controlled(self, every: int, q: np.ndarray, qdot: np.ndarray) -> None:
        """One sample, `every` intervals of dt on, with the controller asked at each."""
        try:
            for _ in range(every):
                self.advance(1, self.torques(), q, qdot)
        except BrokenOff:
            raise BrokenOff(0) from None  # what is there may be of an interval before the sample's

    def advance_fixed(self, stride: int, tau: np.ndarray, q: np.ndarray, qdot: np.ndarray) -> int:
        """Returns nonzero if a sample is not finite."""
        clock = [np.full(1, x, self.dtype) for x in (self.t, self.start, self.dt, float(self.steps))]
        if not hasattr(self.runner, "lowered"):  # Python is called on the way and may raise
            q[:] = qdot[:] = np.nan  # what a step without a solution leaves
        broken = self.runner.run([self.q, self.qdot, tau, *clock], [q, qdot], len(self.q), len(q) * stride, stride)
        self.taken += len(q) * stride
        return broken

    def advance_adaptive(self, stride: int, tau: np.ndarray, q: np.ndarray, qdot: np.ndarray) -> int:
        """Returns nonzero if a sample is missing or not finite."""
        q[:] = qdot[:] = np.nan  # what a run that breaks off leaves
        marks = [np.full((len(q), len(self.q), 1), np.nan, self.dtype) for _ in range(4)]  # t, h, steps, failed
        interval = stride * self.dt
        longest = len(q) * interval
        h = self.first_steps(longest) if self.h is None else self.h
        eps = float(np.finfo(self.dtype).eps)
        clock = [self.t, self.t, self.t + longest, self.rtol, interval, eps, float(len(q))]
        try:
            self.runner_by_world([self.q, self.qdot, tau, h, *[np.full(1, x, self.dtype) for x in clock]], [q, qdot, *marks])
        except KeyboardInterrupt:
            self.taken += most_steps(marks[2])
            raise BrokenOff(count_finite(q, qdot)) from None
        self.h = marks[1][-1] if np.isfinite(marks[1][-1]).all() else None
        self.taken += most_steps(marks[2])
        return int(not (np.isfinite(q[-1]).all() and np.isfinite(qdot[-1]).all()))

    def first_steps(self, longest: float) -> np.ndarray:
        """(worlds, 1): the first step of each world, by itself, so that it does not depend on its neighbours."""
        found: list[float] = []
        for q, qdot in zip(self.q, self.qdot, strict=True):
            coordinates = self.model.configurations.split(q)[0]
            found.append(first_step(coordinates, qdot, self.acceleration(q, qdot), self.rtol, longest))
        return np.array(found, self.dtype).reshape(-1, 1)

    def acceleration(self, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
        try:
            return self.engine.forward_free(q, qdot, np.zeros_like(qdot), t=self.t)
        except SimulationError:  # singular coordinates, which the run may leave by itself, or whose error says where
            return np.zeros_like(qdot)

    def runner_by_world(self, inputs: list[np.ndarray], outputs: list[np.ndarray]) -> None:
        """Each world chooses its own steps, so they run one by one (over threads), never in lanes."""
        runner: Any = self.runner
        if self.backend == "llvm":
            runner.run(inputs, outputs, len(self.q), lanes=1)
            return
        for w in range(len(self.q)):
            part = [np.empty_like(o[:, :1]) for o in outputs]
            for p, o in zip(part, outputs, strict=True):
                p[:] = o[:, w : w + 1]
            runner.run([a[w : w + 1] if a.ndim == 2 else a for a in inputs], part, 1)
            for p, o in zip(part, outputs, strict=True):
                o[:, w : w + 1] = p

    def first_failure(self, q: np.ndarray, qdot: np.ndarray, stride: int, tau: np.ndarray) -> str:
        """Where and when the state stopped being finite, given the samples before that: the steps after the last one, one by one."""
        last = last_state(State(self.t, self.q, self.qdot), q, qdot, stride * self.dt)
        weightless = without_inertia(self.model, self.engine, last)
        if weightless:
            return weightless
        if self.method.adaptive:
            why = f"the adaptive step became too small, or {MOST_STEPS:.0e} of them did not suffice for a portion of samples"
            return named(self.model, last, self.dt, f"{why}: the motion is singular there, or not smooth, or the samples are too far apart")
        probe = object.__new__(Simulation)
        probe.__dict__ |= self.__dict__
        probe.q, probe.qdot, probe.t, probe.start, probe.steps = last.q.copy(), last.qdot.copy(), last.t, last.t, 0
        one = self.room(1)
        while not probe.advance_fixed(1, tau, *one) and probe.steps < stride:
            probe.steps += 1
            probe.q, probe.qdot, probe.t = one[0][0].copy(), one[1][0].copy(), probe.start + probe.steps * self.dt
        state = State(probe.t, probe.q, probe.qdot)
        return named(self.model, state, self.dt, f"the state was no longer finite one step of dt = {self.dt:g} later; try a smaller dt")


def most_steps(counts: np.ndarray) -> int:
    """Of the world that took most, given the counts at its samples, which leave out the step that reached the sample."""
    known = counts[np.isfinite(counts)]
    return int(known.max()) + 1 if len(known) else 0


def simulation_again(model: Model, settings: dict[str, Any], controller: Controller | None, checkpoint: Checkpoint) -> Simulation:
    """What unpickling calls."""
    made = Simulation(model, controller=controller, initial=checkpoint.state, **settings)
    made.restore(checkpoint)
    return made


def model_of(scene: Any) -> Model:
    """The model of a scene, or itself."""
    if isinstance(scene, Scene):
        return scene.model()
    if not isinstance(scene, Model):
        hint = " Did you forget the parentheses?" if isinstance(scene, type) else ""
        raise SceneError(f"Expected a redmax.Scene or what its model() returns. Got {brief(scene)}.{hint}")
    return scene


def checked_state(state: Any) -> State:
    """A state whose time is a number; what it is of is checked with the model."""
    if not isinstance(state, State):
        example = "such as redmax.State(0.0, q, qdot), run.state() or simulation.state"
        raise SceneError(f"A run begins at a redmax.State, {example}. Got {brief(state)}.")
    t = as_float(state.t)
    if t is None or not np.isfinite(t):
        raise SceneError(f"t must be finite. Got {brief(state.t)}.")
    if not isinstance(state.chart, Mapping):
        raise SceneError(f"chart is a dictionary, joint -> the name of its coordinates. Got {brief(state.chart)}.")
    return state


def positive(value: Any, name: str) -> float:
    number = as_float(value)
    if number is None or not 0 < number < np.inf:
        raise SceneError(f"{name} must be a positive number. Got {brief(value)}.")
    return number


def as_state(value: Any, n: int, name: str, dtype: str) -> np.ndarray:
    array = as_numbers(value, name, dtype)
    if array.ndim < 1 or array.shape[-1] != n:
        raise SceneError(f"{name} must have shape (..., {n}) for this model. Got {array.shape}.")
    check_room(3 * array.size * array.itemsize, f"{name} of shape {array.shape}", FEWER)
    if not np.isfinite(array).all():
        raise SceneError(f"{name} must be finite. Got {brief(value)}.")
    return array
