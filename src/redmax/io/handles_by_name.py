"""What a file names of the scene that it is read into: a frame, or joints with a value for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from redmax.components.handles import FrameHandle
from redmax.io.missing import MISSING
from redmax.io.source import Item

if TYPE_CHECKING:
    from redmax.io.decode import Decoder


def frame_named(decoder: Decoder, item: Item) -> FrameHandle | None:
    """The frame of this name, where there is one."""
    found = (decoder.scene.named_frame(name) for name in dict.fromkeys((decoder.prefixed(item), item.value)))
    return next((frame for frame in found if frame is not None), None)


def by_joint(decoder: Decoder, item: Item) -> Any:
    """Values by the handles of the bodies whose joints are named."""
    found = [(decoder.body(Item(name, given.line), joint=True), decoder.value(given)) for name, given in item.value.items()]
    return MISSING if any(x is MISSING for pair in found for x in pair) else dict(found)
