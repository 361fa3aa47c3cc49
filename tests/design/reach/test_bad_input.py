"""What is given wrongly is told in a sentence that names it, says what is valid, and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import redmax as rm
from design.reach.arms import cartesian, four_bar, planar

SCENE = planar((1.0, 1.0))

WRONG: list[tuple[Any, str]] = [
    (lambda: rm.InverseKinematics(SCENE, []), "targets is [], expected a target"),
    (lambda: rm.InverseKinematics(SCENE.model().with_parameters(["part0.mass"]), rm.PositionTarget("tip")), "worlds differ in part0.mass"),
    (lambda: rm.InverseKinematics(SCENE, "tip"), "expected a target"),
    (lambda: rm.InverseKinematics(SCENE, rm.PositionTarget("tipp")), "Did you mean 'tip'?"),
    (lambda: rm.InverseKinematics(SCENE, [rm.PositionTarget("tip"), rm.FrameTarget("tip")]), "Two targets are called 'tip'"),
    (lambda: rm.InverseKinematics(SCENE, rm.PositionTarget("tip"), fixed="part0"), "a list of names of joints or bodies"),
    (lambda: rm.InverseKinematics(SCENE, rm.PositionTarget("tip"), fixed=["part0", "part1"]), "Nothing may move"),
    (lambda: rm.PositionTarget("tip", axes="yx"), "axes is 'yx'. Valid: 'xyz'"),
    (lambda: rm.PositionTarget("tip", [0, 0]), "of shape (2,)"),
    (lambda: rm.PositionTarget("tip", [0, 0, np.nan]), "which is not finite"),
    (lambda: rm.PositionTarget("tip", [0, 1e300, 0]), "with 1e+300 at [1], expected finite numbers of shape (3,), or"),
    (lambda: rm.MarkerTarget(["tip"], [[0, np.inf, 0]]), "none above 1e+50"),
    (lambda: rm.PositionTarget("tip", weight=1e300), "weight is 1e+300, expected a finite number above 0"),
    (lambda: rm.InverseKinematics(SCENE, rm.PositionTarget("tip", [1, 0, 0])).solve(start=[1e300, 0]), "none above 1e+50, or a State"),
    (lambda: rm.PositionTarget("tip", weight=-1), "weight is -1, expected a finite number above 0"),
    (lambda: rm.PositionTarget("tip", priority=0.5), "priority is 0.5, expected a whole number from 0 up"),
    (lambda: rm.InverseKinematics(SCENE, rm.PositionTarget("tip", weight=[1, 2])), "weight has 2 numbers, and the target has 3 rows"),
    (lambda: rm.OrientationTarget("tip", 2 * np.eye(3)), "expected a rotation: R'R = 1"),
    (lambda: rm.FrameTarget("tip", rm.pose(np.eye(3), [1, 2, 3]).T), "It looks transposed"),
    (lambda: rm.LookAtTarget("tip", axis=(0, 0, 0)), "three finite numbers that are not all zero"),
    (lambda: rm.MarkerTarget("tip"), "a list of points or frames"),
    (lambda: rm.PostureTarget(joints=[]), "a list of names"),
    (lambda: rm.InverseKinematics(SCENE, rm.PostureTarget([1.0])), "of shape (1,)"),
    (lambda: rm.InverseKinematics(SCENE, rm.PositionTarget("tip")).solve(), "has no goal. Pass goals={'tip': ...}"),
    (lambda: rm.InverseKinematics(SCENE, rm.PositionTarget("tip")).solve({"tap": [0, 0, 0]}), "Did you mean 'tip'?"),
    (lambda: rm.InverseKinematics(SCENE, rm.PositionTarget("tip")).solve({"tip": [0, 0, 0]}, [0, 0, 0]), "start is [0, 0, 0], of shape"),
    (lambda: rm.InverseKinematics(SCENE, rm.PositionTarget("tip", [0, 0, 0])).solve(tolerance=0), "tolerance is 0, expected"),
    (lambda: rm.InverseKinematics(SCENE, rm.PositionTarget("tip", [0, 0, 0])).solve(method="newton"), "Valid: 'damped', 'gauss-newton'"),
    (lambda: rm.InverseKinematics(SCENE, rm.PositionTarget("tip", [0, 0, 0])).solve(restarts=-1), "restarts is -1"),
    (
        lambda: rm.InverseKinematics(SCENE, rm.PositionTarget("tip")).solve({"tip": np.zeros((3, 3))}, np.zeros((2, 2))),
        "the leading axes of goals and start must agree",
    ),
]


@pytest.mark.parametrize(("call", "says"), WRONG, ids=[says[:30] for _, says in WRONG])
def test_the_sentence(call, says):
    with pytest.raises(rm.SceneError) as error:
        call()
    assert says in str(error.value)


def test_limits_that_leave_no_range():
    scene = planar((1.0,), limit=0.5)
    scene.add_constraint(rm.HardLimit("part0", 1.0, 2.0))
    with pytest.raises(rm.SceneError, match=r"leave it no range: from 1 to 0\.5"):
        rm.InverseKinematics(scene, rm.PositionTarget("tip"))


@pytest.mark.filterwarnings("error")
def test_goals_as_far_as_may_be_are_missed_by_a_number():
    slides = cartesian(np.random.default_rng(0), 3, 0.5)[0]
    for scene in (planar((1.0, 1.0), limit=2.0), slides):
        found = rm.InverseKinematics(scene, rm.PositionTarget("tip", [1e50, 0, 0], weight=2.0)).solve(restarts=2)
        assert found.distances["tip"] == pytest.approx(1e50)
        assert np.isfinite(found.q).all()
        assert "1e+50 m off" in found.reason


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("backend", ["llvm", "interpret"])
def test_what_is_to_look_at_its_own_place_has_no_direction(backend):
    scene = planar((1.0, 1.0))
    ik = rm.InverseKinematics(scene, rm.LookAtTarget("part0", [0.0, 0.0, 0.0]), backend=backend)
    found = ik.solve(start=np.zeros((2, 2)), restarts=3)
    assert not found.success.any()
    expected = "part0 is at the place that it is to look at, where there is no direction to it. Start elsewhere, or allow restarts."
    assert found.reason[0] == found.reason[1] == ik.solve().reason == expected
    assert "there is no direction to it" in ik.solve().report()
    elsewhere = rm.InverseKinematics(scene, rm.LookAtTarget("tip", [2.0, 0.0, 0.0], axis="y"), backend=backend)
    assert "no direction" in elsewhere.solve().reason
    assert elsewhere.solve(restarts=20).success  # from where it has one
    assert elsewhere.solve(start=[[0.0, 0.0], [0.5, 1.0]]).success.tolist() == [False, True]


def test_markers_of_which_none_was_seen_are_said_to_be():
    scene = planar((1.0, 1.0))
    seen = np.stack([np.full((2, 3), np.nan), [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]])
    ik = rm.InverseKinematics(scene, rm.MarkerTarget([scene.find("part0").point(1.0, 0, 0), "tip"]))
    found = ik.solve({"markers": seen}, [0.1, 0.2])
    assert found.success.all()
    assert found.reason.tolist() == ["Nothing of markers was seen, so that there was nothing to reach.", "All targets are reached."]
    both = rm.InverseKinematics(scene, [rm.MarkerTarget(["tip"]), rm.PositionTarget("tip", [1.0, 1.0, 0.0], priority=1)])
    assert both.solve({"markers": [[np.nan] * 3]}).reason == "All targets are reached. Nothing of markers was seen."


EVERY = [rm.FrameTarget("tip"), rm.OrientationTarget("tip"), rm.MarkerTarget(["tip", "part0"]), rm.LookAtTarget("tip")]


@pytest.mark.parametrize("target", EVERY)
def test_no_goals_at_all_are_an_empty_batch(target):
    for scene in (planar((1.0, 1.0)), four_bar()[0], mapped()):
        if "tip" not in {getattr(f, "name", "") for f in scene.frames}:
            scene.add_frame("tip", "rocker", (1, 0, 0))
            target = rm.FrameTarget("tip")
        ik = rm.InverseKinematics(scene, [target, rm.PostureTarget(scene.model().q0, priority=1)])
        for shape in ((0,), (0, 3), (3, 0)):
            goal = {ik.targets[0].name: np.zeros((*shape, *target.shape))}
            for found in (ik.solve(goal), ik.follow(goal), ik.solve(goal, method="gauss-newton", restarts=2)):
                assert found.q.shape == (*shape, scene.model().nq)
                assert found.reason.shape == found.success.shape == shape
                assert found.residuals[ik.targets[0].name].shape[:-1] == shape
                assert found.report() == "No goals were given, so that nothing was reached."


def mapped() -> rm.Scene:
    """Hinges that a map moves together."""
    scene = planar((1.0, 1.0))
    scene.set_map(np.array([[1.0], [1.0]]))
    return scene
