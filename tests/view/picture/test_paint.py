"""Whole pictures against closed forms: outlines of balls and boxes, what is in front, where shadows fall, what shows through."""

from dataclasses import replace

import numpy as np
import pytest

from redmax.view import BodyView, DrawingView, PathView, SoftView
from redmax.view.arrow_view import ArrowView
from redmax.view.geometry.sizes import LONGEST_ARROW
from redmax.view.mark_view import MarkView
from redmax.view.picture import frame, lamp
from redmax.view.picture.camera import TAN_HALF_VIEW
from redmax.view.picture.ground import LINES, lines, round_number
from redmax.view.picture.theme import channels, linear_colour, theme, to_screen
from view.picture.stages import BLUE, CUBE, CUBE_FACES, GREEN, RED, SIZE, ball, box, is_blue, is_red, painted, stage


def outline(centre, radius, eye):
    """Area, and x, y of the middle, of the ellipse in which a ball appears, on a picture at distance 1 of an eye that looks at the origin.

    The cone around it has the half angle a, and its axis leans by b from the line of sight: with A = cos^2 a - sin^2 b the half axes are
    cos a sin a / A and sin a / sqrt A, the middle is sin b cos b / A off.
    """
    eye, centre = np.array(eye, float), np.array(centre, float)
    back = eye / np.linalg.norm(eye)
    right = np.cross((0, 0, 1), back)
    right /= np.linalg.norm(right)
    away = centre - eye
    x, y, z = right @ away, np.cross(back, right) @ away, -back @ away
    a, b = np.arcsin(radius / np.linalg.norm(away)), np.arctan2(np.hypot(x, y), z)
    A = np.cos(a) ** 2 - np.sin(b) ** 2
    off = np.sin(b) * np.cos(b) / A * np.array([x, y]) / max(np.hypot(x, y), 1e-12)
    return np.pi * np.cos(a) * np.sin(a) ** 2 / A**1.5, off


@pytest.mark.parametrize(("centre", "radius"), [((0.5, 1.2, 0.8), 0.7), ((1.5, -1.6, -0.4), 0.9)])
def test_a_ball_appears_as_its_ellipse(centre, radius):
    eye = (9.0, 2.0, 3.0)
    _, picture = painted(stage([ball(centre, radius, RED)]), eye)
    area, (x, y) = outline(centre, radius, eye)
    scale = SIZE[1] / (2 * TAN_HALF_VIEW)
    rows, columns = np.nonzero(is_red(picture))
    assert len(rows) == pytest.approx(area * scale**2, rel=0.03)  # pixels at the rim are of the ball or not
    assert columns.mean() + 0.5 == pytest.approx(SIZE[0] / 2 + x * scale, abs=0.35)
    assert rows.mean() + 0.5 == pytest.approx(SIZE[1] / 2 - y * scale, abs=0.35)


def test_samples_measure_an_area_better_than_pixels():
    eye, centre, radius = (8.0, 0.0, 2.0), (0.2, 0.3, 0.1), 1.1
    painter, _ = painted(stage([ball(centre, radius, RED, bands=150)]), eye)
    from redmax.view.picture.moment import moment_at
    from redmax.view.picture.raster import SAMPLES, visible
    from redmax.view.picture.solids import solids

    surfaces = [thing.at(moment_at(np.zeros(1), 0.0), painter.theme) for thing in painter.things]
    scene = solids(surfaces, painter.camera)
    seen = visible(scene.places, scene.nearness, SIZE)
    area = (seen.owner >= 0).sum() / len(SAMPLES)
    assert area == pytest.approx(outline(centre, radius, eye)[0] * (SIZE[1] / (2 * TAN_HALF_VIEW)) ** 2, rel=2e-3)


def test_a_box_reaches_to_its_corners():
    rng = np.random.default_rng(2)
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    R *= np.sign(np.linalg.det(R))
    sides, centre = np.array([1.6, 0.9, 0.5]), np.array([0.3, -0.2, 0.4])
    painter, picture = painted(stage([box(centre, sides, RED, R)]), (7, 3, 2))
    places, _ = painter.camera.project((CUBE * sides) @ R.T + centre)
    rows, columns = np.nonzero(is_red(picture))
    np.testing.assert_allclose([columns.min(), columns.max() + 1], [places[:, 0].min(), places[:, 0].max()], atol=1.5)
    np.testing.assert_allclose([rows.min(), rows.max() + 1], [places[:, 1].min(), places[:, 1].max()], atol=1.5)


@pytest.mark.parametrize("front", [RED, BLUE])
def test_what_is_nearer_hides_what_is_behind(front):
    behind = BLUE if front == RED else RED
    shown = stage([box((1, 0, 0), (0.1, 1, 1), front), box((-1, 0, 0), (0.1, 2.2, 2.2), behind)])
    for order in (shown, stage(shown.bodies[::-1])):
        _, picture = painted(order, (9, 0, 0.01))
        middle, side = picture[SIZE[1] // 2, SIZE[0] // 2][None, None], picture[SIZE[1] // 2, SIZE[0] // 2 - 33][None, None]
        is_front, is_behind = (is_red, is_blue) if front == RED else (is_blue, is_red)
        assert is_front(middle).all()
        assert is_behind(side).all()


def test_bodies_that_pass_through_each_other_meet_where_their_faces_do():
    c, s = np.cos(0.5), np.sin(0.5)
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    shown = stage([box((0, 0, 0), (0.02, 3, 2), RED, R), box((0, 0, 0), (0.02, 3, 2), BLUE, R.T)])
    _, picture = painted(shown, (9, 0, 0.01))
    row = picture[SIZE[1] // 2][None]
    red, blue = np.flatnonzero(is_red(row)[0]), np.flatnonzero(is_blue(row)[0])
    middle = SIZE[0] / 2
    assert max(red.min(), blue.min()) == pytest.approx(middle, abs=2)  # each is in front on its side
    assert min(red.max(), blue.max()) == pytest.approx(middle, abs=2)


def test_the_same_picture_twice_is_the_same_to_the_last_bit():
    shown = stage([ball((0, 0, 0.4), 0.8, RED, bands=20), box((0.5, 1, -1), (1, 1, 0.3), GREEN)])
    painter, picture = painted(shown, (6, 4, 3))
    np.testing.assert_array_equal(picture, painter.paint(0.0))
    np.testing.assert_array_equal(picture, painted(shown, (6, 4, 3))[1])


def test_neither_the_order_of_bodies_nor_of_triangles_changes_a_picture():
    a, b = ball((0, 0, 0.4), 0.8, RED, bands=20), box((0.5, 1, -1), (1, 1, 0.3), GREEN)
    mixed = np.random.default_rng(1).permutation(len(a.faces))
    c = BodyView(a.name, a.vertices, np.roll(a.faces[mixed], 1, axis=1), a.poses, a.colour)
    _, first = painted(stage([a, b]), (6, 4, 3))
    _, second = painted(stage([b, c]), (6, 4, 3))
    difference = np.abs(first.astype(int) - second)
    assert difference.mean() < 0.01  # rounding of normals


def test_a_shadow_falls_along_the_light():
    height = 2.0
    painter, picture = painted(stage([box((0, 0, -3 + height), (1.2, 1.2, 0.05), RED)]), (6, -8, 4), ground=-3.0)
    _, empty = painted(stage([box((0, 0, 40), (0.1, 0.1, 0.1), RED)]), (6, -8, 4), ground=-3.0)
    back = painter.lamp.axes[2]
    shade = np.array([0, 0, -3 + height]) - back * height / back[2]
    (x, y), _ = painter.camera.project(shade)
    dark, bright = picture[int(y), int(x)].astype(int), empty[int(y), int(x)].astype(int)
    assert (bright - dark > 40).all()
    (x, y), _ = painter.camera.project(shade + (-2.5, -0.5, 0))  # beside it
    assert 0 <= x < SIZE[0]
    assert 0 <= y < SIZE[1]
    assert np.abs(picture[int(y), int(x)].astype(int) - empty[int(y), int(x)]).max() <= 2


def test_a_shadow_is_softer_the_higher_its_body():
    def rim(height: float) -> float:
        """How many pixels of the ground are neither in full light nor in full shade, over the shade's border."""
        painter, _ = painted(stage([box((0, 0, -3 + height), (1.5, 1.5, 0.02), RED)]), (6, -8, 4), ground=-3.0)
        surfaces = [thing.at(moment, painter.theme) for thing in painter.things]
        shade = painter.lamp.ground_shade(painter.lamp.shadow_map(surfaces[0].corners))
        assert shade.max() == pytest.approx(1.0, abs=0.02)
        return float(((shade > 0.1) & (shade < 0.9)).mean())

    from redmax.view.picture.moment import moment_at

    moment = moment_at(np.zeros(1), 0.0)
    low, high = rim(0.3), rim(5.0)
    assert high > 3 * low


def test_the_ground_is_in_the_light_where_nothing_is():
    painter, _ = painted(stage([box((0, 0, 0), (1, 1, 1), RED)]), (6, -8, 4))
    lamp = painter.lamp
    assert (lamp.ground_shade(np.zeros((lamp.pixels, lamp.pixels), np.float32)) == 0).all()


@pytest.mark.parametrize("eye", [(6, -8, 4), (0.01, 0, 9), (9, 1, 2)])
def test_the_grid_is_where_rays_meet_the_ground(eye):
    painter, picture = painted(stage([box((0, 0, 0), (0.1, 0.1, 0.1), RED)]), eye, ground=-3.0)
    spacing = 5 * round_number(painter.framing.size / LINES)
    corners = spacing * np.array([[i, j, 0] for i in (-1, 0, 1) for j in (-1, 0, 1)]) + (0, 0, -3.0)
    ends = [(p, p + spacing * np.eye(3)[k]) for p in corners for k in (0, 1)]
    on, beside = [], []
    for a, b in ends:  # half way along a line of the grid, and beside it
        for found, shift in ((on, 0.0), (beside, 0.11 * spacing)):
            (x, y), near = painter.camera.project((a + b) / 2 + 0.05 * (b - a) + shift * np.cross(b - a, (0, 0, 1)) / spacing)
            if near > 0 and 1 <= x < SIZE[0] - 1 and 1 <= y < SIZE[1] - 1:
                found.append(picture[int(y), int(x)].mean())
    assert len(on) > 3
    assert np.median(on) < np.median(beside) - 2


def test_lines_of_the_grid_are_at_whole_numbers():
    at = np.linspace(0.4, 2.6, 221)
    cover = np.array([lines(float(x), 0.5, 0.01, 1e-4, 0.5) for x in at])
    dark = at[cover > 0.5]
    np.testing.assert_allclose(np.unique(np.rint(dark)), [1, 2])
    np.testing.assert_allclose(dark, np.rint(dark), atol=0.011)


def plane_points(x: float) -> np.ndarray:
    y, z = np.meshgrid(np.linspace(-1, 1, 9), np.linspace(-1, 1, 9), indexing="ij")
    return np.stack([np.full_like(y, x), y, z], axis=-1)


def test_bodies_show_through_sheets_in_any_order():
    sheets = [DrawingView("near", plane_points(1.5), np.eye(4)[None]), DrawingView("far", plane_points(1.0), np.eye(4)[None])]
    red = box((0, 0.15, 0.15), (0.5, 0.5, 0.5), RED)
    _, bare = painted(stage([red]), (9, 0, 0.2))
    _, one = painted(stage([red], drawings=sheets[:1]), (9, 0, 0.2))
    _, two = painted(stage([red], drawings=sheets), (9, 0, 0.2))
    _, swapped = painted(stage([red], drawings=sheets[::-1]), (9, 0, 0.2))
    np.testing.assert_array_equal(two, swapped)
    y, x = SIZE[1] // 2 - 4, SIZE[0] // 2 + 6
    reds = [int(p[y, x, 0]) - int(p[y, x, 2]) for p in (bare, one, two)]
    assert reds[0] > reds[1] + 10 > reds[2] + 20 > 20  # paler with each sheet
    _, hidden = painted(stage([box((2.5, 0, 0), (0.1, 2.8, 2.8), RED)], drawings=sheets), (9, 0, 0.2))
    _, plain = painted(stage([box((2.5, 0, 0), (0.1, 2.8, 2.8), RED)]), (9, 0, 0.2))
    np.testing.assert_array_equal(hidden, plain)  # sheets behind a body are not seen


def test_many_layers_in_little_room_are_the_same(monkeypatch):
    sheets = [DrawingView(str(k), plane_points(0.1 * k), np.eye(4)[None]) for k in range(12)]
    _, picture = painted(stage([box((-1, 0, 0), (0.5, 1, 1), RED)], drawings=sheets), (9, 0, 0.2))
    monkeypatch.setattr(frame, "FRAGMENTS", 20_000)  # of 250,000: bands are cut in two, and again
    monkeypatch.setattr(frame, "LAYERS", 12)
    _, cut = painted(stage([box((-1, 0, 0), (0.5, 1, 1), RED)], drawings=sheets), (9, 0, 0.2))
    np.testing.assert_array_equal(picture, cut)


def test_a_canvas_keeps_nothing_of_the_picture_before():
    """Pictures of a film are those that are painted alone: with the eye at rest, only what may have changed is painted again."""
    poses = np.tile(np.eye(4), (3, 1, 1))
    poses[:, 1, 3] = -1.5, 0.0, 1.5
    moving = [
        replace(ball((0, 0, 0), 0.6, RED, bands=16), poses=poses),
        replace(box((0, 0, 0), (0.5, 0.5, 2), BLUE), poses=poses[::-1], opacity=0.5),
    ]
    sheet = DrawingView("sheet", plane_points(1.0), np.eye(4)[None])
    found, _ = painted(stage(moving, drawings=[sheet], times=np.arange(3.0)), (9, 2, 3))
    canvas: list = []
    for t in (0.0, 2.0, 1.0, 0.5, 2.0):
        np.testing.assert_array_equal(found.paint(t, canvas), found.paint(t))


def test_blurs_of_coarser_slices_are_those_of_fine_ones(monkeypatch):
    covered, blur = np.zeros((90, 130), np.float32), np.full((90, 130), lamp.SHARPEST, np.float32)
    covered[30:60, 40:80] = 1
    blur[30:60, 40:80] = np.linspace(lamp.SHARPEST, 9.0, 40, dtype=np.float32)
    soft = lamp.blurred(covered, blur)
    monkeypatch.setattr(lamp, "LONGEST", np.inf)  # none is made coarser
    np.testing.assert_allclose(soft, lamp.blurred(covered, blur), atol=0.02)


def test_paths_are_blue_when_at_rest_and_red_when_active():
    points = np.array([[[0, -1, 0], [0, 0, 0.5], [0, 1, 0]]])
    for level, test, other in ((0.0, is_blue, is_red), (1.0, is_red, is_blue)):
        _, picture = painted(stage(paths=[PathView("muscle", points, radius=0.1, level=np.array([level]))]), (9, 0, 1))
        above = picture[:-24]  # the scale of these colours
        assert test(above).sum() > 300
        assert other(above).sum() == 0


def test_a_point_that_takes_no_part_is_left_out():
    points = np.array([[[0, -1.5, 0], [0, 0, 1.2], [0, 1.5, 0.0]]])
    bent = painted(stage(paths=[PathView("p", points, radius=0.1, level=np.ones(1))]), (9, 0, 0.01))[1]
    points[0, 1] = np.nan
    straight = painted(stage(paths=[PathView("p", points, radius=0.1, level=np.ones(1))]), (9, 0, 0.01))[1]
    middle = SIZE[0] // 2
    assert is_red(straight[:, [middle]]).any()
    assert np.flatnonzero(is_red(bent[:, [middle]])[:, 0]).max() < np.flatnonzero(is_red(straight[:, [middle]])[:, 0]).min()


def test_cloth_nets_and_wires_are_drawn_where_they_are():
    angle = np.linspace(0, 2 * np.pi, 60)
    ring = DrawingView("ring", np.stack([0 * angle, np.cos(angle), np.sin(angle)], axis=1), np.eye(4)[None])
    cloth = SoftView("cloth", CUBE[None], faces=CUBE_FACES, colour=RED)
    net = SoftView("net", 1.5 * CUBE[None] + (0, 1.5, 0), lines=np.array([[0, 1], [1, 3], [3, 2], [2, 0]]), colour=BLUE, radius=0.05)
    painter, picture = painted(stage(soft=[cloth, net], drawings=[ring]), (9, 0, 0.5))
    assert is_red(picture).sum() > 800
    assert is_blue(picture).sum() > 200
    (x, y), _ = painter.camera.project(np.array([0, 0, 1.0]))
    around = picture[int(y) - 2 : int(y) + 3, int(x)].astype(int)
    np.testing.assert_allclose(np.ptp(around, axis=1), 0, atol=40)  # grey
    assert around.mean(axis=1).min() < 150  # but darker than the ground


def test_arrows_are_to_one_scale_and_vanish_when_they_are_nothing():
    def seen(vectors):
        arrows = [ArrowView(str(k), np.array([[0, 2.0 * k - 1, 0]]), np.array([v])) for k, v in enumerate(vectors)]
        painter, picture = painted(stage([box((0, 0, 40), (0.1, 0.1, 0.1), BLUE)], arrows=arrows), (9, 0, 0.01))
        reds = is_red(picture)
        heights = []
        for half in (reds[:, : SIZE[0] // 2], reds[:, SIZE[0] // 2 :]):
            rows = np.flatnonzero(half.any(axis=1))
            heights.append(np.ptp(rows) + 1 if len(rows) else 0)
        return painter, heights

    painter, (long, half) = seen([(0, 0, 30.0), (0, 0, 15.0)])
    top, _ = painter.camera.project(np.array([[0, 0, 0], [0, 0, LONGEST_ARROW * painter.framing.size]]))
    assert long == pytest.approx(top[0, 1] - top[1, 1], abs=2.5)
    assert half == pytest.approx(long / 2, abs=2.5)
    assert seen([(0, 0, 30.0), (0, 0, 1e-6)])[1][1] == 0


def test_marks_of_joints_are_where_their_frames_have_them():
    place = np.eye(4)
    place[:3, 3] = (0, 0.8, 0.3)
    mark = MarkView("hinge", "Revolute", "box", 0.3 * CUBE, CUBE_FACES, place, np.eye(4)[None])
    behind = box((-1, 0, 0), (0.1, 4, 4), RED)
    painter, picture = painted(stage([behind], marks=[mark]), (9, 0, 0.01))
    (x, y), _ = painter.camera.project(np.array([0.15, 0.8, 0.3]))
    rows, columns = np.nonzero(~is_red(picture)[60:140, 120:200])
    assert columns.mean() + 120.5 == pytest.approx(x, abs=1)
    assert rows.mean() + 60.5 == pytest.approx(y, abs=1)


@pytest.mark.parametrize("name", ["light", "dark"])
def test_colours_go_to_light_and_back(name):
    colours = [RED, "#000000", "#ffffff", "#0a0b0c", "#808080"]
    for colour in colours:
        np.testing.assert_allclose(to_screen(linear_colour(colour)), channels(colour), atol=1 / 400)
    found = theme(name)
    assert (found.sky_low.mean() > 0.5) == (name == "light")


def test_dark_pictures_are_darker():
    shown = stage([ball((0, 0, 0), 1, RED, bands=12)])
    painter, light = painted(shown, (6, 2, 2))
    dark = type(painter)(shown, painter.framing, painter.camera, theme("dark")).paint(0.0)
    assert dark.mean() < 0.5 * light.mean()
