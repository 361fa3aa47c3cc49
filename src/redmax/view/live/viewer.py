"""Viewer: one loop that follows orders, lets time go on, has the simulation computed as far as needed, and moves the stage."""

from __future__ import annotations

import atexit
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.arguments import brief
from redmax.dynamics.common.path_states import muscles_of
from redmax.errors import SceneError, SimulationError
from redmax.view.live import look
from redmax.view.live import server as web
from redmax.view.live.address import HOST
from redmax.view.live.cameras import Cameras
from redmax.view.live.controls import Controls, Display
from redmax.view.live.energy import EnergyPlot
from redmax.view.live.memory import Memory, default_memory
from redmax.view.live.order_loop import FRAME, OrderLoop
from redmax.view.live.playback import Playback
from redmax.view.live.recording import Recording
from redmax.view.live.selection import Selection
from redmax.view.live.source import Growing, Source
from redmax.view.live.stage import LiveStage
from redmax.view.looks import look_of

if TYPE_CHECKING:
    import viser

PANEL = 380  # pixels
SLOW = 0.2  # s between updates of the energy plot while something moves


class Viewer(OrderLoop):
    """A page that shows a source. `url`, `show(t)`, `play()`, `pause()`, `stop()`; `error` is what ended it, if something did.

    on_progress: told how far a simulation is, (t, duration); wait_for_page: seconds that time waits for a page to open
    host: where it can be reached: this machine alone, unless it is another address
    shown: arguments of Look that differ from the scene's own
    """

    def __init__(
        self,
        source: Source,
        *,
        port: int = 8080,
        host: str = HOST,
        memory: Memory | None = None,
        wait_for_page: float = 0.0,
        on_progress: Callable[[float, float], None] | None = None,
        shown: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self.shown, self.look = shown, look_of(source.recording.model, shown)
        self.source, self.on_progress = source, on_progress
        self.memory = default_memory() if memory is None else memory
        self.title = source.recording.model.title or "redmax"
        self.dark = look.is_dark(self.look, self.memory.dark)
        self.closed = False
        self.playback = Playback(t=source.start, loop=not source.grows)
        self.hold_until = time.perf_counter() + wait_for_page if wait_for_page else 0.0
        self.unseen = True  # no page has been open yet, and nobody has said what to show
        self.site = web.start(port, self.title, host)
        self.server = self.site.server
        self.cameras = Cameras(self.server, self.memory, self.title)
        self.sample, self.plotted, self.plotted_at = -1, (-1, -1), 0.0
        atexit.register(self.close)
        try:
            self.build()
        except BaseException:
            self.close()
            raise

    def build(self) -> None:
        """Put the panel and the scene on the page."""
        gui, dark = self.server.gui, self.dark
        gui.main_panel.dock_right()
        gui.main_panel.set_width(PANEL)
        look.dress(self.server, dark)
        self.sky = gui.add_html(look.sky(self.colours, self.look.is_clear))
        span = self.source.start, self.source.end
        self.controls = Controls(gui, self.orders.give, self.playback, *span)
        with gui.add_folder(f"Energy ({self.recording.model.units.energy})"):
            self.energy = EnergyPlot(gui, self.recording, *span, dark)
        if muscles_of(self.recording.model):
            gui.add_html(look.LEVEL_SCALE)
        if self.recording.model.touches:
            gui.add_html(look.CONTACT_WORDS)
        with gui.add_folder("Selected body"):
            self.selection = Selection(gui)
        with gui.add_folder("View", expand_by_default=False):
            contacts = {"contacts": self.look.reactions is True or self.look.cones, "cones": self.look.cones}
            self.display = Display(gui, self.orders.give, dark, contacts if self.recording.model.touches else None)
        self.place(self.source.preview() if isinstance(self.source, Growing) else self.recording)
        self.server.on_client_connect(self.greet)

    @property
    def colours(self) -> look.SceneColours:
        """Of the theme, with what the look says of the background."""
        return look.dressed(look.scene_colours(self.dark), self.look)

    def greet(self, page: viser.ClientHandle) -> None:
        self.cameras.follow(page, self.orders.give)
        self.orders.give(lambda orders: orders.cameras.show(max(orders.sample, 0)))
        if self.source.failure:
            self.say("The simulation broke off", self.source.failure, [page])

    def place(self, preview: Recording) -> None:
        """Set up the stage for the source, which goes where the preview does."""
        self.look = look_of(self.recording.model, self.shown)
        self.stage = LiveStage(self.server, self.recording, preview, preview.t[-1] >= self.source.end - 1e-9, self.look)
        self.stage.on_click(lambda i: self.orders.give(lambda orders: orders.select(i)))
        self.stage.dress(self.colours)
        self.display.apply(self.stage)
        self.cameras.place(self.stage.camera, self.stage.scale)
        self.sample = -1

    @property
    def url(self) -> str:
        """Where the page is; who has it comes in."""
        return self.site.url

    @property
    def recording(self) -> Recording:
        return self.source.recording

    # What others ask for, from their own threads.

    def show(self, t: float) -> None:
        """Show the sample nearest to time t (s), and stay there; of a simulation, as far as it has come."""
        if not np.isfinite(t):
            raise SceneError(f"show takes a time in seconds. Got {brief(t)}.")
        self.ask(lambda orders: orders.seek(float(t)))

    def play(self) -> None:
        """Let time go on, also where it waits for somebody to look."""
        self.ask(lambda orders: orders.go_on())

    def pause(self) -> None:
        """Stop the time that is shown, and a simulation with it."""
        self.ask(lambda orders: orders.playback.playing and orders.toggle())

    def end(self) -> None:
        """Wait until the loop is over, and remember the camera."""
        super().end()
        self.cameras.remember(float("inf"))

    def close(self) -> None:
        """Take the page from the network."""
        atexit.unregister(self.close)
        if not self.closed:
            self.closed = True
            self.site.stop()

    # The loop.

    @property
    def moves(self) -> bool:
        return self.playback.playing

    def turn(self, elapsed: float, now: float) -> None:
        """One frame: `elapsed` seconds on the wall after the one before."""
        self.orders.carry_out()
        playback, source, pages = self.playback, self.source, self.server.get_clients()
        if self.hold_until and (pages or now > self.hold_until):
            self.hold_until = elapsed = 0.0
        if self.unseen and pages:  # whoever looks first sees it from the beginning
            self.unseen, elapsed = False, 0.0
            playback.t, playback.playing = source.start, True
        if playback.playing and not self.hold_until:
            wanted = playback.wanted(elapsed, source.end)
            self.compute(wanted)
            reached = float(self.recording.t[-1])
            playback.arrive(min(wanted, reached), source.start, source.end if source.grows else reached)
        self.refresh(now)
        self.energy.settle(pages, now)
        self.cameras.remember(now)

    def compute(self, t: float) -> None:
        """Have the samples up to t; say so if that fails."""
        count, failed = self.recording.count, bool(self.source.failure)
        self.source.reach(t, FRAME)
        if self.source.failure and not failed:
            self.say("The simulation broke off", self.source.failure)
        if self.on_progress is not None and self.recording.count > count:
            self.on_progress(float(self.recording.t[-1]) - self.source.start, self.source.end - self.source.start)

    def refresh(self, now: float) -> None:
        """Bring the page up to date."""
        sample = self.recording.index(self.playback.t)
        if sample != self.sample:
            self.stage.show(sample)
            self.cameras.show(sample)
            self.selection.show(self.recording, sample)
            self.sample = sample
        self.controls.show(self.playback)
        drawn = (sample, self.recording.count)
        if drawn != self.plotted and (now - self.plotted_at > SLOW or not self.playback.playing):
            self.energy.show(self.recording, float(self.recording.t[sample]))
            self.plotted, self.plotted_at = drawn, now

    def say(self, title: str, sentence: str, pages: Iterable[viser.ClientHandle] | None = None) -> None:
        for page in self.server.get_clients().values() if pages is None else pages:
            page.add_notification(title, sentence, color="red", auto_close_seconds=20.0)

    # Orders, carried out by the loop.

    def go_on(self) -> None:
        self.hold_until = 0.0
        if not self.playback.playing:
            self.toggle()

    def toggle(self) -> None:
        self.unseen, self.hold_until = False, 0.0
        self.playback.toggle(self.source.start, self.source.end)

    def seek(self, t: float) -> None:
        if np.isnan(t):
            raise SceneError("The time to show must be a number.")
        self.playback.playing = self.unseen = False
        self.playback.t = float(np.clip(t, self.recording.t[0], self.recording.t[-1]))
        self.refresh(time.perf_counter())

    def step(self, count: int) -> None:
        """To the next sample, or those before."""
        at = self.recording.index(self.playback.t) + count
        if at >= self.recording.count:
            self.compute(float(self.recording.t[-1]) + (self.source.end - self.source.start) * 1e-9 + 1e-12)
        self.seek(float(self.recording.t[int(np.clip(at, 0, self.recording.count - 1))]))

    def speed(self, value: float) -> None:
        self.playback.speed = value

    def loop(self, value: bool) -> None:
        self.playback.loop = value

    def theme(self, dark: bool) -> None:
        self.memory.dark = self.dark = dark
        self.display.dark.value = dark
        look.dress(self.server, dark)
        self.sky.content = look.sky(self.colours, self.look.is_clear)
        self.stage.dress(self.colours)
        self.energy.dress(dark)
        self.stage.show(max(self.sample, 0))

    def see(self, what: str, visible: bool) -> None:
        self.stage.see(what, visible)

    def select(self, i: int | None) -> None:
        """A body, or, if it is the one that is selected, none. One that is there no more, since it began again, is none."""
        i = i if i in self.stage.bodies.frames else None
        self.selection.body = None if i == self.selection.body else i
        self.stage.bodies.select(self.selection.body)
        self.selection.show(self.recording, max(self.sample, 0))

    def reset_camera(self) -> None:
        self.cameras.reset()

    def restart(self, make: Callable[[], Source]) -> None:
        """Begin again with another source; the one there is stays if that cannot be made, or cannot begin."""
        before = self.source
        with web.preparing(self.server):
            source = make()
            ahead = looked_ahead(source)
        try:
            self.change_to(source, ahead)
        except Exception:
            self.change_to(before, before.recording)
            raise

    def change_to(self, source: Source, preview: Recording) -> None:
        """Show another source, from its start."""
        self.source = source
        self.server.scene.reset()
        chosen, self.selection.body = self.selection.body, None
        self.place(preview)
        self.playback.t, self.playback.playing, self.plotted = source.start, True, (-1, -1)
        self.controls.reset(source.start, source.end)
        self.energy.reset(source.start, source.end)
        if chosen is not None and chosen in self.stage.bodies.frames:
            self.select(chosen)


def looked_ahead(source: Source) -> Recording:
    """Where a source goes, as far as a moment shows it. Raises where it breaks off before its first step is done."""
    if not isinstance(source, Growing):
        return source.recording
    ahead = source.ahead()
    if ahead.failure and ahead.loop.samples.done < 2:
        raise SimulationError(ahead.failure)
    return ahead.recording
