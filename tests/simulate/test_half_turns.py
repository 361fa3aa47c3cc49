"""The sentence on bodies that turn by more than half a turn in a step of Euler's methods."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import redmax as rm
from redmax.run.half_turns import half_turns

DT = 2e-3
JOINTS = {"Free": rm.Free(), "Free3D": rm.Free3D(), "pose": rm.Free("pose"), "Spherical": rm.Spherical("matrix"), "exp": rm.Spherical()}


def spun(name: str, speed: float) -> rm.Scene:
    """A ball that spins so fast (rad/s)."""
    scene, joint = rm.Scene(gravity=(0, 0, 0)), JOINTS[name]
    rates = np.zeros(joint.dof)
    rates[5 if name == "Free3D" else 2] = speed
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=joint, qdot=rates, name="ball")
    return scene


def said(scene: rm.Scene, **options: object) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rm.simulate(scene, 0.02, DT, **options)  # type: ignore[arg-type]
    return [str(w.message) for w in caught]


@pytest.mark.parametrize("integrator", ["euler", "implicit"])
@pytest.mark.parametrize("name", JOINTS)
def test_more_than_half_a_turn_in_a_step_is_told(name, integrator):
    assert not said(spun(name, 0.98 * np.pi / DT), integrator=integrator)
    (sentence,) = said(spun(name, 1.02 * np.pi / DT), integrator=integrator)
    for part in ("'ball'", "half a turn in one step of dt = 0.002", "1.6e+03 rad/s at t = 0 s", "Take dt=0.0004 or less"):
        assert part in sentence


def test_those_that_choose_their_steps_need_no_such_sentence():
    assert not said(spun("pose", 2000.0), integrator="adaptive")


def test_in_a_batch_one_world_is_enough_and_each_body_is_told_of_once():
    model = spun("Free3D", 0.0).model()
    qdot = np.zeros((8, 6))
    qdot[5, 4] = 1.1 * np.pi / DT
    sentences = said(model, integrator="implicit", initial=rm.State(0.0, np.zeros((8, 6)), qdot))  # type: ignore[arg-type]
    assert len(sentences) == 1


def test_what_speeds_up_is_told_of_when_it_does():
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Spherical("quaternion"), torque=lambda t, q, qdot: [0, 0, 800.0], name="ball")
    with pytest.warns(rm.RedmaxWarning, match="more than half a turn") as caught:
        rm.simulate(scene, 0.02, DT, integrator="euler")
    inertia = 0.4 * 0.1**2
    first = np.ceil(np.pi / DT / (800.0 / inertia) / DT) * DT
    assert f"at t = {first:.6g} s" in str(caught[0].message)


def test_rates_of_coordinates_that_are_larger_than_the_turn_are_no_reason():
    """Near a whole turn, exponential coordinates change faster than the body turns."""
    sim = rm.Simulation(spun("exp", 0.0), dt=DT, integrator="euler")
    q = np.array([3.0, 0, 0])
    rates = np.linalg.solve(rm.Spherical().jacobian(q)[:3].astype(float), [0, 0, 0.9 * np.pi / DT])
    assert np.linalg.norm(rates) * DT > np.pi
    assert not half_turns(sim, q[None, None], rates[None, None], np.zeros(1))
    assert "ball" in half_turns(sim, q[None, None], 1.2 * rates[None, None], np.zeros(1))
