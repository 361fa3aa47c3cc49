"""Tops and free bodies of the catalogue move as converged references and closed forms say, however their configuration is written."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import redmax as rm
from redmax.scenes.free_bodies import ANGLE, MOMENTS, free_body, free_body_unstable
from redmax.scenes.heavy_tops import asymmetric_top, heavy_top, heavy_top_slow
from scenes.geometric_values import PERIOD, REFERENCES, rotation

BUILDERS = {
    "heavy-top": heavy_top,
    "heavy-top-slow": heavy_top_slow,
    "asymmetric-top": asymmetric_top,
    "free-body": free_body,
    "free-body-unstable": free_body_unstable,
}


@pytest.mark.parametrize("coordinates", ["quaternion", "matrix"])
@pytest.mark.parametrize("name", BUILDERS)
def test_they_agree_with_converged_references(name, coordinates):
    reference = REFERENCES[name]
    run = rm.simulate(BUILDERS[name](coordinates), reference["t"], reference["t"] / 100, rtol=1e-13)
    pose = run.pose(run.model.links[0].name)[-1]
    np.testing.assert_allclose(pose[:3, :3], rotation(reference["q"]), atol=3e-10)
    np.testing.assert_allclose(pose[:3, 3], reference["x"], atol=3e-10)
    np.testing.assert_allclose(run.qdot[-1], reference["omega"], rtol=1e-10, atol=3e-10)


def test_the_free_body_turns_as_the_functions_of_jacobi():
    """pi = (A cn, B sn, C dn) of the signs that the start and Euler's equations have; energy above that of the middle axis."""
    I1, I2, I3 = MOMENTS
    h = np.array([np.cos(ANGLE), 0, np.sin(ANGLE)])
    twice = h @ (h / MOMENTS)
    square = h @ h
    assert twice > square / I2  # about the third axis, of the smallest moment
    rate = np.sqrt((I1 * twice - square) * (I2 - I3) / (I1 * I2 * I3))
    m = (I1 - I2) * (square - I3 * twice) / ((I2 - I3) * (I1 * twice - square))
    assert 0 < m < 1
    assert np.isclose(4 * ellipk(m) / rate, PERIOD, rtol=1e-14)
    run = rm.simulate(free_body(), 2 * PERIOD, PERIOD / 50, rtol=1e-12)
    sn, cn, dn, _ = ellipj(rate * run.t, m)
    middle = np.sqrt((square - I3 * twice) / (I2 * (I2 - I3)))
    expected = np.stack([h[0] / I1 * cn, middle * sn, h[2] / I3 * dn], axis=1)
    sign = np.sign(h[2] * h[0] * (I3 - I1))  # I2 Omega2' = (I3 - I1) Omega3 Omega1
    expected[:, 1] *= sign
    np.testing.assert_allclose(run.qdot, expected, atol=1e-9)
    assert np.abs(run.qdot[50] - run.qdot[0]).max() < 1e-9


def test_the_body_near_its_unstable_axis_turns_over():
    run = rm.simulate(free_body_unstable(), 40, 0.01)
    assert run.qdot[:, 1].max() > 0.99
    assert run.qdot[:, 1].min() < -0.99
