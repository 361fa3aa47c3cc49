"""The live viewer in a real browser: it draws, its time line moves the bodies, clicks select them, and it remembers how it was left.

What is drawn is compared with where the camera must see it: the places of bodies, projected.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import redmax as rm
from browser.watched import colours, picture, quickly_drawn
from redmax.view.live import Viewer, watch
from redmax.view.live.memory import Memory

SIZE = {"width": 760, "height": 380}
CANVAS = (0, 0, 370, 380)  # the rest is the panel
QUIET = {"port": 0, "open_browser": False, "block": False}


def pendulum(parameters: dict[str, float]) -> rm.Scene:
    """A bar that falls from the horizontal, and a block beside it that stays."""
    scene = rm.Scene(title="Bar & block", gravity=(0, 0, -parameters.get("gravity", 9.81)))
    scene.add_body(rm.Cuboid((0.6, 0.12, 0.12)), joint=rm.Revolute("y"), com=(0.3, 0, 0), name="bar <1>")
    return scene


@pytest.fixture
def remembered(tmp_path, monkeypatch) -> Memory:
    """A viewer's memory that is this test's own."""
    monkeypatch.setattr("redmax.view.live.viewer.default_memory", lambda: Memory(tmp_path / "viewer.json"))
    return Memory(tmp_path / "viewer.json")


@pytest.fixture
def opened(new_context, remembered) -> Iterator[Any]:
    """opened(viewer): its page, once everything is drawn; page and viewer are closed at the end."""
    viewers: list[Viewer] = []
    context = new_context(viewport=SIZE)
    context.set_default_timeout(60_000)

    def open_page(viewer: Viewer) -> Any:
        viewers.append(viewer)
        page = context.new_page()
        arrive(page, viewer)
        return page

    yield open_page
    for page in context.pages:
        page.close()
    for viewer in viewers:
        viewer.stop()


def arrive(page: Any, viewer: Viewer) -> None:
    """Go to the viewer's page, and wait until its camera is where it should begin and the bodies have faded in."""
    quickly_drawn(viewer)
    page.goto(viewer.url)
    page.add_style_tag(content="[class*=mantine-Notification]{display:none}")  # of viser, about software rendering
    until(page, lambda: bool(viewer.server.get_clients()))
    until(page, lambda: at_its_beginning(viewer))
    still(page)


def at_its_beginning(viewer: Viewer) -> bool:
    """Whether the camera of the page is where pages begin."""
    return bool(np.abs(camera(viewer).position / viewer.stage.scale - viewer.cameras.begin.position).max() < 1e-3)


def until(page: Any, condition: Any, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        page.wait_for_timeout(50)  # and not time.sleep: the page's events go on


def still(page: Any, seconds: float = 60.0) -> np.ndarray:
    """The canvas, once it does not change any more."""
    end, last = time.monotonic() + seconds, picture(page, CANVAS)
    while time.monotonic() < end:
        page.wait_for_timeout(250)
        now = picture(page, CANVAS)
        if (now == last).all() and colours(now) > 20:
            return now
        last = now
    raise AssertionError("the picture never came to rest")


def camera(viewer: Viewer) -> Any:
    return list(viewer.server.get_clients().values())[-1].camera


def projected(viewer: Viewer, point: np.ndarray) -> np.ndarray:
    """(x, y) in pixels of the page, of a point of the scene; the page may draw fewer pixels than it has, where it is slow."""
    seen = camera(viewer)
    back = seen.position - seen.look_at
    back = back / np.linalg.norm(back)
    right = np.cross([0, 0, 1.0], back)
    right /= np.linalg.norm(right)
    x, y, depth = (axis @ (point * viewer.stage.scale - seen.position) for axis in (right, np.cross(back, right), -back))
    pixels = seen.image_height / 2 / np.tan(seen.fov / 2)
    place = np.array([seen.image_width / 2 + pixels * x / depth, seen.image_height / 2 - pixels * y / depth])
    return place * SIZE["height"] / seen.image_height


def coloured(image: np.ndarray) -> np.ndarray:
    """(x, y): the middle of all that is no grey: bodies."""
    rows, columns = np.nonzero(np.ptp(image.astype(int), axis=2) > 45)
    assert len(rows) > 200, "no body is seen"
    return np.array([columns.mean(), rows.mean()])


def drag_time(page: Any, share: float) -> None:
    """Drag the knob of the time line to a share of its length."""
    knob, track = (page.locator(f".mantine-Slider-{part}").first.bounding_box() for part in ("thumb", "track"))
    page.mouse.move(knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2)
    page.mouse.down()
    for part in (0.5, 1.0):
        page.mouse.move(track["x"] + share * part * track["width"], track["y"] + track["height"] / 2)
    page.mouse.up()


def test_the_time_line_moves_the_bodies_and_a_click_selects_one(opened):
    run = rm.simulate(pendulum({}), 1.0, 0.01)
    viewer = run.view(**QUIET)
    viewer.show(0.0)
    page = opened(viewer)
    assert colours(picture(page, CANVAS)) > 60
    seen = {}
    for share in (0.3, 0.8):
        drag_time(page, share)
        until(page, lambda share=share: abs(viewer.playback.t - share) < 0.05)
        i = viewer.recording.index(viewer.playback.t)
        middle = projected(viewer, run.pose("bar <1>")[i][:3, 3])
        np.testing.assert_allclose(coloured(still(page)), middle, atol=9)
        seen[share] = middle
    assert np.abs(seen[0.3] - seen[0.8]).max() > 40

    page.mouse.click(*seen[0.8])
    page.get_by_text("bar <1>").wait_for()
    panel = page.inner_text("body")
    i = viewer.recording.index(viewer.playback.t)
    for label, numbers in {"position (m)": run.pose("bar <1>")[i][:3, 3], "angular (rad/s)": run.twist("bar <1>")[i][:3]}.items():
        shown = panel.split(label)[1].split()[:3]
        np.testing.assert_allclose([float(x) for x in shown], numbers, atol=6e-4)
    times = "() => Object.values(window.__viserTestpoints.uplots)[0].chart.axes[0]._values"
    until(page, lambda: (page.evaluate(times) or [""])[0] == "0")  # numbers along the time of the energy plot
    assert "quaternion wxyz" in panel
    assert "Revolute" in panel
    page.close()


def test_it_plays_grows_begins_again_and_remembers(opened, remembered):
    viewer = watch(pendulum, {"gravity": 9.81}, duration=60.0, dt=0.01, **QUIET)
    page = opened_while_playing(opened, viewer)
    count = viewer.recording.count
    until(page, lambda: viewer.recording.count > count)
    page.get_by_role("button", name="Pause").click()
    until(page, lambda: not viewer.playback.playing)
    first = rm.simulate(pendulum({}), 60.0, 0.01)
    np.testing.assert_array_equal(viewer.recording.pose, first.observed.pose[: viewer.recording.count])

    field = page.get_by_label("gravity", exact=True).first
    field.fill("2")
    field.press("Enter")
    page.get_by_role("button", name="Restart").click()
    until(page, lambda: viewer.recording.model.gravity[2] == -2.0)
    until(page, lambda: viewer.recording.count > 10)
    page.get_by_role("button", name="Pause").click()
    until(page, lambda: not viewer.playback.playing)
    slower = rm.simulate(pendulum({"gravity": 2.0}), 60.0, 0.01)
    np.testing.assert_array_equal(viewer.recording.pose, slower.observed.pose[: viewer.recording.count])
    quickly_drawn(viewer)  # the new scene too
    viewer.show(0.4)
    until(page, lambda: at_its_beginning(viewer))  # the first view of the new motion
    seen = coloured(still(page))
    np.testing.assert_allclose(seen, projected(viewer, slower.pose("bar <1>")[40][:3, 3]), atol=9)

    page.mouse.move(120, 340)
    page.mouse.down()
    page.mouse.move(180, 325, steps=3)
    page.mouse.up()
    page.get_by_text("View", exact=True).click()
    page.get_by_label("Dark", exact=True).click()
    until(page, lambda: remembered_camera(remembered) is not None)
    left = remembered_camera(remembered)
    arrive(page, viewer)
    assert still(page)[:5, :5].max() < 60  # dark
    np.testing.assert_allclose(camera(viewer).position / viewer.stage.scale, left.position, rtol=1e-3, atol=1e-3)
    page.close()


def opened_while_playing(opened: Any, viewer: Viewer) -> Any:
    viewer.pause()
    page = opened(viewer)
    viewer.play()
    return page


def remembered_camera(memory: Memory) -> Any:
    again = Memory(memory.path)
    return again.camera("Bar & block") if again.dark else None
