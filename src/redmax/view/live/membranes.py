"""Surfaces that deform, such as cloth: their vertices are sent at each sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.model.look import Look
from redmax.view.geometry.creases import split_at_creases
from redmax.view.live.look import rgb
from redmax.view.live.recording import Recording
from redmax.view.looks import body_colours

if TYPE_CHECKING:
    import viser


class Membranes:
    """The deformables that have a surface."""

    def __init__(self, server: viser.ViserServer, seen: Recording, scale: float, look: Look) -> None:
        self.seen, self.scale = seen, scale
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

    def show(self, sample: int) -> None:
        for soft, origin, mesh in self.parts:
            mesh.vertices = (self.seen.pose[sample, soft.links, :3, 3] * self.scale)[origin].astype(np.float32)
