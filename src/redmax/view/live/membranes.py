"""Surfaces that deform, such as cloth: their vertices are sent at each sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from redmax.model.look import Look
from redmax.view.geometry.creases import split_at_creases
from redmax.view.live.hand import Vector
from redmax.view.live.hand_on_nodes import nearest_node
from redmax.view.live.look import rgb
from redmax.view.live.recording import Recording
from redmax.view.looks import body_colours

if TYPE_CHECKING:
    import viser

Drag: TypeAlias = Callable[[int, str, Vector, Vector], None]


class Membranes:
    """The deformables that have a surface."""

    def __init__(self, server: viser.ViserServer, seen: Recording, scale: float, look: Look) -> None:
        self.seen, self.scale, self.sample = seen, scale, 0
        self.grabbed = dict[int, int]()  # the node that a pointer has hold of, by the deformable
        self.soft = [soft for soft in seen.model.soft if len(soft.shape.surface)]
        found = body_colours(seen.model, look)[len(seen.model.bodies) :]
        colours = [colour for soft, colour in zip(seen.model.soft, found, strict=True) if len(soft.shape.surface)]
        self.parts = []
        for k, (soft, colour) in enumerate(zip(self.soft, colours, strict=True)):
            vertices = seen.pose[0, soft.links, :3, 3]
            origin, faces = split_at_creases(vertices, np.asarray(soft.shape.surface, np.int64))
            name = f"/deformables/{k} {soft.name.replace('/', '|')}"
            opacity = look.appearance(soft.name, soft.shape.appearance).opacity
            clear: dict[str, Any] = {"opacity": opacity} if opacity < 1 else {}
            mesh = server.scene.add_mesh_simple(name, vertices[origin] * scale, faces, color=rgb(colour), side="double", **clear)
            self.parts.append((soft, origin, mesh))

    def on_drag(self, act: Drag) -> None:
        """Have `act` called as `Bodies` does, with the number of the node that is nearest to where the drag began."""
        for k, (_, _, mesh) in enumerate(self.parts):
            mesh.on_drag(lambda event, k=k: self.dragged(k, event.phase, np.array(event.start_position), np.array(event.end_position), act))

    def dragged(self, k: int, phase: str, start: Vector, at: Vector, act: Drag) -> None:
        """Of the k-th of them, at places as they are drawn."""
        start, at = start / self.scale, at / self.scale
        if phase == "start" or k not in self.grabbed:
            number = self.seen.model.soft.index(self.soft[k])
            self.grabbed[k] = nearest_node(self.seen.model, number, self.seen.pose[self.sample], start)
        act(self.grabbed[k], phase, start, at)

    def show(self, sample: int) -> None:
        self.sample = sample
        for soft, origin, mesh in self.parts:
            mesh.vertices = (self.seen.pose[sample, soft.links, :3, 3] * self.scale)[origin].astype(np.float32)
