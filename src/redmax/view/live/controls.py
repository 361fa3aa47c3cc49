"""The panel: play, pause, step, speed, time line and loop; what is drawn; theme and camera. Each control gives an order to the viewer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import floor, log10
from typing import TYPE_CHECKING, Any, Protocol

from redmax.view.live.orders import Order
from redmax.view.live.playback import SPEEDS, Playback

if TYPE_CHECKING:
    import viser

    from redmax.view.live.stage import LiveStage

CONTACTS = {"contacts": ("Contacts", "Points and forces"), "cones": ("Friction cones", "What forces of contact can be")}
BEGIN, BACK, FORTH = "begin", "◂ back", "step ▸"


class Orders(Protocol):
    """What the panel can ask for: the viewer, to which an order is done."""

    def toggle(self) -> None: ...
    def seek(self, t: float) -> None: ...
    def step(self, count: int) -> None: ...
    def speed(self, value: float) -> None: ...
    def loop(self, value: bool) -> None: ...
    def theme(self, dark: bool) -> None: ...
    def see(self, what: str, visible: bool) -> None: ...
    def reset_camera(self) -> None: ...


Give = Callable[[Order], None]


class Controls:
    """give: called with a function of the orders, from a thread of viser's; it hands it on to the viewer's own."""

    def __init__(self, gui: viser.GuiApi, give: Give, playback: Playback, start: float, end: float) -> None:
        import viser

        self.play_icon, self.pause_icon = viser.Icon.PLAYER_PLAY_FILLED, viser.Icon.PLAYER_PAUSE_FILLED
        self.play = gui.add_button("Play", icon=self.play_icon, hint="Play or pause (key P)")
        self.steps = gui.add_button_group("Step", (BEGIN, BACK, FORTH))
        self.time = gui.add_slider("Time (s)", start, span(start, end), step_of(start, end), start, hint="Drag to any time so far")
        named = next(name for name, value in SPEEDS.items() if value == playback.speed)
        self.speed = gui.add_dropdown("Speed", tuple(SPEEDS), initial_value=named)
        self.loop = gui.add_checkbox("Loop", playback.loop)
        pressed(self.play, lambda _: lambda orders: orders.toggle(), give)
        pressed(self.steps, step_order, give)
        changed(self.time, lambda t: lambda orders: orders.seek(t), give)
        changed(self.speed, lambda name: lambda orders: orders.speed(SPEEDS[name]), give)
        changed(self.loop, lambda value: lambda orders: orders.loop(value), give)
        gui.add_command("Play or pause", hotkey="P").on_trigger(lambda _: give(lambda orders: orders.toggle()))

    def reset(self, start: float, end: float) -> None:
        """For another run."""
        self.time.min, self.time.max, self.time.step = start, span(start, end), step_of(start, end)

    def show(self, playback: Playback) -> None:
        """What the playback does now."""
        shown = round(playback.t, decimals(self.time.step))  # a field has room for few digits
        self.time.value = min(max(shown, self.time.min), self.time.max)
        label = "Pause" if playback.playing else "Play"
        if self.play.label != label:
            self.play.label, self.play.icon = label, self.pause_icon if playback.playing else self.play_icon
        self.loop.value = playback.loop


class Display:
    """What is drawn, in which theme, and the way back to the first camera. shown: whether "contacts" and "cones" are, where some can be."""

    def __init__(self, gui: viser.GuiApi, give: Give, dark: bool, shown: Mapping[str, bool] | None = None) -> None:
        self.dark = gui.add_checkbox("Dark", dark)
        self.joints = gui.add_checkbox("Joints", True, hint="Axes, curves and surfaces")
        self.forces = gui.add_checkbox("Forces", True, hint="Springs, muscles and arrows")
        self.touching = {name: gui.add_checkbox(CONTACTS[name][0], on, hint=CONTACTS[name][1]) for name, on in (shown or {}).items()}
        self.camera = gui.add_button("Reset camera", hint="Look at the whole motion again")
        changed(self.dark, lambda value: lambda orders: orders.theme(value), give)
        changed(self.joints, lambda value: lambda orders: orders.see("joints", value), give)
        changed(self.forces, lambda value: lambda orders: orders.see("forces", value), give)
        for name, box in self.touching.items():
            changed(box, lambda value, name=name: lambda orders: orders.see(name, value), give)
        pressed(self.camera, lambda _: lambda orders: orders.reset_camera(), give)

    def apply(self, stage: LiveStage) -> None:
        """Hide on a new stage what is not to be seen."""
        stage.see("joints", self.joints.value)
        stage.see("forces", self.forces.value)
        for name, box in self.touching.items():
            stage.see(name, box.value)


def step_order(label: str) -> Order:
    if label == BEGIN:
        return lambda orders: orders.seek(float("-inf"))
    return lambda orders: orders.step(-1 if label == BACK else 1)


def changed(field: Any, order: Callable[[Any], Order], give: Give) -> None:
    """Give an order when a user, and not the viewer itself, changes the value of a field."""

    async def act(event: Any) -> None:  # in viser's event loop: one after the other, as they were made
        if event.client is not None:
            give(order(event.target.value))

    field.on_update(act)


def pressed(button: Any, order: Callable[[Any], Order], give: Give) -> None:
    async def act(event: Any) -> None:
        give(order(event.target.value))

    button.on_click(act)


def span(start: float, end: float) -> float:
    """The end of the time line, which viser wants to be later than its start."""
    return end if end > start else start + 1e-3


def step_of(start: float, end: float) -> float:
    """A thousandth of the time line, as a short number."""
    return float(f"{(span(start, end) - start) / 1000:.1g}")


def decimals(step: float) -> int:
    """How many digits after the point tell steps of that size apart."""
    return max(0, -floor(log10(step)))
