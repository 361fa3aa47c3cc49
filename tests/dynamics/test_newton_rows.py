"""Newton's matrix bordered by rows of constraints: against differences of the residual and of the rows, for every constraint there is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

import redmax as rm
from constraints.samples import SAMPLES, scene_with
from dynamics.test_newton import INPUTS, RATES, transmit_force
from mechanisms import StateSample, mechanisms
from random_examples import examples
from redmax.backends.base import make_plan, make_runner
from redmax.dynamics.maximal import newton as sparse
from redmax.dynamics.recursive import newton
from redmax.dynamics.recursive.transmitted import move_joint
from redmax.program.program import Program, ProgramStage, Save
from redmax.program.routines.call import Call
from redmax.program.sweep import Part, forward, interactions, recursion
from redmax.solvers.reduced_matrix import copy

INVERSE = recursion(
    forward(move_joint), interactions(Part.WRENCH), interactions(Part.REACTIONS), transmit_force, name="inverse dynamics with reactions"
)
SOME = ("HingeClosure", "own, of positions", "own, of velocities")


def outcome(model: rm.Model, states: Sequence[StateSample], multipliers: Any, stages: tuple[ProgramStage, ...], outputs: tuple[str, ...]):
    """The outputs of a program that begins with the residual and its rows, at several states: (states, numbers) of each."""
    rows = newton.rows_of(model)
    x, off = rows.vector("lambda"), rows.vector("off")
    outward = Call(copy, lambda at: [(at[x] + r.first, rows.kept(at, r, r.kept.multipliers), r.kept.size) for r in rows.rows], (x,))
    program = (outward, INVERSE, rows.collected("right", off), *stages, Save())
    fields = newton.fields(model, {}, dict.fromkeys((*rows.world, "size", "turns"), 1))
    plan = make_plan(model, Program("newton", program, fields, (*INPUTS, x.name), outputs), "interpret")
    found = [np.empty((1, len(states), len(slots))) for slots in plan.outputs]
    q, qdot, qddot, tau = (np.array([getattr(s, n) for s in states]) for n in ("q", "qdot", "qddot", "tau"))
    numbers = [np.full(1, v) for v in (states[0].t, 1.0, *RATES)]
    inputs = [model.configurations.join(q), qdot, qddot, tau, *numbers, np.broadcast_to(multipliers, (len(states), rows.m)).copy()]
    make_runner(plan, "interpret", "float64").run(inputs, found, len(states))
    return [array[0] for array in found]


def differences(model: rm.Model, s: StateSample, multipliers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How (r, off) change with dx, and with lambda, as columns: by differences of fourth order."""
    e, n, m = 2e-3, model.nv, len(multipliers)
    ways = e * np.array([-2.0, -1.0, 1.0, 2.0])

    def moved(dx: np.ndarray) -> StateSample:
        return replace(s, q=s.q + dx, qdot=s.qdot + RATES[0] * dx, qddot=s.qddot + RATES[1] * dx)

    def slopes(states: Sequence[StateSample], given: np.ndarray) -> np.ndarray:
        missing, off = outcome(model, states, given, (), ("missing", "rows' off"))
        f = np.concatenate([-missing, off], axis=1).reshape(-1, 4, n + m)
        return ((f[:, 0] - f[:, 3] + 8.0 * (f[:, 2] - f[:, 1])) / (12.0 * e)).T

    by_x = slopes([moved(way * u) for u in np.eye(n) for way in ways], multipliers)
    return by_x, slopes([s] * (4 * m), multipliers + np.array([way * u for u in np.eye(m) for way in ways]))


def check(model: rm.Model, s: StateSample, seed: int) -> None:
    """H, B and G of the program; and its solution, by H and by the sparse system, where rows are independent and all take part."""
    rows = newton.rows_of(model)
    n, m, x = model.nv, rows.m, 50.0 * np.random.default_rng(seed).normal(size=rows.m)
    by_x, by_multipliers = differences(model, s, x)
    names, filled = ("rows' B", "rows' G", "rows' off", "missing", "H"), (*rows.matrix.assemble(True), *rows.fill())
    B, G, off, missing, H = (a[0] for a in outcome(model, [s], x, filled, names))
    H, B, G = H.reshape(n, n), B.reshape(m, n), G.reshape(m, n)
    assert np.abs(H - by_x[:n]).max() <= 1e-7 * max(np.abs(by_x[:n]).max(), 1.0)
    assert np.abs(B - by_x[n:]).max() <= 1e-8 * max(np.abs(by_x[n:]).max(), 1.0)
    assert np.abs(G + by_multipliers[:n].T).max() <= 1e-9 * max(np.abs(G).max(), 1.0)
    if any(c.one_sided for c in model.constraints) or np.linalg.matrix_rank(G, 1e-6 * np.abs(G).max()) < m:
        return
    for system in (None, sparse.matrix_of(model)):
        dx, step = (a[0] for a in outcome(model, [s], x, newton.stages(model, matrix=system), ("dx", "rows' step")))
        left = np.concatenate([-missing, off]) + np.block([[H, -G.T], [B, by_multipliers[n:]]]) @ np.concatenate([dx, step])
        assert np.abs(left).max() <= 1e-8 * max(np.abs(missing).max(), np.abs(H).max() * np.abs(dx).max())


@pytest.mark.parametrize("name", [n if n in SOME else pytest.param(n, marks=pytest.mark.long) for n in SAMPLES])
def test_of_every_constraint(name):
    model, rng = scene_with(name).model(), np.random.default_rng(3)
    q = np.concatenate([link.q for link in model.links]) + 0.1 * rng.normal(size=model.nv)
    check(model, StateSample(q, rng.normal(size=model.nv), rng.normal(size=model.nv), rng.normal(size=model.nv), np.zeros(0), 0.4), 2)


@examples(1, 25)
@given(m=mechanisms(largest=3).filter(lambda m: m.nv > 3), seed=st.integers(0, 2**16))
def test_of_random_mechanisms(m, seed):
    """Two points of random bodies, or of a body and the world, at a distance that gives way, and a point that another is tied to."""
    scene, rng = m.scene(), np.random.default_rng(seed)
    bodies = [scene.find(link.name) for link in scene.links]
    places = [bodies[-1].point(*rng.normal(size=3)), bodies[0].point(*rng.normal(size=3)) if len(bodies) > 1 else (3.0, 2.0, 1.0)]
    scene.add_constraint(rm.Distance(*places, 1.3, compliance=0.01))
    scene.add_constraint(rm.PointClosure(bodies[-1].point(*rng.normal(size=3)), (2.0, -1.0, 0.5)))
    try:
        model = scene.model()
    except rm.SceneError:  # nothing moves between the places: such scenes are refused
        reject()
    check(model, m.state(seed), seed)
