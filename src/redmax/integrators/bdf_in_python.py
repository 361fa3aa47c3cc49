"""The methods of bdf.py with Newton's iteration in Python, for what has no compiled Newton matrix yet: scenes with deformables."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from redmax.backends.apart import Apart
from redmax.backends.base import Arrays, Runner, in_order
from redmax.dynamics.common.residual import Residual
from redmax.errors import SimulationError
from redmax.integrators.base import FIXED_STEP_INPUTS, FIXED_STEP_OUTPUTS
from redmax.integrators.bdf import ALPHA
from redmax.integrators.chart_change import chart_change
from redmax.model.model import Model
from redmax.program.kernel import PARAMETERS
from redmax.solvers.newton import CLOSE, HALVINGS, ITERATIONS, ROUNDING, TOLERANCE


@dataclass(frozen=True, eq=False)
class Past:
    """A state at a time, and the one a step before it (BDF2 needs both)."""

    t: float
    q: np.ndarray
    qdot: np.ndarray
    older: tuple[np.ndarray, np.ndarray] | None = None
    charts: np.ndarray = field(default_factory=lambda: np.zeros(0))  # in which all of these are meant


class NewtonFailure(Exception):
    """The step has no solution that Newton's method finds."""


class BackwardDifferencesInPython(Runner):
    """Runs as a compiled program does. Newton's method solves with doubles, whatever the type of its arrays."""

    outputs = FIXED_STEP_OUTPUTS

    def __init__(self, model: Model, backend: str, second_order: bool, halvings: int = 0) -> None:
        self.model, self.second_order, self.halvings = model, second_order, halvings
        self.residual, self.links = Residual(model, backend), model.links
        self.prescribed = np.repeat(model.prescribed, [link.joint.dof for link in model.links])
        self.changes = {chosen: chart_change(model, backend, chosen) for chosen in (False, True)}
        self.history: dict[int, Past] = {}
        self.inputs = (*FIXED_STEP_INPUTS, PARAMETERS) if model.parameters else FIXED_STEP_INPUTS

    def run(self, inputs: Arrays, outputs: Arrays, worlds: int, count: int = 0, stride: int = 1) -> int:
        """World by world; see `Runner.run`."""
        who = "A run of backward differences"
        inputs, outputs = in_order(inputs, self.inputs, who), in_order(outputs, self.outputs, who)
        q, qdot, tau, _, t0, h, k, *own = (np.array(x, float) for x in inputs)
        apart = Apart(worlds)
        for w in range(worlds):
            if not apart.begins(q[w], qdot[w]):
                continue
            self.residual.parameters = [p if p.ndim == 1 else p[w] for p in own]
            x, charts = self.split(q[w])
            start = Past(float(t0[0] + k[0] * h[0]), x, qdot[w], charts=charts)
            past = self.continued(w, start, inputs[0].dtype)
            with apart.world(w):
                for n in range(count):
                    torque = tau if tau.ndim == 1 else tau[n, w] if tau.ndim == 3 else tau[w]
                    past = self.step(past, float(h[0]), torque, float(t0[0] + (k[0] + n + 1) * h[0]))
                    if (n + 1) % stride == 0:
                        outputs[0][n // stride, w], outputs[1][n // stride, w] = self.join(past), past.qdot
                self.history[w] = past
        apart.end()
        return int(not all(np.isfinite(o).all() for o in outputs))

    def split(self, configuration: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        q, charts = self.model.configurations.split(configuration)
        return q, charts.astype(float)

    def join(self, past: Past) -> np.ndarray:
        return self.model.configurations.join(past.q, past.charts)

    def checkpoint(self) -> Any:
        """The states with which portions ended, and those before them."""
        return dict(self.history)

    def restore(self, past: Any) -> None:
        """See `checkpoint`."""
        self.history = dict(past or {})

    def prepare(self, worlds: int) -> None:
        """Compile the residual and its Jacobian."""
        zero = np.zeros(len(self.prescribed))
        self.residual.value(zero, zero, zero, 0.0)
        self.residual.jacobian((zero, zero, zero), 0.0, (1.0, 1.0))

    def continued(self, world: int, start: Past, dtype: Any) -> Past:
        """Where the last portion ended, with its history, if that is where this one begins; dtype: to which states were rounded since."""
        last = self.history.get(world)
        if last is None or abs(last.t - start.t) > 8 * np.finfo(dtype).eps * max(abs(start.t), 1.0) + 1e-9:
            return start
        pairs = ((last.q, start.q), (last.qdot, start.qdot), (last.charts, start.charts))
        return last if all(np.array_equal(old.astype(dtype), new) for old, new in pairs) else start

    def step(self, past: Past, h: float, tau: np.ndarray, t: float) -> Past:
        """One step; where Newton fails, two of half the length, as often as `halvings` allows."""
        past = self.rewound(past)
        if past.older is None:  # a start may lie where its chart is singular; a step ends where none is
            past = self.recharted(past, chosen=True)
        self.residual.charts = past.charts
        try:
            return self.recharted(self.whole_step(past, h, tau, t), chosen=True)
        except NewtonFailure as failure:
            if self.halvings == 0:
                raise SimulationError(f"{failure} Try a smaller dt, or allow more halvings of the step.") from None
            finer = copy.copy(self)
            finer.halvings = self.halvings - 1
            middle = finer.step(replace(past, older=None), h / 2, tau, t - h / 2)
            return replace(finer.step(middle, h / 2, tau, t), t=t, older=None)

    def whole_step(self, past: Past, h: float, tau: np.ndarray, t: float) -> Past:
        q0, v0 = past.q, past.qdot
        if not self.second_order:
            q, v = self.solve(q0 + h * v0, q0, h, tau, t, q0 + h * v0)
        elif past.older is None:
            a = ALPHA * h
            qa, va = self.solve(q0 + a * v0, q0, a, tau, t - h + a, q0 + a * v0)
            known = q0 + (2 * ALPHA - 1) * h * v0 + 2 * (1 - ALPHA) * h * va
            q, v = self.solve(known, q0 + (1 - ALPHA) * h * va, a, tau, t, qa + (1 - ALPHA) * h * va)
        else:
            qm, vm = past.older
            base = (4 * q0 - qm) / 3
            q, v = self.solve(base + h * (8 * v0 - 2 * vm) / 9, base, 2 * h / 3, tau, t, q0 + h * v0)
        return Past(t, q, v, (q0, v0), past.charts)

    def solve(
        self, known_q: np.ndarray, known_v: np.ndarray, ah: float, tau: np.ndarray, t: float, guess: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The q with M (q - known_q) = (a h)^2 f, and its qdot; prescribed joints are put on their motion."""
        q = guess.copy()
        q[self.prescribed] = self.motion(t, known_q[self.prescribed], known_v[self.prescribed], ah)
        error = self.error(q, known_q, known_v, ah, tau, t)
        free, near = ~self.prescribed, False
        enough = TOLERANCE * min(1.0, self.scale(q, known_q, known_v, ah, t))
        for _ in range(ITERATIONS):
            size = float(np.linalg.norm(error))
            if size <= enough or (near and size < TOLERANCE):
                return q, (q - known_v) / ah
            state = q, (q - known_v) / ah, (q - known_q) / ah**2
            slope = ah**2 * self.residual.jacobian(state, t, (1 / ah, 1 / ah**2), tau)
            direction = np.zeros_like(q)
            try:
                direction[free] = -np.linalg.solve(slope[np.ix_(free, free)], error[free])
            except np.linalg.LinAlgError:
                raise NewtonFailure(f"Newton's method met a singular matrix at t = {t:.6g} s: a joint is in a singular position.") from None
            q, error, moved = self.line_search(q, direction, size, (known_q, known_v, ah, tau, t))
            near = np.linalg.norm(direction) <= CLOSE * np.linalg.norm(q - known_q) + ROUNDING * (1 + np.linalg.norm(q))
            if not moved:
                break
        size = float(np.linalg.norm(error))
        if (near and size < 1e3 * TOLERANCE) or size < 1e-12 * self.scale(q, known_q, known_v, ah, t):  # at the limit of rounding
            return q, (q - known_v) / ah
        raise NewtonFailure(f"Newton's method stopped at t = {t:.6g} s with a residual of {size:.3g}, expected below {TOLERANCE:g}.")

    def scale(self, q: np.ndarray, known_q: np.ndarray, known_v: np.ndarray, ah: float, t: float) -> float:
        """The size of the terms that cancel in the residual."""
        inertial = self.residual.value(q, (q - known_v) / ah, np.zeros_like(q), t)
        return ah**2 * float(np.linalg.norm(inertial))

    def line_search(self, q: np.ndarray, direction: np.ndarray, size: float, case: Any) -> tuple[np.ndarray, np.ndarray, bool]:
        """The first of 1, 1/2, 1/4, ... of the direction that makes the residual smaller."""
        fraction = 1.0
        for _ in range(HALVINGS):
            new = q + fraction * direction
            error = self.error(new, *case)
            if np.linalg.norm(error) < size:
                return new, error, True
            fraction /= 2
        return q, self.error(q, *case), False

    def error(self, q: np.ndarray, known_q: np.ndarray, known_v: np.ndarray, ah: float, tau: np.ndarray, t: float) -> np.ndarray:
        error = ah**2 * (self.residual.value(q, (q - known_v) / ah, (q - known_q) / ah**2, t, tau))
        error[self.prescribed] = 0.0
        return np.nan_to_num(error, nan=np.inf)

    def motion(self, t: float, known_q: np.ndarray, known_v: np.ndarray, ah: float) -> np.ndarray:
        """Where the prescribed joints are at time t; known_q, known_v: of these joints."""
        driven = [link for link in self.links if link.motion is not None]
        if not driven:
            return np.zeros(0)
        given = np.concatenate([np.ravel(np.asarray(link.motion(t), float)) for link in driven if link.motion is not None])
        level = np.repeat([link.motion_level for link in driven], [link.joint.dof for link in driven])
        return np.select([level == "position", level == "velocity"], [given, known_v + ah * given], known_q + ah**2 * given)

    def rewound(self, past: Past) -> Past:
        """Exponential coordinates change before a step, as the published scenes have it."""
        return self.recharted(past, chosen=False)

    def recharted(self, past: Past, chosen: bool) -> Past:
        """Joints near a singularity of their coordinates change to others, and the history with them; `chosen`: those with charts."""
        change = self.changes[chosen]
        if change is None:
            return past
        older = past.older or (past.q, past.qdot)
        configurations = [self.model.configurations.join(q, past.charts) for q in (past.q, older[0])]
        now, before = change([(configurations[0], past.qdot), (configurations[1], older[1])])
        (q, charts), (q_older, _) = self.split(now[0]), self.split(before[0])
        return Past(past.t, q, now[1], None if past.older is None else (q_older, before[1]), charts)
