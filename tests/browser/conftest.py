"""Chromium for the tests: a page whose every request and complaint is written down, and judged when the test ends.

The browser lives as long as the tests of this folder: Playwright's plain interface keeps an event loop running in the thread that uses it,
in which tests of other folders could start none of their own. Below it are the pages of the animation that several modules look at.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import redmax as rm
from browser.playing import drawn, opened
from browser.watched import Record
from redmax.view import BodyView, write_html

FLAGS = [
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-dev-shm-usage",
    "--disable-gpu-compositing",  # there is no graphics card: what software would draw as one, and read back, it puts together at once
]


def chromium_path() -> str:
    """Where the browser is, or the end of the test with what is missing."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None and Path("/usr/bin/chromium").exists():
        found = "/usr/bin/chromium"
    if found is None:
        pytest.skip("there is no browser: install the Debian package chromium (apt-get install chromium)")
    return found


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """A headless Chromium that draws WebGL in software."""
    path = chromium_path()
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install 'redmax[test]'")
    with playwright.sync_playwright() as p:
        launched = p.chromium.launch(executable_path=path, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def record() -> Record:
    """What the pages of this test asked for and complained about."""
    return Record()


@pytest.fixture
def new_context(browser: Any, record: Record) -> Iterator[Any]:
    """new_context(**options): a fresh profile, with the options of Playwright's browser.new_context; all its pages are watched.

    At the end of the test every request must have stayed on this machine, and no page may have complained.
    """
    opened = []

    def make(**options: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 920, "height": 500}, "device_scale_factor": 1} | options)
        context.set_default_timeout(60_000)  # for machines that do much else
        context.on("page", record.watch)
        opened.append(context)
        return context

    yield make
    for context in opened:
        context.close()
    assert record.strange_requests == []
    assert record.complaints == []


@pytest.fixture
def page(new_context: Any) -> Any:
    """A page of 920 x 500 pixels in a fresh profile."""
    return new_context().new_page()


@pytest.fixture
def small_page(new_context: Any) -> Any:
    """A page of 480 x 320 pixels, for what is the same in any size: a third of the pixels take half of the time."""
    return new_context(viewport={"width": 480, "height": 320}).new_page()


@pytest.fixture(scope="package")
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


@pytest.fixture(scope="package")
def path(run, tmp_path_factory) -> Path:
    return run.html(tmp_path_factory.mktemp("player") / "two links.html")


@pytest.fixture(scope="package")
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


@pytest.fixture(scope="package")
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
