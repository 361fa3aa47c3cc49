"""The same programs run by NumPy and as machine code, in lanes and one by one: the same motion."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from integrators.scenes import branching, conservative, driven
from mechanisms import every_kind
from redmax.integrators import METHODS


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("scene", [driven, conservative, branching])
def test_interpreted_and_compiled_runs_agree(scene, name):
    runs = [rm.simulate(scene(), 0.1, 0.01, integrator=name, rtol=1e-6, backend=b) for b in ("llvm", "interpret")]
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(runs[0].qdot, runs[1].qdot, rtol=1e-10, atol=1e-10)
    assert runs[0].steps == runs[1].steps
    np.testing.assert_allclose(runs[0].energy.total, runs[1].energy.total, rtol=1e-10)


@pytest.mark.parametrize("name", METHODS)
def test_batches_agree(name):
    """Of several worlds, some with charts to change."""
    model = conservative().model()
    rng = np.random.default_rng(0)
    start = rm.State(0.0, rng.normal(size=(2, 2, 5)), 5.0 * rng.normal(size=(2, 2, 5)))
    runs = [rm.simulate(model, 0.05, 0.01, integrator=name, rtol=1e-5, initial=start, backend=b) for b in ("llvm", "interpret")]
    assert runs[0].q.shape == runs[1].q.shape == (6, 2, 2, 5)
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(runs[0].qdot, runs[1].qdot, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("name", "seed", "forces"), [("rk4", 1, False), ("adaptive", 2, True)])
def test_mechanisms_with_every_kind_of_joint(name, seed, forces):
    """Large enough for rolled code, with user joints, and with torque functions and wrenches."""
    mechanism = every_kind(seed, forces=forces)
    state = mechanism.state(seed)
    start = rm.State(0.3, state.q, 0.1 * state.qdot)
    runs = [rm.simulate(mechanism.model, 4e-3, 2e-3, integrator=name, rtol=1e-3, initial=start, backend=b) for b in ("llvm", "interpret")]
    assert np.abs(runs[0].qdot - runs[0].qdot[0]).max() > 1e-3
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(runs[0].qdot, runs[1].qdot, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", [name for name, m in METHODS.items() if m.runner is None])
@pytest.mark.parametrize("scene", [driven, branching])
def test_rolled_and_straight_line_code_agree(scene, name, monkeypatch):
    """The same model as one kernel and as rows of kernels."""
    from redmax.program import fuse

    model = scene().model()
    straight = rm.simulate(model, 0.1, 0.01, integrator=name)
    monkeypatch.setattr(fuse.fuse, "__defaults__", (0,))
    rolled = rm.simulate(model, 0.1, 0.01, integrator=name)
    kernels = [len(rm.Simulation(model, integrator=name).plan.rows)]
    monkeypatch.undo()
    kernels.append(len(rm.Simulation(model, integrator=name).plan.rows))
    assert kernels[0] > kernels[1]
    np.testing.assert_allclose(rolled.q, straight.q, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(rolled.qdot, straight.qdot, rtol=1e-11, atol=1e-11)
