"""The live page has the look of the scene: trails, background, theme, and cameras that move by themselves."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import redmax as rm
from redmax.errors import SceneError
from redmax.view.camera_path import camera_path
from redmax.view.followed import followed
from redmax.view.live import Viewer
from redmax.view.live.live_camera import moved
from redmax.view.live.look import Viewpoint
from redmax.view.live.memory import Memory
from redmax.view.live.moving_cameras import SETTLED, MovingCameras
from redmax.view.live.source import Finished
from redmax.view.live.trails import MOST, kept
from view.live.scenes import QUIET, make, pendulum, until

FLIGHT = rm.Camera(keys={0: (-90, 5), 0.5: (0, 40, 1.5), 1.0: rm.Camera(60, 10, target=(0, 0, 1))})
CAMERAS = {
    "rests": rm.Camera(30, 15, 1.2), "stands": rm.Camera(eye=(3, -2, 1.5), target=(0, 0, 0.8)), "goes around": rm.Camera(orbit=45),
    "follows": rm.Camera(follow="bar", elevation=25), "flies": FLIGHT,
}  # fmt: skip


@pytest.fixture(scope="module")
def run() -> rm.Trajectory:
    return rm.simulate(pendulum(), 1.0, 0.01)


@pytest.fixture
def seen(run):
    """A viewer of the run with a look, closed at the end."""
    opened: list[Viewer] = []

    def view(memory: Memory | None = None, **look) -> Viewer:
        opened.append(Viewer(Finished.of(run), port=0, memory=memory or Memory(None), shown=look))
        return opened[-1]

    yield view
    for viewer in opened:
        viewer.close()


def test_a_trail_goes_where_the_point_has_been(run, seen):
    tip = run.model.scene.find("bar").point(0.3, 0, 0)
    viewer = seen(trails=[tip, rm.Trail("bar", color="#010203", seconds=0.25)])
    whole, last = viewer.stage.trails.lines
    assert not whole.visible
    assert tuple(last.colors) == (1, 2, 3)
    viewer.stage.show(60)
    E = run.pose("bar")[:61]
    places = E[:, :3, :3] @ [0.3, 0, 0] + E[:, :3, 3]
    expected = np.stack([places[:-1], places[1:]], axis=1) * viewer.stage.scale
    np.testing.assert_allclose(whole.points, expected, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(last.points[[0, -1], [0, 1]], E[[35, 60], :3, 3] * viewer.stage.scale, rtol=1e-6, atol=1e-6)
    viewer.stage.show(0)
    assert not whole.visible


@pytest.mark.parametrize("seconds", [None, 0.5])
def test_a_long_trail_has_few_pieces_that_stay_where_they_are(seconds):
    times = np.linspace(0, 60, 60_001)
    before, after = (kept(times, k, seconds) for k in (50_000, 50_001))
    assert len(before) <= MOST + 2
    assert (before[-1], after[-1]) == (50_000, 50_001)
    assert len(np.intersect1d(before[1:-1], after)) >= len(before) - 3


def test_the_background_the_ground_and_the_theme_are_those_of_the_look(seen):
    viewer = seen(background="#102030", ground_color="#405060")
    assert viewer.dark  # so that what is drawn on it is seen
    assert viewer.sky.content.count("rgb(16, 32, 48)") == 2
    assert viewer.colours.floor == (64, 80, 96)
    assert "background: none" in seen(background="transparent").sky.content
    assert not seen(background="white").dark
    assert seen(theme="dark").dark
    memory = Memory(None)
    memory.dark = True
    assert not seen(memory, theme="light").dark
    assert seen(memory).dark


def test_a_simulation_that_is_watched_has_a_look_too(monkeypatch):
    """Its camera follows the body beyond what was known when the page was made, and again when it begins again."""
    monkeypatch.setattr("redmax.view.live.viewer.default_memory", lambda: Memory(None))
    viewer = rm.watch(make, {"length": 0.6}, duration=0.5, dt=0.01, trails=["bar"], camera=rm.Camera(follow="bar"), **QUIET)
    try:
        for again in (False, True):
            stage = viewer.stage
            if again:
                viewer.begin(replace(viewer.panel.values(), parameters={"length": 0.3}))
                until(lambda before=stage: viewer.stage is not before)
            until(lambda: viewer.recording.count > 30)
            np.testing.assert_allclose(viewer.stage.camera.view(30).look_at, viewer.recording.pose[30, 0, :3, 3], atol=1e-12)
            assert len(viewer.stage.trails.lines) == 1
    finally:
        viewer.stop()
    with pytest.raises(SceneError, match="camera"):
        rm.watch(pendulum(), duration=0.5, camera="above", **QUIET)


def test_marks_of_joints_may_be_left_out(seen):
    assert seen().stage.wires.nodes
    assert not seen(marks=False).stage.wires.nodes


def test_a_look_that_names_nothing_is_refused_before_a_page_opens(seen):
    with pytest.raises(SceneError, match="bar"):
        seen(trails=["baar"])


@pytest.mark.parametrize("name", CAMERAS)
def test_the_camera_is_where_pictures_have_it(run, seen, name):
    """The direction, what it looks at, and how much closer it comes, at every sample."""
    viewer = seen(camera=CAMERAS[name])
    camera = viewer.stage.camera
    path = camera_path(viewer.look, viewer.stage.framing, run.t, followed(run.model, viewer.look, run.observed.pose, run.t))
    for sample in (0, 37, 100):
        view, move = camera.view(sample), path.moves(float(run.t[sample]))
        away = view.position - view.look_at
        azimuth, elevation = path.framing.azimuth + move[3], path.framing.elevation + move[4]
        level = np.cos(elevation)
        back = [level * np.cos(azimuth), level * np.sin(azimuth), np.sin(elevation)]
        np.testing.assert_allclose(away / np.linalg.norm(away), back, atol=1e-9)
        first = camera.view(0)
        shift = move[:3] - path.moves(float(run.t[0]))[:3]
        np.testing.assert_allclose(view.look_at - first.look_at, shift, atol=1e-9)
        closer = np.linalg.norm(first.position - first.look_at) / np.linalg.norm(away)
        assert np.log(closer) == pytest.approx(move[5], abs=1e-9)
        if name == "follows":
            np.testing.assert_allclose(view.look_at, run.pose("bar")[sample][:3, 3], atol=1e-9)
    if name == "stands":
        np.testing.assert_allclose(camera.view(0).position, (3, -2, 1.5))


def test_what_is_dragged_goes_on_from_there(run, seen):
    """A page whose camera follows: it is sent along, may be late in saying so, is turned by its user, and follows again."""
    camera = seen(camera=CAMERAS["follows"]).stage.camera
    cameras, page = MovingCameras(camera), Page()
    for sample in range(10):
        cameras.show(sample, {7: page}, 2.0)
    view = camera.view(9)
    np.testing.assert_allclose(page.camera.position, 2.0 * view.position)
    cameras.note(7, camera.view(4), 1.0)  # where it was a moment ago
    assert cameras.pages[7].dragged is None
    turned = moved(view, np.array([0, 0, 0, 0.5, 0.1, 0.2]))
    cameras.note(7, turned, 1.0)
    cameras.show(20, {7: page}, 2.0)
    np.testing.assert_allclose(page.camera.position, 2.0 * view.position)  # its user has it
    cameras.settle(1.1 + SETTLED)
    cameras.show(50, {7: page}, 2.0)
    centre = run.pose("bar")[50][:3, 3]
    np.testing.assert_allclose(page.camera.look_at, 2.0 * centre, atol=1e-9)
    np.testing.assert_allclose(page.camera.position - page.camera.look_at, 2.0 * (turned.position - turned.look_at), atol=1e-9)
    cameras.show(51, {}, 2.0)
    assert not cameras.pages


def test_a_camera_that_was_chosen_counts_more_than_where_another_was_left(run, seen):
    memory = Memory(None)
    memory.keep_camera(run.model.title, Viewpoint(np.full(3, 9.0), np.zeros(3)))
    np.testing.assert_array_equal(seen(memory).cameras.begin.position, np.full(3, 9.0))
    assert not np.allclose(seen(memory, camera=(30, 15)).cameras.begin.position, 9.0)


class Page:
    """What of a page a moving camera needs."""

    def __init__(self) -> None:
        self.camera = SimpleNamespace(position=np.zeros(3), look_at=np.zeros(3), up_direction=None)

    def atomic(self):
        return self

    def __enter__(self) -> None:
        """As viser's."""

    def __exit__(self, *error: object) -> None:
        """As viser's."""
