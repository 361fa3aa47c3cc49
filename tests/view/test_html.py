"""The page plays offline, holds the right motion, and cannot be broken by names."""

import re
from importlib.resources import files

import numpy as np
import pytest

import redmax as rm
from redmax.errors import RedmaxError
from redmax.scenes import find
from redmax.view import ArrowView, BodyView, DrawingView, MarkView, PathView, SoftView, stage_of, write_html
from redmax.view.html import SCRIPTS
from view.samples import TETRAHEDRON, TETRAHEDRON_FACES, corners_of, decoded, embedded_scene, matrices, turning_body
from view.soft_samples import unpacked

HOSTILE = '</script><script>alert(1)</script>{{scene}} & "quoted" <!-- \u2028'


def test_page_needs_nothing_from_outside(tmp_path):
    times = np.linspace(0, 1, 11)
    text = write_html(tmp_path / "a.html", title="A", times=times, bodies=[turning_body(times)]).read_text("utf-8")
    for reference in ("http://", "https://", "src=", "@import", "url(", "fetch(", "XMLHttpRequest", "import("):
        assert reference not in text
    assert re.findall(r'href="([^"]*)"', text) == ["data:,"]
    assert "default-src 'none'" in text


def test_every_part_of_the_player_is_used():
    parts = {entry.name for entry in (files("redmax.view") / "player").iterdir()}
    assert parts == {*SCRIPTS, "page.html", "style.css"}


def test_embedded_data_is_the_motion(tmp_path):
    times = np.linspace(0, 1, 31)
    bodies = [turning_body(times, "one"), turning_body(times, "two", offset=0.5)]
    energy = {"kinetic": times**2, "potential": -times}
    scene = embedded_scene(write_html(tmp_path / "a.html", title="A", times=times, bodies=bodies, energy=energy))

    np.testing.assert_array_equal(decoded(scene["times"], "<f8"), times)
    for body, entry in zip(bodies, scene["bodies"], strict=True):
        rows = decoded(scene["tracks"][entry["track"]]["poses"], "<f4").reshape(-1, 7)
        np.testing.assert_allclose(matrices(rows), body.poses, atol=1e-6)
        assert entry["name"] == body.name
    curves = {curve["name"]: decoded(curve["values"], "<f4") for curve in scene["energy"]}
    np.testing.assert_allclose(curves["total"], times**2 - times, atol=1e-7)


def test_equal_meshes_are_stored_once(tmp_path):
    times = np.array([0.0])
    scene = embedded_scene(write_html(tmp_path / "a.html", title="A", times=times, bodies=[turning_body(times)] * 3))
    (mesh,) = scene["meshes"]
    np.testing.assert_array_equal(decoded(mesh["vertices"], "<f4").reshape(-1, 3), TETRAHEDRON)
    np.testing.assert_array_equal(corners_of(mesh["faces"]), TETRAHEDRON_FACES)
    assert [body["mesh"] for body in scene["bodies"]] == [0, 0, 0]


def test_what_never_moves_and_what_moves_alike_are_stored_once(tmp_path):
    times = np.linspace(0, 1, 11)
    body = turning_body(times)
    still = BodyView("still", TETRAHEDRON, TETRAHEDRON_FACES, np.tile(np.eye(4), (11, 1, 1)))
    line = DrawingView("line", TETRAHEDRON[:2], body.poses)
    scene = embedded_scene(write_html(tmp_path / "a.html", title="A", times=times, bodies=[body, still, body], drawings=[line]))
    assert [entry["track"] for entry in (*scene["bodies"], *scene["drawings"])] == [0, 1, 0, 0]
    assert [len(decoded(track["poses"], "<f4")) for track in scene["tracks"]] == [77, 7]


def test_drawings_keep_their_points_and_a_wave_is_two_modes(tmp_path):
    times = np.linspace(0, 10, 10_001)
    x, y = np.meshgrid(np.linspace(-1, 1, 30), np.linspace(-1, 1, 20), indexing="ij")

    def wave(t):
        z = 0.2 * np.sin(4 * x - 3 * t[:, None, None]) * np.cos(y)
        return np.stack(np.broadcast_arrays(x, y, z), axis=-1)

    drawings = [DrawingView("wave", wave, np.eye(4)[None]), DrawingView("still", wave(np.zeros(1))[0], np.eye(4)[None])]
    path = write_html(tmp_path / "a.html", title="A", times=times, bodies=[turning_body(times)], drawings=drawings)
    moving, still = embedded_scene(path)["drawings"]
    assert moving["shape"] == still["shape"] == [30, 20]
    weights, modes, mean = (decoded(moving[name], "<f4") for name in ("weights", "modes", "points"))
    np.testing.assert_allclose(decoded(still["points"], "<f4").reshape(30, 20, 3), wave(np.zeros(1))[0], atol=1e-6)
    kept = decoded(embedded_scene(path)["times"], "<f8")
    rebuilt = mean + weights.reshape(len(kept), 2) @ modes.reshape(2, -1)
    np.testing.assert_allclose(rebuilt.reshape(-1, 30, 20, 3), wave(kept), atol=1e-5)
    assert path.stat().st_size < 3e5


def test_paths_and_soft_bodies_are_shown_at_the_same_times_as_bodies(tmp_path):
    times = np.linspace(0, 10, 10_001)
    points = np.stack([turning_body(times, offset=z).poses[:, :3, 3] for z in (0.0, 1.0, 3.0)], axis=1)
    muscle = PathView("muscle", points, radius=0.02, level=times / 10)
    cloth = SoftView("cloth", points, np.array([(0, 1, 2)]), colour="#123abc")
    chain = SoftView("chain", points, lines=np.array([(0, 1), (1, 2)]), radius=0.1)
    path = write_html(tmp_path / "a.html", title="A", times=times, bodies=[turning_body(times)], paths=[muscle], soft=[cloth, chain])
    scene = embedded_scene(path)
    kept = decoded(scene["times"], "<f8")
    shown = np.searchsorted(times, kept - 1e-9)
    assert len(kept) < 700
    for entry in (*scene["paths"], *scene["soft"]):
        np.testing.assert_allclose(unpacked(entry, len(kept)), points[shown], atol=1e-3)
    np.testing.assert_allclose(decoded(scene["paths"][0]["levels"], "u1") / 255, kept / 10, atol=0.5 / 255 + 1e-9)
    assert [entry["name"] for entry in (*scene["paths"], *scene["soft"])] == ["muscle", "cloth", "chain"]
    assert [entry.get("radius") for entry in (*scene["paths"], *scene["soft"])] == [0.02, None, 0.1]
    assert [entry["colour"] for entry in scene["soft"]] == ["#123abc", None]
    assert corners_of(scene["soft"][0]["faces"]).tolist() == [[0, 1, 2]]
    assert decoded(scene["soft"][1]["lines"], "<u4").tolist() == [0, 1, 1, 2]


def test_bodies_and_soft_surfaces_have_colours_of_their_own(tmp_path):
    times = np.array([0.0])
    soft = [SoftView(name, TETRAHEDRON[None], TETRAHEDRON_FACES) for name in ("a", "b")]
    scene = embedded_scene(write_html(tmp_path / "a.html", title="A", times=times, bodies=[turning_body(times)] * 2, soft=soft))
    assert len({entry["colour"] for entry in (*scene["bodies"], *scene["soft"])}) == 4


def test_hostile_title_and_names_stay_text(tmp_path):
    times = np.array([0.0, 1.0])

    def page(file, name):
        views = {"paths": [PathView(name, TETRAHEDRON[None])], "soft": [SoftView(name, TETRAHEDRON[None], TETRAHEDRON_FACES)]}
        return write_html(tmp_path / file, title=name, times=times, bodies=[turning_body(times, name)], **views)

    path, plain = page("a.html", HOSTILE), page("b.html", "A")
    tags = [re.findall(r"<[a-zA-Z/!][^>]*>", p.read_text("utf-8")) for p in (path, plain)]
    assert tags[0] == tags[1]
    scene = embedded_scene(path)
    assert scene["title"] == HOSTILE
    assert [scene[things][0]["name"] for things in ("bodies", "paths", "soft")] == [HOSTILE] * 3


def test_ten_seconds_of_twenty_bodies_are_under_3_mb(tmp_path):
    times = np.linspace(0, 10, 10_001)
    bodies = [turning_body(times, f"body {k}", offset=0.1 * k) for k in range(20)]
    path = write_html(tmp_path / "a.html", title="A", times=times, bodies=bodies)
    assert path.stat().st_size < 3e6


def test_long_run_keeps_its_ends_within_the_limits(tmp_path):
    times = np.linspace(2, 202, 20_001)
    path = write_html(tmp_path / "a.html", title="A", times=times, bodies=[turning_body(times)])
    kept = decoded(embedded_scene(path)["times"], "<f8")
    assert len(kept) <= 3000
    assert (kept[0], kept[-1]) == (times[0], times[-1])


def test_colours_are_given_or_chosen(tmp_path):
    times = np.array([0.0])
    given = BodyView("given", TETRAHEDRON, TETRAHEDRON_FACES, np.eye(4)[None], colour="#123abc")
    bodies = [given, *[turning_body(times)] * 19]
    scene = embedded_scene(write_html(tmp_path / "a.html", title="A", times=times, bodies=bodies))
    colours = [body["colour"] for body in scene["bodies"]]
    assert colours[0] == "#123abc"
    assert len(set(colours)) == 20
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in colours)


def test_wrong_input_is_named(tmp_path):
    times = np.array([0.0, 1.0])
    body = turning_body(times, "arm")

    def write(**changes):
        return write_html(tmp_path / "a.html", **({"title": "A", "times": times, "bodies": [body]} | changes))

    with pytest.raises(RedmaxError, match="'arm': got 2 poses, expected one per time: 3"):
        write(times=[0, 1, 2])
    with pytest.raises(RedmaxError, match="increasing"):
        write(times=[1, 0])
    with pytest.raises(RedmaxError, match="Drawing 'rail': got 3 poses, expected one, or one per time: 2"):
        write(drawings=[DrawingView("rail", TETRAHEDRON, np.tile(np.eye(4), (3, 1, 1)))])
    three = np.zeros((3, 4, 3))
    with pytest.raises(RedmaxError, match="Path 'biceps': got 3 rows of points, expected one, or one per time: 2"):
        write(paths=[PathView("biceps", three)])
    with pytest.raises(RedmaxError, match="Path 'biceps': got 3 levels, expected one, or one per time: 2"):
        write(paths=[PathView("biceps", three[:2], level=[0, 0, 0])])
    with pytest.raises(RedmaxError, match="Soft body 'cloth': got 3 rows of vertices, expected one, or one per time: 2"):
        write(soft=[SoftView("cloth", three, TETRAHEDRON_FACES)])
    with pytest.raises(RedmaxError, match="no bodies"):
        write(bodies=[])
    with pytest.raises(RedmaxError, match="'kinetic'"):
        write(energy={"kinetic": [1.0]})
    with pytest.raises(RedmaxError, match="red; }"):
        write(background="red; }")
    with pytest.raises(RedmaxError, match="Cannot write"):
        write_html(tmp_path / "nowhere" / "a.html", title="A", times=times, bodies=[body])


def test_forces_and_joints_are_shown_at_the_same_times_as_bodies(tmp_path):
    times = np.linspace(0, 10, 10_001)
    body = turning_body(times)
    push = ArrowView("push", body.poses[:, :3, 3], np.stack([np.sin(times), np.cos(times), 0 * times], axis=1))
    still = ArrowView("turn", np.zeros((len(times), 3)), np.tile([0.0, 0.0, 2.0], (len(times), 1)), "torque")
    place = turning_body(np.array([0.3])).poses[0]
    pin = MarkView("hinge", "Revolute", "body", TETRAHEDRON, TETRAHEDRON_FACES, place, body.poses)
    path = write_html(tmp_path / "a.html", title="A", times=times, bodies=[body], marks=[pin], arrows=[push, still])
    scene = embedded_scene(path)
    kept = decoded(scene["times"], "<f8")
    arrow, constant = scene["arrows"]
    np.testing.assert_allclose(decoded(arrow["vectors"], "<f4").reshape(-1, 3)[:, 0], np.sin(kept), atol=1e-6)
    np.testing.assert_allclose(decoded(arrow["feet"], "<f4").reshape(-1, 3)[:, 0], kept, rtol=1e-6)
    assert decoded(constant["vectors"], "<f4").tolist() == [0, 0, 2]
    (mark,) = scene["marks"]
    assert (mark["track"], mark["mesh"]) == (scene["bodies"][0]["track"], scene["bodies"][0]["mesh"])
    np.testing.assert_allclose(matrices(np.array([mark["place"]]))[0], place, atol=1e-8)


def test_twists_come_with_their_bodies(tmp_path):
    times = np.linspace(0, 1, 31)
    twists = np.random.default_rng(0).normal(size=(31, 6))
    body = BodyView("b", TETRAHEDRON, TETRAHEDRON_FACES, turning_body(times).poses, twists=twists, joint="j", joint_kind="Free")
    (entry,) = embedded_scene(write_html(tmp_path / "a.html", title="A", times=times, bodies=[body]))["bodies"]
    np.testing.assert_allclose(decoded(entry["twists"], "<f4").reshape(-1, 6), twists, rtol=1e-6)
    assert (entry["joint"], entry["kind"]) == ("j", "Free")
    with pytest.raises(RedmaxError, match=r"Body 'b': got 30 twists, expected one per pose: 31\."):
        BodyView("b", TETRAHEDRON, TETRAHEDRON_FACES, turning_body(times).poses, twists=twists[1:])


@pytest.mark.parametrize(
    ("points", "vectors", "kind", "message"),
    [
        (np.zeros((5, 3)), np.ones((5, 3)), "pull", "Arrow 'a': got kind 'pull', expected 'force' or 'torque'."),
        (np.zeros((5, 2)), np.ones((5, 3)), "force", "Arrow 'a': got points of shape (5, 2), expected finite numbers (T, 3), T > 0."),
        (np.zeros((5, 3)), np.full((5, 3), np.nan), "force", "Arrow 'a': got vectors of shape (5, 3), expected finite numbers"),
        (np.zeros((4, 3)), np.ones((5, 3)), "force", "Arrow 'a': got 4 points and 5 vectors, expected one of each per time: 5."),
    ],
)
def test_bad_arrows_are_named(tmp_path, points, vectors, kind, message):
    times = np.linspace(0, 1, 5)
    with pytest.raises(RedmaxError, match=re.escape(message)):
        write_html(
            tmp_path / "a.html", title="A", times=times, bodies=[turning_body(times)], arrows=[ArrowView("a", points, vectors, kind)]
        )


@pytest.mark.parametrize("name", ["pulled-chain", "gears", *(pytest.param(name, marks=pytest.mark.long) for name in ("helix", "arm"))])
def test_a_page_of_a_long_run_reads_only_what_it_shows(tmp_path, name):
    """And shows the same motion as a page of all that the run holds."""
    run = rm.simulate(find(name).scene(), 0.5, 0.001, out=tmp_path / "a.h5", store=[])
    page = embedded_scene(run.html(tmp_path / "a.html"))
    assert ("observed" in vars(run)) == (run.model.map is not None)  # where each sample is found from the one before
    whole = embedded_scene(write_html(tmp_path / "b.html", **stage_of(run).page))
    assert len(decoded(page["times"], "<f8")) == 31
    for part in ("times", "tracks", "energy"):
        assert page[part] == whole[part], part
