"""Runs in maximal coordinates that look like any other: states go in and samples come out in the joints' coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from redmax.backends.base import Arrays, Runner, by_name
from redmax.dynamics.maximal.system import Maximal


class MaximalRunner(Runner):
    """Runs an integrator's program on the bodies' poses and twists; the samples come back as the joints' coordinates.

    drift: for each sample of the last run, (samples, worlds, joints), how far the joints are open. With `project`, every step ends on
    the constraints (post-stabilisation); otherwise Baumgarte's terms hold the drift small.
    """

    def __init__(self, maximal: Maximal, inner: Runner, project: bool = False) -> None:
        self.maximal, self.inner, self.project = maximal, inner, project
        self.inputs, self.outputs = inner.inputs, inner.outputs
        self.history: dict[int, tuple[np.ndarray, ...]] = {}
        self.drift = np.zeros((0, 1, len(maximal.parent)))

    def prepare(self, worlds: int) -> None:
        """One world is run at a time."""
        self.inner.prepare(1)

    def checkpoint(self) -> Any:
        """The poses and twists behind the states with which portions ended."""
        return dict(self.history), self.inner.checkpoint()

    def restore(self, past: Any) -> None:
        """See `checkpoint`."""
        history, inner = ({}, None) if past is None else past
        self.history = dict(history)
        self.inner.restore(inner)

    @property
    def notes(self) -> Mapping[str, np.ndarray]:
        """How far the joints are open."""
        return {"drift": self.drift}

    def run(self, inputs: Arrays, outputs: Arrays, worlds: int, count: int = 0, stride: int = 1) -> int:
        """World by world; see `Runner.run`."""
        given = {name: np.asarray(a, float) for name, a in by_name(inputs, self.inputs, "A run in maximal coordinates").items()}
        wanted = list(by_name(outputs, self.outputs, "A run in maximal coordinates").values())
        samples, n = len(wanted[0]), len(self.maximal.parent)  # bodies move in doubles, whatever the samples are
        self.drift = np.full((samples, worlds, n), np.nan)
        begin, times = sample_times(given, samples, stride)
        status = 0
        for w in range(worlds):
            q, qdot = given["q"][w], given["qdot"][w]
            self.maximal.control = given["tau"] if given["tau"].ndim == 1 else given["tau"][w]
            pose, twist = self.begin(w, q, qdot, begin)
            inner = [np.full((samples, 1, width), np.nan) for width in (12 * n, 6 * n, *[1] * len(wanted[2:]))]
            own = {name: a if a.ndim == 1 else a[w] for name, a in given.items()}
            own |= {"q": pose[None], "qdot": twist[None], "tau": np.zeros(6 * n)}
            advance = self.run_projected if self.project else self.inner.run
            status |= advance(own, inner, 1, count, stride)
            for k, part in enumerate(inner[2:], 2):
                wanted[k][:, w] = part[:, 0]
            self.maximal.q = q.copy()  # the samples follow from the start, one near the other
            self.end(w, inner, wanted, times)
        return status | int(not all(np.isfinite(a).all() for a in wanted[:2]))

    def run_projected(self, inputs: dict[str, np.ndarray], outputs: list[np.ndarray], worlds: int, count: int, stride: int) -> int:
        """Step by step (of a fixed-step method), each step ending on the constraints."""
        pose, twist, t0, h, k = (inputs[name] for name in ("q", "qdot", "t0", "h", "k"))
        one = [np.empty((1, 1, pose.shape[1])), np.empty((1, 1, twist.shape[1]))]
        for n in range(count):
            status = self.inner.run(inputs | {"q": pose, "qdot": twist, "t": t0 + (k + n) * h, "k": k + n}, one, 1, 1, 1)
            if status:
                return status
            t = float((t0 + (k + n + 1) * h)[0])
            q, qdot, _ = self.maximal.outward(one[0][0, 0], one[1][0, 0], t)
            closed = self.maximal.inward(q, qdot, t)
            pose, twist = closed[0][None], closed[1][None]
            if (n + 1) % stride == 0:
                outputs[0][n // stride, 0], outputs[1][n // stride, 0] = pose[0], twist[0]
        return 0

    def begin(self, world: int, q: np.ndarray, qdot: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Where the last portion ended, if that is where this one begins: not projected, unless that is asked for."""
        self.maximal.charted[:] = np.inf  # charts are looked at anew: what came before another portion, or another world, does not count
        last = self.history.get(world)
        if not self.project and last is not None and np.array_equal(last[0], q) and np.array_equal(last[1], qdot):
            self.maximal.q = q.copy()
            return last[2], last[3]
        return self.maximal.inward(q, qdot, t)

    def end(self, world: int, inner: Sequence[np.ndarray], outputs: Sequence[np.ndarray], times: np.ndarray) -> None:
        for s in range(len(outputs[0])):
            pose, twist = inner[0][s, 0], inner[1][s, 0]
            if not (np.isfinite(pose).all() and np.isfinite(twist).all()):
                outputs[0][s, world] = outputs[1][s, world] = np.nan
                continue
            try:
                outputs[0][s, world], outputs[1][s, world], self.drift[s, world] = self.maximal.outward(pose, twist, times[s])
            except np.linalg.LinAlgError:
                outputs[0][s, world] = outputs[1][s, world] = np.nan
            self.history[world] = (outputs[0][s, world].copy(), outputs[1][s, world].copy(), pose.copy(), twist.copy())


def sample_times(inputs: Mapping[str, np.ndarray], samples: int, stride: int) -> tuple[float, np.ndarray]:
    """When a run begins, and its samples: from the clock of a fixed-step method (t0, h, k), or of one that is told when to sample."""
    clock = {name: float(a.ravel()[0]) for name, a in inputs.items() if name not in ("q", "qdot", "tau")}
    numbers = np.arange(1, samples + 1)
    if "sample_dt" in clock:
        return clock["start"], clock["start"] + numbers * clock["sample_dt"]
    t0, h, k = clock["t0"], clock["h"], clock["k"]
    return t0 + k * h, t0 + (k + numbers * stride) * h
