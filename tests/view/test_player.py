"""What the player makes of curves, surfaces and motions, before the graphics card sees it."""

import numpy as np
import pytest

from redmax.bodies.mesh import check_closed
from redmax.bodies.volume import integrate
from redmax.view import DrawingView, write_html
from view.player import played
from view.samples import embedded_scene, matrices, turning_body, turning_poses

RADIUS = 0.02


def wire(points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vertices (n, 3), normals (n, 3) and faces (m, 3) of the tube, with vertices at one place merged."""
    expression = f"wireMesh(new Float32Array(data), {RADIUS})"
    found = played(["vector", "wire"], expression, np.ravel(points).tolist())
    positions, normals = (np.reshape(found[name], (-1, 3)) for name in ("positions", "normals"))
    _, first, index = np.unique(np.round(positions, 7), axis=0, return_index=True, return_inverse=True)
    faces = index.reshape(-1, 3)
    solid = (faces != np.roll(faces, 1, axis=1)).all(axis=1)  # triangles at the tips of the round ends have no area
    return positions[first], normals[first], faces[solid]


def circle(count: int) -> np.ndarray:
    angle = np.linspace(0, 2 * np.pi, count)
    return np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)


def knot(count: int) -> np.ndarray:
    s = np.linspace(0, 2 * np.pi, count)
    return np.stack([np.sin(s) + 2 * np.sin(2 * s), np.cos(s) - 2 * np.cos(2 * s), -np.sin(3 * s)], axis=1)


LINE = np.linspace((0, 0, 0), (1, 2, 2), 5)
POLYGON = 12 / (2 * np.pi) * np.sin(2 * np.pi / 12)  # area of a twelve-sided section over that of the circle


@pytest.mark.parametrize(("points", "length"), [(circle(200), 2 * np.pi), (LINE, 3.0), (knot(500), None)])
def test_a_wire_is_a_closed_tube_of_its_radius(points, length):
    vertices, normals, faces = wire(points)
    check_closed(faces)
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-6)
    axis = vertices - RADIUS * normals  # back on the curve, or at its ends
    gaps = np.linalg.norm(axis[:, None] - points, axis=2).min(axis=1)
    assert gaps.max() < 1e-6
    volume = integrate(vertices, faces).volume
    if length:
        ends = 4 / 3 * np.pi * RADIUS**3 if points is LINE else 0
        np.testing.assert_allclose(volume, POLYGON * np.pi * RADIUS**2 * length + ends, rtol=0.01)
    assert volume > 0


def test_the_rings_of_a_closed_wire_meet_without_a_twist():
    """No edge along a knot is much longer than the step it follows: a seam that is turned would be pinched."""
    points = knot(400)
    vertices, _, faces = wire(points)
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    longest = np.linalg.norm(vertices[edges[:, 0]] - vertices[edges[:, 1]], axis=1).max()
    step = np.linalg.norm(np.diff(points, axis=0), axis=1).max()
    assert longest < 1.2 * np.hypot(step, 2 * np.pi * RADIUS / 12) + 2 * RADIUS * 0.2


def test_a_curve_of_repeated_points_is_still_a_tube():
    check_closed(wire(np.repeat(LINE, 3, axis=0))[2])
    assert np.isfinite(wire(np.ones((4, 3)))[0]).all()


def sphere(rows: int, columns: int) -> np.ndarray:
    u, v = np.meshgrid(np.linspace(-np.pi / 2, np.pi / 2, rows), np.linspace(0, 2 * np.pi, columns), indexing="ij")
    return np.stack([np.cos(u) * np.cos(v), np.cos(u) * np.sin(v), np.sin(u)], axis=-1)


def sheet(points: np.ndarray, expression: str) -> object:
    start = "(() => { const p = new Float32Array(data.points); const g = prepareSheet(p, data.shape); return %s; })()"
    data = {"points": points.ravel().tolist(), "shape": points.shape[:2]}
    return played(["vector", "matrix", "scene", "mesh", "sheet"], start % expression, data)


def test_normals_of_a_sphere_are_radial_across_its_seam_and_poles():
    points = sphere(25, 49)
    normals = np.reshape(sheet(points, "sheetNormals(p, g)"), (25, 49, 3))
    np.testing.assert_allclose(-normals, points, atol=0.04)  # cells next to a pole are triangles


def test_the_pattern_of_lines_is_even():
    places = np.reshape(sheet(sphere(25, 49), "g.cells"), (25, 49, 2))
    assert places[0, 0].tolist() == [0, 0]
    np.testing.assert_array_equal(places[-1, -1], np.rint(places[-1, -1]))  # the last line is the border
    u, v = np.meshgrid(np.linspace(0, 4, 21), np.linspace(0, 1, 21), indexing="ij")
    assert np.max(sheet(np.stack([u, v, 0 * u], axis=-1), "g.cells")) == 8  # along the longer side; 2 along the other


def test_cells_are_painted_from_the_farthest_to_the_nearest():
    points, eye = sphere(13, 17), np.array([2.0, -1.0, 0.5])
    order = np.reshape(sheet(points, "paintingOrder(p, g, [2, -1, 0.5])"), (-1, 6))
    cells = {tuple(sorted(set(cell))) for cell in order.tolist()}
    assert cells == {(a, a + 1, a + 17, a + 18) for i in range(12) for a in range(17 * i, 17 * i + 16)}
    centres = points.reshape(-1, 3)[order[:, [0, 2]]].mean(axis=1)
    assert (np.diff(np.linalg.norm(centres - eye, axis=1)) < 1e-6).all()


def test_moving_points_and_poses_are_those_of_the_page_between_samples_too(tmp_path):
    times = np.linspace(0, 2, 41)
    x = np.linspace(-1, 1, 30)
    wave = lambda t: np.stack(np.broadcast_arrays(x, 0.0, np.sin(3 * x - 2 * t[:, None])), axis=-1)  # noqa: E731
    drawings = [DrawingView("wave", wave, turning_poses(times)), DrawingView("still", wave(times[:1])[0], np.eye(4)[None])]
    path = write_html(tmp_path / "a.html", title="A", times=times, bodies=[turning_body(times)], drawings=drawings)
    shown = [0.0, 0.31, 1.0, 1.234, 2.0]
    look = "(() => { const s = readScene(JSON.stringify(data.scene)); const at = (t) => locate(s.times, t);"
    result = "return data.shown.map((t) => s.drawings.map((d) => [pointsAt(d, at(t)), poseAt(d.poses, at(t))])); })()"
    found = played(["vector", "matrix", "scene", "points"], look + result, {"scene": embedded_scene(path), "shown": shown})
    for t, ((points, pose), (still, fixed)) in zip(shown, found, strict=True):
        np.testing.assert_allclose(np.reshape(points, (-1, 3)), wave(np.array([t]))[0], atol=2e-3)
        np.testing.assert_allclose(np.reshape(pose, (4, 4)).T, turning_poses(np.array([t]))[0], atol=1e-5)
        np.testing.assert_allclose(np.reshape(still, (-1, 3)), wave(np.zeros(1))[0], atol=1e-6)
        np.testing.assert_allclose(np.reshape(fixed, (4, 4)), matrices(np.array([[0, 0, 0, 1, 0, 0, 0.0]]))[0])
