"""The live page in a real browser: who has the address comes in, as often as they like; other pages, and who has half of it, do not."""

from __future__ import annotations

import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

import redmax as rm
from browser.watched import quickly_drawn
from redmax.view.live import Viewer, watch
from redmax.view.live.memory import Memory

CONNECT = """url => new Promise(done => {
    const socket = new WebSocket(url, ["viser-v%s"]);
    socket.onmessage = () => done("heard it");
    socket.onclose = () => done("refused");
    setTimeout(() => done("silence"), 5000);
})"""


def falling(parameters: dict[str, float]) -> rm.Scene:
    scene = rm.Scene(title="Falling")
    scene.add_body(rm.Cuboid((0.6, 0.12, 0.12)), joint=rm.Revolute("y"), com=(0.3, 0, 0), name="bar")
    return scene


@pytest.fixture
def viewer(tmp_path, monkeypatch) -> Iterator[Any]:
    monkeypatch.setattr("redmax.view.live.viewer.default_memory", lambda: Memory(tmp_path / "viewer.json"))
    made = watch(falling, duration=60.0, dt=0.01, integrator="rk4", port=0, open_browser=False, block=False)
    quickly_drawn(made)
    yield made
    made.stop()


@pytest.fixture
def strange_url() -> Iterator[str]:
    """A page of somebody else's, on this machine, from which browsers let pages connect to others of it."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Strange) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


class Strange(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<html><body>strange</body></html>")

    def log_message(self, *args: Any) -> None:
        pass


def until(page: Any, condition: Any, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        page.wait_for_timeout(50)


def page_number(viewer: Viewer) -> int:
    """Of the page that is open; -1 for none."""
    return next(iter(viewer.server.get_clients()), -1)


def test_the_browser_that_was_opened_comes_in_and_back_after_a_drop(new_context, viewer):
    page = new_context(viewport={"width": 640, "height": 240}).new_page()
    page.goto(viewer.site.door.one_time_url())
    until(page, lambda: page_number(viewer) >= 0)
    first = page_number(viewer)
    viewer.server._websock_server.disconnect_all_clients()
    until(page, lambda: page_number(viewer) > first)
    field = page.get_by_label("duration (s)", exact=True)
    field.fill("10000000000000")
    field.press("Enter")
    page.get_by_role("button", name="Restart").click()
    page.get_by_text("PB of memory").wait_for()
    count = viewer.recording.count
    until(page, lambda: viewer.recording.count > count)
    page.get_by_role("button", name="Stop").click()
    until(page, lambda: not viewer.thread.is_alive())
    assert viewer.error is None


def test_other_pages_get_nothing_even_if_they_know_the_token(browser, viewer, strange_url):
    import viser

    context = browser.new_context()
    try:
        stranger = context.new_page()
        stranger.goto(strange_url)
        socket = viewer.url.replace("http://", "ws://")
        for url in (viewer.site.door.address.url.replace("http://", "ws://"), socket):
            assert stranger.evaluate(CONNECT % viser.__version__, url) == "refused"
        assert stranger.evaluate("url => fetch(url).then(() => 'read', () => 'refused')", viewer.url) == "refused"
        stranger.goto(viewer.site.door.address.url)
        assert "Open the whole address that redmax printed" in stranger.inner_text("body")
        assert stranger.evaluate(CONNECT % viser.__version__, socket) == "heard it"  # the same page of the same place hears it
    finally:
        context.close()
