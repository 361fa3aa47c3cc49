"""Chromium for the tests: a page whose every request and complaint is written down, and judged when the test ends.

The browser lives as long as a module's tests: Playwright's plain interface keeps an event loop running in the thread that uses it, in
which tests of other modules could start none of their own.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser.watched import Record

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
]


def chromium_path() -> str:
    """Where the browser is, or the end of the test with what is missing."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None and Path("/usr/bin/chromium").exists():
        found = "/usr/bin/chromium"
    if found is None:
        pytest.skip("there is no browser: install the Debian package chromium (apt-get install chromium)")
    return found


@pytest.fixture(scope="module")
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
