"""Ways to open the viewer: on a finished run, on a scene at rest, and on a simulation that goes on while it is watched."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from os import PathLike
from typing import Any

from redmax.errors import RedmaxError, SimulationError
from redmax.model.scene import Scene
from redmax.results import check_target
from redmax.run.options import VALID, RunOptions
from redmax.run.progress import Progress, showing_progress
from redmax.run.quantities import STORE
from redmax.run.trajectory import Trajectory
from redmax.view.initial import initial_run
from redmax.view.live.address import HOST, meaning
from redmax.view.live.controls import pressed
from redmax.view.live.result_file import ResultFile
from redmax.view.live.server import open_page
from redmax.view.live.setup import MakeScene, Setup, SetupPanel
from redmax.view.live.source import Finished, Growing, Source
from redmax.view.live.viewer import Viewer


def view_run(run: Trajectory, port: int = 8080, open_browser: bool = True, block: bool = True, host: str = HOST) -> Viewer:
    """Look at a run: see Trajectory.view."""
    return opened(Viewer(Finished.of(run), port=port, host=host, wait_for_page=open_browser), open_browser, block)


def view_scene(scene: Scene, port: int = 8080, open_browser: bool = True, block: bool = True, host: str = HOST) -> Viewer:
    """Look at a scene where it begins."""
    return opened(Viewer(Finished.of(initial_run(scene)), port=port, host=host, wait_for_page=open_browser), open_browser, block)


def watch(
    make_scene: MakeScene,
    parameters: Mapping[str, float] | None = None,
    *,
    duration: float,
    dt: float = 0.01,
    integrator: str | None = None,
    dynamics: str | None = None,
    rtol: float = 1e-8,
    out: str | PathLike[str] | None = None,
    port: int = 8080,
    open_browser: bool = True,
    block: bool = True,
    progress: Progress | bool | None = None,
    host: str = HOST,
    **further: Any,
) -> Trajectory | LiveViewer:
    """Simulate while you look: paced to real time, paused with the page, restarted from it with other parameters.

    make_scene: (parameters by name) -> Scene; parameters: their names and first values, which the page has fields for
    duration, dt (s), integrator, dynamics, rtol, and further ones such as atol, solver and halvings: as rm.simulate takes them
    out: a result file, written as the simulation goes on; one that begins again replaces what there is, once it has begun
    port: 0 for any that is free, and the next free one if it is in use
    block: stay until Ctrl-C or the page's Stop, then return the Trajectory so far (complete: False if it is not at its end);
        one that broke off raises SimulationError with it, as rm.simulate does;
        otherwise return the viewer at once, with .url, .show(t), .play(), .pause(), .trajectory() and .stop()
    progress: as of rm.simulate
    host: "127.0.0.1" for this machine alone; "0.0.0.0" for all that can reach it, which it says on standard error
    """
    if out is not None:
        check_target(out, STORE)
    known = {name: further.pop(name) for name in tuple(further) if name in VALID}
    options = RunOptions(duration, dt, integrator, dynamics, rtol, **known)
    setup = Setup(dict(parameters or {}), options, further=further)
    with showing_progress(progress) as show:
        viewer = LiveViewer(make_scene, setup, out, port=port, host=host, wait_for_page=open_browser, on_progress=show)
        opened(viewer, open_browser, block)
    if block and viewer.simulated.failure:
        raise SimulationError(viewer.simulated.failure, viewer.trajectory())
    return viewer.trajectory() if block else viewer


class LiveViewer(Viewer):
    """A viewer of a simulation, with the panel that begins it again."""

    def __init__(self, make_scene: MakeScene, setup: Setup, out: str | PathLike[str] | None = None, **options: Any) -> None:
        self.make_scene, self.setup, self.out = make_scene, setup, out
        self.file: ResultFile | None = None
        self.unwritten = False  # whether the file could not be written, and does not hold the run
        super().__init__(setup.source(make_scene), **options)
        try:
            self.begin_file()
        except BaseException:
            self.close()
            raise

    def build(self) -> None:
        super().build()
        gui = self.server.gui
        with gui.add_folder("Parameters"):
            self.panel = SetupPanel(gui, self.setup, self.recording.model, self.simulated.sim.method.name, self.begin)
        stop = gui.add_button("Stop", color="gray", hint="End the simulation and keep what was computed")
        pressed(stop, lambda _: lambda orders: orders.stopping.set(), self.orders.give)

    def begin(self, setup: Setup) -> None:
        self.orders.give(lambda orders: orders.restart(lambda: setup.source(self.make_scene)))

    def turn(self, elapsed: float, now: float) -> None:
        super().turn(elapsed, now)
        if self.file is not None:
            with self.told():
                self.file.follow()

    def restart(self, make: Callable[[], Source]) -> None:
        super().restart(make)
        with self.told():
            self.end_file()  # not before: where the new run cannot begin, the old one goes on, and so does its file
            self.begin_file()

    @contextmanager
    def told(self) -> Iterator[None]:
        """A file that cannot be written is told on the page; the simulation goes on, and at its end it is tried again."""
        try:
            yield
        except RedmaxError as error:
            self.unwritten = True
            with suppress(RedmaxError):
                self.end_file()
            self.say("The result file cannot be written", f"{error} The simulation goes on; it is tried again when it is stopped.")

    def begin_file(self) -> None:
        if self.out is not None:
            self.file, self.unwritten = ResultFile(self.out, self.simulated), False

    def end_file(self) -> None:
        file, self.file = self.file, None
        if file is not None:
            file.close()

    def stop(self) -> None:
        """Close the page, and the result file if there is one."""
        self.end()
        try:
            if self.unwritten:
                self.begin_file()
            self.end_file()
        finally:
            super().stop()

    def trajectory(self) -> Trajectory:
        """What has been computed so far."""
        return self.simulated.trajectory()

    @property
    def simulated(self) -> Growing:
        assert isinstance(self.source, Growing)
        return self.source


def opened(viewer: Viewer, open_browser: bool, block: bool) -> Viewer:
    """Say where the page is, show it, and stay with it if asked to."""
    door = viewer.site.door
    if door.address.is_open:
        print(meaning(door.url_outside, door.address.port), file=sys.stderr, flush=True)
    if block:
        print(f"redmax: looking at {viewer.url} (Ctrl-C ends it)", file=sys.stderr, flush=True)
    if open_browser:
        open_page(door.one_time_url())
    if not block:
        viewer.start()
        return viewer
    try:
        viewer.run()
    except KeyboardInterrupt:
        pass
    finally:
        viewer.stop()
    return viewer
