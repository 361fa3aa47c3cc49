"""What rolls: steady circles of a disc, its way down a slope, and the laws of Newton and Euler along the motion of both scenes."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from redmax.scenes.rolling import (
    AXES,
    INERTIA,
    LOW,
    RADIUS,
    disc_with,
    rattleback,
    roll,
    rolling_disc,
    spin_of,
    under_the_disc,
    under_the_stone,
)
from scenes.runs import run_of


@pytest.mark.parametrize("dynamics", ["recursive", *[pytest.param(other, marks=pytest.mark.long) for other in ("redmax", "maximal")]])
def test_a_leaning_disc_rolls_around_a_circle(dynamics):
    """Of radius r w / Omega, at Omega, without falling."""
    lean, turning = 1.1, 2.0
    scene = disc_with(lean, turning)
    run = rm.simulate(scene, 3.0, 0.05, rtol=1e-10, dynamics=dynamics, progress=False)
    pose = run.pose("disc")
    radius = RADIUS * spin_of(scene.links[0].shape, lean, turning) / turning
    start = pose[0, :3, 3]
    place = np.stack([radius * -np.sin(turning * run.t), radius * (np.cos(turning * run.t) - 1)], axis=-1)
    assert np.abs(pose[:, 2, 2] - np.cos(lean)).max() < 1e-9
    assert np.abs(pose[:, 2, 3] - start[2]).max() < 1e-9
    assert min(np.abs(pose[:, :2, 3] - start[:2] - side * place).max() for side in (1, -1)) < 1e-8


def test_a_disc_rolls_down_a_slope():
    """By g sin / (1 + I / m r^2), 2/3 of what would slide."""
    scene, slope = rm.Scene(gravity=(9.81 * np.sin(0.3), 0, -9.81 * np.cos(0.3))), 9.81 * np.sin(0.3)
    upright = rm.pose(rm.rotation_about("x", np.pi / 2), (0, 0, RADIUS))
    roll(scene, scene.add_body(rm.Cylinder(RADIUS, 0.01, mass=2.0), joint=rm.Free3D(), at=upright, name="disc"), under_the_disc)
    run = rm.simulate(scene, 1.0, 0.1, rtol=1e-10, progress=False)
    assert np.abs(run.pose("disc")[:, 0, 3] - slope * run.t**2 / 3).max() < 1e-9


def rate(values: np.ndarray, h: float) -> np.ndarray:
    """Of samples, by differences of sixth order; three fewer at both ends."""
    parts = [c * values[k : len(values) - 6 + k] for k, c in enumerate((-1, 9, -45, 0, 45, -9, 1))]
    return sum(parts) / (60 * h)


@pytest.mark.parametrize(("scene", "touching"), [(rolling_disc, under_the_disc), (rattleback, under_the_stone)])
def test_newton_and_euler_hold_at_the_ground(scene, touching):
    """With the force that the motion of the centre asks for, at the point that touches, which stands still on the ground."""
    h, build = 2e-3, scene()
    body = build.links[0]
    run = rm.simulate(build, 1.0, h, rtol=1e-10, progress=False)
    E, phi = run.pose(body.name), run.twist(body.name)
    R, x = E[:, :3, :3], E[:, :3, 3]
    omega, v = (np.einsum("tij,tj->ti", R, part) for part in (phi[:, :3], phi[:, 3:]))
    r = np.array([touching(one) for one in R])
    assert np.abs(x[:, 2] + r[:, 2]).max() < 1e-10
    assert np.abs(v + np.cross(omega, r)).max() < 1e-8
    L = np.einsum("tij,jk,tk->ti", R, body.shape.inertia, phi[:, :3])
    force = body.shape.mass * (rate(v, h) + [0, 0, 9.81])
    moment = np.cross(r[3:-3], force)
    assert np.abs(rate(L, h) - moment).max() < 1e-6 * np.abs(moment).max()
    assert (force[:, 2] > 0).all()


def test_rows_of_a_free_body_and_a_joint_that_rolls_give_one_motion():
    """The stone touches the ground by two rows of its own and one of positions, or by its joint, whose contact has coordinates."""
    plane, q = rm.surfaces.Surface(lambda u, v: [u, v, 0 * u]), np.array([0.0, 0.0, 0.02, 0.05 - np.pi / 2, 0.0])
    joint = rm.SurfaceContact(plane, rm.surfaces.Ellipsoid(tuple(AXES)), spin=True, rolling=True)
    stone = rm.MassProperties(1.0, INERTIA)

    def jointed(qdot: np.ndarray) -> rm.Scene:
        scene = rm.Scene()
        scene.add_body(stone, joint=joint, com=(0, 0, -LOW), q=q, qdot=qdot, name="stone", check_joint=False)
        return scene

    engine = rm.Dynamics(jointed(np.zeros(5)))
    J, E = engine.frame_jacobian(q, np.zeros(5), "stone", kind="hybrid")[0], engine.pose(q, "stone")
    qdot = np.linalg.solve(np.concatenate([J[:3], engine.constraint_jacobian(q)]), [0.3, 0.1, -5.0, 0.0, 0.0])
    twist = (J @ qdot).reshape(2, 3) @ E[:3, :3]
    free = rm.Scene()
    roll(free, free.add_body(stone, joint=rm.Free3D(), at=E, qdot=(*twist[1], *twist[0]), name="stone"), under_the_stone)
    runs = [rm.simulate(scene, 0.6, 0.1, rtol=1e-10, progress=False) for scene in (jointed(qdot), free)]
    assert np.abs(runs[0].pose("stone") - runs[1].pose("stone")).max() < 1e-7


def test_a_rattleback_turns_back():
    run = run_of("rattleback")
    spin = run.twist("stone")[:, 2]
    turned = np.argmax(spin > 3)
    assert spin[0] == -5
    assert 1 < run.t[turned] < 9
    assert run.energy.drift.max() < 1e-7
