"""Runs BDF1 and BDF2: hands the compiled program its history, makes sentences of what failed, and halves steps that have no solution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from redmax.backends.apart import Apart
from redmax.backends.base import Arrays, Runner, in_order, make_plan, make_runner
from redmax.dynamics.redmax.hyper_reduced import HyperReducedRunner, behind
from redmax.errors import SimulationError
from redmax.integrators.base import FIXED_STEP_INPUTS, FIXED_STEP_OUTPUTS, with_controls
from redmax.integrators.bdf import GIVEN, MARKS, beyond, program
from redmax.integrators.bdf_samples import Clock, Past, Samples
from redmax.integrators.step_equation import carries, mechanism
from redmax.model.model import Model
from redmax.program.kernel import PARAMETERS
from redmax.program.program import Program
from redmax.solvers.newton import TOLERANCE

ADVICE = "Try a smaller dt, or allow more halvings of the step."


class BackwardDifferences(Runner):
    """Runs as a compiled program of fixed steps does. Newton's method solves with doubles, whatever the type of its arrays."""

    outputs = FIXED_STEP_OUTPUTS

    def __init__(self, model: Model, backend: str, second_order: bool, halvings: int = 0, dynamics: str = "recursive") -> None:
        self.model, self.halvings, self.iterations = model, halvings, 0
        self.backend, self.program = backend, program(model, second_order, dynamics)
        self.led = (0, 0) if model.map is None else (model.configurations.size, model.nv)  # joints that follow from a map stand before it
        self.joints = len(model.links) if dynamics == "maximal" else 0  # which say how far they are open
        self.drift = np.zeros((0, 1, self.joints))
        self.inner = self.made(self.program)
        self.history: Past | None = None
        self.inputs = (*FIXED_STEP_INPUTS, PARAMETERS) if model.parameters else FIXED_STEP_INPUTS
        self.names = tuple(c.label for c in model.constraints)
        self.own: list[np.ndarray] = []  # the parameters of the worlds that run, where the model has some

    def made(self, program: Program) -> Runner:
        """What runs a program of all steps."""
        runner = make_runner(make_plan(mechanism(self.model), program, self.backend), self.backend, "float64")
        if not carries(self.model):
            return runner
        from redmax.dynamics.common.closing_runner import closing_runner

        return closing_runner(self.model, runner)

    @cached_property
    def turning(self) -> Runner:
        """The same with torques of every step, which the compiled loop reads."""
        return self.made(with_controls(self.program))

    def run(self, inputs: Arrays, outputs: Arrays, worlds: int, count: int = 0, stride: int = 1) -> int:
        """All worlds at once; see `Runner.run`. tau: (nv,), (worlds, nv), or (steps, worlds, nv)."""
        who = "A run of backward differences"
        inputs, outputs = in_order(inputs, self.inputs, who), in_order(outputs, self.outputs, who)
        q, qdot, tau, *own = (np.ascontiguousarray(x, float) for x in (*inputs[:3], *inputs[7:]))
        self.own, self.drift = own, np.zeros((len(outputs[0]), worlds, self.joints))
        clock = Clock(*(float(x[0]) for x in inputs[4:7]))
        past = self.continued(Past.fresh(clock.t, q, qdot), inputs[0].dtype)
        direct = self.model.map is None and all(o.dtype == float and o.flags.c_contiguous for o in outputs)
        samples = self.attempt(past, tau, clock, count, stride, outputs if direct else ())
        if not direct:
            outputs[0][:], outputs[1][:] = samples.q, samples.qdot
        apart = Apart(worlds)
        for w in (w for w in samples.broken if apart.begins(past.q[w], past.qdot[w])):
            self.own = [p if p.ndim == 1 else p[w] for p in own]
            with apart.world(w):
                self.repair(w, past, samples, tau if tau.ndim == 1 else np.ascontiguousarray(tau[..., w : w + 1, :]), clock, stride)
            outputs[0][:, w], outputs[1][:, w] = samples.q[:, w], samples.qdot[:, w]
        if count:
            self.history = samples.past(-1, clock.after(count).t)
        apart.end()
        return int(not all(np.isfinite(o).all() for o in outputs))

    @property
    def notes(self) -> Mapping[str, np.ndarray]:
        """How far joints are open that are constraints: not at all, as steps move their coordinates."""
        return {"drift": self.drift} if self.joints else {}

    def prepare(self, worlds: int) -> None:
        """Compile the program."""
        self.inner.prepare(worlds)

    def checkpoint(self) -> Any:
        """The states with which the last portion ended, and those before them."""
        return (self.history, self.inner.checkpoint()) if carries(self.model) else self.history

    def restore(self, past: Any) -> None:
        """See `checkpoint`."""
        if carries(self.model):
            past, within = (None, None) if past is None else past
            self.inner.restore(within)
        self.history = past

    def continued(self, start: Past, dtype: Any) -> Past:
        """Where the last portion ended, with its history, in worlds where this one begins there; dtype: to which states were rounded."""
        last = self.history
        if last is None or last.q.shape != start.q.shape or abs(last.t - start.t) > 8 * np.finfo(dtype).eps * max(abs(start.t), 1.0) + 1e-9:
            return start
        same = [(old.astype(dtype) == new).all(axis=1) for old, new in ((last.q, start.q), (last.qdot, start.qdot))]
        goes_on = (same[0] & same[1])[:, None]
        if goes_on.all():
            return last
        names = ("q", "qdot", "older_q", "older_qdot", "young")
        return Past(start.t, *(np.where(goes_on, getattr(last, name), getattr(start, name)) for name in names))

    def attempt(self, past: Past, tau: np.ndarray, clock: Clock, count: int, stride: int, room: Sequence[np.ndarray] = ()) -> Samples:
        """So many steps from there, of which each `stride`-th is a sample; from a step without a solution on, they are no numbers.

        room: for the samples of q and qdot, where there is any
        """
        samples, worlds = count // stride, len(past.q)
        given = np.empty((worlds, len(GIVEN)))
        given[:] = clock.start, clock.h, clock.k, TOLERANCE, beyond(self.model), 0.0
        given[:, -1:] = past.young
        state, history = self.with_joints(past.q, past.qdot), self.with_joints(past.older_q, past.older_qdot)
        made = [*room] if room else [np.empty((samples, *x.shape)) for x in state]
        made += [np.empty((samples, worlds, len(MARKS))), *(np.empty((samples, *x.shape)) for x in history)]
        made += [np.empty((samples, worlds, 2))] if self.model.constraints else []
        for array in made:
            array.fill(np.nan)
        torques = tau if self.model.map is None else np.concatenate([tau, np.zeros((*tau.shape[:-1], self.model.map.size))], axis=-1)
        runner = self.inner if tau.ndim < 3 else self.turning
        runner.run([*state, torques, given, *history, *self.own], made, worlds, count, stride)
        q, qdot, marks, *older = made
        rows = older[2:]
        without = marks[..., MARKS.index("failed")] > 0.0
        if without.any():
            q[without] = qdot[without] = np.nan
        nq, nv = self.led
        own = q[..., nq:], qdot[..., nv:], (older[0][..., nq:], older[1][..., nv:])
        found = Samples(*own, {name: marks[..., i] for i, name in enumerate(MARKS)}, rows[0] if rows else None, self.names)
        self.iterations += int(found.marks["iterations"][-1:].sum())
        return found

    def with_joints(self, q: np.ndarray, qdot: np.ndarray) -> list[np.ndarray]:
        """The coordinates of a map behind those of the joints, which it will set."""
        return [q, qdot] if self.model.map is None else [behind(x, n) for x, n in zip((q, qdot), self.led, strict=True)]

    def repair(self, w: int, past: Past, samples: Samples, tau: np.ndarray, clock: Clock, stride: int) -> None:
        """A world that broke off goes on from its last sample; steps that have no solution are made of shorter ones."""
        if self.halvings == 0:
            raise SimulationError(f"{samples.failure(w)} {ADVICE}")
        good, total = samples.good(w), len(samples.q) * stride
        state = samples.past(good - 1, clock.after(good * stride).t).of(w) if good else past.of(w)
        n = good * stride
        while n < total:
            state = self.step(state, tau[n, 0] if tau.ndim == 3 else tau, clock.after(n), self.halvings)
            n += 1
            if n % stride == 0:
                samples.put(n // stride - 1, w, state)
                rest = self.attempt(state, tau[n:] if tau.ndim == 3 else tau, clock.after(n), total - n, stride)
                for sample in range(rest.good(0)):
                    n += stride
                    state = rest.past(sample, clock.after(n).t)
                    samples.put(n // stride - 1, w, state)

    def step(self, past: Past, tau: np.ndarray, clock: Clock, halvings: int) -> Past:
        """One step of one world; where Newton's method fails, two of half the length, as often as `halvings` allows."""
        samples = self.attempt(past, tau, clock, 1, 1)
        failure = samples.failure(0)
        if failure is None:
            return samples.past(0, clock.after(1).t)
        if halvings == 0:
            raise SimulationError(f"{failure} {ADVICE}")
        state, half = Past.fresh(past.t, past.q, past.qdot), Clock(clock.t, clock.h / 2, 0.0)
        for n in range(2):
            state = self.step(state, tau, half.after(n), halvings - 1)
        return Past.fresh(state.t, state.q, state.qdot)


def backward_differences(model: Model, backend: str, second_order: bool, halvings: int, dynamics: str) -> Runner:
    """The runner, in the coordinates of the scene's map if it has one."""
    inner = BackwardDifferences(model, backend, second_order, halvings, dynamics)
    return inner if model.map is None else HyperReducedRunner(model.map, inner)
