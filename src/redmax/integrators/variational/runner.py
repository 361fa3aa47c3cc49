"""Runs variational steps: hands the compiled program the momenta that belong to its states, and makes sentences of what failed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from redmax.backends.apart import Apart
from redmax.backends.base import Arrays, Runner, in_order, make_plan, make_runner
from redmax.errors import SimulationError
from redmax.integrators.base import FIXED_STEP_INPUTS, FIXED_STEP_OUTPUTS, with_controls
from redmax.integrators.variational.program import BROKEN, GIVEN, ITERATIONS, MARKS, PAST, program
from redmax.model.model import Model
from redmax.program.kernel import PARAMETERS
from redmax.program.program import Program

ADVICE = "Try a smaller dt, or integrator 'implicit' or 'bdf2' where dampers or springs are stiff."


@dataclass(frozen=True, eq=False)
class Past:
    """States of all worlds at a time, in doubles, with their momenta and the ways of the last steps.

    known: (worlds,), how many of these; noise: (worlds,), what roundings left of the last steps; fresh: (worlds,), 1 where momenta are
    those of qdot
    """

    t: float
    q: np.ndarray
    qdot: np.ndarray
    more: tuple[np.ndarray, ...]
    known: np.ndarray
    noise: np.ndarray
    fresh: np.ndarray

    @classmethod
    def begun(cls, t: float, q: np.ndarray, qdot: np.ndarray) -> Past:
        """States without a past."""
        return cls(t, q, qdot, tuple(np.zeros_like(qdot) for _ in PAST), np.zeros(len(q)), np.zeros(len(q)), np.ones(len(q)))


class VariationalRunner(Runner):
    """Runs as a compiled program of fixed steps does, in doubles, whatever the type of its arrays."""

    outputs = FIXED_STEP_OUTPUTS

    def __init__(self, model: Model, backend: str) -> None:
        self.model, self.backend, self.program = model, backend, program(model)
        self.inner = self.made(self.program)
        self.last: Past | None = None
        self.iterations = 0
        self.inputs = (*FIXED_STEP_INPUTS, PARAMETERS) if model.parameters else FIXED_STEP_INPUTS

    def made(self, program: Program) -> Runner:
        return make_runner(make_plan(self.model, program, self.backend), self.backend, "float64")

    @cached_property
    def turning(self) -> Runner:
        """The same with torques of every step, which the compiled loop reads."""
        return self.made(with_controls(self.program))

    def prepare(self, worlds: int) -> None:
        """Compile the program."""
        self.inner.prepare(worlds)

    def checkpoint(self) -> Any:
        """The states with which the last portion ended, and their momenta."""
        return self.last

    def restore(self, past: Any) -> None:
        """See `checkpoint`."""
        self.last = past

    def run(self, inputs: Arrays, outputs: Arrays, worlds: int, count: int = 0, stride: int = 1) -> int:
        """All worlds at once; see `Runner.run`. tau: (nv,), (worlds, nv), or (steps, worlds, nv)."""
        who = "A run of variational steps"
        inputs, outputs = in_order(inputs, self.inputs, who), in_order(outputs, self.outputs, who)
        q, qdot, tau, *own = (np.ascontiguousarray(x, float) for x in (*inputs[:3], *inputs[7:]))
        start, h, k = (float(x[0]) for x in inputs[4:7])
        past = self.continued(Past.begun(start + k * h, q, qdot), inputs[0].dtype)
        given = np.empty((worlds, len(GIVEN)))
        given[:, :3] = start, h, k
        given[:, 3:] = np.stack([past.known, past.noise, np.full(worlds, float(stride)), past.fresh], axis=1)
        direct = all(o.dtype == float and o.flags.c_contiguous for o in outputs)
        samples = count // stride
        made = [*outputs] if direct else [np.empty((samples, *x.shape)) for x in (past.q, past.qdot)]
        made += [np.empty((samples, worlds, len(MARKS))), *(np.empty((samples, *x.shape)) for x in past.more)]
        for array in made:
            array.fill(np.nan)
        runner = self.inner if tau.ndim < 3 else self.turning
        runner.run([past.q, past.qdot, tau, given, *past.more, *own], made, worlds, count, stride)
        self.keep(outputs, made, past, start + (k + count) * h, direct)
        return int(not all(np.isfinite(o).all() for o in outputs))

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
        self.iterations += int(np.nansum(marks[-1, :, MARKS.index("iterations")]))
        known, noise = (marks[-1, :, MARKS.index(name)].copy() for name in ("known", "noise"))
        self.last = Past(t, q[-1].copy(), qdot[-1].copy(), tuple(x[-1].copy() for x in more), known, noise, np.zeros(len(known)))
        apart = Apart(len(known))
        for w in (w for w in np.flatnonzero(failed[-1]) if apart.begins(past.q[w], past.qdot[w])):
            with apart.world(int(w)):
                raise SimulationError(failure(*(float(marks[-1, w, MARKS.index(name)]) for name in ("failed", "t_failed", "size"))))
        apart.end()

    def continued(self, start: Past, dtype: Any) -> Past:
        """Where the last portion ended, with its momenta, in worlds where this one begins there; dtype: to which states were rounded."""
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
        known, noise = np.where(on, last.known, 0.0), np.where(on, last.noise, 0.0)
        return replace(start, q=q, qdot=qdot, more=tuple(more), known=known, noise=noise, fresh=np.where(on, 0.0, 1.0))


def failure(kind: float, t: float, size: float) -> str:
    """Why a world broke off."""
    where = f"the variational step that ends at t = {t:.6g} s"
    if kind == BROKEN:
        return f"The state was no longer finite in {where}. {ADVICE}"
    said = f"Newton's method found no end for {where} in {ITERATIONS} iterations"
    return f"{said}: the last one moved it by {size:.2g} of its way, expected below 1e-14. {ADVICE}"
