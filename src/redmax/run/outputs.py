"""What can be made of a run: pages, pictures, films, files, tables. The modules for these are imported when they are asked for."""

from __future__ import annotations

from collections.abc import Collection
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.arguments import as_path
from redmax.errors import RedmaxError
from redmax.run.quantities import STORE

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory


class TrajectoryOutputs:
    """The methods of a Trajectory that show or keep it."""

    def html(self, path: str | Path = "redmax.html", **look: Any) -> Path:
        """Write the animation as one HTML file that plays offline. look: as of a picture, but fit."""
        from redmax.view import page_of, write_html

        run = one_world(self, "html")
        return write_html(as_path(path, "A page", "run.html", RedmaxError), **page_of(run, **look))

    def picture(self, path: str | Path = "redmax.png", t: float | None = None, size: tuple[int, int] = (960, 600), **look: Any) -> Path:
        """Write a picture at time t (s), by default at the end, as PNG, JPEG or WebP; no display or browser is needed.

        size: width and height, pixels
        look: what redmax.Look has, where the picture differs from the scene's own look: camera=(azimuth, elevation), (azimuth,
            elevation, zoom), degrees, or a redmax.Camera; theme="light" or "dark"; background="white" or "transparent"; ground=False;
            trails=[hand.point(0, 0, 0.1)]; colors={"arm": "tomato"}; marks=False without pins and balls of joints; or look=Look(...)
            fit="run", so that the camera sees where everything goes, "moment" where it is, or "bodies" only these
        """
        from redmax.view.looks import look_of
        from redmax.view.picture import write_picture
        from redmax.view.stage import stage_at

        run = one_world(self, "picture")
        path = as_path(path, "A picture", "run.png", RedmaxError)
        how = {name: look.pop(name) for name in ("fit",) if name in look}
        stage = stage_at(run, [t] if isinstance(t, Real) else [], look_of(run.model, look, ("path", "t", "size", "fit")))
        return write_picture(path, stage, t=t, size=size, **how)

    def film(
        self, path: str | Path = "redmax.mp4", size: tuple[int, int] = (960, 600), fps: float = 30.0, speed: float = 1.0, **look: Any
    ) -> Path:
        """Write a film, MP4 (H.264), GIF or WebP by the suffix of the path (needs the extra redmax[video]).

        size: width and height, pixels; fps: pictures per second; speed: seconds of the run per second of the film
        look: start=, end= (s) of the part to show; progress=True for a bar, or a function of the pictures done and to do; camera=,
            theme=, background=, trails= and what else a picture takes, but fit. A transparent film is GIF or WebP
        """
        from redmax.view.looks import look_of
        from redmax.view.picture import frame_times, write_film
        from redmax.view.stage import stage_at

        run = one_world(self, "film")
        path = as_path(path, "A film", "run.mp4", RedmaxError)
        how = {name: look.pop(name) for name in ("start", "end", "progress") if name in look}
        times = frame_times(run.good.t, fps, speed, how.get("start"), how.get("end"))
        own = look_of(run.model, look, ("path", "size", "fps", "speed", "start", "end", "progress"))
        return write_film(path, stage_at(run, times, own), size=size, fps=fps, speed=speed, **how)

    def view(self, port: int = 8080, open_browser: bool = True, block: bool = True, host: str = "127.0.0.1", **look: Any) -> Any:
        """Look at the run in a page served on this machine (needs the extra redmax[view]).

        port: where; the next free one if it is in use, any that is free if it is 0
        block: stay until Ctrl-C; otherwise the viewer goes on by itself, with .url, .show(t), .play(), .pause() and .stop()
        host: "127.0.0.1" for this machine alone; "0.0.0.0" for all that can reach it, which it says on standard error
        look: as of a picture, but fit
        """
        from redmax.view.live import view_run

        return view_run(as_run(self), port, open_browser, block, host, **look)

    def _repr_html_(self) -> str:
        """In a notebook: the energy, and the animation in a frame."""
        from redmax.view.notebook import run_html

        return run_html(as_run(self))

    def save(self, path: str | PathLike[str], store: Collection[str] = STORE) -> None:
        """Write a result file (HDF5), which `redmax.load` opens. store: what it holds beside the states, see `redmax.simulate`."""
        from redmax.results import save

        save(as_run(self), path, store)

    def to_numpy(self) -> dict[str, np.ndarray]:
        """t, q, qdot, energies, poses, twists and reactions by name, with the names of bodies and joints: np.savez takes them."""
        from redmax.results import to_numpy

        return to_numpy(as_run(self))

    def to_pandas(self, what: Collection[str] = ("q", "qdot", "energy")) -> Any:
        """A pandas.DataFrame over t (of a batch, over t and world). what: also "qddot", "position", "quaternion", "twist", "reaction",
        "step reaction", "torques", "friction", "constraints", "impulses", "contacts", "frames", "paths", "moment-arms", "muscles",
        "center-of-mass", "centroidal-momentum", "momentum-screw"; or as plots call it, "coordinates", "reactions", ..."""
        from redmax.results import to_pandas

        return to_pandas(as_run(self), what)

    def to_csv(self, path: str | PathLike[str], what: Collection[str] = ("q", "qdot", "energy")) -> Path:
        """Write a table with a line for each sample (and world), and names with units in its first line. what: as for `to_pandas`."""
        from redmax.results import to_csv

        return to_csv(as_run(self), as_path(path, "A table", "run.csv", RedmaxError), what)


def as_run(outputs: TrajectoryOutputs) -> Trajectory:
    """Itself: only a Trajectory has these methods."""
    from redmax.run.trajectory import Trajectory

    assert isinstance(outputs, Trajectory)
    return outputs


def one_world(outputs: TrajectoryOutputs, what: str) -> Trajectory:
    """Itself, a run of one world; of several, an error. what: the method that shows one."""
    run = as_run(outputs)
    run.single(what)
    return run
