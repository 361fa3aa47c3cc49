"""Runs in maximal coordinates that look like any other: states go in and samples come out in the joints' coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.backends.base import Arrays, Runner, in_order
from redmax.dynamics.maximal.system import BODIES_IN, BODIES_OUT

BAUMGARTE = 5.0
RUN = "A run in maximal coordinates"
WITHIN = ("q_sample", "v_sample")  # what coordinates and rates are called that are sampled within steps
ROOM = 2**25  # numbers of poses and twists of samples that are held at a time (256 MiB)


@dataclass(frozen=True, eq=False)
class Ends:
    """Where a run ended, (worlds, n) each: coordinates and rates as they were given out, and the bodies behind them."""

    q: np.ndarray
    qdot: np.ndarray
    pose: np.ndarray
    twist: np.ndarray

    def goes_on(self, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
        """(worlds,): whether a run that begins so begins where this one ended."""
        return (q == self.q).all(axis=1) & (qdot == self.qdot).all(axis=1)


class MaximalRunner(Runner):
    """Runs a program of `in_coordinates`. A run that begins where the last one ended goes on with the bodies' own poses and twists.

    drift: for each sample of the last run, (samples, worlds, joints), how far the joints are open. baumgarte: how fast they close (1/s).
    project: every step ends with closed joints (post-stabilisation), so that coordinates say all.
    """

    def __init__(self, bodies: int, project: bool, baumgarte: float, inner: Runner) -> None:
        self.bodies, self.project, self.inner, self.baumgarte = bodies, project, inner, baumgarte
        self.inputs = tuple(name for name in inner.inputs if name not in BODIES_IN)
        self.outputs = inner.outputs[: -len(BODIES_OUT)]
        if "t_sample" in self.outputs:
            self.outputs = (*WITHIN, *self.outputs[2:])
        self.history: Ends | None = None
        self.drift = np.zeros((0, 1, bodies))

    def prepare(self, worlds: int) -> None:
        """Compile for so many worlds."""
        self.inner.prepare(worlds)

    def checkpoint(self) -> Any:
        """Where the bodies were when the last run ended, and what was noticed of it."""
        return self.history, self.drift

    def restore(self, past: Any) -> None:
        """See `checkpoint`."""
        self.history, self.drift = (None, self.drift[:0]) if past is None else past

    @property
    def notes(self) -> Mapping[str, np.ndarray]:
        """How far the joints are open."""
        return {"drift": self.drift}

    def run(self, inputs: Arrays, outputs: Arrays, worlds: int, count: int = 0, stride: int = 1) -> int:
        """All worlds, or as many at a time as there is room for; see `Runner.run`."""
        of_joints = [np.ascontiguousarray(a, np.float64) for a in in_order(inputs, self.inputs, RUN)]  # bodies move in doubles, always
        named = dict(zip(self.inputs, of_joints, strict=True)) | dict(zip(BODIES_IN, self.begin(*of_joints[:2]), strict=True))
        given = [named[name] for name in self.inner.inputs]
        wanted = in_order(outputs, self.outputs, RUN)
        samples, n = len(wanted[0]), self.bodies
        drift, ends = np.full((samples, worlds, n), np.nan), (np.zeros((worlds, 12 * n)), np.zeros((worlds, 6 * n)))
        status, together = 0, max(ROOM // max(18 * n * samples, 1), 64)
        for first in range(0, worlds, together):
            part = slice(first, min(first + together, worlds))
            found = [np.full((samples, part.stop - first, x.shape[-1]), np.nan) for x in (*wanted, *ends, drift)]
            try:
                own = given if together >= worlds else [of_worlds(a, part) for a in given]
                status |= self.inner.run(own, found, part.stop - first, count, stride)
            finally:  # a run that is given up keeps the samples that it has
                for target, values in zip((*wanted, drift), (*found[:-3], found[-1]), strict=True):
                    target[:, part] = values
            for target, values in zip(ends, found[-3:-1], strict=True):
                target[part] = values[-1] if samples else 0.0
        self.drift = drift
        if samples:
            q, qdot = (np.array(o[-1], np.float64) for o in wanted[:2])
            self.history = Ends(q, qdot, *ends)
        return status

    def begin(self, q: np.ndarray, qdot: np.ndarray) -> list[np.ndarray]:
        """pose, twist, fresh and baumgarte, as the program takes them."""
        worlds, last = len(q), self.history
        if last is None or self.project or last.q.shape != q.shape:
            last, on = Ends(q, qdot, np.zeros((worlds, 12 * self.bodies)), np.zeros((worlds, 6 * self.bodies))), np.zeros(worlds, bool)
        else:
            on = last.goes_on(q, qdot)
        return [last.pose, last.twist, np.where(on, 0.0, 1.0)[:, None], np.full(1, self.baumgarte)]


def of_worlds(a: np.ndarray, part: slice) -> np.ndarray:
    """What an input has of some worlds: (worlds, n), (turns, worlds, n), or (n,) for all."""
    return a if a.ndim == 1 else np.ascontiguousarray(a[..., part, :])
