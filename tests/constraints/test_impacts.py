"""Impulses of impacts: what velocities jump by, in every way to step and every dynamics, through runs, batches and files."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import redmax as rm

DYNAMICS = ("recursive", "redmax", "maximal")


def stopped_four_bar() -> rm.Scene:
    """A loop whose crank meets a hard limit, with a second limit that is never met."""
    scene = rm.Scene()
    bar = lambda length: rm.Cuboid((length, 0.03, 0.03), mass=length)  # noqa: E731
    crank = scene.add_body(bar(0.3), joint=rm.Revolute("y"), com=(0.15, 0, 0), q=-1.2, qdot=4.0, name="crank")
    rod = scene.add_body(bar(0.7), joint=rm.Revolute("y"), parent=crank, at=(0.3, 0, 0), com=(0.35, 0, 0), q=0.9, name="rod")
    rocker = scene.add_body(bar(0.5), joint=rm.Revolute("y"), at=(0.7, 0, 0), com=(0.25, 0, 0), q=-1.3, name="rocker")
    scene.add_constraint(rm.PointClosure(rod.point(0.35, 0, 0), rocker.point(0.25, 0, 0), name="loop"))
    scene.add_constraint(rm.HardLimit(crank, -3.0, -0.6, name="stop"))
    scene.assemble(fixed=["crank"])
    return scene


def run_of(scene: rm.Scene, dynamics: str = "recursive", integrator: str = "adaptive", dt: float = 2e-4, **more) -> rm.Trajectory:
    return rm.simulate(scene, 0.2, dt=dt, integrator=integrator, dynamics=dynamics, progress=False, **more)


@pytest.mark.parametrize("dynamics", ["recursive", *[pytest.param(d, marks=pytest.mark.long) for d in DYNAMICS[1:]]])
def test_impulses_are_what_velocities_jump_by(dynamics):
    """M (qdot+ - qdot-) = G' p over the samples around the impact, loop and limit together; between impacts there is none."""
    run = run_of(stopped_four_bar(), dynamics)
    impulse, engine = np.asarray(run.impulse), rm.Dynamics(run.model)
    (impact,) = run.constraint("stop").impacts
    k = int(np.searchsorted(run.t, impact.t)) - 1
    G = np.concatenate([engine.constraint_jacobian(run.q[k + 1], name) for name in ("loop", "stop")])
    jump = engine.inertia(run.q[k + 1]) @ (run.qdot[k + 1] - run.qdot[k])
    assert np.abs(jump - G.T @ (impulse[k + 1] - impulse[k])).max() < 5e-3 * np.abs(jump).max()
    assert np.abs(np.diff(np.delete(impulse, k + 1, axis=0), axis=0)[k + 1 :]).max() < 1e-6 * np.abs(impulse).max()
    assert np.abs(impulse[: k + 1]).max() == 0.0
    assert np.isnan(run.impulse_time[k]).all()


@pytest.mark.parametrize(
    ("integrator", "dynamics"),
    [("implicit", "recursive"), *[pytest.param(i, d, marks=pytest.mark.long) for i in ("implicit", "euler") for d in DYNAMICS]],
)
def test_fixed_steps_come_to_the_same_impulses(integrator, dynamics):
    """With order one. A limit that rests has multipliers, and no further impulses."""
    exact = np.asarray(run_of(stopped_four_bar()).impulse)[-1]
    off = [np.abs(run_of(stopped_four_bar(), dynamics, integrator, dt).impulse[-1] - exact).max() for dt in (4e-4, 1e-4)]
    assert off[1] < 0.5 * off[0] + 1e-12
    assert off[1] < 0.02 * np.abs(exact).max()


def test_impulses_and_forces_are_the_change_of_momentum():
    """A weight that falls on a floor and rests there: p + integral of lambda = m g t."""
    scene = rm.Scene(gravity=(0, 0, -10))
    scene.add_body(rm.Sphere(0.1, mass=2.0), joint=rm.Prismatic("z"), q=0.5, name="ball")
    scene.add_constraint(rm.HardLimit("ball", 0.0, 5.0, name="floor"))
    for integrator, off in (("adaptive", 1e-9), ("implicit", 0.05), ("euler", 0.05)):
        run = rm.simulate(scene, 0.5, dt=0.001, integrator=integrator, progress=False)
        floor = run.constraint("floor")
        fell = floor.impacts[0].t
        assert abs(fell - 0.1**0.5) < max(off, 2e-3 * (integrator != "adaptive"))
        assert floor.impulse is not None
        assert abs(floor.impulse[-1, 0] + 20.0 * (0.5 - 0.1**0.5) - 20.0 * 0.5) < off


def test_worlds_pieces_and_files_have_their_impulses(tmp_path):
    """Each world as by itself, in portions and strides; None where nothing only pushes."""
    scene = stopped_four_bar()
    alone = run_of(scene, dt=1e-3)
    state = rm.Simulation(scene, dt=1e-3, integrator="adaptive").state
    both = rm.State(0.0, np.stack([state.q, state.q]), np.stack([state.qdot, 0.0 * state.qdot]))
    batch = run_of(scene, dt=1e-3, initial=both, out=tmp_path / "run.h5")
    again = rm.load(tmp_path / "run.h5")
    for run in (batch, again):
        assert np.allclose(run.world(0).impulse, alone.impulse, atol=1e-5)
        (impact,) = [i for i in run.constraint("stop").impacts if i.world == (0,)]
        assert impact.t == pytest.approx(alone.constraint("stop").impacts[0].t, abs=1e-9)
    assert np.array_equal(np.asarray(alone[::7].impulse), np.asarray(alone.impulse)[::7])
    free = rm.Scene()
    free.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Prismatic("z"))
    assert rm.simulate(free, 0.1, progress=False).impulse is None


@pytest.mark.parametrize("integrator", ["implicit", "euler"])
def test_a_rope_that_stays_taut_strikes_once(integrator):
    """A ball falls into a rope and swings on it: what the rope takes after that is a force."""
    scene = rm.Scene()
    ball = scene.add_body(rm.Sphere(0.1, mass=2), joint=rm.Translational(), q=(0.4, 0, 0), qdot=(1.5, 0, 0), name="ball")
    scene.add_constraint(rm.Rope([(0, 0, 0), ball], length=0.8, name="rope"))
    exact = rm.simulate(scene, 0.8, 0.01, integrator="adaptive", rtol=1e-9).constraint("rope").impacts
    steps = rm.simulate(scene, 0.8, 0.001, integrator=integrator).constraint("rope").impacts
    assert len(exact) == 1
    assert len(steps) <= 2  # in the first it is reached, and at rest in the next
    assert np.isclose(sum(impact.impulse[0] for impact in steps), exact[0].impulse[0], rtol=5e-3)
    assert abs(steps[0].t - exact[0].t) < 0.002


def sliding_tip(height: float) -> rm.Scene:
    """Two links on a base above or below a floor, whose tip falls on it and slides along: what presses on it turns with the joints."""
    above = height > 0
    scene = rm.Scene()
    upper = scene.add_body(
        rm.Cuboid((0.1, 0.1, 0.1), mass=1), joint=rm.Revolute("y"), at=(0, 0, height), com=(0.25, 0, 0), q=0.5 if above else -0.5, qdot=3.0
    )
    lower = scene.add_body(
        rm.Cuboid((0.5, 0.05, 0.05), mass=1), joint=rm.Revolute("y"), parent=upper, at=(0.5, 0, 0), com=(0.25, 0, 0),
        q=-0.2 if above else 0.3, qdot=1.0,
    )  # fmt: skip
    scene.add_constraint(rm.constraint(lambda tip: tip.x[2], bodies=[lower.point(0.25, 0, 0)], lower=0.0, name="floor"))
    return scene


@pytest.mark.parametrize("height", [0.5, -0.3])
@pytest.mark.parametrize(
    ("integrator", "dynamics"),
    [("implicit", "recursive"), *[pytest.param(*pair, marks=pytest.mark.long) for pair in (("euler", "redmax"), ("implicit", "maximal"))]],
)
def test_what_slides_along_a_limit_presses_and_does_not_strike(height, integrator, dynamics):
    """Impulses and forces come to those of `adaptive`: steps leave rates along rows that turn with joints, which are neither."""
    exact, steps = (
        rm.simulate(sliding_tip(height), 0.3, dt=5e-4, integrator=i, dynamics=d, progress=False).constraint("floor")
        for i, d in (("adaptive", "recursive"), (integrator, dynamics))
    )
    pressed = [np.trapezoid(c.multipliers[:, 0], c.t) for c in (exact, steps)]
    assert pressed[0] > 1.0
    assert np.isclose(pressed[1], pressed[0], rtol=5e-3)
    assert steps.impulse is not None
    assert exact.impulse is not None
    assert np.isclose(steps.impulse[-1, 0], exact.impulse[-1, 0], rtol=0.02)
    first = steps.impacts[0].t - exact.impacts[0].t
    assert 0.0 <= first <= 5e-4  # told as the end of a step, by both


def test_what_slides_along_a_limit_presses_beside_a_map_too():
    """Where the joints' angles are their sums and differences."""
    pressed = []
    for integrator in ("adaptive", "implicit"):
        scene = sliding_tip(0.5)
        scene.set_map(lambda r: [r[0], r[1] - r[0]], coordinates=2, q=(0.5, 0.3), qdot=(3.0, 4.0))
        floor = rm.simulate(scene, 0.15, dt=1e-3, integrator=integrator, dynamics="redmax", progress=False).constraint("floor")
        pressed.append(np.trapezoid(floor.multipliers[:, 0], floor.t))
    assert pressed[0] > 0.5
    assert np.isclose(pressed[1], pressed[0], rtol=0.02)


@pytest.mark.parametrize(("integrator", "index"), [("bdf1", None), ("generalized-alpha", 3), ("generalized-alpha", 2)])
def test_steps_that_end_on_all_rows_say_that_they_use_no_gain(integrator, index):
    """What begins open closes at once."""
    scene = rm.Scene()
    ball = scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Translational(), q=[1.0, 0, 0])
    scene.add_constraint(rm.Distance(ball, (0, 0, 0), 0.93, gain=5.0, name="rod"))
    with pytest.warns(rm.RedmaxWarning, match=rf"'rod' begins off by 0\.07: {integrator} closes that in its first step"):
        run = rm.simulate(scene, 0.02, 0.01, integrator=integrator, index=index)
    assert abs(np.linalg.norm(run.pose("body1")[1, :3, 3]) - 0.93) < 1e-12


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2", "generalized-alpha"])
def test_rates_that_are_closed_at_once_are_said(integrator):
    """A drive that begins at rest, and a rod that opens; not where rates are those that rows ask for."""

    def turning(speed, moving, gain=5.0):
        scene = rm.Scene(gravity=(0, 0, 0))
        wheel = scene.add_body(rm.Cylinder(0.2, 0.1, mass=1.0), joint=rm.Revolute("z"), qdot=speed)
        ball = scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Translational(), q=[1.0, 0, 0], qdot=[moving, 0.5, 0])
        drive = rm.constraint(lambda q, qdot: [qdot[0] - 4.0], joints=[wheel], rows=1, velocities=True, name="drive", gain=gain)
        scene.add_constraint(drive)
        scene.add_constraint(rm.Distance(ball, (0, 0, 0), 1.0, gain=gain, name="rod"))
        return scene

    for speed, moving, said in (
        (0.0, 0.0, r"'drive' begins with a rate that is off by 4"),
        (4.0, 0.3, r"'rod' begins with a rate .* by 0\.3"),
    ):
        with pytest.warns(rm.RedmaxWarning, match=rf"{said}: {integrator} closes that in its first step") as found:
            rm.simulate(turning(speed, moving), 0.02, 0.01, integrator=integrator)
        assert len(found) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rm.simulate(turning(4.0, 0.0), 0.02, 0.01, integrator=integrator)


def test_rows_of_accelerations_follow_their_gain():
    """Index 1 has nothing to say: what begins open closes as g'' + 2 b g' + b^2 g = 0 does, (1 + b t) exp(-b t) of it is left."""
    scene = rm.Scene(gravity=(0, 0, 0))
    ball = scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Translational(), q=[1.0, 0, 0])
    scene.add_constraint(rm.Distance(ball, (0, 0, 0), 0.93, gain=5.0, name="rod"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = rm.simulate(scene, 0.2, 0.002, integrator="generalized-alpha", index=1)
    left = np.linalg.norm(run.pose("body1")[:, :3, 3], axis=1) - 0.93
    np.testing.assert_allclose(left, 0.07 * (1 + 5 * run.t) * np.exp(-5 * run.t), atol=1e-5)
