"""Batches in which each world goes its own way: steps of its own length, changes of coordinates when it needs them."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from redmax.scenes import find


def top() -> rm.Scene:
    """A body that turns about a point, quickly enough to change its coordinates."""
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.4, 0.1, 0.25), mass=1.3), joint=rm.Spherical(), com=(0.1, 0, 0), name="top")
    scene.add_body(rm.Cuboid((0.3, 0.1, 0.1), mass=0.4), parent="top", joint=rm.Revolute("y"), at=(0.2, 0, 0), com=(0.1, 0, 0))
    return scene


SCENES = {"double-pendulum": 3.0, "chain-20": 1.0, "top": 20.0, "arm": 1.0, "point-springs": 1.0}


def batch(name: str, worlds: int, speed: float) -> tuple[rm.Model, rm.State]:
    model = (top() if name == "top" else find(name).scene()).model()
    rng = np.random.default_rng(3)
    q = model.q0 + 0.3 * rng.uniform(-1, 1, (worlds, model.nq))
    return model, rm.State(0.0, q, rng.uniform(-speed, speed, (worlds, model.nv)) * rng.uniform(0, 1, (worlds, 1)))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", SCENES)
def test_adaptive_worlds_do_not_see_their_neighbours(name, dtype):
    """The same bits in any company: with themselves alone, with others, in another order."""
    model, start = batch(name, 9, SCENES[name])
    options = {"integrator": "adaptive", "rtol": 1e-6 if dtype == "float64" else 1e-3, "dtype": dtype}

    def samples(which: list[int]) -> np.ndarray:
        return rm.simulate(model, 0.4, 0.02, initial=rm.State(0.0, start.q[which], start.qdot[which]), **options).q

    together = samples(list(range(9)))
    for w in (0, 4, 8):
        np.testing.assert_array_equal(samples([w, w])[:, 0], together[:, w])
    mixed = [5, 2, 8, 8, 0, 7, 1]
    np.testing.assert_array_equal(samples(mixed), together[:, mixed])


@pytest.mark.parametrize("name", ["double-pendulum", "top"])
def test_adaptive_worlds_in_lanes_move_as_alone(name):
    model, start = batch(name, 5, SCENES[name])
    together = rm.simulate(model, 1.0, 0.02, initial=start)
    steps, last = set(), model.links[-1].name
    for w in range(5):
        alone = rm.simulate(model, 1.0, 0.02, initial=rm.State(0.0, start.q[w], start.qdot[w]))
        steps.add(alone.steps)
        np.testing.assert_allclose(alone.pose(last), together.pose(last)[:, w], rtol=0, atol=1e-6)
    assert len(steps) > 2  # each with its own
    if name == "top":
        jumps = np.linalg.norm(np.diff(together.q[..., :3], axis=0), axis=-1) > 2.0
        assert 0 < jumps.any(axis=0).sum() < 5  # some changed their coordinates, others not
