"""LiveViewer: a page of a simulation, with the panel that begins it again, and a hand that pulls bodies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from typing import Any

from redmax.errors import RedmaxError
from redmax.run.trajectory import Trajectory
from redmax.view.live.bodies import Vector
from redmax.view.live.controls import pressed
from redmax.view.live.hand import grab
from redmax.view.live.hand_on_nodes import grab_node, is_node
from redmax.view.live.recording import Recording
from redmax.view.live.result_file import ResultFile
from redmax.view.live.setup import Setup, SetupPanel
from redmax.view.live.source import Growing, Source
from redmax.view.live.viewer import Viewer
from redmax.view.live.watched_scene import MakeScene


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

    def place(self, preview: Recording) -> None:
        super().place(preview)
        self.stage.on_drag(lambda i, phase, start, at: self.orders.give(lambda orders: orders.drag(i, phase, start, at)))

    def drag(self, i: int, phase: str, start: Vector, at: Vector) -> None:
        """A pointer takes hold of body i at a place in the world, is at another one, or lets go."""
        source = self.simulated
        if phase == "end" or not source.grows:
            source.hold(None)
            self.stage.spring.show(None)
            if phase == "start":
                self.say("Nothing moves any more", "The simulation is over: Restart begins it again, and then bodies can be pulled.")
        elif source.hand is not None and source.hand.link == i:
            source.hold(source.hand.towards(at))
        elif phase == "start":
            self.take_hold(i, start, at)

    def take_hold(self, i: int, start: Vector, at: Vector) -> None:
        """Pull body i from now on: time goes on from where the simulation is."""
        source, first = self.simulated, self.simulated.loop.samples.answers is None
        source.hold(None)
        sim, size = source.sim, self.stage.size
        source.hold(grab_node(sim, i, at, size) if is_node(sim.model, i) else grab(sim, i, start, at, size))
        self.hold_until, self.playback.t, self.playback.playing = 0.0, float(self.recording.t[-1]), True
        if first and self.file is not None:  # it has no place yet for what pulls
            with self.told():
                self.end_file()
                self.begin_file()

    def begin(self, setup: Setup) -> None:
        self.orders.give(lambda orders: orders.restart(lambda: setup.source(self.make_scene)))

    def turn(self, elapsed: float, now: float) -> None:
        super().turn(elapsed, now)
        hand = self.simulated.hand
        if hand is not None:
            if self.simulated.grows:
                self.stage.spring.show(hand, self.recording.pose[-1, hand.link], self.recording.twist[-1, hand.link])
            else:
                self.drag(hand.link, "end", hand.target, hand.target)
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
