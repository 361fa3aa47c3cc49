"""The published RedMax scenes with spline joints (21 and 22; cm, g, s)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import redmax as rm


def spline_curve_scene() -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, -980))
    bar = rm.Cuboid((10, 1, 1), density=1)
    placed = [(np.pi, (-10, 0, 0)), (np.pi / 2, (0, 0, -2)), (0.0, (10, 0, 0)), (-np.pi / 2, (0, 0, 2))]
    ring = rm.SplineCurve([rm.pose(rm.rotation_about("y", a), p) for a, p in placed], cyclic=True)
    first = scene.add_body(rm.Cuboid((1, 1, 10), density=1), joint=rm.Revolute("y"), com=(0, 0, -5))
    second = scene.add_body(bar, joint=ring, parent=first, at=(0, 0, -10), com=(5, 0, 0))
    scene.add_body(bar, joint=rm.Revolute("y"), parent=second, at=(10, 0, 0), com=(5, 0, 0), q=15 * np.pi / 16)
    return scene


def spline_surface_scene() -> rm.Scene:
    i, j = np.meshgrid(np.arange(4.0), np.arange(4.0), indexing="ij")
    x, y, a = -15 + 10 * i, -15 + 10 * j, -np.pi / 4 + np.pi / 6 * i
    values = np.stack([x, y, 0.05 * (x * x + y * y), a, a, 0 * a], axis=-1)
    surface = rm.SplineSurface(np.swapaxes(values, 0, 1))  # the first control index goes with the second coordinate
    scene = rm.Scene(gravity=(0, 0, -980))
    rod = rm.Cuboid((1, 1, 10), density=1)
    first = scene.add_body(rod, joint=rm.Revolute("x"), com=(0, 0, -5), q=np.pi / 8)
    second = scene.add_body(rod, joint=surface, parent=first, at=(0, 0, -14), com=(0, 0, -5), q=(0.5, 0.5))
    scene.add_body(rod, joint=rm.Revolute("y"), parent=second, at=(0, 0, -10), com=(0, 0, -5), q=np.pi / 4)
    return scene


def test_the_published_motion_along_a_spline_curve():
    run = rm.simulate(spline_curve_scene(), dt=0.005, duration=2, integrator="implicit", dynamics="redmax")
    assert_allclose(run.q[-1], [0.438048900487, 0.0682903657367, -1.11447212672], rtol=1e-8)
    assert_allclose(run.qdot[-1], [1.36889851667, 0.867055494827, -10.4963968486], rtol=1e-8)
    assert run.energy.total[-1] - run.energy.potential[0] == pytest.approx(-30627.847981409726, rel=1e-8)


@pytest.mark.parametrize("scene", [spline_curve_scene, spline_surface_scene])
def test_the_three_dynamics_agree_and_keep_the_energy(scene):
    runs = [rm.simulate(scene(), dt=0.01, duration=0.4, integrator="adaptive", dynamics=d) for d in ("recursive", "redmax", "maximal")]
    for run in runs:
        assert np.abs(run.energy.total - run.energy.total[0]).max() < 1e-6 * run.energy.kinetic.max()
        assert_allclose(run.q[-1], runs[0].q[-1], rtol=0, atol=1e-5)
