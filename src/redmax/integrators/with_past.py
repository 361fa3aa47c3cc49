"""Runs of fixed steps whose states bring something along from one portion of a run to the next: momenta, or accelerations of bodies.

Arrays of a portion hold q and qdot alone, perhaps in single precision. A portion that begins where the last one ended, world by world,
goes on with the doubles that were kept; others begin without a past.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from redmax.backends.apart import Apart
from redmax.backends.base import Arrays, Runner, in_order, make_plan, make_runner
from redmax.errors import SimulationError
from redmax.integrators.base import FIXED_STEP_INPUTS, FIXED_STEP_OUTPUTS, with_controls
from redmax.model.model import Model
from redmax.program.kernel import PARAMETERS
from redmax.program.program import Program


@dataclass(frozen=True, eq=False)
class Past:
    """States of all worlds at a time, in doubles, and what they bring along, an array (worlds, columns) each.

    fresh: (worlds,), 1 where that is not known
    """

    t: float
    q: np.ndarray
    qdot: np.ndarray
    more: tuple[np.ndarray, ...]
    fresh: np.ndarray

    @classmethod
    def begun(cls, t: float, q: np.ndarray, qdot: np.ndarray, *columns: int) -> Past:
        """States without a past, that will bring along so many columns each."""
        return cls(t, q, qdot, tuple(np.zeros((len(q), n)) for n in columns), np.ones(len(q)))

    def continued(self, last: Past | None, dtype: Any) -> Past:
        """In worlds that begin where the last portion ended, what that has; dtype: to which states were rounded between."""
        if last is None or last.q.shape != self.q.shape or abs(last.t - self.t) > 8 * np.finfo(dtype).eps * max(abs(self.t), 1.0) + 1e-9:
            return self
        with np.errstate(over="ignore"):
            same = [(old.astype(dtype) == new).all(axis=1) for old, new in ((last.q, self.q), (last.qdot, self.qdot))]
        on = same[0] & same[1]
        if on.all():
            return last
        both = zip((last.q, last.qdot, *last.more), (self.q, self.qdot, *self.more), strict=True)
        q, qdot, *more = (np.where(on[:, None], old, new) for old, new in both)
        return replace(self, q=q, qdot=qdot, more=tuple(more), fresh=np.where(on, 0.0, 1.0))


class RunnerWithPast(Runner):
    """Runs as a compiled program of fixed steps does, in doubles, whatever the type of its arrays.

    The program takes q, qdot, tau, `numbers` and what states bring along; it gives q, qdot, marks, the same, and what else is told.
    """

    outputs = FIXED_STEP_OUTPUTS
    what: ClassVar[str]  # "A run of ... steps"
    marks: ClassVar[tuple[str, ...]]  # numbers of each world and sample, which the program gives
    counted: ClassVar[str]  # the one that counts iterations

    def __init__(self, model: Model, backend: str, program: Program, brought: Sequence[int], told: Sequence[int] = ()) -> None:
        """brought, told: columns of what states bring along, and of what else the program gives with each sample."""
        self.model, self.backend, self.program, self.brought = model, backend, program, tuple(brought)
        self.inner = self.made(program)
        self.last: Past | None = None
        self.told = tuple(np.zeros((0, 1, n)) for n in told)
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
        """The states with which the last portion ended, and what they bring along."""
        return self.last, self.told, self.inner.checkpoint()

    def restore(self, past: Any) -> None:
        """See `checkpoint`."""
        self.last, self.told, within = (None, self.told, None) if past is None else past
        self.inner.restore(within)

    def begun(self, past: Past, tau: np.ndarray, own: list[np.ndarray]) -> Past:
        """With what a state without a past needs before its first step; tau: the first torques; own: parameters, if there are some."""
        return past

    @abstractmethod
    def numbers(self, past: Past, start: float, h: float, k: float, stride: int) -> np.ndarray:
        """(worlds, n): the numbers of each world that the program takes. start: s, of step 0; k: the step with which the portion begins."""

    def beside(self, marks: np.ndarray) -> tuple[np.ndarray, ...]:
        """What states bring along beside the program's arrays, of its last marks (worlds, n)."""
        return ()

    @abstractmethod
    def failure(self, marks: Mapping[str, float]) -> str:
        """Why a world broke off."""

    def run(self, inputs: Arrays, outputs: Arrays, worlds: int, count: int = 0, stride: int = 1) -> int:
        """All worlds at once; see `Runner.run`. tau: (nv,), (worlds, nv), or (steps, worlds, nv)."""
        inputs, outputs = in_order(inputs, self.inputs, self.what), in_order(outputs, self.outputs, self.what)
        q, qdot, tau, *own = (np.ascontiguousarray(x, float) for x in (*inputs[:3], *inputs[7:]))
        start, h, k = (float(x[0]) for x in inputs[4:7])
        past = Past.begun(start + k * h, q, qdot, *self.brought).continued(self.last, inputs[0].dtype)
        past = self.begun(past, tau if tau.ndim < 3 else tau[0], own)
        direct = all(o.dtype == float and o.flags.c_contiguous for o in outputs)
        arrays = past.more[: len(self.brought) - len(self.beside(np.zeros((1, len(self.marks)))))]
        shapes = [(worlds, len(self.marks)), *(x.shape for x in arrays), *((worlds, x.shape[-1]) for x in self.told)]
        made = [*outputs] if direct else [np.empty((count // stride, *x.shape)) for x in (past.q, past.qdot)]
        made += [np.empty((count // stride, *shape)) for shape in shapes]
        for array in made:
            array.fill(np.nan)
        runner = self.inner if tau.ndim < 3 else self.turning
        given = self.numbers(past, start, h, k, stride)
        runner.run([past.q, past.qdot, tau, given, *arrays, *own], made, worlds, count, stride)
        told = len(made) - len(self.told)
        self.told = tuple(made[told:])
        self.keep(outputs, made[:told], past, start + (k + count) * h, direct)
        return int(not all(np.isfinite(o).all() for o in outputs))

    def keep(self, outputs: Any, made: list[np.ndarray], past: Past, t: float, direct: bool) -> None:
        """What the next portion goes on from; samples behind a failure are no numbers. Raises where a world failed."""
        q, qdot, marks, *more = made
        failed = marks[..., self.marks.index("failed")] > 0.0
        q[failed] = qdot[failed] = np.nan
        if not direct:
            with np.errstate(over="ignore"):
                outputs[0][:], outputs[1][:] = q, qdot
        if not len(q):
            return
        self.iterations += int(np.nansum(marks[-1, :, self.marks.index(self.counted)]))
        kept = (*(x[-1].copy() for x in more), *self.beside(marks[-1]))
        self.last = Past(t, q[-1].copy(), qdot[-1].copy(), kept, np.zeros(len(q[-1])))
        apart = Apart(len(q[-1]))
        for w in (w for w in np.flatnonzero(failed[-1]) if apart.begins(past.q[w], past.qdot[w])):
            with apart.world(int(w)):
                raise SimulationError(self.failure(dict(zip(self.marks, marks[-1, w].tolist(), strict=True))))
        apart.end()
