"""The same programs run by NumPy and as machine code, in lanes and one by one: the same motion."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from integrators.scenes import branching, conservative, driven
from mechanisms import every_kind
from redmax.integrators import METHODS
from redmax.integrators.bodies import OF_BODIES
from redmax.integrators.lie import ALONG_GROUPS

OF_TREES = [name for name in METHODS if name not in {m.name for m in OF_BODIES}]  # test_bodies has the others
SELDOM = {m.name for m in ALONG_GROUPS} - {"mk2"}  # here they are one like the other, and much like rk4
CASES = [
    pytest.param(
        scene, name, marks=() if METHODS[name].order % 2 == (scene is driven) and name not in SELDOM else pytest.mark.long
    )
    for name in OF_TREES
    for scene in (driven, branching)
]


@pytest.mark.parametrize(("scene", "name"), CASES)
def test_interpreted_and_compiled_runs_agree(scene, name):
    runs = [rm.simulate(scene(), 0.05, 0.01, integrator=name, rtol=1e-4, backend=b) for b in ("llvm", "interpret")]
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(runs[0].qdot, runs[1].qdot, rtol=1e-10, atol=1e-10)
    assert runs[0].steps == runs[1].steps
    np.testing.assert_allclose(runs[0].energy.total, runs[1].energy.total, rtol=1e-10)


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.long if n in SELDOM else ()) for n in OF_TREES])
def test_batches_agree(name):
    """Of several worlds, one of which has a chart to change."""
    model = conservative().model()
    rng = np.random.default_rng(0)
    q, qdot = rng.normal(size=(2, 2, 5)), rng.normal(size=(2, 2, 5))
    q[1, 0, :3], qdot[1, 0, :3] = (0.0, 4.6, 0.1), (0.0, 20.0, 0.0)
    start = rm.State(0.0, q, qdot)
    runs = [rm.simulate(model, 0.02, 0.01, integrator=name, rtol=1e-3, initial=start, backend=b) for b in ("llvm", "interpret")]
    assert runs[0].q.shape == runs[1].q.shape == (3, 2, 2, 5)
    assert (np.abs(np.diff(runs[0].q, axis=0)).max(axis=(0, 3)) > 3.0).tolist() == [[False, False], [True, False]]
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(runs[0].qdot, runs[1].qdot, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["rk4", pytest.param("adaptive", marks=pytest.mark.long)])
def test_mechanisms_with_every_kind_of_joint(name):
    """Large enough for rolled code, with user joints, and with torque functions and wrenches."""
    mechanism = every_kind(1)
    state = mechanism.state(1)
    start = rm.State(0.3, state.q, 0.1 * state.qdot)
    runs = [rm.simulate(mechanism.model, 2e-3, 2e-3, integrator=name, rtol=1e-3, initial=start, backend=b) for b in ("llvm", "interpret")]
    assert np.abs(runs[0].qdot - runs[0].qdot[0]).max() > 1e-3
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(runs[0].qdot, runs[1].qdot, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("scene", "name"), [case for case in CASES if METHODS[case.values[1]].program is not None])
def test_rolled_and_straight_line_code_agree(scene, name, monkeypatch):
    """The same model as one kernel and as rows of kernels."""
    from redmax.program import fuse

    model = scene().model()
    straight = rm.simulate(model, 0.05, 0.01, integrator=name)
    monkeypatch.setattr(fuse.fuse, "__defaults__", (0, 0))
    rolled = rm.simulate(model, 0.05, 0.01, integrator=name)
    kernels = [len(rm.Simulation(model, integrator=name).plan.rows)]
    monkeypatch.undo()
    kernels.append(len(rm.Simulation(model, integrator=name).plan.rows))
    assert kernels[0] > kernels[1]
    np.testing.assert_allclose(rolled.q, straight.q, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(rolled.qdot, straight.qdot, rtol=1e-11, atol=1e-11)
