"""What can be read off a run, each against its definition."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import redmax as rm
from simulate.scenes import arm, batch, pendulum

SHAPES = [(), (2, 3)]
DT = 2e-4


@cache
def sampled(shape: tuple[int, ...] = ()) -> rm.Trajectory:
    model = arm().model()
    start = rm.State(0.0, model.q0, model.qdot0) if shape == () else batch(model, *shape)
    return rm.simulate(model, 500 * DT, DT, rtol=1e-11, initial=start)


def central(values: np.ndarray, dt: float) -> np.ndarray:
    """Derivative by the five-point rule, without the two samples at each end."""
    return (values[:-4] - 8 * values[1:-3] + 8 * values[3:-1] - values[4:]) / (12 * dt)


@pytest.mark.parametrize("shape", SHAPES)
def test_energy_is_that_of_the_bodies(shape):
    """1/2 m v^2 + 1/2 w I w of each body, its height, and the spring."""
    run = sampled(shape)
    kinetic, potential = np.zeros(run.q.shape[:-1]), 0.5 * 50.0 * run.coordinates("slide")[..., 0] ** 2
    for link in run.model.links:
        twist = run.twist(link.name)
        kinetic += 0.5 * link.shape.mass * (twist[..., 3:] ** 2).sum(-1)
        kinetic += 0.5 * np.einsum("...i,ij,...j->...", twist[..., :3], link.shape.inertia, twist[..., :3])
        potential += link.shape.mass * 9.81 * run.pose(link.name)[..., 2, 3]
    np.testing.assert_allclose(run.energy.kinetic, kinetic, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(run.energy.potential, potential, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(run.energy.total, kinetic + potential, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_drift_is_the_change_beside_the_largest_kinetic_energy(shape):
    energy = sampled(shape).energy
    expected = np.abs(energy.total - energy.total[0]) / energy.kinetic.max(axis=0)
    np.testing.assert_allclose(energy.drift, expected, rtol=1e-14)
    assert (energy.drift[0] == 0.0).all()
    assert energy.drift.shape == energy.total.shape


def test_drift_of_a_body_at_rest_is_no_division_by_zero():
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1))
    drift = rm.simulate(scene, 0.1).energy.drift
    assert (drift == 0.0).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_momentum_is_the_sum_over_the_bodies(shape):
    run = sampled(shape)
    linear, angular = np.zeros((*run.q.shape[:-1], 3)), np.zeros((*run.q.shape[:-1], 3))
    for link in run.model.links:
        E, twist = run.pose(link.name), run.twist(link.name)
        R, x = E[..., :3, :3], E[..., :3, 3]
        p = link.shape.mass * np.einsum("...ij,...j->...i", R, twist[..., 3:])
        linear += p
        angular += np.cross(x, p) + np.einsum("...ij,jk,...k->...i", R, link.shape.inertia, twist[..., :3])
    np.testing.assert_allclose(run.momentum, np.concatenate([angular, linear], axis=-1), atol=1e-13)


@pytest.mark.parametrize("name", ["upper", "lower", "bob"])
def test_twists_are_the_rates_of_the_poses(name):
    """E^-1 dE/dt, in body axes."""
    run = sampled()
    E, twist = run.pose(name), run.twist(name)
    rate = np.linalg.inv(E[2:-2]) @ central(E, DT)
    found = np.stack([rate[:, 2, 1], rate[:, 0, 2], rate[:, 1, 0], rate[:, 0, 3], rate[:, 1, 3], rate[:, 2, 3]], axis=1)
    np.testing.assert_allclose(found, twist[2:-2], atol=1e-7)
    np.testing.assert_allclose(E[:, :3, :3] @ E[:, :3, :3].transpose(0, 2, 1), np.broadcast_to(np.eye(3), (501, 3, 3)), atol=1e-13)
    np.testing.assert_array_equal(E[:, 3], np.broadcast_to([0, 0, 0, 1], (501, 4)))


@pytest.mark.parametrize("shape", SHAPES)
def test_accelerations_are_the_rates_of_the_rates(shape):
    run = sampled(shape)
    np.testing.assert_allclose(run.qddot[2:-2], central(run.qdot, DT), atol=1e-5)
    np.testing.assert_array_equal(run.torque, np.zeros_like(run.q))


def test_a_hanging_body_is_held_by_its_weight():
    """At rest, straight down: the hinge carries the weight, along the bar, and no moment."""
    run = rm.simulate(pendulum(q=np.pi / 2), 0.1)
    np.testing.assert_allclose(run.reaction("hinge"), np.broadcast_to([0, 0, 0, -9.81, 0, 0], (11, 6)), atol=1e-12)
    np.testing.assert_array_equal(run.reaction("bar"), run.reaction("hinge"))


def test_a_fixed_body_is_held_by_weight_and_moment():
    scene = rm.Scene()
    E = np.eye(4)
    E[:3, :3] = rm.rotation_about("x", np.pi / 2)  # the joint frame's z points along -y of the world
    scene.add_body(rm.Sphere(0.1, mass=2.0), at=E, com=(0.5, 0, 0), name="shelf")
    force = E[:3, :3].T @ [0.0, 0.0, 2.0 * 9.81]
    moment = np.cross([0.5, 0, 0], force)
    run = rm.simulate(scene, 0.05)
    np.testing.assert_allclose(run.reaction("shelf"), np.broadcast_to([*moment, *force], (6, 6)), atol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_reaction_at_the_root_is_what_changes_the_momentum(shape):
    """d/dt of the momentum = weight + reaction, about the joint at the world's origin; by differences in time."""
    run = sampled(shape)
    R = run.pose("upper")[..., :3, :3]  # the body frame is a shift of the joint frame
    reaction = run.reaction("shoulder")
    moment, force = (np.einsum("...ij,...j->...i", R, part) for part in (reaction[..., :3], reaction[..., 3:]))
    for link in run.model.links:
        weight = np.array([0.0, 0.0, -9.81 * link.shape.mass])
        force, moment = force + weight, moment + np.cross(run.pose(link.name)[..., :3, 3], weight)
    rate = central(run.momentum, DT)
    np.testing.assert_allclose(np.concatenate([moment, force], axis=-1)[2:-2], rate, atol=1e-5)


def test_the_reaction_along_a_joint_is_what_drives_it():
    """S^T F: the torque function, spring and damper of the joint."""
    run = sampled()
    t = run.t
    elbow = 0.3 * np.cos(4.0 * t) - 0.02 * run.qdot[:, 3]
    np.testing.assert_allclose(run.reaction("elbow")[:, 1], elbow, atol=1e-9)
    np.testing.assert_allclose(run.reaction("slide")[:, 3], -50.0 * run.q[:, 4], atol=1e-9)


def test_coordinates_by_name_of_joint_or_body():
    run = sampled()
    np.testing.assert_array_equal(run.coordinates("shoulder"), run.q[:, :3])
    np.testing.assert_array_equal(run.coordinates("upper"), run.q[:, :3])
    np.testing.assert_array_equal(run.coordinates("slide"), run.q[:, 4:])
    for read in (run.coordinates, run.pose, run.twist, run.reaction):
        with pytest.raises(rm.SceneError, match="shoulder"):
            read("sholder")


def test_a_sample_as_a_state():
    run = sampled()
    last, third = run.state(), run.state(3)
    assert last.t == run.t[-1]
    assert third.t == run.t[3]
    np.testing.assert_array_equal(third.q, run.q[3])
    np.testing.assert_array_equal(third.qdot, run.qdot[3])
    assert last.chart == {"shoulder": "exp"}


def test_worlds_of_a_batch():
    run = sampled((2, 3))
    one = run.world((1, 2))
    assert one.q.shape == (501, 5)
    np.testing.assert_array_equal(one.q, run.q[:, 1, 2])
    np.testing.assert_allclose(one.energy.total, run.energy.total[:, 1, 2], rtol=1e-13)
    row = run.world(1)
    assert row.q.shape == (501, 3, 5)
    np.testing.assert_array_equal(row.world(0).qdot, run.qdot[:, 1, 0])
    np.testing.assert_array_equal(one.t, run.t)
    assert one.state().q.shape == (5,)


def test_pages_and_plots_show_one_world(tmp_path):
    model = arm().model()
    run = rm.simulate(model, 0.1, initial=batch(model, 4))
    for show in (run.html, run.plot):
        with pytest.raises(rm.RedmaxError, match=r"run\.world\(i\)"):
            show(tmp_path / "never")
    assert run.world(2).html(tmp_path / "one.html").exists()
    assert not (tmp_path / "never").exists()


def test_bodies_without_a_shape_are_left_out_of_the_page(tmp_path):
    scene = rm.Scene()
    scene.add_body(rm.MassProperties(1.0, np.eye(3) * 0.1), joint=rm.Revolute("y"), com=(0.1, 0, 0), name="unseen")
    scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("y"), com=(0.1, 0, 0), name="seen")
    text = rm.simulate(scene, 0.1).html(tmp_path / "run.html").read_text("utf-8")
    assert '"seen"' in text


def test_one_world_of_a_batch_has_its_own_joint_drift():
    """Each world's joints, as constraints, are open by their own amounts."""
    start = rm.State(0.0, np.array([[0.1], [1.2]]), np.array([[0.0], [3.0]]))
    run = rm.simulate(pendulum(), 0.1, 0.01, integrator="euler", dynamics="maximal", initial=start)
    assert run.joint_drift is not None
    assert run.joint_drift.shape == (11, 2, 1)
    one = run.world(1)
    assert one.joint_drift is not None
    np.testing.assert_array_equal(one.joint_drift, run.joint_drift[:, 1])
    assert one.joint_drift.max() > 0
