"""Scenes as bytes, for other processes: their text, for functions have no bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from redmax.errors import RedmaxError
from redmax.io.load import loads
from redmax.io.save import scene_data
from redmax.io.yaml_text import dumped
from redmax.model.scene import Scene


def pickled(scene: Scene) -> tuple[Callable[..., Scene], tuple[Any, ...]]:
    """What `__reduce__` returns."""
    try:
        text = dumped(scene_data(scene))
    except RedmaxError as error:
        advice = "Make it in the other process: give that the function which makes the scene"
        raise RedmaxError(f"The scene cannot be pickled, since it cannot be saved: {error} {advice}.") from error
    return restored, (text, scene.source, scene.identity)


def restored(text: str, source: Any, identity: str = "") -> Scene:
    """source: what knows the lines of the file that the scene was loaded from; identity: whose handles are pickled beside it."""
    scene = loads(text)
    return replace(scene, source=source, identity=identity or scene.identity)
