"""Muscles driven in different ways, in one scene and in any precision."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm

LAW = {"force": 100.0, "optimal_length": 0.3, "tendon_length": 0.1}


def elbow(*drives: dict) -> rm.Scene:
    scene = rm.Scene()
    rod = rm.Cuboid((1, 0.1, 0.1), mass=1)
    upper = scene.add_body(rod, joint=rm.Universal(), com=(0.5, 0, 0), name="upper")
    lower = scene.add_body(rod, joint=rm.Revolute("y"), parent=upper, at=(1, 0, 0), com=(0.5, 0, 0), q=0.3, name="lower")
    for i, drive in enumerate(drives):
        scene.add_force(rm.Muscle([upper.point(0, 0, 0.1), lower.point(0, 0, 0.1)], **LAW, **drive, name=f"m{i}"))
    return scene


def history(scene: rm.Scene, i: int, **options):
    return rm.simulate(scene, 0.05, 0.005, progress=False, **options).force(f"m{i}")


def test_excitations_by_a_number_and_by_a_function_side_by_side():
    drives = [{"excitation": 0.3, "initial": 0.1}, {"excitation": lambda t: 0.3 + 0.0 * t, "initial": 0.1}]
    for mixed in (drives, drives[::-1]):
        first, second = (history(elbow(*mixed), i).activation for i in (0, 1))
        assert np.allclose(first, second, rtol=0, atol=1e-14)
    exact = 0.3 - 0.2 * np.exp(-np.linspace(0, 0.05, 11) / 0.01)  # a' = (u - a) / 10 ms
    assert np.allclose(first, exact, rtol=0, atol=1e-7)


def test_what_a_muscle_did_in_single_precision():
    drive = {"excitation": lambda t: 0.5 + 0.3 * np.sin(9 * t), "initial": 0.1}
    single, double = (history(elbow(drive), 0, integrator="rk4", dtype=dtype) for dtype in ("float32", "float64"))
    for name in ("activation", "length", "tension", "points", "power", "potential"):
        found, wanted = getattr(single, name), getattr(double, name)
        assert np.allclose(found, wanted, rtol=1e-4, atol=1e-4 * np.abs(wanted).max()), name


@pytest.mark.parametrize(("function", "end"), [(lambda t: 100 * t, 1.0), (lambda t: -100 * t, 0.0)])
def test_a_function_that_leaves_its_range_is_cut_off(function, end):
    assert np.array_equal(history(elbow({"activation": function}), 0).activation[5:], np.full(6, end))
    driven = history(elbow({"excitation": function, "initial": 0.5}), 0).activation
    assert 0 <= driven.min() <= driven.max() <= 1


def test_a_name_of_its_own_is_found_for_each_force():
    scene = elbow()
    upper, lower = (scene.find(name) for name in ("upper", "lower"))
    scene.add_force(rm.SpringDamper(upper, lower, stiffness=1, name="force2"))
    assert scene.add_force(rm.JointDamper(lower, 1.0)).name == "force3"
