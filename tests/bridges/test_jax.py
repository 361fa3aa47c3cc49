"""The bridge to JAX, by JAX's own checks, and what its programs are made of."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads

import redmax as rm
from bridges.bars import NAMES, run_of_bars, state, two_bars, values
from redmax.bridges import jax as bridge
from redmax.scenes import find

SCENE = two_bars(stiffness=3.0)
FORWARD = bridge.forward_dynamics(SCENE)
DYNAMICS = rm.Dynamics(SCENE)


@pytest.fixture(autouse=True)
def doubles() -> Any:
    with jax.enable_x64(True):
        yield


def test_values_are_those_of_the_library():
    q, qdot, tau = state(1)
    assert np.array_equal(FORWARD(q, qdot, tau), DYNAMICS.forward(q, qdot, tau))
    assert np.array_equal(jax.jit(FORWARD)(q, qdot), DYNAMICS.forward(q, qdot))
    other = rm.Dynamics(SCENE, parameters=values())
    found = bridge.forward_dynamics(SCENE, NAMES)(q, qdot, tau, parameters=values())
    assert np.allclose(found, other.forward(q, qdot, tau), rtol=1e-13)
    tau = bridge.inverse_dynamics(SCENE)(q, qdot, found)
    assert np.allclose(tau, DYNAMICS.inverse(q, qdot, found), rtol=1e-13)


@pytest.mark.parametrize("made", ["forward", "inverse", "step"])
def test_check_grads(made):
    """First and second derivatives, forwards and backwards, by state, torques and parameters."""
    names = ["upper.mass", "gravity"]
    f = {
        "forward": lambda: bridge.forward_dynamics(SCENE, names),
        "inverse": lambda: bridge.inverse_dynamics(SCENE, names),
        "step": lambda: bridge.step(SCENE, 0.05, "implicit", parameters=names),
    }[made]()
    q, qdot, tau = state(2)
    given = {name: values()[name] for name in names}
    check_grads(lambda *x: f(*x[:3], parameters=x[3]), (q, qdot, tau, given), order=2, modes=("fwd", "rev"), rtol=1e-6, atol=1e-6)


def test_gradients_by_an_inertia_are_symmetric():
    f, (q, qdot, tau) = bridge.forward_dynamics(SCENE, NAMES), state(3)
    slope = jax.grad(lambda p: jnp.sum(f(q, qdot, tau, parameters={"upper.inertia": p})))(values()["upper.inertia"])
    assert np.array_equal(slope, slope.T)
    assert slope[1, 1] != 0


def test_jacobians_and_hessians():
    q, qdot, tau = state(4)
    for n in range(3):
        ahead, back = jax.jacfwd(FORWARD, n)(q, qdot, tau), jax.jacrev(FORWARD, n)(q, qdot, tau)
        assert np.allclose(ahead, back, rtol=1e-12, atol=1e-12)
    assert np.allclose(jax.jacfwd(FORWARD, 2)(q, qdot, tau), DYNAMICS.inverse_inertia(q), rtol=1e-12)
    hessian = jax.hessian(lambda x: FORWARD(x, qdot, tau) @ jnp.arange(3.0))(q)
    assert np.allclose(hessian, hessian.T, rtol=1e-12)
    assert np.allclose(jax.jacrev(jax.grad(lambda x: FORWARD(x, qdot, tau) @ jnp.arange(3.0)))(q), hessian, rtol=1e-11)


def test_many_directions_at_one_point_are_products_with_matrices():
    """Forwards and backwards, and derivatives of these: as one direction after the other, which are pushes and pulls."""
    q, qdot, tau = map(jnp.asarray, state(12))
    moves = np.random.default_rng(13).normal(size=(9, 3))

    def pushed(q: Any, d: Any) -> Any:
        return jax.jvp(lambda x: FORWARD(x, qdot, 2 * x), (q,), (d,))[1]

    def pulled(q: Any, w: Any) -> Any:
        return jax.vjp(lambda x, v: FORWARD(x, v, tau), q, qdot)[1](w)[0]

    for one in (pushed, pulled):
        many = jax.vmap(one, (None, 0))
        assert np.allclose(many(q, moves), [one(q, d) for d in moves], rtol=1e-11, atol=1e-11)
        bent = jax.jvp(lambda x, f=many: f(x, moves), (q,), (qdot,))[1]
        assert np.allclose(bent, [jax.jvp(lambda x, d=d, f=one: f(x, d), (q,), (qdot,))[1] for d in moves], rtol=1e-10, atol=1e-10)
    both = jax.vmap(jax.vmap(pushed, (None, 0)), (0, None))(jnp.stack([q, qdot]), moves)
    assert np.allclose(both[1], [pushed(qdot, d) for d in moves], rtol=1e-11, atol=1e-11)


def test_batches_are_one_call_each():
    """Nested, with what worlds share, forwards and backwards; nothing is copied for the batch."""
    q, qdot, tau = state(5, 9)
    found = jax.vmap(FORWARD, (0, None, None))(q, qdot[0], tau[0])
    assert np.allclose(found, DYNAMICS.forward(q, qdot[0], tau[0]), rtol=1e-13)
    grid = jax.vmap(lambda x: jax.vmap(lambda v: FORWARD(x, v, tau[0]))(qdot[:4]))(q)
    assert np.allclose(grid, DYNAMICS.forward(q[:, None], qdot[None, :4], tau[0]), rtol=1e-13)
    assert np.array_equal(FORWARD(q, qdot, tau[0]), jax.vmap(FORWARD, (0, 0, None))(q, qdot, tau[0]))

    def cost(v: Any) -> Any:
        return jnp.sum(jnp.sin(jax.vmap(FORWARD, (0, None, None))(q, v, tau[0])))

    one_by_one = sum(jax.grad(lambda v, x=x: jnp.sum(jnp.sin(FORWARD(x, v, tau[0]))))(qdot[0]) for x in q)
    assert np.allclose(jax.grad(cost)(qdot[0]), one_by_one, rtol=1e-12)
    text = jax.jit(jax.vmap(FORWARD, (0, None, None))).lower(q, qdot[0], tau[0]).compile().as_text()
    assert text.count("custom-call(") == 1
    assert not any(word in text for word in ("copy(", "broadcast(", "transpose(", "fusion("))


def test_a_rollout_by_scan_is_a_run_of_the_library():
    """And its gradient, by the torques of every step, is that of the discrete run: held to central differences."""
    f, (q, qdot, _) = bridge.step(SCENE, 1e-3, "rk4"), state(6)
    tau = np.random.default_rng(7).normal(size=(30, 3))

    @jax.jit
    def end(tau: Any) -> Any:
        return jax.lax.scan(lambda x, u: (f(*x, u), None), (jnp.asarray(q), jnp.asarray(qdot)), tau)[0]

    run = rm.simulate(SCENE, 0.03, 1e-3, integrator="rk4", initial=rm.State(0.0, q, qdot), controls=tau)
    assert np.allclose(end(tau)[0], run.q[-1], rtol=1e-13)
    slope, along = jax.grad(lambda u: jnp.sum(end(u)[1]))(tau), np.random.default_rng(8).normal(size=tau.shape)
    up, down = (float(np.sum(end(tau + s * along)[1])) for s in (1e-4, -1e-4))
    assert np.isclose(np.sum(slope * along), (up - down) / 2e-4, rtol=1e-7)


def test_constraints_act():
    """Rows are solved for in the same call, one world or many."""
    model = find("four-bar").scene().model()
    sim = rm.Simulation(model, dt=1e-3)
    sim.step(2)
    f, (q, qdot) = bridge.forward_dynamics(model), (sim.q[0], sim.qdot[0])
    tau = np.random.default_rng(3).normal(size=(3, model.nv))
    expected = rm.Dynamics(model).forward(q, qdot, tau)
    assert np.allclose(f(q, qdot, tau), expected, rtol=1e-9)
    assert np.allclose(f(q, qdot, tau[0]), expected[0], rtol=1e-12)
    slope = jax.grad(lambda u: jnp.sum(f(q, qdot, u)))(tau[0])
    assert np.allclose(slope @ (tau[1] - tau[0]), np.sum(expected[1] - expected[0]), rtol=1e-9)  # which is linear in tau


def test_an_objective_of_a_run():
    """What redmax.gradient finds, by reverse mode, in batches too."""
    g, (_, qdot, _) = run_of_bars(), state(10)
    f, tau = bridge.objective(g), np.random.default_rng(11).normal(size=(4, 10, 3))
    expected = g(tau=np.moveaxis(tau, 0, 1), qdot=qdot, parameters={"upper.mass": 1.2})
    value, slopes = jax.value_and_grad(lambda u, v, m: f(tau=u, qdot=v, parameters={"upper.mass": m}), (0, 1, 2))(tau[1], qdot, 1.2)
    assert np.allclose(value, expected.value[1], rtol=1e-13)
    for slope, name in zip(slopes, ("tau", "qdot", "upper.mass"), strict=True):
        of_one = expected.by[name][:, 1] if name == "tau" else expected.by[name][1]
        assert np.allclose(slope, of_one, rtol=1e-12, atol=1e-14), name
    along = jax.jit(jax.vmap(jax.grad(lambda u: f(tau=u, qdot=qdot, parameters={"upper.mass": 1.2}))))(tau)
    assert np.allclose(along, np.moveaxis(expected.by["tau"], 1, 0), rtol=1e-12, atol=1e-14)
    with pytest.raises(rm.SceneError, match=r"The gradient is not by 'lower.mass', but by qdot, tau, upper.mass"):
        f(parameters={"lower.mass": 1.0})
    with pytest.raises(rm.SceneError, match=r"tau must have shape \(\.\.\., 10, 3\) for this run"):
        f(tau=tau[0, :5])


def test_time_and_step_are_operands():
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((1, 1, 1), mass=1.0), joint=rm.Prismatic("x"), torque=lambda t, q, qdot: [rm.math.sin(t)])
    f, zero = bridge.step(scene, 0.1, "euler"), np.zeros(1)
    q, qdot = f(zero, zero, t=0.5, h=0.2)
    assert np.allclose([q[0], qdot[0]], [0.04 * np.sin(0.5), 0.2 * np.sin(0.5)], rtol=1e-12)
    by_t, by_h = jax.grad(lambda t, h: f(zero, zero, t=t, h=h)[0][0], (0, 1))(0.5, 0.2)
    assert np.allclose([by_t, by_h], [0.04 * np.cos(0.5), 0.4 * np.sin(0.5)], rtol=1e-12)


def test_threads_share_a_function():
    """Each call has a set of words of its own."""
    f, x = jax.jit(jax.vmap(FORWARD)), [state(seed, 500) for seed in range(4)]
    expected = [np.array(f(*s)) for s in x]
    with jax.enable_x64(True), ThreadPoolExecutor(4) as pool:

        def again(k: int) -> bool:
            with jax.enable_x64(True):
                return np.array_equal(f(*x[k % 4]), expected[k % 4])

        assert all(pool.map(again, range(200)))


def test_what_is_not_finite_goes_through():
    q, qdot, tau = state(9, 3)
    q[1, 0] = np.nan
    found = np.array(FORWARD(q, qdot, tau))
    assert np.isnan(found[1]).any()
    assert np.isfinite(found[[0, 2]]).all()
    assert FORWARD(q[:0], qdot[:0], tau[:0]).shape == (0, 3)


def test_floats_of_32_bits():
    q, qdot, tau = (x.astype(np.float32) for x in state(1))
    with jax.enable_x64(False):
        f = bridge.forward_dynamics(SCENE, dtype="float32")
        found = f(q, qdot, tau)
        slope = jax.grad(lambda x: jnp.sum(f(x, qdot, tau)))(jnp.asarray(q))
        with pytest.raises(rm.RedmaxError, match=r'takes doubles.*jax.config.update\("jax_enable_x64", True\), or.*dtype="float32"'):
            FORWARD(q, qdot, tau)
    assert found.dtype == slope.dtype == np.float32
    assert np.allclose(found, DYNAMICS.forward(q, qdot, tau), rtol=1e-4)


def test_wrong_calls_are_said():
    q, qdot, tau = state(1)
    with pytest.raises(rm.SceneError, match=r"qdot must have shape \(\.\.\., 3\) for this model. Got \(2,\)."):
        FORWARD(q, qdot[:2], tau)
    with pytest.raises(rm.SceneError, match="forward dynamics needs qdot"):
        FORWARD(q, None, tau)
    with pytest.raises(rm.SceneError, match=r"was made without parameters. Name it where the function is made"):
        FORWARD(q, qdot, tau, parameters={"upper.mass": 2.0})
    with pytest.raises(rm.RedmaxError, match="forward dynamics runs on the CPU, not on cuda"):
        jax.jit(FORWARD).trace(q, qdot, tau).lower(lowering_platforms=("cuda",))
