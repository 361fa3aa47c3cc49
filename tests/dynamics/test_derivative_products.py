"""Products with derivatives are those with their matrices; gradients by all that goes in; second derivatives change gradients."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree
from dynamics.differences import rate
from dynamics.test_jacobian_derivatives import moved
from mechanisms import mechanisms
from random_examples import examples
from redmax.model.named_scene import named_scene

seeds = st.integers(0, 2**16)


@examples(3, 30)
@given(m=mechanisms(largest=4).filter(lambda m: 0 < m.nv < 16), seed=seeds)
def test_random_trees_of_all_joints(m, seed):
    d, s, n = rm.Dynamics(m.model, "interpret"), m.state(seed), m.nv
    (w, _, _), along = np.random.default_rng(seed).normal(size=(2, 3, n))
    f = d.forward_derivatives(s.q, s.qdot, s.tau, s.wrench, s.t)
    moves = dict(zip(("q", "qdot", "tau"), along, strict=True))
    expected = f.q @ along[0] + f.qdot @ along[1] + f.tau @ along[2] + 0.7 * f.t
    assert agree(d.forward_jvp(s.q, s.qdot, s.tau, s.wrench, s.t, along=moves | {"t": 0.7}), expected, 1e-10, 1.0)
    g = d.forward_vjp(s.q, s.qdot, s.tau, w, s.wrench, s.t)
    for a, b in zip((g.q, g.qdot, g.tau, g.t, g.value), (w @ f.q, w @ f.qdot, w @ f.tau, w @ f.t, f.value), strict=True):
        assert agree(a, b, 1e-9, 1.0)
    H = d.forward_hessian(s.q, s.qdot, s.tau, w, s.wrench, s.t)
    assert agree(H, H.T, 1e-9, 1.0)
    assert agree(d.forward_hvp(s.q, s.qdot, s.tau, w, s.wrench, s.t, along=moves), H @ along.ravel(), 1e-9, 1.0)


def test_second_derivatives_are_how_gradients_change():
    scene = rm.Scene()
    base = scene.add_body(rm.Cuboid((0.3, 0.2, 0.1)), joint=rm.Free("quaternion"), com=(0.1, 0, 0))
    scene.add_body(rm.Cuboid((0.1, 0.3, 0.1)), joint=rm.Revolute("y"), parent=base, at=(0.2, 0.1, 0), com=(0, 0.2, 0))
    scene.add_force(rm.SpringDamper(base, (0.3, 0, 0), stiffness=50.0, damping=2.0))
    d = rm.Dynamics(scene, "interpret")
    n, q = d.model.nv, np.array([0.8, 0.0, 0.6, 0.0, 0.1, 0.2, 0.3, 0.4])
    qdot, x, w = np.random.default_rng(0).normal(size=(3, n))
    for kind, third in (("forward", "tau"), ("inverse", "qddot")):
        vjp, names = getattr(d, f"{kind}_vjp"), ("q", "qdot", third)
        H = getattr(d, f"{kind}_hessian")(q, qdot, x, w)

        def gradient(place, rates, last, vjp=vjp, names=names):
            found = vjp(place, rates, last, w)
            return np.concatenate([getattr(found, name) for name in names], axis=-1)

        e = np.eye(n)
        by_q = np.stack([rate(lambda h, k=k: gradient(moved(d.model, q, h * k), qdot, x), 1e-3) for k in e], axis=-1)
        assert agree(H[:, :n], by_q, 1e-8)
        assert agree(H[:, n : 2 * n], rate(lambda h: gradient(q, qdot + h * e, x), 1e-3).T, 1e-8)  # noqa: B023
        assert agree(H[:, 2 * n :], rate(lambda h: gradient(q, qdot, x + h * e), 1e-3).T, 1e-8, floor=1.0)  # noqa: B023
        f = getattr(d, f"{kind}_derivatives")(q, qdot, x)
        assert agree(vjp(q, qdot, x, w).q, w @ f.q, 1e-10)


def test_compiled_batches_wrenches_and_parameters():
    scene = rm.Scene()
    arm = scene.add_body(rm.Cuboid((1, 0.1, 0.2)), joint=rm.Universal(), com=(0.5, 0, 0), name="arm", stiffness=3.0)
    scene.add_body(rm.Cuboid((1, 0.1, 0.1)), joint=rm.Revolute("y"), parent=arm, at=(1, 0, 0), com=(0.5, 0, 0), name="hand")
    rng = np.random.default_rng(0)
    values = {"arm.mass": np.array([1.0, 2.0]), "hand.size": np.array([[1.0, 0.2, 0.3], [0.8, 0.1, 0.1]])}
    d, q, qdot, tau, w = rm.Dynamics(scene, parameters=values), *rng.normal(size=(4, 2, 3))
    wrench = rng.normal(size=(2, 2, 6))
    f, g = d.forward_derivatives(q, qdot, tau, wrench), d.forward_vjp(q, qdot, tau, w, wrench)
    for name in ("q", "qdot", "tau"):
        assert agree(getattr(g, name), (w[:, None] @ getattr(f, name))[:, 0], 1e-11)
    assert agree(g.parameters["arm.mass"], (w * f.parameters["arm.mass"]).sum(axis=-1), 1e-11)
    assert agree(g.parameters["hand.size"], np.einsum("wi,wik->wk", w, f.parameters["hand.size"]), 1e-9)
    step = rng.normal(size=wrench.shape)
    along = d.forward_jvp(q, qdot, tau, wrench, along={"wrench": step, "t": np.array([1.0, 2.0])})
    assert agree((g.wrench * step).sum(axis=(-2, -1)), (w * along).sum(axis=-1), 1e-11)
    H = d.inverse_hessian(q, qdot, tau, w, wrench)
    assert H.shape == (2, 9, 9)
    one = rm.Dynamics(scene, "interpret", parameters={k: v[1] for k, v in values.items()})
    assert agree(H[1], one.inverse_hessian(q[1], qdot[1], tau[1], w[1], wrench[1]), 1e-11)
    assert agree(d.inverse_hvp(q, qdot, tau, w, wrench, along={"qdot": qdot}), (H[..., 3:6] @ qdot[..., None])[..., 0], 1e-11)


def test_constraints_where_they_act():
    d = rm.Dynamics(named_scene("slider-crank"), "interpret")
    q, qdot, (tau, w) = d.model.q0, d.model.qdot0, np.random.default_rng(0).normal(size=(2, d.model.nv))
    f, g = d.forward_derivatives(q, qdot, tau), d.forward_vjp(q, qdot, tau, w)
    assert agree(g.q, w @ f.q, 1e-11)
    assert agree(g.tau, w @ f.tau, 1e-11)
    assert agree(d.forward_jvp(q, qdot, tau, along={"q": w}), f.q @ w, 1e-11)
    along = {"q": w, "tau": q}
    assert agree(d.forward_hessian(q, qdot, tau, w) @ np.concatenate([w, 0 * w, q]), d.forward_hvp(q, qdot, tau, w, along=along), 1e-11)


def test_what_is_wrong_is_named():
    d = rm.Dynamics("chain-20", "interpret")
    zero = np.zeros(20)
    with pytest.raises(rm.SceneError, match=r"Dynamics\.forward_jvp: .*'qd'.*qdot"):
        d.forward_jvp(zero, zero, along={"qd": zero})
    with pytest.raises(rm.SceneError, match=r"along is a dictionary, such as \{\"q\": dq\}"):
        d.inverse_jvp(zero, zero, zero, along=zero)
    with pytest.raises(rm.SceneError, match=r"weights must have shape \(..., 20\)"):
        d.forward_vjp(zero, zero, zero, np.zeros(3))


def test_along_parameters():
    """In two worlds at once: what a matrix of slopes says, and how gradients change."""
    scene = rm.Scene()
    arm = scene.add_body(rm.Cuboid((1, 0.1, 0.2)), joint=rm.Revolute("y"), com=(0.5, 0, 0), name="arm", stiffness=3.0)
    scene.add_body(rm.Sphere(0.1, mass=2.0), joint=rm.Helical("z", pitch=0.2), parent=arm, at=(1, 0, 0), name="hand", com=(0, 0.3, 0))
    rng = np.random.default_rng(2)
    values = {"arm.mass": np.array([1.2, 1.7]), "hand.pitch": 0.2, "arm.inertia": np.diag([1.0, 2, 2.5])}
    values["hand.com"] = np.array([0, 0.3, 0.1])
    turn = rng.normal(size=(3, 3))
    along = {"arm.mass": np.array([0.3, -0.2]), "hand.pitch": 0.1, "arm.inertia": turn + turn.T, "hand.com": rng.normal(size=(2, 3))}
    q, qdot, tau, weights = rng.normal(size=(4, 2))

    def at(h):
        return rm.Dynamics(scene, "interpret", parameters={name: x + h * np.asarray(along[name]) for name, x in values.items()})

    d, dq = at(0.0), rng.normal(size=2)
    assert agree(d.forward_jvp(q, qdot, tau, along=along), rate(lambda h: at(h).forward(q, qdot, tau), 1e-3), 1e-8)
    both = rate(lambda h: at(h).inverse(q + h * dq, qdot, tau), 1e-3)
    assert agree(d.inverse_jvp(q, qdot, tau, along=along | {"q": dq}), both, 1e-8)

    def gradient(h):
        found = at(h).forward_vjp(q + h * dq, qdot, tau, weights)
        return np.concatenate([found.q, found.qdot, found.tau], axis=-1)

    assert agree(d.forward_hvp(q, qdot, tau, weights, along=along | {"q": dq}), rate(gradient, 1e-3), 1e-8)
    with pytest.raises(rm.SceneError, match=r"along 'hand\.com' has shape \(\.\.\., 3\), as its slopes\. Got \(2,\)"):
        d.forward_jvp(q, qdot, tau, along={"hand.com": [1.0, 2.0]})
    with pytest.raises(rm.SceneError, match=r"There is no input 'hand\.pich'.*'hand\.pitch'"):
        d.forward_jvp(q, qdot, tau, along={"hand.pich": 1.0})
