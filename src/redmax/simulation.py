"""Simulation: a model in motion, step by step, with controllers in Python, checkpoints, and batches of worlds.

The time loop is compiled with the dynamics. Python sees it in portions: to ask a controller, and to notice a run that blows up.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.dynamics.kinematics import motion_rates
from redmax.dynamics.system import Dynamics, Runner, as_numbers, make_plan, make_runner
from redmax.errors import RedmaxError, SceneError
from redmax.integrators import Method, method
from redmax.integrators.adaptive import first_step
from redmax.model import Model
from redmax.scene import Scene
from redmax.state import State
from redmax.trace import Graph, evaluate_numeric

Controller = Callable[[float, np.ndarray, np.ndarray], Any]
DYNAMICS = ("recursive",)
PLANNED_DYNAMICS = ("redmax", "maximal")


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Everything a Simulation needs to go on exactly as it would have."""

    state: State
    start: float
    steps: int
    h: float


def initial_state(model: Model, t: float = 0.0) -> State:
    """The scene's initial state; prescribed joints start on their motion unless the scene says otherwise."""
    q, qdot = model.q0, model.qdot0
    for i, link in enumerate(model.links):
        if link.motion is not None and link.on_motion:
            part = slice(model.offsets[i], model.offsets[i + 1])
            time_node = Graph().input("t", 0)
            position, rate, _ = motion_rates(link.motion, time_node, link.joint.dof)
            q[part] = evaluate_numeric(list(position), lambda base, index: t)
            qdot[part] = evaluate_numeric(list(rate), lambda base, index: t)
    return State(t, q, qdot, model.charts)


class Simulation:
    """A model in motion: step, read the state, change it, step on.

    scene: a Scene or Model; dt: the step (s) of a fixed-step integrator, the sampling interval of `adaptive`
    controller: (t, q, qdot) -> tau, asked at the beginning of each dt and held until its end
    """

    def __init__(
        self,
        scene: Scene | Model,
        *,
        dt: float = 0.01,
        integrator: str = "adaptive",
        dynamics: str = "recursive",
        rtol: float = 1e-8,
        controller: Controller | None = None,
        initial: State | None = None,
        backend: str = "llvm",
        dtype: str = "float64",
    ) -> None:
        self.model = scene.model() if isinstance(scene, Scene) else scene
        check_choices(dynamics)
        self.dt, self.rtol = positive(dt, "dt"), positive(rtol, "rtol")
        self.method: Method = method(integrator)
        self.controller, self.dynamics = controller, dynamics
        started = time.perf_counter()
        self.engine = Dynamics(self.model, backend, dtype)
        self.backend, self.dtype = backend, dtype
        self.plan = make_plan(self.model, self.method.program(self.model), backend)
        self.runner: Runner = make_runner(self.plan, backend, dtype)
        self.reset(initial)
        self.prepare()
        self.compile_s = time.perf_counter() - started

    def prepare(self) -> None:
        """Compile now, not within the first step."""
        if self.backend == "llvm":
            runner: Any = self.runner
            runner.lowered(1 if self.method.adaptive or len(self.q) == 1 else runner.width)

    def reset(self, state: State | None = None) -> None:
        """Go (back) to a state, by default the scene's initial one."""
        state = state or initial_state(self.model)
        q = as_state(state.q, self.model.nq, "q", self.dtype)
        qdot = as_state(state.qdot, self.model.nv, "qdot", self.dtype)
        self.batch = np.broadcast_shapes(q.shape[:-1], qdot.shape[:-1])
        self.q = np.broadcast_to(q, (*self.batch, self.model.nq)).reshape(-1, self.model.nq).copy()
        self.qdot = np.broadcast_to(qdot, (*self.batch, self.model.nv)).reshape(-1, self.model.nv).copy()
        self.start, self.steps, self.t, self.h = float(state.t), 0, float(state.t), 0.0

    @property
    def state(self) -> State:
        shape = (*self.batch, -1)
        return State(self.t, self.q.reshape(shape).copy(), self.qdot.reshape(shape).copy(), self.model.charts)

    def checkpoint(self) -> Checkpoint:
        return Checkpoint(self.state, self.start, self.steps, self.h)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go back to a checkpoint; what follows is the same to the last bit."""
        self.reset(checkpoint.state)
        self.start, self.steps, self.h = checkpoint.start, checkpoint.steps, checkpoint.h

    def step(self, count: int = 1, tau: Any = None) -> State:
        """Advance by `count` intervals of dt, with tau (..., nv) or the controller's torques held in each."""
        for _ in range(count):
            self.advance(1, 1, self.torques(tau))
        return self.state

    def torques(self, tau: Any = None) -> np.ndarray:
        if tau is None and self.controller is not None:
            shape = (*self.batch, -1)
            tau = self.controller(self.t, self.q.reshape(shape).copy(), self.qdot.reshape(shape).copy())
        if tau is None:
            return np.zeros(self.model.nv, self.dtype)
        given = as_state(tau, self.model.nv, "tau", self.dtype)
        return np.ascontiguousarray(np.broadcast_to(given, (*self.batch, self.model.nv)).reshape(-1, self.model.nv))

    def advance(self, count: int, stride: int, tau: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """`count` intervals of dt, and the samples of each `stride`-th: (samples, worlds, n). Raises on a state that is not finite."""
        q, qdot, steps = (self.advance_adaptive if self.method.adaptive else self.advance_fixed)(count, stride, tau)
        bad = np.flatnonzero(~(np.isfinite(q).all(axis=(1, 2)) & np.isfinite(qdot).all(axis=(1, 2))))
        good = int(bad[0]) if len(bad) else len(q)
        if good < len(q) or good < count // stride:
            raise BlowUp(q[:good], qdot[:good], self.first_failure(q, qdot, good, stride, tau))
        self.steps += count
        self.taken += steps
        self.t = self.start + self.steps * self.dt
        self.q, self.qdot = q[-1].copy(), qdot[-1].copy()
        return q, qdot

    def advance_controlled(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """`count` intervals of dt with the controller asked at each; the last sample."""
        for _ in range(count - 1):
            self.advance(1, 1, self.torques())
        return self.advance(1, 1, self.torques())

    taken: int = 0

    def samples(self, count: int, n: int) -> np.ndarray:
        return np.full((count, len(self.q), n), np.nan, self.dtype)

    def advance_fixed(self, count: int, stride: int, tau: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        q, qdot = self.samples(count // stride, self.model.nq), self.samples(count // stride, self.model.nv)
        clock = [np.full(1, x, self.dtype) for x in (self.t, self.start, self.dt, float(self.steps))]
        self.runner.run([self.q, self.qdot, tau, *clock], [q, qdot], len(self.q), count, stride)
        return q, qdot, count

    def advance_adaptive(self, count: int, stride: int, tau: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        q, qdot = self.samples(count // stride, self.model.nq), self.samples(count // stride, self.model.nv)
        marks = [self.samples(count // stride, 1) for _ in range(4)]  # t, h, steps, failed
        longest = count * self.dt
        h = self.h or first_step(self.q[0], self.qdot[0], self.engine.forward(self.q[0], self.qdot[0], t=self.t), self.rtol, longest)
        clock = [self.t, self.t, h, self.t + longest, self.rtol, max(2.0 * self.model.nv, 1.0), self.dt * stride]
        inputs = [self.q, self.qdot, tau, *[np.full(1, x, self.dtype) for x in clock]]
        options: dict[str, Any] = {} if self.backend == "interpret" else {"lanes": 1}
        for world in range(len(self.q)) if self.backend == "interpret" else [slice(None)]:
            part = slice(world, world + 1) if isinstance(world, int) else world
            rows = [a[part] if a.ndim == 2 else a for a in inputs]
            outputs = [q[:, part], qdot[:, part], *[m[:, part] for m in marks]]
            self.runner.run(rows, outputs, len(self.q[part]), **options)
        last = marks[1][-1, 0, 0]
        self.h = float(last) if np.isfinite(last) else 0.0
        done = marks[2][np.isfinite(marks[2])]
        return q, qdot, int(done.max()) if len(done) else 0

    def first_failure(self, q: np.ndarray, qdot: np.ndarray, good: int, stride: int, tau: np.ndarray) -> str:
        """Where and when the state stopped being finite: the steps after the last good sample, one by one."""
        before = State(self.t + good * stride * self.dt, q[good - 1] if good else self.q, qdot[good - 1] if good else self.qdot)
        if self.method.adaptive:
            return self.name_fastest(before, "the adaptive step became too small: the motion is singular there, or not smooth")
        state = before
        probe = Simulation.__new__(Simulation)
        probe.__dict__.update(self.__dict__)
        probe.q, probe.qdot, probe.t, probe.start, probe.steps = state.q.copy(), state.qdot.copy(), state.t, state.t, 0
        for _ in range(stride):
            last = State(probe.t, probe.q, probe.qdot)
            q1, v1, _ = probe.advance_fixed(1, 1, tau)
            if not (np.isfinite(q1).all() and np.isfinite(v1).all()):
                return self.name_fastest(last, f"the state was no longer finite one step of dt = {self.dt:g} later; try a smaller dt")
            probe.q, probe.qdot, probe.steps = q1[-1], v1[-1], probe.steps + 1
            probe.t = probe.start + probe.steps * self.dt
        return self.name_fastest(before, "the state was no longer finite after it")

    def name_fastest(self, state: State, what: str) -> str:
        speeds = np.abs(np.nan_to_num(np.atleast_2d(state.qdot), nan=np.inf)).max(axis=0)
        joint = self.model.joint_of(int(np.argmax(speeds))) if len(speeds) else "none"
        return f"The run broke off at t = {state.t:.6g} s, beginning in joint {joint!r} (rate {speeds.max(initial=0.0):.3g}): {what}."


class BlowUp(Exception):
    """A portion that did not stay finite: its good samples, and what to say."""

    def __init__(self, q: np.ndarray, qdot: np.ndarray, message: str) -> None:
        super().__init__(message)
        self.q, self.qdot, self.message = q, qdot, message


def check_choices(dynamics: str) -> None:
    if dynamics in PLANNED_DYNAMICS:
        raise RedmaxError(f"Dynamics {dynamics!r} is not built yet. Use: {', '.join(DYNAMICS)}.")
    if dynamics not in DYNAMICS:
        raise RedmaxError(f"There is no dynamics {dynamics!r}. Valid: {', '.join(DYNAMICS)}.")


def positive(value: Any, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise SceneError(f"{name} must be a positive number. Got {value!r}.") from None
    if not np.isfinite(number) or number <= 0:
        raise SceneError(f"{name} must be a positive number. Got {value!r}.")
    return number


def as_state(value: Any, n: int, name: str, dtype: str) -> np.ndarray:
    array = as_numbers(value, name, dtype)
    if array.ndim < 1 or array.shape[-1] != n:
        raise SceneError(f"{name} must have shape (..., {n}) for this model. Got {array.shape}.")
    if not np.isfinite(array).all():
        raise SceneError(f"{name} must be finite. Got {value!r}.")
    return array
