"""The animation in a real browser, without a network: it draws what the run says, where and when."""

from __future__ import annotations

import json

import numpy as np
import pytest

import redmax as rm
from browser.playing import drawn, has_hue, numbers, opened, projected, seconds, until
from browser.watched import changed_share, colours, element_box, picture
from redmax.view.stage import stage_of


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


def test_the_page_plays_by_itself_from_a_file_without_a_network(small_page, path, record):
    page = opened(small_page, path, "")
    assert page.title() == "Two links"
    first = picture(page)
    assert colours(first[60:220, 40:440]) > 60
    until(page, "redmax.time > 0.1")
    assert changed_share(first, picture(page)) > 0.002
    assert {url.split(":")[0] for url in record.requests} <= {"file", "data"}
    assert sum(url.startswith("file") for url in record.requests) == 1


def test_a_body_is_seen_where_the_run_has_it_while_the_time_line_is_dragged_and_the_camera_moves(page, glider):
    out, t, places = glider
    opened(page, out)
    for share in (0.23, 0.61, 0.97):
        drag_slider(page, share)
        now = seconds(page)
        assert now == pytest.approx(4 * share, abs=0.02)
        there = np.array([np.interp(now, t, places[:, k]) for k in range(3)])
        np.testing.assert_allclose(red_middle(page), projected(page, there), atol=1.6)
    assert page.locator("#slider").get_attribute("aria-valuetext") == f"{seconds(page):.2f} seconds"
    page.evaluate("redmax.seek(0)")
    drawn(page)
    turning_zooming_and_panning_move_the_picture_as_the_camera_says(page, places)


def turning_zooming_and_panning_move_the_picture_as_the_camera_says(page, places) -> None:
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


def test_the_address_says_time_theme_direction_and_selection(small_page, path):
    page = opened(small_page, path, "t=0.75&paused&theme=dark&view=30,20&select=lower")
    assert seconds(page) == 0.75
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.evaluate("redmax.camera.azimuth") == pytest.approx(np.radians(30))
    assert page.locator("#chosen").evaluate("(list) => list.selectedOptions[0].text") == "lower"
    assert picture(page)[60:80, 5:25].mean() < 60  # of the ground and the sky


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


def test_everything_fits_a_window_of_any_size(steady, run):
    page = steady
    page.evaluate("redmax.select('lower')")
    for width, height in [(390, 844), (844, 390), (1280, 720)]:
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


def test_without_webgl_the_page_says_so(browser, path):
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    page.goto(path.as_uri())
    assert "needs a browser with WebGL" in page.locator("#failure").inner_text()
    context.close()


@pytest.mark.long
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


def test_frames_and_contacts_are_drawn_and_a_theme_counts_beside_a_background(small_page, run, tmp_path):
    """The axes of a frame in their colours, whose names show under the pointer; panels are dark before a white background.
    Points that slide are orange, and their cones are shown, until a key says otherwise."""
    unseen = dict.fromkeys(("lower", "upper"), rm.Appearance(opacity=0.0))  # its frame is within the body
    look = {"frames": ["lower"], "theme": "dark", "background": "white", "ground": False, "marks": False, "colors": unseen}
    page = opened(small_page, run.html(tmp_path / "a.html", **look), "t=0.5&paused")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    drawn(page)
    seen = picture(page)[20:200, 20:300]
    assert (np.median(seen, axis=(0, 1)) > 250).all()
    for colour in ((217, 83, 79), (79, 163, 90), (74, 134, 208)):
        assert has_hue(seen, colour).sum() > 3, colour
    scene = rm.Scene()
    scene.add_ground(contact=0.2)
    box = rm.Cuboid((0.4, 0.3, 0.1), mass=1.0)
    scene.add_body(box, joint=rm.Free3D(), at=(0, 0, 0.05), qdot=(3, 0, 0, 0, 0, 0), contact=0.2, name="box", color="white", opacity=0.3)
    sliding = rm.simulate(scene, 0.1, 0.002)
    page = opened(small_page, sliding.html(tmp_path / "b.html", cones=True, background="white", ground=False), "t=0.05&paused&theme=light")
    assert page.locator("#touching").inner_text().split() == ["contacts", "sticking", "sliding", "open"]
    for key, colour in (("c", (239, 138, 23)), ("u", (207, 47, 91))):
        drawn(page)
        before = has_hue(picture(page), colour, 30).sum()
        page.keyboard.press(key)
        drawn(page)
        assert before > has_hue(picture(page), colour, 30).sum() + 8
