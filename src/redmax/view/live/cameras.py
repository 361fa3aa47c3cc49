"""Cameras of the pages: where a page begins to look from, and remembering where it was left."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from redmax.view.live.controls import Give
from redmax.view.live.look import FIELD_OF_VIEW, Viewpoint
from redmax.view.live.memory import Memory

if TYPE_CHECKING:
    import viser

SETTLED = 0.4  # s after which a camera that rests is remembered
ARRIVES = 3.0  # s that a new page may take to go where it begins; what it says before that is not of the user's doing
CLOSE = 0.01  # of the distance to what is looked at: cameras this near are the same


class Cameras:
    """scale: how much larger the scene is drawn than it is; views are in the scene's own units."""

    def __init__(self, server: viser.ViserServer, memory: Memory, title: str) -> None:
        self.server, self.memory, self.title = server, memory, title
        self.scale = 1.0
        self.first = self.begin = Viewpoint(np.ones(3), np.zeros(3))
        self.moved: tuple[Viewpoint, float] | None = None  # where a camera went, and when, until it is remembered
        self.arriving: dict[int, float] = {}
        server.initial_camera.fov = FIELD_OF_VIEW

    def place(self, first: Viewpoint, scale: float) -> None:
        """Pages look from where the camera of this scene was left, or from `first`."""
        self.scale, self.first = scale, first
        self.start_from(self.memory.camera(self.title) or first)
        self.bring()

    def start_from(self, view: Viewpoint) -> None:
        self.begin = view
        self.server.initial_camera.position = view.position * self.scale
        self.server.initial_camera.look_at = view.look_at * self.scale

    def follow(self, client: viser.ClientHandle, give: Give) -> None:
        """Have the moves of a new page's camera noted, by the viewer's own thread."""
        self.arriving[client.client_id] = time.perf_counter() + ARRIVES

        async def moved(camera: viser.CameraHandle) -> None:
            give(lambda orders: orders.cameras.note(camera))

        client.camera.on_update(moved)

    def note(self, camera: viser.CameraHandle) -> None:
        """A camera is somewhere: the user's doing, once the page has got to where it begins."""
        now, view = time.perf_counter(), Viewpoint(np.array(camera.position) / self.scale, np.array(camera.look_at) / self.scale)
        there = is_same(view, self.begin)
        until = self.arriving.get(camera.client.client_id, 0.0)
        if now < until:
            if there:
                self.arriving.pop(camera.client.client_id, None)
            return
        self.moved = None if there else (view, now)

    def remember(self, now: float) -> None:
        """Keep a camera that has come to rest."""
        if self.moved is not None and now - self.moved[1] >= SETTLED:
            self.memory.keep_camera(self.title, self.moved[0])
            self.start_from(self.moved[0])
            self.moved = None

    def reset(self) -> None:
        """All pages look at the whole motion again, and what was remembered is forgotten."""
        self.memory.keep_camera(self.title, None)
        self.start_from(self.first)
        self.bring()

    def bring(self) -> None:
        """Move the cameras of the pages that are open to where new ones begin."""
        self.moved = None
        for client in self.server.get_clients().values():
            with client.atomic():
                client.camera.up_direction = (0.0, 0.0, 1.0)
                client.camera.position, client.camera.look_at = self.begin.position * self.scale, self.begin.look_at * self.scale


def is_same(a: Viewpoint, b: Viewpoint) -> bool:
    """Whether two cameras are the same but for rounding."""
    far = max(float(np.linalg.norm(b.position - b.look_at)), np.finfo(float).tiny)
    return bool(max(np.abs(a.position - b.position).max(), np.abs(a.look_at - b.look_at).max()) <= CLOSE * far)
