"""Gradients of runs whose bodies close loops, with rows that repeat others: against complex steps of the same run."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import redmax as rm
from design.gradients.test_gradient import FIXED, check


def mechanism(name: str) -> Any:
    """Of the catalogue, where it begins but for how fast."""
    model = rm.Dynamics(name).model
    rates = lambda seed: np.random.default_rng(seed).normal(size=model.nv)  # noqa: E731
    return SimpleNamespace(model=model, nv=model.nv, state=lambda seed: SimpleNamespace(q=model.q0, qdot=rates(seed)))


@pytest.mark.parametrize("integrator", FIXED)
def test_planar_loops(integrator):
    """Three of the rows that close a planar loop move nothing, or repeat the others."""
    check(mechanism("four-bar"), integrator, "recursive", [], 1)


@pytest.mark.parametrize("name", ["slider-crank", "driven-four-bar"])
def test_loops_of_many_kinds(name):
    """By backward differences, whose Newton steps have rows beside them."""
    check(mechanism(name), "bdf2", "recursive", [], 2, dt=1e-3)


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_spatial_loops_along_what_keeps_them_closed(integrator):
    """A Bennett linkage, whose rows repeat each other only where it is closed; against differences."""
    g = rm.gradient("bennett", lambda now: now.q @ now.q + now.qdot @ now.qdot, 0.008, 0.002, by=["q", "qdot"], integrator=integrator)
    nv = g.model.nv
    G = np.asarray(rm.Dynamics(g.model).constraint_jacobian(g._initial.q))
    free = np.linalg.svd(G)[2][np.linalg.matrix_rank(G, 1e-8) :]
    assert len(free)
    along = np.random.default_rng(3).normal(size=(2, len(free))) @ free
    slope = g.flat(g.start)[1]
    for move in (np.concatenate([1e-5 * along[0], np.zeros(nv)]), np.concatenate([np.zeros(nv), 1e-4 * along[1]])):
        up, down, far_up, far_down = (g.flat(g.start + s * move)[0] for s in (1, -1, 2, -2))
        assert slope @ move == pytest.approx((8 * (up - down) - far_up + far_down) / 12, rel=1e-6)


@pytest.mark.parametrize(("name", "integrator"), [("four-bar", "adaptive"), ("four-bar", "euler"), ("knee-from-flexion", "adaptive")])
def test_slopes_of_vectors_go_through_the_assembly(name, integrator):
    """In all directions, those that open the loops too; on the constraints and off them. Rates at the beginning count as well."""
    given: dict[str, Any] = {"running": lambda now: now.qdot @ now.qdot, "by": ["q", "qdot", "tau"], "integrator": integrator}
    g = rm.gradient(name, lambda now: now.q @ np.cos(np.arange(len(now.q))), 0.004, 0.002, **given, rtol=1e-10)
    nv, rng = g.model.nv, np.random.default_rng(4)
    for off in (0.0, 0.03):
        x = g.start
        x[: 2 * nv] += off * rng.normal(size=2 * nv)
        along = 1e-3 * rng.normal(size=len(x))
        slope = g.flat(x)[1]
        up, down, far_up, far_down = (g.flat(x + s * along)[0] for s in (1, -1, 2, -2))
        assert slope @ along == pytest.approx((8 * (up - down) - far_up + far_down) / 12, rel=1e-6)


def test_parameters_that_move_what_is_assembled():
    """Where a pin sits in a body depends on the centre of mass, from which points are given; the run begins where the loop closes then."""
    g = rm.gradient("four-bar", lambda now: now.q @ now.q, 0.004, 0.002, by=["qdot", "coupler.com.x", "coupler.mass"], integrator="euler")
    x, along = g.start, np.zeros(len(g.start))
    along[-2:] = 1e-3, 1e-2
    up, down, far_up, far_down = (g.flat(x + s * along)[0] for s in (1, -1, 2, -2))
    assert g.flat(x)[1] @ along == pytest.approx((8 * (up - down) - far_up + far_down) / 12, rel=1e-6)


def test_long_runs_of_loops_have_vectors_too():
    """Torques do not change where a run begins: no matrix of all numbers by all numbers."""
    g = rm.gradient("four-bar", lambda now: now.q @ now.q, 20.0, 0.002, by=["qdot", "tau"], integrator="euler", stabilisation="project")
    value, slope = g.flat(g.start)
    found = g()
    assert value == pytest.approx(found.value, rel=1e-12)
    assert np.allclose(slope[3:], np.ravel(found.by["tau"]), rtol=1e-6, atol=1e-6 * np.abs(slope).max())
