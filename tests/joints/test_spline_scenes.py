"""The published scenes with spline joints by all three dynamics; `test_published` and `test_by_hand` have their numbers."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import redmax as rm
from redmax.scenes import find


@pytest.mark.long  # `test_systems_agree` has spline joints among its kinds, `test_reference` the energy of these scenes
@pytest.mark.parametrize("reference", ["redmax:21", "redmax:22"])
def test_the_three_dynamics_agree_and_keep_the_energy(reference):
    scene, runs = find(reference).scene(), []
    for dynamics in ("recursive", "redmax", "maximal"):
        runs.append(rm.simulate(scene, dt=0.01, duration=0.4, integrator="adaptive", dynamics=dynamics))
        assert np.abs(runs[-1].energy.total - runs[-1].energy.total[0]).max() < 1e-6 * runs[-1].energy.kinetic.max()
        assert_allclose(runs[-1].q[-1], runs[0].q[-1], rtol=0, atol=1e-5)
    assert np.abs(runs[0].qdot[-1]).min() > 0.1  # every joint moves
