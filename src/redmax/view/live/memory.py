"""What the viewer remembers from one run to the next: the theme, and the camera of each scene.

One small JSON file beside the compiled code (REDMAX_CACHE_DIR), so that all browsers of a user see the same. Whatever in it is not as
expected counts as forgotten; where it cannot be written, things are remembered until the program ends.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from redmax.backends.llvm.cache import default_folder
from redmax.errors import RedmaxError
from redmax.view.live.look import Viewpoint
from redmax.writing import write_text

FARTHEST = 1e100  # a camera, in the scene's units: what is drawn of it is still a number
NAME, MOST = "viewer.json", 50  # cameras that are kept, those of the scenes looked at last
LARGEST = 2**20  # bytes of a file that is read
LONGEST = 200  # characters of a title by which a camera is kept: titles come from files of others


class Memory:
    """path: of the file, None for none."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.kept = read(path)

    @property
    def dark(self) -> bool:
        return self.kept.get("dark") is True

    @property
    def cameras(self) -> dict[str, Any]:
        found = self.kept.get("cameras")
        return found if isinstance(found, dict) else {}

    @dark.setter
    def dark(self, value: bool) -> None:
        self.kept["dark"] = bool(value)
        self.write()

    def camera(self, scene: str) -> Viewpoint | None:
        """Where the camera of a scene was left."""
        return as_view(self.cameras.get(scene[:LONGEST]))

    def keep_camera(self, scene: str, view: Viewpoint | None) -> None:
        """Remember the camera of a scene, or, with None, forget it."""
        cameras = {name: kept for name, kept in self.cameras.items() if as_view(kept) is not None and name != scene[:LONGEST]}
        if view is not None:
            cameras[scene[:LONGEST]] = [view.position.tolist(), view.look_at.tolist()]  # the last one used is the last
        self.kept = {"dark": self.dark, "cameras": dict(list(cameras.items())[-MOST:])}
        self.write()

    def write(self) -> None:
        """Whole, so that a reader never sees half of it."""
        if self.path is None:
            return
        with suppress(OSError, RedmaxError):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_text(self.path, json.dumps(self.kept))


def default_memory() -> Memory:
    folder = default_folder()
    return Memory(None if folder is None else folder / NAME)


def read(path: Path | None) -> dict[str, Any]:
    """What a file holds, nothing if it is missing or is not what was written."""
    try:
        if path is None or not path.is_file() or path.stat().st_size > LARGEST:
            return {}
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def as_view(value: Any) -> Viewpoint | None:
    """A camera from two lists of three numbers, that are not the same point."""
    try:
        position, look_at = np.asarray(value, float)
        good = position.shape == look_at.shape == (3,) and np.abs([position, look_at]).max() < FARTHEST
    except (OverflowError, TypeError, ValueError):
        return None
    return Viewpoint(position, look_at) if good and (position != look_at).any() else None
