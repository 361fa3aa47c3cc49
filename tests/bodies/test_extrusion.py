"""Extrusions: exact integrals over polygons, and triangles that cover them exactly once."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bodies.strategies import close, densities, lengths
from random_examples import examples
from redmax.bodies import Composite, Cuboid, Cylinder, Extrusion, Mesh
from redmax.bodies.mesh import check_closed
from redmax.bodies.polygons import cross, encloses, signed_area
from redmax.bodies.triangulation import triangulate
from redmax.bodies.volume import integrate
from redmax.errors import SceneError

LETTER_A = [(0, 0), (0.2, 0), (0.3, 0.3), (0.7, 0.3), (0.8, 0), (1, 0), (0.6, 1.2), (0.4, 1.2)]
COUNTER = [(0.36, 0.5), (0.64, 0.5), (0.5, 0.95)]  # the triangle that an A encloses


def rectangle(x: float, y: float, width: float, height: float) -> np.ndarray:
    return np.array([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], dtype=float)


@st.composite
def stars(draw: st.DrawFn, least: float = 0.2, corners: int = 24) -> np.ndarray:
    """A polygon around the origin, within the unit circle, with corners at jittered angles; often on a grid, so that many are in line."""
    n = draw(st.integers(3, corners))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    angle = 2 * np.pi * (np.arange(n) + rng.uniform(-0.4, 0.4, n)) / n
    points = rng.uniform(least, 1.0, n)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    grid = draw(st.sampled_from([0, 5, 8, 12]))
    return np.round(points * grid) / grid if grid else points


@st.composite
def plates(draw: st.DrawFn) -> tuple[np.ndarray, list[np.ndarray]]:
    """A comb of 4 x 3 cells, and in some of them a hole: squares and diamonds in rows, or stars."""
    comb = [(0, 0), (1, 0), (1, 0.1), (2, 0.1), (2, 0), (4, 0), (4, 1.5), (4, 3), (2, 3), (2, 2.9), (1, 2.9), (1, 3), (0, 3)]
    square = rectangle(-0.25, -0.25, 0.5, 0.5)
    kinds = st.one_of(st.none(), st.just(square), st.just(square @ [[1, 1], [-1, 1]] / 2), stars(corners=8).map(lambda s: 0.3 * s))
    cells = [(x + 0.5, y + 0.5) for x in range(4) for y in range(3)]
    holes = [hole + cell for hole, cell in zip(draw(st.tuples(*[kinds] * len(cells))), cells) if hole is not None]
    return np.array(comb), holes


def drawn(outline: np.ndarray, depth: float = 1.0, **given) -> Extrusion:
    """The extrusion, where rounding to the grid has left a polygon."""
    try:
        return Extrusion(outline, depth, **given)
    except SceneError:
        assume(False)
        raise


def assert_tiles(outline: np.ndarray, holes: list[np.ndarray]) -> None:
    """Triangles that all turn left, whose edges cancel but for the boundary and whose areas add up, cover the inside exactly once."""
    points, triangles = np.concatenate([outline, *holes]), triangulate(outline, holes)
    a, b, c = np.moveaxis(points[triangles], 1, 0)
    areas = cross(b - a, c - a) / 2
    assert areas.min() > 0
    assert close(areas.sum(), sum(map(signed_area, [outline, *holes])), 1e-12)
    directed = {(i, j) for t in triangles.tolist() for i, j in zip(t, t[1:] + t[:1])}
    starts = np.cumsum([0, len(outline), *map(len, holes)])
    boundary = {(s + i, s + (i + 1) % n) for s, n in zip(starts.tolist(), np.diff(starts).tolist()) for i in range(n)}
    assert {(i, j) for i, j in directed if (j, i) not in directed} == boundary
    assert len(triangles) == len(points) + 2 * len(holes) - 2  # no further corners


@given(outline=stars())
@examples(20, 150)
def test_triangles_cover_a_polygon_exactly_once(outline):
    assert_tiles(drawn(outline).outline[0], [])


@given(plate=plates())
@examples(10, 60)
def test_triangles_cover_a_plate_with_holes_exactly_once(plate):
    body = drawn(plate[0], holes=plate[1])
    assert_tiles(body.outline[0], list(body.holes or ()))


def test_a_spiral_is_covered():
    angle = np.linspace(0, 6 * np.pi, 150)
    arm = np.column_stack([np.cos(angle), np.sin(angle)])
    spiral = np.concatenate([(0.2 + angle[:, None]) * arm, ((1.2 + angle[:, None]) * arm)[::-1]])
    assert_tiles(Extrusion(spiral, 1).outline[0], [])


@given(plate=plates(), depth=lengths, density=densities)
@examples(8, 40)
def test_integrals_are_those_of_the_surface(plate, depth, density):
    """Area integrals from the corners against volume integrals over the closed mesh, in the body frame."""
    body = drawn(plate[0], depth, holes=plate[1], density=density)
    vertices, faces = body.mesh()
    check_closed(faces)
    found = integrate(vertices, faces)
    assert close(density * found.volume, body.mass)
    assert np.abs(found.centre).max() <= 1e-12 * np.abs(vertices).max()
    assert close(body.mass * found.inertia, body.inertia)


@given(width=lengths, height=lengths, depth=lengths, x=st.floats(-9, 9), y=st.floats(-9, 9))
def test_a_rectangle_is_a_cuboid(width, height, depth, x, y):
    body, box = Extrusion(rectangle(x, y, width, height), depth), Cuboid((width, height, depth))
    assert close(body.mass, box.mass, 1e-11)
    assert close(body.inertia, box.inertia, 1e-11)
    assert np.array_equal(body.frame[:3, :3], np.eye(3))
    assert np.abs(body.frame[:3, 3] - (x + width / 2, y + height / 2, 0)).max() < 1e-13 * (width + height + 9)


def test_many_corners_make_a_cylinder_and_a_hole_a_pipe():
    def ring(r: float, n: int) -> np.ndarray:
        angle = 2 * np.pi * np.arange(n) / n
        return r * np.column_stack([np.cos(angle), np.sin(angle)])

    outer, inner = Cylinder(0.5, 0.3), Cylinder(0.4, 0.3)
    coarse, fine = (Extrusion(ring(0.5, n), 0.3, holes=ring(0.4, n)) for n in (60, 120))
    assert close((4 * fine.mass - coarse.mass) / 3, outer.mass - inner.mass, 1e-5)
    assert close((4 * fine.inertia - coarse.inertia) / 3, outer.inertia - inner.inertia, 1e-5)


def test_an_oblique_letter_agrees_with_trimesh():
    import trimesh  # late: every process that collects tests would wait for it

    slanted = np.array(LETTER_A) @ [[1, 0], [0.4, 1]] + (3, -7)
    body = Extrusion(slanted, 0.2, holes=[np.array(COUNTER) @ [[1, 0], [0.4, 1]] + (3, -7)], density=700)
    other = trimesh.Trimesh(*body.mesh(), process=False)
    assert other.is_watertight
    assert close(body.inertia, 700 * np.asarray(other.moment_inertia), 1e-10)
    assert abs(body.inertia[0, 1]) > 0.01 * body.inertia[0, 0]  # the axes stay those of the letter


def test_a_letter_is_the_composite_of_its_pieces():
    """An H of three boxes, with a stem, a bar and a stem."""
    outline = [(0, 0), (1, 0), (1, 2), (3, 2), (3, 0), (4, 0), (4, 5), (3, 5), (3, 3), (1, 3), (1, 5), (0, 5)]
    body = Extrusion(outline, 0.5)
    stem, bar = Cuboid((1, 5, 0.5)), Cuboid((2, 1, 0.5))
    pieces = Composite([(stem, (0.5, 2.5, 0)), (bar, (2, 2.5, 0)), (stem, (3.5, 2.5, 0))])
    assert close(body.mass, pieces.mass)
    assert close(body.inertia, pieces.inertia)
    assert close(body.frame, pieces.frame)


def test_parts_apart_and_islands_in_holes_are_one_body():
    dot, stem = rectangle(0, 3, 1, 1), rectangle(0, 0, 1, 2)  # an i
    target = [rectangle(-3, -3, 6, 6), rectangle(-1, -1, 2, 2)], [rectangle(-2, -2, 4, 4)]
    i, rings = Extrusion([dot, stem], 0.5), Extrusion(target[0], 1, holes=target[1])
    assert close(i.mass, 1000 * 3 * 0.5)
    assert close(i.frame[:2, 3], (0.5, (3.5 + 2 * 1) / 3))
    assert close(rings.mass, 1000 * (36 - 16 + 4))
    for body in (i, rings):
        assert close(Mesh(*body.mesh()).mass, body.mass)
        check_closed(body.mesh()[1])


@given(outline=stars(), turn=st.integers(0, 23))
@examples(12, 100)
def test_direction_start_and_repeated_corners_do_not_matter(outline, turn):
    body = drawn(outline)
    again = np.repeat(np.roll(outline, turn, axis=0)[::-1], 2, axis=0)
    same = Extrusion(np.concatenate([again, again[:1]]), 1.0)
    assert close(same.mass, body.mass)
    assert close(same.inertia, body.inertia)
    assert signed_area(same.outline[0]) > 0


@given(outline=stars(), shift=st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)))
@examples(12, 100)
def test_far_away_outlines_lose_no_digits(outline, shift):
    body = drawn(outline)
    moved = drawn(outline + shift)
    assert close(moved.inertia, body.inertia, 1e-8)  # the corners themselves are rounded to 1e-10


@given(outline=stars(least=0.5), p=st.tuples(st.floats(-1.2, 1.2), st.floats(-1.2, 1.2)))
@examples(12, 100)
def test_a_point_is_inside_if_the_outline_winds_around_it(outline, p):
    loop = drawn(outline).outline[0]
    a, b = loop - p, np.roll(loop, -1, axis=0) - p
    turn = np.arctan2(cross(a, b), np.sum(a * b, axis=1))
    assume(np.abs(np.abs(turn) - np.pi).min() > 1e-6)  # not on an edge
    assert encloses(loop, np.array(p)) == (round(turn.sum() / (2 * np.pi)) == 1)


def test_a_circle_may_end_where_it_began_but_for_rounding():
    angle = np.linspace(0, 2 * np.pi, 41)  # sin(2 pi) is not 0
    body = Extrusion(np.column_stack([np.cos(angle), np.sin(angle)]), 1)
    assert len(body.outline[0]) == 40


def test_given_mass_fixes_the_density():
    body = Extrusion(rectangle(0, 0, 1, 2), 3, mass=12)
    assert close(body.density, 2)
    assert close(body.inertia, Cuboid((1, 2, 3), mass=12).inertia)


def test_geometry_is_json_in_the_body_frame_and_rebuilds_the_body():
    body = Extrusion(LETTER_A, 0.2, holes=[COUNTER])
    geometry = json.loads(json.dumps(body.geometry()))
    assert geometry.pop("kind") == "extrusion"
    same = Extrusion(**geometry)
    assert close(same.inertia, body.inertia)
    assert np.abs(same.frame - np.eye(4)).max() < 1e-15
    plain = Extrusion(LETTER_A, 0.2).geometry()
    assert Extrusion(plain["outline"], plain["depth"], plain["holes"]).holes == ()


def test_later_changes_of_the_given_corners_have_no_effect():
    corners = rectangle(0, 0, 1, 1)
    body = Extrusion(corners, 1)
    corners[0] = 7
    assert body.outline[0].max() == 1
    with pytest.raises(ValueError, match="read-only"):
        body.outline[0][0, 0] = 7
