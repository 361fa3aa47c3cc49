"""Scenes with deformables: what is attached stays so, what nothing drives loses energy, and what closes closes as far as it should."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from redmax.scenes import banner, mass_springs, soft_contact, soft_gripper
from scenes.runs import run_of, scene_of


def seen_from(run: rm.Trajectory, body: str, nodes: np.ndarray) -> np.ndarray:
    """Nodes (time, n, 3) in the frame of a body."""
    E = run.pose(body)
    return np.einsum("tji,tnj->tni", E[:, :3, :3], nodes - E[:, None, :3, 3])


def test_springs_end_where_they_are_attached():
    run = run_of("mass-springs")
    hanging, between = run.nodes("from the world"), run.nodes("between the links")
    half = (mass_springs.LENGTH / 2, 0, 0)
    np.testing.assert_array_equal(hanging[:, 0], np.broadcast_to(mass_springs.CORNER, (len(run), 3)))
    for body, nodes, place in (("second link", hanging[:, 2:], half), ("first link", between[:, :1], (0, 0, 0))):
        found = seen_from(run, body, nodes)
        np.testing.assert_allclose(found, np.broadcast_to(place, found.shape), atol=1e-12)


def test_mass_springs_keep_their_energy_while_it_goes_back_and_forth():
    run = run_of("mass-springs")
    assert run.energy.drift.max() < 1e-8
    assert np.ptp(run.energy.kinetic) > 0.9 * run.energy.kinetic.max()


def test_implicit_steps_go_to_the_same_motion_with_their_length():
    """First order: half the step, half the error."""
    exact = run_of("mass-springs").q[10]
    errors = []
    for dt in (1e-3, 5e-4, 2.5e-4):
        run = rm.simulate(scene_of("mass-springs"), 0.05, dt, integrator="implicit")
        errors.append(np.abs(run.q[-1] - exact).max())
    assert errors[-1] < 0.02  # cm
    assert errors[0] / errors[1] == pytest.approx(2, rel=0.15)
    assert errors[1] / errors[2] == pytest.approx(2, rel=0.15)


def test_the_banner_stays_on_its_bar():
    run = run_of("banner")
    top = run.nodes("cloth")[:, -banner.CELLS[0] - 1 :]
    kept = seen_from(run, "bar", top)
    np.testing.assert_allclose(kept, np.broadcast_to(kept[0], kept.shape), atol=1e-9)
    assert np.ptp(top[0] @ banner.SWING[:, 0]) == pytest.approx(banner.WIDTH, abs=1e-12)


def test_the_banner_loses_energy_all_the_time():
    run = run_of("banner")
    total, largest = run.energy.total, run.energy.kinetic.max()
    assert np.diff(total).max() < 1e-3 * largest
    assert total[-1] < total[0] - 0.3 * largest


def test_the_banner_hangs_from_its_bar_as_long_as_it_is():
    """It flaps, but neither stretches much nor crumples."""
    run = run_of("banner")
    grid = run.nodes("cloth").reshape(len(run), banner.CELLS[1] + 1, banner.CELLS[0] + 1, 3)
    down = np.linalg.norm(np.diff(grid, axis=1), axis=-1) * banner.CELLS[1] / banner.HEIGHT
    across = np.linalg.norm(np.diff(grid, axis=2), axis=-1) * banner.CELLS[0] / banner.WIDTH
    for strain in (down - 1, across - 1):
        assert np.abs(strain).max() < 0.2
    normal = np.cross(grid[:, -1, 0] - grid[:, 0, 0], grid[:, 0, -1] - grid[:, 0, 0])
    turned = np.degrees(np.arccos(np.clip(normal @ normal[0] / np.linalg.norm(normal, axis=1) / np.linalg.norm(normal[0]), -1, 1)))
    assert turned.max() > 45  # it swings and turns


def tips(run: rm.Trajectory) -> np.ndarray:
    """(time, fingers, 3)."""
    return np.stack([run.pose(f"tip {k + 1}")[:, :3, 3] for k in range(soft_gripper.FINGERS)], axis=1)


def test_fingertips_close_as_far_as_the_knuckles_turn():
    """A rigid finger's tip would be r = a + l sin(lean) from the axis; at rest soft ones are there but for their weight."""
    run = run_of("soft-gripper")
    r = np.linalg.norm(tips(run)[..., :2], axis=-1)
    length = soft_gripper.KNUCKLE + soft_gripper.LENGTH + soft_gripper.TIP / 2
    rigid = length * (np.sin(soft_gripper.OUT) + np.sin(soft_gripper.CLOSED - soft_gripper.OUT))
    at_rest = np.searchsorted(run.t, soft_gripper.OPEN)
    np.testing.assert_allclose(r[0] - r[at_rest], rigid, rtol=0.05)
    np.testing.assert_allclose(r[-1], r[0], atol=0.01)  # open again, but sagging


def test_fingers_lag_behind_and_swing_on():
    run = run_of("soft-gripper")
    r = np.linalg.norm(tips(run)[:, 0, :2], axis=-1)
    closed = np.searchsorted(run.t, [soft_gripper.CLOSE, soft_gripper.OPEN])
    lean = soft_gripper.OUT - np.array([soft_gripper.turned(float(t))[0] for t in run.t])
    rigid = soft_gripper.AROUND + (soft_gripper.KNUCKLE + soft_gripper.LENGTH + soft_gripper.TIP / 2) * np.sin(lean)
    behind = (r - rigid)[slice(*closed)]
    assert behind.max() > 0.015  # m
    assert behind.min() < -0.005


def test_fingers_are_alike():
    """Each is the first one, turned about the palm's axis."""
    run = run_of("soft-gripper")
    first = tips(run)[:, 0]
    for k in range(1, soft_gripper.FINGERS):
        R = rm.rotation_about("z", 2 * np.pi * k / soft_gripper.FINGERS)
        np.testing.assert_allclose(tips(run)[:, k], first @ R.T, atol=1e-8)


def test_fingers_stay_attached_and_no_element_turns_inside_out():
    run = run_of("soft-gripper")
    along = np.arange(len(run.nodes("finger 1")[0])) % (soft_gripper.CELLS[0] + 1)
    for soft in run.model.soft:
        number, nodes = soft.name.removeprefix("finger "), run.nodes(soft.name)
        for body, end in ((f"knuckle {number}", 0), (f"tip {number}", soft_gripper.CELLS[0])):
            kept = seen_from(run, body, nodes[:, along == end])
            np.testing.assert_allclose(kept, np.broadcast_to(kept[0], kept.shape), atol=1e-9)
        corners = nodes[:, soft.shape.tets]
        volume = np.linalg.det(corners[:, :, 1:] - corners[:, :, :1]) / 6
        assert (np.abs(volume / volume[0] - 1) < 0.3).all()


@pytest.mark.long  # as the banner does
def test_a_still_gripper_loses_energy(monkeypatch):
    """Let go straight, with its knuckles at rest: its fingers sag and come to rest."""
    monkeypatch.setattr(soft_gripper, "turned", lambda t: [0.0 * t])
    run = rm.simulate(soft_gripper.build(), 1.0, 0.01)
    assert np.diff(run.energy.total).max() < 1e-6 * (run.energy.total[0] - run.energy.total[-1])
    assert run.energy.kinetic[-1] < 0.02 * run.energy.kinetic.max()


def solved(run: rm.Trajectory) -> bool:
    """Contact and friction, to the tolerance, in 999 of 1000 steps."""
    return bool((run.contacts.residual <= 1e-6).mean() >= 0.999 and run.contacts.residual.max() <= 1e-3)


def test_soft_fingers_lift_a_ball_which_does_not_creep():
    run = run_of("soft-lift")
    up, held = run.pose("ball")[:, 2, 3], int(np.searchsorted(run.t, soft_contact.UP[1] + 0.6))
    assert up[-1] - up[0] == pytest.approx(soft_contact.LIFT, abs=0.005)
    assert np.abs(up[held:] - up[-1]).max() < 1e-8
    pulled = run.contact_force("ball", "left finger") + run.contact_force("ball", "right finger")
    assert pulled[-1] == pytest.approx([0, 0, 9.81 * soft_contact.MASS], abs=1e-6)
    assert set(run.contacts[-1].state) <= {"sticking", "open"}
    bent = run.nodes("left finger")[-1, :, 0] - run.nodes("left finger")[-1, 0, 0]
    assert bent.min() < -0.01  # outwards
    assert run.reaction("palm")[-1, 5] == pytest.approx(9.81 * sum(link.shape.mass for link in run.model.links), abs=1e-6)
    assert solved(run)


@pytest.mark.parametrize("cells", [10, pytest.param(soft_contact.SHEET_CELLS, marks=pytest.mark.long)])
def test_a_cloth_falls_over_a_sphere_and_lies_still(cells):
    run = rm.simulate(soft_contact.cloth(cells), 4.0, 0.005)
    nodes = run.nodes("cloth")
    away = np.linalg.norm(nodes - soft_contact.CENTRE, axis=-1) - soft_contact.BALL
    assert away.min() > 0.9 * soft_contact.SHEET_SKIN  # no ball about a node is deeper in the sphere than a millimetre
    assert nodes[-1, :, 2].min() < soft_contact.CENTRE[2]
    assert np.abs(run.qdot[-1]).max() < 1e-3
    weight = 9.81 * float(run.model.soft[0].shape.masses.sum())
    assert run.contact_force("cloth", "sphere")[-1] == pytest.approx([0, 0, weight], abs=0.02 * weight)
    assert solved(run)
