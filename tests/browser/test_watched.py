"""The record of a page says what the page did: otherwise the tests that rely on its silence would prove nothing."""

import numpy as np
import pytest

from browser.watched import Record, centroid, changed_share, colours, is_own, picture


def test_only_this_machine_is_one_s_own():
    here = (
        "file:///tmp/a.html",
        "data:text/plain,x",
        "blob:null/1-2",
        "http://127.0.0.1:8080/",
        "ws://localhost:8080",
        "http://[::1]:8080",
    )
    for url in here:
        assert is_own(url), url
    for url in ("https://example.org/three.js", "http://127.0.0.1.example.org/", "wss://example.org"):
        assert not is_own(url), url


def test_strange_requests_and_complaints_are_written_down(browser):
    context = browser.new_context()
    record = Record()
    context.on("page", record.watch)
    page = context.new_page()
    page.goto("data:text/html,<script>console.error('bad'); setTimeout(() => { throw new Error('worse') })</script>")
    page.evaluate("fetch('http://nowhere.invalid/x').catch(() => 0)")
    context.close()
    assert record.strange_requests == ["http://nowhere.invalid/x"]
    assert any("bad" in text for text in record.complaints)
    assert any("worse" in text for text in record.complaints)


def test_pictures_have_the_colours_of_the_page(page):
    box = "position:absolute; left:100px; top:50px; width:20px; height:40px; background:rgb(200,0,0)"
    page.goto(f"data:text/html,<body style='background:white'><div style='{box}'>")
    seen = picture(page)
    assert seen.shape == (500, 920, 3)
    assert colours(seen) == 2
    np.testing.assert_allclose(centroid(seen, (200, 0, 0)), [109.5, 69.5])
    assert changed_share(seen, np.full_like(seen, 255)) == pytest.approx(800 / 460_000)
    assert colours(picture(page, (0, 0, 50, 50))) == 1
