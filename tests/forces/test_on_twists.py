"""Damping and torque along the angular velocity: energy falls as |w|^2 says, whatever the coordinates, across changes of charts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson

import redmax as rm

BODY = rm.Cuboid((0.3, 0.2, 0.1), mass=2.0)
LONG = pytest.mark.long


def spinning(joint, damping=0.05, **given) -> rm.Scene:
    """A body on a joint beneath another, so that the twist is relative; it turns more than once."""
    scene = rm.Scene()
    base = scene.add_body(rm.Sphere(0.1, mass=3.0), joint=rm.Revolute((1, 2, 2)), qdot=2.0, name="base", com=(0, 0.1, 0))
    qdot = joint.rates(np.zeros(joint.dof), np.array([1.0, 7.0, 2.0, 0.3, -0.2, 0.1]))
    scene.add_body(BODY, joint=joint, parent=base, at=(0.1, 0, 0.2), com=(0.05, 0.1, 0), qdot=qdot, name="top", damping=damping, **given)
    return scene


@pytest.mark.parametrize("joint", [rm.SphericalEuler("XYZ"), *[pytest.param(j, marks=LONG) for j in (rm.Spherical(), rm.Free())]])
def test_energy_falls_as_the_twist_says(joint):
    run = rm.simulate(spinning(joint, acts_on="twist"), 1.5, rtol=1e-9, every=1, dt=2e-3, progress=False)
    V = joint.twist(run.configurations[:, 1:], run.qdot[:, 1:])
    lost = cumulative_simpson(-0.05 * (V * V).sum(axis=-1), x=run.t, initial=0.0)
    assert np.abs(run.energy.total - run.energy.total[0] - lost).max() < 1e-6 * np.abs(lost[-1])
    assert np.abs(run.q[:, 1:4]).max() > 1.5  # far enough for other coordinates to differ


@pytest.mark.long
def test_all_coordinates_of_a_ball_move_alike():
    """Exponential coordinates and Euler angles that change their charts: one motion, also with a torque along the twist."""

    def torque(t, q, w):
        return [0.3 * rm.math.sin(3.0 * t), 0.1 - 0.02 * w[2], -0.05]

    balls = rm.Spherical(), rm.SphericalEuler("XYZ")
    runs = [rm.simulate(spinning(j, acts_on="twist", torque=torque), 0.8, rtol=1e-9, progress=False) for j in balls]
    assert np.allclose(runs[0].pose("top")[-1], runs[1].pose("top")[-1], atol=1e-6)


def test_forces_of_their_own_act_as_the_joint_does():
    """JointDamper and Actuator along the twist equal damping and torque of the joint; beside them others still act on the rates."""

    def torque(t, q, w):
        return [0.3 * t, 0.1 - 0.02 * w[2], -0.05 * w[0]]

    scene, other = spinning(rm.Spherical(), acts_on="twist", torque=torque), spinning(rm.Spherical(), damping=0.02)
    other.add_force(rm.JointDamper("top", 0.05, acts_on="twist"))
    other.add_force(rm.Actuator("top", torque, acts_on="twist"))
    scene.add_force(rm.JointDamper("top", 0.02))
    q, qdot = np.array([0.3, 1.0, 2.0, -1.0]), np.array([2.0, 3.0, -1.0, 4.0])
    first, second = (rm.Dynamics(s.model(), "interpret").forward(q, qdot, t=0.7) for s in (scene, other))
    assert np.allclose(first, second, rtol=1e-13)
    runs = [rm.simulate(s, 0.01, dt=5e-3, integrator="euler", backend="interpret", progress=False) for s in (scene, other)]
    assert np.allclose(runs[0].torques.total, runs[1].torques.total, rtol=1e-12)
    for run in runs:
        assert np.allclose(sum(run.torques[name] for name in run.torques.driving("top")), run.torques.of("top"), rtol=1e-12)
    bare = rm.Dynamics(spinning(rm.Spherical(), damping=0.0).model(), "interpret")
    joint = rm.Spherical()
    w = joint.twist(q[1:], qdot[1:])[:3]
    tau = joint.generalised_force(q[1:], np.array(torque(0.7, q[1:], w)) - 0.05 * w) - 0.02 * qdot[1:]
    assert np.allclose(bare.forward(q, qdot, np.array([0.0, *tau])), first, rtol=1e-12)


@pytest.mark.parametrize(
    ("integrator", "name"),
    [("implicit", "recursive"), *[pytest.param(*x, marks=LONG) for x in (("bdf1", "recursive"), ("implicit", "maximal"))]],
)
def test_implicit_steps_converge_with_strong_damping(integrator, name):
    scene = spinning(rm.Spherical(), damping=(2.0, 0.5, 1.0), acts_on="twist")
    exact = rm.simulate(scene, 0.05, rtol=1e-9, progress=False).q[-1]
    runs = [rm.simulate(scene, 0.05, dt=dt, integrator=integrator, dynamics=name, progress=False) for dt in (2e-3, 1e-3)]
    coarse, fine = (np.abs(run.q[-1] - exact).max() for run in runs)
    assert fine < 0.6 * coarse < 0.05


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda s: s.add_body(BODY, joint=rm.Revolute("y"), acts_on="twist"), "which ball joints and free ones have; Revolute has 1 rates"),
        (lambda s: s.add_body(BODY, joint=rm.Spherical(), acts_on="axes"), "Valid: 'rates', 'twist'"),
        (lambda s: s.add_force(rm.JointDamper("base", 1.0, acts_on="twist")), "Use 'rates'"),
        (lambda s: s.add_force(rm.JointDamper("base", 1.0, acts_on="turn")), "Valid: 'rates', 'twist'"),
    ],
)
def test_twists_that_a_joint_does_not_have_get_a_sentence(make, said):
    with pytest.raises(rm.SceneError, match=said):
        make(spinning(rm.Spherical()))
