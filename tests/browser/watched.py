"""A page in a real browser that keeps a record of what it asked the network for and of what it complained about."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from PIL import Image

OWN_SCHEMES = {"file", "data", "blob", "about"}
OWN_HOSTS = {"127.0.0.1", "localhost", "::1"}
# What Chromium says about drawing without a graphics card, and about a test that reads its picture back: no fault of the page.
HARMLESS = ("GPU stall due to ReadPixels", "Automatic fallback to software WebGL has been deprecated", "software WebGL")
# And what three.js, inside viser, says of itself and of such a driver.
HARMLESS += ("THREE.Clock: This module has been deprecated", "KHR_parallel_shader_compile extension not supported")

Box = tuple[float, float, float, float]


@dataclass
class Record:
    """requests: every address asked for; complaints: errors and warnings of the console, and exceptions that nobody caught."""

    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def watch(self, page: Any) -> None:
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("websocket", lambda socket: self.requests.append(socket.url))
        page.on("console", self.on_console)
        page.on("pageerror", lambda error: self.complaints.append(f"exception: {error}"))
        page.on("crash", lambda _: self.complaints.append("the page crashed"))

    def on_console(self, message: Any) -> None:
        if message.type in ("error", "warning") and not any(text in message.text for text in HARMLESS):
            self.complaints.append(f"{message.type}: {message.text}")

    @property
    def strange_requests(self) -> list[str]:
        """Those that left this machine."""
        return [url for url in self.requests if not is_own(url)]


def is_own(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme in OWN_SCHEMES or parts.hostname in OWN_HOSTS


def quickly_drawn(viewer: Any) -> None:
    """Without the shadows and reflections of viser: where there is no graphics card, the first picture waits ten seconds for them."""
    viewer.server.scene.configure_environment_map(None)
    viewer.server.scene.configure_default_lights(cast_shadow=False)
    viewer.server.scene.add_light_ambient("/light of the tests", intensity=2.0)  # on the sides that the lights do not reach


def picture(page: Any, box: Box | None = None) -> np.ndarray:
    """(height, width, 3) of 0..255: what is seen in the whole window, or in (x, y, width, height) of it, in CSS pixels."""
    clip = None if box is None else dict(zip(("x", "y", "width", "height"), box, strict=True))
    return np.asarray(Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB"))


def element_box(page: Any, selector: str) -> Box:
    """(x, y, width, height) of an element in the window, in CSS pixels."""
    box = page.locator(selector).bounding_box()
    assert box is not None, f"{selector} is not shown"
    return box["x"], box["y"], box["width"], box["height"]


def colours(image: np.ndarray, step: int = 8) -> int:
    """How many colours there are, those within `step` of each other counted once: 1 of an empty canvas."""
    return len(np.unique(image.reshape(-1, image.shape[-1]) // step, axis=0))


def changed_share(before: np.ndarray, after: np.ndarray, least: int = 12) -> float:
    """The share of pixels that differ by `least` or more in some channel."""
    return float((np.abs(before.astype(int) - after.astype(int)).max(axis=-1) >= least).mean())


def centroid(image: np.ndarray, colour: Sequence[int], tolerance: int = 40) -> np.ndarray:
    """(x, y) in pixels: the middle of all that has a colour, up to `tolerance` in each channel."""
    rows, columns = np.nonzero((np.abs(image.astype(int) - np.asarray(colour)) <= tolerance).all(axis=-1))
    assert len(rows), f"nothing in the picture has the colour {tuple(colour)}"
    return np.array([columns.mean(), rows.mean()])
