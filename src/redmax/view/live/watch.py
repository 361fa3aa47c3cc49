"""Ways to open the viewer: on a finished run, on a scene at rest, and on a simulation that goes on while it is watched."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Mapping
from dataclasses import fields
from os import PathLike
from typing import Any, Literal, TypeAlias, overload

from redmax.components.wrong_call import no_argument
from redmax.design.reach.inverse_kinematics import InverseKinematics
from redmax.errors import SimulationError
from redmax.model.look import Look
from redmax.model.scene import Scene
from redmax.results import check_target
from redmax.run.options import VALID, RunOptions
from redmax.run.progress import Progress, showing_progress
from redmax.run.quantities import STORE
from redmax.run.simulation import Simulation
from redmax.run.trajectory import Trajectory
from redmax.view.initial import initial_run
from redmax.view.live.address import HOST, meaning
from redmax.view.live.live_viewer import LiveViewer
from redmax.view.live.reach.reach_viewer import ReachViewer
from redmax.view.live.server import open_page
from redmax.view.live.setup import Setup
from redmax.view.live.source import Finished
from redmax.view.live.viewer import Viewer
from redmax.view.live.watched_scene import MakeScene, watched_scene

OPENING = 10.0  # s that a browser may take to open the page before time goes on without it
DURATION = 60.0  # s that are simulated where neither the caller nor the scene says how long
SHOWN = ("look", *(field.name for field in fields(Look)))
WatchedScene: TypeAlias = "Scene | MakeScene | str | PathLike[str] | InverseKinematics"
REACHING = 600.0  # s of the time line on which targets are dragged


def view_run(run: Trajectory, port: int = 8080, open_browser: bool = True, block: bool = True, host: str = HOST, **look: Any) -> Viewer:
    """Look at a run: see Trajectory.view."""
    viewer = Viewer(Finished.of(run), port=port, host=host, wait_for_page=OPENING * open_browser, shown=look)
    return opened(viewer, open_browser, block)


def view_scene(scene: Scene, port: int = 8080, open_browser: bool = True, block: bool = True, host: str = HOST, **look: Any) -> Viewer:
    """Look at a scene where it begins."""
    return view_run(initial_run(scene), port, open_browser, block, host, **look)


@overload
def watch(
    scene: WatchedScene, parameters: Mapping[str, float] | None = ..., *, block: Literal[True] = ..., **options: Any
) -> Trajectory: ...


@overload
def watch(scene: WatchedScene, parameters: Mapping[str, float] | None = ..., *, block: Literal[False], **options: Any) -> LiveViewer: ...


@overload
def watch(scene: WatchedScene, parameters: Mapping[str, float] | None = ..., *, block: bool, **options: Any) -> Trajectory | LiveViewer: ...


def watch(
    scene: WatchedScene,
    parameters: Mapping[str, float] | None = None,
    *,
    duration: float | None = None,
    dt: float | None = None,
    integrator: str | None = None,
    dynamics: str | None = None,
    rtol: float | None = None,
    out: str | PathLike[str] | None = None,
    port: int = 8080,
    open_browser: bool = True,
    block: bool = True,
    wait: bool | None = None,
    progress: Progress | bool | None = None,
    host: str = HOST,
    **further: Any,
) -> Trajectory | LiveViewer:
    """Simulate while you look: paced to real time, paused with the page, restarted from it with other parameters, bodies pulled by hand.

    Of `redmax.InverseKinematics` instead of a scene nothing is simulated: the page has handles at its targets, and the mechanism follows
    them as they are dragged. Then the options are duration, initial, out, port, open_browser, block, host and those of the look.

    scene: a Scene, the name of one of the catalogue or of a scene file, or a function (parameters by name) -> Scene
    parameters: of the function their names and first values, of a file other values for its own; the page has fields for them
    duration, dt (s), integrator, dynamics, rtol, and further ones such as atol, solver, halvings, controller and initial: as rm.simulate
        takes them; what is left out is as the scene says, and the duration a minute if it says none
    out: a result file, written as the simulation goes on; one that begins again replaces what there is, once it has begun
    port: 0 for any that is free, and the next free one if it is in use
    open_browser: whether to open the page in a browser of this machine
    block: stay until Ctrl-C or the page's Stop, then return the Trajectory so far (complete: False if it is not at its end);
        one that broke off raises SimulationError with it, as rm.simulate does;
        otherwise return the viewer at once, with .url, .show(t), .play(), .pause(), .trajectory() and .stop()
    wait: whether time begins only when somebody opens the page; unless given, where it blocks and opens no browser
    progress: as of rm.simulate
    host: "127.0.0.1" for this machine alone; "0.0.0.0" for all that can reach it, which it says on standard error
    camera, theme, background, trails and what else redmax.Look has: where the page differs from the scene's own look
    """
    if out is not None:
        check_target(out, STORE)
    if isinstance(scene, InverseKinematics):
        chosen = {"port": port, "host": host, "shown": further}
        return watch_targets(scene, further.pop("initial", None), duration or REACHING, out, open_browser, block, chosen)
    found = watched_scene(scene, parameters)
    asked = {"duration": duration, "dt": dt, "integrator": integrator, "dynamics": dynamics, "rtol": rtol}
    asked |= {name: further.pop(name) for name in tuple(further) if name in VALID}
    given = {name: value for name, value in asked.items() if value is not None}
    options = RunOptions(**{"duration": DURATION, **{n: v for n, v in found.defaults.items() if n in VALID and n != "every"}, **given})
    shown = {name: further.pop(name) for name in SHOWN if name in further}
    check_further(further)
    waits = (block and not open_browser) if wait is None else wait
    patience = math.inf if waits else OPENING * open_browser
    with showing_progress(progress) as show:
        setup = Setup(found.parameters, options, further=further)
        viewer = LiveViewer(found.make, setup, out, port=port, host=host, wait_for_page=patience, on_progress=show, shown=shown)
        opened(viewer, open_browser, block)
    if block and viewer.simulated.failure:
        raise SimulationError(viewer.simulated.failure, viewer.trajectory())
    return viewer.trajectory() if block else viewer


def watch_targets(
    ik: InverseKinematics, start: Any, duration: float, out: str | PathLike[str] | None, open_browser: bool, block: bool,
    options: Mapping[str, Any],
) -> Any:  # fmt: skip
    """A page on which targets are dragged: the viewer, or what came of it, which is kept in a file if one is named."""
    viewer = ReachViewer(ik, start, duration, wait_for_page=OPENING * open_browser, **options)
    opened(viewer, open_browser, block)
    if not block:
        return viewer
    if out is not None:
        viewer.trajectory().save(out)
    return viewer.trajectory()


def check_further(further: Mapping[str, Any]) -> None:
    """Raise unless a Simulation takes these."""
    known = dict.fromkeys([*inspect.signature(Simulation).parameters, *inspect.signature(watch).parameters, *SHOWN])
    for name in further:
        if name not in known:
            raise TypeError(no_argument("watch", name, [word for word in known if word != "further"]))


def opened(viewer: Viewer, open_browser: bool, block: bool) -> Viewer:
    """Say where the page is, show it, and stay with it if asked to."""
    door = viewer.site.door
    if door.address.is_open:
        print(meaning(door.url_outside, door.address.port), file=sys.stderr, flush=True)
    if block:
        waits = "; time begins when it is opened" if math.isinf(viewer.hold_until) else ""
        print(f"redmax: looking at {viewer.url} (Ctrl-C ends it{waits})", file=sys.stderr, flush=True)
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
