"""Cameras of the pages: where a page begins to look from, moving those that move, and remembering where others were left."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from redmax.view.live.controls import Give
from redmax.view.live.live_camera import LiveCamera
from redmax.view.live.look import FIELD_OF_VIEW, Viewpoint, is_same
from redmax.view.live.memory import Memory
from redmax.view.live.moving_cameras import MovingCameras, bring

if TYPE_CHECKING:
    import viser

SETTLED = 0.4  # s after which a camera that rests is remembered
ARRIVES = 3.0  # s that a new page may take to go where it begins; what it says before that is not of the user's doing


class Cameras:
    """scale: how much larger the scene is drawn than it is; views are in the scene's own units."""

    def __init__(self, server: viser.ViserServer, memory: Memory, title: str) -> None:
        self.server, self.memory, self.title = server, memory, title
        self.scale = 1.0
        self.first = self.begin = Viewpoint(np.ones(3), np.zeros(3))
        self.moved: tuple[Viewpoint, float] | None = None  # where a camera went, and when, until it is remembered
        self.arriving: dict[int, float] = {}
        self.moving: MovingCameras | None = None
        self.sample = 0
        server.initial_camera.fov = FIELD_OF_VIEW

    def place(self, camera: LiveCamera, scale: float) -> None:
        """Pages look from where somebody chose, or where the camera of this scene was left, or from where all is seen."""
        self.scale, self.first, self.sample = scale, camera.view(0), 0
        self.moving = MovingCameras(camera) if camera.moves else None
        self.start_from((None if camera.is_given else self.memory.camera(self.title)) or self.first)
        self.bring()

    def show(self, sample: int) -> None:
        """Move the cameras that move by themselves to a sample."""
        self.sample = sample
        if self.moving is not None:
            self.moving.show(sample, self.server.get_clients(), self.scale)

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
        page, there = camera.client.client_id, is_same(view, self.begin)
        if now < self.arriving.get(page, 0.0):
            if there or (self.moving is not None and self.moving.knows(page, view)):
                self.arriving.pop(page, None)
        elif self.moving is not None:
            self.moving.note(page, view, now)
        else:
            self.moved = None if there else (view, now)

    def remember(self, now: float) -> None:
        """Keep a camera that has come to rest; one that moves goes on."""
        if self.moving is not None:
            self.moving.settle(now)
        elif self.moved is not None and now - self.moved[1] >= SETTLED:
            self.memory.keep_camera(self.title, self.moved[0])
            self.start_from(self.moved[0])
            self.moved = None

    def reset(self) -> None:
        """All pages look from where they did at first, and what was remembered is forgotten."""
        self.memory.keep_camera(self.title, None)
        self.start_from(self.first)
        if self.moving is not None:
            self.moving.pages.clear()
            self.show(self.sample)
        else:
            self.bring()

    def bring(self) -> None:
        """Move the cameras of the pages that are open to where new ones begin."""
        self.moved = None
        for client in self.server.get_clients().values():
            bring(client, self.begin, self.scale)
