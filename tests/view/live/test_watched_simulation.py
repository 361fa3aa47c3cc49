"""Simulations that are computed while one looks: as far as they are looked at, begun again, written to files, broken off."""

import time
from dataclasses import replace

import numpy as np
import pytest

import redmax as rm
from redmax.errors import SimulationError
from redmax.view.live import Viewer, watch
from redmax.view.live.memory import Memory
from redmax.view.live.source import Finished
from view.live.scenes import QUIET, make, pendulum, until


@pytest.fixture(autouse=True)
def own_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("redmax.view.live.viewer.default_memory", lambda: Memory(tmp_path / "viewer.json"))


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
    run = watch(make, {}, duration=5.0, dt=0.01, port=0, open_browser=False, wait=False)
    assert 0.2 <= run.t[-1] < 5.0
    assert not run.complete


def test_ctrl_c_ends_a_watch_that_waits_with_the_run_so_far():
    def interrupt(t, end):
        if t >= 0.1:
            raise KeyboardInterrupt

    run = watch(make, {}, duration=5.0, dt=0.01, port=0, open_browser=False, wait=False, progress=interrupt)
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
        watch(stiff, duration=1.0, dt=0.01, integrator="rk4", port=0, open_browser=False, wait=False)
    assert 1 < len(raised.value.trajectory) < 101
    assert viewers[0].stage.span < 10
    assert Viewer(Finished.of(raised.value.trajectory), port=0).stage.span < 10


def test_without_a_browser_time_begins_with_the_first_viewer():
    viewer = rm.watch(pendulum(), duration=5.0, wait=True, **QUIET)
    try:
        time.sleep(0.3)
        assert len(viewer.trajectory()) == 1  # nobody has looked
        viewer.play()
        until(lambda: len(viewer.trajectory()) > 1)
    finally:
        viewer.stop()


def test_a_scene_its_name_and_its_file_can_be_watched(tmp_path):
    """Each as rm.simulate runs it; the user's own scene stays as it is."""
    scene = pendulum()
    scene.save(tmp_path / "pendulum.yaml")
    for given in (scene, tmp_path / "pendulum.yaml"):
        viewer = rm.watch(given, duration=0.1, integrator="rk4", **QUIET)
        try:
            until(lambda now=viewer: now.trajectory().complete)
        finally:
            viewer.stop()
        np.testing.assert_array_equal(viewer.trajectory().q, rm.simulate(scene, 0.1, integrator="rk4").q)
    viewer = rm.watch("windmill", wait=True, **QUIET)
    viewer.stop()
    assert viewer.setup.options.duration > 0
    for wrong, words in ((3, "a Scene, the name or the file of one"), ("windmil", "windmill"), ("none.yaml", "none.yaml")):
        with pytest.raises(rm.RedmaxError, match=words):
            rm.watch(wrong, **QUIET)
    with pytest.raises(rm.RedmaxError, match="A scene has no parameters; got length"):
        rm.watch(scene, {"length": 1.0}, **QUIET)


def test_a_body_is_pulled_by_a_page():
    """As a page says it: grabbed, dragged, let go; the force is shown while it is held, and the run has it."""
    viewer = rm.watch(pendulum(), duration=5.0, integrator="rk4", **QUIET)
    try:
        until(lambda: len(viewer.trajectory()) > 3)
        place = viewer.recording.pose[-1, 0, :3, 3].copy()
        viewer.ask(lambda orders: orders.drag(0, "start", place, place))
        viewer.ask(lambda orders: orders.drag(0, "update", place, place + (0.0, 0.0, 0.5)))
        count = len(viewer.trajectory())
        until(lambda: len(viewer.trajectory()) > count + 3 and viewer.stage.spring.label is not None)
        assert viewer.stage.spring.label.text.endswith(" N")
        assert viewer.stage.spring.label.visible
        viewer.ask(lambda orders: orders.drag(0, "end", place, place))
        assert viewer.simulated.hand is None
        assert not viewer.stage.spring.label.visible
    finally:
        viewer.stop()
    assert np.abs(viewer.trajectory().controls).max() > 0
