"""What leaves its group during a run ends it, in a sentence that says when, by how much, and what there should be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import redmax as rm

BOX = rm.Cuboid((0.3, 0.2, 0.1), density=1000)
cos, sin, maximum = rm.math.cos, rm.math.sin, rm.math.maximum
LATE = 0.205  # s, when motions leave


def quaternion(t: Any) -> list[Any]:
    return [cos(t / 2), 0.0, 0.0, sin(t / 2) + maximum(t - LATE, 0.0)]


def matrix(t: Any) -> list[Any]:
    return [cos(t), 0.0 - sin(t), 0.0, sin(t), cos(t) + maximum(t - LATE, 0.0), 0.0, 0.0, 0.0, 1.0]


def led(form: str, motion: Any) -> rm.Scene:
    """A box that is led, from which another hangs."""
    scene = rm.Scene()
    box = scene.add_body(BOX, joint=rm.Spherical(form), motion=motion, name="led")  # type: ignore[arg-type]
    scene.add_body(BOX, parent=box, joint=rm.Revolute("x"), at=(0, 0, -0.2), com=(0, 0, -0.2), name="hangs")
    return scene


@pytest.mark.parametrize(
    ("integrator", "form", "every"),
    [("adaptive", "quaternion", 1), ("rk4", "matrix", 1), ("bdf2", "quaternion", 10), ("generalized-alpha", "matrix", 1),
     ("variational", "quaternion", 1)],
)  # fmt: skip
def test_a_motion_that_leaves_its_group_ends_the_run(integrator: str, form: str, every: int) -> None:
    motion, dt = (quaternion if form == "quaternion" else matrix), 0.01 / every
    with pytest.raises(rm.SimulationError, match=r"The motion of joint 'led' is off its group at t = 0\.2") as caught:
        rm.simulate(led(form, motion), 0.5, dt, integrator=integrator, every=every, progress=False)
    run = caught.value.trajectory
    assert run is not None
    assert run.t[-1] == pytest.approx(0.2)
    assert np.abs(rm.Spherical(form).pose(run.q[-1, :-1])[:3, 0] - [np.cos(0.2), np.sin(0.2), 0]).max() < 1e-4  # type: ignore[arg-type]
    said = caught.value.reason
    assert "which is off by 0.00" in said
    assert "broke off at t = 0.2 s" in said
    assert ("of length 1, to 1e-06" in said and "Divide" in said) if form == "quaternion" else "R' R = 1" in said
    assert run.failure is not None
    assert run.failure.joint == "led"


def test_a_motion_may_be_off_by_what_files_leave_of_its_digits() -> None:
    run = rm.simulate(led("quaternion", lambda t: [1.0, 0, 0, 1e-7]), 0.1, 0.01, integrator="rk4", progress=False)
    assert run.failure is None


def test_portions_steps_and_worlds() -> None:
    """One that leaves between two samples and comes back; steps by hand; a batch, none of whose worlds is left."""
    away = led("quaternion", lambda t: [cos(t), 0, 0, sin(t) + sin(10 * np.pi * t) ** 2])
    with pytest.raises(rm.SimulationError, match=r"is off its group at t = 0\.01 s"):
        rm.simulate(away, 1.0, 0.01, integrator="rk4", every=10, progress=False)
    sim = rm.Simulation(led("quaternion", quaternion), dt=0.01, integrator="rk4")
    sim.step(20)
    with pytest.raises(rm.SimulationError, match="off its group"):
        sim.step()
    model = led("quaternion", quaternion).model()
    worlds = rm.State(0.0, np.tile(model.q0, (2, 1)), np.tile(model.qdot0, (2, 1)))
    with pytest.raises(rm.SimulationError, match="No world is left"):
        rm.simulate(model, 0.5, 0.01, integrator="rk4", initial=worlds, progress=False)


class Swells(rm.Spherical):
    """A ball joint with a mistake: once it is turned by some angle it grows with every step, by more than a correction takes back."""

    def retract(self, q: Any, delta: Any) -> Any:
        found = super().retract(q, delta)
        return found * rm.math.where(abs(found[3]) > 0.1, 1.01, 1.0)


def test_a_joint_that_does_not_stay_ends_its_world_alone() -> None:
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(BOX, joint=Swells("quaternion"), name="swells", check_joint=False)
    model = scene.model()
    rates = np.array([[0, 0, 0.1], [0, 0, 1.0]])
    state = rm.State(0.0, np.tile(model.q0, (2, 1)), rates)
    with pytest.warns(rm.RedmaxWarning, match="1 of 2 worlds broke off"):
        run = rm.simulate(model, 0.5, 0.01, integrator="rk4", initial=state, progress=False)
    assert np.isfinite(run.q[:, 0]).all()
    assert not np.isfinite(run.q[-1, 1]).any()
    (failure,) = run.failures
    assert failure.world == (1,)
    assert failure.joint == "swells"
    assert 0.19 < failure.t < 0.22
    assert "has left its group" in failure.reason
    assert "retract" in failure.reason
    assert "off by 0.0" in failure.reason
