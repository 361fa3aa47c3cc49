"""Simulation: a model in motion, step by step, with controllers in Python, checkpoints, and batches of worlds.

The time loop is compiled with the dynamics. Python sees it in portions: to ask a controller, and to notice a run that blows up.
"""

from __future__ import annotations

import copy
import math
import pickle
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_numbers, as_whole, brief
from redmax.backends.apart import WorldsFailed
from redmax.backends.base import Runner
from redmax.components.from_function import check_call
from redmax.dynamics.choose import DRIFT
from redmax.dynamics.common.parametrised import with_rows
from redmax.dynamics.dynamics import Dynamics
from redmax.dynamics.programs import model_with
from redmax.errors import SceneError, SimulationError
from redmax.integrators import METHODS, Method
from redmax.integrators.first_step import floors
from redmax.joints.free import Free
from redmax.memory import check_room
from redmax.model.model import Model
from redmax.model.scene import Scene
from redmax.model.state import State
from redmax.program.plan import Plan
from redmax.program.program import Program
from redmax.run.checkpoint import Checkpoint, simulation_again
from redmax.run.combinations import chosen
from redmax.run.contact.now import TouchingNow
from redmax.run.controls import fill_with_controls
from redmax.run.energies_now import energies_now
from redmax.run.failures import BlowUp, BrokenOff, Cause
from redmax.run.left_behind import Failure, Portion, leave_behind, without_failed
from redmax.run.options import MOST_STEPS, Asked, RunOptions
from redmax.run.portion import Start, fill_portion
from redmax.run.start import FEWER, advancing, as_coordinates, as_state, assembled, checked_state, first_state
from redmax.trace.blame import blamed

Controller = Callable[[float, np.ndarray, np.ndarray], Any]


class Simulation(Asked, TouchingNow):
    """A model in motion: step, read the state, change it, step on.

    scene: a Scene or Model, or the name of one of the catalogue or of a file
    dt: the step (s) of a fixed-step integrator, the sampling interval of `adaptive`
    rtol, atol: what `adaptive` allows each coordinate and rate, relative to its size, and beside that (rtol unless given)
    solver, stabilisation, halvings, drift, friction, friction_sides, group, index, rho, frame: as of `redmax.simulate`
    controller: (t, q, qdot) -> tau, asked at the beginning of each dt and held until its end
    parameters: name -> (..., its shape), such as {"arm.mass": masses}, what differs from world to world; leading axes make a batch
    """

    def __init__(
        self,
        scene: Scene | Model | str | PathLike[str],
        *,
        dt: float = 0.01,
        integrator: str | None = None,
        dynamics: str | None = None,
        rtol: float = 1e-8,
        atol: float | Sequence[float] | None = None,
        solver: str = "auto",
        stabilisation: str = "auto",
        halvings: int = 0,
        controller: Controller | None = None,
        initial: State | None = None,
        backend: str = "llvm",
        dtype: str = "float64",
        parameters: Mapping[str, ArrayLike] | None = None,
        drift: float = DRIFT,
        friction: str = "exact",
        friction_sides: int = 0,
        group: str | None = None,
        index: int | None = None,
        rho: float | None = None,
        frame: str | None = None,
    ) -> None:
        self.model, parameters, self.declared = model_with(scene, parameters)
        method, form = (integrator, dynamics, rtol, solver, stabilisation, halvings), (group, index, rho, frame)
        self.options = chosen(self.model, RunOptions(None, dt, *method, 1, backend, dtype, atol, drift, friction, friction_sides, *form))
        if controller is not None:
            if not callable(controller):
                raise SceneError(f"controller is a function (t, q, qdot) -> tau, or None. Got {brief(controller)}.")
            check_call("controller: the function", controller, ("t", "q", "qdot"), {})
        self.controller, self.leaves_failed, self.far, started = controller, False, False, time.perf_counter()
        self.engine = Dynamics(self.model, self.backend, self.dtype, parameters)
        try:
            self.advancing = advancing(self)
            self.reset(initial)
            self.prepare()
        except ArithmeticError as error:  # of a function that is traced
            raise blamed(error) from error
        self.compile_s = time.perf_counter() - started
        self.look_around()

    @cached_property
    def method(self) -> Method:
        """The integrator in use."""
        return METHODS[str(self.options.integrator)]

    def look_around(self) -> None:
        """Say, once, where a joint has carried its body so far that digits are lost (run/far_away.py)."""
        if not self.far and any(isinstance(link.joint, Free) for link in self.model.bodies):
            from redmax.run.far_away import warn_of_distance

            self.far = warn_of_distance(self)

    @property
    def runner(self) -> Runner:
        """What advances the states."""
        return self.advancing.runner

    @property
    def program(self) -> Program | None:
        """Of a runner that is nothing else."""
        return self.advancing.program

    @property
    def plan(self) -> Plan:
        """Of the program that is compiled."""
        assert self.advancing.plan is not None
        return self.advancing.plan

    @cached_property
    def floor(self) -> np.ndarray:
        """atol / rtol for each rate that `adaptive` moves."""
        o, eps, rates = self.options, float(np.finfo(self.dtype).eps), self.advancing.rates
        return np.ones(rates, self.dtype) if o.atol is None else floors(o.rtol, o.tolerances(rates), eps).astype(self.dtype)

    def prepare(self) -> None:
        """Compile now, not within the first step."""
        self.runner.prepare(len(self.q))

    def reset(self, state: State | None = None) -> None:
        """Go (back) to a state, by default the scene's initial one; off its constraints, to the nearest on them."""
        self.begin_at(first_state(self) if state is None else checked_state(state))
        assembled(self, state is not None)

    def begin_at(self, state: State) -> None:
        """Go to a state as it is."""
        coordinates = as_coordinates(self.model, state.q, self.dtype)
        q = self.model.configurations.join(coordinates, self.model.configurations.numbered(state.chart))
        qdot = as_state(state.qdot, self.model.nv, "qdot", self.dtype)
        try:
            self.batch = np.broadcast_shapes(q.shape[:-1], qdot.shape[:-1], *[p.shape[:-1] for p in self.engine.own.values()])
        except ValueError:
            more = "".join(f" and parameters {p.shape[:-1]}" for p in self.engine.own.values())
            raise SceneError(f"q and qdot must agree in their leading axes. Got {q.shape} and {qdot.shape}{more}.") from None
        apart = abs(float(state.t)) * float(np.finfo(self.dtype).eps)  # of neighbouring numbers
        if 4.0 * apart > self.dt:
            why = f"near t = {state.t:g} s numbers are {apart:.2g} s apart, too far for dt = {self.dt:g} s"
            raise SceneError(f"t is too far from zero: {why}. Begin nearer to zero, or take a larger dt.")
        self.q, self.qdot = self.by_world(q, "q"), self.by_world(qdot, "qdot")
        self.parameters = {name: self.by_world(values, name) for name, values in self.engine.own.items()}
        self.start, self.steps, self.t, self.taken = float(state.t), 0, float(state.t), 0
        self.each_took = np.zeros(len(self.q), int)  # steps that adaptive chose, by world
        self.h: np.ndarray | None = None  # (worlds, 1), the next step of each world, once adaptive has chosen it
        self.failed, self.failures = np.zeros(len(self.q), bool), list[Failure]()  # worlds that were left behind
        self.asked: np.ndarray | None = None  # (worlds, nv) or (nv,), torques held from the last sample on, where something was asked for

    def by_world(self, array: np.ndarray, name: str) -> np.ndarray:
        """(worlds, n) from (..., n), for each world of the batch; a copy."""
        try:
            spread = np.broadcast_to(array, (*self.batch, array.shape[-1]))
        except ValueError:
            raise SceneError(f"{name} must have the leading axes {self.batch} of the states, or none. Got {array.shape}.") from None
        worlds, n = math.prod(self.batch), array.shape[-1]
        check_room(3 * worlds * n * array.itemsize, f"A batch of {worlds:,} worlds", FEWER)
        return spread.reshape(worlds, n).copy()

    def engine_of(self, worlds: int | slice) -> Dynamics:
        """The dynamics of one world, by its number, or of some, in one row."""
        return with_rows(self.engine, *[values[worlds] for values in self.parameters.values()]) if self.parameters else self.engine

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
        return energies_now(self)

    def checkpoint(self) -> Checkpoint:
        """Everything that the loop knows, for `restore`."""
        return Checkpoint(self.state, self.start, self.steps, self.h, self.runner.checkpoint(), self.asked)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go back to a checkpoint; what follows is the same to the last bit."""
        if not isinstance(checkpoint, Checkpoint):
            raise SceneError(f"restore takes what checkpoint() returned. Got {brief(checkpoint)}.")
        self.begin_at(checkpoint.state)
        self.start, self.steps, self.h, self.asked = checkpoint.start, checkpoint.steps, checkpoint.h, checkpoint.tau
        self.runner.restore(checkpoint.history)

    def __copy__(self) -> Simulation:
        """One of its own, at the same state, which goes on in the same way."""
        return simulation_again(self.model, self.options.of_simulation(), self.controller, self.checkpoint(), self.engine.given)

    def __deepcopy__(self, memo: dict[int, Any]) -> Simulation:
        return copy.copy(self)

    def __reduce__(self) -> Any:
        """Pickles hold the model, what was asked for, and a checkpoint; the other process compiles its own code."""
        try:
            pickle.dumps(self.controller)
        except Exception as error:
            advice = "Define it as a function of a module, or leave it out and set `controller` afterwards"
            raise SceneError(f"The simulation cannot be pickled, since its controller cannot ({error}). {advice}.") from error
        return simulation_again, (self.model, self.options.of_simulation(), self.controller, self.checkpoint(), self.engine.given)

    def step(self, count: int = 1, tau: ArrayLike | None = None) -> State:
        """Advance by `count` intervals of dt, with tau (..., nv) or the controller's torques held in each."""
        if as_whole(count) is None or count > MOST_STEPS:
            raise SceneError(f"step takes a whole number of intervals from 0 up. Got {brief(count)}.")
        q, qdot = self.room(1)
        for _ in range(count):
            self.asked = self.torques(tau)
            self.advance(1, self.asked, q, qdot)
        return self.state

    @property
    def tau(self) -> np.ndarray:
        """(..., nv): the torques that were held in the last interval, given or the controller's; zero before the first."""
        held = np.zeros(self.model.nv, self.dtype) if self.asked is None else self.asked
        return np.broadcast_to(held, (len(self.q), self.model.nv)).reshape(*self.batch, self.model.nv).copy()

    def torques(self, tau: ArrayLike | None = None) -> np.ndarray:
        if tau is None and self.controller is not None:
            tau = self.controller(self.t, *self.copies())
            if tau is None:
                who, n = getattr(self.controller, "__name__", brief(self.controller)), self.model.nv
                why = f"returned nothing at t = {self.t:.6g} s, expected tau, {n} number{'s' * (n != 1)}"
                raise SceneError(f"The controller {who} {why}. Return zeros where it asks for no torque.")
            tau = without_failed(self, as_numbers(tau, "tau", self.dtype))
            if not np.isfinite(tau).all():
                raise BlowUp(0, Cause(f"The run broke off at t = {self.t:.6g} s: the controller's tau is not finite there."))
        n = self.model.nv
        return np.zeros(n, self.dtype) if tau is None else self.by_world(as_state(tau, n, "tau", self.dtype), "tau")

    def room(self, samples: int) -> tuple[np.ndarray, np.ndarray]:
        """Space for samples of configurations and qdot, (samples, worlds, n)."""
        worlds, size = len(self.q), self.model.configurations.size
        return np.empty((samples, worlds, size), self.dtype), np.empty((samples, worlds, self.model.nv), self.dtype)

    def advance(self, stride: int, tau: np.ndarray, q: np.ndarray, qdot: np.ndarray) -> None:
        """Fill the samples q, qdot (samples, worlds, n), each `stride` intervals of dt after the one before. Raises BlowUp."""
        begin, reasons = self.place, dict[int, str]()
        try:
            broken = fill_portion(self, begin, stride, tau, q, qdot)
        except ArithmeticError as error:  # of a function that is called on the way
            raise blamed(error) from error
        except WorldsFailed as failure:
            broken, reasons = 1, failure.reasons
        except SimulationError as failure:
            broken, reasons = 1, dict.fromkeys(range(len(self.q)), failure.reason)
        if broken:
            leave_behind(self, Portion(begin, stride, tau, q, qdot), reasons)
        steps = self.steps + len(q) * stride
        now = steps, self.start + steps * self.dt, q[-1].copy(), qdot[-1].copy()
        self.steps, self.t, self.q, self.qdot = now  # in one go, which no Ctrl-C parts

    @property
    def place(self) -> Start:
        """Where the next portion begins."""
        return Start(self.q, self.qdot, self.t, self.start, self.steps)

    def fill(self, every: int, q: np.ndarray, qdot: np.ndarray) -> None:
        """Fill the samples q, qdot (samples, worlds, n), `every` intervals of dt apart, with the controller asked at each interval."""
        if self.controls is not None:
            return fill_with_controls(self, self.controls, every, q, qdot)
        if self.controller is None:
            return self.advance(every, self.torques(), q, qdot)
        self.asked, told = None, None
        try:
            for k in range(every):
                tau = self.torques()
                self.asked = tau if k == 0 else self.asked
                told = self.advance_by_one(told, tau, q, qdot)
        except BrokenOff:
            raise BrokenOff(0) from None  # what is there may be of an interval before the sample's
        return None
