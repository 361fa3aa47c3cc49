"""The stiffness of implicit steps: never indefinite, exact where that can be, and steps that gain no energy from pressed elements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.linalg import polar

import redmax as rm
from deformables.evaluated import value
from deformables.samples import CORNERS, STRETCHES, deformed, random_tet, strained, table
from redmax.deformables import Spring, Tetrahedra
from redmax.deformables.definite import definite
from redmax.deformables.materials import MATERIALS, Material
from redmax.dynamics.soft import solve as soft_solvers
from redmax.program.program import Host

both = pytest.mark.parametrize("material", sorted(MATERIALS))
HARD = [*STRETCHES, (0.9, 0.9, 0.9), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0), (1.0, 0.5, -0.5), (-1.0, -1.0, -1.0), (3.0, 3.0, -2.0)]


@both
@pytest.mark.parametrize("poisson", [-0.6, 0.0, 0.3, 0.49])
def test_it_is_definite_in_every_state(material, poisson):
    rng = np.random.default_rng(0)
    states = HARD + [tuple(rng.uniform(-2, 3, 3)) for _ in range(100)]
    law, data, x = table(rng, material, states, poisson)
    for K, stretches in zip(value(law, "implicit", x, data), states, strict=True):
        assert np.abs(K - K.T).max() <= 1e-13 * np.abs(K).max(), stretches
        assert np.linalg.eigvalsh(-K).min() >= -1e-8 * np.abs(K).max(), stretches
        assert np.abs(K.reshape(12, 4, 3).sum(axis=1)).max() <= 1e-13 * np.abs(K).max(), stretches  # no force from a translation


@both
def test_it_is_exact_wherever_the_exact_one_is_definite(material):
    rng, seen = np.random.default_rng(1), [0, 0]
    law, data, x = table(rng, material, [tuple(rng.uniform(0.4, 1.8, 3)) for _ in range(200)])
    for exact, taken in zip(value(law, "stiffness", x, data), value(law, "implicit", x, data), strict=True):
        values = np.linalg.eigvalsh(-exact)
        good = values[0] > -1e-14 * values[-1]
        seen[int(good)] += 1
        if good or values[0] < -1e-6 * values[-1]:
            assert (np.abs(exact - taken).max() < 1e-12 * values[-1]) == good
    assert min(seen) > 20


def warped(body: Tetrahedra, x: np.ndarray, dx: np.ndarray, E: float, nu: float) -> np.ndarray:
    """Change of the forces of one tetrahedron, linear in the strain seen by its rotation, which SciPy finds."""
    mu, lam = E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu))
    B = np.linalg.inv((body.nodes[1:] - body.nodes[0]).T)
    R = polar((x[1:] - x[0]).T @ B)[0]
    D = R.T @ (dx[1:] - dx[0]).T @ B
    f = -body.volumes[0] * (R @ (mu * (D + D.T) + lam * np.trace(D) * np.eye(3)) @ B.T).T
    return np.vstack([-f.sum(axis=0), f])


@pytest.mark.parametrize("seed", range(5))
def test_a_pressed_corotated_element_is_linear_in_axes_that_turn_with_it(seed):
    rng = np.random.default_rng(seed)
    body = random_tet(rng, "corotated", youngs=2.0, poisson=0.3)
    x, dx = deformed(rng, body, (0.9, 0.8, 0.6)), rng.normal(size=(4, 3))
    K = value(body.elements[0].law, "implicit", x, body.elements[0].data[0])
    assert np.abs((K @ dx.ravel()).reshape(4, 3) - warped(body, x, dx, 2.0, 0.3)).max() < 1e-12 * np.abs(K).max()


def test_a_pressed_neo_hookean_element_is_nearly_so():
    """At strains of 1e-4 the shear modulus is Lame's, and the modulus of volume less than 5/6 mu above lambda."""
    rng, E, nu = np.random.default_rng(6), 2.0, 0.3
    body = Tetrahedra(CORNERS, [(0, 1, 2, 3)], density=1.0, youngs=E, poisson=nu, material="neo-hookean")
    x = 0.9999 * body.nodes
    K = value(body.elements[0].law, "implicit", x, body.elements[0].data[0])
    shear = strained(rng, (1.0, 0.0, -1.0))
    shear = shear + shear.T
    shear -= np.trace(shear) / 3 * np.eye(3)
    for strain, tolerance in ((shear, 1e-3), (np.eye(3), 0.4)):
        dx = body.nodes @ strain
        expected = warped(body, x, dx, E, nu)
        assert np.abs((K @ dx.ravel()).reshape(4, 3) - expected).max() < tolerance * np.abs(expected).max()


@pytest.mark.parametrize("length", [0.0, 0.01, 0.5, 0.69, 0.71, 1.5])
def test_a_spring_has_the_definite_part_of_its_stiffness(length):
    """The exact one without its negative eigenvalues."""
    direction = np.array([2.0, -1.0, 2.0]) / 3
    x, data = np.stack([np.ones(3), 1 + length * direction]), np.array([3.0, 0.7, 0.0])
    taken = value(Spring(), "implicit", x, data)
    if length == 0:
        assert np.abs(taken).max() == 0
        return
    values, vectors = np.linalg.eigh(-value(Spring(), "stiffness", x, data))
    assert np.abs(-taken - vectors @ np.diag(np.maximum(values, 0)) @ vectors.T).max() < 1e-12 * np.abs(values).max()


def test_definiteness_is_that_of_the_eigenvalues():
    rng = np.random.default_rng(4)
    for least in (-1.0, -1e-3, -1e-8, -1e-13, 0.0, 1e-13, 1e-3):
        for _ in range(20):
            Q = np.linalg.qr(rng.normal(size=(9, 9)))[0]
            H = Q @ np.diag([least, *rng.uniform(0, 1, 8)]) @ Q.T
            assert definite(((H + H.T) / 2).tolist()) == (least > -1e-10)


@dataclass(frozen=True)
class Kirchhoff(Material):
    """W = mu |E|^2 + lambda/2 tr(E)^2 of the Green strain E: a user's own, which buckles under pressure."""

    @staticmethod
    def own(mu, lam):
        return mu, lam

    nominal = own

    def density(self, F, mu, lam):
        E = self.strain(F)
        return mu * (E * E).sum() + lam / 2 * np.trace(E) ** 2

    def stress(self, F, mu, lam):
        E = self.strain(F)
        return (np.array(F) @ (2 * mu * E + lam * np.trace(E) * np.eye(3))).tolist()

    def strain(self, F):
        F = np.array(F)
        return (F.T @ F - np.eye(3)) / 2


def test_a_material_of_ones_own_has_a_definite_stiffness_too():
    rng, replaced = np.random.default_rng(5), 0
    law, data, x = table(rng, Kirchhoff(), [tuple(rng.uniform(0.5, 1.5, 3)) for _ in range(50)])
    for exact, taken in zip(value(law, "stiffness", x, data), value(law, "implicit", x, data), strict=True):
        assert np.linalg.eigvalsh(-taken).min() > -1e-12 * np.abs(taken).max()
        replaced += np.abs(exact - taken).max() > 1e-6
    assert 10 < replaced < 50


def refuse(*_):
    raise AssertionError("conjugate gradients gave up")


PRESSED = [
    pytest.param(*(material, start, youngs, beta), marks=() if (i + m + y) % 2 == 0 == (i // 2 + m + b) % 2 else pytest.mark.long)
    for m, material in enumerate(sorted(MATERIALS))
    for i, start in enumerate(["pressed", "flat", "mirrored", "crumpled"])
    for y, youngs in enumerate([1e5, 1e9])
    for b, beta in enumerate([0.0, 1e-3])
]


@pytest.mark.parametrize(("material", "start", "youngs", "beta"), PRESSED)
def test_pressed_and_mirrored_blocks_gain_no_energy(material, start, youngs, beta, monkeypatch):
    """Steps of 10 ms, thousands of times what sound takes to cross an element; the matrix stays definite throughout."""
    monkeypatch.setattr(soft_solvers.ByFronts, "stages", lambda self: (Host("take over", refuse),))
    size, cells = ((0.1, 0.1, 0.5), (1, 1, 5)) if start == "pressed" else ((0.2, 0.2, 0.2), (2, 2, 2))
    block = rm.Tetrahedra.box(size, cells, density=1000, youngs=youngs, poisson=0.3, rayleigh=(0.0, beta), material=material)
    along = {"pressed": 0.5, "flat": 0.0, "mirrored": -1.0, "crumpled": 1.0}[start]
    x = block.nodes * [1.0, 1.0, along]
    if start == "crumpled":
        x = x + 0.1 * np.random.default_rng(0).normal(size=x.shape)
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_deformable(block.moved(x))
    run = rm.simulate(scene, 0.6, 0.01, integrator="implicit", solver="cg", progress=False)
    energy = run.energy.total
    assert energy.max() <= energy[0] * (1 + 1e-6)
    assert energy[-1] < 0.05 * energy[0]
