"""Targets in a real browser: the handle is where the target is, and the arm follows when the mouse drags it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import redmax as rm
from browser.test_live import SIZE, arrive, projected, remembered, until  # noqa: F401
from redmax.view.live.reach.reach_viewer import HANDLE
from view.live.test_reach_page import START, reaching


def test_an_arrow_that_is_dragged_takes_the_arm_along(new_context: Any, remembered: Any):  # noqa: F811
    ik = reaching()
    viewer: Any = rm.watch(ik, initial=START, port=0, open_browser=False, block=False, camera=(-90, 0))
    try:
        page = new_context(viewport=SIZE).new_page()
        arrive(page, viewer)
        tip = viewer.reaching.grips[0].pose[:3, 3]
        arrow = tip + (0.7 * HANDLE * viewer.stage.size, 0, 0)
        (x0, y0), (x1, y1) = projected(viewer, arrow), projected(viewer, arrow - (0.2, 0, 0))
        page.mouse.move(x0, y0)
        page.mouse.down()
        for k in range(1, 9):
            page.mouse.move(x0 + (x1 - x0) * k / 8, y0 + (y1 - y0) * k / 8)
            page.wait_for_timeout(30)
        page.mouse.up()
        until(page, lambda: viewer.reaching.goals["tip"][0] < tip[0] - 0.1)
        end = time.monotonic() + 10
        while time.monotonic() < end and not viewer.reaching.found.success:
            page.wait_for_timeout(50)
        goal = viewer.reaching.goals["tip"]
        np.testing.assert_allclose(goal, tip - (0.2, 0, 0), atol=0.03)
        until(page, lambda: np.abs(rm.Dynamics(ik.model).pose(viewer.recording.q[-1], "tip")[:3, 3] - goal).max() < 1e-5)
    finally:
        viewer.stop()
