"""The mechanism as a whole: centre of mass, centroidal momentum and its matrix, against other ways to the same numbers.

Pinocchio and MuJoCo are asked in test_pinocchio.py and test_subtrees.py; here are joints that neither has, and what changes with time.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import redmax as rm
from dynamics import test_time_in_joints as timed
from dynamics.agreement import agree
from dynamics.differences import rate, rates
from joints.samples import KINDS
from mechanisms import chain, every_kind, mechanisms
from random_examples import examples

OTHERS = ("Free", "ConstantVelocity", "SurfaceContact", "SphericalEuler", "Elliptic", "SplineSurface")  # joints that other engines have not


def summed(model: rm.Model, seen: rm.Observation) -> tuple[np.ndarray, np.ndarray]:
    """Centre of mass, and momentum about it, from poses of bodies and the momentum about the world's origin."""
    m = np.array([link.shape.mass for link in model.links])
    c = m @ seen.pose[:, :3, 3] / m.sum()
    return c, np.concatenate([seen.momentum[:3] - np.cross(c, seen.momentum[3:]), seen.momentum[3:]])


@examples(2, 30)
@given(m=mechanisms(largest=6).filter(lambda m: m.nv > 0), seed=st.integers(0, 2**16))
def test_sums_and_columns_are_those_of_the_bodies(m, seed):
    s = m.state(seed)
    d = rm.Dynamics(m.model, backend="interpret")
    seen, whole = d.observe(s.q, s.qdot), d.centroidal(s.q, s.qdot, s.qddot)
    c, h = summed(m.model, seen)
    assert agree(whole.center, c, 1e-13, floor=1.0)
    assert agree(whole.momentum, h, 1e-11, floor=1.0)
    assert agree(whole.velocity * whole.mass, h[3:], 1e-11, floor=1.0)
    A, Adot = d.centroidal_momentum_matrix(s.q, s.qdot)
    columns = d.observe(s.q, np.eye(m.nv)).momentum
    columns[:, :3] -= np.cross(c, columns[:, 3:])
    assert agree(A, columns.T, 1e-11, floor=1.0)
    assert agree(A @ s.qddot + Adot @ s.qdot, whole.momentum_rate, 1e-11, floor=1.0)
    arms, turned = seen.pose[:, :3, 3] - c, seen.pose[:, :3, :3]
    own = [R @ link.shape.inertia @ R.T for R, link in zip(turned, m.links)]
    inertia = sum(A + link.shape.mass * (a @ a * np.eye(3) - np.outer(a, a)) for A, a, link in zip(own, arms, m.links))
    assert agree(whole.inertia[:3, :3], inertia, 1e-12)
    assert_allclose(whole.inertia[3:, 3:], d.total_mass() * np.eye(3), rtol=1e-14)


@pytest.mark.parametrize("kinds", [OTHERS, pytest.param(KINDS, marks=pytest.mark.long)])
def test_rates_and_slopes_are_what_differences_find(kinds):
    m = every_kind(1, kinds=kinds, forces=False)
    s = m.state(1)
    d = rm.Dynamics(m.model, backend="interpret")

    def along(h: float) -> tuple[np.ndarray, np.ndarray]:
        return s.q + h * s.qdot + 0.5 * h * h * s.qddot, s.qdot + h * s.qddot

    whole = d.centroidal(s.q, s.qdot, s.qddot)
    assert agree(rate(lambda h: d.center_of_mass(along(h)[0]), 1e-3), whole.velocity, 1e-9)
    assert agree(rate(lambda h: d.center_of_mass_velocity(*along(h)), 1e-3), whole.acceleration, 1e-8)
    assert agree(rate(lambda h: d.centroidal_momentum(*along(h)), 1e-3), whole.momentum_rate, 1e-8)
    J, Jdot = d.center_of_mass_jacobian(s.q, s.qdot)
    assert agree(rates(d.center_of_mass, s.q, 1e-3).T, J, 1e-9)
    assert agree(rate(lambda h: d.center_of_mass_jacobian(s.q + h * s.qdot)[0], 1e-3), Jdot, 1e-8)
    _, Adot = d.centroidal_momentum_matrix(s.q, s.qdot)
    assert agree(rate(lambda h: d.centroidal_momentum_matrix(s.q + h * s.qdot)[0], 1e-3), Adot, 1e-8)
    C = d.coriolis_matrix(s.q, s.qdot)
    assert agree(C @ s.qdot, -d.coriolis_forces(s.q, s.qdot), 1e-11)
    assert agree(C + C.T, rate(lambda h: d.inertia(s.q + h * s.qdot), 1e-3), 1e-8)
    gradient = rates(lambda q: d.observe(q, np.zeros(m.nv)).potential, s.q, 1e-3)[:, 0]
    assert agree(d.gravity_forces(s.q), -gradient, 1e-9)


@examples(3, 30)
@given(m=mechanisms(largest=6, forces=False).filter(lambda m: m.nv > 0), seed=st.integers(0, 2**16))
def test_forces_of_gravity_and_of_velocities_are_the_parts_of_inverse_dynamics(m, seed):
    s = m.state(seed)
    d = rm.Dynamics(m.model, backend="interpret")
    gravity, nonlinear = d.gravity_forces(s.q), d.nonlinear_effects(s.q, s.qdot)
    assert agree(gravity, -d.inverse(s.q, 0 * s.qdot, 0 * s.qddot), 1e-11, floor=1.0)
    assert agree(nonlinear, d.inverse(s.q, s.qdot, 0 * s.qddot), 1e-11, floor=1.0)
    assert agree(nonlinear, -gravity - d.coriolis_forces(s.q, s.qdot), 1e-12, floor=1.0)


def test_joints_that_depend_on_time():
    d, q, qdot, qddot, t = timed.DYNAMICS, *np.random.default_rng(3).uniform(-1, 1, (3, 6)), 0.4
    whole = d.centroidal(q, qdot, qddot, t)

    def after(h: float) -> rm.Centroidal:
        return d.centroidal(q + h * qdot + 0.5 * h * h * qddot, qdot + h * qddot, t=t + h)

    assert agree(rate(lambda h: after(h).center, 1e-3), whole.velocity, 1e-9)
    assert agree(rate(lambda h: after(h).velocity, 1e-3), whole.acceleration, 1e-8)
    assert agree(rate(lambda h: after(h).momentum, 1e-3), whole.momentum_rate, 1e-8)
    zero = np.zeros(6)
    acting = d.inverse(q, zero, zero, t=t) + d.gravity_forces(q, t) + d.coriolis_forces(q, zero, t)
    assert_allclose(acting, 0, atol=1e-12 * np.abs(d.gravity_forces(q, t)).max())


def test_far_from_the_origin_no_more_digits_are_lost_than_the_place_has():
    near, far = rm.Scene(), rm.Scene()
    for scene, x in ((near, 0.0), (far, 1e6)):
        body = scene.add_body(rm.Cuboid((1, 0.5, 0.2), mass=3), joint=rm.Revolute("x"), at=(x, 0, 0), com=(0, 0.3, 0.1))
        scene.add_body(rm.Cuboid((1, 0.5, 0.2), mass=2), parent=body, joint=rm.Revolute("y"), at=(0, 1, 0), com=(0.3, 0, 0.1))
    here, there = (rm.Dynamics(scene.model()).centroidal((0.3, 0.4), (1, 2), (3, 4)) for scene in (near, far))
    assert_allclose(there.momentum, here.momentum, rtol=1e-9)
    assert_allclose(there.inertia, here.inertia, atol=1e-8)
    assert_allclose(there.center - here.center, (1e6, 0, 0), atol=1e-9)


def test_parameters_batches_and_single_precision():
    m = chain(1, ("Spherical", "Revolute", "Elliptic"), forces=False)
    q, qdot, qddot = (a.reshape(2, 3, -1) for a in m.states(6))
    masses = np.array([1.0, 2.0, 5.0])
    d = rm.Dynamics(m.model, parameters={"link2.mass": masses, "link1.com": (0.1, 0.2, 0.3)})
    many, (A, Adot) = d.centroidal(q, qdot, qddot), d.centroidal_momentum_matrix(q, qdot)
    assert many.inertia.shape == (2, 3, 6, 6)
    assert A.shape == Adot.shape == (2, 3, 6, m.nv)
    one = rm.Dynamics(m.model, parameters={"link2.mass": 5.0, "link1.com": (0.1, 0.2, 0.3)}, backend="interpret")
    assert agree(A[1, 2], one.centroidal_momentum_matrix(q[1, 2])[0], 1e-12)
    assert agree(many.center[1, 2], one.center_of_mass(q[1, 2]), 1e-12)
    assert agree(d.gravity_forces(q)[1, 2], one.gravity_forces(q[1, 2]), 1e-12)
    assert_allclose(d.total_mass(), masses + m.links[0].shape.mass + m.links[1].shape.mass, rtol=1e-12)
    single, double = (rm.Dynamics(m.model, dtype=dtype) for dtype in ("float32", "float64"))
    assert single.centroidal(q, qdot).momentum.dtype == np.float32
    assert agree(single.centroidal(q, qdot, qddot).momentum_rate, double.centroidal(q, qdot, qddot).momentum_rate, 1e-4)
    assert agree(single.nonlinear_effects(q, qdot), double.nonlinear_effects(q, qdot), 1e-4)


def test_nodes_count_and_hidden_states_do_not():
    scene = rm.Scene()
    bar = scene.add_body(rm.Cuboid((1, 0.1, 0.1), mass=2), joint=rm.Revolute("y"), com=(0.5, 0, 0), name="bar")
    scene.add_deformable(rm.SpringChain((1, 0, 0), (2, 0, 0), 3, mass=3, stiffness=100).attach(bar, 0))
    scene.add_force(rm.Muscle([(0, 0, 1), bar.point(0.1, 0, 0)], force=10, optimal_length=1, excitation=0.5))
    d = rm.Dynamics(scene)
    model = d.model
    c = d.center_of_mass(model.q0)
    nodes = np.array([link.shape.mass for link in model.nodes])
    assert_allclose(d.total_mass(), 5)
    assert_allclose(c, (2 * np.array([0.5, 0, 0]) + nodes @ [(1, 0, 0), (1.5, 0, 0), (2, 0, 0)]) / 5, atol=1e-14)
    assert_allclose(d.total_mass("bar"), 2 + nodes[0])  # what is attached hangs on it
    A = d.centroidal_momentum_matrix(model.q0)[0]
    assert_allclose(A[:, model.v_slice(model.hidden[0].name)], 0)
    assert_allclose(A[3:, -3:], nodes[-1] * np.eye(3), atol=1e-14)
    assert_allclose(d.gravity_forces(model.q0)[-3:], nodes[-1] * np.array([0, 0, -9.81]))


@pytest.mark.parametrize(
    ("body", "said"),
    [("nobody", "no frame, body or joint"), ("ghost", "Body 'ghost' and all that hangs on it have no mass"), (3, "A frame is named by")],
)
def test_bodies_that_have_no_centre_are_refused(body, said):
    scene = rm.Scene()
    ball = scene.add_body(rm.Sphere(0.1, mass=1), joint=rm.Revolute("x"), com=(0, 0, 1), name="ball")
    scene.add_body(rm.MassProperties(0, (0, 0, 0)), parent=ball, joint=rm.Fixed(), name="ghost")
    d = rm.Dynamics(scene, backend="interpret")
    with pytest.raises(rm.SceneError, match=said):
        d.center_of_mass([0.0], body=body)
    assert_array_equal(d.center_of_mass([0.0], body=ball), d.center_of_mass([0.0], body="ball"))
    other = rm.Scene().add_body(rm.Sphere(0.1, mass=1), joint=rm.Revolute("x"), name="ball")
    with pytest.raises(rm.SceneError, match="another scene"):
        d.center_of_mass([0.0], body=other)
