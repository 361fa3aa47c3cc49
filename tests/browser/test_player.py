"""The animation in a real browser, without a network: it draws what the run says, and every control does what it says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import redmax as rm
from browser.playing import drawn, has_hue, numbers, opened, projected, seconds, until
from browser.watched import Record, changed_share, colours, element_box, picture
from redmax.view import BodyView, write_html
from redmax.view.stage import stage_of


@pytest.fixture(scope="module")
def run() -> rm.Trajectory:
    """A pendulum with a ball joint, under a hinge, with a spring and a force at its tip."""
    scene = rm.Scene(title="Two links")
    upper = scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Revolute("y"), com=(0.15, 0, 0), name="upper", joint_name="shoulder")
    ball = rm.Spherical()
    lower = scene.add_body(
        rm.Cuboid((0.3, 0.05, 0.05)), parent=upper, joint=ball, at=(0.3, 0, 0), com=(0.15, 0, 0), name="lower", qdot=(2, 1, 3)
    )
    scene.add_force(rm.PointForce(lower.point(0.15, 0, 0), (0, 1.0, 0), strength=0.5, name="push"))
    return rm.simulate(scene, 2.0, 0.01)


@pytest.fixture(scope="module")
def path(run, tmp_path_factory) -> Path:
    return run.html(tmp_path_factory.mktemp("player") / "two links.html")


@pytest.fixture(scope="module")
def glider(tmp_path_factory) -> tuple[Path, np.ndarray, np.ndarray]:
    """A page with a small red ball that moves on a curve, its times, and where the ball is."""
    t = np.linspace(0, 4, 161)
    places = np.stack([1.2 * np.cos(0.7 * t), t / 2 - 1, 0.4 * np.sin(2.1 * t)], axis=1)
    poses = np.tile(np.eye(4), (len(t), 1, 1))
    poses[:, :3, 3] = places
    body = BodyView("ball", *rm.Sphere(0.06).mesh(), poses, colour="#e01010")
    energy = {"kinetic": np.ones(len(t)), "potential": places[:, 2]}
    out = tmp_path_factory.mktemp("player") / "glider.html"
    return write_html(out, title="Glider", times=t, bodies=[body], energy=energy), t, places


@pytest.fixture(scope="module")
def kept_page(browser, path) -> Iterator[tuple[Any, Record]]:
    """One page of the run for many tests: most of the time goes into opening pages."""
    record, context = Record(), browser.new_context(viewport={"width": 920, "height": 500}, device_scale_factor=1)
    context.on("page", record.watch)
    yield opened(context.new_page(), path), record
    context.close()


@pytest.fixture
def steady(kept_page) -> Iterator[Any]:
    """The page at its first sample, paused, seen from home, with nothing selected."""
    page, record = kept_page
    page.locator("#view").focus()
    page.evaluate("redmax.pause(); redmax.seek(0); redmax.select(''); redmax.home()")
    page.mouse.move(5, 495)
    drawn(page)
    yield page
    assert record.strange_requests == []
    assert record.complaints == []


def red_middle(page) -> np.ndarray:
    """Where the red ball is seen: the middle of the box around its pixels."""
    drawn(page)
    seen = picture(page).copy()
    seen[:100, 480:] = 255  # the cross of axes, whose x is red
    rows, columns = np.nonzero(has_hue(seen, (224, 16, 16)))
    assert len(rows) > 30
    return np.array([columns.min() + columns.max() + 1, rows.min() + rows.max() + 1]) / 2


def drag_slider(page, share: float) -> None:
    """Drag the thumb of the time line with the mouse."""
    x, y, width, height = element_box(page, "#slider")
    now = float(page.locator("#slider").input_value())
    page.mouse.move(x + 8 + now * (width - 16), y + height / 2)
    page.mouse.down()
    page.mouse.move(x + 8 + share * (width - 16), y + height / 2, steps=4)
    page.mouse.up()


def test_the_page_plays_by_itself_from_a_file_without_a_network(page, path, record):
    opened(page, path, "")
    assert page.title() == "Two links"
    first = picture(page)
    assert colours(first[120:380, 80:480]) > 60
    until(page, "redmax.time > 0.1")
    assert changed_share(first, picture(page)) > 0.002
    assert {url.split(":")[0] for url in record.requests} <= {"file", "data"}
    assert sum(url.startswith("file") for url in record.requests) == 1


def test_dragging_the_time_line_puts_the_body_where_the_run_has_it(page, glider):
    out, t, places = glider
    opened(page, out)
    for share in (0.23, 0.61, 0.97):
        drag_slider(page, share)
        now = seconds(page)
        assert now == pytest.approx(4 * share, abs=0.02)
        there = np.array([np.interp(now, t, places[:, k]) for k in range(3)])
        np.testing.assert_allclose(red_middle(page), projected(page, there), atol=1.6)
    assert page.locator("#slider").get_attribute("aria-valuetext") == f"{seconds(page):.2f} seconds"


def test_turning_zooming_and_panning_move_the_picture_as_the_camera_says(page, glider):
    out, _, places = glider
    opened(page, out, "paused&t=0")
    home = page.evaluate("redmax.camera")
    page.mouse.move(400, 300)
    page.mouse.down()
    page.mouse.move(350, 330, steps=3)
    page.mouse.up()
    page.mouse.wheel(0, -120)
    page.keyboard.down("Shift")
    page.mouse.down()
    page.mouse.move(320, 320, steps=2)
    page.mouse.up()
    page.keyboard.up("Shift")
    drawn(page)
    now = page.evaluate("redmax.camera")
    assert now["azimuth"] != home["azimuth"]
    assert now["distance"] < home["distance"]
    assert now["target"] != home["target"]
    np.testing.assert_allclose(red_middle(page), projected(page, places[0]), atol=1.6)
    page.keyboard.press("r")
    drawn(page)
    assert page.evaluate("redmax.camera") == home


def test_keys_and_buttons_play_pause_step_and_change_the_speed(steady, run):
    page = steady
    page.evaluate("redmax.seek(1)")
    page.get_by_role("button", name="Step forward").click()
    assert seconds(page) == pytest.approx(np.min(run.t[run.t > 1.001]), abs=0.02)
    page.get_by_role("button", name="Step back").click()
    assert seconds(page) == pytest.approx(1, abs=1e-9)
    page.keyboard.press("ArrowRight")
    after = seconds(page)
    page.keyboard.press("ArrowLeft")
    assert after > seconds(page) == pytest.approx(1)
    page.keyboard.press("End")
    assert seconds(page) == run.t[-1]
    page.keyboard.press("Home")
    assert seconds(page) == 0
    page.get_by_role("button", name="Play").click()
    until(page, "redmax.time > 0.05")
    page.get_by_role("button", name="Pause").click()
    held = seconds(page)
    drawn(page)
    assert seconds(page) == held
    page.mouse.click(300, 300)
    page.keyboard.press("Space")
    assert page.evaluate("redmax.isPlaying")
    page.keyboard.press("Space")
    assert not page.evaluate("redmax.isPlaying")
    assert page.locator("#speed").input_value() == "1"
    page.keyboard.press("ArrowDown")
    drawn(page)
    assert page.locator("#speed").input_value() == "0.5"


def test_slow_motion_is_slow(steady):
    page = steady
    page.locator("#speed").select_option("0.05")
    page.evaluate("redmax.play()")
    began, clock = page.evaluate("[redmax.time, performance.now() / 1000]")
    until(page, "redmax.time > 0.03")
    ended, later = page.evaluate("[redmax.time, performance.now() / 1000]")
    assert 0 < ended - began < 0.05 * (later - clock + 0.1)
    page.locator("#speed").select_option("1")


def test_a_run_starts_again_at_its_end_unless_loop_is_off(steady):
    page = steady
    page.evaluate("redmax.seek(1.95); redmax.play()")
    until(page, "redmax.time < 1.9")
    page.get_by_role("button", name="Loop").click()
    drawn(page)
    page.evaluate("redmax.seek(1.95)")
    until(page, "redmax.time === 2 && !redmax.isPlaying")
    assert page.get_by_role("button", name="Loop").get_attribute("aria-pressed") == "false"
    page.get_by_role("button", name="Loop").click()


def test_the_address_says_time_theme_direction_and_selection(page, path):
    opened(page, path, "t=0.75&paused&theme=dark&view=30,20&select=lower")
    assert seconds(page) == 0.75
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.evaluate("redmax.camera.azimuth") == pytest.approx(np.radians(30))
    assert page.locator("#chosen").evaluate("(list) => list.selectedOptions[0].text") == "lower"
    assert picture(page)[5:40, 260:290].mean() < 60


def test_the_energy_plot_has_the_run_s_numbers_and_its_cursor_moves_the_time(steady, run):
    page = steady
    page.evaluate("redmax.seek(0.5)")
    drawn(page)
    i = int(np.argmin(np.abs(run.t - 0.5)))
    shown = [text.replace("\u2212", "-").split()[0] for text in page.locator("#legend b").all_inner_texts()]
    energy = [run.energy.kinetic[i], run.energy.potential[i], run.energy.total[i]]
    np.testing.assert_allclose([float(text) for text in shown], energy, rtol=6e-4)
    x, y, width, height = element_box(page, "#curves")
    before = picture(page, (x, y, width, height))
    page.mouse.move(x + width / 2, y + height / 2)
    page.mouse.down()
    page.mouse.move(x + 8 + 0.75 * (width - 16), y + height / 2, steps=3)
    page.mouse.up()
    drawn(page)
    assert seconds(page) == pytest.approx(0.75 * run.t[-1], abs=0.02)
    after = picture(page, (x, y, width, height))
    columns = np.nonzero((np.abs(before.astype(int) - after).max(axis=-1) > 30).mean(axis=0) > 0.5)[0]  # the cursor was, and is there
    assert {round(8 + share * (width - 16)) for share in (0.25, 0.75)} <= {c + d for c in columns for d in (-1, 0, 1)}


@pytest.mark.parametrize(("name", "kind"), [("upper", "revolute"), ("lower", "spherical")])
def test_a_click_on_a_body_shows_its_name_pose_and_twist(steady, run, name, kind):
    page, i = steady, 130
    page.evaluate("(t) => redmax.seek(t)", run.t[i])
    page.mouse.click(*projected(page, run.pose(name)[i, :3, 3]))
    drawn(page)
    assert page.locator("#chosen").evaluate("(list) => list.selectedOptions[0].text") == name
    assert kind in page.locator("#said").inner_text()
    np.testing.assert_allclose(numbers(page, "position"), run.pose(name)[i, :3, 3], atol=1e-4)
    w, *v = numbers(page, "orientation")
    x, y, z = v
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    np.testing.assert_allclose(np.eye(3) + 2 * w * K + 2 * K @ K, run.pose(name)[i, :3, :3], atol=5e-4)
    np.testing.assert_allclose(np.concatenate([numbers(page, "angular"), numbers(page, "linear")]), run.twist(name)[i], atol=1.1e-3)
    page.mouse.click(60, 150)  # nothing is there
    assert page.locator("#chosen").input_value() == "-1"
    assert page.locator("#facts dt").count() == 0


def test_what_is_selected_is_seen_to_be(steady, run):
    page = steady
    page.evaluate("redmax.seek(1)")
    drawn(page)
    before = picture(page)
    page.evaluate("redmax.select('lower')")
    drawn(page)
    x, y = projected(page, run.pose("lower")[100, :3, 3]).round().astype(int)
    near = np.s_[y - 15 : y + 15, x - 15 : x + 15]
    assert changed_share(before[near], picture(page)[near], 8) > 0.1


def test_parts_are_selected_by_keys_alone(steady):
    page = steady
    page.keyboard.press("]")
    drawn(page)
    first = page.locator("#chosen").evaluate("(list) => list.selectedOptions[0].text")
    page.keyboard.press("]")
    page.keyboard.press("[")
    assert page.locator("#chosen").evaluate("(list) => list.selectedOptions[0].text") == first == "upper"
    page.keyboard.press("Escape")
    assert page.locator("#chosen").input_value() == "-1"


def test_every_control_is_reached_by_tab_and_has_a_name(steady):
    page = steady
    seen = []
    for _ in range(16):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("[document.activeElement.id || document.activeElement.tagName, document.activeElement.ariaLabel]"))
    found = dict(seen)
    assert {"slider", "play", "previous", "next", "speed", "loop", "home", "theme", "chosen", "SUMMARY"} <= found.keys()
    assert all(label for name, label in found.items() if name != "BODY")
    page.locator("#loop").focus()
    page.keyboard.press("Space")  # on a button, a space presses it
    drawn(page)
    assert page.locator("#loop").get_attribute("aria-pressed") == "false"
    assert not page.evaluate("redmax.isPlaying")
    page.keyboard.press("Space")


def test_camera_and_theme_are_remembered(page, path, glider):
    opened(page, path)
    page.get_by_role("button", name="Light or dark").click()
    page.mouse.move(300, 300)
    page.mouse.down()
    page.mouse.move(380, 340, steps=3)
    page.mouse.up()
    left = page.evaluate("redmax.camera")
    page.reload()
    page.wait_for_selector("html[data-ready=true]")
    assert page.evaluate("redmax.camera") == left
    assert page.locator("html").get_attribute("data-theme") == "dark"
    opened(page, glider[0])  # another scene keeps the theme, and has a camera of its own
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.evaluate("redmax.camera.azimuth") != left["azimuth"]
    opened(page, path)
    page.keyboard.press("r")
    home = page.evaluate("redmax.camera")
    page.reload()
    page.wait_for_selector("html[data-ready=true]")
    assert page.evaluate("redmax.camera") == home != left


def test_a_page_without_storage_works_as_well(page, path):
    page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } })")
    opened(page, path)
    page.keyboard.press("t")
    drawn(page)
    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_a_memory_that_makes_no_sense_is_passed_over(page, path):
    page.add_init_script("""localStorage.setItem("redmax", JSON.stringify({ views: { "Two links 1": { target: "x" } }, shown: 3 }))""")
    opened(page, path)
    assert np.isfinite(page.evaluate("redmax.camera.distance"))
    assert colours(picture(page)[120:380, 80:480]) > 60


def test_joints_forces_and_names_are_shown_and_hidden(steady):
    page = steady
    page.evaluate("redmax.seek(1)")
    page.mouse.move(60, 170)
    drawn(page)
    at_first = picture(page)
    for box, key in [("joints", "j"), ("forces", "f"), ("names", "n")]:
        page.keyboard.press(key)
        drawn(page)
        assert 1e-4 < changed_share(at_first[:, :570], picture(page)[:, :570]) < 0.05, box
        page.get_by_label("What is shown").click()
        page.locator(f"#show-{box}").click()
        page.mouse.click(60, 150)
        page.mouse.move(60, 170)
    drawn(page)
    assert changed_share(at_first, picture(page)) < 1e-4


def test_a_force_is_an_arrow_from_where_it_acts_along_its_direction(steady, run):
    page = steady
    page.evaluate("redmax.seek(1); redmax.look({ azimuth: Math.PI, elevation: 0.2 })")  # along x: y, and the force, point to the left
    drawn(page)
    x, y = projected(page, run.force("push").points[100, 0])
    rows, columns = np.nonzero(has_hue(picture(page)[:, :570], (207, 47, 91)))
    assert len(rows) > 100
    assert columns.max() == pytest.approx(x, abs=12)
    assert np.median(rows) == pytest.approx(y, abs=4)
    assert columns.min() < x - 40
    page.evaluate("redmax.select('push')")
    drawn(page)
    np.testing.assert_allclose(numbers(page, "vector"), [0, 0.5, 0], atol=1e-5)


def test_what_the_browser_is_told_to_prefer_is_obeyed_at_first(new_context, path):
    page = opened(new_context(reduced_motion="reduce", color_scheme="dark").new_page(), path, "")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert not page.evaluate("redmax.isPlaying")  # who wants less motion starts it themselves
    page.keyboard.press("Space")
    until(page, "redmax.time > 0.02")


def test_everything_fits_a_window_of_any_size(steady, run):
    page = steady
    page.evaluate("redmax.select('lower')")
    for width, height in [(390, 844), (844, 390), (1600, 900)]:
        page.set_viewport_size({"width": width, "height": height})
        until(page, f"redmax.camera.width === {width}")
        drawn(page)
        for selector in ("#dock", "#selection", "#play", "#options", "#axes", "h1"):
            x, y, w, h = element_box(page, selector)
            assert min(x, y, width - x - w, height - y - h) >= 0, (selector, width, height)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        beside = element_box(page, "#side")[0] if width >= 900 else width
        for name in ("upper", "lower"):  # and the motion itself is neither outside nor below the controls
            for i in range(0, len(run.t), 20):
                x, y = projected(page, run.pose(name)[i, :3, 3])
                assert 0 < x < beside
                assert 0 < y < element_box(page, "#dock")[1]
    page.set_viewport_size({"width": 920, "height": 500})


def test_fingers_turn_zoom_and_select(new_context, path, run):
    page = opened(new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True).new_page(), path, "paused&t=0")
    x, y = projected(page, run.pose("upper")[0, :3, 3])
    page.touchscreen.tap(x, y)
    drawn(page)
    assert page.locator("#chosen").evaluate("(list) => list.selectedOptions[0].text") == "upper"
    home = page.evaluate("redmax.camera")
    touch = page.context.new_cdp_session(page)

    def fingers(kind: str, *points: tuple[float, float]) -> None:
        touch.send(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": a, "y": b, "id": k} for k, (a, b) in enumerate(points)]}
        )

    fingers("touchStart", (150, 600))
    fingers("touchMove", (200, 620))
    fingers("touchEnd")
    turned = page.evaluate("redmax.camera")
    assert turned["azimuth"] != home["azimuth"]
    assert turned["distance"] == home["distance"]
    fingers("touchStart", (150, 600))
    fingers("touchStart", (150, 600), (250, 600))
    fingers("touchMove", (100, 600), (300, 600))
    fingers("touchEnd")
    assert page.evaluate("redmax.camera.distance") < 0.8 * turned["distance"]
    assert page.locator("#chosen").evaluate("(list) => list.selectedOptions[0].text") == "upper"  # a drag is no tap


def test_without_webgl_the_page_says_so(browser, path):
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    page.goto(path.as_uri())
    assert "needs a browser with WebGL" in page.locator("#failure").inner_text()
    context.close()


def test_ten_seconds_of_twenty_bodies_are_under_three_megabytes(tmp_path):
    scene = rm.Scene()
    body = None
    parts, faces = rm.Torus(0.1, 0.03).mesh(48)
    for i in range(20):
        shape = rm.Mesh(parts * (1 + i / 50), faces) if i % 2 else rm.Capsule(0.03, 0.2)
        joint = rm.Revolute("xyz"[i % 3]) if i % 4 else rm.Spherical()
        body = scene.add_body(shape, parent=body, joint=joint, at=(0.2, 0, 0), com=(0.1, 0, 0))
    run = rm.simulate(scene, 10, 0.01)
    path = run.html(tmp_path / "twenty.html")
    assert len(stage_of(run).bodies) == 20
    assert path.stat().st_size < 3e6
    assert json.loads(path.read_text("utf-8").split('id="scene">')[1].split("</script")[0])["bodies"][19]["twists"]
