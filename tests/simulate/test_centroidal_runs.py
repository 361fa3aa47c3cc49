"""The mechanism as a whole in runs: against differences of the samples, by every dynamics, in batches, files and tables."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import redmax as rm

NAMES = ("center_of_mass", "center_of_mass_velocity", "center_of_mass_acceleration", "centroidal_momentum")


def jumper() -> rm.Scene:
    scene = rm.Scene()
    trunk = scene.add_body(rm.Cuboid((0.2, 0.3, 0.6), mass=4), joint=rm.Free3D(), qdot=(1, 0, 2, 0, 3, 1), name="trunk")
    scene.add_body(
        rm.Cuboid((0.1, 0.1, 0.5), mass=1), parent=trunk, joint=rm.Revolute("y"), at=(0, 0, -0.3), com=(0, 0, -0.3), stiffness=5, rest=1
    )
    return scene


@pytest.mark.parametrize(("dynamics", "integrator"), [("recursive", "rk4"), ("redmax", "implicit")])
def test_rates_are_differences_of_the_samples(dynamics, integrator):
    run = rm.simulate(jumper(), 0.04, 0.001, dynamics=dynamics, integrator=integrator)
    c, v, a, h = (np.asarray(run.quantity(name)) for name in NAMES)
    assert_allclose(np.diff(c, axis=0) / 0.001, (v[1:] + v[:-1]) / 2, atol=0.02 if integrator == "implicit" else 1e-5)
    assert_allclose(a, np.broadcast_to((0, 0, -9.81), a.shape), atol=1e-9)  # in flight
    assert_allclose(h[:, 3:], 5 * v, rtol=1e-12)
    drift = np.abs(h[:, :3] - h[0, :3]).max()
    assert drift < (0.05 if integrator == "implicit" else 1e-8)
    assert_allclose(run.centroidal.momentum_rate, np.broadcast_to((0, 0, 0, 0, 0, -5 * 9.81), h.shape), atol=1e-9)
    assert_array_equal(run.center_of_mass, run.centroidal.center)


def test_files_tables_and_batches_have_it(tmp_path):
    model = jumper().model()
    q, qdot = np.tile(model.q0, (3, 1)), np.tile(model.qdot0, (3, 1))
    q[:, 0], qdot[:, 2] = (0, 10, 20), (1, 2, 3)
    run = rm.simulate(jumper(), 0.02, 0.01, integrator="rk4", initial=rm.State(0.0, q, qdot))
    assert run.center_of_mass.shape == (3, 3, 3)
    assert_allclose(run.center_of_mass[:, 1] - run.center_of_mass[:, 0], np.outer((0, 0.01, 0.02), (0, 0, 1)) + (10, 0, 0), atol=1e-9)
    run.save(tmp_path / "run.h5", store=["centroidal"])
    with h5py.File(tmp_path / "run.h5") as file:
        assert sorted(file["centroidal"]) == ["center_of_mass", "center_of_mass_acceleration", "center_of_mass_velocity", "momentum"]
        assert file["centroidal/momentum"].attrs["unit"] == "kg m²/s; kg m/s"
    again = rm.load(tmp_path / "run.h5")
    for name in NAMES:
        assert again.found(name) is not None
        assert_array_equal(again.quantity(name), run.quantity(name))
    run.save(tmp_path / "lean.h5")
    assert rm.load(tmp_path / "lean.h5").found("center_of_mass") is None  # only where it is asked for
    frame = again.world(2).to_pandas(["center-of-mass", "centroidal-momentum"])
    assert list(frame.columns[[0, 3, 6, 9, 12]]) == ["com.x", "com.v.x", "com.a.x", "angular.x", "linear.x"]
    assert_array_equal(frame["linear.z"], run.centroidal_momentum[:, 2, 5])
