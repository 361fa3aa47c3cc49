"""Motions that follow targets: exact ones are met, noise is smoothed by all frames together, limits and loops hold, gaps are filled."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import redmax as rm
from redmax.design.track.coordinates import SplineCoordinates
from redmax.design.track.moments import Moments
from redmax.lie import quaternions

T = np.linspace(0, 1, 61)


def leg(hip: rm.Joint, low: float = -0.5) -> tuple[rm.Scene, list[rm.Point]]:
    """A thigh and a shank, with three markers each."""
    scene = rm.Scene()
    thigh = scene.add_body(rm.Capsule(0.05, 0.4, mass=7), joint=hip, com=(0, 0, -0.2), name="thigh")
    shank = scene.add_body(
        rm.Capsule(0.04, 0.4, mass=3), parent=thigh, joint=rm.Revolute("y"), at=(0, 0, -0.4), com=(0, 0, -0.2), q=0.3, name="shank"
    )
    scene.add_constraint(rm.HardLimit(shank, low, 2.2))
    places = [(0.05, 0.03, 0.1), (-0.05, 0.0, -0.1), (0, 0.06, 0)]
    return scene, [body.point(*x) for body in (thigh, shank) for x in places]


def moved(hip: rm.Joint) -> np.ndarray:
    """(frames, nq)."""
    u = np.asarray(quaternions.exp(np.stack([0.3 * np.sin(4 * T), 0.5 * np.sin(6 * T), 0.2 * T], axis=1)), float)
    travel = (np.stack([0.3 * T, 0.02 * np.sin(9 * T), 0 * T], axis=1),) if hip.dof == 6 else ()
    return np.hstack([hip.coordinates(u, *travel), 1.0 + 0.6 * np.sin(7 * T + 1)[:, None]])


def seen(scene: rm.Scene, points: list[rm.Point], q: np.ndarray) -> np.ndarray:
    """(frames, markers, 3)."""
    dynamics = rm.Dynamics(scene)
    return np.stack([dynamics.pose(q, p)[..., :3, 3] for p in points], axis=1)


def turns_of(hip: rm.Joint, q: np.ndarray) -> np.ndarray:
    return hip.pose(q[:, : hip.nq])[:, :3, :3]


@pytest.mark.parametrize("hip", [rm.Spherical(), rm.Free("quaternion")], ids=str)
def test_exact_targets_are_met_frame_by_frame(hip):
    scene, points = leg(hip)
    q = moved(hip)
    ik = rm.InverseKinematics(scene, rm.MarkerTarget(points))
    found = rm.track(ik, T, {"markers": seen(scene, points, q)}, np.inf)
    assert found.frames.success.all()
    assert np.abs(found.residuals["markers"]).max() < 1e-6
    assert_allclose(turns_of(hip, found.motion.q), turns_of(hip, q), atol=1e-5)
    assert_allclose(found.motion.q[:, -1], q[:, -1], atol=1e-5)
    assert found.jumps == ()


@pytest.mark.parametrize("hip", [rm.Spherical("quaternion"), rm.Free3D()], ids=str)
def test_all_frames_together_are_nearer_to_what_was_seen_than_each_alone(hip):
    scene, points = leg(hip)
    q, rng = moved(hip), np.random.default_rng(0)
    markers = seen(scene, points, q)
    markers += 0.005 * rng.normal(size=markers.shape)
    markers[20:26, 1] = np.nan
    ik = rm.InverseKinematics(scene, rm.MarkerTarget(points))
    found = rm.track(ik, T, {"markers": markers})
    together, alone = (np.sqrt(((turns_of(hip, x) - turns_of(hip, q)) ** 2).mean()) for x in (found.motion.q, found.frames.q))
    assert together < 0.4 * alone
    assert 0.003 < found.rms("markers") < 0.0055
    assert np.isnan(found.residuals["markers"][22, 3:6]).all()
    assert "not all seen in 6 frames" in found.report()


def test_what_targets_hardly_know_is_smoothed_as_the_rest():
    """Markers in a line nearly along the bone say little of turns about it: these are no slower than the others for that."""
    hip = rm.Spherical()
    scene, points = leg(hip)
    slim = [rm.Point(p.body, (0.02 * p.position[0], 0.1 * p.position[1], p.position[2])) for p in points]
    q, rng = moved(hip), np.random.default_rng(2)
    markers = seen(scene, slim, q) + 0.0002 * rng.normal(size=(len(T), 6, 3))
    found = rm.track(rm.InverseKinematics(scene, rm.MarkerTarget(slim)), T, {"markers": markers})
    together, alone = (np.sqrt(((turns_of(hip, x) - turns_of(hip, q)) ** 2).mean()) for x in (found.motion.q, found.frames.q))
    assert together < 0.5 * alone


def test_coordinates_of_the_hip_do_not_matter():
    found = []
    for hip in (rm.Spherical(), rm.Spherical("quaternion")):
        scene, points = leg(hip)
        markers = seen(scene, points, moved(hip)) + 0.003 * np.random.default_rng(1).normal(size=(len(T), 6, 3))
        track = rm.track(rm.InverseKinematics(scene, rm.MarkerTarget(points)), T, {"markers": markers}, cutoff=4.0)
        found.append(np.hstack([turns_of(hip, track.motion.q).reshape(-1, 9), track.motion.q[:, -1:]]))
    assert_allclose(found[0], found[1], atol=2e-5)


def test_limits_hold_and_are_told():
    hip = rm.Spherical()
    scene, points = leg(hip, low=0.6)  # the knee that was seen went to 0.4
    markers = seen(scene, points, moved(hip))
    found = rm.track(rm.InverseKinematics(scene, rm.MarkerTarget(points)), T, {"markers": markers}, cutoff=8.0)
    assert found.motion.q[:, -1].min() > 0.6 - 1e-5
    assert "the lower limit of shank (0.6) holds" in found.report()


def test_a_marker_that_is_much_farther_off_than_others_is_told():
    hip = rm.Spherical()
    scene, points = leg(hip)
    markers = seen(scene, points, moved(hip))[:, [4, 1, 2, 3, 0, 5]]
    found = rm.track(rm.InverseKinematics(scene, rm.MarkerTarget(points)), T, {"markers": markers}, cutoff=6.0)
    line = next(line for line in found.report().splitlines() if "farthest off" in line)
    assert "thigh 0 0.2" in line


def test_loops_stay_closed():
    scene, hinge = rm.Scene(), rm.Revolute("y")
    side, top = rm.Cuboid((0.3, 0.02, 0.02), mass=1), rm.Cuboid((0.5, 0.02, 0.02), mass=1)
    crank = scene.add_body(side, joint=hinge, com=(0.15, 0, 0), q=-1.2, name="crank")
    coupler = scene.add_body(top, joint=hinge, parent=crank, at=(0.3, 0, 0), com=(0.25, 0, 0), q=1.2, name="coupler")
    rocker = scene.add_body(side, joint=hinge, at=(0.5, 0, 0), com=(0.15, 0, 0), q=-1.2, name="rocker")
    closure = scene.add_constraint(rm.HingeClosure(coupler.point(0.25, 0, 0), rocker.point(0.15, 0, 0), "y"))
    angle = -1.2 + 0.4 * np.sin(5 * T)
    path = np.stack([0.25 + 0.3 * np.cos(angle), 0 * T, -0.3 * np.sin(angle)], axis=1)
    path[:, [0, 2]] += 0.002 * np.random.default_rng(0).normal(size=(len(T), 2))
    found = rm.track(rm.InverseKinematics(scene, rm.PositionTarget(coupler, axes="xz")), T, {"coupler": path})
    gap = rm.Dynamics(scene).constraint_gap(found.motion.q, name=closure.name)
    assert np.abs(gap).max() < 1e-6
    assert_allclose(found.motion.q[:, 0], angle, atol=0.01)


def test_slopes_are_derivatives():
    hip = rm.Free("quaternion")
    scene, points = leg(hip, low=0.6)
    ik, q = rm.InverseKinematics(scene, rm.MarkerTarget(points)), moved(hip)[:5]
    goals = {"markers": seen(scene, points, q) + 0.01}
    asked = ik.asking.read("test", goals, None, 1e-6, 0, 0, 1, "damped", 0.0)
    moments = Moments(ik, asked.goals, asked.weights, SplineCoordinates(ik.model, ik.bounds.movable, q[0]), q)
    u, rng = moments.before, np.random.default_rng(0)
    u = u * (1 + 0.1 * rng.normal(size=u.shape))
    d, h = rng.normal(size=u.shape), 1e-6
    here, later, before = moments.look(u), moments.look(u + h * d), moments.look(u - h * d)
    assert_allclose((later.e - before.e) / (2 * h), (here.slopes @ d[..., None])[..., 0], atol=1e-7)
    assert_allclose((later.held - before.held) / (2 * h), (here.bent @ d[..., None])[..., 0], atol=1e-7)


def test_what_is_found_goes_on_to_forces():
    hip = rm.Spherical()
    scene, points = leg(hip)
    found = rm.track(rm.InverseKinematics(scene, rm.MarkerTarget(points)), T, {"markers": seen(scene, points, moved(hip))}, cutoff=6.0)
    needed = rm.inverse_dynamics(scene, found.motion)
    again = rm.Dynamics(scene).forward(found.motion.q, found.motion.qdot, needed.torques)
    assert_allclose(again, found.motion.qddot, atol=1e-8)
    assert len(found.run()) == len(T)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda ik, goals: rm.track("leg", T, goals), r"takes redmax\.InverseKinematics"),
        (lambda ik, goals: rm.track(ik, T[::-1], goals), r"with t\[1\] = 0\.98\d+ after t\[0\] = 1, expected at least 4 increasing times"),
        (lambda ik, goals: rm.track(ik, T[:9], goals), r"have shape \(61, 6, 3\), expected \(9, 6, 3\)"),
        (lambda ik, goals: rm.track(ik, T, {"marker": goals["markers"]}), "Did you mean 'markers'"),
        (lambda ik, goals: rm.track(ik, T, {}), "goals are"),
        (lambda ik, goals: rm.track(ik, T, goals, {"thihg": 2.0}), "Did you mean 'thigh'"),
    ],
)
def test_bad_calls_are_named(given, said):
    hip = rm.Spherical()
    scene, points = leg(hip)
    ik = rm.InverseKinematics(scene, rm.MarkerTarget(points))
    with pytest.raises(rm.SceneError, match=said):
        given(ik, {"markers": seen(scene, points, moved(hip))})


def test_a_path_of_a_hand_is_followed_in_compiled_code_as_frame_by_frame():
    """Targets without holes go through InverseKinematics.follow."""
    scene = rm.Scene()
    bar = rm.Cuboid((0.5, 0.05, 0.05), mass=1)
    upper = scene.add_body(bar, joint=rm.Revolute("y"), com=(0.25, 0, 0), name="upper")
    lower = scene.add_body(bar, parent=upper, joint=rm.Revolute("y"), at=(0.5, 0, 0), com=(0.25, 0, 0), name="lower")
    q = np.stack([0.5 * np.sin(3 * T), 1.0 + 0.4 * np.cos(5 * T)], axis=1)
    ik = rm.InverseKinematics(scene, rm.PositionTarget(lower.point(0.25, 0, 0), name="hand"))
    path = rm.Dynamics(scene).pose(q, lower.point(0.25, 0, 0))[:, :3, 3]
    assert ik.following is not None
    found = rm.track(ik, T, {"hand": path}, np.inf, start=q[0])
    assert_allclose(found.motion.q, q, atol=1e-5)
    assert found.frames.success.all()
