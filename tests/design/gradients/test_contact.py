"""Gradients of runs in which bodies touch: against closed forms and differences; and where there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import redmax as rm
from redmax.design.gradients.flat import moved
from redmax.dynamics.contact.rows import STRUCK

TOUCHING = 0.0999  # height of what lies on the ground and is 0.2 high, a little in it
SPINNING = (1.0, 0.3, 0.2, 0.4, 0.5, -0.3)


def ball(z: float = TOUCHING, contact: Any = 0.5, joint: Any = None, **given: Any) -> rm.Scene:
    scene = rm.Scene()
    scene.add_ground(contact=contact)
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=joint or rm.Free(), at=(0, 0, z), contact=contact, name="ball", **given)
    return scene


def two_balls() -> rm.Scene:
    scene = ball()
    given = {"qdot": (-1.0, 0.2, -1.0, 0.5, 0.4, 0.3), "contact": 0.5}
    scene.add_body(rm.Sphere(0.05, mass=0.3), joint=rm.Free3D(), at=(0.15, 0.01, 0.15), name="other", **given)
    return scene


def box_on_slope() -> rm.Scene:
    """It sticks."""
    scene, slope = rm.Scene(), rm.pose(rm.rotation_about("y", 0.3), (0, 0, 0))
    scene.add_obstacle(rm.Plane(), at=slope, contact=0.8)
    at = slope @ rm.pose(np.eye(3), (0, 0, TOUCHING))
    scene.add_body(rm.Cuboid((0.2, 0.2, 0.2), mass=1.0), joint=rm.Free3D(), at=at, contact=0.8, name="box")
    return scene


def sliding_box() -> rm.Scene:
    scene = rm.Scene()
    scene.add_ground(contact=0.5)
    box = rm.Cuboid((0.2, 0.3, 0.2), mass=1.0)
    scene.add_body(box, joint=rm.Free(), at=(0, 0, TOUCHING), qdot=(0, 0, 0.2, 1.0, 0.3, 0), contact=0.5, name="box")
    return scene


def stack() -> rm.Scene:
    """Turned against each other, so that corners of faces are cut."""
    scene = rm.Scene()
    scene.add_ground(contact=0.6)
    for k in range(2):
        at = rm.pose(rm.rotation_about("z", 0.1 * k), (0.01 * k, 0, TOUCHING + 0.1999 * k))
        scene.add_body(rm.Cuboid((0.2, 0.2, 0.2), mass=1.0), joint=rm.Free(), at=at, contact=0.6, name=f"box {k}")
    return scene


def links() -> rm.Scene:
    """A chain of capsules with springs that falls to the ground."""
    scene = rm.Scene()
    scene.add_ground(contact=0.6)
    lying = rm.pose(rm.rotation_about("y", np.pi / 2 - 0.03), (0, 0, 0.056))
    capsule = rm.Capsule(0.05, 0.3, mass=1.0)
    parent = scene.add_body(capsule, joint=rm.Free(), at=lying, contact=0.6, name="link 0")
    for k in range(1, 3):
        hinge: dict[str, Any] = {"joint": rm.Revolute("y"), "stiffness": 5.0, "damping": 0.1}
        parent = scene.add_body(capsule, parent=parent, at=(0, 0, 0.4), contact=0.6, name=f"link {k}", **hinge)
    return scene


def cost(now: Any) -> Any:
    return np.sin(now.q) @ np.arange(1.0, 1 + len(now.q)) + now.qdot @ np.arange(2.0, 2 + len(now.qdot))


def along(value: Callable[[np.ndarray], float], direction: np.ndarray, e: float) -> float:
    """Central difference, of fourth order."""
    one, two = (value(k * e * direction) - value(-k * e * direction) for k in (1, 2))
    return (8 * one - two) / (12 * e)


def differs(scene: rm.Scene, duration: float, dt: float, integrator: str, e: float = 1e-6, **options: Any) -> float:
    """Of the gradient by the state and all torques from differences of the same run, in a direction; and that it is the run of simulate."""
    given: dict[str, Any] = {"integrator": integrator, **options}
    g = rm.gradient(scene, cost, duration, dt, **given)
    found, run = g(), rm.simulate(scene, duration, dt, **given)
    assert np.allclose(found.end.q, run.q[-1], atol=1e-7)
    assert np.allclose(found.end.qdot, run.qdot[-1], atol=1e-5)
    assert len(run.contacts[-1])
    direction = np.random.default_rng(1).normal(size=len(g.start))
    value, slopes = g.flat(g.start)
    assert value == found.value
    expected = along(lambda step: g.flat(g.start + step)[0], direction, e)
    return abs(slopes @ direction - expected) / max(1.0, abs(expected))


@pytest.mark.parametrize("integrator", ["euler", "implicit"])
def test_balls_roll_slide_and_strike(integrator):
    assert differs(ball(qdot=SPINNING), 0.05, 0.005, integrator, 1e-5) < 1e-9
    assert integrator == "euler" or differs(two_balls(), 0.05, 0.005, integrator, 1e-5) < 1e-9


@pytest.mark.parametrize("dynamics", ["recursive", "redmax"])
def test_a_chain_with_springs_falls_on_the_ground(dynamics):
    assert differs(links(), 0.06, 0.01, "implicit", dynamics=dynamics) < 1e-7


def test_a_box_sticks_on_a_slope_and_is_pushed():
    assert differs(box_on_slope(), 0.02, 0.005, "implicit", 1e-5) < 1e-8


@pytest.mark.long
def test_boxes_slide_and_lie_on_each_other():
    """Points of faces are cut from faces: with the features held that meet."""
    assert differs(sliding_box(), 0.05, 0.005, "implicit", 1e-5) < 1e-7
    assert differs(stack(), 0.03, 0.005, "implicit", 1e-5) < 1e-7


def test_an_arm_throws_a_ball():
    """It lies on a bar that is swung up: sticks, rolls, and leaves. Of the ball in the air all comes from torques while it touched."""
    scene, h, steps = rm.Scene(), 0.005, 30
    bar = rm.Cuboid((0.6, 0.1, 0.02), mass=0.5)
    scene.add_body(bar, joint=rm.Revolute((0, -1, 0)), com=(0.3, 0, 0), contact=0.5, name="bar")
    scene.add_body(rm.Sphere(0.05, mass=0.1), joint=rm.Free3D(), at=(0.5, 0.0, 0.0599), contact=0.5, name="ball")
    tau = np.zeros((steps, 7))
    tau[:15, 0], tau[15:, 0] = 6.0, -3.0
    g = rm.gradient(scene, lambda now: now.point("ball")[2], steps * h, h, by=["tau"], controls=tau, integrator="implicit")
    found, run = g(), rm.simulate(scene, steps * h, h, controls=tau, integrator="implicit")
    assert not len([c for c in run.contacts[-1].state if c != "open"])  # it flies
    assert found.value == pytest.approx(run.pose("ball")[-1, 2, 3], abs=1e-6)
    by = found.by["tau"][:, 0]
    push = np.zeros((steps, 7))
    push[:, 0] = np.random.default_rng(0).normal(size=steps)
    expected = along(lambda change: g.value(tau=tau + change.reshape(tau.shape)), push.ravel(), 1e-4)
    assert by @ push[:, 0] == pytest.approx(expected, rel=1e-6)
    assert by[0] > 1e-4
    assert np.abs(by[-8:]).max() < 1e-12


def test_convex_friction():
    """Where what slides is lifted off, which is another projection."""
    assert differs(ball(qdot=SPINNING), 0.05, 0.005, "euler", friction="convex") < 1e-8


@pytest.mark.parametrize("integrator", ["euler", "implicit"])
def test_bodies_that_touch_and_are_tied_by_a_spring(integrator):
    """In implicit steps an impulse on one moves the others within the step."""
    scene = ball()
    first = scene.add_body(rm.Sphere(0.05, mass=0.3), joint=rm.Translational(), at=(0.148, 0.01, 0.1), contact=0.5, name="first")
    second = scene.add_body(rm.Sphere(0.05, mass=0.3), joint=rm.Translational(), at=(0.3, 0.0, 0.049), contact=0.5, name="second")
    scene.add_force(rm.SpringDamper(first.point(0, 0, 0), second.point(0, 0, 0), stiffness=100.0, rest=0.1, damping=1.0))
    assert differs(scene, 0.05, 0.005, integrator) < 1e-7


def test_what_gives_way_like_a_spring():
    foam = rm.ContactMaterial(friction=0.5, compliance=1e-3, damping=0.05)
    assert differs(ball(contact=foam, qdot=SPINNING), 0.05, 0.005, "euler") < 1e-8


def test_a_ball_that_bounces_as_moreau_says():
    """v+ = v - g h - (1 + e) u / (1 + c), u the approach and c what a contact that is struck gives way: of 1 / m + 2 r^2 / (3 I) here."""
    e, h, steps = 0.7, 0.002, 150
    scene = ball(0.2, rm.ContactMaterial(friction=0.0, restitution=e), rm.Translational(), qdot=(0.3, 0.0, 0.0))
    g = rm.gradient(scene, lambda now: now.q[2], steps * h, h, by=["q", "qdot"], integrator="euler")
    run, found = rm.simulate(scene, steps * h, h, integrator="euler"), g()
    up = np.flatnonzero(np.diff(run.qdot[:, 2]) > 0)
    assert len(up) == 1  # it strikes once
    gain, before = 1 - (1 + e) / (1 + 8 / 3 * STRUCK), up[0]
    assert found.by["q"] == pytest.approx((0, 0, 1), abs=1e-9)
    assert found.by["qdot"] == pytest.approx((0, 0, h * (before + gain * (steps - before))), abs=1e-8)


def test_a_ball_that_slides_to_a_stop():
    """Each step takes mu g h of its speed, so that where it stops changes with that speed by the time it slides, t = v / (mu g)."""
    mu, v, h = 0.3, 1.0, 0.002
    scene = ball(TOUCHING + 0.0001 - 1e-6, mu, rm.Translational(), qdot=(v, 0.0, 0.0))

    def end(speed: float) -> float:
        start = rm.State(0.0, scene.model().q0, np.array([speed, 0.0, 0.0]), scene.model().charts)
        return float(rm.simulate(scene, 0.4, h, initial=start, integrator="euler").q[-1, 0])

    g = rm.gradient(scene, lambda now: now.q[0], 0.4, h, by=["qdot"], integrator="euler")
    found = g().by["qdot"][0]
    assert found == pytest.approx(v / (mu * 9.81), rel=0.02)
    assert found == pytest.approx((end(v + 1e-5) - end(v - 1e-5)) / 2e-5, rel=1e-6)


@pytest.mark.parametrize(
    ("scene", "duration"),
    [
        (ball(0.2, rm.ContactMaterial(friction=0.4, restitution=0.7), qdot=SPINNING), 0.4),
        (ball(joint=rm.Free3D(), qdot=(0.4, 0.0, 0.0, 0.0, 4.0, 0.0)), 0.2),
    ],
    ids=["bounces", "rolls"],
)
def test_differences_of_simulate(scene, duration):
    """As near as its solver comes to the law in a step."""
    g = rm.gradient(scene, cost, duration, 0.005, by=["qdot"], integrator="implicit")
    model = scene.model()

    def value(change: np.ndarray) -> float:
        start = rm.State(0.0, model.q0, model.qdot0 + change, model.charts)
        run = rm.simulate(scene, duration, 0.005, initial=start, integrator="implicit")
        return float(np.real(cost(run.state())))

    direction = np.random.default_rng(3).normal(size=model.nv)
    assert g().by["qdot"] @ direction == pytest.approx(along(value, direction, 2e-4), rel=2e-6, abs=1e-6)


def test_differences_of_simulate_as_its_solver_comes_to_an_end(monkeypatch):
    """A box that also turns: with a tolerance of 1e-6 they are 5e-5 off, which is the solver's; with a finer one they are not."""
    from redmax.dynamics.contact import stages

    scene, duration, off = sliding_box(), 0.05, list[float]()
    g, model = rm.gradient(scene, cost, duration, 0.005, by=["qdot"], integrator="implicit"), scene.model()
    direction = np.random.default_rng(3).normal(size=model.nv)
    found = g().by["qdot"] @ direction

    def value(change: np.ndarray) -> float:
        start = rm.State(0.0, model.q0, model.qdot0 + change, model.charts)
        return float(np.real(cost(rm.simulate(scene, duration, 0.005, initial=start, integrator="implicit").state())))

    for tolerance in (1e-6, 1e-12):
        monkeypatch.setattr(stages, "TOLERANCE", tolerance)
        off.append(abs(along(value, direction, 1e-4) - found) / abs(found))
    assert off[1] < 1e-8
    assert off[0] < 1e-3


def test_worlds_of_a_batch_and_checkpoints(monkeypatch):
    """Each touches in its own time; and runs that keep one state in sqrt(steps) are as those that keep all."""
    from redmax.design.gradients import fixed_steps

    g = rm.gradient(ball(0.12), cost, 0.1, 0.005, by=["qdot"], integrator="euler")
    qdot = np.random.default_rng(0).normal(size=(3, 6))
    each = [g(qdot=v).by["qdot"] for v in qdot]
    assert np.allclose(g(qdot=qdot).by["qdot"], each, rtol=1e-12, atol=1e-12)
    monkeypatch.setattr(fixed_steps, "KEPT", 0)
    assert np.array_equal(g(qdot=qdot[0]).by["qdot"], each[0])


def test_a_step_is_linearised_with_what_contacts_remember():
    scene = two_balls()
    sim = rm.Simulation(scene, dt=0.005, integrator="implicit")
    for _ in range(3):
        sim.step()
    L, here = rm.linearize(sim), sim.checkpoint()
    n, e = sim.model.nv, 1e-6
    tau = np.random.default_rng(0).normal(size=n)

    def after(scale: float) -> np.ndarray:
        sim.restore(here)
        sim.step(tau=scale * tau)
        return np.concatenate([sim.state.q, sim.state.qdot])

    expected = (after(e) - after(-e)) / (2 * e)
    assert np.allclose(L.B @ tau, expected, rtol=1e-6, atol=1e-7)
    assert np.allclose(after(0.0), np.concatenate([L.state.q, L.state.qdot]), atol=1e-8)
    fresh = rm.linearize(scene, dt=0.005, integrator="implicit")
    start = scene.model().q0, scene.model().qdot0
    direction = np.random.default_rng(1).normal(size=n)

    def stepped(scale: float) -> np.ndarray:
        begin = moved(sim.model, rm.State(0.0, *start, sim.model.charts), scale * direction)
        run = rm.simulate(scene, 0.005, 0.005, initial=rm.State(0.0, begin, start[1], sim.model.charts), integrator="implicit")
        return np.concatenate([run.q[-1], run.qdot[-1]])

    assert np.allclose(fresh.A[:, :n] @ direction, (stepped(e) - stepped(-e)) / (2 * e), rtol=1e-5, atol=1e-5)


def test_a_slide_is_optimised_to_end_at_a_mark():
    """With v^2 / (2 mu g) in the limit."""
    mark, mu = 0.25, 0.3
    scene = ball(TOUCHING + 0.0001 - 1e-6, mu, rm.Translational(), qdot=(1.0, 0.0, 0.0))
    g = rm.gradient(scene, lambda now: (now.q[0] - mark) ** 2, 0.6, 0.002, by=["qdot"], integrator="implicit")
    speed = 1.0
    for _ in range(6):  # Gauss and Newton's method: the value is the square of what is missed
        found = g(qdot=[speed, 0.0, 0.0])
        missed = np.sqrt(found.value)
        speed -= found.value / found.by["qdot"][0] * 2 if missed > 1e-12 else 0.0
    assert g.value(qdot=[speed, 0.0, 0.0]) < 1e-16
    assert speed == pytest.approx(np.sqrt(2 * mu * 9.81 * mark), rel=0.01)


class TestWhereThereIsNone:
    def test_at_the_edge_of_touching(self):
        scene = rm.Scene(gravity=(0, 0, 0))
        scene.add_ground(contact=0.5)
        scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Translational(), at=(0, 0, 0.1), contact=0.5, name="ball")
        g = rm.gradient(scene, cost, 0.02, 0.01, integrator="implicit")
        with pytest.raises(rm.RedmaxError, match=r"from t = 0 s to 0\.01 s has no derivative: 'ground' and 'ball' are at the edge"):
            g()
        assert g.value() == pytest.approx(0.0)

    def test_at_the_edge_of_sticking(self):
        """On a slope of just the angle of friction, from rest."""
        scene, slope = rm.Scene(), rm.pose(rm.rotation_about("y", 0.3), (0, 0, 0))
        scene.add_obstacle(rm.Plane(), at=slope, contact=np.tan(0.3), name="slope")
        at = (slope @ [0.0, 0.0, 0.1, 1.0])[:3]
        scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Translational(), at=at, contact=np.tan(0.3), name="ball")
        with pytest.raises(rm.RedmaxError, match="'slope' and 'ball' are at the edge between sticking and sliding"):
            rm.gradient(scene, cost, 0.02, 0.01, by=["qdot"], integrator="implicit")()

    @pytest.mark.parametrize(
        ("given", "match"),
        [
            ({"friction": "staggered"}, "friction in turns or of cones with sides"),
            ({"integrator": "adaptive"}, "contact in steps of 'adaptive'"),
        ],
    )
    def test_what_is_not_differentiated(self, given, match):
        with pytest.raises(rm.SceneError, match=match):
            rm.gradient(ball(), cost, 0.1, **({"integrator": "implicit"} | given))

    def test_at_a_gap_of_exactly_zero(self):
        """The bias of a step has a corner there, by where the ball is; by how it moves there is none."""
        scene = ball(0.1, joint=rm.Translational())
        with pytest.raises(rm.RedmaxError, match="'ground' and 'ball' are sticking with a gap of exactly zero, a corner"):
            rm.gradient(scene, cost, 0.02, 0.01, integrator="implicit")()
        g = rm.gradient(scene, cost, 0.02, 0.01, by=["qdot", "tau"], integrator="implicit")
        direction = np.random.default_rng(1).normal(size=len(g.start))
        assert g.flat(g.start)[1] @ direction == pytest.approx(along(lambda step: g.flat(step)[0], direction, 1e-5), abs=1e-8)
