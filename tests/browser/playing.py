"""Exported pages in a browser: how tests open them, read what they show, and know where things must be seen."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
JAGGED = """
const wanted = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, options) { return wanted.call(this, kind, { ...options, antialias: false }); };
"""


def opened(page: Any, path: Path, wish: str = "paused", smooth: bool = False) -> Any:
    """The page at a file, without any network, once it has drawn itself. wish: what follows # in the address.

    Shadows and, unless smooth, edges are coarse: without a graphics card they take most of the time.
    """
    page.context.set_offline(True)
    if not smooth:
        page.add_init_script(JAGGED)
    page.goto(f"{path.as_uri()}#{wish}&shadows=0.2")
    page.wait_for_selector("html[data-ready=true]")
    return page


def drawn(page: Any) -> None:
    """Wait until what was asked for is on the screen."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def until(page: Any, condition: str) -> None:
    """Wait for a condition in the page's script, whose policy forbids what Playwright's own waiting does."""
    end = time.monotonic() + 60
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"it never came about that {condition}"
        page.wait_for_timeout(20)


def seconds(page: Any) -> float:
    return float(page.evaluate("redmax.time"))


def seek(page: Any, t: float) -> None:
    page.evaluate("(t) => redmax.seek(t)", t)
    drawn(page)


def numbers(page: Any, fact: str) -> Array:
    """What the card of the selection says about a fact."""
    return np.array([float(text.replace("\u2212", "-")) for text in page.locator(f"#fact-{fact} b").all_inner_texts()])


def projected(page: Any, point: Array) -> Array:
    """(x, y) in pixels of a point of the world, from the numbers of the page's camera alone: a pinhole that looks at its target.

    The eye is at `distance` from the target, at an azimuth about z and an elevation; half of the window spans the tangents tx, ty, and
    the picture is moved by shift and lift, in half windows, to make room for the panels.
    """
    c = page.evaluate("redmax.camera")
    a, e = c["azimuth"], c["elevation"]
    back = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    right = np.array([-np.sin(a), np.cos(a), 0.0])
    up = np.cross(back, right)
    seen = np.asarray(point) - (np.array(c["target"]) + c["distance"] * back)
    depth = -seen @ back
    u, v = seen @ right / (depth * c["tx"]) + c["shift"], seen @ up / (depth * c["ty"]) + c["lift"]
    return np.array([(1 + u) * c["width"] / 2, (1 - v) * c["height"] / 2])


def has_hue(image: NDArray[Any], rgb: tuple[int, int, int], least: int = 60) -> NDArray[np.bool_]:
    """Pixels of the hue of a colour, whatever light falls on them, and at least so strong."""
    pixels, wanted = image.astype(float), np.array(rgb, float)
    chroma, hue = pixels - pixels.min(axis=-1, keepdims=True), wanted - wanted.min()
    strength = chroma.max(axis=-1)
    off = np.abs(chroma / np.maximum(strength, 1)[..., None] - hue / hue.max()).max(axis=-1)
    return (strength >= least) & (off < 0.12)
