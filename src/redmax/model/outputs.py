"""What can be made of a scene: pictures, pages, files. The modules for these are imported when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from redmax.arguments import as_path
from redmax.errors import RedmaxError

if TYPE_CHECKING:
    from redmax.model.scene import Scene


class SceneOutputs:
    """The methods of a Scene that show or keep it."""

    def __repr__(self) -> str:
        from redmax.model.in_brief import scene_in_brief

        return scene_in_brief(as_scene(self))

    def picture(self, path: str | PathLike[str] = "scene.png", size: tuple[int, int] = (960, 600), **look: Any) -> Path:
        """Write a picture of the initial pose, as PNG, JPEG or WebP. size: width and height, pixels; look: as of Trajectory.picture."""
        from redmax.view.initial import initial_run

        return initial_run(as_scene(self)).picture(as_path(path, "A picture", "scene.png", RedmaxError), size=size, **look)

    def view(self, port: int = 8080, open_browser: bool = True, block: bool = True, host: str = "127.0.0.1", **look: Any) -> Any:
        """Look at the scene where it begins, in a page served on this machine; arguments and result as of Trajectory.view."""
        from redmax.view.live import view_scene

        return view_scene(as_scene(self), port, open_browser, block, host, **look)

    def _repr_html_(self) -> str:
        """In a notebook: a picture of the initial pose, and a table of bodies and joints."""
        from redmax.view.notebook import scene_html

        return scene_html(as_scene(self))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the scene to a file (YAML, docs: Scene files). Functions are saved as what they are traced to."""
        from redmax.io import save

        save(as_scene(self), path)

    @classmethod
    def load(cls, path: str | PathLike[str], parameters: Mapping[str, float | str] | None = None, *, budget: float | None = None) -> Scene:
        """The scene of a file. parameters: other values for those that the file has, by name; numbers or expressions such as "pi/4".

        budget: how many times the usual work and memory reading may take (docs: Scene files, Files from strangers); 1 unless given, or
            what the environment variable REDMAX_BUDGET says

        Nothing in a file is executed. One with mistakes raises redmax.io.SceneFileError, which lists them all with their lines.
        """
        from redmax.io import load
        from redmax.model.named_scene import check_not_listed

        check_not_listed(path)
        return load(path, parameters, budget=budget)


def as_scene(outputs: SceneOutputs) -> Scene:
    """Itself: only a Scene has these methods."""
    from redmax.model.scene import Scene

    assert isinstance(outputs, Scene)
    return outputs
