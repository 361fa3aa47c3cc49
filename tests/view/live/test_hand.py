"""A hand on a body: a spring that pulls as it says, is part of what drove the run, and never gives a run more energy than it has."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import redmax as rm
from redmax.errors import SceneError
from redmax.view.live.hand import grab
from redmax.view.live.hand_on_nodes import grab_node, is_node, nearest_node
from redmax.view.live.source import Growing
from view.live.scenes import pendulum

WHERE = st.tuples(*[st.floats(-0.25, 0.25)] * 3)


def ball() -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Sphere(0.1, mass=2.0), joint=rm.Free3D(), name="ball")
    return scene


def chain() -> rm.Scene:
    scene = rm.Scene()
    for k in range(3):
        joint = rm.Spherical() if k == 1 else rm.Revolute("y")
        parent = f"link{k - 1}" if k else None
        scene.add_body(
            rm.Cuboid((0.3, 0.06, 0.06)), parent=parent, joint=joint, at=(0.3 * (k > 0), 0, 0), com=(0.15, 0, 0), name=f"link{k}"
        )
    return scene


def pulled(scene: rm.Scene, link: int, place, target, duration: float, **options) -> Growing:
    source = Growing(rm.Simulation(scene, **{"dt": 0.01, "integrator": "rk4", **options}), duration)
    pose = source.recording.pose[0, link]
    source.hold(grab(source.sim, link, pose[:3, 3] + np.asarray(place), np.asarray(target), 1.0))
    source.reach(duration, 1e9)
    return source


def test_a_ball_is_drawn_to_the_pointer_as_a_damped_oscillator_is():
    """m a = k d - c v with the numbers of the hand, critically damped: d(t) = d0 (1 + w t) exp(-w t)."""
    source = pulled(ball(), 0, (0, 0, 0), (0.3, 0.0, 0.0), 1.0, dt=1e-3)
    hand, t = source.hand, source.recording.t
    w = np.sqrt(hand.stiffness / 2.0)
    assert hand.damping == pytest.approx(2.0 * 2.0 * w)
    expected = 0.3 * (1 + w * t) * np.exp(-w * t)
    assert np.abs(0.3 - source.recording.pose[:, 0, 0, 3] - expected).max() < 2e-3  # the force is held for a millisecond


def test_what_pulls_is_part_of_what_drove_the_run():
    """The accelerations of the run, with the hand's torques in it, are the differences of its rates; before and after there are none."""
    source = Growing(rm.Simulation(pendulum(), dt=1e-3, integrator="rk4"), 0.3)
    source.reach(0.1, 1e9)
    pose = source.recording.pose[-1, 0]
    source.hold(grab(source.sim, 0, pose[:3, 3], pose[:3, 3] + (0.0, 0.0, 0.4), 1.0))
    source.reach(0.2, 1e9)
    source.hold(None)
    source.reach(0.3, 1e9)
    run = source.trajectory()
    np.testing.assert_allclose(run.qddot[:-1], np.diff(run.qdot, axis=0) / 1e-3, rtol=1e-3, atol=0.05)
    assert run.complete
    assert not np.any(run.controls[:100])
    assert not np.any(run.controls[200:])
    assert np.all(run.controls[101:199])
    free = rm.simulate(pendulum(), 0.3, 1e-3, integrator="rk4")
    np.testing.assert_array_equal(run.q[:101], free.q[:101])


@settings(max_examples=4, deadline=None)
@given(link=st.integers(0, 2), place=WHERE, target=st.tuples(*[st.floats(-2.0, 2.0)] * 3), integrator=st.sampled_from(["rk4", "adaptive"]))
def test_a_pull_never_blows_a_run_up(link, place, target, integrator):
    """Whatever is pulled wherever: the run gets no more energy than a spring that is held there can give."""
    source = pulled(chain(), link, 0.1 * np.asarray(place), target, 1.0, integrator=integrator)
    assert not source.failure
    seen, hand = source.recording, source.hand
    given_at_most = hand.potential(seen.pose[0, link])
    total = seen.kinetic + seen.potential
    assert (total - total[0]).max() < 1.1 * given_at_most + 1e-9
    assert np.linalg.norm(hand.force(seen.pose[-1, link], seen.twist[-1, link])) < 10.0 * hand.stiffness * hand.longest


def test_what_has_no_inertia_says_so():
    scene = rm.Scene()
    scene.add_body(rm.MassProperties(mass=1.0, inertia=(0.0, 0.0, 0.0)), joint=rm.Prismatic("x"), name="point")
    sim = rm.Simulation(scene)
    with pytest.raises(SceneError, match="'point' has no inertia of its own"):
        grab(sim, 0, np.zeros(3), np.zeros(3), 1.0)


@settings(max_examples=3, deadline=None)
@given(target=st.tuples(*[st.floats(-0.6, 0.6)] * 3), node=st.integers(1, 24), hung=st.booleans())
def test_a_cloth_is_pulled_by_a_node_and_those_near_it(target, node, hung):
    """It comes near the pointer as far as what holds it lets it, with no more energy than the spring gives; held nodes say so."""
    scene = rm.Scene()
    cloth = rm.Cloth((1, 1), (4, 4), density=0.3, stretch=60, shear=20, bend=1, damping=0.02)
    scene.add_deformable(cloth.hold([0]) if hung else cloth)
    source = Growing(rm.Simulation(scene, dt=0.01), 0.6)
    sim, pose = source.sim, source.recording.pose[0]
    link = nearest_node(sim.model, 0, pose, pose[node, :3, 3])
    assert link == node
    assert is_node(sim.model, link)
    hand = grab_node(sim, link, pose[link, :3, 3] + target, 1.0)
    assert sum(part for _, part in hand.shares) == pytest.approx(1.0)
    assert len(hand.shares) >= 9
    source.hold(hand)
    source.reach(0.6, 1e9)
    seen = source.recording
    assert not source.failure
    total = seen.kinetic + seen.potential
    assert (total - total[0]).max() < 1.1 * hand.potential(pose[link]) + 1e-9
    if not hung:  # by itself it would have fallen 1.77 m
        assert np.linalg.norm(hand.target - seen.pose[-1, link, :3, 3]) < 0.5
    wrenches = hand.wrenches(seen.pose[-1], seen.twist[-1])
    np.testing.assert_allclose(wrenches[:, 3:].sum(axis=0), hand.force(seen.pose[-1, link], seen.twist[-1, link]), atol=1e-12)
    if hung:
        with pytest.raises(SceneError, match="is held where it is"):
            grab_node(sim, nearest_node(sim.model, 0, pose, pose[0, :3, 3]), np.zeros(3), 1.0)


def test_a_drag_on_a_cloth_takes_hold_of_its_nearest_node():
    """As viser's events come: where it begins chooses the node, which stays the same until it ends; beads of nets are their nodes."""
    scene = rm.Scene()
    scene.add_deformable(rm.Cloth((1, 1), (4, 4), density=0.3, stretch=60))
    viewer = rm.watch(scene, duration=5, port=0, open_browser=False, block=False, wait=True)
    try:
        stage, found = viewer.stage, []
        corner = stage.seen.pose[0, 24, :3, 3]
        for phase, at in (("start", corner), ("update", corner + 0.4), ("end", corner - 0.4)):
            stage.membranes.dragged(0, phase, at * stage.scale, at * stage.scale, lambda *x: found.append(x[:2]))
        assert found == [(24, "start"), (24, "update"), (24, "end")]
    finally:
        viewer.stop()
