"""Inverse derivatives and second derivatives where constraints hold the motion: equal to differences, and to each other."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import agree
from dynamics.closed_scenes import BAR, closed, parallelogram, tangle
from dynamics.differences import rate
from dynamics.test_jacobian_derivatives import moved


def on_a_cord() -> rm.Scene:
    """A ball joint with quaternions whose bar hangs on a point that gives way and on one that does not."""
    scene = rm.Scene()
    arm = scene.add_body(BAR, joint=rm.Spherical("quaternion"), com=(0.2, 0.02, 0), name="arm", damping=0.1)
    bar = scene.add_body(BAR, parent=arm, joint=rm.Universal(), at=(0.4, 0, 0), com=(0.2, 0, 0.03), q=(0.4, 0.5), name="bar")
    scene.add_constraint(rm.Distance(bar.point(0.2, 0, 0.1), (0.3, 0.4, 0.5), name="stay"))
    scene.add_constraint(rm.Distance(arm.point(0.2, 0.1, 0), (0.1, -0.4, 0.2), name="soft", compliance=1e-3))
    return scene


def driven() -> rm.Scene:
    """A chain whose first joint is told how to move, and whose end stays as far from a point."""
    scene, last, motion = rm.Scene(), None, lambda t: 0.2 + 0.1 * rm.math.sin(3 * t)
    for k in range(3):
        told = {"motion": motion} if k == 0 else {"q": 0.5}
        at = (0.4, 0, 0) if k else None
        last = scene.add_body(BAR, joint=rm.Revolute((0.1 * k, 1, 0.1)), parent=last, at=at, com=(0.2, 0, 0), **told)
    scene.add_constraint(rm.Distance(last.point(0.2, 0, 0), (0.3, 0.2, 0.6), name="stay"))
    return scene


def driven_tangle() -> rm.Scene:
    return tangle(motion=lambda t: 0.2 + 0.1 * rm.math.sin(3 * t))


LONG = [pytest.param(made, marks=pytest.mark.long) for made in (tangle, driven_tangle)]


@pytest.mark.parametrize("made", [on_a_cord, driven, *LONG])
def test_all_of_them_agree_with_differences(made):
    scene = made()
    d = rm.Dynamics(scene, "interpret")
    m, n, rng, t = d.model, d.model.nv, np.random.default_rng(0), 0.2
    begin = rm.State(0.0, m.q0, 0.3 * rng.normal(size=n)) if made in (on_a_cord, driven) else closed(scene)
    q, qdot, (third, w) = begin.q, begin.qdot, rng.normal(size=(2, n))
    dq, dqdot, d_third = 0.5 * rng.normal(size=(3, n))
    along = {"q": dq, "qdot": dqdot, "qddot": d_third}
    x = np.concatenate([dq, dqdot, d_third])

    def at(h):
        return moved(m, q, h * dq), qdot + h * dqdot, third + h * d_third

    found = d.inverse_derivatives(q, qdot, third, t=t)
    assert agree(found.value, d.inverse(q, qdot, third, t=t), 1e-12)
    slope = np.concatenate([found.q, found.qdot, found.qddot], axis=-1) @ x
    assert agree(slope, rate(lambda h: d.inverse(*at(h), t=t), 1e-4), 1e-8)
    assert agree(found.t, rate(lambda h: d.inverse(q, qdot, third, t=t + h), 1e-4), 1e-8, floor=1.0)
    assert agree(d.inverse_jvp(q, qdot, third, t=t, along=along | {"t": 0.3}), slope + 0.3 * found.t, 1e-11)
    pulled = d.inverse_vjp(q, qdot, third, w, t=t)
    for name in ("q", "qdot", "qddot", "t"):
        assert agree(getattr(pulled, name), w @ getattr(found, name), 1e-10, floor=1.0), name

    def gradient(h, kind):
        g = getattr(d, f"{kind}_vjp")(*at(h), w, t=t)
        return np.concatenate([g.q, g.qdot, g[2]])

    for kind, name in (("inverse", "qddot"), ("forward", "tau")):
        ways = {"q": dq, "qdot": dqdot, name: d_third}
        second = getattr(d, f"{kind}_hvp")(q, qdot, third, w, t=t, along=ways)
        hessian = getattr(d, f"{kind}_hessian")(q, qdot, third, w, t=t)
        assert agree(hessian @ x, second, 1e-10), kind
        assert agree(second, rate(lambda h: gradient(h, kind), 1e-4), 1e-7), kind  # noqa: B023


def test_by_parameters_of_each_world():
    scene, masses = parallelogram(), np.array([1.1, 1.7])
    d = rm.Dynamics(scene, "interpret", parameters={"rocker.mass": masses})
    q, qdot, rng = d.model.q0, d.model.qdot0, np.random.default_rng(3)
    qddot, weights = rng.normal(size=(2, d.model.nv))

    def tau(h):
        return rm.Dynamics(scene, "interpret", parameters={"rocker.mass": masses + h}).inverse(q, qdot, qddot)

    found = d.inverse_derivatives(q, qdot, qddot).parameters["rocker.mass"]
    assert agree(found, rate(tau, 1e-3), 1e-9)
    assert agree(d.inverse_vjp(q, qdot, qddot, weights).parameters["rocker.mass"], found @ weights, 1e-11)
    assert agree(d.inverse_jvp(q, qdot, qddot, along={"rocker.mass": 0.5}), 0.5 * found, 1e-11)


def test_tied_nodes_are_named():
    d = rm.Dynamics("tied-mass-springs", "interpret")
    zero = np.zeros(d.model.nv)
    with pytest.raises(rm.SceneError, match=r"Dynamics\.inverse_vjp is of joints, bodies and constraints between them, but nodes"):
        d.inverse_vjp(d.model.q0, zero, zero, zero)


def test_a_bead_on_a_wire():
    """Held by a wire, M^-1 is singular, which is no matter of coordinates."""
    scene = rm.Scene()
    bead = scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Translational(), q=(1.0, 0, 0), name="bead")
    scene.add_constraint(rm.PointOnCurve(bead.point(0, 0, 0), rm.curves.Helix(1.0, 0.1), name="wire"))
    d = rm.Dynamics(scene, "interpret")
    q, (qdot, tau, x) = d.model.q0, np.random.default_rng(0).normal(size=(3, 3))
    found = d.forward_derivatives(q, qdot, tau)
    along = np.array([0.0, 1.0, 0.1]) / np.hypot(1.0, 0.1)
    assert agree(found.tau, np.outer(along, along), 1e-12)
    assert agree(found.qdot @ x, rate(lambda h: d.forward(q, qdot + h * x, tau), 1e-3), 1e-9)
    assert agree(d.inverse_derivatives(q, qdot, tau).qdot @ x, rate(lambda h: d.inverse(q, qdot + h * x, tau), 1e-3), 1e-9)


def wire() -> rm.Scene:
    """A bead on a helix, between the axes of its rows."""
    scene, s = rm.Scene(), 0.37
    bead = scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Translational(), q=(np.cos(s), np.sin(s), 0.1 * s), name="bead")
    scene.add_constraint(rm.PointOnCurve(bead.point(0, 0, 0), rm.curves.Helix(1.0, 0.1), name="wire"))
    return scene


def sliding() -> rm.Scene:
    """A bar on a ball joint whose end slides along and turns about an axis that itself turns."""
    scene = rm.Scene()
    arm = scene.add_body(BAR, joint=rm.Revolute("z"), com=(0.2, 0, 0), name="arm")
    bar = scene.add_body(BAR, joint=rm.Free3D(), at=(0.2, 0.1, 0.3), q=(0.1, 0, 0, 0.2, 0.3, -0.2), name="bar")
    scene.add_constraint(rm.Closure(rm.Cylindrical("x"), (arm, (0.1, 0.1, 0.2)), (bar, (0.2, 0, 0.1)), name="slot"))
    return scene


@pytest.mark.parametrize("made", [wire, pytest.param(sliding, marks=pytest.mark.long)])
def test_where_constraints_look_for_their_place(made):
    """Gradients and second derivatives: equal to matrices and to differences of gradients."""
    d = rm.Dynamics(made())
    m, n, rng = d.model, d.model.nv, np.random.default_rng(1)
    q, (qdot, third, w, dq, dqdot, d_third) = closed(made()).q, rng.normal(size=(6, n))
    for kind, name in (("forward", "tau"), ("inverse", "qddot")):
        slopes, pulled = getattr(d, f"{kind}_derivatives")(q, qdot, third), getattr(d, f"{kind}_vjp")
        found = pulled(q, qdot, third, w)
        for by in ("q", "qdot", name):
            assert agree(getattr(found, by), w @ getattr(slopes, by), 1e-11, floor=1.0), (kind, by)

        def gradient(h, pulled=pulled):
            g = pulled(moved(m, q, h * dq), qdot + h * dqdot, third + h * d_third, w)
            return np.concatenate([g.q, g.qdot, g[2]])

        second = getattr(d, f"{kind}_hvp")(q, qdot, third, w, along={"q": dq, "qdot": dqdot, name: d_third})
        assert agree(second, rate(gradient, 1e-3), 1e-7), kind
        hessian = getattr(d, f"{kind}_hessian")(q, qdot, third, w)
        assert agree(hessian @ np.concatenate([dq, dqdot, d_third]), second, 1e-10), kind
    both = d.forward_vjp(np.stack([q, moved(m, q, 0.01 * dq)]), qdot, third, w)
    assert agree(both.q[0], d.forward_vjp(q, qdot, third, w).q, 1e-12)
