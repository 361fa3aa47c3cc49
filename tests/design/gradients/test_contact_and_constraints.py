"""Gradients of runs in which bodies touch and constraints hold them: one system, of rates and multipliers; and where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import redmax as rm
from contact.test_beside_constraints import driven, four_bar, pendulum, pushed
from design.gradients.test_contact import along, cost


def balls(*, rope: bool = False, compliance: float = 0.0, length: float = 0.4) -> rm.Scene:
    """Two that roll on the ground and are tied to each other."""
    scene = rm.Scene()
    scene.add_ground(contact=0.5)
    spin = (0.5, 0.3, 0, 0.1, 0.2, 0.3)
    a = scene.add_body(rm.Sphere(0.1, mass=1), joint=rm.Free(), at=(0, 0, 0.0999), qdot=spin, contact=0.5, name="a")
    b = scene.add_body(rm.Sphere(0.1, mass=0.5), joint=rm.Free(), at=(0.4, 0, 0.0999), contact=0.5, name="b")
    given: dict[str, Any] = {"compliance": compliance, "name": "tie"}
    scene.add_constraint(rm.Rope([a, b], length, **given) if rope else rm.Distance(a, b, length, **given))
    return scene


def differs(scene: rm.Scene, duration: float, by: tuple[str, ...] = (), free: bool = True, **options: Any) -> float:
    """Of the gradient from differences of the same run, in a direction; and that it is the run of simulate. free: whether rates are"""
    h, model, rng = 0.005, scene.model(), np.random.default_rng(0)
    names = [*(["qdot"] if free else []), "tau", *by]
    g = rm.gradient(scene, cost, duration, h, by=names, **options)
    found, run = g(), rm.simulate(scene, duration, h, **options)
    assert np.allclose(found.end.q, run.q[-1], atol=1e-7)
    assert len(run.contacts[-1])
    start = {"qdot": model.qdot0, "tau": np.zeros((g.steps, model.nv)), **g.defaults}
    ways = {name: rng.normal(size=start[name].shape) * (0.1 if name in by else 1.0) for name in names}

    def value(step: np.ndarray) -> float:
        at = {name: start[name] + step * way for name, way in ways.items()}
        own = {name: at[name] for name in by}
        return g.value(qdot=at.get("qdot"), tau=at["tau"], parameters=own or None)

    expected = along(value, np.array(1.0), 1e-5)
    return abs(sum(np.sum(found.by[name] * way) for name, way in ways.items()) - expected) / max(1.0, abs(expected))


@pytest.mark.parametrize(("integrator", "friction"), [("euler", "exact"), pytest.param("implicit", "convex", marks=pytest.mark.long)])
class TestWhatHolds:
    def test_a_distance_and_a_rope(self, integrator, friction):
        assert differs(balls(), 0.1, ("b.mass", "a.mass"), False, integrator=integrator, friction=friction) < 1e-8
        assert differs(balls(rope=True, length=0.405), 0.1, ("a.mass",), integrator=integrator, friction=friction) < 1e-8

    @pytest.mark.long
    def test_what_gives_way(self, integrator, friction):
        by = "tie.compliance", "ground.contact.friction"
        assert differs(balls(compliance=1e-3, length=0.38), 0.05, by, integrator=integrator, friction=friction) < 1e-7

    @pytest.mark.long
    def test_a_loop_on_the_ground(self, integrator, friction):
        """Rows in the plane that repeat each other."""
        scene = four_bar(-0.285)
        assert differs(scene, 0.05, ("coupler.mass", "coupler.contact.friction"), False, integrator=integrator, friction=friction) < 1e-7

    @pytest.mark.long
    @pytest.mark.parametrize("force", [3.0, 30.0])
    def test_a_motor_that_pushes_with_all_it_has(self, integrator, friction, force):
        assert differs(pushed(force), 0.05, ("box.mass", "box.contact.friction"), integrator=integrator, friction=friction) < 1e-6


@pytest.mark.long
def test_limits_and_motors_over_the_ground():
    assert differs(pendulum(-0.55), 0.45, integrator="implicit") < 1e-6
    assert differs(driven(-0.27), 0.1, free=False, integrator="implicit") < 1e-6


@pytest.mark.long
def test_a_limit_is_met_while_something_touches():
    """What falls is stopped in the run, and then held."""
    scene = rm.Scene()
    scene.add_ground(contact=0.3)
    given = {"joint": rm.Translational(), "at": (0, 0, 0.0999), "qdot": (1.0, 0.2, 0), "contact": 0.3}
    a = scene.add_body(rm.Sphere(0.1, mass=1.0), name="a", **given)
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Prismatic("z"), at=(0, 0.5, 0.5), qdot=-0.5, name="b")
    scene.add_constraint(rm.HardLimit("b", -0.0223, 1.0))
    scene.add_constraint(rm.Distance(a, (0, 0, 1.1), 1.0001, compliance=1e-3))
    assert differs(scene, 0.1, integrator="implicit") < 1e-7
    found = rm.gradient(scene, lambda now: now.q[3], 0.1, 0.005, by=["qdot"], integrator="implicit")()
    assert abs(found.by["qdot"][3]) < 1e-12


def test_the_edge_of_a_limit_that_nothing_presses():
    """What has come to rest there is neither held nor free."""
    scene = balls()
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Prismatic("x"), at=(0, 0.5, 0.5), qdot=0.5, name="c")
    scene.add_constraint(rm.HardLimit("c", -1.0, 0.0223, name="stop"))
    with pytest.raises(rm.RedmaxError, match=r"has no derivative: HardLimit 'stop' is at the edge of holding and letting go"):
        rm.gradient(scene, cost, 0.1, 0.005, by=["tau"], integrator="implicit")()
    assert np.isfinite(rm.gradient(scene, cost, 0.03, 0.005, by=["tau"], integrator="implicit")().by["tau"]).all()


def test_the_edge_of_a_rope():
    """It is just as long as it is taut, and at rest."""
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_ground(contact=0.5)
    a = scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Translational(), at=(0, 0, 0.2), contact=0.5, name="a")
    scene.add_constraint(rm.Rope([a, (0.5, 0, 0.2)], 0.5, name="leash"))
    with pytest.raises(rm.RedmaxError, match=r"from t = 0 s to 0\.005 s has no derivative: Rope 'leash' is at the edge of holding"):
        rm.gradient(scene, cost, 0.02, 0.005, by=["qdot"], integrator="implicit")()


def test_a_batch_and_a_linearised_step():
    scene = balls()
    g = rm.gradient(scene, cost, 0.05, 0.005, by=["tau"], integrator="implicit")
    tau = 0.1 * np.random.default_rng(0).normal(size=(10, 3, 12))
    together = g(tau=tau).by["tau"]
    assert all(np.allclose(together[:, w], g(tau=tau[:, w]).by["tau"], rtol=1e-11, atol=1e-13) for w in range(3))
    step = rm.linearize(scene, dt=0.005, integrator="implicit")
    one = rm.gradient(scene, lambda now: now.qdot[1] + 2 * now.q[7], 0.005, 0.005, by=["tau"], integrator="implicit")()
    assert np.allclose(step.B[12 + 1] + 2 * step.B[7], one.by["tau"][0], rtol=1e-10, atol=1e-13)
