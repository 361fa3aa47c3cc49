"""Momentum screws: from the bodies' own inertias and twists, in every frame, and kept where nothing acts from outside."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import redmax as rm
from dynamics.differences import rate
from redmax.lie.twists import KINDS, convert_twist, convert_wrench


def figure() -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, 0))
    hip = scene.add_body(rm.Cuboid((0.3, 0.2, 0.4)), joint=rm.Free3D(), qdot=(1, -0.5, 0.2, 0.4, 2, -1), name="hip")
    leg = scene.add_body(
        rm.Cylinder(0.05, 0.5), parent=hip, joint=rm.Universal(), name="leg",
        at=(0.1, 0, -0.2), com=(0, 0, -0.25), q=(0.3, -0.4), qdot=(2, 1),
    )
    scene.add_body(rm.Sphere(0.1), parent=leg, joint=rm.Spherical(), at=(0, 0, -0.5), com=(0.02, 0, -0.05), qdot=(1, 2, -3), name="foot")
    scene.add_frame("toe", "foot", (0.1, 0.02, 0.0))
    return scene


def test_of_a_body_it_is_its_inertia_times_its_twist_seen_from_anywhere():
    scene = figure()
    d, model = rm.Dynamics(scene), scene.model()
    for name in ("hip", "leg", "foot"):
        M = model.links[model.index(name)].shape.mass_matrix
        own = M @ d.twist(model.q0, model.qdot0, name)
        E = d.pose(model.q0, name)
        for kind in KINDS:
            assert_allclose(d.momentum_screw(model.q0, model.qdot0, name, kind), convert_wrench(own, E, "body", kind), atol=1e-13)
    spatial = d.momentum_screw(model.q0, model.qdot0, "foot")
    at_toe, toe = d.momentum_screw(model.q0, model.qdot0, "toe", "body"), d.pose(model.q0, "toe")
    assert_allclose(convert_wrench(at_toe, toe, "body", "spatial"), spatial, atol=1e-13)
    V = d.twist(model.q0, model.qdot0, "toe")  # twice the kinetic energy, wherever the body is looked at from
    energy = d.momentum_screw(model.q0, model.qdot0, "foot", "hybrid") @ d.twist(model.q0, model.qdot0, "foot", "hybrid")
    assert at_toe @ V == pytest.approx(energy, rel=1e-13)


def test_of_all_bodies_it_stays_and_is_the_sum():
    run = rm.simulate(figure(), duration=0.5, dt=0.05, rtol=1e-10)
    whole = run.momentum_screw()
    assert_allclose(whole, run.momentum, atol=1e-13)
    assert_allclose(whole, np.broadcast_to(whole[0], whole.shape), atol=1e-8)
    assert_allclose(sum(run.momentum_screw(name) for name in ("hip", "leg", "foot")), whole, atol=1e-13)
    assert_allclose(run.momentum_screw(kind="hybrid"), run.centroidal_momentum, atol=1e-14)
    of_each = run.quantity("momentum_screw")
    assert of_each.shape == (11, 3, 6)
    assert_allclose(of_each[:, 1], run.momentum_screw("leg"), atol=0)
    assert run.to_pandas(["momentum-screw"]).shape == (11, 18)


def test_its_rate_in_the_body_is_that_of_Euler_and_Poincare():
    """Of a free body, d Pi/dt = ad(V)^T Pi (Mueller and Terze Eq. 37)."""
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Cuboid((0.3, 0.2, 0.4)), joint=rm.Free(), q=(0.2, 0.3, -0.5, 1, 0, 0), qdot=(1, 2, -1, 0.4, 0.2, 1), name="brick")
    d, model = rm.Dynamics(scene), scene.model()
    q, v = model.q0, model.qdot0
    a = d.forward(q, v)

    def along(h: float) -> np.ndarray:
        jerk_free = v + a * h
        return d.momentum_screw(q + v * h + a * h * h / 2, jerk_free, "brick", "body")

    V, Pi = d.twist(q, v, "brick"), d.momentum_screw(q, v, "brick", "body")
    assert_allclose(rate(along, 1e-3), rm.lie.ad(V).T @ Pi, atol=1e-8)
    assert_allclose(convert_twist(V, d.pose(q, "brick"), "body", "spatial"), d.twist(q, v, "brick", "spatial"), atol=1e-14)


def test_what_has_no_axes_and_what_is_not_there_is_refused():
    run = rm.simulate(figure(), duration=0.01, dt=0.01)
    with pytest.raises(rm.SceneError, match=r"all bodies together have no axes of their own\. Say which body"):
        run.momentum_screw(kind="body")
    with pytest.raises(rm.SceneError, match="'foo'"):
        run.momentum_screw("foo")
    with pytest.raises(rm.SceneError, match="Valid: 'body'"):
        run.momentum_screw("leg", "world")  # type: ignore[arg-type]
