"""The page plays offline, holds the right motion, and cannot be broken by names."""

import re
from importlib.resources import files

import numpy as np
import pytest

from redmax.errors import RedmaxError
from redmax.view import BodyView, write_html
from redmax.view.html import SCRIPTS
from view.samples import TETRAHEDRON, TETRAHEDRON_FACES, decoded, embedded_scene, matrices, turning_body

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
        rows = decoded(entry["poses"], "<f4").reshape(-1, 7)
        np.testing.assert_allclose(matrices(rows), body.poses, atol=1e-6)
        assert entry["name"] == body.name
    curves = {curve["name"]: decoded(curve["values"], "<f4") for curve in scene["energy"]}
    np.testing.assert_allclose(curves["total"], times**2 - times, atol=1e-7)


def test_equal_meshes_are_stored_once(tmp_path):
    times = np.array([0.0])
    scene = embedded_scene(write_html(tmp_path / "a.html", title="A", times=times, bodies=[turning_body(times)] * 3))
    (mesh,) = scene["meshes"]
    np.testing.assert_array_equal(decoded(mesh["vertices"], "<f4").reshape(-1, 3), TETRAHEDRON)
    np.testing.assert_array_equal(decoded(mesh["faces"], "<u4").reshape(-1, 3), TETRAHEDRON_FACES)
    assert [body["mesh"] for body in scene["bodies"]] == [0, 0, 0]


def test_hostile_title_and_names_stay_text(tmp_path):
    times = np.array([0.0, 1.0])
    path = write_html(tmp_path / "a.html", title=HOSTILE, times=times, bodies=[turning_body(times, HOSTILE)])
    plain = write_html(tmp_path / "b.html", title="A", times=times, bodies=[turning_body(times)])
    tags = [re.findall(r"<[a-zA-Z/!][^>]*>", p.read_text("utf-8")) for p in (path, plain)]
    assert tags[0] == tags[1]
    scene = embedded_scene(path)
    assert scene["title"] == HOSTILE
    assert scene["bodies"][0]["name"] == HOSTILE


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
    with pytest.raises(RedmaxError, match="no bodies"):
        write(bodies=[])
    with pytest.raises(RedmaxError, match="'kinetic'"):
        write(energy={"kinetic": [1.0]})
    with pytest.raises(RedmaxError, match="red; }"):
        write(background="red; }")
    with pytest.raises(RedmaxError, match="Cannot write"):
        write_html(tmp_path / "nowhere" / "a.html", title="A", times=times, bodies=[body])
