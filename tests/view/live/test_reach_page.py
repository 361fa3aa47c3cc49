"""Targets on the live page: what of each can be dragged, the mechanism that follows, messages that are heard, and what is kept."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from numpy.testing import assert_allclose

import redmax as rm
from redmax.view.live.memory import Memory
from redmax.view.live.messages import Listener
from redmax.view.live.reach.grips import first_goals, grips_of, with_goal
from redmax.view.live.reach.reach_viewer import HANDLE
from view.live.scenes import QUIET, until
from view.live.strangers import page, say

START = np.array([0.4, 0.9])


@pytest.fixture(autouse=True)
def own_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("redmax.view.live.viewer.default_memory", lambda: Memory(tmp_path / "viewer.json"))


def arm() -> tuple[rm.Scene, rm.BodyHandle, rm.BodyHandle]:
    scene = rm.Scene(title="Arm")
    upper = scene.add_body(rm.Cuboid((0.5, 0.05, 0.05), mass=1), joint=rm.Revolute("y"), com=(0.25, 0, 0), name="upper")
    lower = scene.add_body(
        rm.Cuboid((0.5, 0.05, 0.05), mass=1), parent=upper, joint=rm.Revolute("y"), at=(0.5, 0, 0), com=(0.25, 0, 0), name="lower"
    )
    scene.add_frame("tip", lower, (0.25, 0, 0))
    return scene, upper, lower


def reaching() -> rm.InverseKinematics:
    scene, _, _ = arm()
    return rm.InverseKinematics(scene, rm.PositionTarget("tip", axes="xz"))


def test_what_can_be_dragged_is_at_first_where_the_mechanism_is():
    scene, upper, lower = arm()
    goal = np.array([0.3, 0, -0.2])
    targets = [
        rm.FrameTarget("tip"), rm.PositionTarget(upper, axes="xz", name="elbow"), rm.OrientationTarget(lower, name="turn"),
        rm.LookAtTarget(lower, name="look"), rm.CenterOfMassTarget(axes="xy"), rm.PostureTarget(START),
        rm.MarkerTarget([upper.point(0.1, 0, 0), lower.point(0.1, 0, 0)]), rm.PositionTarget(lower, goal, name="told"),
    ]  # fmt: skip
    ik = rm.InverseKinematics(scene, targets)
    grips = {grip.name: grip for grip in grips_of(ik, START)}
    dynamics = rm.Dynamics(scene)
    assert list(grips) == ["tip", "elbow", "turn", "look", "centre of mass", "markers 0", "markers 1", "told"]
    assert_allclose(grips["tip"].pose, dynamics.pose(START, "tip"))
    assert grips["tip"].turns
    assert grips["elbow"].moves == (True, False, True)
    assert grips["turn"].moves == (False, False, False)
    assert_allclose(grips["centre of mass"].pose[:3, 3], dynamics.center_of_mass(START))
    assert_allclose(grips["told"].pose[:3, 3], goal)
    goals = first_goals(ik, list(grips.values()))
    assert goals["markers"].shape == (2, 3)
    here = rm.InverseKinematics(scene, targets[:-1]).solve({n: g for n, g in goals.items() if n != "told"}, START)
    assert here.success
    assert_allclose(here.q, START, atol=1e-6)
    pose = np.eye(4)
    pose[:3, 3] = 1, 2, 3
    assert_allclose(with_goal(ik, goals, grips["markers 1"], pose)["markers"], [goals["markers"][0], (1, 2, 3)])


def test_the_mechanism_follows_what_a_page_drags(tmp_path):
    ik = reaching()
    viewer = rm.watch(ik, initial=START, **QUIET)
    try:
        viewer.play()
        until(lambda: viewer.recording.count > 2)
        assert_allclose(viewer.recording.q[-1], START, atol=1e-6)
        wanted = np.array([0.6, 0, -0.3])
        with page(viewer.url) as mine:
            until(viewer.server.get_clients)
            place = {"wxyz": [1, 0, 0, 0], "position": (wanted * viewer.stage.scale).tolist(), "owner": ""}
            say(mine, {"type": "TransformControlsDragStartMessage", "name": "/targets/0", "owner": ""})
            say(mine, {"type": "TransformControlsUpdateMessage", "name": "/targets/0", **place})
            say(mine, {"type": "TransformControlsDragEndMessage", "name": "/targets/0", "owner": ""})
            until(lambda: np.abs(rm.Dynamics(ik.model).pose(viewer.recording.q[-1], "tip")[:3, 3] - wanted).max() < 1e-6)
            place["position"] = [float(9.0 * viewer.stage.scale), 0, 0]
            say(mine, {"type": "TransformControlsUpdateMessage", "name": "/targets/0", **place})
            until(lambda: "tip is 8 m off" in viewer.words.content)
    finally:
        viewer.stop()
    run = viewer.trajectory()
    assert_allclose(run.q[0], START, atol=1e-6)
    assert (np.diff(run.t) > 0).all()
    run.save(tmp_path / "dragged.h5")
    assert len(rm.load(tmp_path / "dragged.h5")) == len(run)


def test_handles_are_as_large_as_the_mechanism_asks_for():
    viewer = rm.watch(reaching(), initial=START, **QUIET)
    try:
        (handle,) = viewer.handles
        assert handle.scale == pytest.approx(HANDLE * viewer.stage.size * viewer.stage.scale)
        assert handle.disable_rotations
        assert tuple(handle.active_axes) == (True, False, True)
    finally:
        viewer.stop()


@pytest.mark.parametrize(
    ("change", "heard"),
    [
        ({}, True),
        ({"position": [1e13, 0, 0]}, False),
        ({"wxyz": [0, 0, 0, 0]}, False),
        ({"wxyz": [1, 0, 0]}, False),
        ({"name": "x" * 2000}, False),
    ],
)
def test_only_places_and_turns_are_heard(change, heard):
    listener = Listener()
    listener.server = object()  # type: ignore[assignment]
    message = {"type": "TransformControlsUpdateMessage", "name": "/targets/0", "wxyz": [1, 0, 0, 0], "position": [0, 0, 0], "owner": ""}
    assert (listener.wrong(msgspec.msgpack.encode(message | change)) is None) == heard
