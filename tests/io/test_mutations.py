"""Scenes of the catalogue with one thing changed at random: each is still a scene, or has mistakes; nothing else, and soon."""

from __future__ import annotations

import copy
import time
from functools import cache

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from random_examples import LONG, examples
from redmax.cli import main
from redmax.io import SceneFileError, check, loads
from redmax.io.save import scene_data
from redmax.io.yaml_text import dumped
from redmax.model.scene import Scene
from redmax.scenes import CATALOGUE

LIMIT = 2.0
WORDS = st.sampled_from(
    ["", "arm", "Sphere", "Revolute", "t", "2*t", "q[0]", "1/0", "x y", "[", "-", "'", "{}", "redmax", "true", "~", "<<", "&a", "*a", "!x"]
)
NUMBERS = st.sampled_from([0, -1, 1, 2, 0.5, 1e308, -1e308, 1e-308, 10**18, float("nan"), float("inf"), -float("inf"), 1e16])
VALUES = st.one_of(
    NUMBERS, WORDS, st.none(), st.booleans(), st.sampled_from([[], {}, [1], [0, 0, 0], [[1, 2], [3]], {"body": "x"}, {"array": 1}])
)


# Scenes that together have every part of a file, and are soon made.
SEEDS = (
    "arm", "sculpture", "coupled-chain", "prescribed-twist-and-joint", "pulled-chain", "tied-mass-springs", "banner", "bezier-board",
    "spline-surface", "spline-knee", "mesh-body", "diff-cable",
)  # fmt: skip


@cache
def parsed() -> dict[str, dict]:
    """Scenes by name, as they are saved, but for what takes long to make."""
    found = {e.name: scene_data(e.scene()) for e in CATALOGUE if LONG or e.name in SEEDS}
    return {name: scene for name, scene in found.items() if len(dumped(scene)) < 30_000}


@cache
def texts() -> list[str]:
    """The same as they are in files."""
    return [dumped(scene) for scene in parsed().values()]


def places(value, path=()) -> list[tuple]:
    """Paths to everything in nested lists and mappings."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(p for key, x in inner for p in places(x, (*path, key)))]


def is_scene_or_says_why(text: str) -> None:
    started = time.process_time()
    try:
        scene = loads(text)
        assert isinstance(scene, Scene)
        with np.errstate(all="ignore"):
            scene.model()
    except SceneFileError as error:
        for p in error.problems:
            assert p.line >= 1
            assert p.message.endswith((".", "?")), p.message
    assert time.process_time() - started < LIMIT


@examples(40, 120)
@given(st.data())
def test_a_value_is_replaced_removed_or_renamed(data):
    scene = copy.deepcopy(data.draw(st.sampled_from(list(parsed().values()))))
    for _ in range(data.draw(st.integers(1, 2))):
        *way, last = data.draw(st.sampled_from(places(scene)[1:]))
        holder = scene
        for key in way:
            holder = holder[key]
        how = data.draw(st.sampled_from(["replace", "replace", "replace", "remove", "rename", "repeat"]))
        if how == "remove":
            del holder[last]
        elif how == "repeat" and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[last]))
        elif how == "rename" and isinstance(holder, dict):
            holder[str(last)[:-1] + data.draw(st.sampled_from("xs_"))] = holder.pop(last)
        else:
            holder[last] = copy.deepcopy(data.draw(VALUES))
        if len(places(scene)) == 1:
            break
    is_scene_or_says_why(dumped(scene))


@examples(30, 80)
@given(st.data())
def test_characters_are_changed(data):
    text = data.draw(st.sampled_from(texts()))
    at = data.draw(st.integers(0, len(text) - 1))
    end = min(len(text), at + data.draw(st.integers(0, 30)))
    is_scene_or_says_why(text[:at] + data.draw(st.one_of(WORDS, st.text(max_size=3))) + text[end:])


def test_the_command_says_the_same_as_the_check(tmp_path, capsys):
    """Lines of one scene left out in turn."""
    lines = dumped(parsed()["arm"]).splitlines(keepends=True)
    path = tmp_path / "scene.yaml"
    for k in range(0, len(lines), 21):
        path.write_text("".join(lines[:k] + lines[k + 1 :]))
        problems = check(path)
        if problems:
            assert main(["run", str(path)]) == 2
            assert str(problems[0]) in capsys.readouterr().err
