"""Solids of tetrahedra: conforming meshes, closed surfaces, masses, and fields of constant strain reproduced exactly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import Delaunay

from deformables.evaluated import assembled, energy_of
from deformables.samples import irregular_box, random_rotation, strained
from redmax import pose
from redmax.bodies import Mesh
from redmax.deformables import Corotated, StableNeoHookean, Tetrahedra
from redmax.deformables.tet_mesh import FACES

SOFT = {"density": 800.0, "youngs": 1e5, "poisson": 0.3}
lengths = st.floats(0.1, 3.0)
counts = st.integers(1, 3)


def face_uses(tets):
    faces = np.sort(tets[:, FACES].reshape(-1, 3), axis=1)
    return np.unique(faces, axis=0, return_counts=True)


@given(size=st.tuples(lengths, lengths, lengths), cells=st.tuples(counts, counts, counts))
def test_boxes_are_conforming_and_fill_their_volume(size, cells):
    box = Tetrahedra.box(size, cells, **SOFT)
    nx, ny, nz = cells
    assert len(box.tets) == 6 * nx * ny * nz
    assert len(box.surface) == 4 * (nx * ny + ny * nz + nz * nx)  # no inner face lacks its other side
    assert (box.volumes > 0).all()
    assert box.volumes.sum() == pytest.approx(np.prod(size))
    assert box.masses.sum() == pytest.approx(800.0 * np.prod(size))
    assert np.abs(box.masses @ box.nodes).max() < 1e-9 * box.masses.sum()
    faces, uses = face_uses(box.tets)
    assert set(uses.tolist()) <= {1, 2}
    middle = box.nodes[faces].mean(axis=1)
    outside = (np.abs(np.abs(middle) - np.array(size) / 2) < 1e-9).any(axis=1)
    assert (uses == np.where(outside, 1, 2)).all()


@pytest.mark.parametrize("cells", [(1, 1, 1), (3, 2, 4)])
def test_the_surface_is_closed_and_faces_outward(cells):
    """A rigid Mesh accepts only closed surfaces; its volume is positive only if they face outward."""
    box = Tetrahedra.box((0.5, 0.4, 0.3), cells, at=pose(random_rotation(np.random.default_rng(0)), (1, 2, 3)), **SOFT)
    mesh = Mesh(box.nodes, box.surface, density=800.0)
    assert mesh.mass == pytest.approx(800.0 * 0.06)
    assert mesh.frame[:3, 3] == pytest.approx([1, 2, 3])


@pytest.mark.parametrize("seed", range(3))
def test_any_order_of_nodes_is_the_same_solid(seed):
    """Delaunay's tetrahedra come in either orientation."""
    rng = np.random.default_rng(seed)
    points = rng.uniform(-1, 1, (12, 3))
    hull = Delaunay(points)
    quality = [abs(np.linalg.det(points[t[1:]] - points[t[0]])) for t in hull.simplices]
    tets = hull.simplices[np.array(quality) > 1e-6]
    shuffled = rng.permuted(tets, axis=1)
    for given_tets in (tets, shuffled):
        solid = Tetrahedra(points, given_tets, **SOFT)
        assert (solid.volumes > 0).all()
        assert np.array_equal(np.sort(solid.tets, axis=1), np.sort(tets, axis=1))
        assert Mesh(points, solid.surface, density=1.0).mass == pytest.approx(solid.volumes.sum())
        assert np.abs(assembled(solid, "forces", points)).max() < 1e-7


def test_a_beam_starts_at_its_place_and_goes_along_x():
    beam = Tetrahedra.beam(2.0, 0.2, 0.1, (8, 2, 1), at=(1.0, 0.0, 5.0), **SOFT)
    assert beam.nodes.min(axis=0) == pytest.approx([1.0, -0.1, 4.95])
    assert beam.nodes.max(axis=0) == pytest.approx([3.0, 0.1, 5.05])
    assert np.abs(beam.nodes[0] - [1.0, -0.1, 4.95]).max() < 1e-12
    assert beam.nodes[1] == pytest.approx([1.25, -0.1, 4.95])


@pytest.mark.parametrize("material", ["neo-hookean", "corotated"])
@pytest.mark.parametrize("stretches", [(1.1, 1.0, 0.9), (2.0, 1.0, 0.5), (1.2, 0.9, -0.4)])
def test_patch(material, stretches):
    """A homogeneous deformation of an irregular mesh: no force on inner nodes, and the energy of one element of the whole volume."""
    box, inner = irregular_box(1, cells=(3, 3, 3), material=material)
    F = strained(np.random.default_rng(2), stretches)
    f = assembled(box, "forces", box.nodes @ F.T)
    assert inner.sum() == 8
    assert np.abs(f[inner]).max() < 1e-12 * np.abs(f).max()
    one = Tetrahedra([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 1, 2, 3)], density=1.0, youngs=1e5, poisson=0.3, material=material)
    per_volume = energy_of(one, one.nodes @ F.T) / one.volumes[0]
    assert energy_of(box, box.nodes @ F.T) == pytest.approx(per_volume * box.volumes.sum())


@pytest.mark.parametrize("material", ["neo-hookean", "corotated"])
def test_a_bar_under_a_small_load_lengthens_as_linear_elasticity_says(material):
    """Uniaxial traction p on rollers: u = p/E x, -nu p/E y, -nu p/E z at every node of an irregular mesh."""
    E, nu, p = 2e6, 0.3, 50.0
    bar, _ = irregular_box(3, youngs=E, poisson=nu, material=material)
    low, high = bar.nodes.min(axis=0), bar.nodes.max(axis=0)
    load = np.zeros((len(bar.nodes), 3))
    for face in bar.surface:
        x = bar.nodes[face]
        if np.abs(x[:, 0] - high[0]).max() < 1e-12:
            load[face, 0] += p * np.linalg.norm(np.cross(x[1] - x[0], x[2] - x[0])) / 6
    loose = np.abs(bar.nodes - low) > 1e-12  # each coordinate is kept on the plane through the lowest corner
    K = assembled(bar, "stiffness", bar.nodes)
    u = np.zeros(bar.nodes.size)
    free = np.flatnonzero(loose.ravel())
    u[free] = np.linalg.solve(-K[np.ix_(free, free)], load.ravel()[free])
    expected = p / E * (bar.nodes - low) * [1.0, -nu, -nu]
    assert np.abs(u.reshape(-1, 3) - expected).max() < 1e-10 * np.abs(expected).max()


@pytest.mark.parametrize("material", ["neo-hookean", "corotated"])
def test_stiffness_at_rest_is_semidefinite_with_six_rigid_motions(material):
    box, _ = irregular_box(4, material=material)
    eigenvalues = np.linalg.eigvalsh(-assembled(box, "stiffness", box.nodes))
    assert (np.abs(eigenvalues[:6]) < 1e-9 * eigenvalues[-1]).all()
    assert (eigenvalues[6:] > 1e-4 * eigenvalues[-1]).all()


def test_materials_by_name_and_numbers_for_each_tetrahedron():
    box = Tetrahedra.box((1, 1, 1), (2, 1, 1), **SOFT)
    assert box.elements[0].law == StableNeoHookean()
    soft = box.volumes * 0 + 1e4
    soft[:6] = 1e6
    graded = Tetrahedra(box.nodes, box.tets, density=np.where(soft > 1e5, 2000.0, 500.0), youngs=soft, poisson=0.25, material="corotated")
    assert graded.elements[0].law == Corotated()
    assert hash(graded.elements[0].law) == hash(Corotated())
    assert graded.elements[0].data[:, 9] == pytest.approx(box.volumes * soft / 2.5)
    assert graded.masses.sum() == pytest.approx(0.5 * 2000 + 0.5 * 500)


@settings(max_examples=20)
@given(alpha=st.floats(0, 10), beta=st.floats(0, 1))
def test_rayleigh_damping_is_kept(alpha, beta):
    assert Tetrahedra.box((1, 1, 1), (1, 1, 1), rayleigh=(alpha, beta), **SOFT).rayleigh == (alpha, beta)
