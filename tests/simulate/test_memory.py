"""What needs more memory than there is gets a sentence before anything is allocated; a batch without a world needs none."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import redmax as rm
from redmax import memory


@pytest.fixture(scope="module")
def model() -> rm.Model:
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("y"), com=(0.5, 0, 0))
    return scene.model()


def worlds(count: int) -> rm.State:
    return rm.State(0.0, np.broadcast_to(np.zeros(1), (count, 1)), np.zeros(1))


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"duration": 1e10, "dt": 1e-3}, "samples of this run would take 160 TB .* every=100, .* out="),
        ({"duration": 1e15, "dt": 1e-3}, "at most 9.0e\\+15 steps"),
        ({"duration": 1e300, "dt": 1e-300}, "at most 9.0e\\+15 steps"),
        ({"duration": 1e30, "dt": 1e-3, "every": 10**30}, "at most 9.0e\\+15 steps"),
        ({"duration": 1.0, "initial": worlds(10**12)}, "would take 24 TB of memory, .* fewer worlds"),
        ({"duration": 1.0, "initial": worlds(10**18)}, "would take .* of memory"),
        ({"duration": 1e6, "initial": worlds(10**4)}, "samples of this run would take 16 TB"),
        ({"duration": 1.0, "dt": 2.0}, "whole number of steps"),
        ({"duration": float("inf")}, "positive number"),
    ],
)
def test_runs_that_cannot_fit_are_refused_before_anything_is_allocated(model: rm.Model, how: dict[str, Any], says: str):
    rm.simulate(model, 0.02, integrator="euler")  # compiles
    began = time.process_time()
    with pytest.raises(rm.SceneError, match=says):
        rm.simulate(model, integrator="euler", **how)
    assert time.process_time() - began < 2.0


def test_a_run_to_a_file_may_be_longer_than_memory(model: rm.Model, tmp_path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(memory, "available", lambda: 10_000)
    monkeypatch.setattr(memory, "SMALL", 0)
    with pytest.raises(rm.SceneError, match=r"2,001 samples of this run would take 32 KB of memory, but 10 KB are free"):
        rm.simulate(model, 20.0, integrator="euler")
    monkeypatch.setattr(memory, "available", lambda: 20_000)
    assert len(rm.simulate(model, 20.0, integrator="euler", out=tmp_path / "run.h5")) == 2001


def test_dynamics_of_more_states_than_memory_holds_are_refused_and_of_none_are_none(model: rm.Model):
    dynamics = rm.Dynamics(model)
    with pytest.raises(rm.SceneError, match=r"10,000,000,000,000 states would take 960 TB"):
        dynamics.forward(np.broadcast_to(np.zeros(1), (10**13, 1)), np.zeros(1))
    assert dynamics.forward(np.zeros((0, 1)), np.zeros(1)).shape == (0, 1)


def test_a_batch_without_a_world_can_be_asked_for_everything_but_a_file(tmp_path):
    scene = rm.Scene()
    bob = scene.add_body(rm.Sphere(0.1), joint=rm.SphericalEuler(), com=(0.5, 0, 0), name="bob")
    scene.add_force(rm.SpringDamper(bob, (0, 0, 1), stiffness=1.0, name="spring"))
    none = rm.State(0.0, np.zeros((0, 3)), np.zeros((0, 3)))
    run = rm.simulate(scene, 0.02, integrator="euler", initial=none)
    assert run.force("spring").length.shape == run.energy.total.shape == (3, 0)
    assert rm.Simulation(scene, integrator="euler", initial=none).step(2).q.shape == (0, 3)
    for call in (lambda: run.save(tmp_path / "none.h5"), lambda: rm.simulate(scene, 0.02, initial=none, out=tmp_path / "none.h5")):
        with pytest.raises(rm.RedmaxError, match="at least one world"):
            call()
    assert not list(tmp_path.iterdir())


def test_what_is_free_is_known_and_readable():
    free = memory.available()
    assert free is not None
    assert 2**20 < free < 2**50
    assert [memory.readable(n) for n in (7, 3200, 10**9, 10**24)] == ["7 bytes", "3.2 KB", "1 GB", "1e+06 EB"]
