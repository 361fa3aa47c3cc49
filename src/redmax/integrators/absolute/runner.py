"""Runs generalized-alpha steps: hands the compiled program what bodies bring along, and makes sentences of what failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from redmax.backends.apart import Apart
from redmax.backends.base import Arrays, Runner, in_order, make_plan, make_runner
from redmax.dynamics.common.closing_runner import closing_runner
from redmax.dynamics.common.parametrised import with_rows
from redmax.dynamics.dynamics import Dynamics
from redmax.errors import SimulationError
from redmax.integrators.absolute.place import FARTHEST
from redmax.integrators.absolute.program import BROKEN, GIVEN, ITERATIONS, MARKS, PAST, TURNED, Form, program
from redmax.integrators.base import FIXED_STEP_INPUTS, FIXED_STEP_OUTPUTS, with_controls
from redmax.model.model import Model
from redmax.program.kernel import PARAMETERS
from redmax.program.program import Program

ADVICE = "Try a smaller dt, or rho below 1, which damps what is fast."
SIZES = {"pose": 12, "v0": 6, "a0": 6, "rate0": 6}  # of each body


@dataclass(frozen=True, eq=False)
class Past:
    """States of all worlds at a time, in doubles, and what their bodies bring along (`PAST`).

    fresh: (worlds,), 1 where that is not known
    """

    t: float
    q: np.ndarray
    qdot: np.ndarray
    more: tuple[np.ndarray, ...]
    fresh: np.ndarray

    @classmethod
    def begun(cls, t: float, q: np.ndarray, qdot: np.ndarray, bodies: int) -> Past:
        """States without a past."""
        kept = (np.zeros((len(q), bodies * SIZES[name])) for name in PAST[1:])
        return cls(t, q, qdot, (np.zeros_like(qdot), *kept), np.ones(len(q)))


class AbsoluteRunner(Runner):
    """Runs as a compiled program of fixed steps does, in doubles, whatever the type of its arrays.

    notes: of each sample, how far joints are open, what is left of their hidden constraints, and what they transmit
    """

    outputs = FIXED_STEP_OUTPUTS

    def __init__(self, model: Model, backend: str, form: Form, rho: float) -> None:
        self.model, self.backend, self.rho = model, backend, rho
        self.bodies, self.program = len(model.links), program(model, form)
        self.inner = self.made(self.program)
        self.last: Past | None = None
        self.iterations = 0
        self.told = np.zeros((0, 1, 6 * self.bodies)), np.zeros((0, 1, 6 * self.bodies))
        self.inputs = (*FIXED_STEP_INPUTS, PARAMETERS) if model.parameters else FIXED_STEP_INPUTS

    def made(self, program: Program) -> Runner:
        return closing_runner(self.model, make_runner(make_plan(self.model, program, self.backend), self.backend, "float64"))

    @cached_property
    def turning(self) -> Runner:
        """The same with torques of every step, which the compiled loop reads."""
        return self.made(with_controls(self.program))

    @cached_property
    def engine(self) -> Dynamics:
        """What knows the accelerations of the joints where a run begins."""
        return Dynamics(self.model, self.backend)

    def prepare(self, worlds: int) -> None:
        """Compile the program."""
        self.inner.prepare(worlds)

    def checkpoint(self) -> Any:
        """The states with which the last portion ended, and what their bodies bring along."""
        return self.last, self.told, self.inner.checkpoint()

    def restore(self, past: Any) -> None:
        """See `checkpoint`."""
        self.last, self.told, within = (None, self.told, None) if past is None else past
        self.inner.restore(within)

    @property
    def notes(self) -> Mapping[str, np.ndarray]:
        """Joints do not open, as bodies are placed by them."""
        slip, wrench = self.told
        shape = (*slip.shape[:-1], self.bodies, 6)
        return {"drift": np.zeros(shape[:-1]), "slip": np.linalg.norm(slip.reshape(shape), axis=-1), "transmitted": wrench}

    def run(self, inputs: Arrays, outputs: Arrays, worlds: int, count: int = 0, stride: int = 1) -> int:
        """All worlds at once; see `Runner.run`. tau: (nv,), (worlds, nv), or (steps, worlds, nv)."""
        who = "A run of generalized-alpha steps"
        inputs, outputs = in_order(inputs, self.inputs, who), in_order(outputs, self.outputs, who)
        q, qdot, tau, *own = (np.ascontiguousarray(x, float) for x in (*inputs[:3], *inputs[7:]))
        start, h, k = (float(x[0]) for x in inputs[4:7])
        past = self.continued(Past.begun(start + k * h, q, qdot, self.bodies), inputs[0].dtype)
        past = self.with_accelerations(past, tau if tau.ndim < 3 else tau[0], own)
        given = np.empty((worlds, len(GIVEN)))
        given[:, :4], given[:, 4] = (start, h, k, self.rho), past.fresh
        direct = all(o.dtype == float and o.flags.c_contiguous for o in outputs)
        samples = count // stride
        made = [*outputs] if direct else [np.empty((samples, *x.shape)) for x in (past.q, past.qdot)]
        made += [np.empty((samples, worlds, len(MARKS))), *(np.empty((samples, *x.shape)) for x in past.more)]
        made += [np.empty((samples, worlds, 6 * self.bodies)) for _ in range(2)]
        for array in made:
            array.fill(np.nan)
        runner = self.inner if tau.ndim < 3 else self.turning
        runner.run([past.q, past.qdot, tau, given, *past.more, *own], made, worlds, count, stride)
        self.told = made[-2], made[-1]
        self.keep(outputs, made[:-2], past, start + (k + count) * h, direct)
        return int(not all(np.isfinite(o).all() for o in outputs))

    def with_accelerations(self, past: Past, tau: np.ndarray, own: list[np.ndarray]) -> Past:
        """With those of the joints, in worlds that begin."""
        if not past.fresh.any():
            return past
        which = np.flatnonzero((past.fresh > 0.0) & np.isfinite(past.q).all(axis=1) & np.isfinite(past.qdot).all(axis=1))
        engine = with_rows(self.engine, own[0] if own[0].ndim == 1 else own[0][which]) if own else self.engine
        qddot = past.more[0].copy()
        if len(which):
            torque = tau if tau.ndim == 1 else tau[which]
            qddot[which] = engine.hybrid(past.q[which], past.qdot[which], torque, t=past.t)[0]
        return replace(past, more=(qddot, *past.more[1:]))

    def keep(self, outputs: Any, made: list[np.ndarray], past: Past, t: float, direct: bool) -> None:
        """What the next portion goes on from; samples behind a failure are no numbers. Raises where a world failed."""
        q, qdot, marks, *more = made
        failed = marks[..., MARKS.index("failed")] > 0.0
        q[failed] = qdot[failed] = np.nan
        if not direct:
            with np.errstate(over="ignore"):
                outputs[0][:], outputs[1][:] = q, qdot
        if not len(q):
            return
        self.iterations += int(np.nansum(marks[-1, :, MARKS.index("steps_taken")]))
        self.last = Past(t, q[-1].copy(), qdot[-1].copy(), tuple(x[-1].copy() for x in more), np.zeros(len(q[-1])))
        apart = Apart(len(q[-1]))
        for w in (w for w in np.flatnonzero(failed[-1]) if apart.begins(past.q[w], past.qdot[w])):
            with apart.world(int(w)):
                raise SimulationError(failure(*(float(marks[-1, w, MARKS.index(name)]) for name in ("failed", "t_failed", "step_size"))))
        apart.end()

    def continued(self, start: Past, dtype: Any) -> Past:
        """Where the last portion ended, with its bodies, in worlds where this one begins there; dtype: to which states were rounded."""
        last = self.last
        if last is None or last.q.shape != start.q.shape or abs(last.t - start.t) > 8 * np.finfo(dtype).eps * max(abs(start.t), 1.0) + 1e-9:
            return start
        with np.errstate(over="ignore"):
            same = [(old.astype(dtype) == new).all(axis=1) for old, new in ((last.q, start.q), (last.qdot, start.qdot))]
        on = same[0] & same[1]
        if on.all():
            return last
        both = zip((last.q, last.qdot, *last.more), (start.q, start.qdot, *start.more), strict=True)
        q, qdot, *more = (np.where(on[:, None], old, new) for old, new in both)
        return replace(start, q=q, qdot=qdot, more=tuple(more), fresh=np.where(on, 0.0, 1.0))


def failure(kind: float, t: float, size: float) -> str:
    """Why a world broke off."""
    where = f"the step of generalized-alpha that ends at t = {t:.6g} s"
    if kind == BROKEN:
        return f"The state was no longer finite in {where}. {ADVICE}"
    if kind == TURNED:
        return f"A body turned by more than {FARTHEST:g} rad in {where}, expected less than half a turn. {ADVICE}"
    said = f"Newton's method found no end for {where} in {ITERATIONS} iterations"
    return f"{said}: the last one moved it by {size:.2g} of its way, expected below 1e-14. {ADVICE}"
