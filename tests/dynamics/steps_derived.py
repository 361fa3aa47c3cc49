"""Runs of every method and dynamics as plans, with inputs to try their derivatives on; and the test of these against complex steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import redmax as rm
from program.complex_steps import complex_rates
from redmax.backends.base import make_runner, rolled_plan
from redmax.dynamics.choose import matrix_free_solver, system
from redmax.integrators import METHODS, bdf
from redmax.model.parameters import default_columns
from redmax.program.cotangent import cotangent
from redmax.program.plan import Plan
from redmax.program.tangent import tangent

STEPS, ROOM = 2, 200
BY = ("q", "qdot", "tau", "h", "given", "parameters")


@dataclass(frozen=True, eq=False)
class Case:
    """A plan of some steps. inputs: one world's, in order; moving: of each, which numbers may move; outputs: those that are compared."""

    plan: Plan
    inputs: list[np.ndarray]
    moving: list[np.ndarray]
    outputs: tuple[str, ...]

    @property
    def by(self) -> tuple[str, ...]:
        return tuple(n for n, m in zip(self.plan.names[0], self.moving, strict=True) if m.any())


def case(model: rm.Model, dynamics: str, integrator: str, state: Any, h: float = 0.01, backend: str = "interpret") -> Case:
    """Two steps from a state (q, qdot, tau, t). dynamics: its name, and perhaps that of a solver ("redmax cg") or of a stabilisation."""
    if integrator.startswith("bdf"):
        program, laid = bdf.program(model, integrator == "bdf2", dynamics), model
    else:
        method, (name, *more) = METHODS[integrator].program, dynamics.split()
        assert method is not None
        solver = matrix_free_solver(name, more[0], model, integrator == "implicit") if name == "redmax" and more else None
        found = system(name, model, solver, stabilisation=more[0] if name == "maximal" and more else "baumgarte")
        program, laid = method(found), found.model
    plan = rolled_plan(laid, program, backend, keep=True)
    number = {"t": state.t, "t0": state.t, "start": state.t, "h": h, "t_end": state.t + STEPS * h, "rtol": 1e-3, "sample_dt": h}
    number |= {"eps": 2.2e-16, "samples": STEPS, "fresh": 1.0, "k": 0.0, "baumgarte": 0.0}
    given = {name: np.full(1, float(value)) for name, value in number.items()}
    q = model.configurations.join(state.q)
    given |= {"q": q, "qdot": 0.3 * state.qdot, "tau": state.tau, "q_older": q, "qdot_older": 0.3 * state.qdot}
    given |= {"given": np.array([state.t, h, 0.0, 1e-9, 1e-3, 1.0])} | dict(zip(["parameters"], default_columns(model), strict=False))
    inputs = [given.get(name, np.full(len(slots), float(name == "floor"))) for name, slots in zip(plan.names[0], plan.inputs, strict=True)]
    if model.map is not None:  # its own coordinates come behind those of the joints
        rng = np.random.default_rng(5)
        inputs = [0.3 * rng.normal(size=n) if len(x) != n else x for x, n in zip(inputs, map(len, plan.inputs), strict=True)]
    moving = [np.full(len(x), name in BY) for name, x in zip(plan.names[0], inputs, strict=True)]
    for name, part in zip(plan.names[0], moving, strict=True):
        part[model.nq if name == "q" else len(part) :] = False  # charts do not move
        part[:] &= (np.arange(len(part)) == 1) | (name != "given")  # of those numbers, h
    compared = tuple(n for n in plan.names[1] if n in ("q", "qdot", "q_sample", "v_sample"))
    return Case(plan, inputs, moving, compared)


def differences(plan: Plan, x: list[np.ndarray], along: list[np.ndarray], worlds: int, count: int, _: int, e: float = 1e-3) -> Any:
    """Values and rates, by central differences: where complex numbers are compared with zero, their steps say nothing."""
    ends = []
    for s in (0.0, e, -e):
        ends.append([np.zeros((count, worlds, len(slots))) for slots in plan.outputs])
        make_runner(plan, "interpret", "float64").run([a + s * b for a, b in zip(x, along, strict=True)], ends[-1], worlds, count)
    return ends[0], [(up - down) / (2 * e) for up, down in zip(*ends[1:], strict=True)]


def check_derivatives(
    c: Case, backend: str = "interpret", seed: int = 0, tolerance: float = 1e-11, worlds: int = 1, oracle: Any = complex_rates
) -> None:
    """The tangent is the rate that an oracle finds, by complex steps; the cotangent is its transpose; both give the program's values."""
    rng = np.random.default_rng([seed, 4])
    (inputs, outputs), chosen = c.plan.names, [c.plan.names[1].index(name) for name in c.outputs]
    x = [np.repeat(a[None], worlds, axis=0) for a in c.inputs]
    for name, a, m in zip(inputs, x, c.moving, strict=True):  # worlds go different ways
        a += 0.2 * np.linspace(0.0, 1.0, worlds)[:, None] * rng.normal(size=a.shape) * m * (name in ("q", "qdot", "tau"))
    along = [
        rng.normal(size=a.shape) * m * (1e-3 if name in ("h", "given") else 1.0) for a, m, name in zip(x, c.moving, inputs, strict=True)
    ]
    values, rates = oracle(c.plan, x, along, worlds, STEPS, STEPS)
    assert all(np.isfinite(values[n]).all() for n in chosen)
    scale = [np.abs(values[n]).max() + np.abs(rates[n]).max() for n in chosen]
    doubled = tangent(c.plan)
    found = [np.zeros((STEPS, worlds, len(slots))) for slots in doubled.outputs]
    make_runner(doubled, backend, "float64").run([*x, *along], found, worlds, STEPS)
    for n, size in zip(chosen, scale, strict=True):
        assert np.abs(found[n] - values[n]).max() <= tolerance * size
        assert np.abs(found[n + len(outputs)] - rates[n]).max() <= tolerance * size, outputs[n]
    weights = [rng.normal(size=(STEPS, worlds, len(c.plan.outputs[n]))) / size for n, size in zip(chosen, scale, strict=True)]
    back = cotangent(c.plan, of=c.outputs, by=c.by, turns=ROOM)
    given = [np.zeros((worlds, ROOM, w.shape[2])) for w in weights]
    for rows, w in zip(given, weights, strict=True):
        rows[:, :STEPS] = w.transpose(1, 0, 2)
    found = [np.full((1, worlds, len(slots)), np.nan) for slots in back.outputs]
    make_runner(back, backend, "float64").run([*x, *[rows.reshape(worlds, -1) for rows in given]], found, worlds, STEPS)
    by_name = dict(zip(back.names[1], found, strict=True))
    left = sum((w * rates[n]).sum(axis=(0, 2)) for w, n in zip(weights, chosen, strict=True))
    parts = [by_name[f"cotangent of {name}"][0] * along[inputs.index(name)] for name in c.by]
    right, size = sum(p.sum(axis=1) for p in parts), sum(np.abs(p).sum(axis=1) for p in parts)
    assert (np.abs(left - right) <= tolerance * np.maximum(size, 1.0)).all(), (left, right)
