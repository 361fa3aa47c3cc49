"""States of joints as poses and twists of bodies, and back: round trips over every kind of joint, and what is said of open joints."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import agree
from dynamics.test_jacobian_derivatives import group_scene
from mechanisms import every_kind
from redmax.model.named_scene import named_scene


def round_trip(model: rm.Model, state: rm.State, near: rm.State | None) -> rm.State:
    """The state of where bodies are, at which they are there, moving as they do."""
    d = rm.Dynamics(model)
    pose, twist = d.absolute(state)
    found = d.reduced(pose, twist, state.t, near=near)
    again = d.absolute(found)
    assert agree(again[0], pose, 1e-12)
    assert agree(again[1], twist, 1e-11)
    return found


def of(model: rm.Model, x: np.ndarray, rates: bool = False) -> np.ndarray:
    """What belongs to bodies, not to hidden states."""
    ends = model.offsets if rates else model.q_offsets
    return x[..., : ends[len(model.bodies)]]


def test_every_kind_of_joint_goes_there_and_back():
    """From a state nearby, of joints that depend on time too."""
    m = every_kind(1)
    s = m.state(2)
    state = rm.State(s.t, s.q, s.qdot)
    near = rm.State(s.t, s.q + 0.05 * np.random.default_rng(0).normal(size=m.nv), 0.0 * s.qdot)
    found = round_trip(m.model, state, near)
    assert agree(found.q, s.q, 1e-9)
    assert agree(found.qdot, s.qdot, 1e-8)


@pytest.mark.parametrize(
    "name", ["humanoid", "ball-chain", "arm", "bennett", "letters", "universal-chain", "stewart-platform", "satellite"]
)
def test_scenes_go_there_and_back(name):
    """Three worlds at once, half a radian from where the scene begins; activations are as they were."""
    model, rng = named_scene(name).model(), np.random.default_rng(1)
    q = model.moved(np.broadcast_to(model.q0, (3, model.nq)), 0.5 * rng.uniform(-1, 1, (3, model.nv)))
    state = rm.State(0.3, q, rng.normal(size=(3, model.nv)))
    found = round_trip(model, state, None)
    np.testing.assert_allclose(of(model, found.q), of(model, q), rtol=0, atol=1e-9)
    np.testing.assert_allclose(of(model, found.qdot, True), of(model, state.qdot, True), rtol=0, atol=1e-8)
    hidden = np.s_[..., model.q_offsets[len(model.bodies)] :]
    np.testing.assert_array_equal(found.q[hidden], np.broadcast_to(model.q0, found.q.shape)[hidden])


def test_elements_of_groups_and_charts_of_angles():
    """A configuration on the group; Euler angles in the chart of a state that is near, and others that turn as far."""
    model = group_scene().model()
    step = 0.4 * np.random.default_rng(0).normal(size=model.nv)
    state = rm.State(0.0, model.moved(model.q0, step), np.linspace(-1, 1, model.nv))
    found = round_trip(model, state, None)
    for link in model.bodies:
        assert np.all(link.joint.off(found.q[model.q_slice(link.name)]) < 1e-14)
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.3, 0.2, 0.1)), joint=rm.SphericalEuler(), com=(0.1, 0, 0), name="body")
    sim = rm.Simulation(scene, dt=0.01, initial=rm.State(0.0, np.array([0.1, 1.3, 0.2]), np.array([0.3, 4.0, 0.1])))
    sim.step(20)
    assert sim.state.chart != sim.model.charts  # it has changed to another one
    near = rm.State(0.0, sim.state.q + 0.1, sim.state.qdot, sim.state.chart)
    found = round_trip(sim.model, sim.state, near)
    assert found.chart == sim.state.chart
    np.testing.assert_allclose(found.q, sim.state.q, rtol=0, atol=1e-12)


def test_runs_of_bodies_go_on_from_what_they_tell():
    """Poses and twists of generalized-alpha are a state of any other method."""
    run = rm.simulate("ball-chain", 0.2, 0.01, integrator="generalized-alpha", group="SO3xR3")
    names = [link.name for link in run.model.bodies]
    pose, twist = (np.stack([f(name)[-1] for name in names]) for f in (run.pose, run.twist))
    state = rm.Dynamics(run.model).reduced(pose, twist, 0.2)
    np.testing.assert_allclose(np.abs(state.q), np.abs(run.q[-1]), rtol=0, atol=1e-12)  # quaternions of either sign
    np.testing.assert_allclose(state.qdot, run.qdot[-1], rtol=0, atol=1e-11)
    assert rm.simulate("ball-chain", 0.1, 0.01, initial=state).t[0] == 0.2


def hinge() -> rm.Dynamics:
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Revolute("y"), com=(0.15, 0, 0), name="rod")
    return rm.Dynamics(scene)


def test_bodies_that_joints_do_not_allow_are_refused_or_brought_nearest():
    d = hinge()
    pose, twist = d.absolute(rm.State(0.0, np.array([0.7]), np.array([2.0])))
    off = pose.copy()
    off[0, 1, 3] += 1e-3
    with pytest.raises(rm.SceneError, match=r"joint 'rod' is open by 0\.001, expected at most tolerance=1e-06\. .* near= "):
        d.reduced(off, twist)
    assert d.reduced(off, twist, tolerance=1e-2).q[0] == pytest.approx(0.7, abs=1e-12)
    moving = twist + np.array([0, 0, 0, 0, 0.5, 0])
    with pytest.raises(rm.SceneError, match=r"joint 'rod' is left at a rate of 0\.5"):
        d.reduced(pose, moving)
    assert d.reduced(pose).qdot[0] == 0.0


def test_angles_are_within_half_a_turn_of_those_that_are_near():
    d = hinge()
    for turns in (-2, 0, 3):
        angle = np.array([2.5 + 2 * np.pi * turns])
        found = d.reduced(d.absolute(rm.State(0.0, angle, np.zeros(1)))[0], near=rm.State(0.0, angle - 2.0, np.zeros(1)))
        np.testing.assert_allclose(found.q, angle, rtol=0, atol=1e-12)


def test_what_is_no_pose_is_said():
    d = hinge()
    with pytest.raises(rm.SceneError, match=r"pose must be finite numbers, \(\.\.\., 1, 4, 4\)\. Got shape \(4, 4\)"):
        d.reduced(np.eye(4))
    with pytest.raises(rm.SceneError, match=r"Dynamics\.absolute takes state, a redmax\.State such as .*\. Got \[0"):
        d.absolute([0.0])  # type: ignore[arg-type]
    with pytest.raises(rm.SceneError, match=r"Dynamics\.reduced is of joints and bodies, but the scene has deformables"):
        rm.Dynamics("mass-springs").reduced(np.eye(4)[None])
