"""Damping by stiffness: it takes energy whatever the state, turns and moves nothing, and is Rayleigh's at rest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import redmax as rm
from deformables.evaluated import central_differences, value
from deformables.samples import STRETCHES, deformed, random_rotation, random_tet
from random_examples import examples
from redmax.deformables import Deformable, Elements, Law, Spring
from redmax.deformables.materials import MATERIALS

both = pytest.mark.parametrize("material", sorted(MATERIALS))
nine = arrays(float, (3, 3), elements=st.floats(-3.0, 3.0))
twelve = arrays(float, (4, 3), elements=st.floats(-3.0, 3.0))
pair = arrays(float, (2, 3), elements=st.floats(-2.0, 2.0))
E, NU = 2.0, 0.4


def element(material: str, seed: int = 0, poisson: float = NU):
    body = random_tet(np.random.default_rng(seed), material, youngs=E, poisson=poisson)
    return body, body.elements[0].law, body.elements[0].data[0]


@both
@pytest.mark.parametrize("poisson", [-0.6, 0.4])
@examples(15, 100)
@given(F=nine, v=twelve)
def test_its_power_is_that_of_the_strain_rate(material, poisson, F, v):
    """-V (2 mu |Edot|^2 + lambda tr(Edot)^2), Edot the rate of (F'F - 1)/2: never positive, for compressed and mirrored elements too."""
    body, law, data = element(material, poisson=poisson)
    x = body.nodes @ F.T
    f = law.viscous(x, v, data)
    rate = (v[1:] - v[0]).T @ np.linalg.inv((body.nodes[1:] - body.nodes[0]).T)
    Edot = (F.T @ rate + rate.T @ F) / 2
    mu, lam = E / (2 * (1 + poisson)), E * poisson / ((1 + poisson) * (1 - 2 * poisson))
    expected = -body.volumes[0] * (2 * mu * (Edot * Edot).sum() + lam * np.trace(Edot) ** 2)
    size = 1e-12 * (1 + np.abs(f).max() * np.abs(v).max())
    assert expected <= 0
    assert abs((f * v).sum() - expected) < size


@both
@examples(15, 100)
@given(F=nine, v=twelve)
def test_it_has_no_resultant_and_no_moment(material, F, v):
    body, law, data = element(material)
    x = body.nodes @ F.T
    f = law.viscous(x, v, data)
    size = 1e-12 * (1 + np.abs(f).max()) * (1 + np.abs(x).max())
    assert np.abs(f.sum(axis=0)).max() < size
    assert np.abs(np.cross(x, f).sum(axis=0)).max() < size


@both
@examples(15, 100)
@given(F=nine)
def test_a_rigid_motion_is_not_damped(material, F):
    body, law, data = element(material)
    x = body.nodes @ F.T
    v = np.cross([0.3, -1.2, 0.7], x) + [1.0, 2.0, -3.0]
    assert np.abs(law.viscous(x, v, data)).max() < 1e-13 * (1 + np.abs(F).max() ** 3)


@both
@pytest.mark.parametrize("seed", range(5))
def test_at_rest_it_is_the_stiffness_times_the_velocity(material, seed):
    body, law, data = element(material, seed)
    rng = np.random.default_rng(seed)
    x, v = deformed(rng, body, (1.0, 1.0, 1.0)), rng.normal(size=(4, 3))
    K = value(law, "stiffness", x, data)
    assert np.abs(law.viscous(x, v, data).ravel() - K @ v.ravel()).max() < 1e-10 * np.abs(K).max()


@both
@pytest.mark.parametrize("stretches", STRETCHES)
def test_implicit_steps_know_its_derivative(material, stretches):
    body, law, data = element(material)
    x = deformed(np.random.default_rng(1), body, stretches)
    D = value(law, "viscosity", x, data)
    columns = [-law.viscous(x, e.reshape(4, 3), data).ravel() for e in np.eye(12)]  # linear in v
    assert np.abs(D - np.stack(columns, axis=1)).max() < 1e-13 * max(1.0, np.abs(D).max())
    assert np.linalg.eigvalsh(D).min() > -1e-13 * np.abs(D).max()


@given(x=pair, v=pair)
def test_a_spring_is_damped_along_itself(x, v):
    K, L = 3.0, 0.7
    length = np.linalg.norm(x[1] - x[0])
    if length < 1e-3:
        return
    f = Spring().viscous(x, v, np.array([K, L, 0.0]))
    edot = (x[1] - x[0]) @ (v[1] - v[0]) / length / L
    assert (f * v).sum() == pytest.approx(-K * edot**2, abs=1e-10)
    assert np.abs(f.sum(axis=0)).max() == 0
    assert np.abs(np.cross(x, f).sum(axis=0)).max() < 1e-12 * (1 + np.abs(f).max())


def test_a_spring_at_rest_has_rayleigh_damping():
    rng, data = np.random.default_rng(2), np.array([3.0, 0.7, 0.0])
    x = np.stack([np.zeros(3), 0.7 * random_rotation(rng)[0]])
    v = rng.normal(size=(2, 3))
    assert np.abs(Spring().viscous(x, v, data).ravel() - value(Spring(), "stiffness", x, data) @ v.ravel()).max() < 1e-10


class Tether(Law):
    """V = k/4 (l^2 - 1)^2, of a user who says nothing of damping."""

    nodes, numbers = 2, 1

    def energy(self, x, data):
        d = x[1] - x[0]
        return data[0] / 4 * (d @ d - 1) ** 2

    def forces(self, x, data):
        d = x[1] - x[0]
        pull = data[0] * (d @ d - 1) * d
        return np.array([pull, -pull])


def test_a_law_without_its_own_has_the_derivative_along_the_velocities():
    """With numbers, and in a scene: two nodes of 1 kg."""
    rng, data, beta = np.random.default_rng(3), np.array([40.0]), 0.02
    x, v = np.array([[0.0, 0, 0], [0.9, 0.2, -0.1]]), rng.normal(size=(2, 3))
    law = Tether()
    K = central_differences(lambda y: law.forces(y, data).ravel(), x, 1e-3)
    drag = (K @ v.ravel()).reshape(2, 3)
    assert np.abs(law.viscous(x, v, data) - drag).max() < 1e-9 * np.abs(drag).max()
    body = Deformable(np.array([[0.0, 0, 0], [1, 0, 0]]), np.ones(2), (Elements(law, np.array([[0, 1]]), data[None]),), (0.0, beta))
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_deformable(body.moved(x, v))
    model = scene.model()
    a = rm.Dynamics(model).forward(model.q0, model.qdot0).reshape(2, 3)
    assert np.abs(a - law.forces(x, data) - beta * drag).max() < 1e-9 * np.abs(a).max()


@both
@pytest.mark.parametrize("squeeze", [(1.0, 1.0, 0.5), (1.2, 1.0, -0.3)])
def test_a_pressed_block_in_free_flight_loses_energy_and_no_momentum(material, squeeze):
    block = rm.Tetrahedra.box((0.3, 0.2, 0.2), (2, 1, 1), density=1000, youngs=2e4, poisson=0.3, material=material, rayleigh=(0.0, 0.02))
    v = np.cross([1.0, -2.0, 3.0], block.nodes * squeeze) + [0.3, 0.2, -0.1]
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_deformable(block.moved(block.nodes * squeeze, v))
    run = rm.simulate(scene, 0.1, 0.002, integrator="adaptive", rtol=1e-10, progress=False)
    assert np.diff(run.energy.total).max() < 1e-8 * run.energy.total[0]
    assert run.energy.total[-1] < 0.8 * run.energy.total[0]
    size = np.abs(run.momentum[0]).max()
    assert np.abs(run.momentum[:, 3:] - run.momentum[0, 3:]).max() < 1e-11 * size
    assert np.abs(run.momentum[:, :3] - run.momentum[0, :3]).max() < 1e-7 * size
