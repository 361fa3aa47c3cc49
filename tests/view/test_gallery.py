"""The gallery: an entry and a picture for every scene, as the script makes them."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

from redmax.scenes import CATALOGUE, find

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def gallery() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gallery", ROOT / "scripts" / "gallery.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["gallery"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_what_the_script_writes(gallery):
    for path, text in gallery.pages().items():
        assert path.read_text("utf-8") == text, "run: python scripts/gallery.py --page"


def test_every_scene_has_a_thumbnail_that_opens_its_entry(gallery):
    """Anchors of headings are unique, so that each opens its own."""
    thumbnails, entries = gallery.pages().values()
    places = [gallery.anchor(title) for title in re.findall(r"^#+ (.*)$", entries, re.MULTILINE)]
    assert len(places) == len(set(places))
    for entry in CATALOGUE:
        place = gallery.anchor(entry.title)
        assert place in places
        assert f"[![{entry.title}](gallery/{entry.name}.webp)<br>**{entry.title}**](scenes.md#{place})" in thumbnails


def test_captions_of_the_readme_are_those_of_the_gallery(gallery):
    text = (ROOT / "README.md").read_text("utf-8")
    shown = re.findall(r"\(docs/gallery/([\w-]+)\.webp\)", text)
    assert len(shown) >= 12
    for name in shown:
        assert gallery.thumbnail(find(name), "docs/") in text


def test_every_scene_has_an_entry_that_says_how_to_run_it(gallery):
    text = gallery.pages()[gallery.SCENES]
    for entry in CATALOGUE:
        assert f"(gallery/{entry.name}.webp)" in text
        assert f"redmax run {entry.name} " in text
        assert not entry.reference or f"`{entry.reference}`" in text
        source = ROOT / "src" / "redmax" / "scenes" / (gallery.module_of(entry).rpartition(".")[2] + ".py")
        assert source.exists()
        assert f"(../src/redmax/scenes/{source.name})" in text


def test_every_scene_has_a_picture_with_something_in_it(gallery):
    pictures = ROOT / "docs" / "gallery"
    assert {path.name for path in pictures.iterdir()} == {f"{entry.name}.webp" for entry in CATALOGUE}
    assert sum(path.stat().st_size for path in pictures.iterdir()) < 28_000 * len(CATALOGUE)
    for entry in CATALOGUE:
        with Image.open(pictures / f"{entry.name}.webp") as picture:
            assert picture.size == gallery.SIZE
            seen = np.asarray(picture.convert("HSV")).astype(int)
        assert (seen[..., 1] > 90).mean() > 0.002, f"{entry.name} shows nothing coloured"


def test_looks_are_of_scenes_that_exist(gallery):
    assert set(gallery.LOOKS) <= {entry.name for entry in CATALOGUE}


@pytest.mark.parametrize("name", ["double-pendulum", "gears", "spline-surface"])
def test_pictures_are_still_what_the_scenes_look_like(gallery, name, tmp_path):
    entry = find(name)
    fresh = np.asarray(Image.open(gallery.picture_of(entry, gallery.run_of(entry), tmp_path / "a.png"))).astype(int)
    kept = np.asarray(Image.open(ROOT / "docs" / "gallery" / f"{name}.webp").convert("RGB"))
    assert np.abs(fresh - kept).mean() < 3, "run: python scripts/gallery.py " + name
