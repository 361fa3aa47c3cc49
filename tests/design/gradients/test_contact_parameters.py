"""Gradients by materials of contact and by what touching bodies weigh: against closed forms and differences; and worlds that differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import redmax as rm
from design.gradients.test_contact import SPINNING, TOUCHING, along, ball, cost, links, two_balls
from redmax.dynamics.contact.rows import STRUCK

FOAM = rm.ContactMaterial(friction=0.5, compliance=1e-3, damping=0.05)
SOFTER = rm.ContactMaterial(friction=0.3, compliance=2e-3, damping=0.02)
RUBBER = rm.ContactMaterial(friction=0.4, restitution=0.7)


def differs(scene: rm.Scene, by: list[str], duration: float, h: float = 0.005, e: float = 1e-5, **options: Any) -> float:
    """The largest difference of a slope, in a direction, from differences of the same run; each along its own direction."""
    g, rng, worst = rm.gradient(scene, cost, duration, h, by=by, **options), np.random.default_rng(5), 0.0
    found = g()
    for name in by:
        start = g.defaults[name]
        way = rng.normal(size=start.shape) * (np.abs(start).max() or 0.1)
        way = (way + way.T) / 20 if start.ndim == 2 else way
        expected = along(lambda step, start=start, name=name: g.value(parameters={name: start + step}), way, e)
        worst = max(worst, abs(np.sum(found.by[name] * way) - expected) / max(1.0, abs(expected)))
    return worst


def scene_of(mass: float = 1.0, ground: float = 0.5, back: float = 0.3, pair: rm.ContactMaterial | None = None) -> rm.Scene:
    """A box and a ball that meet above the ground."""
    scene = rm.Scene()
    scene.add_ground(contact=rm.ContactMaterial(friction=ground, restitution=0.4))
    own = rm.ContactMaterial(friction=0.5, restitution=back)
    box = rm.Cuboid((0.2, 0.3, 0.2), mass=mass)
    scene.add_body(box, joint=rm.Free(), at=(0, 0, 0.2), qdot=SPINNING, contact=own, name="box")
    scene.add_body(rm.Sphere(0.1, mass=0.5), joint=rm.Free(), at=(0.25, 0, 0.22), qdot=(-1, 0, 0, 0, 0, 0), contact=0.4, name="ball")
    if pair is not None:
        scene.set_contact("box", "ball", pair)
    return scene


class TestWorldsThatDiffer:
    """A run with parameters is that of a scene which is built with them."""

    @pytest.mark.parametrize("worlds", [1, 5])
    def test_masses_and_materials(self, worlds):
        masses = np.linspace(1.5, 2.5, worlds) if worlds > 1 else np.array(2.0)
        given = {"box.mass": masses, "ground.contact.friction": 0.3, "box.contact.restitution": 0.6}
        found = rm.simulate(scene_of(), 0.2, 0.005, parameters=given)
        expected = rm.simulate(scene_of(2.0, 0.3, 0.6), 0.2, 0.005)
        assert len(expected.contacts[-1])
        mu = found.contacts[-1].friction if worlds == 1 else found.contacts[-1, 2].friction
        assert np.allclose(np.sort(mu), np.sort(expected.contacts[-1].friction))
        assert np.allclose(found.q if worlds == 1 else found.q[:, worlds // 2], expected.q, atol=1e-9)

    def test_side_by_side(self):
        """All of whose contact is with the ground."""
        given = {"ball.mass": np.linspace(1, 2, 6), "ball.contact.friction": np.linspace(0.1, 0.6, 6)}
        found = rm.simulate(ball(qdot=SPINNING), 0.1, 0.005, parameters=given)
        for w in (0, 4):
            one = {name: x[w] for name, x in given.items()}
            assert np.allclose(found.q[:, w], rm.simulate(ball(qdot=SPINNING), 0.1, 0.005, parameters=one).q, atol=1e-9)
        assert np.abs(np.ptp(found.q[-1], axis=0)).max() > 1e-3

    def test_laws_of_pairs(self):
        """By either order of their names; torsional and rolling friction too."""
        first, second = ({"friction": 0.2, "restitution": 0.5, "torsional": 0.01, "rolling": 0.01}, {"friction": 0.7, "torsional": 0.03})
        given = {"ball-box.contact.friction": 0.7, "box-ball.contact.torsional": 0.03, "box.inertia": np.diag([3e-3, 2e-3, 4e-3])}
        scenes = [scene_of(pair=rm.ContactMaterial(**law)) for law in (first, {**first, **second})]
        some = {"box.inertia": given["box.inertia"]}
        runs = [rm.simulate(s, 0.2, 0.005, parameters=p) for s, p in zip(scenes, (given, some), strict=True)]
        assert np.allclose(runs[0].q, runs[1].q, atol=1e-7)

    @pytest.mark.long
    def test_steps_that_locate_impacts(self):
        given = {"ball.mass": 1.7, "ball.contact.restitution": 0.5}
        found = rm.simulate(ball(0.2, RUBBER, rm.Translational()), 0.5, 0.01, integrator="adaptive", parameters=given)
        scene = rm.Scene()
        scene.add_ground(contact=RUBBER)
        own = rm.ContactMaterial(friction=0.4, restitution=0.5)
        scene.add_body(rm.Sphere(0.1, mass=1.7), joint=rm.Translational(), at=(0, 0, 0.2), contact=own, name="ball")
        assert np.allclose(found.q, rm.simulate(scene, 0.5, 0.01, integrator="adaptive").q, atol=1e-9)

    @pytest.mark.parametrize(
        ("given", "match"),
        [
            ({"box.contact.friction": -1.0}, "friction is -1.0, expected a number from 0 up"),
            ({"box.contact.restitution": 2.0}, "restitution is 2, expected 0"),
            ({"box.contact.rolling": 0.1}, "'box.contact.rolling' cannot be a parameter: no contact of the scene has such friction"),
            ({"box.size": (0.2, 0.2, 0.2)}, "the parameter 'box.size' of a body that touches others"),
        ],
    )
    def test_what_they_cannot_be(self, given: Mapping[str, Any], match: str):
        with pytest.raises(rm.RedmaxError, match=match):
            rm.simulate(scene_of(), 0.01, 0.005, parameters=given)


class TestGradients:
    @pytest.mark.parametrize(("integrator", "friction"), [("euler", "exact"), pytest.param("implicit", "convex", marks=pytest.mark.long)])
    def test_what_slides_and_rolls(self, integrator, friction):
        by = ["ball.contact.friction", "ground.contact.friction", "ball.mass", "ball.inertia", "ball.com"]
        assert differs(ball(qdot=SPINNING), by, 0.05, integrator=integrator, friction=friction) < 1e-7

    @pytest.mark.long
    def test_what_two_bodies_are_to_each_other(self):
        scene = two_balls()
        scene.set_contact("ball", "other", 0.3)
        by = ["other-ball.contact.friction", "ball.contact.friction", "ball.mass", "other.mass", "gravity"]
        assert differs(scene, by, 0.05, integrator="implicit") < 1e-7

    def test_what_gives_way(self):
        scene = rm.Scene()
        scene.add_ground(contact=SOFTER)
        scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Free(), at=(0, 0, TOUCHING), qdot=SPINNING, contact=FOAM, name="ball")
        by = ["ball.contact.compliance", "ground.contact.compliance", "ball.contact.damping", "ground.contact.damping"]
        assert differs(scene, by, 0.05, integrator="euler", e=1e-4) < 1e-7
        assert rm.gradient(scene, cost, 0.05, 0.005, by=by[3:])().by[by[3]] == 0.0  # the larger one counts

    def test_how_far_it_slides(self):
        """Each step takes mu g h of its speed: x(t) = v t - mu g t (t + h) / 2, and mu = sqrt(mu_a mu_b)."""
        mu, h, t, g = 0.3, 0.002, 0.1, 9.81
        scene = ball(TOUCHING + 0.0001 - 1e-6, mu, rm.Translational(), qdot=(1.0, 0.0, 0.0))
        by = ["ball.contact.friction", "ball.mass"]
        found = rm.gradient(scene, lambda now: now.q[0], t, h, by=by, integrator="euler")().by
        assert found[by[0]] == pytest.approx(-g * t * (t + h) / 4, rel=1e-3)
        assert abs(found[by[1]]) < 1e-6

    def test_what_sticks_knows_nothing_of_friction(self):
        scene = ball(TOUCHING, 0.8, rm.Translational())
        tau = np.tile([2.0, 1.0, 0.0], (10, 1))
        g = rm.gradient(scene, cost, 0.05, 0.005, by=["ball.contact.friction", "tau"], controls=tau, integrator="implicit")
        found = g().by
        assert found["ball.contact.friction"] == 0.0
        assert np.abs(found["tau"]).max() > 1e-6

    def test_how_a_ball_bounces(self):
        """v+ = v - g h - (1 + e) u / (1 + c): with e = sqrt(e_a e_b), and u the approach."""
        e, h, steps = 0.7, 0.002, 150
        scene = ball(0.2, rm.ContactMaterial(friction=0.0, restitution=e), rm.Translational())
        g = rm.gradient(scene, lambda now: now.q[2], steps * h, h, by=["ground.contact.restitution"], integrator="euler")
        run, found = rm.simulate(scene, steps * h, h, integrator="euler"), g()
        (before,) = np.flatnonzero(np.diff(run.qdot[:, 2]) > 0)
        speed = run.qdot[before, 2]
        expected = -speed / (1 + 8 / 3 * STRUCK) * h * (steps - before) / 2
        assert found.by["ground.contact.restitution"] == pytest.approx(expected, rel=1e-6)

    def test_worlds_of_a_batch_and_a_linearised_step(self):
        scene, by = ball(qdot=SPINNING), ["ball.contact.friction", "ball.mass"]
        g = rm.gradient(scene, cost, 0.05, 0.005, by=by, integrator="euler")
        given = {"ball.contact.friction": np.array([0.2, 0.5, 0.9]), "ball.mass": np.array([1.0, 2.0, 1.5])}
        together = g(parameters=given).by
        for w in range(3):
            each = g(parameters={name: x[w] for name, x in given.items()}).by
            assert all(np.isclose(together[name][w], each[name], rtol=1e-11, atol=1e-12) for name in by)
        one = {"ball.contact.friction": 0.5, "ball.mass": 1.0}
        step = rm.linearize(scene, dt=0.005, integrator="euler", parameters=one)
        state = [rm.gradient(scene, lambda now, k=k: now.qdot[k], 0.005, 0.005, by=by, integrator="euler")().by for k in (0, 4)]
        for name in by:
            assert np.allclose(step.parameters[name][[6, 10]], [x[name] for x in state], rtol=1e-10, atol=1e-13)

    def test_restitution_of_the_other_surface_is_zero(self):
        """Then that of the pair is, whatever this one has."""
        scene = rm.Scene()
        scene.add_ground(contact=0.5)
        scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Translational(), at=(0, 0, 0.101), contact=RUBBER, name="ball")
        g = rm.gradient(scene, cost, 0.05, 0.005, by=["ball.contact.restitution"], integrator="euler")
        assert g().by["ball.contact.restitution"] == 0.0


@pytest.mark.parametrize(
    ("material", "name", "match"),
    [
        (rm.ContactMaterial(friction=0.0), "ball.contact.friction", None),
        (FOAM, "ball.contact.damping", "'ball.contact.damping' is that of 'ground', and the larger of both counts"),
        (rm.ContactMaterial(), "ball.contact.compliance", "'ball.contact.compliance' is 0, as that of 'ground'"),
    ],
)
def test_where_there_is_none(material, name, match):
    g = rm.gradient(ball(contact=material), cost, 0.01, 0.005, by=[name], integrator="implicit")
    assert np.isfinite(g.value())
    if match is None:
        assert g().by[name] == 0.0  # that of the other surface is zero as well
        return
    with pytest.raises(rm.SceneError, match=match):
        g()


def test_a_root_of_zero():
    scene = scene_of()
    g = rm.gradient(scene, cost, 0.01, 0.005, by=["ground.contact.friction"], integrator="implicit")
    with pytest.raises(rm.SceneError, match=r"'ground.contact.friction' is 0, and that of a pair the root of a product.*set_contact"):
        g(parameters={"ground.contact.friction": 0.0})


@pytest.mark.long
@pytest.mark.parametrize("dynamics", ["recursive", "redmax"])
def test_frames_centres_and_springs_of_a_chain_that_falls(dynamics):
    by = ["link 1.at", "link 0.at", "link 1.com", "link 2.com.x", "link 2.mass", "link 0.inertia", "link 1.stiffness", "gravity"]
    assert differs(links(), by, 0.06, 0.01, 1e-6, integrator="implicit", dynamics=dynamics) < 1e-6
