"""Runs generalized-alpha steps: hands the compiled program what bodies bring along, and makes sentences of what failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np

from redmax.backends.base import Runner
from redmax.dynamics.common.closing_runner import closing_runner
from redmax.dynamics.common.parametrised import with_rows
from redmax.dynamics.dynamics import Dynamics
from redmax.integrators.absolute.place import FARTHEST
from redmax.integrators.absolute.program import BROKEN, GIVEN, ITERATIONS, MARKS, PAST, TURNED, Form, program
from redmax.integrators.with_past import Past, RunnerWithPast
from redmax.model.model import Model
from redmax.program.program import Program

ADVICE = "Try a smaller dt, or rho below 1, which damps what is fast."
SIZES = {"pose": 12, "v0": 6, "a0": 6, "rate0": 6}  # of each body


class AbsoluteRunner(RunnerWithPast):
    """States bring along accelerations of joints, and poses, velocities and accelerations of bodies.

    notes: of each sample, how far joints are open, what is left of their hidden constraints, and what they transmit
    """

    what = "A run of generalized-alpha steps"
    marks, counted = MARKS, "steps_taken"

    def __init__(self, model: Model, backend: str, form: Form, rho: float) -> None:
        self.bodies, self.rho = len(model.links), rho
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
        qddot = past.more[0].copy()
        if len(which):
            torque = tau if tau.ndim == 1 else tau[which]
            qddot[which] = engine.hybrid(past.q[which], past.qdot[which], torque, t=past.t)[0]
        return replace(past, more=(qddot, *past.more[1:]))

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
