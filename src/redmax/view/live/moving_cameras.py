"""Cameras of pages that move by themselves. Who drags one has it for as long as that takes; then it goes on, turned and shifted as it was
left. A page says where its camera is, also when that is where it was sent: only what it was not sent is the user's doing."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from redmax.view.live.live_camera import Array, LiveCamera, moved
from redmax.view.live.look import Viewpoint, is_same

if TYPE_CHECKING:
    import viser

SETTLED = 0.4  # s after which a camera that is not dragged any more goes on
SENT = 400  # places that are known again when a page says that it is there: a slow one may be seconds late
CLOSE = 0.002  # of the distance to what is looked at: less than a drag of one pixel


@dataclass
class PageCamera:
    """home: where it is but for its moves; move: the last; sent: where it was sent; dragged: where a user has it, and since when, until
    that is over."""

    home: Viewpoint
    move: Array = field(default_factory=lambda: np.zeros(6))
    sent: deque[Viewpoint] = field(default_factory=lambda: deque(maxlen=SENT))
    dragged: tuple[Viewpoint, float] | None = None


class MovingCameras:
    """pages: cameras, by the numbers of those that are open."""

    def __init__(self, camera: LiveCamera) -> None:
        self.camera = camera
        self.pages: dict[int, PageCamera] = {}

    def show(self, sample: int, clients: Mapping[int, viser.ClientHandle], scale: float) -> None:
        """Send the cameras that nobody drags to where they are at a sample."""
        self.pages = {number: self.pages.get(number) or PageCamera(self.camera.home) for number in clients}
        move = self.camera.move(sample)
        for number, page in self.pages.items():
            if page.dragged is None:
                page.move = move
                page.sent.append(moved(page.home, move))
                bring(clients[number], page.sent[-1], scale)

    def knows(self, number: int, view: Viewpoint) -> bool:
        """Whether a page is where it was sent."""
        page = self.pages.get(number)
        return page is not None and any(is_same(view, sent, CLOSE) for sent in reversed(page.sent))

    def note(self, number: int, view: Viewpoint, now: float) -> None:
        """A page says where its camera is."""
        if number in self.pages and not self.knows(number, view):
            self.pages[number].dragged = view, now

    def settle(self, now: float) -> None:
        """Cameras that were dragged, and are not any more, go on from there."""
        for page in self.pages.values():
            if page.dragged is not None and now - page.dragged[1] >= SETTLED:
                page.home, page.dragged = moved(page.dragged[0], -page.move), None


def bring(client: viser.ClientHandle, view: Viewpoint, scale: float) -> None:
    """Have the camera of a page there."""
    with client.atomic():
        client.camera.up_direction = (0.0, 0.0, 1.0)
        client.camera.position, client.camera.look_at = view.position * scale, view.look_at * scale
