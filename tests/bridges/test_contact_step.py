"""Steps with contact across the bridge to JAX: with what contacts remember carried along, a scan of them is a run."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import redmax as rm
from design.gradients.test_contact import SPINNING, ball, cost
from redmax.bridges import functions
from redmax.bridges import jax as bridge
from redmax.dynamics.contact.fields import carried

FRICTION, H = "ball.contact.friction", 0.005
SCENE = ball(qdot=SPINNING)
MODEL = SCENE.model()


@pytest.fixture(autouse=True)
def doubles() -> Any:
    with jax.enable_x64(True):
        yield


def test_a_scan_and_its_gradient():
    """By where it begins, torques of every step, and friction; and for several worlds."""
    step = bridge.step(SCENE, h=H, integrator="euler", parameters=[FRICTION])
    sizes = carried(MODEL)
    tau = 0.2 * np.random.default_rng(0).normal(size=(8, 6))

    def run(rates: Any, friction: Any, torques: Any) -> Any:
        def one(at: Any, u: Any) -> Any:
            q, qdot, held, table = at
            return step(q, qdot, u, contact_held=held, contact_table=table, parameters={FRICTION: friction}), None

        begin = jnp.array(MODEL.q0), rates, *[jnp.zeros(n) for n in sizes.values()]
        (q, qdot, _, _), _ = jax.lax.scan(one, begin, torques)
        return jnp.sin(q) @ jnp.arange(1.0, 7.0) + qdot @ jnp.arange(2.0, 8.0)

    value, slopes = jax.value_and_grad(run, argnums=(0, 1, 2))(jnp.array(MODEL.qdot0), 0.5, tau)
    g = rm.gradient(SCENE, cost, 8 * H, H, by=["qdot", FRICTION, "tau"], controls=tau, integrator="euler")
    found = g()
    assert value == pytest.approx(found.value, abs=1e-12)
    for name, slope in zip(("qdot", FRICTION, "tau"), slopes, strict=True):
        assert np.allclose(slope, found.by[name], rtol=1e-10, atol=1e-12)
    rates = np.array([1.0, 0.6]).reshape(2, 1) * MODEL.qdot0
    together = jax.vmap(lambda v: jax.grad(run)(v, 0.5, tau))(rates)
    assert np.allclose(together, [g(qdot=v).by["qdot"] for v in rates], rtol=1e-10, atol=1e-12)
    with pytest.raises(rm.RedmaxError, match=r"step of euler of this scene touches, and has derivatives backwards alone. Take jax.grad"):
        jax.jvp(lambda v: step(jnp.array(MODEL.q0), v)[0], (jnp.array(MODEL.qdot0),), (jnp.ones(6),))


def test_casadi_asks_for_what_there_is_not():
    from redmax.bridges import casadi

    with pytest.raises(rm.RedmaxError, match=r"has derivatives backwards alone, which CasADi does not ask for\. Take"):
        casadi.step(SCENE, h=H)


def test_at_an_edge_it_is_not_finite():
    """Of the ball that only just touches, which the gradient of a run has a sentence for."""
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_ground(contact=0.5)
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Translational(), at=(0, 0, 0.1), contact=0.5, name="ball")
    step = bridge.step(scene, h=H, integrator="euler")
    q, qdot = (jnp.array(x) for x in (scene.model().q0, scene.model().qdot0))
    assert np.isfinite(step(q, qdot)[1]).all()
    assert not np.isfinite(jax.grad(lambda v: step(q, v)[1].sum())(qdot)).any()


@pytest.mark.parametrize(
    ("more", "match"),
    [
        ({"integrator": "rk4"}, "contact"),
        ({"parameters": ["ball.mass"]}, "'ball.mass' cannot cross a bridge"),
    ],
)
def test_what_cannot_cross(more: dict[str, Any], match: str):
    with pytest.raises(rm.RedmaxError, match=match):
        functions.step(SCENE, H, **{"integrator": "euler", **more})
