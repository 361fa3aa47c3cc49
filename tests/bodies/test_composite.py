"""Composites: the weighted centre, the summed inertia, and principal axes (RedMax notes Sec. 1.7.1)."""

from __future__ import annotations

import json

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from bodies.strategies import close, densities, lengths3, poses, primitives
from random_examples import examples
from redmax.bodies import Composite, Cone, Cuboid, Cylinder, MassProperties, Mesh, Sphere
from redmax.bodies.volume import integrate

parts = st.lists(st.tuples(primitives(), poses()), min_size=1, max_size=5)


def spatial_inertia_in_description_frame(body) -> np.ndarray:
    """(6, 6) inertia at the origin of the description frame: what must not depend on the choice of body frame."""
    R, p = body.frame[:3, :3], body.frame[:3, 3]
    return pin.Inertia(body.mass, p, R @ body.inertia @ R.T).matrix()


@examples(12, 100)
@given(size=lengths3, density=densities, axis=st.sampled_from([0, 1, 2]), cut=st.floats(0.1, 0.9))
def test_two_pieces_of_a_box_are_the_box(size, density, axis, cut):
    whole = Cuboid(size, density=density)
    e = np.eye(3)[axis]
    near = Cuboid(size - (1 - cut) * size[axis] * e, density=density)
    far = Cuboid(size - cut * size[axis] * e, density=density)
    box = Composite([(near, -(1 - cut) / 2 * size[axis] * e), (far, cut / 2 * size[axis] * e)])
    assert close(box.mass, whole.mass)
    assert close(box.inertia, whole.inertia)
    assert np.abs(box.frame - np.eye(4)).max() < 1e-12 * max(size)


@examples(12, 100)
@given(size=lengths3, pose=poses())
def test_two_halves_of_a_moved_box_are_the_moved_box(size, pose):
    half = Cuboid((size[0] / 2, size[1], size[2]))
    left, right = np.eye(4), np.eye(4)
    left[0, 3], right[0, 3] = -size[0] / 4, size[0] / 4
    box = Composite([(half, pose @ left), (half, pose @ right)])
    R, Q = box.frame[:3, :3], pose[:3, :3]
    whole = Cuboid(size)
    scale = max(size) + np.abs(pose[:3, 3]).max()
    assert np.abs(box.frame[:3, 3] - pose[:3, 3]).max() < 1e-13 * scale
    assert close(np.sort(np.diag(box.inertia)), np.sort(np.diag(whole.inertia)), 1e-11)
    assert close(R @ box.inertia @ R.T, Q @ whole.inertia @ Q.T, 1e-11)


@examples(12, 100)
@given(parts=parts)
def test_inertia_is_diagonal_and_the_frame_right_handed(parts):
    body = Composite(parts)
    R = body.frame[:3, :3]
    assert np.array_equal(body.inertia, np.diag(np.diag(body.inertia)))
    assert close(R.T @ R, np.eye(3), 1e-14)
    assert abs(np.linalg.det(R) - 1) < 1e-14


@examples(12, 100)
@given(parts=parts)
def test_agrees_with_pinocchio(parts):
    total = pin.Inertia.Zero()
    for body, E in parts:
        total += pin.SE3(E).act(pin.Inertia(body.mass, np.zeros(3), np.asarray(body.inertia)))
    assert close(spatial_inertia_in_description_frame(Composite(parts)), total.matrix(), 1e-11)


@examples(12, 100)
@given(parts=parts, data=st.data())
def test_the_order_of_the_parts_does_not_matter(parts, data):
    shuffled = data.draw(st.permutations(parts))
    a, b = Composite(parts), Composite(shuffled)
    assert close(spatial_inertia_in_description_frame(a), spatial_inertia_in_description_frame(b), 1e-11)


@examples(12, 100)
@given(parts=parts, extra=primitives(), pose=poses(), inner=poses())
def test_a_composite_of_composites_is_the_flat_composite(parts, extra, pose, inner):
    nested = Composite([(Composite(parts), pose), (extra, inner)])
    flat = Composite([*((body, pose @ E) for body, E in parts), (extra, inner)])
    assert close(spatial_inertia_in_description_frame(nested), spatial_inertia_in_description_frame(flat), 1e-10)


def test_one_part_alone_keeps_its_mass_properties_and_place():
    cone = Cone(0.3, 0.8)
    body = Composite([(cone, (1, 2, 3))])
    assert close(body.inertia, cone.inertia)
    assert np.array_equal(body.frame[:3, :3], np.eye(3))
    assert np.array_equal(body.frame[:3, 3], (1, 2, 3))


def test_two_balls_on_a_stick_have_the_textbook_inertia():
    """Masses m at distance d from the middle: 2 (2/5 m r^2) along the line, 2 (2/5 m r^2 + m d^2) across it."""
    m, r, d = 3.0, 0.1, 0.7
    ball = Sphere(r, mass=m)
    body = Composite([(ball, (0, d, 5)), (ball, (0, -d, 5))])
    along, across = 4 / 5 * m * r**2, 4 / 5 * m * r**2 + 2 * m * d**2
    assert close(body.inertia, np.diag([across, along, across]))
    assert close(body.frame[:3, 3], (0, 0, 5))


def test_cuboid_with_a_crossbar():
    """Box 1x1x10 at (0,0,-5) and a cylinder r=1, h=10 along x at (5,0,-10), summed by hand with unit density."""
    turn = np.eye(4)
    turn[:3, :3] = Rotation.from_euler("y", 90, degrees=True).as_matrix()
    turn[:3, 3] = (5, 0, -10)
    body = Composite([(Cuboid((1, 1, 10), density=1), (0, 0, -5)), (Cylinder(1, 10, density=1), turn)])
    m1, m2 = 10.0, 10 * np.pi
    x, z = 5 * m2 / (m1 + m2), -(5 * m1 + 10 * m2) / (m1 + m2)
    about_y = m1 * (1 + 100) / 12 + m1 * (x**2 + (z + 5) ** 2) + m2 * (3 + 100) / 12 + m2 * ((5 - x) ** 2 + (z + 10) ** 2)
    assert close(body.mass, m1 + m2)
    assert close(body.frame[:3, 3], (x, 0, z))
    assert close(body.inertia[1, 1], about_y)
    assert np.array_equal(body.frame[:3, 1], (0, 1, 0))


@examples(12, 100)
@given(parts=parts, massless=poses())
def test_a_massless_part_changes_nothing(parts, massless):
    with_it = Composite([*parts, (MassProperties(0, (0, 0, 0)), massless)])
    assert np.array_equal(with_it.inertia, Composite(parts).inertia)
    assert np.array_equal(with_it.frame, Composite(parts).frame)


@given(size=lengths3, a=poses(), b=poses())
@examples(8, 30)
def test_surface_lies_in_the_body_frame(size, a, b):
    """Cuboids' surfaces are exact, so the surface integrates to the mass, and its centre is the origin."""
    vertices, faces = Cuboid(size).mesh()
    mesh_part = Mesh(vertices @ a[:3, :3].T + (1, 2, 3), faces)
    body = Composite([(Cuboid(size), a), (mesh_part, b)])
    found = integrate(*body.mesh())
    reach = np.abs(body.frame[:3, 3]).max() + np.abs(body.mesh()[0]).max()
    assert close(1000 * found.volume, body.mass, 1e-11)
    assert np.abs(found.centre).max() <= 1e-11 * reach
    assert close(body.mass * found.inertia, body.inertia, 1e-10)


def test_geometry_is_json_with_the_parts_in_the_body_frame():
    body = Composite([(Sphere(0.1), (1, 0, 0)), (Sphere(0.1), (3, 0, 0))])
    geometry = json.loads(json.dumps(body.geometry()))
    assert geometry["kind"] == "composite"
    assert [part["kind"] for part in geometry["parts"]] == ["sphere", "sphere"]
    assert close([np.array(part["pose"])[:3, 3] for part in geometry["parts"]], [(-1, 0, 0), (1, 0, 0)])


def test_later_changes_of_the_given_pose_have_no_effect():
    pose = np.eye(4)
    body = Composite([(Sphere(0.1), pose)])
    pose[0, 3] = 7
    assert not body.part_poses()[0][:3, 3].any()
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(body.parts[0][1])[0, 3] = 7
