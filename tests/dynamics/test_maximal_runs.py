"""Runs in maximal coordinates: steps on the group, and what they do not do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import redmax as rm
from dynamics.bodies import poses
from integrators.scenes import conservative, somersault
from joints.user_joints import Elliptic, paraboloid, torus
from mechanisms import chain
from redmax.dynamics.maximal.runner import MaximalRunner

# Steps on the group


@pytest.mark.parametrize(("integrator", "steps"), [("euler", 300), pytest.param("rk4", 1000, marks=pytest.mark.long)])
def test_rotations_stay_orthonormal_over_many_steps(integrator, steps):
    sim = rm.Simulation(somersault(), dt=2e-3, integrator=integrator, dynamics="maximal")
    sim.advance(steps, sim.torques(), *sim.room(1))
    runner: Any = sim.runner
    R = poses(runner.history.pose[0])[0, :3, :3]
    assert np.abs(R.T @ R - np.eye(3)).max() < 1e-12
    assert np.linalg.det(R) > 0


def test_through_many_turns():
    """Tumbling by more than a full turn: poses follow those of recursive dynamics, whatever the coordinates are called."""
    scene = rm.Scene()
    turn, shift = (1.0, 9.0, 2.0), (0.1, 0.2, 0.3)
    tops = {"Spherical": (turn, slice(0, 3)), "Free": ((*turn, *shift), slice(0, 3)), "Free3D": ((*shift, *turn), slice(3, 6))}
    for joint, (spin, _) in tops.items():
        body = scene.add_body(
            rm.Cuboid((0.3, 0.1, 0.2), mass=1.0), joint=getattr(rm, joint)(), com=(0.05, 0, 0), q=np.zeros(len(spin)), qdot=spin, name=joint
        )
        scene.add_body(rm.Sphere(0.05, mass=0.2), joint=rm.Revolute("y"), parent=body, at=(0.15, 0, 0), com=(0.1, 0, 0), q=0.2)
    model = scene.model()
    exact = rm.simulate(model, 0.8, 0.05, rtol=1e-10)
    run = rm.simulate(model, 0.8, 0.00625, integrator="rk4", dynamics="maximal", every=8)
    for joint, (_, turning) in tops.items():
        angle = np.linalg.norm(run.coordinates(joint)[:, turning], axis=1)
        assert angle.max() < 1.6 * np.pi  # never near the singularity at a full turn
    np.testing.assert_allclose(run.observed.pose, exact.observed.pose, atol=2e-4)
    np.testing.assert_allclose(run.observed.twist, exact.observed.twist, atol=5e-3)


@pytest.mark.parametrize(("joint", "rates"), [(rm.Revolute("y"), 19.0), (rm.Spherical(), (0.0, 19.0, 0.0))])
def test_coordinates_are_found_after_long_steps(joint, rates):
    """A ball that turns by nearly two radians a step, about one axis: its steps are exact, and so are its coordinates."""
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Sphere(0.2, mass=1.0), joint=joint, q=np.zeros(joint.dof), qdot=rates)
    run = rm.simulate(scene, 1.0, 0.1, integrator="euler", dynamics="maximal")
    exact = rm.simulate(scene, 1.0, 0.1, rtol=1e-10)
    np.testing.assert_allclose(run.observed.pose, exact.observed.pose, atol=1e-7)
    assert run.joint_drift is not None
    assert run.joint_drift.max() < 1e-12


@pytest.mark.parametrize(("joint", "spin"), [(rm.Free(), slice(0, 3)), (rm.Free3D(), slice(3, 6)), (rm.Spherical(), slice(0, 3))])
def test_coordinates_that_cannot_be_followed_end_the_run(joint, spin):
    """Steps so long that their errors wind the body up, beyond half a turn a step: never samples whose coordinates are not the body's."""
    rates = np.zeros(joint.dof)
    rates[spin] = (10.0, 49.0, 5.0)
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Cuboid((0.3, 0.2, 0.1)), joint=joint, qdot=rates, name="top")
    with pytest.raises(rm.SimulationError, match=r"beginning in joint 'top' .* Try a smaller dt, such as dt=") as caught:
        rm.simulate(scene, 1.0, 0.01, dynamics="maximal", integrator="implicit")
    drift = caught.value.trajectory.joint_drift
    assert np.nanmax(drift) < 1e-9


@pytest.mark.parametrize(
    ("joint", "q", "qdot"),
    [pytest.param(Elliptic(0.5, 0.3), [0.1], [9.0], marks=pytest.mark.long),
     (rm.joint(torus, 2, radii=np.array([0.6, 0.2])), [0.2, 0.1], [7.0, 5.0]),
     pytest.param(rm.joint(paraboloid, 3, curvature=1.0), [0.2, 0.1, 0.3], [1.0, -1.0, 8.0], marks=pytest.mark.long),
     pytest.param(rm.Universal(), [0.3, 0.1], [8.0, 0.5], marks=pytest.mark.long)],
)  # fmt: skip
def test_users_joints_around_their_loops(joint, q, qdot):
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.3, 0.1, 0.2), mass=1.0), joint=joint, com=(0.05, 0.02, 0), q=q, qdot=qdot, name="body")
    model = scene.model()
    exact = rm.simulate(model, 0.5, 0.05, rtol=1e-10)
    run = rm.simulate(model, 0.5, 0.005, integrator="rk4", dynamics="maximal", every=10)
    np.testing.assert_allclose(run.observed.pose, exact.observed.pose, atol=2e-4)
    assert run.energy.drift.max() < 1e-4


# What it does not do


def test_a_massless_body_is_an_error_that_names_it():
    scene = rm.Scene()
    tool = scene.add_body(rm.MassProperties(0, (0, 0, 0)), joint=rm.Revolute("y"), name="feather")
    scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("x"), parent=tool, at=(0.2, 0, 0), com=(0.1, 0, 0))
    with pytest.raises(rm.RedmaxError, match=r"a body without mass .'feather'.: that does not go with dynamics 'maximal'"):
        rm.simulate(scene, 0.1, dynamics="maximal", integrator="euler")


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_backward_differences_are_those_of_reduced_coordinates(integrator):
    runs = [
        rm.simulate(conservative(), 0.04, 0.01, dynamics=d, integrator=integrator, backend="interpret") for d in ("recursive", "maximal")
    ]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-10
    assert not runs[1].joint_drift.any()


def explosive() -> rm.Scene:
    scene = rm.Scene()
    base = scene.add_body(rm.Cuboid((0.4, 0.1, 0.1), mass=1.0), joint=rm.Spherical(), com=(0.2, 0, 0), qdot=(0.5, 1.0, 3.0), name="base")
    scene.add_body(
        rm.Cuboid((0.4, 0.1, 0.1), mass=0.01), joint=rm.Revolute("y"), parent=base, at=(0.4, 0, 0), com=(0.2, 0, 0), qdot=20.0,
        torque=lambda t, q, qdot: [50.0 * qdot[0] * qdot[0] * qdot[0]],
    )  # fmt: skip
    return scene


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("integrator", ["forward-euler", "rk4"])
def test_a_run_that_blows_up_says_so_and_keeps_what_it_has(integrator):
    with pytest.raises(rm.SimulationError, match="broke off at t =") as caught:
        rm.simulate(explosive(), 1.0, 0.01, dynamics="maximal", integrator=integrator)
    assert np.isfinite(caught.value.trajectory.q).all()


def test_a_runner_keeps_worlds_apart():
    m = chain(3, ["Spherical", "Revolute"])
    q, qdot, _ = m.states(2)
    sim = rm.Simulation(m.model, dt=0.005, integrator="euler", dynamics="maximal", initial=rm.State(0.0, q, qdot))
    assert isinstance(sim.runner, MaximalRunner)
    for _ in range(4):
        sim.step()
    for w in range(2):
        alone = rm.Simulation(m.model, dt=0.005, integrator="euler", dynamics="maximal", initial=rm.State(0.0, q[w], qdot[w]))
        alone.step(4)
        np.testing.assert_allclose(sim.q[w], alone.q[0], rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_singular_matrix_on_the_way_to_a_blow_up_is_not_an_error_of_its_own():
    m = chain(7, ["Free", "Revolute"])  # its torques grow with the square of the rates
    s = m.state(2)
    with pytest.raises(rm.SimulationError, match="broke off at t ="):
        rm.simulate(m.model, 0.05, 0.0025, dynamics="maximal", integrator="rk4", initial=rm.State(0.0, s.q, 0.3 * s.qdot))


def test_a_motion_may_turn_as_far_as_it_likes():
    """Its coordinates are not changed on the way, though they come near a full turn."""
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.3, 0.1, 0.2)), joint=rm.Spherical(), motion=lambda t: [0.0, 6.0 * t, 0.0], gain=5.0)
    run = rm.simulate(scene, 0.96, 0.02, integrator="rk4", dynamics="maximal")
    np.testing.assert_allclose(run.q[:, 1], 6.0 * run.t, atol=1e-9)


def test_projected_steps_stay_closed_and_keep_the_order():
    """Post-stabilisation: joints closed to rounding at every sample, and the motion that Baumgarte's terms give, to the method's order."""
    scene = rm.Scene()
    upper = scene.add_body(rm.Cuboid((0.3, 0.05, 0.04)), joint=rm.Spherical(), com=(0.15, 0, 0), q=(0.1, 0.4, -0.2), qdot=(1, 0, 2))
    scene.add_body(rm.Cuboid((0.3, 0.05, 0.04)), parent=upper, joint=rm.Universal(), at=(0.3, 0, 0), com=(0.15, 0, 0), qdot=(0, 3))
    exact = rm.simulate(scene, 0.2, 0.02, rtol=1e-11)
    errors = []
    for dt in (0.02, 0.01):
        run = rm.simulate(scene, 0.2, dt, integrator="rk4", dynamics="maximal", stabilisation="project")
        assert run.joint_drift is not None
        assert run.joint_drift.max() < 1e-13
        errors.append(np.abs(run.q[-1] - exact.q[-1]).max())
    assert 10 < errors[0] / errors[1] < 40


@pytest.mark.parametrize("options", [{"dynamics": "redmax", "integrator": "rk4"}, {"dynamics": "maximal", "integrator": "adaptive"}])
def test_projection_is_for_fixed_steps_of_maximal_dynamics(options):
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.3, 0.05, 0.04)), joint=rm.Revolute("y"), com=(0.15, 0, 0))
    with pytest.raises(rm.RedmaxError, match="without fixed steps"):
        rm.simulate(scene, 0.1, stabilisation="project", **options)
