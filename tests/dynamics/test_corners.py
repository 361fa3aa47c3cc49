"""States without a derivative are named in a sentence: corners of functions, lines of no length, singular coordinates."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import agree
from joints.samples import KINDS, make


def test_a_point_without_a_derivative_is_named():
    scene = rm.Scene()
    for k in range(2):
        root = (lambda t, q, qdot: -np.sqrt(q)) if k else None
        scene.add_body(rm.Sphere(0.1), joint=rm.Prismatic("x"), joint_name=f"slide{k}", torque=root)
    d = rm.Dynamics(scene)
    assert np.isfinite(d.forward([0.0, 0.0], [0.0, 0.0])).all()
    said = r"Dynamics\.forward_derivatives: qddot of joint 'slide1' has no derivative by q of joint 'slide1' at this state"
    with pytest.raises(rm.SimulationError, match=said):
        d.forward_derivatives([0.0, 0.0], [0.0, 0.0])
    with pytest.raises(rm.SimulationError, match=r"qddot is nan|qddot is -?inf"):
        d.forward_derivatives([0.0, -1.0], [0.0, 0.0])
    with pytest.raises(rm.SceneError, match="q must be finite"):
        d.forward_derivatives([np.nan, 0.0], [0.0, 0.0])


def meeting(rest: float, slack: bool = False) -> rm.Dynamics:
    """A point on a spring, or a cable, to the place where it is."""
    scene = rm.Scene(gravity=(0, 0, 0))
    body = scene.add_body(rm.Sphere(0.1, mass=1), joint=rm.Translational(), name="p")
    ends, law = (body, (0, 0, 0)), {"stiffness": 5.0, "rest": rest, "name": "tie"}
    scene.add_force(rm.Cable(ends, **law) if slack else rm.SpringDamper(*ends, **law))
    return rm.Dynamics(scene, "interpret")


def test_a_line_of_no_length_is_named():
    """At rest length 0.2 the force jumps there, from one side to the other."""
    d, zero, e = meeting(0.2), np.zeros(3), np.eye(3)[0]
    assert agree(d.forward(1e-9 * e, zero), e, 1e-6)
    assert agree(d.forward(-1e-9 * e, zero), -e, 1e-6)
    for name in ("forward_derivatives", "inverse_derivatives"):
        with pytest.raises(rm.SimulationError, match="ends at one place"):
            getattr(d, name)(zero, zero, zero)
    for name in ("forward_vjp", "inverse_vjp", "forward_hessian", "inverse_hessian"):
        with pytest.raises(rm.SimulationError, match=rf"Dynamics\.{name}: .*'tie'.* has its ends at one place at this state"):
            getattr(d, name)(np.stack([e, zero]), zero, zero, zero)
    for name in ("forward_jvp", "inverse_jvp"):
        with pytest.raises(rm.SimulationError, match="ends at one place"):
            getattr(d, name)(zero, zero, zero, along={"q": e})
    assert agree(d.forward_jvp(zero, zero, zero, along={"tau": e}), e, 1e-14)  # along which nothing moves
    assert agree(d.forward_derivatives(0.3 * e, zero, zero).q, np.diag([-5.0, -5 / 3, -5 / 3]), 1e-12)  # k, and k (l - L) / l across
    slack = meeting(0.2, slack=True)
    assert np.array_equal(slack.forward_derivatives(zero, zero).q, np.zeros((3, 3)))


ZERO = [pytest.param(kind, marks=[pytest.mark.long] * (kind not in ("Spherical", "Universal"))) for kind in KINDS]


@pytest.mark.parametrize("kind", ZERO)
def test_at_zero_coordinates_and_at_rest_derivatives_are_numbers_or_there_is_a_sentence(kind):
    """Of first and second order, and of steps."""
    for aligned in (True, False):
        scene = rm.Scene()
        joint = make(kind, np.random.default_rng(1), aligned).joint
        a = scene.add_body(rm.Cuboid((0.3, 0.2, 0.1)), joint=joint, com=(0.1, 0.05, 0.02), name="a", check_joint=False)
        scene.add_body(rm.Cuboid((0.3, 0.2, 0.1)), joint=rm.Revolute("y"), parent=a, at=(0.2, 0.1, 0), com=(0.1, 0, 0))
        d = rm.Dynamics(scene, "interpret")
        q, qdot, (tau, w) = d.model.q0, np.zeros(d.model.nv), np.random.default_rng(0).normal(size=(2, d.model.nv))
        start = rm.State(0.0, q, qdot, rm.Simulation(scene, integrator="euler", backend="interpret").state.chart)
        if kind == "SphericalEuler" and not aligned:  # whose first and last axes are one there
            with pytest.raises(rm.SimulationError, match="singular"):
                d.forward_derivatives(q, qdot, tau)
            continue
        found = d.forward_derivatives(q, qdot, tau)
        products = d.forward_vjp(q, qdot, tau, w), d.inverse_vjp(q, qdot, tau, w)
        numbers = [*found[:3], *(x for product in products for x in product[:3]), d.forward_hessian(q, qdot, tau, w)]
        numbers += [rm.linearize(scene, start, tau, integrator=name, backend="interpret").A for name in ("implicit", "variational")]
        assert all(np.isfinite(x).all() for x in numbers)
        assert agree(products[0].q, w @ found.q, 1e-11, floor=1.0)


def test_a_step_or_a_run_that_begins_at_a_line_of_no_length_names_it():
    scene = rm.Scene(gravity=(0, 0, 0))
    body = scene.add_body(rm.Sphere(0.1, mass=1), joint=rm.Translational(), name="p")
    scene.add_force(rm.SpringDamper(body, (0, 0, 0), stiffness=5.0, rest=0.2, name="tie"))
    beside = rm.State(0.0, np.array([0.3, 0.0, 0.0]), np.zeros(3))
    for integrator in ("euler", "variational"):
        with pytest.raises(rm.SimulationError, match=r"redmax\.linearize: .*'tie'.* has its ends at one place"):
            rm.linearize(scene, integrator=integrator, backend="interpret")
        assert np.isfinite(rm.linearize(scene, beside, integrator=integrator, backend="interpret").A).all()
    g = rm.gradient(scene, lambda now: now.q @ now.q, 0.02, 0.01, by=["q"], integrator="euler", backend="interpret")
    assert np.isfinite(g(q=beside.q).by["q"]).all()
    with pytest.raises(rm.SimulationError, match=r"redmax\.gradient: .*'tie'.* has its ends at one place"):
        g()


@pytest.mark.parametrize("order", ["zxz", "xyz"])
def test_singular_coordinates_are_named(order):
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.3, 0.2, 0.1)), joint=rm.SphericalEuler(order), com=(0.1, 0.05, 0), name="top", check_joint=False)
    d, zero = rm.Dynamics(scene, "interpret"), np.zeros(3)
    singular = np.array([0.3, 0.0 if order == "zxz" else np.pi / 2, 0.2])
    for off in (0.0, 1e-12, 1e-9):
        with pytest.raises(rm.SimulationError, match=r"the coordinates of joint 'top.*' are singular at this state"):
            d.forward_derivatives(singular + [0, off, 0], zero)
    assert np.isfinite(d.forward_derivatives(singular + [0, 1e-4, 0], zero).q).all()
