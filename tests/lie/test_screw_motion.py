"""Screws: exp(z b) of a constant twist, from no turn at all to several, against the matrix exponential."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from numpy.testing import assert_allclose

from redmax.lie import screw_motion, se3
from redmax.trace import Graph, evaluate_numeric, jvp

AXIS = np.array([0.48, -0.6, 0.64])
ANGLES = [0.0, 1e-300, 1e-160, 1e-90, 1e-16, 1e-9, 1e-4, 0.3, 2.0, np.pi, 9.0]
VELOCITIES = [(0.3, -2.0, 0.7), (0.0, 0.0, 0.0), (1e-9, 0.0, 0.0), tuple(3.0 * AXIS)]


def exact(z: np.ndarray, b: float) -> np.ndarray:
    with mp.workdps(60):
        return np.array(mp.expm(mp.matrix(se3.bracket(z).tolist()) * mp.mpf(b), method="taylor").tolist(), dtype=float)


@pytest.mark.parametrize("v", VELOCITIES)
def test_exp_of_a_screw_is_the_exponential_of_its_twist(v):
    for angle in ANGLES:
        z, case = np.concatenate([angle * AXIS, v]), f"by {angle}"
        s = screw_motion.from_twists(z)
        assert_allclose(screw_motion.to_twist(s), z, rtol=0, atol=4e-16 * max(1.0, angle), err_msg=case)
        for b in (0.0, 1.0, -0.7):
            R, p = screw_motion.exp(list(s), b)
            assert_allclose(se3.pose(np.array(R), np.array(p)), exact(z, b), rtol=0, atol=2e-15 * max(1.0, angle), err_msg=case)


def test_a_slight_turn_loses_no_digits():
    """The axis lies 1e9 m away, and yet the position is right to the last digit, as is its rate."""
    z = np.concatenate([1e-9 * AXIS, [0.3, -2.0, 0.7]])
    b = Graph().input("b", 0)
    _, p = screw_motion.exp(list(screw_motion.from_twists(z)), b)
    found = evaluate_numeric([*p, *jvp(p, {b: 1.0})], lambda *_: 0.8)
    assert_allclose(found[:3], exact(z, 0.8)[:3, 3], rtol=1e-15)
    assert_allclose(found[3:], (exact(z, 0.8) @ se3.bracket(z))[:3, 3], rtol=1e-15)


def test_many_at_once():
    z = np.random.default_rng(0).normal(size=(4, 3, 6))
    z[1, 1], z[2, 2, :3] = 0.0, 0.0
    found = screw_motion.from_twists(z)
    for index in np.ndindex(4, 3):
        assert_allclose(found[index], screw_motion.from_twists(z[index]), rtol=0, atol=0)
