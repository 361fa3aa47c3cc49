"""Published scenes whose final values are not printed anywhere: against the dense oracle with the methods written out, and closed forms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

import redmax as rm
from joints import definitions as d
from joints.definitions import Motion
from mechanisms import Mechanism
from redmax.joints.euler import ORDERS
from redmax.scenes import find
from scenes.oracle import BackwardDifferences, acceleration, energies, euler_motion, implicit_euler, mechanism, oracle, start
from scenes.runs import scene_of

X, Y, Z = np.eye(3)
U3 = np.array([[1, 4, 1, 0], [-3, 0, 3, 0], [3, -6, 3, 0], [-1, 3, -3, 1]]) / 6  # the uniform cubic basis: powers of u, functions


def hinge_and_slide(q: Any) -> np.ndarray:
    return d.revolute(X)(q[:1]) @ d.prismatic(X)(q[1:])


def published_surface(q: Any) -> np.ndarray:
    """Translation by x, y, z, then rotation about x and y; the first index of the control values goes with q2."""
    x = -15.0 + 10.0 * np.arange(4)
    a = -np.pi / 4 + np.pi / 6 * np.arange(4)
    first, second = basis(q[0]), basis(q[1])
    f = [
        sum(second[i] * C[i, j] * first[j] for i in range(4) for j in range(4))
        for C in (x[:, None] + 0 * x, 0 * x[:, None] + x, 0.05 * (x[:, None] ** 2 + x**2), a[:, None] + 0 * a)
    ]
    return d.pose(d.about(X, f[3]) @ d.about(Y, f[3]), f[:3])


def basis(u: Any) -> list[Any]:
    return [((c[3] * u + c[2]) * u + c[1]) * u + c[0] for c in U3.T]


MOTIONS: dict[str, Sequence[Motion]] = {
    "redmax:19": [hinge_and_slide],
    "redmax:22": [d.revolute(X), published_surface, d.revolute(Y)],
    "redmax:35": [d.free2d, d.revolute(Z)],
}


def relative(a: Any, b: Any) -> float:
    return np.abs(np.asarray(a) - b).max() / np.abs(b).max()


@pytest.mark.parametrize("reference", MOTIONS)
def test_linearly_implicit_euler_by_hand(reference):
    scene, dt, steps = scene_of(reference), find(reference).dt, 20
    m = mechanism(scene, MOTIONS[reference])
    q, qdot = implicit_euler(m, *start(scene), dt, steps)
    run = rm.simulate(scene, steps * dt, dt, integrator="implicit", dynamics="redmax")
    assert relative(run.q[-1], q) < 1e-9
    assert relative(run.qdot[-1], qdot) < 1e-9
    kinetic, potential = energies(oracle(m, q, qdot))
    H = kinetic + potential - energies(oracle(m, *start(scene)))[1]
    assert run.energy.total[-1] - run.energy.potential[0] == pytest.approx(H, rel=1e-8)


@pytest.mark.parametrize("reference", MOTIONS)
def test_accelerations_along_the_converged_motion(reference):
    entry, scene = find(reference), scene_of(reference)
    m, dynamics = mechanism(scene, MOTIONS[reference]), rm.Dynamics(scene.model(), backend="interpret")
    run = rm.simulate(scene, entry.duration, entry.dt, rtol=1e-10)
    assert run.energy.drift.max() < 1e-8
    for i in np.linspace(0, len(run) - 1, 6).astype(int):
        found = dynamics.forward(run.q[i], run.qdot[i], np.zeros(m.nv))
        np.testing.assert_allclose(found, acceleration(m, run.q[i], run.qdot[i]), rtol=1e-9, atol=1e-9 * np.abs(found).max())


def two_rods(charts: Sequence[str]) -> Mechanism:
    return mechanism(scene_of("redmax-diff:7"), [euler_motion(order) for order in charts])


def free_cube(charts: Sequence[str]) -> Mechanism:
    turn = euler_motion(charts[0])
    return mechanism(scene_of("redmax-diff:9"), [lambda q: d.translational(q[:3]) @ turn(q[3:])])


BALLS, FREE = (slice(0, 3), slice(3, 6)), (slice(3, 6),)


@cache
def run_of(reference: str, order: int, steps: int) -> rm.Trajectory:
    dt = find(reference).dt
    return rm.simulate(scene_of(reference), steps * dt, dt, integrator=f"bdf{order}", dynamics="redmax")


@pytest.mark.parametrize(
    ("reference", "build", "at", "order", "first", "last"),
    [
        ("redmax-diff:7", two_rods, BALLS, 1, 0, 6),
        ("redmax-diff:7", two_rods, BALLS, 2, 0, 6),
        ("redmax-diff:7", two_rods, BALLS, 2, 339, 345),  # through a change to other axes
        ("redmax-diff:9", free_cube, FREE, 1, 0, 10),
        ("redmax-diff:9", free_cube, FREE, 2, 0, 10),
    ],
)  # fmt: skip
def test_backward_differences_by_hand(reference, build, at, order, first, last):
    """From a sample of the run, the method written out reaches the later one, in charts that are as good."""
    run = run_of(reference, order, max(last, 345 if order == 2 and at is BALLS else 0))
    older = (run.q[first - 1].copy(), run.qdot[first - 1].copy()) if first else None
    charts = [ORDERS[k] for k in run.charts[first]]
    hand = BackwardDifferences(build, order, run.dt, run.q[first].copy(), run.qdot[first].copy(), charts, at, older)
    for _ in range(last - first):
        hand.step()
    ends = [ORDERS[k] for k in run.charts[last]]
    assert [(c[0], c[2]) for c in hand.charts] == [(c[0], c[2]) for c in ends]  # XYX is as good as XZX, and steps alike
    one, two = oracle(build(hand.charts), hand.q, hand.qdot), oracle(build(ends), run.q[last], run.qdot[last])
    np.testing.assert_allclose(one.E.astype(float), two.E.astype(float), atol=1e-7)
    np.testing.assert_allclose(one.phi.astype(float), two.phi.astype(float), rtol=1e-7, atol=1e-6)


def test_second_order_run_changes_charts_where_the_test_above_looks():
    changes = np.any(np.diff(run_of("redmax-diff:7", 2, 345).charts, axis=0), axis=1)
    assert (changes.nonzero()[0] + 1).tolist() == [342]


def in_rotation_vectors(scene: rm.Scene) -> rm.Scene:
    """The same bodies in the same state, on joints whose last three coordinates are a rotation vector."""
    other, angles, vector = rm.Scene(gravity=scene.gravity), rm.SphericalEuler(switching=False), rm.Spherical()
    for link in scene.links:
        q = rm.lie.so3.log(np.asarray(angles.transform(link.q[-3:]), float)[:3, :3])
        spin = angles.jacobian(link.q[-3:])[:3].astype(float) @ link.qdot[-3:]
        rates = np.linalg.solve(np.asarray(vector.jacobian(q)[:3], float), spin)
        other.add_body(
            link.shape, joint=vector if link.joint.dof == 3 else rm.Free3D(), at=link.at, body=link.body, name=link.name,
            parent=scene.links[link.parent].name if link.parent >= 0 else None,
            q=[*link.q[:-3], *q], qdot=[*link.qdot[:-3], *rates],
        )  # fmt: skip
    return other


@pytest.mark.long  # the same of other bodies is in test_euler and in test_compound
@pytest.mark.parametrize("reference", ["redmax-diff:7", "redmax-diff:9"])
def test_converged_poses_do_not_depend_on_the_coordinates(reference):
    entry = find(reference)
    runs = [rm.simulate(scene, entry.duration, 0.05, rtol=1e-11) for scene in (entry.scene(), in_rotation_vectors(entry.scene()))]
    np.testing.assert_allclose(runs[0].observed.pose, runs[1].observed.pose, atol=1e-6)


def test_thrown_cube_by_backward_differences_in_closed_form():
    """redmax-diff:6: the first order lags by h/2 of every velocity, the second order is exact for a parabola."""
    entry = find("redmax-diff:6")
    h, g, v, w = entry.dt, 980.0, 200.0, 20.0
    n = round(entry.duration / h)
    spin = 0.5 * w * w / 6
    for integrator, lag in (("bdf1", 1), ("bdf2", 0)):
        run = rm.simulate(entry.scene(), entry.duration, h, integrator=integrator, dynamics="redmax")
        rise = v * n * h - g * h * h * n * (n + lag) / 2
        np.testing.assert_allclose(run.q[-1], [-10 + 50 * n * h, -10 + rise, w * n * h], rtol=1e-10)
        np.testing.assert_allclose(run.qdot[-1], [50, v - g * n * h, w], rtol=1e-10)
        H = 0.5 * (50**2 + (v - g * n * h) ** 2) + spin + g * rise
        assert run.energy.total[-1] - run.energy.potential[0] == pytest.approx(H, rel=1e-10)
    assert pytest.approx(0.5 * (50**2 + v**2) + spin) == H  # the second order keeps the energy here


def test_composite_joint_slides_while_it_swings():
    """redmax:19: nothing pulls along the axis; the swing is that of a pendulum from the same angle."""
    entry = find("redmax:19")
    run = rm.simulate(entry.scene(), entry.duration, entry.dt, rtol=1e-11)
    np.testing.assert_allclose(run.q[:, 1], run.t, atol=1e-9)
    alone = rm.Scene(gravity=(0, 0, -980))
    alone.add_body(rm.Cuboid((1, 1, 10), density=1), joint=rm.Revolute("x"), com=(0, 0, 5), q=0.1)
    np.testing.assert_allclose(run.q[:, 0], rm.simulate(alone, entry.duration, entry.dt, rtol=1e-11).q[:, 0], atol=1e-7)


def test_falling_pair_keeps_its_angular_momentum_about_its_centre():
    """redmax:35: the centre flies a parabola, and nothing turns the pair about it."""
    run = rm.simulate(find("redmax:35").scene(), 10.0, 0.1, rtol=1e-11)
    E, V = run.observed.pose, run.observed.twist
    centre = E[:, :, :3, 3].mean(axis=1)
    v = np.einsum("tnij,tnj->tni", E[:, :, :3, :3], V[:, :, 3:])
    parabola = centre[0] + np.outer(run.t, v[0].mean(axis=0)) - np.outer(run.t**2, [0, 0.5, 0])
    np.testing.assert_allclose(centre, parabola, atol=1e-7)
    arm, speed = E[:, :, :3, 3] - centre[:, None], v - v.mean(axis=1)[:, None]
    spin = 10 * np.cross(arm, speed)[:, :, 2].sum(axis=1) + 10 * (100 + 1) / 12 * V[:, :, 2].sum(axis=1)
    np.testing.assert_allclose(spin, spin[0], rtol=1e-8)
