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


def turning(joint: rm.Joint, far: float) -> rm.Scene:
    """A body that turns far away, while its centre moves along x."""
    scene, q = rm.Scene(gravity=(0, 0, 0)), joint.coordinates((1, 0, 0, 0), (far, 0, 0))
    scene.add_body(rm.Cuboid((1, 0.6, 0.3), mass=1), joint=joint, q=q, qdot=joint.rates(q, (0.3, 2, 1, 1, 0, 0)), name="probe")
    return scene


@pytest.mark.parametrize("integrator", ["euler", "implicit"])
def test_steps_of_a_fixed_length_that_go_astray_are_warned_of(integrator):
    """At 1 km by many sizes of the body; Free3D by little."""
    with pytest.warns(rm.RedmaxWarning, match="steps of a fixed length err by parts of the distance. Use Free3D"):
        run = rm.simulate(turning(rm.Free(), 1000.0), 1.0, 0.01, integrator=integrator)
    assert np.linalg.norm(run.pose("probe")[-1, :3, 3] - [1001, 0, 0]) > 10
    with warnings.catch_warnings():
        warnings.simplefilter("error", rm.RedmaxWarning)
        for near in (rm.simulate(turning(joint, 0.0), 1.0, 0.01, integrator=integrator) for joint in (rm.Free(), rm.Free3D())):
            assert np.linalg.norm(near.pose("probe")[-1, :3, 3] - [1, 0, 0]) < 0.2


def test_short_floats_take_an_atol_below_their_roundings():
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((1, 0.1, 0.1)), joint=rm.Revolute("y"), com=(0.5, 0, 0))
    exact = rm.simulate(scene, 0.5, 0.1).q[-1]
    assert np.allclose(rm.simulate(scene, 0.5, 0.1, dtype="float32", atol=1e-9).q[-1], exact, rtol=1e-4)


@pytest.mark.parametrize("scene", [probe(rm.Free(), 100), probe(rm.Free(), 0, at=(1e5, 0, 0)), probe(rm.Free3D(), 1e6)])
def test_nothing_is_said_where_nothing_is_lost(scene):
    with warnings.catch_warnings():
        warnings.simplefilter("error", rm.RedmaxWarning)
        rm.Simulation(scene, backend="interpret")


def test_bdf2_whose_newton_fails_there_is_warned_of():
    with pytest.warns(rm.RedmaxWarning, match="Use Free3D"):
        rm.Simulation(turning(rm.Free(), 1000.0), dt=0.01, integrator="bdf2", backend="interpret")
