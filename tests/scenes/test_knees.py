"""Knees from data: the table is the geometry that it says, joints meet it or miss it by as much as is said, a foot is where it is told."""

from __future__ import annotations

import numpy as np
from scipy.integrate import quad

import redmax as rm
from redmax.scenes import flexion, reaching_leg
from scenes.runs import run_of, scene_of


def plateau(a: float) -> np.ndarray:
    """(x, z) of the plateau's origin in the condyle's frame (m), by the rolling and sliding of an ellipse."""
    A, B = flexion.LONG, flexion.HIGH
    normal = np.array([-np.sin(a), -np.cos(a)])
    touching = (A**2, B**2) * normal / np.hypot(A * np.sin(a), B * np.cos(a))

    def rolled(x: float) -> float:
        radius = (A * B) ** 2 / np.hypot(A * np.sin(x), B * np.cos(x)) ** 3
        return (0.15 + 0.85 / (1 + np.exp((np.degrees(x) - 35) / 8))) * radius

    return touching + quad(rolled, 0, a)[0] * np.array([np.cos(a), -np.sin(a)])


def missed(pose) -> np.ndarray:
    """(9,): how far a knee's plateau is from where the data have it (m), at their flexions."""
    return np.array([np.linalg.norm((pose(a) - E)[:3, 3]) for E, a in zip(*flexion.poses(), strict=True)])


def test_the_table_is_of_an_ellipse_that_rolls_and_slides():
    for a, x, z in flexion.FLEXION:
        np.testing.assert_allclose((x / 1e3, z / 1e3), plateau(np.radians(a)), atol=0.051e-3)


def test_the_joint_meets_the_data_and_counts_in_radians():
    knee = flexion.joint()
    assert missed(lambda a: knee.pose([a])).max() < 1e-12
    np.testing.assert_allclose(knee.range, np.radians([0, 120]))


def test_hinge_and_bars_miss_the_data_by_millimetres():
    """The hinge is the nearest there is; the bars, which cross, are nearer."""
    hinge = missed(
        lambda a: rm.pose(np.eye(3), flexion.AXIS) @ rm.pose(rm.rotation_about("y", a), (0, 0, 0)) @ rm.pose(np.eye(3), flexion.ARM)
    )
    bars = missed(flexion.bars_at)
    poses, _ = flexion.poses()
    rows = np.vstack([np.hstack([np.eye(2), E[:3:2, :3:2]]) for E in poses])
    best, *_ = np.linalg.lstsq(rows, poses[:, :3:2, 3].ravel(), rcond=None)
    np.testing.assert_allclose(best, (*flexion.AXIS[::2], *flexion.ARM[::2]), atol=1e-4)
    assert 5e-3 < hinge.max() < 6e-3
    assert bars.max() < 3.5e-3
    assert (bars**2).mean() < 0.4 * (hinge**2).mean()
    ends = [np.array([(x, z), (E := flexion.bars_at(1.0))[:3:2, :3:2] @ end + E[:3:2, 3]]) for (x, z), end in flexion.BARS]
    across = np.linalg.solve(np.column_stack([ends[0][1] - ends[0][0], ends[1][0] - ends[1][1]]), ends[1][0] - ends[0][0])
    assert ((across > 0) & (across < 1)).all()


def test_shanks_swing_within_the_range_of_the_data_with_their_loop_closed():
    run = run_of("knee-from-flexion")
    knee = run.coordinates("knee")[:, 0]
    assert 0 < knee.min() < np.radians(15)
    assert np.radians(90) < knee.max() < np.radians(120)
    assert np.abs(rm.Dynamics(run.model).constraint_gap(run.q)).max() < 1e-10


def test_smoothing_takes_the_noise_away():
    """Of a knee through 49 noisy poses and the smoothed one: how far from the truth, and how much the shank's axis wobbles."""
    noisy, smooth = (link.joint for link in scene_of("knee-smoothed").model().bodies[-2:])
    a = np.radians(np.linspace(2, 118, 200))[:, None]
    truth = flexion.joint().pose(a)
    off = [np.abs(knee.pose(a) - truth).max(axis=(1, 2)).mean() for knee in (noisy, smooth)]
    assert off[1] < 0.5 * off[0]
    wobble = [np.abs(knee.twist(a, np.ones_like(a))[:, [0, 2]]).max() for knee in (noisy, smooth)]
    assert wobble[1] < 0.1 * wobble[0]


def test_the_foot_comes_to_stand_on_the_step():
    run = run_of("climbing-leg")
    dynamics = rm.Dynamics(run.model)
    for q, told in ((run.q[0], reaching_leg.SOLES[0]), (run.q[-1], reaching_leg.SOLES[-1])):
        np.testing.assert_allclose(dynamics.pose(q, "sole"), reaching_leg.sole_pose(*told), atol=1e-6)
    toes = dynamics.pose(run.q, "sole") @ (0.16, 0, 0.02, 1)
    past = toes[:, 0] > reaching_leg.STEP[0] - 0.15
    assert toes[past, 2].min() > reaching_leg.STEP[1]  # over the edge, not through it
    assert (run.coordinates("knee") < np.radians(120)).all()
    assert np.abs(run.torques["knee.motion"]).max() > 1
