"""Mass properties of the primitive shapes against quadrature, their own surfaces, and Pinocchio."""

from __future__ import annotations

import dataclasses
import json
from itertools import pairwise

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from bodies.strategies import PRIMITIVES, close, densities, lengths, lengths3, primitives
from random_examples import examples
from redmax.bodies import Body, Capsule, Cone, Cuboid, Cylinder, Ellipsoid, Mesh, Sphere, Torus
from redmax.bodies.mesh import check_closed
from redmax.bodies.volume import integrate

every_primitive = pytest.mark.parametrize("name", sorted(PRIMITIVES))


def slices(body: Body):
    """Cross-sections at height z: (z values where the formula changes, z -> (half width x, half width y)), ellipses.

    A torus has a ring instead; what is cut out comes after: (half widths of the outer ellipse, of the inner one).
    """
    match body:
        case Sphere(radius=r):
            return (-r, r), lambda z: (np.sqrt(max(0.0, r * r - z * z)),) * 2
        case Ellipsoid(radii=(a, b, c)):
            return (-c, c), lambda z: (a * np.sqrt(max(0.0, 1 - (z / c) ** 2)), b * np.sqrt(max(0.0, 1 - (z / c) ** 2)))
        case Cylinder(radius=r, height=h):
            return (-h / 2, h / 2), lambda z: (r, r)
        case Capsule(radius=r, height=h):
            beyond = lambda z: max(0.0, abs(z) - h / 2)  # noqa: E731
            return (-h / 2 - r, -h / 2, h / 2, h / 2 + r), lambda z: (np.sqrt(max(0.0, r * r - beyond(z) ** 2)),) * 2
        case Cone(radius=r, height=h):
            return (-h / 4, 3 * h / 4), lambda z: (r * (0.75 - z / h),) * 2
        case Torus(major=R, minor=r):
            tube = lambda z: np.sqrt(max(0.0, r * r - z * z))  # noqa: E731
            return (-r, r), lambda z: (*(R + tube(z),) * 2, *(R - tube(z),) * 2)
    raise AssertionError(body)


def integral(f, breaks, negligible: float = 0.0) -> float:
    return sum(quad(f, low, high, epsabs=negligible, epsrel=1e-11)[0] for low, high in pairwise(breaks))


@pytest.mark.parametrize("name", sorted(set(PRIMITIVES) - {"cuboid"}))
@given(data=st.data())
@examples(8, 15)
def test_round_solids_agree_with_quadrature_over_slices(name, data):
    shape, dimensions = PRIMITIVES[name]
    body = shape(*data.draw(dimensions), density=1.0)
    breaks, half = slices(body)

    def moment(z: float, power_x: int, power_y: int) -> float:
        """Integral of x^power_x y^power_y (together 0 or 2) over the cross-section: of an ellipse, less that of the one cut out."""
        parts = [(1, *half(z)[:2]), (-1, *half(z)[2:])] if len(half(z)) == 4 else [(1, *half(z))]
        return sum(sign * np.pi * a * b * a**power_x * b**power_y / (4 if power_x + power_y else 1) for sign, a, b in parts)

    area = lambda z: moment(z, 0, 0)  # noqa: E731
    xx = integral(lambda z: moment(z, 2, 0), breaks)
    yy = integral(lambda z: moment(z, 0, 2), breaks)
    zz = integral(lambda z: area(z) * z * z, breaks)
    first = integral(lambda z: area(z) * z, breaks, negligible=1e-10 * body.mass * max(map(abs, breaks)))
    assert close(body.mass, integral(area, breaks), 1e-8)
    assert abs(first) <= 1e-8 * body.mass * max(map(abs, breaks))  # the origin is the centre of mass
    assert close(body.inertia, np.diag([yy + zz, zz + xx, xx + yy]), 1e-8)


@examples(12, 100)
@given(size=lengths3)
def test_cuboid_agrees_with_gauss_quadrature(size):
    nodes = np.array(np.meshgrid(*[[-(3**-0.5), 3**-0.5]] * 3)).reshape(3, -1).T / 2 * size  # exact to degree 3
    mass = np.prod(size) * 500
    inertia = sum(mass / 8 * (x @ x * np.eye(3) - np.outer(x, x)) for x in nodes)
    body = Cuboid(size, density=500)
    assert close(body.mass, mass)
    assert close(body.inertia, inertia)


@every_primitive
@given(data=st.data())
@examples(8, 15)
def test_surface_encloses_the_mass_properties(name, data):
    """A surface with n segments is off by O(n^-2); two of them extrapolate to O(n^-4)."""
    shape, dimensions = PRIMITIVES[name]
    body = shape(*data.draw(dimensions), density=1.0)
    coarse, fine = integrate(*body.mesh(64)), integrate(*body.mesh(128))
    volume = (4 * fine.volume - coarse.volume) / 3
    inertia = (4 * fine.volume * fine.inertia - coarse.volume * coarse.inertia) / 3
    size = np.ptp(body.mesh()[0], axis=0).max()
    assert close(volume, body.mass, 1e-5)
    assert close(inertia, body.inertia, 3e-5)
    assert np.abs((4 * fine.centre - coarse.centre) / 3).max() <= 1e-5 * size


@every_primitive
def test_surface_is_closed_and_faces_outward(name):
    shape, _ = PRIMITIVES[name]
    dimensions = {"cuboid": [(1, 2, 3)], "ellipsoid": [(1, 2, 3)], "sphere": [0.7], "torus": [1.3, 0.7]}
    body = shape(*dimensions.get(name, [0.7, 1.3]))
    for segments in (3, 8, 24):
        vertices, faces = body.mesh(segments)
        check_closed(faces)
        assert integrate(vertices, faces).volume > 0
        assert set(faces.ravel()) == set(range(len(vertices)))
        centres = vertices[faces].mean(axis=1)  # convex, around the origin (a torus: around its ring): normals point away from it
        if isinstance(body, Torus):
            centres -= body.major * centres * (1, 1, 0) / np.hypot(*centres.T[:2])[:, None]
        a, b, c = np.moveaxis(vertices[faces], 1, 0)
        assert (np.einsum("ij,ij->i", centres, np.cross(b - a, c - a)) > 0).all()


@examples(12, 100)
@given(r=lengths, h=lengths, size=lengths3, density=densities)
def test_agrees_with_pinocchio(r, h, size, density):
    pairs = [
        (Sphere(r, density=density), pin.Inertia.FromSphere(1.0, r)),
        (Cuboid(size, density=density), pin.Inertia.FromBox(1.0, *size)),
        (Ellipsoid(size, density=density), pin.Inertia.FromEllipsoid(1.0, *size)),
        (Cylinder(r, h, density=density), pin.Inertia.FromCylinder(1.0, r, h)),
        (Capsule(r, h, density=density), pin.Inertia.FromCapsule(1.0, r, h)),
    ]
    for body, expected in pairs:
        assert close(body.inertia / body.mass, expected.inertia)


@examples(12, 100)
@given(body=primitives())
def test_frame_is_the_identity_and_mass_matrix_is_block_diagonal(body):
    assert np.array_equal(body.frame, np.eye(4))
    M = body.mass_matrix
    assert np.array_equal(M[:3, :3], body.inertia)
    assert np.array_equal(M[3:, 3:], body.mass * np.eye(3))
    assert not M[:3, 3:].any()
    assert not M[3:, :3].any()


@every_primitive
@examples(12, 100)
@given(data=st.data(), factor=st.floats(0.1, 10))
def test_scaling_lengths_scales_mass_by_the_cube_and_inertia_by_the_fifth_power(name, data, factor):
    shape, dimensions = PRIMITIVES[name]
    given_dimensions = data.draw(dimensions)
    small = shape(*given_dimensions)
    large = shape(*[tuple(factor * np.array(d)) if isinstance(d, tuple) else factor * d for d in given_dimensions])
    assert close(large.mass, factor**3 * small.mass)
    assert close(large.inertia, factor**5 * small.inertia)


@every_primitive
@examples(12, 100)
@given(data=st.data(), density=densities)
def test_mass_and_density_describe_the_same_body(name, data, density):
    shape, dimensions = PRIMITIVES[name]
    d = data.draw(dimensions)
    by_density = shape(*d, density=density)
    by_mass = shape(*d, mass=by_density.mass)
    assert close(by_mass.density, density)
    assert close(by_mass.inertia, by_density.inertia)
    assert shape(*d).density == 1000
    assert close(shape(*d).mass, 1000 / density * by_density.mass)


def test_an_ellipsoid_with_equal_radii_and_a_flat_capsule_are_spheres():
    ball = Sphere(0.3)
    assert close(Ellipsoid((0.3, 0.3, 0.3)).inertia, ball.inertia)
    assert close(Capsule(0.3, 1e-12).inertia, ball.inertia, 1e-10)


@examples(12, 100)
@given(body=primitives())
def test_geometry_is_json_and_rebuilds_the_body(body):
    geometry = json.loads(json.dumps(body.geometry()))
    shape, _ = PRIMITIVES[geometry.pop("kind")]
    assert shape(**geometry, density=body.density) == body


def test_bodies_cannot_be_changed():
    body = Sphere(0.1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        body.radius = 0.2  # pyright: ignore
    with pytest.raises(ValueError, match="read-only"):
        body.inertia[0, 0] = 1
    mesh = Mesh(*body.mesh())
    with pytest.raises(ValueError, match="read-only"):
        mesh.vertices[0, 0] = 1


def test_equal_descriptions_are_equal_bodies():
    assert Cuboid([1, 2, 3]) == Cuboid((1.0, 2.0, 3.0))
    assert hash(Cuboid((1, 2, 3))) == hash(Cuboid((1.0, 2.0, 3.0)))
    assert Cuboid((1, 2, 3)) != Cuboid((1, 2, 4))
    assert Cylinder(1, 2) != Cone(1, 2)
