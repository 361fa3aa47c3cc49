"""Cloth: its energy under homogeneous strain does not depend on the cells, and it is at rest where it is flat."""

from __future__ import annotations

import numpy as np
import pytest

from deformables.evaluated import assembled, energy_of
from redmax import pose
from redmax.deformables import Cloth
from redmax.lie.so3 import exp

SIZE = (0.8, 0.6)
STRAIN = 1e-4


def strained(cloth, xx=0.0, xy=0.0):
    return cloth.nodes @ (np.eye(3) + np.array([[xx, xy, 0], [0, 0, 0], [0, 0, 0]])).T


@pytest.mark.parametrize("cells", [(1, 1), (4, 3), (8, 6), (5, 2)])
def test_stretch_and_shear_energy_per_area(cells):
    area = SIZE[0] * SIZE[1]
    sheet = Cloth(SIZE, cells, density=0.2, stretch=50.0)
    assert energy_of(sheet, strained(sheet, xx=STRAIN)) == pytest.approx(50.0 / 2 * STRAIN**2 * area, rel=1e-9)
    assert energy_of(sheet, strained(sheet, xy=STRAIN)) == pytest.approx(0.0, abs=1e-6 * STRAIN**2)
    with_shear = Cloth(SIZE, cells, density=0.2, stretch=50.0, shear=7.0)
    assert energy_of(with_shear, strained(with_shear, xy=STRAIN)) == pytest.approx(7.0 / 2 * STRAIN**2 * area, rel=1e-3)


@pytest.mark.parametrize("cells", [(4, 3), (8, 6), (3, 7)])
def test_what_the_other_springs_add_to_the_stretch(cells):
    nx, ny = cells
    sheet = Cloth(SIZE, cells, density=0.2, stretch=50.0, shear=7.0, bend=3.0)
    stiffness = 50.0 + 3.0 * (nx - 1) / nx + 7.0 * (SIZE[0] / nx) ** 2 / (SIZE[1] / ny) ** 2
    expected = stiffness / 2 * STRAIN**2 * SIZE[0] * SIZE[1]
    assert energy_of(sheet, strained(sheet, xx=STRAIN)) == pytest.approx(expected, rel=1e-3)


def test_a_crease_costs_only_the_bending_springs():
    """Folded by phi along the middle column, two nodes apart across it are strained by cos(phi/2) - 1."""
    phi = 0.3
    for bend in (0.0, 3.0):
        sheet = Cloth((0.8, 0.6), (4, 3), density=0.2, stretch=50.0, shear=7.0, bend=bend)
        x = sheet.nodes.copy()
        right = x[:, 0] > 1e-9
        x[right, 2] = x[right, 0] * np.sin(phi)
        x[right, 0] *= np.cos(phi)
        expected = bend / 2 * (np.cos(phi / 2) - 1) ** 2 * 0.2 * 0.6
        assert energy_of(sheet, x) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("cells", [(1, 1), (4, 3)])
def test_masses_triangles_and_rest(cells):
    E = pose(exp(np.array([0.3, -0.5, 0.8])), (1.0, 2.0, 3.0))
    sheet = Cloth(SIZE, cells, density=0.2, stretch=50.0, shear=7.0, bend=3.0, at=E)
    assert sheet.masses.sum() == pytest.approx(0.2 * SIZE[0] * SIZE[1])
    assert sheet.masses @ sheet.nodes / sheet.masses.sum() == pytest.approx(E[:3, 3])
    assert np.abs(assembled(sheet, "forces", sheet.nodes)).max() < 1e-11
    a, b, c = np.moveaxis(sheet.nodes[sheet.surface], 1, 0)
    normals = np.cross(b - a, c - a)
    assert len(sheet.surface) == 2 * cells[0] * cells[1]
    assert normals.sum(axis=0) / 2 == pytest.approx(SIZE[0] * SIZE[1] * E[:3, 2])
    assert (normals @ E[:3, 2] > 0).all()


def test_nodes_go_along_x_first():
    sheet = Cloth((2.0, 1.0), (2, 1), density=1.0, stretch=1.0)
    assert sheet.nodes[:, :2].tolist() == [[-1, -0.5], [0, -0.5], [1, -0.5], [-1, 0.5], [0, 0.5], [1, 0.5]]


def test_each_pair_of_nodes_has_one_spring():
    sheet = Cloth(SIZE, (4, 3), density=0.2, stretch=50.0, shear=7.0, bend=3.0, damping=0.01)
    pairs = np.sort(sheet.elements[0].nodes, axis=1)
    assert len(np.unique(pairs, axis=0)) == len(pairs) == (4 * 4 + 5 * 3) + 2 * 4 * 3 + (3 * 4 + 5 * 2)
    assert sheet.elements[0].law.damped
    K, _, D = sheet.elements[0].data.T
    assert pytest.approx(0.01 * K) == D
