"""What the player makes of paths, cloth and nets, before the graphics card sees it: closed rods, true normals, colours, names."""

import numpy as np
import pytest

from redmax.bodies.mesh import check_closed
from redmax.bodies.volume import integrate
from redmax.view import PathView, SoftView, write_html
from view.player import played
from view.samples import embedded_scene, turning_body
from view.soft_samples import cloth_in_wind, grid_faces

PARTS = ["vector", "matrix", "scene", "points", "mesh", "rods", "membrane", "graphics", "drawings", "colour", "deforming", "pick"]
THEME = "const theme = { levelEnds: [[0, 0, 1], [1, 0, 0]] };"


def shown(path, times: list[float], look: str) -> list:
    """`look`, an expression of the things that deform and of the sample `at`, at some times of a page."""
    scene = f"{THEME} const scene = readScene(JSON.stringify(data.scene)); const gl = new Proxy({{}}, {{ get: () => () => 1 }});"
    things = "const things = createDeforming(gl, scene, 1);"
    update = "const at = locate(scene.times, t); things.forEach((x) => x.update(at, theme));"
    each = f"return data.times.map((t) => {{ {update} return {look}; }});"
    return played(PARTS, f"(() => {{ {scene} {things} {each} }})()", {"scene": embedded_scene(path), "times": times})


def on_screen(linear) -> np.ndarray:
    """The sRGB standard's values 0..1 of light."""
    light = np.array(linear)
    return np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)


def merged(positions) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) and faces (m, 3) of flat triangle corners, with vertices at one place merged."""
    flat = np.reshape(positions, (-1, 3))
    _, first, index = np.unique(np.round(flat, 6), axis=0, return_index=True, return_inverse=True)
    return flat[first], index.reshape(-1, 3)


def test_beads_are_closed_balls_and_rods_are_round():
    points = np.array([(0, 0, 0), (1, 2, 2), (1, 2, 3.0)])
    call = "rodMesh(new Float32Array(data), [0, 1, 1, 2], [0, 1, 2], 0.1, 0.2)"
    found = played(["vector", "rods"], call, points.ravel().tolist())
    positions, normals = (np.reshape(found[name], (-1, 3)) for name in ("positions", "normals"))
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-6)
    rods, size = 2 * 60, (len(positions) - 2 * 60) // 3
    for k, (a, b) in enumerate([(points[0], points[1]), (points[1], points[2])]):
        part, along = positions[60 * k : 60 * k + 60], (b - a) / np.linalg.norm(b - a)
        at = (part - a) @ along
        np.testing.assert_allclose(np.linalg.norm(part - a - np.outer(at, along), axis=1), 0.1, atol=1e-6)
        np.testing.assert_allclose(np.sort(at)[[0, 29, 30, -1]], [0, 0, *[np.linalg.norm(b - a)] * 2], atol=1e-6)
        corners = part.reshape(-1, 3, 3)
        outward = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        assert (np.sum(outward * normals[60 * k : 60 * k + 60].reshape(-1, 3, 3)[:, 0], axis=1) > 0).all()
    for k, centre in enumerate(points):
        vertices, faces = merged(positions[rods + k * size : rods + (k + 1) * size])
        check_closed(faces)
        np.testing.assert_allclose(np.linalg.norm(vertices - centre, axis=1), 0.2, atol=1e-6)
        assert 0.8 < integrate(vertices, faces).volume / (4 / 3 * np.pi * 0.2**3) < 1


def test_a_rod_without_length_is_finite():
    found = played(["vector", "rods"], "rodMesh(new Float32Array(6), [0, 1], [0, 1], 0.1, 0.1)")
    assert np.isfinite(found["positions"]).all()
    assert np.isfinite(found["normals"]).all()


def membrane(points: np.ndarray, faces: np.ndarray, now: np.ndarray | None = None) -> dict:
    """What is prepared for `points`, and the mesh when they are at `now`."""
    call = "(() => { const p = prepareMembrane(new Float32Array(data.points), new Uint32Array(data.faces));"
    data = {"points": points.ravel().tolist(), "now": (points if now is None else now).ravel().tolist(), "faces": faces.ravel().tolist()}
    return played(["vector", "mesh", "membrane"], call + " return { ...p, ...membraneMesh(new Float32Array(data.now), p) }; })()", data)


def test_normals_of_cloth_follow_its_shape():
    """A sheet that was flat at first and is a wave now: z = a sin(k x) has the normal (-a k cos(k x), 0, 1)."""
    n = 41
    x, y = np.meshgrid(np.linspace(0, 2, n), np.linspace(0, 2, n), indexing="ij")
    flat = np.stack([x, y, 0 * x], -1).reshape(-1, 3)
    wave = np.stack([x, y, 0.3 * np.sin(3 * x)], -1).reshape(-1, 3)
    faces = grid_faces(n, n)
    found = membrane(flat, faces, wave)
    normals = np.reshape(found["normals"], (-1, 3))
    np.testing.assert_allclose(np.reshape(found["positions"], (-1, 3)), wave[faces.ravel()], atol=1e-6)
    exact = np.stack([-0.9 * np.cos(3 * wave[:, 0]), 0 * wave[:, 0], np.ones(n * n)], -1)
    exact /= np.linalg.norm(exact, axis=1, keepdims=True)
    inner = (np.abs(wave[faces.ravel(), 0] - 1) < 0.99) & (np.abs(wave[faces.ravel(), 1] - 1) < 0.99)
    np.testing.assert_allclose(normals[inner], exact[faces.ravel()][inner], atol=0.01)


def test_an_open_sheet_is_smooth_however_it_starts_and_has_its_border_drawn():
    n = 6
    cloth = np.random.default_rng(0).normal(size=(n * n, 3))
    faces = grid_faces(n, n)
    found = membrane(cloth, faces)
    assert {frozenset(edge) for edge in np.reshape(found["edges"], (-1, 2)).tolist()} == {
        frozenset(edge)
        for k in range(n - 1)
        for edge in [(k, k + 1), (n * n - n + k, n * n - n + k + 1), (n * k, n * k + n), (n * k + n - 1, n * k + 2 * n - 1)]
    }
    normals = np.reshape(found["normals"], (-1, 3))
    for vertex in range(n * n):
        assert np.ptp(normals[faces.ravel() == vertex], axis=0).max() < 1e-6


def test_a_closed_soft_box_keeps_its_edges_while_it_is_sheared():
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1.0)])
    quads = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
    faces = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    sheared = corners + np.outer(corners[:, 2], (0.8, 0, 0))
    found = membrane(corners, faces, sheared)
    p = sheared[faces]
    flat = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    flat /= np.linalg.norm(flat, axis=1, keepdims=True)
    np.testing.assert_allclose(np.reshape(found["normals"], (-1, 3, 3)), np.repeat(flat[:, None], 3, 1), atol=1e-6)
    edges = np.reshape(found["edges"], (-1, 2))
    assert len(edges) == 12
    np.testing.assert_allclose(np.linalg.norm(corners[edges[:, 0]] - corners[edges[:, 1]], axis=1), 1)  # and no diagonal


def test_the_weave_has_no_diagonals():
    """The number that belongs to a diagonal is one everywhere; the others vanish along their edges."""
    n = 4
    x, y = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    faces = grid_faces(n, n)
    points = np.stack([x, y, 0 * x], -1).reshape(-1, 3).astype(float)
    inside = np.reshape(membrane(points, faces)["inside"], (-1, 3, 3))  # face, corner, edge
    for face, rows in zip(faces, inside, strict=True):
        for j in range(3):
            a, b = points[face[(j + 1) % 3]], points[face[(j + 2) % 3]]
            is_diagonal = np.linalg.norm(a - b) > 1.1
            np.testing.assert_array_equal(rows[:, j], 1 if is_diagonal else np.eye(3)[j])


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    times = np.linspace(0, 2, 41)
    x = np.linspace(0, 1, 4)
    line = np.stack(np.broadcast_arrays(x, 3.0, np.sin(2 * x + times[:, None])), -1)
    line[20:, 1] = np.nan
    muscle = PathView("muscle", line, radius=0.01, level=times / 2 * 4 - 1, range=(-1, 3))
    spring = PathView("spring", line[:1, :2])
    cloth = SoftView("cloth", cloth_in_wind(8, 41, 20.0), grid_faces(8, 8))
    chain = SoftView("chain", line[:, [0, 2, 3]] + (0, 1, 0), lines=np.array([(0, 1), (1, 2)]), radius=0.02)
    folder = tmp_path_factory.mktemp("page")
    return write_html(
        folder / "a.html", title="A", times=times, bodies=[turning_body(times)], paths=[muscle, spring], soft=[cloth, chain]
    ), line


def test_a_path_goes_through_the_points_that_take_part_and_its_colour_is_its_level(page):
    path, line = page
    times = [0.0, 0.5, 1.0, 1.525, 2.0]
    found = shown(path, times, "[things[0].mesh.positions, things[0].colour, things[0].caption(at), things[1].colour ?? null]")
    for t, (positions, colour, caption, neutral) in zip(times, found, strict=True):
        at = [0, 1, 2, 3] if t < 1 else [0, 2, 3]
        exact = np.stack([line[0, at, 0], np.full(len(at), 3.0), np.sin(2 * line[0, at, 0] + t)], 1)
        assert len(positions) == 180 * (len(at) - 1) + 900 * len(at)
        beads = np.reshape(positions[180 * (len(at) - 1) :], (len(at), -1, 3))
        np.testing.assert_allclose((beads.max(axis=1) + beads.min(axis=1)) / 2, exact, atol=2e-3)
        np.testing.assert_allclose(on_screen(colour), (t / 2, 0, 1 - t / 2), atol=0.004)  # from blue to red
        name, value = caption.split(" · ")
        assert name == "muscle"
        np.testing.assert_allclose(float(value), 2 * t - 1, atol=0.02)
        assert neutral is None


def test_cloth_and_chain_are_where_they_were(page):
    path, line = page
    cloth = cloth_in_wind(8, 41, 20.0)
    faces = grid_faces(8, 8).ravel()
    found = shown(path, [0.0, 1.25, 2.0], "[things[2].mesh.positions, things[3].mesh.positions, things[2].mesh.edges.length]")
    for i, (surface, net, edges) in zip([0, 25, 40], found, strict=True):
        np.testing.assert_allclose(np.reshape(surface, (-1, 3)), cloth[i][faces], atol=1e-3)
        assert edges == 2 * 4 * 7
        beads = np.reshape(net[2 * 180 :], (3, -1, 3))
        np.testing.assert_allclose((beads.max(axis=1) + beads.min(axis=1)) / 2, line[i, [0, 2, 3]] + (0, 1, 0), atol=2e-3)


def test_what_the_line_of_sight_meets_has_its_name(page):
    path, line = page
    middle, link = line[10, 2:].mean(axis=0), line[10, [0, 2]].mean(axis=0) + (0, 1, 0)
    cloth = cloth_in_wind(8, 41, 20.0)[10][grid_faces(8, 8)[30]].mean(axis=0)
    poses = "things.map((x) => poseAt(x.poses, at))"
    sight = "(p, ray) => things[pickNamed(things, poses, subtract(p, scale(ray, 0.3)), ray)]?.name ?? null"
    look = f"(() => {{ const poses = {poses}; const sight = {sight};"
    look += f"return [sight({middle.tolist()}, [0, 1, 0]), sight({link.tolist()}, [0, -1, 0]), sight({cloth.tolist()}, [0, 1, 0]),"
    look += f"sight({cloth.tolist()}, [0, -1, 0]), sight([9, 9, 9], [0, 0, 1])]; }})()"
    assert shown(path, [0.5], look) == [["muscle", "chain", "cloth", "cloth", None]]


@pytest.mark.parametrize(
    ("ranges", "ends"), [([], None), ([None], None), ([[0, 1], None, [0, 1]], ["0", "1"]), ([[0, 1], [0, 5]], ["low", "high"])]
)
def test_the_scale_of_colours_says_what_it_can(ranges, ends):
    paths = [{"levels": [0], "range": r} if r else {} for r in ranges]
    assert played(["summary"], "levelEnds(data)", paths) == ends
