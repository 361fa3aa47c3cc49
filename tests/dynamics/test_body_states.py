"""States of joints as poses and twists of bodies, and back: round trips over every kind of joint, and what is said of open joints."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import agree
from dynamics.test_jacobian_derivatives import group_scene
from mechanisms import every_kind
from redmax.model.named_scene import named_scene
from redmax.scenes import CATALOGUE


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


@pytest.mark.parametrize("name", ["mass-springs", "soft-gripper", "tied-mass-springs", "cloth-on-sphere"])
def test_nodes_of_deformables_are_carried_along(name):
    """Beside bodies, which they touch or are tied to; nodes that a body carries are where it has them, or it is said which one is not."""
    model, rng = named_scene(name).model(), np.random.default_rng(2)
    q = model.moved(np.broadcast_to(model.q0, (2, model.nq)), 0.2 * rng.uniform(-1, 1, (2, model.nv)))
    state, d = rm.State(0.1, q, rng.normal(size=(2, model.nv))), rm.Dynamics(model)
    x, v = d.absolute_nodes(state)
    found = d.reduced(*d.absolute(state), 0.1, nodes=(x, v))
    np.testing.assert_allclose(found.q, q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.qdot, state.qdot, rtol=0, atol=1e-8)
    for mine, own in zip(d.absolute_nodes(found), (x, v), strict=True):
        np.testing.assert_allclose(mine, own, rtol=0, atol=1e-10)
    carried = [k for k, link in enumerate(model.nodes) if not link.joint.dof and link.parent >= 0]
    if carried:
        x[1, carried[0], 2] += 0.01
        with pytest.raises(rm.SceneError, match=r"node \d+' is 0\.01 from where its body carries it, expected at most tolerance=1e-06"):
            d.reduced(*d.absolute(state), 0.1, nodes=(x, v))


def test_nodes_move_as_their_coordinates_say():
    """Velocities are how positions change, of nodes that bodies carry too."""
    model, rng, h = named_scene("soft-gripper").model(), np.random.default_rng(3), 1e-6
    d, qdot = rm.Dynamics(model), rng.normal(size=model.nv)
    (x0, v), (x1, _) = (d.absolute_nodes(rm.State(0.0, model.moved(model.q0, s * qdot), qdot)) for s in (0.0, h))
    np.testing.assert_allclose((x1 - x0) / h, v, rtol=0, atol=1e-4 * np.abs(v).max())


@pytest.mark.parametrize("name", ["coupled-chain", "gears"])
def test_scenes_with_maps_find_the_coordinates_of_the_map(name):
    """Far from where the map begins, and the nearest of what it gives where bodies are a little off."""
    model, rng = mapped(name), np.random.default_rng(4)
    f = model.map
    q_R, rates = f.q + rng.uniform(-1, 1, (3, f.size)), rng.normal(size=(3, f.size))
    state = rm.State(0.0, f.coordinates(q_R), f.rates(q_R, rates))
    d = rm.Dynamics(model)
    pose, twist = d.absolute(state)
    found = d.reduced(pose, twist)
    np.testing.assert_allclose(found.q, state.q, rtol=0, atol=1e-9)
    for k in range(3):
        np.testing.assert_allclose(f.inverse(found.q[k], found.qdot[k])[0], q_R[k], rtol=0, atol=1e-8)
    beside = rm.State(0.0, state.q[0] + 1e-3 * rng.normal(size=model.nq), state.qdot[0])
    with pytest.raises(rm.SceneError, match="is not one that the scene's map gives"):
        d.reduced(*d.absolute(beside))
    nearest = d.reduced(*d.absolute(beside), tolerance=0.1)
    at = f.inverse(nearest.q, nearest.qdot)[0]
    np.testing.assert_allclose(f.evaluate("J", q=at).T @ (beside.q - nearest.q), 0.0, atol=1e-9)


def mapped(name: str) -> rm.Model:
    """A scene whose coordinates follow from fewer."""
    model = named_scene(name).model()
    assert model.map is not None
    return model


@pytest.mark.long
@pytest.mark.parametrize("amount", [0.3, 1.0])
def test_every_scene_goes_there_and_back(amount):
    """With contact, deformables, maps, prescribed motions: each of the catalogue, moved from where it begins by this much."""
    for entry in CATALOGUE:
        model, rng = named_scene(entry.name).model(), np.random.default_rng(1)
        q, qdot = far_away(model, amount * (0.3 if entry.name == "spline-surface" else 1.0), rng)
        d, state = rm.Dynamics(model, backend="interpret"), rm.State(0.3, q, qdot)
        pose, twist = d.absolute(state)
        found = d.reduced(pose, twist, 0.3, nodes=d.absolute_nodes(state) if model.nodes else None)
        again = d.absolute(found)
        size = max(1.0, float(np.abs(pose).max(initial=0.0)))
        np.testing.assert_allclose(again[0], pose, rtol=0, atol=1e-9 * size, err_msg=entry.name)
        np.testing.assert_allclose(again[1], twist, rtol=0, atol=1e-6 * max(1.0, float(np.abs(twist).max(initial=0.0))), err_msg=entry.name)


def far_away(model: rm.Model, amount: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates of bodies by this much, nodes by a twentieth of it; hidden states as they are."""
    if model.map is not None:
        q_R = model.map.q + amount * rng.uniform(-1, 1, model.map.size)
        return model.map.coordinates(q_R), model.map.rates(q_R, rng.normal(size=model.map.size))
    step, qdot = amount * rng.uniform(-1, 1, model.nv), rng.normal(size=model.nv)
    hidden = slice(model.offsets[len(model.bodies)], model.offsets[len(model.bodies) + len(model.hidden)])
    step[hidden], qdot[hidden] = 0.0, model.qdot0[hidden]
    step[hidden.stop :] *= 0.05
    return model.moved(model.q0, step), qdot


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
    soft = rm.Dynamics("mass-springs")
    poses = soft.absolute(rm.State(0.0, soft.model.q0, soft.model.qdot0))[0]
    with pytest.raises(
        rm.SceneError, match=r"the scene has deformables, so that nodes= must be \(positions, velocities\) of its \d+ nodes"
    ):
        soft.reduced(poses)
    with pytest.raises(rm.SceneError, match=r"Dynamics\.reduced takes nodes= .* of its 0 nodes.* Got 3"):
        d.reduced(np.eye(4)[None], nodes=3)  # type: ignore[arg-type]
