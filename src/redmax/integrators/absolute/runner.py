"""Runs generalized-alpha steps: hands the compiled program what bodies bring along, and makes sentences of what failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np

from redmax.backends.base import Runner, make_plan, make_runner
from redmax.dynamics.common.closing_runner import closing_runner
from redmax.dynamics.common.parametrised import with_rows
from redmax.dynamics.dynamics import Dynamics
from redmax.errors import SceneError, SimulationError
from redmax.integrators.absolute.place import FARTHEST, begin_of
from redmax.integrators.absolute.program import BROKEN, GIVEN, INPUTS, ITERATIONS, MARKS, PAST, START, TURNED, Form, fields, program
from redmax.integrators.with_past import Past, RunnerWithPast
from redmax.model.model import Model
from redmax.program.program import Program
from redmax.program.sweep import recursion

ADVICE = "Try a smaller dt, or rho below 1, which damps what is fast."
APART = 1e-6  # s, of states whose difference is a rate
SIZES = {"pose": 12, "v0": 6, "a0": 6, "rate0": 6}  # of each body


class AbsoluteRunner(RunnerWithPast):
    """States bring along accelerations of joints, and poses, velocities and accelerations of bodies.

    notes: of each sample, how far joints are open, what is left of their hidden constraints, and what they transmit
    """

    what = "A run of generalized-alpha steps"
    marks, counted = MARKS, "steps_taken"

    def __init__(self, model: Model, backend: str, form: Form, rho: float) -> None:
        self.bodies, self.rho, self.form = len(model.links), rho, form
        brought = (model.nv, *(self.bodies * SIZES[name] for name in PAST[1:]))
        super().__init__(model, backend, program(model, form), brought, (6 * self.bodies, 6 * self.bodies))

    def made(self, program: Program) -> Runner:
        return closing_runner(self.model, super().made(program))

    @cached_property
    def engine(self) -> Dynamics:
        """What knows the accelerations of the joints where a run begins."""
        return Dynamics(self.model, self.backend)

    @property
    def notes(self) -> Mapping[str, np.ndarray]:
        """Joints do not open, as bodies are placed by them."""
        slip, wrench = self.told
        shape = (*slip.shape[:-1], self.bodies, 6)
        return {"drift": np.zeros(shape[:-1]), "slip": np.linalg.norm(slip.reshape(shape), axis=-1), "transmitted": wrench}

    def begun(self, past: Past, tau: np.ndarray, own: list[np.ndarray]) -> Past:
        """With the accelerations of the joints, in worlds that begin."""
        if not past.fresh.any():
            return past
        which = np.flatnonzero((past.fresh > 0.0) & np.isfinite(past.q).all(axis=1) & np.isfinite(past.qdot).all(axis=1))
        engine = with_rows(self.engine, own[0] if own[0].ndim == 1 else own[0][which]) if own else self.engine
        qddot, pose, v, a, rate = past.more
        if len(which):
            qddot, a, torque = qddot.copy(), a.copy(), tau if tau.ndim == 1 else tau[which]
            qddot[which] = engine.hybrid(past.q[which], past.qdot[which], torque, t=past.t)[0]
            a[which] = 0.0
            if self.form.index == 2 and self.rho < 1.0:
                a[which] = self.second_rates(past, which, qddot[which], torque, engine, own)
        return replace(past, more=(qddot, pose, v, a, rate))

    def second_rates(
        self, past: Past, which: np.ndarray, qddot: np.ndarray, tau: np.ndarray, engine: Dynamics, own: list[np.ndarray]
    ) -> np.ndarray:
        """v'' of bodies where worlds begin, by central differences; zero where there are none."""
        place, charts = self.model.configurations.split(past.q[which])
        found: list[np.ndarray] = []
        for ahead in (APART, -APART):
            way = ahead * (past.qdot[which] + (0.5 * ahead) * qddot)
            q, qdot = self.model.configurations.join(self.model.moved(place, way), charts), past.qdot[which] + ahead * qddot
            try:
                there = engine.hybrid(q, qdot, tau, t=past.t + ahead)[0]
            except (SimulationError, SceneError):
                return np.zeros((len(which), 6 * self.bodies))
            found.append(self.rates_at(q, qdot, there, past.t + ahead, [x if x.ndim == 1 else x[which] for x in own]))
        slope = (found[0] - found[1]) / (2.0 * APART)
        return np.where(np.isfinite(slope), slope, 0.0)

    def rates_at(self, q: np.ndarray, qdot: np.ndarray, qddot: np.ndarray, t: float, own: list[np.ndarray]) -> np.ndarray:
        """v' (worlds, 6 per body) of joints that move so."""
        worlds, out = len(q), np.empty((1, len(q), 6 * self.bodies))
        given = np.tile([t, 1.0, 0.0, self.rho, 1.0], (worlds, 1))
        nothing = [np.zeros((worlds, n)) for n in self.brought[1:]]
        arrays = [q, qdot, np.zeros(self.model.nv), given, qddot, *nothing, *own]
        self.rates.run([np.ascontiguousarray(x, float) for x in arrays], [out], worlds)
        return out[0]

    @cached_property
    def rates(self) -> Runner:
        return make_runner(make_plan(self.model, rates(self.model, self.form), self.backend), self.backend, "float64")

    def numbers(self, past: Past, start: float, h: float, k: float, stride: int) -> np.ndarray:
        given = np.empty((len(past.q), len(GIVEN)))
        given[:, :4], given[:, 4] = (start, h, k, self.rho), past.fresh
        return given

    def failure(self, marks: Mapping[str, float]) -> str:
        where = f"the step of generalized-alpha that ends at t = {marks['t_failed']:.6g} s"
        if marks["failed"] == BROKEN:
            return f"The state was no longer finite in {where}. {ADVICE}"
        if marks["failed"] == TURNED:
            return f"A body turned by more than {FARTHEST:g} rad in {where}, expected less than half a turn. {ADVICE}"
        said = f"Newton's method found no end for {where} in {ITERATIONS} iterations"
        return f"{said}: the last one moved it by {marks['step_size']:.2g} of its way, expected below 1e-14. {ADVICE}"


def rates(model: Model, form: Form) -> Program:
    """v' of bodies whose joints move with qdot and qddot."""
    begun = recursion(begin_of(form.of_bodies), name=f"absolute beginning {form.of_bodies!r}")
    return Program("generalized-alpha rates", (START, begun), fields(model, form), INPUTS, ("rate0",))
