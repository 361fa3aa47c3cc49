"""What a page may say: the few messages of viser's that the viewer listens to, each of the right form, small, and not too many at once.

Everything else is dropped before viser sees it: its own handling lets a message set any attribute of a control, ends a connection at the
first that it cannot read, and knows nothing of what a value means. A value that its control does not have is answered with a sentence.
"""

from __future__ import annotations

import asyncio
import math
import time
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from viser._messages import Message
from websockets.asyncio.server import ServerConnection

if TYPE_CHECKING:
    import viser

LARGEST = 2**16  # bytes of a message; a camera has 200
PER_SECOND = 200  # messages of one page; a hand on a slider makes 20
BURST = 400  # of them that may come at once
ANSWERS = 1.0  # s between two answers to the same page
SHORT = 1000  # characters of a text
FARTHEST = 1e12  # a camera is nearer than this, in units that are drawn

Three = tuple[float, float, float]


class Value(msgspec.Struct, forbid_unknown_fields=True):
    """The only thing of a control that a page changes."""

    value: bool | float | str | list[float]


class Change(msgspec.Struct, tag_field="type", tag="GuiUpdateMessage"):
    uuid: str
    updates: Value


class Command(msgspec.Struct, tag_field="type", tag="CommandTriggerMessage"):
    uuid: str


class CameraPlace(msgspec.Struct, tag_field="type", tag="ViewerCameraMessage"):
    wxyz: tuple[float, float, float, float]
    position: Three
    look_at: Three
    up_direction: Three
    fov: float
    near: float
    far: float
    image_height: int
    image_width: int


class Click(msgspec.Struct, tag_field="type", tag="SceneNodeClickMessage"):
    name: str
    instance_index: int | None
    ray_origin: Three
    ray_direction: Three
    screen_pos: tuple[float, float]
    modifier: str | None
    owner: str = ""


class Drag(msgspec.Struct, tag_field="type", tag="SceneNodeDragMessage"):
    phase: Literal["start", "update", "end"]
    name: str
    instance_index: int | None
    start_position: Three
    start_screen_pos: tuple[float, float]
    end_position: Three
    end_screen_pos: tuple[float, float]
    button: Literal["left", "middle", "right"]
    modifier: str | None
    owner: str = ""


class Moved(msgspec.Struct, tag_field="type", tag="TransformControlsUpdateMessage"):
    name: str
    wxyz: tuple[float, float, float, float]
    position: Three
    owner: str = ""


class Taken(msgspec.Struct, tag_field="type", tag="TransformControlsDragStartMessage"):
    name: str
    owner: str = ""


class LetGo(msgspec.Struct, tag_field="type", tag="TransformControlsDragEndMessage"):
    name: str
    owner: str = ""


Sent = Change | Command | CameraPlace | Click | Drag | Moved | Taken | LetGo
DECODER = msgspec.msgpack.Decoder(Sent)


class Listener:
    """server: whose controls and pages they are, from its start to its end."""

    def __init__(self) -> None:
        self.server: viser.ViserServer | None = None

    def wrong(self, raw: Any) -> str | None:
        """What is wrong with a message, None if nothing is."""
        if self.server is None:
            return "Nobody listens."
        try:
            message = DECODER.decode(raw)
            Message.deserialize(raw)  # which viser does again, where it must not fail
        except Exception:  # whatever reading strange bytes comes to
            return "The page sent something that the viewer does not understand. Reload it."
        if not isinstance(message, Change):
            return None if is_sound(message) else "The page sent a place that is nowhere. Reload it."
        control = self.server.gui._gui_input_handle_from_uuid.get(message.uuid)
        return None if control is None else wrong_value(control, message.updates.value)

    def answer(self, connection: ServerConnection, sentence: str) -> None:
        """Say something on the page at the other end."""
        if self.server is not None:
            numbers = [number for number, live in self.server._websock_server._live_connections.items() if live is connection]
            for page in [page for number, page in self.server.get_clients().items() if number in numbers]:
                page.add_notification("That does not work", sentence, color="red", auto_close_seconds=20.0)


class PageConnection(ServerConnection):
    """A socket of which only good messages are heard."""

    def __init__(self, listener: Listener, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.listener = listener
        self.heard_until, self.answered = 0.0, -math.inf

    async def recv(self, decode: bool | None = None) -> Any:
        while True:
            raw = await super().recv(decode)
            await self.pace()
            wrong = self.listener.wrong(raw)
            if wrong is None:
                return raw
            if time.monotonic() - self.answered > ANSWERS:
                self.answered = time.monotonic()
                self.listener.answer(self, wrong)

    async def pace(self) -> None:
        """Wait, and let the page wait, where it sends more than a hand can: others are heard meanwhile."""
        now = time.monotonic()
        self.heard_until = max(self.heard_until, now) + 1 / PER_SECOND
        if self.heard_until - now > BURST / PER_SECOND:
            await asyncio.sleep(self.heard_until - now - BURST / PER_SECOND)


def wrong_value(control: Any, value: Any) -> str | None:
    """Why a control cannot have a value, None if it can."""
    label, now, options = getattr(control, "label", "a field"), control.value, getattr(control, "options", None)
    if options is not None:
        return None if value in options else f"{label} must be one of {', '.join(map(str, options))}. Got {brief(value)}."
    if isinstance(now, bool):
        return None if isinstance(value, bool) else f"{label} must be on or off. Got {brief(value)}."
    if isinstance(now, tuple):
        good = isinstance(value, list) and len(value) == len(now) and all(map(math.isfinite, value))
        return None if good else f"{label} must be {len(now)} finite numbers. Got {brief(value)}."
    if isinstance(now, int | float):
        return None if is_between(value, control) else f"{label} must be {range_of(control)}. Got {brief(value)}."
    return f"{label} cannot be changed."


def is_between(value: Any, control: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, float) or not math.isfinite(value):
        return False
    low, high = getattr(control, "min", None), getattr(control, "max", None)
    return (low is None or low <= value) and (high is None or value <= high)


def range_of(control: Any) -> str:
    low, high = getattr(control, "min", None), getattr(control, "max", None)
    return "a finite number" if low is None or high is None else f"a number from {low:g} to {high:g}"


def is_sound(message: Command | CameraPlace | Click | Drag | Moved | Taken | LetGo) -> bool:
    """Whether texts are short and numbers finite; a camera looks at something, and what is turned has a quaternion."""
    values = [getattr(message, name) for name in message.__struct_fields__]
    numbers = [x for value in values for x in (value if isinstance(value, tuple) else [value]) if isinstance(x, int | float)]
    if not all(abs(x) < FARTHEST for x in numbers) or any(isinstance(x, str) and len(x) > SHORT for x in values):
        return False
    if isinstance(message, Moved):
        return 0.5 < sum(x * x for x in message.wxyz) < 2.0
    return not isinstance(message, CameraPlace) or (message.position != message.look_at and 0 < message.fov < math.pi)


def brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]} ..."
