"""Gradients of runs in which contacts have torsional and rolling friction: against closed forms and differences."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from design.gradients.test_contact import SPINNING, TOUCHING, along, cost

HARD = (0.05, TOUCHING), (0.01, 0.12)
BY = ["q", "qdot", "tau", "ball.contact.friction", "ball.mass"]


def ball(torsional: float, rolling: float, z: float = TOUCHING, qdot: tuple[float, ...] = SPINNING) -> rm.Scene:
    scene = rm.Scene()
    scene.add_ground(contact=0.5)
    own = rm.ContactMaterial(friction=0.5, torsional=torsional, rolling=rolling)
    scene.add_body(rm.Sphere(0.1, mass=1), joint=rm.Free(), at=(0, 0, z), qdot=qdot, contact=own, name="ball")
    return scene


def differs(scene: rm.Scene, integrator: str, by: list[str], duration: float = 0.06) -> float:
    """By the state and all torques, and by parameters."""
    g, rng, worst = rm.gradient(scene, cost, duration, 0.005, by=by, integrator=integrator), np.random.default_rng(0), 0.0
    found, run = g(), rm.simulate(scene, duration, 0.005, integrator=integrator)
    assert np.allclose(found.end.q, run.q[-1], atol=1e-6)
    assert len(run.contacts[-1])
    slopes = g.flat(g.start)[1]
    states = len(g.start) - len(g.parameters)
    first = np.r_[rng.normal(size=states), np.zeros(len(g.parameters))]
    second = np.r_[np.zeros(states), rng.normal(size=len(g.parameters)) * np.abs(g.start[states:])]
    for way, e in ((first, 1e-5), (second, 1e-5)):
        expected = along(lambda step, way=way: g.flat(g.start + step * way)[0], np.array(1.0), e)
        worst = max(worst, abs(slopes @ way - expected) / max(1.0, abs(expected)))
    return worst


@pytest.mark.parametrize(
    ("torsional", "rolling", "z"), [(0.002, 0.001, TOUCHING), *[pytest.param(x, x, z, marks=pytest.mark.long) for x, z in HARD]]
)
def test_what_turns_against_a_surface_and_with_it(torsional, rolling, z):
    by = [*BY, "ball.contact.torsional", "ball.contact.rolling"]
    assert differs(ball(torsional, rolling, z), "euler", by) < 1e-8


@pytest.mark.long
def test_one_of_both_between_bodies_that_move():
    scene = ball(0.02, 0.0)
    own = rm.ContactMaterial(friction=0.4, rolling=0.005)
    at = {"at": (0.13, 0.01, 0.1), "qdot": (-1, 0.2, -1, 0.5, 0.4, 0.3)}
    scene.add_body(rm.Sphere(0.05, mass=0.3), joint=rm.Free(), contact=own, name="other", **at)
    assert differs(scene, "implicit", [*BY, "other.contact.rolling"]) < 1e-8


def test_how_far_a_ball_rolls():
    """m (1 + 2 / 5) v' = -m g c / r, so that x(t) = v t - (5 / 7) g c t^2 / (2 r): of c, the larger one of both surfaces."""
    c, v, r, h, t = 0.002, 0.5, 0.1, 0.001, 0.2
    scene = ball(0.0, c, TOUCHING + 0.0001 - 1e-6, qdot=(0, v / r, 0, v, 0, 0))
    g = rm.gradient(scene, lambda now: now.point("ball")[0], t, h, by=["ball.contact.rolling"], integrator="euler")
    assert g().by["ball.contact.rolling"] == pytest.approx(-(5 / 7) * 9.81 * t**2 / (2 * r), rel=0.02)


def test_a_moment_that_is_held_and_one_that_turns():
    """Of torques about the normal below and above what friction bears, mu m g c: then all that comes on top turns the ball."""
    h = 0.01
    scene = ball(0.02, 0.0, qdot=(0.0,) * 6)
    g = rm.gradient(scene, lambda now: now.qdot[2], h, h, by=["tau"], integrator="euler")
    held, turned = (g(tau=[[0, 0, x, 0, 0, 0]]).by["tau"][0, 2] for x in (0.01, 1.0))
    assert turned == pytest.approx(h / 0.004, rel=1e-6)
    assert abs(held) < 0.2 * turned


def test_convex_friction_with_moments_has_none():
    with pytest.raises(rm.SceneError, match=r"torsional or rolling friction in convex steps\. Take friction='exact'"):
        rm.gradient(ball(0.01, 0.01), cost, 0.01, 0.005, integrator="euler", friction="convex")
