"""Materials: forces, stiffness, invariance and small strains of single tetrahedra, in any state."""

from __future__ import annotations

import numpy as np
import pytest

from deformables.evaluated import central_differences, traced, value
from deformables.samples import STRETCHES, deformed, random_rotation, random_tet, table
from redmax.deformables.materials import MATERIALS
from redmax.trace import reachable

both = pytest.mark.parametrize("material", sorted(MATERIALS))
STATES = STRETCHES * 3


def sample(seed, material, stretches):
    """Law, data and places of a random tetrahedron in a state."""
    rng = np.random.default_rng(seed)
    body = random_tet(rng, material)
    group = body.elements[0]
    return group.law, group.data[0], deformed(rng, body, stretches)


@both
def test_forces_are_the_negative_gradient_of_the_energy(material):
    law, data, x = table(np.random.default_rng(0), material, STATES)
    forces = value(law, "forces", x, data)
    measured = -central_differences(lambda x: value(law, "energy", x, data), x, 1e-3).reshape(-1, 4, 3)
    for of_state in zip(STATES, np.abs(forces - measured).max((1, 2)), np.abs(forces - value(law, "gradient", x, data)).max((1, 2))):
        assert of_state[1] < 1e-9, of_state
        assert of_state[2] < 1e-11, of_state


@both
def test_stiffness_is_the_derivative_of_the_forces(material):
    law, data, x = table(np.random.default_rng(1), material, STATES)
    stiffness = value(law, "stiffness", x, data)
    measured = central_differences(lambda x: value(law, "forces", x, data).reshape(-1, 12), x, 3e-4)
    for K, other, state in zip(stiffness, measured, STATES, strict=True):
        assert np.abs(K - other).max() < 1e-7 * np.abs(K).max(), state
        assert np.abs(K - K.T).max() < 1e-11 * np.abs(K).max(), state  # there is a potential


@both
def test_element_forces_have_no_resultant_and_no_moment(material):
    law, data, x = table(np.random.default_rng(2), material, STATES)
    f = value(law, "forces", x, data)
    for state, total, moment in zip(STATES, np.abs(f.sum(axis=1)).max(1), np.abs(np.cross(x, f).sum(axis=1)).max(1), strict=True):
        assert total < 1e-12, state
        assert moment < 1e-12, state


@both
def test_energy_and_forces_turn_with_the_element(material):
    rng = np.random.default_rng(5)
    law, data, x = table(rng, material, STATES)
    for _ in range(5):
        Q, t = random_rotation(rng), rng.uniform(-1, 1, 3)
        assert value(law, "energy", x @ Q.T + t, data) == pytest.approx(value(law, "energy", x, data), abs=1e-13)
        assert np.abs(value(law, "forces", x @ Q.T + t, data) - value(law, "forces", x, data) @ Q.T).max() < 1e-12


@both
def test_nothing_acts_on_an_element_that_only_turned(material):
    law, data, x = table(np.random.default_rng(6), material, [(1.0, 1.0, 1.0)] * 5)
    assert np.abs(value(law, "energy", x, data)).max() < 1e-15
    assert np.abs(value(law, "forces", x, data)).max() < 1e-14


@both
def test_every_other_state_has_energy(material):
    """Also collapsed and mirrored ones: the state of rest is the only one without energy."""
    rng = np.random.default_rng(3)
    states = np.sort(rng.uniform(-0.5, 2.0, (200, 3)))[:, ::-1]
    law, data, x = table(rng, material, list(states))
    assert (value(law, "energy", x, data) > 1e-3 * ((states - 1) ** 2).sum(axis=1) * data[:, 9]).all()


@both
@pytest.mark.parametrize("poisson", [-0.5, 0.0, 0.3, 0.49])
def test_small_strains_give_the_stress_of_linear_elasticity(material, poisson):
    """sigma = E/(1 + nu) (eps + nu/(1 - 2 nu) tr(eps) 1), exactly to first order: through the stiffness at rest, also turned."""
    rng = np.random.default_rng(4)
    E = 2.0e5
    body = random_tet(rng, material, youngs=E, poisson=poisson)
    group, V = body.elements[0], body.volumes[0]
    B = np.linalg.inv((body.nodes[1:] - body.nodes[0]).T)
    for Q in (np.eye(3), random_rotation(rng)):
        strain = rng.normal(size=(3, 3))
        strain = strain + strain.T
        K = value(group.law, "stiffness", body.nodes @ Q.T, group.data[0])
        df = (K @ (body.nodes @ strain @ Q.T).ravel()).reshape(4, 3)
        sigma = E / (1 + poisson) * (strain + poisson / (1 - 2 * poisson) * np.trace(strain) * np.eye(3))
        expected = -V * (Q @ sigma @ B.T).T
        assert np.abs(df[1:] - expected).max() < 1e-12 * np.abs(K).max()


@both
def test_uniaxial_tension_recovers_youngs_modulus_and_poissons_ratio(material):
    """Stretched by e along x and by -nu e across, the stress is E e along x and nothing across."""
    E, nu, e = 3.0e6, 0.35, 1e-7
    body = random_tet(np.random.default_rng(8), material, youngs=E, poisson=nu)
    group = body.elements[0]
    f = value(group.law, "forces", body.nodes * (1 + e * np.array([1.0, -nu, -nu])), group.data[0])
    stress = -(body.nodes.T @ f) / body.volumes[0]  # the virial: the mean stress of the forces
    assert stress / e == pytest.approx(np.diag([E, 0.0, 0.0]), abs=1e-5 * E)


@both
def test_forces_and_stiffness_are_finite_also_where_the_rotation_is_not_unique(material):
    states = [(0, 0, 0), (1, 0, 0), (2, 1, 0), (1, 1, -1), (1, 0.5, -0.5), (-1, -1, -1)] * 5
    law, data, x = table(np.random.default_rng(12), material, states)
    assert np.abs(value(law, "forces", x, data)).max() < 20
    assert np.abs(value(law, "stiffness", x, data)).max() < 1e7
    x = np.array([np.outer([0, *stretches], [1.0, 0.0, 0.0]) for stretches in states])  # exactly on a line
    assert np.isfinite(value(law, "stiffness", x, data)).all()
    assert np.isfinite(value(law, "forces", x, data)).all()


def test_a_collapsed_neo_hookean_element_is_not_drawn_to_a_point():
    """The logarithm's purpose: any small element gains from growing, whichever its shape."""
    rng = np.random.default_rng(9)
    for _ in range(20):
        law, data, x = sample(int(rng.integers(1 << 30)), "neo-hookean", (1.0, 0.8, 0.6))
        small, smaller = (value(law, "energy", s * x, data) for s in (0.1, 0.05))
        assert small < smaller


def test_the_neo_hookean_energy_is_the_published_one():
    """Smith, de Goes and Kim 2018, Eq. 13: mu/2 (I_C - 3) + lambda/2 (J - alpha)^2 - mu/2 log(I_C + 1), less its value at rest."""

    def published(F, mu, lam):
        IC, J, alpha = (F * F).sum(), np.linalg.det(F), 1 + mu / lam - mu / (4 * lam)
        return mu / 2 * (IC - 3) + lam / 2 * (J - alpha) ** 2 - mu / 2 * np.log(IC + 1)

    rng = np.random.default_rng(10)
    law = MATERIALS["neo-hookean"]
    B, mu, lam = np.eye(3), 1.7, 2.9
    for _ in range(20):
        F = rng.normal(size=(3, 3))
        x = np.vstack([np.zeros(3), F.T])
        expected = published(F, mu, lam) - published(np.eye(3), mu, lam)
        assert value(law, "energy", x, np.array([*B.ravel(), mu, lam])) == pytest.approx(expected, abs=1e-12)


@both
def test_the_traces_are_short(material):
    """One kernel serves all elements: forces within 600 operations, their 12 x 12 derivative within 4000."""

    def operations(what):
        return sum(e.op not in ("input", "const", "frozen") for e in reachable(traced(MATERIALS[material])[what].ravel()))

    assert operations("forces") < 600
    assert operations("stiffness") < 2500


@both
def test_the_same_code_runs_on_numbers_and_on_tables_of_elements(material):
    rng = np.random.default_rng(11)
    law = MATERIALS[material]
    tets = [sample(seed, material, STRETCHES[seed % len(STRETCHES)]) for seed in range(16)]
    x, data = np.array([t[2] for t in tets]), np.array([t[1] for t in tets])
    assert np.abs(law.forces(x, data) - value(law, "forces", x, data)).max() < 1e-13
    i = int(rng.integers(16))
    assert np.abs(law.forces(x[i], data[i]) - law.forces(x, data)[i]).max() < 1e-14
    assert law.energy(x[i], data[i]) == pytest.approx(law.energy(x, data)[i], abs=1e-15)
