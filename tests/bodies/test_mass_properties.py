"""Explicit mass properties: kept as given, drawn as the equivalent ellipsoid or a shape of the user's."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from bodies.strategies import close, lengths3, poses, primitives, rotations
from random_examples import examples
from redmax.bodies import Cuboid, Ellipsoid, MassProperties, Mesh
from redmax.bodies.volume import integrate


@examples(12, 100)
@given(body=primitives(), R=rotations())
def test_keeps_mass_inertia_and_axes_as_given(body, R):
    inertia = R @ body.inertia @ R.T
    explicit = MassProperties(body.mass, inertia)
    assert explicit.mass == body.mass
    assert close(explicit.inertia, inertia, 1e-15)
    assert np.array_equal(explicit.inertia, explicit.inertia.T)
    assert np.array_equal(explicit.frame, np.eye(4))


def test_three_numbers_are_the_diagonal():
    assert np.array_equal(MassProperties(2, (1, 2, 3)).inertia, np.diag([1.0, 2.0, 3.0]))


@given(radii=lengths3, R=rotations())
@examples(8, 30)
def test_the_drawn_ellipsoid_has_the_same_inertia(radii, R):
    assume(min(radii) > 0.03 * max(radii))  # thinner ones are drawn thicker
    body = Ellipsoid(radii)
    explicit = MassProperties(body.mass, R @ body.inertia @ R.T)
    found, reference = integrate(*explicit.mesh(128)), integrate(*body.mesh(128))
    assert close(found.volume, reference.volume, 1e-9)
    assert close(found.inertia, R @ body.inertia @ R.T / body.mass, 3e-3)


@examples(12, 100)
@given(size=lengths3, pose=poses())
def test_the_display_shape_is_drawn_where_it_was_described(size, pose):
    vertices, faces = Cuboid(size).mesh()
    placed = vertices @ pose[:3, :3].T + pose[:3, 3]
    drawn, drawn_faces = MassProperties(1, (1, 1, 1), display=Mesh(placed, faces)).mesh()
    assert np.abs(drawn - placed).max() < 1e-13 * (10 + np.abs(placed).max())
    assert np.array_equal(drawn_faces, faces)


def test_massless_bodies_and_points_are_allowed_and_have_nothing_to_draw():
    for body in (MassProperties(0, (0, 0, 0)), MassProperties(0, np.zeros((3, 3))), MassProperties(3, (0, 0, 0))):
        vertices, faces = body.mesh()
        assert vertices.shape == (0, 3)
        assert faces.shape == (0, 3)
    assert not MassProperties(0, (0, 0, 0)).mass_matrix.any()


def test_rods_and_plates_lie_on_the_bound_and_are_allowed():
    rod, plate = MassProperties(1, (0, 1, 1)), MassProperties(1, (1, 1, 2))
    assert rod.mesh()[0].shape[1] == plate.mesh()[0].shape[1] == 3
    spans = np.ptp(plate.mesh()[0], axis=0)
    assert spans[2] < 0.1 * spans[0]


@examples(12, 100)
@given(a=st.just(0) | st.floats(1e-6, 10), b=st.floats(1e-6, 10), R=rotations())
def test_plates_in_any_orientation_pass_despite_rounding(a, b, R):
    MassProperties(1, R @ np.diag([a, b, a + b]) @ R.T)


def test_geometry_is_json():
    plain = MassProperties(1, (1, 1, 1))
    shaped = MassProperties(1, (1, 1, 1), display=Cuboid((1, 2, 3)))
    assert json.loads(json.dumps(plain.geometry())) == {"kind": "mass-properties", "display": None}
    display = json.loads(json.dumps(shaped.geometry()))["display"]
    assert display["kind"] == "cuboid"
    assert display["size"] == [1, 2, 3]
    assert display["pose"] == np.eye(4).tolist()
