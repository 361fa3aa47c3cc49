"""A viewer without a browser: it follows orders, simulates as far as it is looked at, begins again, and ends with the run so far."""

import time
import urllib.request
from dataclasses import replace

import numpy as np
import pytest

import redmax as rm
from redmax.errors import RedmaxError, SceneError
from redmax.view.live import Viewer, watch
from redmax.view.live.look import FIELD_OF_VIEW
from redmax.view.live.memory import Memory
from redmax.view.live.source import Finished
from redmax.view.mark_view import INSIDE
from redmax.view.stage import stage_of
from view.live.scenes import QUIET, make, pendulum, until


@pytest.fixture(autouse=True)
def own_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("redmax.view.live.viewer.default_memory", lambda: Memory(tmp_path / "viewer.json"))


@pytest.fixture(scope="module")
def run():
    return rm.simulate(pendulum(), 1.0, 0.01)


def test_a_run_is_shown_at_any_time(run, capfd):
    viewer = run.view(**QUIET)
    try:
        with urllib.request.urlopen(viewer.url, timeout=10) as page:
            assert b"<html" in page.read()
        for i in (70, 0, 100):
            viewer.show(float(run.t[i]))
            frame, stage = viewer.stage.bodies.frames[0], viewer.stage
            np.testing.assert_allclose(frame.position / stage.scale, run.pose("bar")[i][:3, 3], atol=1e-12)
            angle = 2 * np.arctan2(frame.wxyz[2], frame.wxyz[0])
            assert np.cos(angle - run.q[i, 0]) == pytest.approx(1)
        viewer.show(1e9)
        assert viewer.playback.t == 1.0
        with pytest.raises(SceneError, match="a time in seconds"):
            viewer.show(float("nan"))
    finally:
        viewer.stop()
    said = capfd.readouterr()
    assert (said.out, said.err) == ("", "")


def test_time_goes_on_by_itself_and_stops_when_told(run):
    viewer = run.view(**QUIET)
    try:
        until(lambda: viewer.playback.t > 0.1)
        viewer.pause()
        t = viewer.playback.t
        time.sleep(0.1)
        assert viewer.playback.t == t
        viewer.play()
        until(lambda: viewer.playback.t != t)
    finally:
        viewer.stop()


def test_only_what_moves_is_sent():
    """20 bodies, of which one moves: two messages, its place and its axes."""
    scene = rm.Scene()
    for k in range(19):
        scene.add_body(rm.Sphere(0.1), at=(k, 0, 0))
    scene.add_body(rm.Cuboid((0.4, 0.1, 0.1)), joint=rm.Revolute("y"), com=(0.2, 0, 0), name="bar")
    viewer = Viewer(Finished.of(rm.simulate(scene, 0.2, 0.01)), port=0)
    try:
        sent, scene_api = [], viewer.server.scene
        pass_on = scene_api._queue_scene_message
        scene_api._queue_scene_message = lambda message: (sent.append(type(message).__name__), pass_on(message))
        viewer.stage.show(11)
        assert sorted(sent) == ["SetOrientationMessage", "SetPositionMessage"]
        began = time.perf_counter()
        for i in range(20):
            viewer.stage.show(i)
        assert (time.perf_counter() - began) / 20 < 1 / 30
    finally:
        viewer.stop()


def test_a_scene_is_shown_where_it_begins():
    viewer = pendulum().view(**QUIET)
    try:
        assert viewer.recording.count == 1
        viewer.show(0.0)
    finally:
        viewer.stop()
        viewer.stop()  # twice does no harm


def test_what_ends_the_loop_is_raised_where_it_is_stopped(run, monkeypatch):
    viewer = run.view(**QUIET)
    viewer.ask(lambda orders: orders.nothing_of_the_kind())
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        viewer.stop()


def test_make_scene_must_make_a_scene():
    with pytest.raises(RedmaxError, match="make_scene must return a Scene"):
        watch(lambda parameters: None, duration=1.0, **QUIET)


def test_the_first_camera_sees_all_of_a_motion_that_is_not_computed_yet(monkeypatch):
    """A bar that falls from the horizontal, looked at before it does."""
    monkeypatch.setattr("redmax.view.live.source.PREVIEW", 0.0)
    viewer = watch(make, {}, duration=1.0, dt=0.01, **QUIET)
    viewer.stop()
    view, back = viewer.stage.view, viewer.stage.view.position - viewer.stage.view.look_at
    slope = np.tan(FIELD_OF_VIEW / 2) * np.linalg.norm(back)
    ends = rm.simulate(pendulum(), 1.0, 0.01).pose("bar") @ [0.3, 0, 0, 1]
    away = ends[:, :3] - view.look_at
    across = np.linalg.norm(away - np.outer(away @ back / (back @ back), back), axis=1)
    assert across.max() < slope
    assert viewer.stage.framing.ground < ends[:, 2].min()


def test_what_is_held_by_something_fixed_is_not_expected_to_reach_farther_than_it_can(monkeypatch):
    """A short pendulum high on a post: the ground lies below the post, not a post's length further down."""
    monkeypatch.setattr("redmax.view.live.source.PREVIEW", 0.0)

    def on_a_post(parameters):
        scene = rm.Scene()
        post = scene.add_body(rm.Cuboid((0.1, 0.1, 2.0)), joint=rm.Fixed(), com=(0, 0, 1), name="post")
        scene.add_body(rm.Cuboid((0.4, 0.05, 0.05)), parent=post, at=(0, 0, 2), joint=rm.Revolute("y"), com=(0.2, 0, 0), name="bar")
        return scene

    viewer = watch(on_a_post, duration=1.0, dt=0.01, **QUIET)
    viewer.stop()
    hull = viewer.stage.framing.hull
    assert hull[:, 2].min() == pytest.approx(0.0)
    assert 0.4 <= hull[:, 0].max() < 0.5
    assert -0.2 < viewer.stage.framing.ground < 0.0


@pytest.mark.parametrize("asked", [None, 0.7])
def test_the_first_page_sees_the_run_from_its_beginning_unless_it_was_told_otherwise(run, monkeypatch, asked):
    viewer = Viewer(Finished.of(run), port=0)
    try:
        viewer.playback.loop = False
        for now in (0.0, 5.0):
            viewer.turn(5.0, now)
        assert viewer.playback.t == run.t[-1]
        if asked is not None:
            viewer.seek(asked)
        monkeypatch.setattr(viewer.server, "get_clients", lambda: {1: None})
        viewer.turn(0.1, 5.1)
        assert viewer.playback.t == (asked or run.t[0])
        viewer.turn(0.1, 5.2)
        assert viewer.playback.t == pytest.approx(asked or 0.1)
    finally:
        viewer.stop()


def test_what_was_hidden_stays_hidden_when_it_begins_again():
    viewer = watch(make, {"length": 0.6}, duration=1.0, dt=0.01, **QUIET)
    try:
        viewer.display.joints.value = False
        viewer.ask(lambda orders: orders.see("joints", False))
        first = viewer.stage
        viewer.begin(replace(viewer.panel.values(), parameters={"length": 0.3}))
        until(lambda: viewer.stage is not first)
        viewer.pause()
        assert viewer.stage.wires.nodes
        assert not any(node.visible for node in viewer.stage.wires.nodes)
    finally:
        viewer.stop()


def test_the_time_is_shown_with_few_digits(run):
    viewer = run.view(**QUIET)
    try:
        viewer.show(1 / 3)
        viewer.ask(lambda orders: setattr(orders.playback, "t", 1 / 3))
        viewer.ask(lambda orders: orders.refresh(0.0))
        assert viewer.controls.time.value == 0.333
    finally:
        viewer.stop()


def test_joints_are_drawn_as_in_pages_and_pictures():
    """The same marks, where the same bodies carry them."""
    scene = pendulum()
    scene.add_body(rm.Cuboid((0.2, 0.1, 0.1)), joint=rm.Universal(), parent="bar", at=(0.6, 0, 0), com=(0.1, 0, 0), name="second")
    scene.add_body(rm.Sphere(0.1), joint=rm.Prismatic("x"), at=(0, 0.5, 0), qdot=1.0, name="bead")
    run = rm.simulate(scene, 0.1, 0.01)
    viewer = run.view(**QUIET)
    try:
        stage, scale = stage_of(run), viewer.stage.scale
        drawn = {node.name: node for node in viewer.stage.wires.nodes}
        for k, mark in enumerate(stage.marks):
            found = drawn[f"{viewer.stage.wires.under(mark.carrier)}/mark {k} {mark.name}"].vertices
            expected = scale * (INSIDE * mark.vertices @ mark.place[:3, :3].T + mark.place[:3, 3])
            away = np.linalg.norm(found[:, None] - expected, axis=2)
            assert max(away.min(axis=0).max(), away.min(axis=1).max()) < 1e-6
        assert sum("/mark " in name for name in drawn) == len(stage.marks) == 4
    finally:
        viewer.stop()


def test_materials_and_frames_are_there():
    """A material is glTF that trimesh reads as one of that colour, roughness and metal; frames are axes on the nodes of their bodies."""
    import io

    import trimesh

    scene = rm.Scene(look=rm.Look(frames=["tool", "one.joint"]))
    one = scene.add_body(rm.Cuboid((0.2, 0.1, 0.1)), color="gold", material="metal", opacity=0.5, com=(0.3, 0, 0), name="one")
    scene.add_body(rm.Sphere(0.1), at=(1, 0, 0), material="matte", name="two")
    scene.add_body(rm.Sphere(0.1), at=(2, 0, 0), name="three")
    tool = rm.pose(rm.rotation_about("z", 0.3), (0.1, 0.2, 0.3))
    scene.add_frame("tool", one, tool)
    viewer = scene.view(**QUIET)
    try:
        stage, meshes = viewer.stage, viewer.stage.bodies.meshes
        assert [type(meshes[i]).__name__ for i in range(3)] == ["GlbHandle", "GlbHandle", "MeshHandle"]
        (read,) = trimesh.load(io.BytesIO(meshes[0].glb_data), file_type="glb").geometry.values()
        np.testing.assert_allclose(np.ptp(read.vertices, axis=0), stage.scale * np.array([0.2, 0.1, 0.1]), rtol=1e-6)
        assert read.is_winding_consistent
        assert read.volume == pytest.approx(stage.scale**3 * 2e-3)
        paint = read.visual.material
        assert (paint.metallicFactor, paint.alphaMode) == (1.0, "BLEND")
        np.testing.assert_allclose(paint.baseColorFactor / 255, [1.0, 0.679, 0.0, 0.5], atol=0.01)  # gold, as light
        shown = {h.name.split("frame ")[-1]: h for h in stage.triads}
        assert sorted(shown) == ["0 tool", "1 one.joint"]
        np.testing.assert_allclose(shown["0 tool"].position, stage.scale * tool[:3, 3])
        np.testing.assert_allclose(shown["1 one.joint"].position, stage.scale * np.array([-0.3, 0, 0]), atol=1e-12)
    finally:
        viewer.stop()


def test_bodies_have_the_colours_and_the_opacity_that_the_scene_gives_them():
    scene = rm.Scene(title="painted", look=rm.Look(ground_height=-2.5, camera=(40, 25), colors={"two": "#00ff00"}))
    scene.add_body(rm.Sphere(0.1), color="tomato", opacity=0.5, name="one")
    scene.add_body(rm.Sphere(0.1), at=(1, 0, 0), name="two")
    viewer = scene.view(**QUIET)
    try:
        one, two = (viewer.stage.bodies.meshes[i] for i in (0, 1))
        assert (tuple(one.color), one.opacity, tuple(two.color)) == ((255, 99, 71), 0.5, (0, 255, 0))
        framing = viewer.stage.framing
        np.testing.assert_allclose([framing.ground, *np.degrees([framing.azimuth, framing.elevation])], [-2.5, 40, 25])
    finally:
        viewer.stop()
