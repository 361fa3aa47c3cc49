"""Constraints whose force is limited: they hold as long as it suffices, give way at the limit, and catch again. Against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from random_examples import examples
from redmax.io import loads

DYNAMICS = ("recursive", "redmax", "maximal")
INTEGRATORS = ("euler", "implicit", "adaptive", "bdf1", "bdf2")
USUAL = {("recursive", "implicit"), ("recursive", "adaptive"), ("recursive", "bdf2"), ("redmax", "euler"), ("maximal", "implicit")}
WAYS = [pytest.param(d, i, marks=() if (d, i) in USUAL else pytest.mark.long) for d in DYNAMICS for i in INTEGRATORS]
SOME = [pytest.param(i, marks=() if i == "implicit" else pytest.mark.long) for i in INTEGRATORS]


def coordinates(run: rm.Trajectory) -> np.ndarray:
    return run.q.reshape(len(run.t), -1)


def ran(scene: rm.Scene, duration: float, dt: float, **how) -> rm.Trajectory:
    return rm.simulate(scene, duration, dt=dt, progress=False, **how)


def block(load: float = 1.0, limits: object = 3.0, speed: float = 2.0) -> rm.Scene:
    """1.5 kg with dry friction, on which a force acts."""
    scene = rm.Scene(gravity=(0, 0, 0))
    body = scene.add_body(rm.Cuboid((0.2, 0.2, 0.2), mass=1.5), joint=rm.Prismatic("x"), qdot=speed, torque=load, name="block")
    scene.add_constraint(rm.constraint(lambda q, v: v[0], joints=[body], velocities=True, force_limits=limits, name="friction"))
    return scene


@pytest.mark.parametrize(("dynamics", "integrator"), WAYS)
def test_dry_friction_stops_a_block_and_holds_it(dynamics, integrator):
    """At t = m v / (F - load) after v t / 2; then it stays to roundings, and the force is that of the load."""
    run = ran(block(), 2.0, 0.01, integrator=integrator, dynamics=dynamics)
    x, stop = coordinates(run)[:, 0], 2.0 * 1.5 / (3.0 - 1.0)
    exact = np.where(run.t < stop, 2.0 * run.t - run.t**2 / stop, stop)
    assert np.abs(x - exact).max() < (1e-9 if integrator == "adaptive" else 0.02)
    assert np.ptp(x[run.t > stop + 0.05]) < (1e-6 if integrator == "bdf2" else 1e-11)  # differences over two steps forget slowly
    force = run.multipliers.reshape(len(run.t), -1)[:, 0]
    assert np.allclose(force[run.t < stop - 0.02], -3.0)
    assert np.allclose(force[run.t > stop + 0.02], -1.0)
    assert np.diff(0.75 * run.qdot.ravel() ** 2 - x).max() < 1e-9  # kinetic energy, less the work of the load


@pytest.mark.parametrize("integrator", SOME)
def test_momentum_is_what_forces_did(integrator):
    """Impulses of load and friction, with what is told of the latter, against the change of momentum; both limits, and none."""
    for limits, load in (((-3.0, 0.5), 4.0), ((0.0, 2.0), -5.0), (0.0, 1.0)):
        run = ran(block(load, limits, speed=0.7), 0.5, 0.005, integrator=integrator)
        told = run.multipliers.reshape(len(run.t), -1)[:, 0]
        assert told.min() >= np.min(limits) - 1e-12 or np.ndim(limits) == 0
        impulse = np.concatenate([[0.0], np.cumsum(0.5 * (told[1:] + told[:-1]) * np.diff(run.t))]) + load * run.t
        assert np.abs(1.5 * (run.qdot.ravel() - 0.7) - impulse).max() < 0.03


def clutch(limit: float = 4.0, **more) -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, 0))
    for name, inertia, speed in (("driving", 2.0, 6.0), ("driven", 1.0, 0.0)):
        scene.add_body(rm.Cylinder(1.0, 0.1, mass=2 * inertia), joint=rm.Revolute("z"), qdot=speed, name=name)
    scene.add_constraint(rm.Gear("driven", "driving", 1.0, gain=0.0, force_limits=limit, name="clutch", **more))
    return scene


@pytest.mark.long
@pytest.mark.parametrize("dynamics", DYNAMICS)
def test_a_clutch_brings_two_discs_to_one_speed(dynamics):
    """After 6 / (T / 2 + T / 1) seconds; what is lost is T times the angle that it slipped."""
    run = ran(clutch(), 2.0, 0.01, integrator="adaptive", dynamics=dynamics, rtol=1e-10)
    rates = run.qdot.reshape(len(run.t), -1)
    assert np.abs(rates[run.t >= 1.0] - 4.0).max() < 1e-9
    assert np.abs(rates - np.where(run.t[:, None] < 1, [6, 0] + run.t[:, None] * [-2.0, 4.0], 4.0)).max() < 1e-9
    slip = coordinates(run)[:, 0] - coordinates(run)[:, 1]
    lost = run.energy.total[0] - run.energy.total
    assert np.abs(lost.ravel() - 4.0 * slip).max() < 1e-8
    assert np.abs(run.constraint("clutch").work.ravel() + lost.ravel()).max() < 0.03


def motor(limit: object, motion=0.0, **more) -> rm.Scene:
    """An arm of 1 kg, 0.5 m from its axis: 4.905 N m where it is level."""
    scene = rm.Scene()
    arm = scene.add_body(rm.Cuboid((1.0, 0.05, 0.05), mass=1.0), joint=rm.Revolute("y"), com=(0.5, 0, 0), name="arm")
    scene.add_constraint(rm.PrescribedCoordinate(arm, motion, force_limits=limit, name="motor", **more))
    return scene


@pytest.mark.parametrize(
    ("dynamics", "integrator"), [("redmax", "adaptive"), *[pytest.param(*way.values, marks=pytest.mark.long) for way in WAYS]]
)
def test_a_motor_holds_as_long_as_its_torque_suffices(dynamics, integrator):
    held = ran(motor(5.0), 1.0, 0.01, integrator=integrator, dynamics=dynamics)
    assert np.abs(coordinates(held)).max() < 1e-9
    assert np.allclose(held.multipliers, -4.905)
    slips = ran(motor(4.8), 0.5, 0.01, integrator=integrator, dynamics=dynamics)
    assert np.allclose(slips.multipliers[1:], -4.8)  # and falls as a pendulum with that torque does
    falls = rm.Scene()
    falls.add_body(rm.Cuboid((1.0, 0.05, 0.05), mass=1.0), joint=rm.Revolute("y"), com=(0.5, 0, 0), torque=-4.8)
    assert np.abs(coordinates(slips) - coordinates(ran(falls, 0.5, 0.01, integrator=integrator, dynamics=dynamics))).max() < 1e-9


@pytest.mark.parametrize("integrator", SOME)
def test_a_motor_that_was_overpowered_goes_back(integrator):
    """With its gain, along s = gdot + b g = 0, once it is there; with gain 0 it stays where it came to rest."""
    for gain, left in ((5.0, 1e-3), (0.0, None)):
        scene = rm.Scene(gravity=(0, 0, 0))
        push = lambda t, q, v: [rm.math.where(t < 0.3, 8.0, 0.0)]  # noqa: E731
        body = scene.add_body(rm.Cuboid((0.2, 0.2, 0.2), mass=1.0), joint=rm.Prismatic("x"), torque=push, name="body")
        scene.add_constraint(rm.PrescribedCoordinate(body, 0.0, force_limits=5.0, gain=gain, name="motor"))
        run = ran(scene, 2.5, 0.005, integrator=integrator)
        x, v = coordinates(run)[:, 0], run.qdot.ravel()
        assert x.max() > 0.15
        if left is None:
            assert np.ptp(x[run.t > 1.0]) < 1e-9
            assert x[-1] > 0.2
        else:
            assert abs(x[-1]) < left
            late = run.t > 1.5
            assert np.abs(v[late] + 5.0 * x[late]).max() < 0.03 * np.abs(x).max()


@pytest.mark.parametrize("integrator", [*SOME[:-2], "bdf1", SOME[-1]])
def test_brakes_on_one_joint_share_what_is_asked(integrator):
    """Together they hold what neither could alone, at most with what each has; beyond it the body slides away under all of them."""
    for forces, load, told in (((3.0, 5.0), 6.0, (-3.0, -3.0)), ((1.0, 5.0), 5.5, (-1.0, -4.5)), ((1.0, 2.0), 5.0, (-1.0, -2.0))):
        scene = block(load, forces[0], speed=0.0)
        scene.add_constraint(rm.constraint(lambda q, v: v[0], joints=["block"], velocities=True, force_limits=forces[1], name="other"))
        run = ran(scene, 0.2, 0.01, integrator=integrator)
        assert np.allclose(run.multipliers[-1], told)
        assert np.allclose(run.qdot[-1], max(load - sum(forces), 0.0) * 0.2 / 1.5, atol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("n", [3, 6])
def test_joints_with_dry_friction_only_lose(n):
    """A chain that comes to rest, link by link: energy falls from sample to sample, by the work of friction; all dynamics agree."""
    scene, body = rm.Scene(), None
    for k in range(n):
        at = (0.3, 0, 0) if k else None
        shape = rm.Cuboid((0.3, 0.05, 0.05), density=500.0)
        body = scene.add_body(shape, joint=rm.Revolute("y"), parent=body, at=at, com=(0.15, 0, 0), name=f"l{k}")
        force = 0.2 * (n - k) * (1.0 + 0.3 * (-1) ** k)
        scene.add_constraint(rm.constraint(lambda q, v: v[0], joints=[body], velocities=True, force_limits=force, name=f"f{k}"))
    runs = [ran(scene, 4.0, 0.005, integrator="adaptive", rtol=1e-8, dynamics=d) for d in DYNAMICS]
    for run in runs:
        E = run.energy.total.ravel()
        assert np.diff(E).max() < 1e-8
        assert abs(E[0] - E[-1] + sum(float(run.constraint(f"f{k}").work.ravel()[-1]) for k in range(n))) < 1e-4 * (E[0] - E[-1])
        assert np.abs(coordinates(run) - coordinates(runs[0])).max() < 1e-5
    fixed = ran(scene, 4.0, 5e-4, integrator="implicit")
    assert np.abs(coordinates(fixed)[-1] - coordinates(runs[0])[-1]).max() < 3e-3


def chain(seed: int, **limits) -> rm.Scene:
    """Three links with brakes, a limited tie to the world, and now and then a rod or a stop beside them."""
    rng = np.random.default_rng(seed)
    scene, body = rm.Scene(), None
    for k in range(3):
        joint = rm.Revolute(rng.normal(size=3)) if k else rm.Spherical()
        more = {"qdot": rng.normal()} if k else {"qdot": rng.normal(size=3)}
        body = scene.add_body(
            rm.Cuboid((0.4, 0.1, 0.05), mass=rng.uniform(0.5, 2.0)), joint=joint, parent=body, at=(0.4, 0, 0) if k else None,
            com=(0.2, 0, 0), name=f"b{k}", **more,
        )  # fmt: skip
        if k:
            force = rng.uniform(0.05, 1.5)
            scene.add_constraint(rm.constraint(lambda q, v: v[0], joints=[body], velocities=True, force_limits=force, name=f"brake {k}"))
    assert body
    end, gain = body.point(0.2, 0, 0), float(rng.choice([0.0, 4.0]))
    scene.add_constraint(rm.PointClosure(end, (0.9, 0.3, -0.2), force_limits=rng.uniform(0.5, 3.0), gain=gain, name="tie"))
    if seed % 2:
        scene.add_constraint(rm.HardLimit("b1", -0.2, 0.3))
    return scene


@pytest.mark.long
@given(st.integers(0, 10**6))
@examples(2, 30)
def test_all_dynamics_agree(seed):
    """recursive == redmax == maximal with adaptive steps, nothing gains energy beyond what the gain of the tie gives, and dt -> 0 is it."""
    scene = chain(seed)
    runs = [ran(scene, 0.3, 0.01, integrator="adaptive", rtol=1e-9, dynamics=d) for d in DYNAMICS]
    for run in runs[1:]:
        assert np.abs(coordinates(run) - coordinates(runs[0])).max() < 1e-6
        assert np.median(np.abs(run.multipliers - runs[0].multipliers)) < 1e-5
    steps = [[ran(scene, 0.3, dt, integrator="implicit", dynamics=d) for d in DYNAMICS[:2]] for dt in (2e-3, 5e-4)]
    errors = [np.abs(coordinates(one)[-1] - coordinates(runs[0])[-1]).max() for one, _ in steps]
    assert errors[1] < 0.5 * errors[0] + 1e-5 < 0.05
    assert all(np.abs(coordinates(one) - coordinates(two)).max() < 1e-8 for one, two in steps)


def test_a_rope_pays_out_at_its_limit():
    """A weight of 20 N on a rope of 15 N: free until it is taut, then it falls with 5 N; adaptive and fixed steps agree on it."""
    scene = rm.Scene(gravity=(0, 0, -10))
    ball = scene.add_body(rm.Sphere(0.1, mass=2.0), joint=rm.Prismatic("z"), q=-0.5, name="ball")
    scene.add_constraint(rm.Rope([(0, 0, 0), ball], length=1.0, force_limits=15.0, name="rope"))
    taut = 0.1**0.5
    for integrator, error in (("adaptive", 1e-8), ("implicit", 0.02), ("euler", 0.02)):
        run = ran(scene, 0.6, 0.002, integrator=integrator)
        after = np.maximum(run.t - taut, 0.0)
        exact = -0.5 - 5.0 * np.minimum(run.t, taut) ** 2 - np.sqrt(10.0) * after - 0.5 * 2.5 * after**2
        assert np.abs(coordinates(run)[:, 0] - exact).max() < error
        tension = run.multipliers.reshape(len(run.t), -1)[:, 0]
        assert np.allclose(tension[run.t < taut - 0.01], 0.0)
        assert np.allclose(tension[run.t > taut + 0.01], 15.0)


def test_limits_of_each_row_and_of_worlds():
    """A pair for each row; parameters of a batch, in lanes; and with single precision."""
    scene = rm.Scene(gravity=(3.0, 2.0, -9.0))
    body = scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Translational(), name="body")
    scene.add_constraint(rm.PointClosure(body, (0, 0, 0), force_limits=[(-2, 2), (-5, 5), (-1, 4)], gain=0, name="tie"))
    run = ran(scene, 0.5, 0.01, integrator="euler")
    assert np.allclose(run.multipliers[-1], [-2.0, -2.0, 4.0])
    assert np.allclose(run.qdot[-1], [0.5, 0.0, -2.5])
    limits = np.array([[-f, f] for f in (0.5, 1.5, 2.5, 3.5, 4.5)])
    for dtype in ("float64", "float32"):
        many = ran(block(), 4.0, 0.01, integrator="implicit", parameters={"friction.force_limits": limits}, dtype=dtype)
        for k, (_, force) in enumerate(limits):
            alone = ran(block(limits=force), 4.0, 0.01, integrator="implicit")
            assert np.allclose(many.q[:, k], alone.q, atol=1e-12 if dtype == "float64" else 1e-4)


def test_files_pickles_and_words(tmp_path):
    scene = motor((-1.0, 4.0))
    scene.save(tmp_path / "motor.yaml")
    again = rm.Scene.load(tmp_path / "motor.yaml")
    assert "force_limits=(-1, 4)" in repr(again.constraints[0]) == repr(scene.constraints[0])
    text = "redmax: 1\nbodies:\n  - {name: a, shape: {Sphere: {radius: 0.1}}, joint: Revolute, com: [0.3, 0, 0]}\nconstraints:\n"
    read = loads(text + "  - constraint: {function: 'qdot1[0]', joints: [a], velocities: true, force_limits: 2}\n")
    assert read.constraints[0].force_limits.tolist() == [-2.0, 2.0]
    for given_, said in (((1, 2), "zero in between"), (-1, "zero in between"), ("much", "a number"), ([1, 2, 3], "a pair for each row")):
        with pytest.raises(rm.SceneError, match=said):
            motor(given_)
    with pytest.raises(rm.SceneError, match=r"has 1 row, and force_limits has 2 pairs"):
        motor([(-1, 1), (-2, 2)])
    with pytest.raises(rm.SceneError, match="compliance and force_limits"):
        motor(2.0, compliance=0.1)
    with pytest.raises(rm.SceneError, match="only pushes"):
        rm.HardLimit("a", 0.0, force_limits=(-1, 2))
    for integrator in ("rk4", "forward-euler"):
        with pytest.raises(rm.RedmaxError, match=r"limited force.*'motor'.*does not go with|limited force.*goes with"):
            ran(motor(2.0), 0.1, 0.01, integrator=integrator)
