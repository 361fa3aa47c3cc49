"""The distance to a surface: that to a ball and to a box is known."""

import numpy as np

import redmax as rm
from redmax.view.surface_distance import surface_distance


def test_distance_to_a_box_is_that_to_its_nearest_face_edge_or_corner_inside_and_outside():
    half, generator = np.array([0.2, 0.5, 1.0]), np.random.default_rng(3)
    vertices, faces = rm.Cuboid(2 * half).mesh()
    for point in generator.uniform(-1.5, 1.5, (300, 3)):
        out = np.abs(point) - half
        exact = np.linalg.norm(np.maximum(out, 0)) if (out > 0).any() else -out.max()
        np.testing.assert_allclose(surface_distance(point, vertices, faces), exact, atol=1e-12)


def test_distance_to_a_ball_is_that_to_its_radius():
    vertices, faces = rm.Sphere(1.0).mesh(96)
    for r in (0.0, 0.4, 1.7):
        np.testing.assert_allclose(surface_distance(np.array([0.6 * r, 0, 0.8 * r]), vertices, faces), abs(1 - r), atol=3e-3)
