"""Free carries bodies far away only with a warning: it loses digits as (distance / size)^2; Free3D does not."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import redmax as rm


def probe(joint: rm.Joint, far: float, rate: float = 0.0, **options: Any) -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, 0))
    q, qdot = ((0, 0, 0, far, 0, 0), (0, 0, 0, rate, 0, 0)) if isinstance(joint, rm.Free) else ((far, 0, 0, 0, 0, 0), (rate, 0, 0, 0, 0, 0))
    scene.add_body(rm.Cuboid((1, 0.6, 0.3), mass=1), joint=joint, q=q, qdot=qdot, name="probe", **options)
    return scene


def rate_of_twist(joint: rm.Joint, far: float) -> np.ndarray:
    """How the angular velocity changes of a body that turns about its resting centre."""
    scene, omega = probe(joint, far), np.array([1.0, 2.0, 0.5])
    dynamics = rm.Dynamics(scene, backend="interpret")
    q, place = scene.model().q0, np.array([far, 0.0, 0.0])
    qdot = np.concatenate([omega, np.cross(place, omega)] if isinstance(joint, rm.Free) else [np.zeros(3), omega])
    J, Jdot = dynamics.jacobian(q, qdot)
    return (J @ dynamics.forward(q, qdot, np.zeros(6)) + Jdot @ qdot)[:3]


def test_digits_are_lost_as_the_square_of_the_distance():
    """What the warning says; Euler's equations do not know where a body is."""
    exact = rate_of_twist(rm.Free3D(), 0.0)
    lost = {far: np.abs(rate_of_twist(rm.Free(), far) - exact).max() for far in (100.0, 1e4)}
    assert 1e-13 < lost[100.0] < 1e-10
    assert 1e-9 < lost[1e4] < 1e-6
    assert np.abs(rate_of_twist(rm.Free3D(), 1e4) - exact).max() < 1e-14


@pytest.mark.parametrize(
    ("far", "rate", "options"),
    [(1000, 0, {}), (300, 0, {"rtol": 1e-10}), (0, 1e5, {"integrator": "euler"}), (100, 0, {"dtype": "float32"})],
)
def test_a_warning_says_so_once_at_the_line_that_runs_it(far, rate, options):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", rm.RedmaxWarning)
        rm.simulate(probe(rm.Free(), far, rate), 0.1, 0.1, backend="interpret", **options)
    (one,) = [w for w in told if issubclass(w.category, rm.RedmaxWarning)]
    assert one.filename == __file__
    assert "Use Free3D" in str(one.message)
    assert "'probe'" in str(one.message)


@pytest.mark.parametrize("scene", [probe(rm.Free(), 100), probe(rm.Free(), 0, at=(1e5, 0, 0)), probe(rm.Free3D(), 1e6)])
def test_nothing_is_said_where_nothing_is_lost(scene):
    with warnings.catch_warnings():
        warnings.simplefilter("error", rm.RedmaxWarning)
        rm.Simulation(scene, backend="interpret")
