"""What is given wrongly is told in a sentence that names it, says what is valid, and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import redmax as rm
from design.reach.arms import planar

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
