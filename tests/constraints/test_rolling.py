"""Rolling without slip: bodies on each other against closed forms, and against each other."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm

R, r, MASS, A, C = 0.3, 0.02, 1.3, 0.02, 0.035  # of a disc with a round edge; its inertia across and along its axis
PLANE = rm.surfaces.Surface(lambda u, v: [u, v, 0.0 * u])


def on_plane(shape: rm.surfaces.ParametricSurface, body: rm.Body, **options: object) -> rm.Scene:
    scene = rm.Scene(gravity=options.pop("gravity", (0, 0, -9.81)))  # type: ignore[arg-type]
    joint = rm.SurfaceContact(PLANE, shape, spin=True, rolling=True)
    scene.add_body(body, joint=joint, name="body", check_joint=False, **options)  # type: ignore[arg-type]
    return scene


def disc(q: object = None, qdot: object = None) -> rm.Scene:
    given = {} if q is None else {"q": q, "qdot": qdot}
    return on_plane(rm.surfaces.Torus(R, r), rm.MassProperties(MASS, np.diag([A, A, C])), **given)


@pytest.mark.parametrize("dynamics", ["recursive", *[pytest.param(name, marks=pytest.mark.long) for name in ("redmax", "maximal")]])
def test_a_ball_rolls_down_an_incline(dynamics: str) -> None:
    """a = 5/7 g sin(angle); a ball that slides would have g sin(angle)."""
    g = 9.81 * np.array([np.sin(0.3), 0.0, -np.cos(0.3)])
    scene = on_plane(rm.surfaces.Sphere(0.1), rm.Sphere(0.1, mass=2.0), gravity=g, q=(0.0, 0.0, 0.3, 0.2, 0.4))
    run = rm.simulate(scene, 0.5, 0.005, integrator="rk4", dynamics=dynamics)
    x = run.pose("body")[:, 0, 3]
    np.testing.assert_allclose(x - x[0], 0.5 * 5 / 7 * g[0] * run.t**2, atol=1e-7)
    assert np.ptp(run.energy.total) < 1e-6


def steady(theta: float, turn: float) -> tuple[np.ndarray, ...]:
    """omega, v of the centre, and their rates, of a disc whose axis is at theta to the vertical and goes around at the rate `turn`.

    d/dt = turn z x; the contact force m (a + g) at P and the angular momentum H: turn z x H = (P - G) x F, linear in the spin.
    """
    z, a = np.array([0.0, 0.0, 1.0]), np.array([np.sin(theta), 0.0, np.cos(theta)])
    low = -(z - np.cos(theta) * a) / np.sin(theta)
    arm = R * low - r * z

    def moment(spin: float) -> tuple[float, np.ndarray, np.ndarray]:
        omega = turn * z + spin * a
        v = np.cross(omega, -arm)
        H = A * omega + (C - A) * (omega @ a) * a
        F = MASS * (turn * np.cross(z, v) + 9.81 * z)
        return float((turn * np.cross(z, H) - np.cross(arm, F))[1]), omega, v

    zero, slope = moment(0.0)[0], moment(1.0)[0] - moment(0.0)[0]
    _, omega, v = moment(-zero / slope)
    return omega, v, turn * np.cross(z, omega), turn * np.cross(z, v)


@pytest.mark.parametrize(("theta", "turn"), [(0.4, 2.5)])
def test_a_disc_rolls_steadily_in_a_circle(theta: float, turn: float) -> None:
    omega, v, alpha, acceleration = steady(theta, turn)
    model = disc().model()
    engine = rm.Dynamics(model)
    q = np.array([0.3, -0.2, 0.7, theta - np.pi / 2, 0.4])  # the edge touches where its normal points down
    E = engine.pose(q, "body")
    angle = np.arctan2(E[1, 2], E[0, 2])  # the direction in which the axis leans: the closed form has it along x
    Z = rm.rotation_about("z", angle)
    wanted = np.concatenate([Z @ omega, Z @ v])
    J = engine.frame_jacobian(q, np.zeros(5), "body", kind="hybrid")[0]
    qdot, *_ = np.linalg.lstsq(J, wanted, rcond=None)
    np.testing.assert_allclose(J @ qdot, wanted, atol=1e-9)
    assert np.abs(engine.constraint_rate(q, qdot)).max() < 1e-9
    found = engine.acceleration(q, qdot, engine.forward(q, qdot), "body", kind="hybrid", classical=True)
    np.testing.assert_allclose(found, np.concatenate([Z @ alpha, Z @ acceleration]), atol=1e-7)


def test_curves_that_roll_are_gears() -> None:
    """A wheel that rolls around a fixed one of the same size turns twice as it goes around once."""
    scene = rm.Scene(gravity=(0, 0, 0))
    joint = rm.CurveOnCurve(rm.curves.Circle(0.2), rm.curves.Circle(0.1), rolling=True)
    scene.add_body(rm.Cylinder(0.1, 0.05, mass=1), joint=joint, qdot=(1.0, 2.0), name="wheel")
    run = rm.simulate(scene, 1.0, 0.01, integrator="rk4")
    np.testing.assert_allclose(0.2 * (run.q[:, 0] - run.q[0, 0]), 0.1 * (run.q[:, 1] - run.q[0, 1]), atol=1e-9)
    assert np.abs(run.q[-1, 0]) > 0.5


@pytest.mark.long
def test_a_point_that_does_not_slip_is_a_pivot() -> None:
    held, pivot = rm.Scene(), rm.Scene()
    joint = rm.PointOnSurface(rm.surfaces.Sphere(1.0), "free", rolling=True)
    q = (0.4, 0.3, 0.1, 0.2, 0.3)
    held.add_body(rm.Cuboid((0.3, 0.2, 0.1), mass=1), joint=joint, com=(0.2, 0, 0), q=q, qdot=(0, 0, 1, 0, 0), name="body")
    place = np.asarray(joint.transform(np.array([*q, 0.0])))[:3, 3]
    shape, turning = rm.Cuboid((0.3, 0.2, 0.1), mass=1), {"q": q[2:], "qdot": (1, 0, 0)}
    pivot.add_body(shape, joint=rm.Spherical(), at=place, com=(0.2, 0, 0), name="body", **turning)
    runs = [rm.simulate(s, 0.5, 0.01, integrator="adaptive") for s in (held, pivot)]
    np.testing.assert_allclose(runs[0].pose("body"), runs[1].pose("body"), atol=1e-7)


@pytest.mark.long
def test_a_rattleback_turns_round() -> None:
    """Spun the wrong way, an ellipsoid whose inertia is turned against its axes begins to rattle, and turns back; energy stays."""
    turned = rm.rotation_about("z", 0.1)
    body = rm.MassProperties(1.0, turned @ np.diag([2e-4, 1.6e-3, 1.7e-3]) @ turned.T)
    stone, q = rm.surfaces.Ellipsoid((0.2, 0.03, 0.02)), (0.0, 0.0, 0.02, 0.05 - np.pi / 2, 0.0)
    engine = rm.Dynamics(on_plane(stone, body, q=q))
    J, G = engine.frame_jacobian(q, np.zeros(5), "body", kind="hybrid")[0], engine.constraint_jacobian(q)
    qdot = np.linalg.solve(np.concatenate([J[:3], G]), [0.02, 0.01, -6.0, 0.0, 0.0])
    run = rm.simulate(on_plane(stone, body, q=q, qdot=qdot), 2.0, 0.01, rtol=1e-9)
    spin = np.einsum("tj,tj->t", run.pose("body")[:, 2, :3], run.twist("body")[:, :3])
    assert spin[0] == pytest.approx(-6.0)
    assert spin[120] > 5.5
    assert np.ptp(run.energy.total) < 1e-7 * run.energy.kinetic.max()
    assert np.abs(run.constraint("rolling of body").rate).max() < 1e-12


def test_a_joint_that_rolls_closes_no_loop() -> None:
    scene = disc()
    with pytest.raises(rm.SceneError, match=r"which rolls. A loop cannot be closed by one that does"):
        rm.Closure(scene.links[0].joint, (0, 0, 0), scene.find("body"))
