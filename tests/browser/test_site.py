"""The documentation builds without a warning, asks no other machine for anything, and all of its links lead to something."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]
LOADED = {"img": "src", "script": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src", "embed": "src", "object": "data"}
LOADING_LINKS = {"stylesheet", "icon", "preload", "modulepreload", "prefetch", "preconnect", "dns-prefetch", "manifest", "shortcut"}
BUILD = "import gc, sys; gc.disable(); from sphinx.cmd.build import main; sys.exit(main(sys.argv[1:]))"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; warnings are errors, as in `make docs`. What it makes it keeps: garbage is not searched for."""
    pytest.importorskip("sphinx", reason="needs sphinx: pip install 'redmax[docs]'")
    folder = tmp_path_factory.mktemp("site")
    options = ["-q", "-W", "--keep-going", "-d", str(folder / "doctrees"), "docs", str(folder / "html")]
    command = [sys.executable, "-c", BUILD, *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "html"


class Page(HTMLParser):
    """What a page loads, where it leads, and the names of its places."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.leads: list[str] = []
        self.places: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.leads.append(given["href"])
        elif tag == "link" and LOADING_LINKS & set(given.get("rel", "").split()):
            self.loads.append(given["href"])
        elif LOADED.get(tag) in given:
            self.loads.append(given[LOADED[tag]])
        self.loads += re.findall(r"url\(['\"]?([^)'\"]+)", given.get("style", ""))


def resources_of_styles(folder: Path) -> Iterator[tuple[Path, str]]:
    for style in folder.rglob("*.css"):
        for target in re.findall(r"url\(['\"]?([^)'\"]+)|@import ['\"]([^'\"]+)", style.read_text("utf-8")):
            yield style, "".join(target)


def test_pages_load_and_lead_to_what_is_there_and_show_formulas_and_what_is_searched_for(site, page):
    """In one test, so that the site is built once."""
    nothing_is_missing(site)
    formulas_are_mathml_and_the_search_works_without_a_server(site, page)


def nothing_is_missing(site: Path) -> None:
    pages = {path: Page(path) for path in site.rglob("*.html")}
    assert {"index.html", "tutorial.html", "theory.html", "search.html"} <= {path.name for path in pages}
    wrong = []
    for path, page in pages.items():
        for target in page.loads:
            parts = urlsplit(target)
            if parts.scheme != "data" and (parts.scheme or parts.netloc or not (path.parent / unquote(parts.path)).is_file()):
                wrong.append((path.name, "loads", target))
        for target in page.leads:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            other = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            there = pages.get(other)
            if not other.is_file() or (there and parts.fragment and unquote(parts.fragment) not in there.places):
                wrong.append((path.name, "leads to", target))
    for style, target in resources_of_styles(site):
        parts = urlsplit(target)
        if parts.scheme != "data" and (parts.scheme or parts.netloc or not (style.parent / parts.path).is_file()):
            wrong.append((style.name, "loads", target))
    assert not wrong


def formulas_are_mathml_and_the_search_works_without_a_server(site: Path, page: Any) -> None:
    formulas = [text for path in site.rglob("*.html") for text in re.findall(r"<math.*?</math>", path.read_text("utf-8"), re.DOTALL)]
    assert len(formulas) > 50
    for text in formulas:
        assert "\\" not in "".join(ElementTree.fromstring(text).itertext())
    page.goto(f"{(site / 'theory.html').as_uri()}")
    assert page.locator(".formula math").first.bounding_box()["height"] > 20
    hits_can_be_told_apart(site, page)
    pictures_have_captions_and_thumbnails_open_their_scenes(site, page)


def hits_can_be_told_apart(site: Path, page: Any) -> None:
    """No two say the same; each says what it is, and quotes the word; the class itself comes first."""
    page.goto(f"{(site / 'search.html').as_uri()}?q=Revolute")
    page.wait_for_selector("ul.search li a")
    names = page.locator("ul.search .hit").all_inner_texts()
    assert len(names) > 15
    assert len(names) == len(set(names))
    assert names[0].split() == ["redmax.Revolute", "in", "Joints", "class"]
    assert {"Guide", "How to", "Reference", "class"} <= {name.splitlines()[-1].strip() for name in names}
    assert all("revolute" in text.lower() for text in page.locator("ul.search .context").all_inner_texts()[1:])
    page.locator("ul.search a").first.click()
    assert page.url.endswith("api/joints.html#redmax.Revolute")


def pictures_have_captions_and_thumbnails_open_their_scenes(site: Path, page: Any) -> None:
    page.goto((site / "index.html").as_uri())
    assert page.locator("figure figcaption").first.inner_text().startswith("A kinetic sculpture")  # pictures say what they show
    page.goto((site / "gallery.html").as_uri())
    first, second = (page.locator("article table a").nth(k) for k in range(2))
    boxes = [link.locator(part).bounding_box() for link in (first, second) for part in ("img", "strong")]
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]  # captions below
    assert boxes[0]["x"] + boxes[0]["width"] < boxes[2]["x"]  # side by side
    first.click()
    assert page.url.endswith("scenes.html#kinetic-sculpture")
