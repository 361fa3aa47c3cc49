"""Files of tetrahedra: what is written is read again, in each format; bad files are sentences."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from deformables.samples import irregular_box
from redmax.deformables import Tetrahedra
from redmax.errors import SceneError

SOFT = {"density": 800.0, "youngs": 1e5, "poisson": 0.3}


@pytest.mark.parametrize("ending", [".tet", ".node", ".ele", ".vtk", ".msh"])
def test_round_trip(tmp_path, ending):
    solid, _ = irregular_box(0)
    path = tmp_path / f"solid{ending}"
    solid.save(path)
    again = Tetrahedra.from_file(path, **SOFT)
    assert np.array_equal(again.nodes, solid.nodes)
    assert np.array_equal(again.tets, solid.tets)


def test_scale_and_place(tmp_path):
    solid, _ = irregular_box(0)
    solid.save(tmp_path / "mm.tet")
    again = Tetrahedra.from_file(tmp_path / "mm.tet", scale=0.001, at=(1.0, 2.0, 3.0), name="part", **SOFT)
    assert again.nodes == pytest.approx(0.001 * solid.nodes + [1.0, 2.0, 3.0], abs=1e-15)
    assert again.name == "part"


def test_remarks_blank_lines_and_unused_nodes(tmp_path):
    path = tmp_path / "a.tet"
    path.write_text("# a corner\n\nnode 9 9 9 # unused\nnode 0 0 0\nnode 1 0 0\nnode 0 1 0\ntet 1 2 3 4\nnode 0 0 1\n")
    solid = Tetrahedra.from_file(path, **SOFT)
    assert solid.nodes.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert solid.volumes == pytest.approx([1 / 6])


def test_tetgen_numbered_from_one_with_attributes_and_markers(tmp_path):
    (tmp_path / "a.node").write_text("# made by hand\n4 3 1 1\n1 0 0 0 7.5 1\n2 1 0 0 7.5 1\n3 0 1 0 7.5 0\n4 0 0 1 7.5 0\n")
    (tmp_path / "a.ele").write_text("1 4 1\n1 1 2 3 4 -5\n# end\n")
    for ending in (".node", ".ele"):
        solid = Tetrahedra.from_file(tmp_path / f"a{ending}", **SOFT)
        assert solid.tets.tolist() == [[0, 1, 2, 3]]
        assert solid.nodes.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_meshio_files_may_hold_other_cells(tmp_path):
    import meshio  # late: every process that collects tests would wait for it

    points = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (5, 5, 5)], float)
    cells = [("triangle", np.array([(0, 1, 2)])), ("tetra", np.array([(0, 1, 2, 3)]))]
    meshio.Mesh(points, cells).write(tmp_path / "mixed.vtk")
    assert len(Tetrahedra.from_file(tmp_path / "mixed.vtk", **SOFT).nodes) == 4
    meshio.Mesh(points, cells[:1]).write(tmp_path / "surface.vtk")
    with pytest.raises(SceneError, match=r"surface.vtk' has triangle, expected tetrahedra"):
        Tetrahedra.from_file(tmp_path / "surface.vtk", **SOFT)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.tet", "node 0 0\n", r"line 1 is 'node 0 0', expected \"node x y z\" or \"tet a b c d\""),
        ("a.tet", "node 0 0 0\ntet 0 1 2 x\n", "line 2"),
        ("a.tet", "corner 0 0 0\n", "line 1"),
        ("a.tet", "node 0 0 0\n", "In the file .*tets is empty"),
        ("a.tet", "node 0 0 0\nnode 1 0 0\nnode 0 1 0\nnode 0 0 1\ntet 1 2 3 4\n", r"tetrahedron 0 .* expected 0 to 3"),
        ("a.node", "4 3 0 0\n1 0 0 0\n", "has 1 lines .* where its header says 4"),
        ("a.node", "two\n", "cannot understand"),
        ("a.node", "", "cannot understand"),
        ("a.msh", "nothing of the kind", "cannot read"),
    ],
)
def test_bad_files(tmp_path, name, text, says):
    (tmp_path / name).write_text(text)
    with pytest.raises(SceneError, match=says):
        Tetrahedra.from_file(tmp_path / name, **SOFT)


def test_tetgen_numbers_with_gaps_and_quadratic_tetrahedra_are_refused(tmp_path):
    (tmp_path / "a.node").write_text("2 3 0 0\n1 0 0 0\n3 1 0 0\n")
    (tmp_path / "a.ele").write_text("0 4 0\n")
    with pytest.raises(SceneError, match="not numbered from 0 or from 1"):
        Tetrahedra.from_file(tmp_path / "a.node", **SOFT)
    (tmp_path / "a.ele").write_text("1 10 0\n1 1 2 3 4 5 6 7 8 9 10\n")
    with pytest.raises(SceneError, match="of 10 values"):
        Tetrahedra.from_file(tmp_path / "a.node", **SOFT)


@pytest.mark.parametrize("name", ["none.tet", "none.node", "none.vtk"])
def test_files_that_are_not_there(tmp_path, name):
    with pytest.raises(SceneError, match=rf"cannot read .*{name}"):
        Tetrahedra.from_file(tmp_path / name, **SOFT)


def test_an_ending_that_meshio_does_not_know(tmp_path):
    with pytest.raises(SceneError, match="cannot write"):
        irregular_box(0)[0].save(tmp_path / "a.unknown")


def test_without_meshio_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "meshio", None)
    with pytest.raises(SceneError, match=r"pip install 'redmax\[mesh\]'"):
        Tetrahedra.from_file(tmp_path / "a.vtk", **SOFT)


@pytest.mark.parametrize("path", [3, None])
def test_what_is_no_path(path):
    with pytest.raises(SceneError, match=f"Tetrahedra: the file is named by a path such as 'beam.msh'. Got {path}."):
        Tetrahedra.from_file(path, density=1.0, youngs=1.0, poisson=0.3)
