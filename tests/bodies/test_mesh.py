"""Meshes: exact volume integrals, principal axes wherever the mesh lies, files."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from bodies.strategies import close, lengths3, poses, translations
from random_examples import examples
from redmax.bodies import Cone, Cuboid, Mesh
from redmax.bodies.volume import integrate
from redmax.errors import SceneError


def moved(vertices, pose):
    return vertices @ pose[:3, :3].T + pose[:3, 3]


def random_hull(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A convex polyhedron over 20 random points, faces outward."""
    points = np.random.default_rng(seed).normal(size=(20, 3))
    hull = ConvexHull(points)
    faces = hull.simplices.copy()
    a, b, c = np.moveaxis(points[faces], 1, 0)
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0
    faces[inward] = faces[inward][:, ::-1]
    kept, faces = np.unique(faces, return_inverse=True)
    return points[kept], faces.reshape(-1, 3)


def test_unit_tetrahedron_has_its_textbook_integrals():
    """V = 1/6, centre 1/4, int x^2 dV = 1/60, int x y dV = 1/120 over the corner simplex."""
    vertices = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], float)
    found = integrate(vertices, np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]))
    about_origin = np.full((3, 3), -1 / 120) + np.eye(3) * (1 / 120 + 2 / 60)
    c = np.full(3, 1 / 4)
    assert close(found.volume, 1 / 6)
    assert close(found.centre, c)
    assert close(found.inertia / 6, about_origin - (c @ c * np.eye(3) - np.outer(c, c)) / 6)


@examples(12, 100)
@given(seed=st.integers(0, 10**6), shift=translations)
def test_integrals_agree_with_trimesh(seed, shift):
    import trimesh  # late: every process that collects tests would wait for it

    vertices, faces = random_hull(seed)
    oracle = trimesh.Trimesh(vertices + shift, faces, process=False)
    found = integrate(vertices + shift, faces)
    assert close(found.volume, oracle.volume, 1e-10)
    assert close(found.centre, oracle.center_mass, 1e-10)
    assert close(found.volume * found.inertia, oracle.moment_inertia, 1e-9)


@examples(12, 100)
@given(size=lengths3)
def test_mesh_of_a_box_is_the_box(size):
    mesh, box = Mesh(*Cuboid(size).mesh()), Cuboid(size)
    assert close(mesh.mass, box.mass)
    assert close(mesh.inertia, box.inertia)
    assert np.array_equal(mesh.frame[:3, :3], np.eye(3))


@examples(12, 100)
@given(size=lengths3, pose=poses())
def test_mesh_of_a_moved_box_has_the_box_s_moments_and_place(size, pose):
    box = Cuboid(size)
    vertices, faces = box.mesh()
    mesh = Mesh(moved(vertices, pose), faces)
    R, Q = mesh.frame[:3, :3], pose[:3, :3]
    assert close(mesh.mass, box.mass, 1e-11)
    assert close(np.sort(np.diag(mesh.inertia)), np.sort(np.diag(box.inertia)), 1e-11)
    assert np.abs(mesh.frame[:3, 3] - pose[:3, 3]).max() < 1e-12 * (max(size) + 5)
    assert close(R @ mesh.inertia @ R.T, Q @ box.inertia @ Q.T, 1e-11)
    assert abs(np.linalg.det(R) - 1) < 1e-14


@examples(12, 100)
@given(seed=st.integers(0, 10**6), pose=poses())
def test_surface_lies_in_the_body_frame(seed, pose):
    vertices, faces = random_hull(seed)
    mesh = Mesh(moved(vertices, pose), faces, density=7)
    body_vertices, body_faces = mesh.mesh()
    found = integrate(body_vertices, body_faces)
    assert np.abs(found.centre).max() < 1e-13 * (10 + np.abs(pose).max())
    assert close(mesh.mass * found.inertia, mesh.inertia, 1e-11)
    assert np.array_equal(mesh.inertia, np.diag(np.diag(mesh.inertia)))
    assert np.abs(moved(body_vertices, mesh.frame) - moved(vertices, pose)).max() < 1e-13 * (10 + np.abs(pose).max())


def test_a_far_away_mesh_keeps_its_digits():
    vertices, faces = Cone(0.2, 0.5).mesh()
    near, far = Mesh(vertices, faces), Mesh(vertices + 1024.0, faces)
    assert close(far.inertia, near.inertia, 1e-11)


@examples(12, 100)
@given(seed=st.integers(0, 10**6), factor=st.floats(0.01, 100))
def test_scaling_lengths_scales_mass_by_the_cube_and_inertia_by_the_fifth_power(seed, factor):
    vertices, faces = random_hull(seed)
    small, large = Mesh(vertices, faces), Mesh(factor * vertices, faces)
    assert close(large.mass, factor**3 * small.mass, 1e-11)
    assert close(large.inertia, factor**5 * small.inertia, 1e-11)


def test_a_cavity_takes_its_mass_away():
    outer, faces = Cuboid((2, 2, 2)).mesh()
    inner, _ = Cuboid((1, 1, 1)).mesh()
    hollow = Mesh(np.concatenate([outer, inner]), np.concatenate([faces, faces[:, ::-1] + len(outer)]))
    assert close(hollow.mass, Cuboid((2, 2, 2)).mass - Cuboid((1, 1, 1)).mass)
    assert close(hollow.inertia, Cuboid((2, 2, 2)).inertia - Cuboid((1, 1, 1)).inertia)


def test_given_mass_fixes_the_density():
    vertices, faces = Cuboid((1, 2, 3)).mesh()
    mesh = Mesh(vertices, faces, mass=12)
    assert close(mesh.density, 2)
    assert close(mesh.inertia, Cuboid((1, 2, 3), mass=12).inertia)


def test_geometry_is_json_in_the_body_frame():
    vertices, faces = Cuboid((1, 2, 3)).mesh()
    geometry = json.loads(json.dumps(Mesh(vertices + 4, faces).geometry()))
    assert geometry["kind"] == "mesh"
    assert close(geometry["vertices"], vertices)
    assert geometry["faces"] == faces.tolist()


@pytest.mark.parametrize("suffix", ["obj", "stl", "ply"])
def test_files_of_every_usual_kind_load(tmp_path, suffix):
    import trimesh  # late: every process that collects tests would wait for it

    path = tmp_path / f"box.{suffix}"
    trimesh.creation.box((100, 200, 300)).export(path)
    mesh = Mesh.load(path, scale=0.001, density=500)
    assert close(mesh.mass, 500 * 0.006, 1e-6)
    assert close(mesh.inertia, Cuboid((0.1, 0.2, 0.3), density=500).inertia, 1e-6)


@examples(8, 10)
@given(size=lengths3)
def test_load_equals_the_mesh_given_as_arrays(tmp_path_factory, size):
    import trimesh  # late: every process that collects tests would wait for it

    path = tmp_path_factory.mktemp("mesh") / "cone.obj"
    vertices, faces = Cone(size[0], size[1]).mesh()
    trimesh.Trimesh(vertices, faces, process=False).export(path)
    assert close(Mesh.load(path).inertia, Mesh(vertices, faces).inertia, 1e-6)


def test_load_says_what_is_wrong(tmp_path, monkeypatch):
    with pytest.raises(SceneError, match=r"cannot load '.*none\.obj'"):
        Mesh.load(tmp_path / "none.obj")
    with pytest.raises(SceneError, match="scale is 0"):
        Mesh.load(tmp_path / "none.obj", scale=0)
    (tmp_path / "open.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    with pytest.raises(SceneError, match=r"In the file '.*open\.obj': Mesh: not closed"):
        Mesh.load(tmp_path / "open.obj")
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(SceneError, match=r"pip install 'redmax\[mesh\]'"):
        Mesh.load(tmp_path / "open.obj")
