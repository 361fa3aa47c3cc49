"""What one does with the animation in a real browser: every control does what it says, and what was chosen is remembered."""

from __future__ import annotations

import numpy as np
import pytest

from browser.playing import drawn, numbers, opened, projected, seconds, until
from browser.watched import changed_share, colours, picture


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


def reloaded(page, at_home: bool = False):
    """Once the camera has been written down, or forgotten at home: what a page writes while it is left may come too late for the next."""
    views = "Object.values(JSON.parse(localStorage.getItem('redmax'))?.views ?? {})"
    until(page, f"{views}.length === 0" if at_home else f"{views}.some(view => view.azimuth === redmax.camera.azimuth)")
    page.reload()
    page.wait_for_selector("html[data-ready=true]")


def test_camera_and_theme_are_remembered(small_page, path, glider):
    page = opened(small_page, path)
    page.get_by_role("button", name="Light or dark").click()
    page.mouse.move(200, 120)
    page.mouse.down()
    page.mouse.move(280, 160, steps=3)
    page.mouse.up()
    left = page.evaluate("redmax.camera")
    reloaded(page)
    assert page.evaluate("redmax.camera") == left
    assert page.locator("html").get_attribute("data-theme") == "dark"
    opened(page, glider[0])  # another scene keeps the theme, and has a camera of its own
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.evaluate("redmax.camera.azimuth") != left["azimuth"]
    opened(page, path)
    page.keyboard.press("r")
    home = page.evaluate("redmax.camera")
    reloaded(page, at_home=True)
    assert page.evaluate("redmax.camera") == home != left


def test_a_page_without_storage_works_as_well(small_page, path):
    page = small_page
    page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } })")
    opened(page, path)
    page.keyboard.press("t")
    drawn(page)
    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_a_memory_that_makes_no_sense_is_passed_over(small_page, path):
    page = small_page
    page.add_init_script("""localStorage.setItem("redmax", JSON.stringify({ views: { "Two links 1": { target: "x" } }, shown: 3 }))""")
    opened(page, path, smooth=True)
    assert np.isfinite(page.evaluate("redmax.camera.distance"))
    assert colours(picture(page)[60:220, 40:440]) > 60


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


def test_what_the_browser_is_told_to_prefer_is_obeyed_at_first(new_context, path):
    small = {"width": 480, "height": 320}
    page = opened(new_context(reduced_motion="reduce", color_scheme="dark", viewport=small).new_page(), path, "")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert not page.evaluate("redmax.isPlaying")  # who wants less motion starts it themselves
    page.keyboard.press("Space")
    until(page, "redmax.time > 0.02")


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
