"""Pairs that are found by their balls are those that a look at all pairs finds: the same contacts, numbers and order, to the last bit."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import redmax as rm
from contact.worlds import DT
from random_examples import examples
from redmax.dynamics.contact import near_pairs
from redmax.dynamics.contact.detect import FEATURES
from redmax.dynamics.contact.found import met_by_kind
from redmax.dynamics.contact.rows import T_KEY
from redmax.dynamics.contact.runner import told_of
from redmax.dynamics.programs import model_of

SHAPES = rm.Sphere(0.1, mass=1.0), rm.Capsule(0.05, 0.3, mass=1.0), rm.Cylinder(0.1, 0.15, mass=1.0), rm.Cuboid((0.2, 0.15, 0.1), mass=1.0)
BODIES = 16


def crowd(seed: int) -> rm.Scene:
    """Bodies of all kinds, some joined, some of a group, some that pass through each other; fixed ones of all kinds; a plane."""
    scene, rng = rm.Scene(gravity=(0, 0, -2.0)), np.random.default_rng(seed)
    scene.add_ground(-1.0, contact=0.5)
    for k, shape in enumerate(rng.permutation(np.array(SHAPES, object))):
        scene.add_obstacle(shape, at=rng.uniform(-0.5, 0.5, 3), contact=0.5, name=f"fixed {k}")
    made: list[Any] = []
    for k in range(BODIES):
        joined = bool(made) and rng.random() < 0.2
        parent, joint = (made[rng.integers(len(made))], rm.Revolute("y")) if joined else (None, rm.Free3D())
        options = {"contact_group": int(rng.choice([0, 0, 0, 1, 2])), "name": f"body {k}", "at": (0.2, 0, 0) if joined else (0, 0, 0)}
        made.append(scene.add_body(SHAPES[rng.integers(4)], joint=joint, parent=parent, contact=0.5, **options))
    for _ in range(6):
        a, b = rng.choice(BODIES, 2, replace=False)
        scene.ignore_contact(f"body {a}", f"body {b}")
    scene.ignore_contact("fixed 1", "body 3")
    return scene


def begun(scene: rm.Scene, many: int, **options: Any) -> rm.Simulation:
    """many: pairs from which on they are found by their balls."""
    with patch.object(near_pairs, "MANY", many):
        sim = rm.Simulation(scene, dt=DT, integrator="implicit", **options)
        sim.runner.prepare(1)
    return sim


def scattered(model: rm.Model, seed: int, spread: float) -> rm.State:
    """Trees at random places, so far apart; they turn and fly."""
    rng = np.random.default_rng(seed)
    q, qdot = np.zeros((2, model.nv))
    for link in model.links:
        at = model.q_slice(link.name)
        q[at] = rng.normal(scale=1.0, size=link.joint.dof)
        qdot[at] = rng.normal(scale=3.0, size=link.joint.dof)
        if link.joint.dof == 6:
            q[at][:3] *= spread * rng.choice([0.05, 1.0, 1.0], 3)
    return rm.State(0.0, q, qdot)


def seen(sim: rm.Simulation, state: rm.State, steps: int = 4) -> list[np.ndarray]:
    """All that is told of some steps from a state on."""
    sim.reset(state)
    q, qdot = sim.room(steps)
    q[...], qdot[...] = np.nan, np.nan
    with suppress(rm.RedmaxError):  # what lies too deep in something else
        sim.advance(1, sim.torques(), q, qdot)
    told = told_of(sim.runner.notes)
    assert told is not None
    return [q, qdot, told.counts, told.held, told.table]


@examples(3, 40)
@given(seed=st.integers(0, 10**6))
@example(seed=32436)  # more are near than may touch at all
def test_random_scenes(seed):
    scene = crowd(seed)
    all_pairs, by_balls = begun(scene, 10**9), begun(scene, 1)
    for k, spread in enumerate((0.02, 0.3, 1.0)):
        state = scattered(all_pairs.model, seed + k, spread)
        one, other = seen(all_pairs, state), seen(by_balls, state)
        assert spread > 0.1 or one[2][0, 0, 0] > 30
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.fixture(scope="module")
def both() -> tuple[rm.Simulation, rm.Simulation]:
    scene = crowd(3)
    return begun(scene, 10**9), begun(scene, 1)


@examples(25, 500)
@given(seed=st.integers(0, 10**6), spread=st.floats(0.01, 3.0))
def test_random_states_whatever_the_order_before(both, seed, spread):
    """Each example sorts what the one before left."""
    state = scattered(both[0].model, seed, spread)
    for a, b in zip(*(seen(sim, state) for sim in both), strict=True):
        np.testing.assert_array_equal(a, b)


def test_numbers_are_those_of_all_pairs():
    """Where all shapes are in one place, each pair that may touch is there, by its number."""
    sim = begun(crowd(5), 1)
    state = scattered(sim.model, 0, 1e-3)
    table, held = (seen(sim, state, 1)[k] for k in (4, 3))
    numbers = np.unique(table[0, 0, : int(held[0, 0]), T_KEY] // FEATURES)
    met = met_by_kind(sim.model)
    several = [n + k for n, pairs in met.values() for k, pair in enumerate(pairs) if near_pairs.is_near(pair)]
    assert set(numbers) <= set(range(sum(len(pairs) for _, pairs in met.values())))
    assert len(set(several) & set(numbers)) > 0.5 * len(several)


def few() -> rm.Scene:
    """Balls and a rod, over each other."""
    scene = rm.Scene()
    scene.add_ground(-0.2, contact=0.5)
    for k in range(4):
        scene.add_body(SHAPES[k == 3], joint=rm.Prismatic("z"), at=(0.03 * k, 0, 0.15 * k), contact=0.5, name=f"body {k}")
    return scene


def test_interpreted_is_compiled():
    sims = [begun(few(), 1, backend=backend) for backend in ("llvm", "interpret")]
    one, other = (seen(sim, rm.State(0.0, np.zeros(4), -np.ones(4)), 2) for sim in sims)
    assert one[3][0, 0] == 3
    np.testing.assert_array_equal(one[3], other[3])
    np.testing.assert_allclose(one[0], other[0], rtol=0, atol=1e-9)


def test_where_it_is_done():
    """Where there are many pairs, and not where most bodies pass through each other."""

    def balls(count: int, free: int = 1000) -> Any:
        scene = rm.Scene()
        for k in range(count):
            scene.add_body(SHAPES[0], joint=rm.Free3D(), at=(k, 0, 0), contact=0.5, contact_group=int(k >= free), name=f"ball {k}")
        model = model_of(scene)
        return near_pairs.near_pairs(model, met_by_kind(model))

    assert balls(20) is None
    assert balls(70).counts == {("sphere", "sphere"): 70 * 69 // 2}
    assert balls(70, 65).counts == {("sphere", "sphere"): 70 * 69 // 2 - 10}
    assert balls(120, 25) is None
