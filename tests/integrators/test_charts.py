"""Rotations through many full turns: the coordinates change, the motion does not."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest

import redmax as rm
from integrators.reference import free_rotation

OMEGA = np.array([1.0, 7.0, -3.0])  # rad/s, unsteady: near no principal axis
BRICK = rm.Cuboid((0.4, 0.1, 0.25), mass=1.3)
END, DT = 6.0, 4e-3
JOINTS = {"Spherical": rm.Spherical, "Free": rm.Free, "Free3D": rm.Free3D}
ROTATION = {"Spherical": slice(0, 3), "Free": slice(0, 3), "Free3D": slice(3, 6)}


def top(kind: str, omega: np.ndarray = OMEGA) -> rm.Scene:
    """A body that turns freely about its centre."""
    scene = rm.Scene(gravity=(0, 0, 0))
    rates = np.zeros(JOINTS[kind].dof)
    rates[ROTATION[kind]] = omega
    scene.add_body(BRICK, joint=JOINTS[kind](), qdot=rates, name="top")
    return scene


@cache
def expected(samples: int) -> np.ndarray:
    return free_rotation(BRICK.inertia, OMEGA, np.linspace(0.0, END, samples))


def turns(q: np.ndarray) -> int:
    """How often the coordinates were changed: jumps of about a full turn."""
    return int((np.linalg.norm(np.diff(q, axis=0), axis=1) > 3.0).sum())


def error(run: rm.Trajectory) -> np.ndarray:
    return np.abs(run.pose("top")[:, :3, :3] - expected(len(run))).max(axis=(1, 2))


@pytest.mark.parametrize(
    ("kind", "name", "tolerance"),
    [("Spherical", "rk4", 1e-6), ("Spherical", "adaptive", 1e-7), ("Free", "rk4", 1e-6), ("Free3D", "adaptive", 1e-7)],
)
def test_a_free_top_turns_as_eulers_equations_say(kind, name, tolerance):
    """Against a quaternion, over 40 rad and many changes of coordinates."""
    run = rm.simulate(top(kind), END, DT / 2, integrator=name, rtol=1e-9, every=2)
    q = run.q[:, ROTATION[kind]]
    assert turns(q) >= 5
    assert np.linalg.norm(q, axis=1).max() < 1.6 * np.pi
    assert error(run).max() < tolerance
    assert run.energy.drift.max() < tolerance
    np.testing.assert_allclose(run.momentum, np.broadcast_to(run.momentum[0], run.momentum.shape), atol=tolerance)


@pytest.mark.parametrize("name", ["euler", "forward-euler"])
def test_eulers_methods_follow_the_top_at_first_order(name):
    errors = []
    for k in (1, 2, 4):
        run = rm.simulate(top("Spherical"), END, 4e-4 / k, integrator=name, every=10 * k)
        assert turns(run.q) >= 5
        errors.append(error(run)[-1])
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.3)
    assert errors[1] / errors[2] == pytest.approx(2.0, abs=0.2)


@pytest.mark.parametrize(
    ("kind", "name"), [("Spherical", "euler"), ("Spherical", "forward-euler"), ("Free", "rk4"), ("Free3D", "adaptive")]
)
def test_no_jump_where_coordinates_change(kind, name):
    """From one sample to the next the pose turns by |w| dt and no more, and the twist hardly changes."""
    run = rm.simulate(top(kind), 2.0, 1e-3, integrator=name)
    assert turns(run.q[:, ROTATION[kind]]) >= 1
    R, w = run.pose("top")[:, :3, :3], run.twist("top")[:, :3]
    trace = np.einsum("tij,tij->t", R[:-1], R[1:])
    angle = np.arccos(np.clip((trace - 1.0) / 2.0, -1.0, 1.0))
    np.testing.assert_allclose(angle, np.linalg.norm(w[:-1], axis=1) * 1e-3, rtol=0.02)
    assert np.abs(np.diff(w, axis=0)).max() < 60.0 * 1e-3


def test_a_body_thrown_while_it_turns():
    """Gravity, a centre of mass beside the joint frame: the centre flies a parabola and the rotation is that of the free top."""
    scene = rm.Scene()
    shift = np.array([0.2, -0.1, 0.05])
    scene.add_body(BRICK, joint=rm.Free3D(), com=shift, qdot=[0.3, 0.2, 4.0, *OMEGA], name="top")
    run = rm.simulate(scene, END, DT, rtol=1e-10)
    assert turns(run.q[:, 3:]) >= 5
    assert error(run).max() < 1e-7
    t, v = run.t[:, None], np.array([0.3, 0.2, 4.0]) + np.cross(OMEGA, shift)
    np.testing.assert_allclose(run.pose("top")[:, :3, 3], shift + v * t + 0.5 * np.array([0, 0, -9.81]) * t**2, atol=1e-6)


def spherical_chain() -> rm.Scene:
    """Two links on spherical joints, spun up so that both turn over and over."""
    scene = rm.Scene()
    first = scene.add_body(rm.Cuboid((0.3, 0.1, 0.05), mass=1.0), joint=rm.Spherical(), com=(0.15, 0, 0), qdot=(9.0, 2.0, 4.0))
    scene.add_body(
        rm.Cuboid((0.3, 0.05, 0.1), mass=0.5), joint=rm.Spherical(), parent=first, at=(0.3, 0, 0), com=(0.15, 0, 0), qdot=(-15.0, 3.0, 1.0)
    )
    return scene


def test_energy_stays_while_two_joints_change_coordinates():
    adaptive = rm.simulate(spherical_chain(), 4.0, 2e-3, rtol=1e-9)
    assert turns(adaptive.q[:, :3]) >= 2
    assert turns(adaptive.q[:, 3:]) >= 2
    assert adaptive.energy.drift.max() < 1e-8
    rk4 = rm.simulate(spherical_chain(), 4.0, 5e-4, integrator="rk4")
    assert rk4.energy.drift.max() < 1e-6


def spun(worlds: int) -> rm.State:
    """Some turn fast, some slowly, some not at all."""
    rates = np.zeros((worlds, 6))
    rates[:, :3] = np.linspace(0.0, 1.0, worlds)[:, None] * [2.0, 8.0, -1.0]
    rates[:, 3:] = np.linspace(1.0, 0.0, worlds)[:, None] * [5.0, 1.0, 9.0]
    return rm.State(0.0, np.full((worlds, 6), 0.1), rates)


@pytest.mark.parametrize("name", ["rk4", pytest.param("euler", marks=pytest.mark.long), "adaptive"])
def test_worlds_of_a_batch_change_coordinates_each_by_itself(name):
    """Lanes in which some worlds change and others never do, against each world alone."""
    model, start = spherical_chain().model(), spun(11)
    together = rm.simulate(model, 1.0, 1e-3, integrator=name, initial=start)
    numbers = [turns(together.q[:, w, :3]) + turns(together.q[:, w, 3:]) for w in range(11)]
    assert len(set(numbers)) > 2
    for w in range(11):
        alone = rm.simulate(model, 1.0, 1e-3, integrator=name, initial=rm.State(0.0, start.q[w], start.qdot[w]))
        tolerance = 1e-6 if name == "adaptive" else 1e-10
        np.testing.assert_allclose(together.q[:, w], alone.q, atol=tolerance)
        np.testing.assert_allclose(together.qdot[:, w], alone.qdot, atol=10 * tolerance)


@pytest.mark.parametrize("name", ["rk4", "euler", "forward-euler", "adaptive"])
def test_a_start_with_more_than_a_turn(name):
    """The same orientation as a turn less: nothing is singular in the motion itself."""
    model = top("Spherical").model()
    for axis, angle in product(np.array([(1, 0, 0), (2 / 3, -1 / 3, 2 / 3)]), np.pi * np.array([1.6, 1.95, 2.0, 2.05, 3.0])):
        wound = rm.State(0.0, angle * axis, 2.0 * axis)  # along the axis, so that the rates are the same in both coordinates
        plain = rm.State(0.0, (angle - 2.0 * np.pi) * axis, 2.0 * axis)
        runs = [rm.simulate(model, 0.5, 5e-3, integrator=name, initial=s) for s in (wound, plain)]
        np.testing.assert_allclose(runs[0].pose("top"), runs[1].pose("top"), atol=1e-6, err_msg=f"{angle} about {axis}")
