"""A viewer without a browser: it follows orders, simulates as far as it is looked at, begins again, and ends with the run so far."""

import time
import urllib.request
from dataclasses import replace

import numpy as np
import pytest

import redmax as rm
from redmax.errors import RedmaxError, SceneError, SimulationError
from redmax.view.live import Viewer, watch
from redmax.view.live.look import FIELD_OF_VIEW
from redmax.view.live.memory import Memory
from redmax.view.live.source import Finished
from redmax.view.mark_view import INSIDE
from redmax.view.stage import stage_of
from view.live.scenes import make, pendulum

QUIET = {"port": 0, "open_browser": False, "block": False}


@pytest.fixture(autouse=True)
def own_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("redmax.view.live.viewer.default_memory", lambda: Memory(tmp_path / "viewer.json"))


@pytest.fixture(scope="module")
def run():
    return rm.simulate(pendulum(), 1.0, 0.01)


def until(condition, seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.01)


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


def test_a_simulation_is_computed_as_far_as_it_is_looked_at():
    told = []
    viewer = watch(make, {"length": 0.6}, duration=30.0, dt=0.01, integrator="rk4", progress=lambda t, end: told.append((t, end)), **QUIET)
    try:
        until(lambda: viewer.recording.count > 20)
        viewer.pause()
        count = viewer.recording.count
        assert count < 1000  # of 3001: paced to real time
        viewer.show(0.05)
        viewer.ask(lambda orders: orders.step(1))
        assert viewer.playback.t == pytest.approx(0.06)
        assert viewer.recording.count == count
        viewer.show(1e9)
        viewer.ask(lambda orders: orders.step(1))
        assert viewer.recording.count == count + 1
    finally:
        viewer.stop()
    so_far = viewer.trajectory()
    assert not so_far.complete
    assert told[-1] == (pytest.approx(so_far.t[-1]), 30.0)
    np.testing.assert_array_equal(so_far.q, rm.simulate(make({"length": 0.6}), 30.0, 0.01, integrator="rk4").q[: len(so_far)])


def test_it_begins_again_with_other_parameters_and_a_wrong_one_is_told(tmp_path, monkeypatch):
    viewer = watch(make, {"length": 0.6, "density": 1000.0}, duration=1.0, dt=0.01, out=tmp_path / "run.h5", **QUIET)
    said = []
    monkeypatch.setattr(viewer, "say", lambda title, sentence: said.append(sentence))
    try:
        setup = viewer.panel.values()
        for wrong in ({"density": -1.0}, {"length": 0.0}, {"lenght": 1.0}):
            viewer.begin(replace(setup, parameters={**setup.parameters, **wrong}))
        viewer.begin(replace(setup, options=replace(setup.options, dt=-0.01)))
        until(lambda: len(said) == 4)
        assert "density" in said[0]
        assert "lenght" in said[2]
        assert "dt must be a positive number" in said[3]
        assert viewer.recording.model.title == "Pendulum 0.6"  # the old one goes on
        viewer.begin(replace(setup, parameters={"length": 0.3, "density": 1000.0}, gravity=(0.0, 0.0, -1.0), q={"bar": (0.5,)}))
        until(lambda: not viewer.source.grows)
    finally:
        viewer.stop()
    expected = pendulum(0.3, gravity=1.0)
    expected.links[0] = replace(expected.links[0], q=np.array([0.5]))
    np.testing.assert_array_equal(viewer.trajectory().q, rm.simulate(expected, 1.0, 0.01).q)
    np.testing.assert_array_equal(rm.load(tmp_path / "run.h5").q, viewer.trajectory().q)


def test_the_result_file_grows_while_one_looks_and_is_that_of_simulate(tmp_path, monkeypatch):
    monkeypatch.setattr("redmax.view.live.result_file.PAUSE", 0.05)
    path, scene = tmp_path / "run.h5", make({"length": 0.6})
    viewer = watch(make, {"length": 0.6}, duration=2.0, dt=0.01, integrator="rk4", out=path, **QUIET)
    try:
        until(lambda: 20 < len(rm.load(path)) < 200)  # a process that is killed now has these
        part = rm.load(path)
        assert not part.complete
        viewer.pause()
        until(lambda: len(rm.load(path)) == viewer.recording.count)
        viewer.play()
        until(lambda: not viewer.source.grows)
    finally:
        viewer.stop()
    whole, expected = rm.load(path), rm.simulate(scene, 2.0, 0.01, integrator="rk4", out=tmp_path / "expected.h5")
    assert whole.complete
    assert (whole.steps, whole.dt, whole.integrator) == (expected.steps, expected.dt, expected.integrator)
    for run in (whole, viewer.trajectory()):
        np.testing.assert_array_equal(run.q, expected.q)
        np.testing.assert_array_equal(run.energy.total, expected.energy.total)
    np.testing.assert_array_equal(part.q, expected.q[: len(part)])


def test_the_result_file_of_a_simulation_that_breaks_off_says_why(tmp_path):
    def broken(parameters):
        scene = rm.Scene()
        scene.add_body(rm.Sphere(0.1), joint=rm.Prismatic("x"), name="runaway", torque=lambda t, q, v: 20 * (v * v + 1))
        return scene

    viewer = watch(broken, duration=2.0, dt=0.01, out=tmp_path / "run.h5", **QUIET)
    try:
        until(lambda: bool(viewer.source.failure))
    finally:
        viewer.stop()
    run = rm.load(tmp_path / "run.h5")
    assert not run.complete
    assert run.ended == viewer.source.failure
    np.testing.assert_array_equal(run.q, viewer.trajectory().q)


def test_the_pages_stop_button_ends_a_watch_that_waits(monkeypatch):
    def press(viewer):
        viewer.orders.put(lambda orders: setattr(orders.playback, "speed", 4.0))
        viewer.on_progress = lambda t, end: t >= 0.2 and viewer.stopping.set()

    build = Viewer.build
    monkeypatch.setattr(Viewer, "build", lambda self: (build(self), press(self)))
    run = watch(make, {}, duration=5.0, dt=0.01, port=0, open_browser=False)
    assert 0.2 <= run.t[-1] < 5.0
    assert not run.complete


def test_ctrl_c_ends_a_watch_that_waits_with_the_run_so_far():
    def interrupt(t, end):
        if t >= 0.1:
            raise KeyboardInterrupt

    run = watch(make, {}, duration=5.0, dt=0.01, port=0, open_browser=False, progress=interrupt)
    assert 0.1 <= run.t[-1] < 5.0


def test_a_simulation_that_breaks_off_says_so_on_the_page_and_stays_there(monkeypatch):
    def broken(parameters):
        scene = pendulum()
        scene.add_body(rm.Sphere(0.1), joint=rm.Prismatic("x"), name="runaway", torque=lambda t, q, v: 20 * (v * v + 1))
        return scene

    viewer = watch(broken, duration=2.0, dt=0.01, **QUIET)
    said = []
    monkeypatch.setattr(viewer, "say", lambda title, sentence: said.append(sentence))
    try:
        until(lambda: bool(said))
        assert "broke off" in said[0]
        until(lambda: not viewer.playback.playing)
        viewer.show(0.0)
    finally:
        viewer.stop()
    assert 10 < len(viewer.trajectory()) < 201
    assert not viewer.trajectory().complete


def test_a_run_that_blows_up_is_framed_where_it_was_good_and_raised_in_the_end(monkeypatch):
    def stiff(parameters):
        scene = rm.Scene()
        scene.add_body(rm.Cuboid((0.5, 0.05, 0.05)), joint=rm.Prismatic("x"), name="bar", q=0.1, rest=0.0, stiffness=1e9)
        return scene

    viewers, build, turn = [], Viewer.build, Viewer.turn

    def end_at_the_end(self, elapsed, now):
        turn(self, elapsed, now)
        if not self.playback.playing:
            self.stopping.set()

    monkeypatch.setattr(Viewer, "build", lambda self: (viewers.append(self), build(self)))
    monkeypatch.setattr(Viewer, "turn", end_at_the_end)
    with pytest.raises(SimulationError, match="broke off") as raised:
        watch(stiff, duration=1.0, dt=0.01, integrator="rk4", port=0, open_browser=False)
    assert 1 < len(raised.value.trajectory) < 101
    assert viewers[0].stage.span < 10
    assert Viewer(Finished.of(raised.value.trajectory), port=0).stage.span < 10


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
