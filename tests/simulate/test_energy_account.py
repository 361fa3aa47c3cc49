"""What the integrator did to the energy is told apart from what forces did, and a run says why and what keeps it."""

from __future__ import annotations

import re

import numpy as np
import pytest

import redmax as rm
from redmax.run.energy_account import energy_account, power
from redmax.run.summary import summary_lines


def pendulum(damping: float = 0.0, torque=None, stiffness: float = 0.0) -> rm.Scene:
    scene = rm.Scene(title="pendulum")
    how = {"damping": damping, "torque": torque, "stiffness": stiffness, "rest": 0.0}
    scene.add_body(rm.Sphere(0.1, mass=2.0), joint=rm.Revolute("y"), com=(0.5, 0, 0), q=0.3, **how)
    return scene


def sprung() -> rm.Scene:
    return pendulum(stiffness=30.0)


@pytest.mark.parametrize("integrator", ["implicit", "bdf1"])
def test_a_loss_of_the_method_is_explained_and_one_of_a_damper_is_not(integrator):
    loss = energy_account(rm.simulate(sprung(), 2.0, 0.02, integrator=integrator))
    for text in (f"{integrator} itself lost about", "damps", "Less is lost with a shorter dt", "'adaptive' keeps it"):
        assert text in loss
    damped = rm.simulate(pendulum(0.4), 6.0, 0.05, integrator="rk4")
    assert damped.energy.total[-1] < damped.energy.total[0] - 0.3 * damped.energy.kinetic.max()
    assert energy_account(damped) == ""
    assert energy_account(rm.simulate(sprung(), 2.0, 0.02, integrator="rk4")) == ""


def test_the_power_is_that_of_dampers_and_drives():
    """-d qdot^2 + tau qdot, which the pendulum's own energy does not show."""
    run = rm.simulate(pendulum(0.2, lambda t, q, qdot: 0.7 + 0 * q), 1.0, 0.01, integrator="rk4")
    qdot = run.qdot[:, 0]
    np.testing.assert_allclose(power(run), -0.2 * qdot**2 + 0.7 * qdot, rtol=1e-6, atol=1e-7)


def test_the_share_is_what_is_missing_of_the_exact_energy():
    run = rm.simulate(sprung(), 2.0, 0.02, integrator="implicit")
    lost = (run.energy.total[0] - run.energy.total[-1]) / run.energy.kinetic.max()
    assert lost > 1
    assert f"about {lost:.2g} times the largest kinetic energy" in energy_account(run)
    summary = run.summary()
    assert "pendulum" in summary
    assert "energy lost  implicit itself" in summary
    assert "energy lost" not in rm.simulate(pendulum(), 1.0, 0.05).summary()


def test_what_half_the_step_leaves_is_said_where_it_is_so():
    short, half = (rm.simulate(sprung(), 1.0, dt, integrator="implicit") for dt in (0.004, 0.002))
    lost = [(run.energy.total[0] - run.energy.total[-1]) / run.energy.kinetic.max() for run in (short, half)]
    assert "Half the dt leaves about half of it" in energy_account(short)
    assert 0.4 < lost[1] / lost[0] < 0.6


def test_without_springs_none_is_blamed():
    said = energy_account(rm.simulate(pendulum(), 5.0, 0.1, integrator="implicit"))
    assert "implicit itself" in said
    assert "springs" not in said


def test_explicit_steps_that_add_energy_say_so():
    assert "forward-euler itself added" in energy_account(rm.simulate(pendulum(), 2.0, 0.05, integrator="forward-euler"))


def test_the_drift_says_why_it_is_not_what_the_method_did():
    """The one is the largest difference at any sample, the other that of the end."""
    run = rm.simulate(pendulum(), 2.0, 0.05, integrator="forward-euler")
    drift, account = (summary_lines(run, conservative=True)[label] for label in ("energy drift", "energy added"))
    assert drift.endswith("at the sample where it is largest; 'energy added' is what the method did from the beginning to the end")
    assert "itself added" in account
    exact = rm.simulate(pendulum(), 2.0, 0.05)
    assert summary_lines(exact, conservative=True)["energy drift"].endswith("of the largest kinetic energy")


@pytest.mark.parametrize("integrator", ["adaptive", "implicit"])
def test_what_impacts_take_is_not_the_method(integrator):
    """A ball falls until its rope stops it: all that it had is gone, and no tolerance would keep it."""
    scene = rm.Scene()
    ball = scene.add_body(rm.Sphere(0.05, mass=2), joint=rm.Prismatic("z"), q=-0.1, name="ball")
    scene.add_constraint(rm.Rope([(0, 0, 0), ball], length=0.5, name="leash"))
    said = energy_account(rm.simulate(scene, 0.5, 0.001, integrator=integrator, rtol=1e-9))
    assert re.fullmatch(r"Impacts of Rope 'leash' took about (99|100)% of the largest kinetic energy: .*", said)
