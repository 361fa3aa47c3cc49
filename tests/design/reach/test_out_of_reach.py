"""What is out of reach: by how much, against closed forms; what holds it; and that nothing nearer is beside it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import lsq_linear

import redmax as rm
from design.reach.arms import cartesian, planar, seven_hinges


def test_a_planar_arm_stretches_towards_what_is_too_far():
    lengths, rng = (1.0, 0.7, 0.4), np.random.default_rng(0)
    angle, far = rng.uniform(-3, 3, 20), rng.uniform(2.2, 5.0, 20)
    goal = np.stack([far * np.cos(angle), far * np.sin(angle), 0 * far], axis=-1)
    found = rm.InverseKinematics(planar(lengths), rm.PositionTarget("tip", axes="xy")).solve({"tip": goal}, rng.normal(size=(20, 3)))
    np.testing.assert_allclose(found.distances["tip"], far - 2.1, atol=1e-10)
    np.testing.assert_allclose(np.sin(found.q[:, 0] - angle), 0.0, atol=1e-6)
    assert not found.success.any()
    assert "as near as the mechanism comes" in found.reason[0]


def test_what_is_too_near_is_missed_by_what_the_longest_part_is_too_long():
    goal, start = [0.0, 0.1, 0.0], [0.5, 2.0]
    found = rm.InverseKinematics(planar((1.0, 0.5)), rm.PositionTarget("tip", goal, axes="xy")).solve(start=start)
    assert found.distances["tip"] == pytest.approx(0.4, abs=1e-10)


def test_a_goal_in_millimetres_is_asked_about():
    arm = rm.InverseKinematics(planar((1.0, 0.5)), rm.PositionTarget("tip", axes="xy"))
    assert arm.solve({"tip": [700.0, 900.0, 0.0]}).reason.endswith("Is the goal of tip in m, and not in millimetres?")
    assert "millimetres" not in arm.solve({"tip": [7.0, 9.0, 0.0]}).reason


def test_a_limit_that_holds_is_named():
    found = rm.InverseKinematics(planar((1.0,), limit=0.5), rm.PositionTarget("tip", [0.0, 1.0, 0.0], axes="xy")).solve()
    assert found.q[0] == 0.5
    assert found.distances["tip"] == pytest.approx(2 * np.sin((np.pi / 2 - 0.5) / 2), abs=1e-12)
    assert found.reason == "tip is 1.02037 m off: held by the upper limit of part0 (0.5)."
    assert found.pushing[0] < 0
    free = rm.InverseKinematics(planar((1.0,), limit=0.5), rm.PositionTarget("tip", [0.0, 1.0, 0.0], axes="xy"), limits=False)
    assert free.solve().success


@pytest.mark.parametrize("seed", range(4))
def test_slides_end_where_bounded_least_squares_does(seed):
    rng = np.random.default_rng(seed)
    scene, directions = cartesian(rng, 5, 0.3)
    goal = 2.0 * rng.normal(size=3)
    found = rm.InverseKinematics(scene, rm.PositionTarget("tip", goal)).solve()
    best = lsq_linear(directions, goal, (-0.3, 0.3), tol=1e-14)
    assert found.distances["tip"] == pytest.approx(np.sqrt(2 * best.cost), abs=1e-9)


def test_conditions_of_a_least_hold_where_bounds_hold():
    """Karush, Kuhn and Tucker: no gradient along what is free, and none that leads back from a bound."""
    scene, rng = seven_hinges(), np.random.default_rng(1)
    ik = rm.InverseKinematics(scene, rm.PositionTarget("tool"))
    goal = rng.normal(size=(40, 3)) * 2.0
    found = ik.solve({"tool": goal}, rng.uniform(-1, 1, (40, 7)))
    J = rm.Dynamics(scene).frame_jacobian(found.q, None, "tool", "hybrid")[0][:, 3:]
    g = np.einsum("wkn,wk->wn", J, found.residuals["tool"])
    size = np.linalg.norm(found.residuals["tool"], axis=1)[:, None]
    at_lower, at_upper = found.q <= ik.bounds.lower, found.q >= ik.bounds.upper
    left = np.where(at_lower, np.minimum(g, 0.0), np.where(at_upper, np.maximum(g, 0.0), g))
    far = ~found.success
    assert far.sum() > 10
    assert (np.abs(left[far]) <= 1e-7 * size[far]).all()
    assert ((found.pushing > 0) <= at_lower).all()
    assert ((found.pushing < 0) <= at_upper).all()


def test_one_row_alone_is_at_rest_where_its_jacobian_vanishes():
    """At the furthest that a ball turns a point along one axis, J = 0: nothing is left to be gained there."""
    scene, rng = rm.Scene(), np.random.default_rng(2)
    ball = scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Spherical(), name="ball")
    point = ball.point(0.1, 0.05, -0.1)
    found = rm.InverseKinematics(scene, rm.PositionTarget(point, [1.0, 0.0, 0.0], axes="x")).solve(start=rng.normal(size=(20, 3)))
    np.testing.assert_allclose(found.distances["ball"], 1.0 - 0.15, atol=1e-12)
    assert found.still.all()
    assert all("as near as the mechanism comes" in reason for reason in found.reason)


def test_what_nothing_moves_is_where_it_is():
    scene = planar((1.0, 1.0))
    scene.add_body(rm.Sphere(0.1, mass=1.0), at=(0, 1, 0), name="post")
    found = rm.InverseKinematics(scene, rm.PositionTarget("post", [0.0, 3.0, 0.0])).solve()
    assert found.reason == "post is 2 m off: as near as the mechanism comes from there."
    assert rm.InverseKinematics(scene, rm.PositionTarget("post", [0.0, 1.0, 0.0])).solve().success
