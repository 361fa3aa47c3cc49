"""What a notebook shows, in a real browser: the player inside its sandbox draws, and asks for nothing."""

from __future__ import annotations

import numpy as np

import redmax as rm
from browser.playing import JAGGED
from browser.watched import element_box, picture


def test_the_embedded_player_draws_inside_its_sandbox(new_context, tmp_path):
    context = new_context(reduced_motion="reduce", viewport={"width": 480, "height": 400})  # a picture is enough
    context.add_init_script(f"if (window !== top) {{ location.hash = 'shadows=0.2'; {JAGGED} }}")  # as `opened` asks for
    page = context.new_page()
    scene = rm.Scene(title="Pendulum")
    scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Revolute("y"), com=(0.15, 0, 0), name="bar")
    run = rm.simulate(scene, duration=1, dt=0.02)
    path = tmp_path / "notebook.html"
    path.write_text(f'<!doctype html><meta charset="utf-8"><body>{run._repr_html_()}{scene._repr_html_()}</body>', "utf-8")
    page.goto(path.as_uri())
    frame = page.frame_locator("iframe").first
    frame.locator("html[data-ready=true]").wait_for()
    box = element_box(page, "iframe >> nth=0")
    x, y, width, height = box
    seen = picture(page, (x, y, width, 0.6 * height)).astype(int)
    assert len(np.unique(seen.reshape(-1, 3), axis=0)) > 100
    blue = seen[..., 2] - seen[..., 0] > 60  # the bar, in the first colour of the palette
    assert blue.sum() > 200
    images = page.evaluate("[...document.images].map((i) => [i.complete, i.naturalWidth])")
    assert [done for done, _ in images] == [True, True]
    assert min(width for _, width in images) >= 640
