"""Compiled code lives as long as somebody holds it: models that are dropped leave nothing, models that are made again load nothing."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

import redmax as rm
from redmax.backends.llvm import code
from redmax.backends.llvm.engine import Library, library


def pendulum(k: float) -> rm.Model:
    """One of a kind: the torque is a function of its own."""
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.3, 0.1, 0.1)), joint=rm.Revolute("y"), com=(0.15, 0, 0), torque=lambda t, q, qdot: [np.sin(k * q[0])])
    return scene.model()


def forward(dynamics: rm.Dynamics) -> float:
    return float(dynamics.forward(np.array([0.3]), np.array([0.1]), np.zeros(1))[0])


@pytest.fixture
def fresh(monkeypatch) -> Library:
    """A library that holds two codes of its own accord, in a process that has others."""
    monkeypatch.setattr(code, "RECENT", 2)
    library.cache_clear()
    yield library()
    library.cache_clear()


def codes(found: Library) -> int:
    gc.collect()
    return len(set(found.shelf.codes.values()))


def test_code_that_nobody_holds_is_released(fresh):
    for k in range(8):
        forward(rm.Dynamics(pendulum(1.0 + k)))
    assert codes(fresh) <= code.RECENT
    assert len(fresh.shelf.retired) > 0
    fresh.shelf.clear_retired()
    assert fresh.shelf.retired == []


def test_code_that_is_held_is_not(fresh):
    """Through a model's dynamics, a simulation, or a bare call into the code."""
    dynamics, sim = rm.Dynamics(pendulum(0.5)), rm.Simulation(pendulum(0.6), integrator="rk4")
    bound = rm.Dynamics(pendulum(0.7))
    forward(bound)
    call = bound.single[0].entry
    del bound
    before = forward(dynamics), sim.checkpoint(), sim.step(3).q
    for k in range(8):
        forward(rm.Dynamics(pendulum(1.0 + k)))
    fresh.shelf.clear_retired()
    assert call() == 0
    assert forward(dynamics) == before[0]
    sim.restore(before[1])
    np.testing.assert_array_equal(sim.step(3).q, before[2])


def test_a_model_made_again_loads_nothing(fresh, monkeypatch):
    forward(rm.Dynamics(pendulum(0.9)))
    gc.collect()
    monkeypatch.setattr(code.Shelf, "load", lambda *arguments: pytest.fail("its code was there"))
    forward(rm.Dynamics(pendulum(0.9)))


def test_code_stays_while_a_thread_runs_it(fresh):
    """The simulation is dropped by everybody but the thread that is within its compiled loop."""

    def run() -> None:
        found.append(rm.simulate(pendulum(0.8), 50, 1e-3, every=50_000, integrator="rk4").q)

    found: list[np.ndarray] = []
    run()
    threads = [Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for k in range(4):
        forward(rm.Dynamics(pendulum(2.0 + k)))
        gc.collect()
        fresh.shelf.clear_retired()
    for thread in threads:
        thread.join()
    assert len(found) == 3
    for q in found:
        np.testing.assert_array_equal(q, found[0])


GROWTH = """
import gc
import numpy as np
import redmax as rm
from redmax.backends.llvm import code
from redmax.program import known_kernels
code.RECENT = 4
known_kernels.KNOWN.most = 0

def resident():
    gc.collect()
    return int(open("/proc/self/statm").read().split()[1]) * 4

def drop(first, count):
    for k in range(first, first + count):
        scene = rm.Scene()
        torque = lambda t, q, qdot, k=k: [np.sin(k * q[0])]
        scene.add_body(rm.Cuboid((0.3, 0.1, 0.1)), joint=rm.Revolute("y"), com=(0.15, 0, 0), torque=torque)
        rm.Dynamics(scene.model()).forward([0.3], [0.1], [0.0])

drop(0, 25)
before = resident()
drop(25, 50)
print((resident() - before) / 50)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the memory of a process is read from Linux's /proc")
def test_models_that_are_dropped_leave_no_memory():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", GROWTH], capture_output=True, text=True, env=environment, check=True)
    assert float(done.stdout) < 20  # kilobytes a model


def test_threads_share_the_shelf(fresh):
    """Each makes and drops models of its own and of the others'; every number is that of a model alone."""

    def make(first: int) -> None:
        for k in range(6):
            n = (first + k) % 6
            found.append((n, forward(rm.Dynamics(pendulum(3.0 + n)))))

    found: list[tuple[int, float]] = []
    alone = [forward(rm.Dynamics(pendulum(3.0 + n))) for n in range(6)]
    threads = [Thread(target=make, args=(first,)) for first in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 18
    assert all(value == alone[n] for n, value in found)
