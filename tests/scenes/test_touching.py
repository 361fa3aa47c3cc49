"""The examples of Si & Guenter keep their energy, and what one sees is true: rings are linked, bodies touch, a board stays on its bowl."""

from __future__ import annotations

import warnings
from math import comb, pi

import numpy as np
import pytest

import redmax as rm
from redmax.joints.checks.check import verdict
from redmax.scenes import board_rider, find, windmill, wire_chain
from redmax.scenes.torus_chain import MAJOR, MINOR, PITCH, torus_chain
from scenes.runs import run_of
from scenes.solids import depth, into, links, outward, world

DEGREES = {"torus-chain-10": 38, "torus-chain-20": 78, "windmill": 73, "bezier-torus-chain": 33, "bezier-board": 19}
CHAINS = ("torus-chain-10", "torus-chain-20", "bezier-torus-chain")


def rings(run: rm.Trajectory) -> np.ndarray:
    """(time, rings, 4, 4): the poses of the rings of a chain, from the top."""
    names = [name for name in (link.name for link in run.model.links) if name.startswith("ring")]
    return np.stack([run.pose(name) for name in names], axis=1)


@pytest.mark.parametrize("name", DEGREES)
def test_energy_stays_while_it_goes_back_and_forth(name):
    run = run_of(name)
    assert run.q.shape[-1] == DEGREES[name]
    assert run.energy.drift.max() < 1e-8
    assert np.ptp(run.energy.kinetic) > 0.1 * run.energy.kinetic.max()


@pytest.mark.parametrize("name", DEGREES)
def test_no_joint_is_suspect_and_none_leaves_its_domain(name):
    verdict.cache_clear()  # it warns once for each motion
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        find(name).scene()
    run = run_of(name)
    for link in run.model.links:
        if link.joint.domain:
            lower, upper = np.transpose(link.joint.domain)
            q = run.coordinates(link.name)
            assert ((lower < q) & (q < upper)).all()


@pytest.mark.parametrize("n", [1, 3])
def test_chain_of_any_length_can_hang_still(n):
    scene = torus_chain(n)
    model = scene.model()
    assert model.nv == 4 * n - 2
    dynamics = rm.Dynamics(model, backend="interpret")
    np.testing.assert_allclose(dynamics.forward(model.q0, model.qdot0), 0.0, atol=1e-9)
    named = [i for i, link in enumerate(model.links) if link.name.startswith("ring")]
    centres = dynamics.observe(model.q0, model.qdot0).pose[named, :3, 3]
    np.testing.assert_allclose(centres, [(0, 0, ((n - 1) / 2 - i) * PITCH) for i in range(n)], atol=1e-12)


@pytest.mark.parametrize("name", CHAINS)
def test_rings_are_linked_and_never_overlap(name):
    E = rings(run_of(name))[:: 10 if name == "torus-chain-10" else 25]
    n = E.shape[1]
    assert set(np.abs(links(E[:, :-1], E[:, 1:], MAJOR)).ravel()) == {1.0}
    angle = 2 * pi * np.arange(360) / 360
    core = MAJOR * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)
    for i in range(n):
        for j in range(i + 1, n):
            if j > i + 1:
                assert not links(E[:, i], E[:, j], MAJOR).any()
            between = MINOR - depth(rm.Torus(MAJOR, MINOR), into(E[:, i], world(E[:, j], core))).max(axis=-1)
            assert between.min() > 2 * MINOR - 1e-9


@pytest.mark.parametrize("name", [*CHAINS, "windmill"])
def test_bodies_touch_in_one_point(name):
    """The place on the parent is on both boundaries, and their normals oppose each other: by the bodies' own equations."""
    run = run_of(name)
    contacts = [link for link in run.model.links if isinstance(link.joint, rm.SurfaceContact)]
    assert contacts
    for link in contacts:
        above = run.model.links[link.parent]
        u, v = np.moveaxis(run.coordinates(link.name)[::20, :2], -1, 0)
        on_parent = np.stack([np.asarray(link.joint.parent.point(a, b), float) for a, b in zip(u, v)])[:, None]
        E, F = run.pose(above.name)[::20], run.pose(link.name)[::20]
        if link.at is not None:
            on_parent = on_parent @ link.at[:3, :3].T + link.at[:3, 3]
        on_child = into(F, world(E, on_parent))
        assert np.abs(depth(above.shape, on_parent)).max() < 1e-12
        assert np.abs(depth(link.shape, on_child)).max() < 1e-12
        one = outward(above.shape, on_parent) @ np.swapaxes(E[:, :3, :3], -1, -2)
        two = outward(link.shape, on_child) @ np.swapaxes(F[:, :3, :3], -1, -2)
        np.testing.assert_allclose(one, -two, atol=1e-8)


def test_rings_turn_about_their_own_axes():
    run = run_of("torus-chain-10")
    assert np.ptp(run.coordinates("ring5")[:, 2]) > 1.0


def test_windmill_has_every_pair_and_goes_round():
    run = run_of("windmill")
    kinds = {
        frozenset((type(link.shape), type(run.model.links[link.parent].shape)))
        for link in run.model.links
        if isinstance(link.joint, rm.SurfaceContact)
    }
    S, T, E = rm.Sphere, rm.Torus, rm.Ellipsoid
    assert kinds == {frozenset(pair) for pair in ((S, S), (S, E), (S, T), (T, T), (T, E))}
    hub = run.coordinates("hub")[:, 0]
    assert (np.diff(hub) < 0).all()
    assert hub[0] - hub[-1] > 1.5 * 2 * pi
    sails = run.q[:, 1:].reshape(len(run), 18, 4)
    assert np.abs(sails - sails[0]).max() < 0.7  # the springs hold the sails out, far from the poles of balls and eggs
    assert (np.ptp(sails, axis=0).max(axis=0) > 0.03).all()  # and yet all four coordinates of contacts are in use


def test_sails_do_not_run_into_each_other():
    run = run_of("windmill")
    bodies = [link for link in run.model.links if link.name != "tower"]
    poses = {link.name: run.pose(link.name)[::10] for link in bodies}
    for link in bodies:
        points = world(poses[link.name], np.asarray(link.shape.mesh(16)[0]))
        for other in bodies:
            if other is not link:
                assert depth(other.shape, into(poses[other.name], points)).max() < 1e-9


def test_windmill_without_weight_turns_as_one_body():
    """Its sails point straight outwards, where the forces at the contacts go through the hub and all springs are relaxed."""
    scene = windmill.build()
    scene.gravity = np.zeros(3)
    run = rm.simulate(scene, 0.5)
    np.testing.assert_allclose(run.q[:, 0], windmill.SPIN * run.t, atol=1e-7)
    np.testing.assert_allclose(run.q[:, 1:], np.broadcast_to(run.q[0, 1:], (len(run), 72)), atol=1e-7)


def test_windmill_is_the_same_from_three_sides():
    """With a weight along the axle, every second sail does the same."""
    scene = windmill.build()
    scene.gravity = -9.81 * windmill.AXLE[:, 2]
    run = rm.simulate(scene, 1.0)
    sails = run.q[:, 1:].reshape(len(run), 3, 6, 4)  # three bodies of six sails
    assert np.abs(sails - sails[0]).max() > 0.05
    for i in (2, 4):
        np.testing.assert_allclose(sails[:, :, i : i + 2], sails[:, :, :2], atol=1e-6)


def bernstein(n: int, s: np.ndarray) -> np.ndarray:
    """(..., n + 1): the polynomials that weigh the control points."""
    return np.stack([comb(n, k) * s**k * (1 - s) ** (n - k) for k in range(n + 1)], axis=-1)


def test_first_ring_stays_on_the_curve_and_along_it():
    run = run_of("bezier-torus-chain")
    points = wire_chain.POINTS
    assert points.shape == (7, 3)
    s = run.coordinates("ring1")[:, 0]
    E = run.pose("ring1")
    np.testing.assert_allclose(E[:, :3, 3], bernstein(6, s) @ points, atol=1e-12)
    tangent = bernstein(5, s) @ (6 * np.diff(points, axis=0))
    np.testing.assert_allclose(E[:, :3, 2], tangent / np.linalg.norm(tangent, axis=-1, keepdims=True), atol=1e-12)


def test_chain_on_the_curve_goes_to_and_fro():
    run = run_of("bezier-torus-chain")
    s = run.coordinates("ring1")[:, 0]
    assert 0.1 < s.min() < s.max() < 0.9
    assert (np.diff(np.sign(s - 0.5)) != 0).sum() >= 4
    hangs = rings(run)[:, -1, :3, 3] - rings(run)[:, 0, :3, 3]
    assert np.degrees(np.arccos(-hangs[:, 2] / np.linalg.norm(hangs, axis=-1))).max() > 40


def test_board_stays_in_the_tangent_plane():
    run = run_of("bezier-board")
    at = np.linspace(-board_rider.SIDE / 2, board_rider.SIDE / 2, 5)
    net = np.stack([*np.meshgrid(at, at, indexing="ij"), board_rider.HEIGHTS], axis=-1)
    u, v = np.moveaxis(run.coordinates("board")[:, :2], -1, 0)
    link = run.model.links[0]
    joint = run.pose("board") @ np.linalg.inv(link.body)

    def weighed(a: np.ndarray, b: np.ndarray, points: np.ndarray) -> np.ndarray:
        return np.einsum("ti,tj,ijk->tk", a, b, points)

    np.testing.assert_allclose(joint[:, :3, 3], weighed(bernstein(4, u), bernstein(4, v), net), atol=1e-12)
    along_u = weighed(bernstein(3, u), bernstein(4, v), np.diff(net, axis=0))
    along_v = weighed(bernstein(4, u), bernstein(3, v), np.diff(net, axis=1))
    normal = np.cross(along_u, along_v)
    np.testing.assert_allclose(joint[:, :3, 2], normal / np.linalg.norm(normal, axis=-1, keepdims=True), atol=1e-12)


def test_rider_goes_round_and_stays_up():
    run = run_of("bezier-board")
    board, head = run.pose("board"), run.pose("head")
    x, y = board[:, 0, 3], board[:, 1, 3]
    turns = np.ptp(np.unwrap(np.arctan2(y, x))) / (2 * pi)
    assert turns > 2
    assert np.hypot(x, y).max() < 0.5 * board_rider.SIDE - 0.8  # with the whole board over the bowl
    normal = (board @ np.linalg.inv(run.model.links[0].body))[:, :3, 2]
    height = np.einsum("ti,ti->t", head[:, :3, 3] - board[:, :3, 3], normal)
    assert 1.1 < height.min() < height.max() < 1.6
    assert {"PointOnSurface", "Revolute", "Spherical"} == {type(link.joint).__name__ for link in run.model.links}
