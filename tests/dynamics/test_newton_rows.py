"""Newton's matrix bordered by rows of constraints: against differences of the residual and of the rows, for every kind of row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.test_newton import INPUTS, RATES, transmit_force
from mechanisms import StateSample, chain, mechanisms
from random_examples import examples
from redmax.backends.base import make_plan, make_runner
from redmax.constraints.base import Constraint
from redmax.constraints.distance import Distance
from redmax.constraints.point import PointClosure
from redmax.dynamics.recursive import newton
from redmax.dynamics.recursive.transmitted import move_joint
from redmax.math import sin
from redmax.program.program import Program, ProgramStage, Save
from redmax.program.routines.call import Call
from redmax.program.sweep import Part, forward, interactions, recursion
from redmax.solvers.reduced_matrix import copy

INVERSE = recursion(
    forward(move_joint), interactions(Part.WRENCH), interactions(Part.REACTIONS), transmit_force, name="inverse dynamics with reactions"
)


class Turned(Constraint):
    """Of positions, axes, a joint and time at once."""

    size, oriented = 2, True

    def __init__(self, first: Any, second: Any, joint: Any, **given: Any) -> None:
        self.hold((first, second), None, (joint,), **given)

    def gap(self, sites, t):
        a, b = sites
        q = self.coordinates[0][0][0]
        along = a.R[:, 0] @ b.R[:, 1]
        return [along * q + a.x @ b.R[:, 2] - 0.3 * t, sin(q) * (b.x - a.x) @ (b.x - a.x) - along]


class Blade(Constraint):
    """Of velocities: a blade that does not slip sideways, and a speed that a joint sets."""

    size, oriented, of_velocities = 2, True, True

    def __init__(self, place: Any, joint: Any) -> None:
        self.hold((place,), None, (joint,))

    def speed(self, sites, t):
        (s,), (q, qdot) = sites, self.coordinates[0]
        return [s.R[:, 1] @ s.v - 0.2 * t, s.R[:, 2] @ s.omega + sin(q[0]) * qdot[0] * s.x[2]]


class Geared(Constraint):
    """Of coordinates alone."""

    size = 1

    def __init__(self, joints: Any, **given: Any) -> None:
        self.hold((), None, joints, **given)

    def gap(self, sites, t):
        (a, _), (b, _) = self.coordinates
        return [a[0] - 2.0 * b[0] * b[0] + 0.1 * sin(a[0] * b[0])]


KINDS = ("distance", "point", "turned", "blade", "geared")


def constrained(scene: rm.Scene, kinds: Any, seed: int) -> rm.Model:
    """Rows between random bodies of a scene, and the world."""
    rng = np.random.default_rng(seed)
    handles = [scene.find(link.name) for link in scene.links]
    turning = [h for h, link in zip(handles, scene.links, strict=True) if link.joint.dof and link.joint.nq == link.joint.dof]
    for kind in kinds:
        a, b = (handles[i] for i in rng.choice(len(handles), 2, replace=len(handles) < 2))
        p, x = a.point(*rng.normal(size=3)), rng.normal(size=3) + 3.0
        other = b.point(*rng.normal(size=3)) if a != b else tuple(x)
        if kind == "distance":
            scene.add_constraint(Distance(p, other, 1.3))
        elif kind == "point":
            scene.add_constraint(PointClosure(p, other, compliance=0.01 * rng.integers(2)))
        elif turning:
            j, k = (turning[i] for i in rng.integers(len(turning), size=2))
            if kind != "geared" or j != k:
                scene.add_constraint(Turned(a, other, j) if kind == "turned" else Blade(p, j) if kind == "blade" else Geared((j, k)))
    return scene.model()


def outcome(model: rm.Model, s: StateSample, multipliers: np.ndarray, stages: tuple[ProgramStage, ...], outputs: tuple[str, ...]):
    """The outputs of a program that begins with the residual and its rows."""
    rows = newton.rows_of(model)
    x, off = rows.vector("lambda"), rows.vector("off")
    outward = Call(copy, lambda at: [(at[x] + r.first, rows.kept(at, r, r.kept.multipliers), r.kept.size) for r in rows.rows], (x,))
    program = (outward, INVERSE, rows.collected("right", off), *stages, Save())
    fields = newton.fields(model, {}, {"size": 1, "turns": 1, "row_square": 1, "row_weak": 1, "row_held": 1, "lost": 1, "fraction": 1})
    plan = make_plan(model, Program("newton", program, fields, (*INPUTS, x.name), outputs), "interpret")
    found = [np.empty((1, 1, len(slots))) for slots in plan.outputs]
    inputs = [model.configurations.join(s.q), s.qdot, s.qddot, s.tau, *(np.full(1, v) for v in (s.t, 1.0, *RATES)), multipliers]
    make_runner(plan, "interpret", "float64").run(inputs, found, 1)
    return [array[0, 0] for array in found]


def differences(model: rm.Model, s: StateSample, multipliers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How the residual and the rows change with dx, and with lambda, by differences of fourth order."""
    names, e = ("missing", "rows' off"), 2e-3

    def at(dx: np.ndarray, more: np.ndarray) -> np.ndarray:
        moved = replace(s, q=s.q + dx, qdot=s.qdot + RATES[0] * dx, qddot=s.qddot + RATES[1] * dx)
        missing, off = outcome(model, moved, multipliers + more, (), names)
        return np.concatenate([-missing, off])

    still, none = np.zeros(model.nv), np.zeros(len(multipliers))

    def slope(f: Any) -> np.ndarray:
        return (8.0 * (f(e) - f(-e)) - (f(2 * e) - f(-2 * e))) / (12.0 * e)

    by_x = [slope(lambda d, u=u: at(d * u, none)) for u in np.eye(model.nv)]
    by_multipliers = [slope(lambda d, u=u: at(still, d * u)) for u in np.eye(len(multipliers))]
    return np.array(by_x).T, np.array(by_multipliers).T


def check(model: rm.Model, s: StateSample, seed: int) -> None:
    """H, B and G of the program, and its solution."""
    rows = newton.rows_of(model)
    x = 50.0 * np.random.default_rng(seed).normal(size=rows.m)
    by_x, by_multipliers = differences(model, s, x)
    n, m = model.nv, rows.m
    (H,) = outcome(model, s, x, rows.matrix.assemble(True), ("H",))
    assert np.abs(H.reshape(n, n) - by_x[:n]).max() <= 1e-7 * max(np.abs(by_x[:n]).max(), 1.0)
    B, G, off, missing = outcome(model, s, x, (*rows.matrix.assemble(True), *rows.fill()), ("rows' B", "rows' G", "rows' off", "missing"))
    assert np.abs(B.reshape(m, n) - by_x[n:]).max() <= 1e-8 * max(np.abs(by_x[n:]).max(), 1.0)
    assert np.abs(G.reshape(m, n) + by_multipliers[:n].T).max() <= 1e-9 * max(np.abs(G).max(), 1.0)
    dx, step = outcome(model, s, x, newton.stages(model), ("dx", "rows' step"))
    bordered = np.block([[H.reshape(n, n), -G.reshape(m, n).T], [B.reshape(m, n), by_multipliers[n:]]])
    left = np.concatenate([-missing, off]) + bordered @ np.concatenate([dx, step])
    if np.linalg.matrix_rank(G.reshape(m, n), 1e-6 * np.abs(G).max()) == m:
        assert np.abs(left).max() <= 1e-8 * max(np.abs(missing).max(), np.abs(H).max() * np.abs(dx).max())


@examples(2, 25)
@given(
    m=mechanisms(largest=3).filter(lambda m: m.nv > 5),
    kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=2),
    seed=st.integers(0, 2**16),
)
def test_of_random_mechanisms(m, kinds, seed):
    model = constrained(m.scene(), kinds, seed)
    if model.constraints:
        check(model, m.state(seed), seed)


@pytest.mark.parametrize("kind", KINDS)
def test_of_every_kind_of_row(kind):
    m = chain(3, ["Spherical", "Revolute", "Free"])
    check(constrained(m.scene(), [kind, "distance"], 5), m.state(1), 2)
