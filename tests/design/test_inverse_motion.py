"""What a motion takes: torques that give it back, that balance the power, with muscles, outside forces and loops."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import redmax as rm
from redmax.scenes import find

T = np.linspace(0, 1, 201)


def arm(**given) -> rm.Scene:
    scene = rm.Scene()
    link = rm.Capsule(0.03, 0.3, density=900)
    upper = scene.add_body(link, joint=rm.Spherical("quaternion"), com=(0, 0, -0.15), name="upper", **given)
    scene.add_body(link, parent=upper, joint=rm.Revolute("y"), at=(0, 0, -0.3), com=(0, 0, -0.15), q=0.3, name="lower")
    return scene


def wave(scene: rm.Scene, cutoff: float = np.inf) -> rm.SmoothedMotion:
    joint = rm.Spherical("quaternion")
    from redmax.lie import quaternions

    ball = joint.coordinates(np.asarray(quaternions.exp(np.stack([np.sin(3 * T), 0.5 * T, 0.3 * np.cos(4 * T)], axis=1)), float))
    return rm.smoothed_motion(scene, T, np.hstack([ball, 0.8 * np.sin(5 * T)[:, None]]), cutoff)


def test_forward_dynamics_with_the_torques_gives_the_accelerations():
    scene = arm(damping=0.2)
    motion = wave(scene)
    found = rm.inverse_dynamics(scene, motion)
    qddot = rm.Dynamics(scene).forward(motion.q, motion.qdot, found.torques, t=motion.t)
    assert_allclose(qddot, motion.qddot, atol=1e-9)
    assert found.of("lower").shape == (len(T), 1)


def test_a_simulation_with_the_torques_gives_the_motion_back():
    """Torques are held over each step at what they are in its middle, so that the deviation falls with the square of the step."""
    scene, off = arm(), []
    motion = wave(scene)
    for steps in (100, 200):
        dt = 1.0 / steps
        held = rm.inverse_dynamics(scene, motion.at(np.arange(steps) * dt + 0.5 * dt))
        start = motion.at(np.array([0.0]))
        scene_at_start = rm.State(0.0, start.q[0], start.qdot[0])
        run = rm.simulate(scene, duration=1.0, dt=dt, integrator="rk4", controls=held.torques, initial=scene_at_start)
        off.append(np.abs(run.q[-1] - motion.q[-1]).max())
    assert off[1] < 2e-3
    assert off[0] / off[1] == pytest.approx(4, rel=0.2)


def test_power_of_the_torques_is_what_the_energy_gains():
    scene = arm()
    motion = wave(scene)
    found = rm.inverse_dynamics(scene, motion)
    energy = rm.Dynamics(scene).observe(motion.q, motion.qdot).total
    gained = found.work.sum(axis=1)
    assert_allclose(gained, energy - energy[0], atol=2e-4 * np.abs(gained).max())


def test_the_run_of_a_motion_has_its_torques_energy_and_accelerations(tmp_path):
    scene = arm()
    motion = wave(scene)
    found = rm.inverse_dynamics(scene, motion)
    run = found.run()
    assert_allclose(run.qddot, motion.qddot, atol=1e-9)
    run.save(tmp_path / "motion.h5")
    again = rm.load(tmp_path / "motion.h5")
    assert_allclose(again.q, motion.q)
    assert_allclose(again.torques["controls"], found.torques)


def test_a_run_is_a_motion():
    scene = arm()
    run = rm.simulate(scene, duration=0.3, dt=0.01)
    assert np.abs(rm.inverse_dynamics(scene, run).torques).max() < 1e-9


def test_forces_from_outside_take_load_off_the_joints():
    scene = arm()
    still = np.tile([1.0, 0, 0, 0, 0.0], (20, 1))
    motion = rm.smoothed_motion(scene, T[:20], still, np.inf)
    held = {name: (0, 0, 0, 0, 0, 9.81 * rm.Capsule(0.03, 0.3, density=900).mass) for name in ("upper", "lower")}
    scene_bent = rm.inverse_dynamics(scene, motion, held)
    assert np.abs(scene_bent.torques).max() < 1e-9


def test_muscles_count_as_not_there():
    """What they gave in a run is what its motion takes."""
    scene = find("arm").scene()
    run = rm.simulate(scene, duration=1.0, dt=0.01)
    found = rm.inverse_dynamics(scene, run)
    joints = slice(0, 2)
    assert_allclose(found.torques[:, joints], run.muscles.torques.sum(axis=1)[:, joints], atol=1e-8)
    assert_allclose(found.run().qddot[:, joints], run.qddot[:, joints], atol=1e-8 * np.abs(run.qddot).max())


def test_loops_can_be_driven_at_one_joint():
    scene = find("four-bar").scene()
    run = rm.simulate(scene, duration=0.5, dt=0.01)
    found = rm.inverse_dynamics(scene, run, driven=[run.model.joint_names[0]])
    assert np.abs(found.torques).max() < 1e-6 * np.abs(run.model.gravity).max()


def test_what_is_no_motion_of_the_scene_is_refused():
    scene = arm()
    with pytest.raises(rm.SceneError, match="takes a Motion or a run"):
        rm.inverse_dynamics(scene, T)  # type: ignore[arg-type]
    with pytest.raises(rm.SceneError, match="the motion is of another scene"):
        rm.inverse_dynamics(find("arm").scene(), wave(scene))
    with pytest.raises(rm.SceneError, match="wrench on 'lower'"):
        rm.inverse_dynamics(scene, wave(scene), {"lower": (1, 2, 3)})
    with pytest.raises(rm.SceneError, match="deformables"):
        rm.inverse_dynamics(find("banner").scene(), wave(scene))
