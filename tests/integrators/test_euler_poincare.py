"""Motions of Lagrangians that a user writes: the heavy top as scenes and a restatement have it, closed forms, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import redmax as rm
from integrators.top_by_hand import MASS, X, run
from redmax.integrators.absolute.euler_poincare import Now, Step

SPIN = np.array([0.0, 150.0, -4.61538])
PLACED = np.eye(4)
PLACED[:3, 3] = X
MOVING = np.concatenate([SPIN, np.cross(SPIN, X)])


def top(E: Any, v: Any) -> Any:
    """1/2 v' M v + m g . x, the same on both groups."""
    return 0.5 * (v @ (MASS @ v)) - 15.0 * 9.81 * E[2, 3]


def fixed(E: Any) -> Any:
    """R'x = X."""
    return E[:3, :3].T @ E[:3, 3] - X


@pytest.mark.parametrize("index", [3, 2, 1])
@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
def test_the_lagrangian_of_the_heavy_top_moves_as_the_top_does(group, index):
    found = rm.EulerPoincare(top, group=group, constraint=fixed).simulate(PLACED, MOVING, 0.03, 1e-3, index=index)
    told = run(group, index, 1e-3, 30)
    np.testing.assert_allclose(found.pose[-1, 0, :3, 3], told.x, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.pose[-1, 0, :3, :3], told.R, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.multipliers[-1], told.lam, rtol=0, atol=1e-5)
    scene = rm.simulate("heavy-top", 0.03, 1e-3, integrator="generalized-alpha", group=group, index=index)
    if index != 1:  # where scenes have Baumgarte's terms
        np.testing.assert_allclose(scene.pose("top"), found.pose[:, 0], rtol=0, atol=1e-11)
    if index == 2:  # whose velocities are those of the joint
        np.testing.assert_allclose(scene.energy.total - scene.energy.total[0], found.energy - found.energy[0], rtol=0, atol=1e-6)


def seen_from_the_body(group: str, E: Any, v: Any) -> Any:
    """The body twist, or (Omega; xdot), of velocities seen from the world."""
    R, w = E[:3, :3], v[:3]
    return np.concatenate([R.T @ w, R.T @ (v[3:] + np.cross(w, E[:3, 3])) if group == "SE3-right" else v[3:]])


@pytest.mark.parametrize("index", [3, 2, 1])
@pytest.mark.parametrize("group", ["SE3-right", "SO3xR3-right"])
def test_seen_from_the_world_it_moves_as_scenes_do_there(group, index):
    """The same Lagrangian of the velocities of the other side: steps of the scene's bodies on the same group, and the order."""

    def lagrangian(E: Any, v: Any) -> Any:
        return top(E, seen_from_the_body(group, E, v))

    moving = np.concatenate([SPIN, np.zeros(3) if group == "SE3-right" else np.cross(SPIN, X)])
    equations = rm.EulerPoincare(lagrangian, group=group, constraint=fixed)
    found = equations.simulate(PLACED, moving, 0.03, 1e-3, index=index)
    if index != 1:
        scene = rm.simulate("heavy-top", 0.03, 1e-3, integrator="generalized-alpha", group=group, index=index)
        np.testing.assert_allclose(scene.pose("top"), found.pose[:, 0], rtol=0, atol=1e-11)
        assert np.abs(found.gap).max() < 1e-12
    exact = rm.simulate("heavy-top", 0.03, 0.03, rtol=1e-12).pose("top")[-1]
    finer = equations.simulate(PLACED, moving, 0.03, 5e-4, index=index)
    errors = [np.abs(run.pose[-1, 0] - exact).max() for run in (found, finer)]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.15)


def test_accelerations_are_the_same_from_either_side():
    """v' of the body of one, told as those of the others."""
    rng = np.random.default_rng(3)
    E = rm.pose(rm.rotation_about((1, 2, 3), 0.7), (0.3, -0.2, 0.5))
    twist = rng.normal(size=6)
    rate, _ = rm.EulerPoincare(top).accelerations(E, twist)
    spatial, _ = rm.EulerPoincare(lambda E, v: top(E, seen_from_the_body("SE3-right", E, v)), group="SE3-right").accelerations(
        E, rm.lie.Ad(E) @ twist
    )
    np.testing.assert_allclose(spatial[0], rm.lie.Ad(E) @ rate[0], rtol=1e-11, atol=1e-11)
    R, mixed = E[:3, :3], np.concatenate([E[:3, :3] @ twist[:3], E[:3, :3] @ twist[3:]])
    world, _ = rm.EulerPoincare(lambda E, v: top(E, seen_from_the_body("SO3xR3-right", E, v)), group="SO3xR3-right").accelerations(E, mixed)
    np.testing.assert_allclose(world[0], np.concatenate([R @ rate[0, :3], (0, 0, -9.81)]), rtol=1e-11, atol=1e-10)


def twice_fixed(E: Any) -> Any:
    """The same rows once more: multipliers of their own are not determined, their sum is."""
    return np.concatenate([fixed(E), fixed(E)])


@pytest.mark.parametrize(("group", "index"), [("SE3", 3), ("SO3xR3", 2), ("SE3-right", 2), ("SO3xR3-right", 1)])
def test_compiled_steps_are_those_taken_one_by_one(group, index, monkeypatch):
    """Also where rows repeat others, where elimination finds nothing; some of them are kept; portions and the interpreter are the same."""

    def push(E: Any, v: Any, t: Any) -> Any:
        return [0.0, t, 0.0, 0.0, 0.0, -5.0 * t]

    options: dict[str, Any] = {"group": group, "constraint": fixed, "wrench": push}
    compiled = rm.EulerPoincare(top, **options)
    whole = compiled.simulate(PLACED, MOVING, 0.02, 1e-3, index=index, rho=0.8)
    monkeypatch.setattr("redmax.integrators.absolute.euler_poincare.PORTION", 3)
    kept = compiled.simulate(PLACED, MOVING, 0.02, 1e-3, index=index, rho=0.8, every=2)
    np.testing.assert_allclose(kept.pose, whole.pose[::2], rtol=0, atol=1e-13)
    np.testing.assert_allclose(kept.t, whole.t[::2], rtol=0, atol=1e-15)
    slow = rm.EulerPoincare(top, **options, backend="interpret").simulate(PLACED, MOVING, 0.004, 1e-3, index=index, rho=0.8)
    np.testing.assert_allclose(slow.pose, whole.pose[:5], rtol=0, atol=1e-13)
    q, v = compiled.checked(PLACED, MOVING)
    rate, multipliers = (np.ravel(x) for x in compiled.accelerations(PLACED, MOVING))
    first = compiled.first_a(q, v, rate, 1e-3, index, 0.8, np.zeros(0))
    now, step = Now(q, v, first, rate, multipliers, np.zeros(0)), Step(compiled.equations, 1e-3, index, 0.8)
    for k in range(20):
        now = step.taken(now, (k + 1) * 1e-3)
        np.testing.assert_allclose(whole.pose[k + 1, 0, :3].ravel(), now.pose, rtol=0, atol=1e-13)
        np.testing.assert_allclose(whole.velocity[k + 1, 0], now.v, rtol=1e-12, atol=1e-11)
        np.testing.assert_allclose(whole.multipliers[k + 1], now.multipliers, rtol=1e-8, atol=1e-7)


def test_rows_that_repeat_others_are_taken_by_least_squares():
    once, twice = (rm.EulerPoincare(top, constraint=c).simulate(PLACED, MOVING, 0.01, 1e-3, index=3) for c in (fixed, twice_fixed))
    np.testing.assert_allclose(twice.pose, once.pose, rtol=0, atol=1e-11)
    np.testing.assert_allclose(twice.multipliers[:, :3] + twice.multipliers[:, 3:], once.multipliers, rtol=1e-6, atol=1e-9)


def test_a_charge_in_a_magnetic_field_goes_round_as_its_lagrangian_says():
    """L = 1/2 m |xdot|^2 + q/2 B . (x x xdot): a circle of radius m |xdot| / (q B), with second order."""
    mass, charge, field = 2.0, 3.0, 5.0

    def lagrangian(E: Any, v: Any) -> Any:
        x, u = E[:3, 3], v[3:]
        return 0.5 * mass * (u @ u) + 0.5 * (v[:3] @ v[:3]) + 0.5 * charge * field * (x[0] * u[1] - x[1] * u[0])

    rate, speed, end = charge * field / mass, 1.5, 0.4
    errors = []
    for n in (40, 80):
        found = rm.EulerPoincare(lagrangian, group="SO3xR3").simulate(np.eye(4), [0, 0, 0, speed, 0, 0], end, end / n)
        there = speed / rate * np.array([np.sin(rate * end), np.cos(rate * end) - 1.0, 0.0])
        errors.append(np.abs(found.pose[-1, 0, :3, 3] - there).max())
        assert np.abs(found.energy - found.energy[0]).max() < 1e-3 * found.energy[0]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def test_inertia_that_depends_on_the_pose():
    """L = 1/2 (1 + x^2) xdot^2 keeps (1 + x^2) xdot^2: the arc length grows in proportion to time."""

    def lagrangian(E: Any, v: Any) -> Any:
        u = (E[:3, :3] @ v[3:])[0] if E.shape == (4, 4) else 0.0
        return 0.5 * (1.0 + E[0, 3] ** 2) * u**2 + 0.5 * (v[:3] @ v[:3]) + 0.5 * ((v[3:] @ v[3:]) - u**2)

    found = rm.EulerPoincare(lagrangian).simulate(np.eye(4), [0, 0, 0, 1, 0, 0], 1.0, 0.005)
    x = found.pose[-1, 0, 0, 3]
    assert 0.5 * (x * np.sqrt(1 + x * x) + np.arcsinh(x)) == pytest.approx(1.0, abs=1e-5)


def test_two_bodies_held_together_by_a_rod():
    """A dumbbell: its centre falls freely, its length stays."""

    def lagrangian(E: Any, v: Any) -> Any:
        return sum(0.5 * m * (u[3:] @ u[3:]) + 0.5 * (u[:3] @ u[:3]) - 9.81 * m * F[2, 3] for m, F, u in zip((1.0, 3.0), E, v, strict=True))

    def apart(E: Any) -> Any:
        d = E[0][:3, 3] - E[1][:3, 3]
        return d @ d - 1.0

    poses = np.array([np.eye(4), np.eye(4)])
    poses[1, 0, 3] = 1.0
    moving = np.zeros((2, 6))
    moving[0, 4], moving[1, 4] = 3.0, -1.0
    found = rm.EulerPoincare(lagrangian, 2, group="SO3xR3", constraint=apart).simulate(poses, moving, 0.5, 0.01)
    centre = (found.pose[:, 0, :3, 3] + 3.0 * found.pose[:, 1, :3, 3]) / 4.0
    np.testing.assert_allclose(centre[-1], [0.75, 0.0, -0.5 * 9.81 * 0.25], rtol=0, atol=1e-8)
    assert np.abs(found.gap).max() < 1e-12
    assert np.abs(found.hidden_rate).max() < 1e-11
    assert found.multipliers[-1, 0] * 2.0 == pytest.approx(0.75 * 16.0, rel=1e-3)  # the tension, mu w^2 l, w = 4


def test_forces_beside_the_lagrangian_and_accelerations_at_one_state():
    body = rm.EulerPoincare(lambda E, v: 0.5 * (v @ v), wrench=lambda E, v, t: [0, 0, t, -v[3], 0, 0])
    rate, multipliers = body.accelerations(np.eye(4), [0, 0, 0, 2, 0, 0], t=3.0)
    np.testing.assert_allclose(rate, [[0, 0, 3, -2, 0, 0]], atol=1e-14)
    assert multipliers.shape == (0,)
    found = body.simulate(np.eye(4), [0, 0, 0, 2, 0, 0], 1.0, 0.01)
    assert found.velocity[-1, 0, 2] == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: rm.EulerPoincare(3), "lagrangian is a function"),  # type: ignore[arg-type]
        (lambda: rm.EulerPoincare(lambda E, v: v), "A Lagrangian is one number"),
        (lambda: rm.EulerPoincare(lambda E, v: v @ v, group="SO3"), "SO3xR3"),
        (lambda: rm.EulerPoincare(lambda E, v: E.nothing), "the function raised AttributeError"),
        (lambda: rm.EulerPoincare(lambda E, v: v @ v, wrench=lambda E, v, t: [1.0]), "wrench gives 6 numbers"),
        (lambda: rm.EulerPoincare(lambda E, v: v @ v).simulate(np.eye(4), np.ones(6), 1.0, 0.3), "whole number of steps"),
        (lambda: rm.EulerPoincare(lambda E, v: v @ v).accelerations(np.eye(3), np.ones(6)), "Expected 1 poses"),
        (lambda: rm.EulerPoincare(lambda E, v: v @ v).accelerations(2 * np.eye(4), np.ones(6)), "pose"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(call, said):
    with pytest.raises(rm.SceneError, match=said):
        call()
