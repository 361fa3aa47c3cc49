"""The gallery: an entry and a picture for every scene, as the script makes them."""

from __future__ import annotations

import importlib.util
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


def test_the_page_is_what_the_script_writes(gallery):
    assert (ROOT / "docs" / "gallery.md").read_text("utf-8") == gallery.page(), "run: python scripts/gallery.py --page"


def test_every_scene_has_an_entry_that_says_how_to_run_it(gallery):
    text = gallery.page()
    for entry in CATALOGUE:
        assert f"(gallery/{entry.name}.jpg)" in text
        assert f"redmax run {entry.name} " in text
        assert not entry.reference or f"`{entry.reference}`" in text
        source = ROOT / "src" / "redmax" / "scenes" / (gallery.module_of(entry).rpartition(".")[2] + ".py")
        assert source.exists()
        assert f"(../src/redmax/scenes/{source.name})" in text


def test_every_scene_has_a_picture_with_something_in_it(gallery):
    pictures = ROOT / "docs" / "gallery"
    assert {path.name for path in pictures.iterdir()} == {f"{entry.name}.jpg" for entry in CATALOGUE}
    assert sum(path.stat().st_size for path in pictures.iterdir()) < 3_000_000
    for entry in CATALOGUE:
        with Image.open(pictures / f"{entry.name}.jpg") as picture:
            assert picture.size == gallery.SIZE
            seen = np.asarray(picture.convert("HSV")).astype(int)
        assert (seen[..., 1] > 90).mean() > 0.002, f"{entry.name} shows nothing coloured"


def test_looks_are_of_scenes_that_exist(gallery):
    assert set(gallery.LOOKS) <= {entry.name for entry in CATALOGUE}


@pytest.mark.parametrize("name", ["double-pendulum", "gears", "spline-surface"])
def test_pictures_are_still_what_the_scenes_look_like(gallery, name, tmp_path):
    entry = find(name)
    fresh = np.asarray(Image.open(gallery.picture_of(entry, gallery.run_of(entry), tmp_path / "a.png"))).astype(int)
    kept = np.asarray(Image.open(ROOT / "docs" / "gallery" / f"{name}.jpg").convert("RGB"))
    assert np.abs(fresh - kept).mean() < 3, "run: python scripts/gallery.py " + name
