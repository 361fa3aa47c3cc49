"""Bodies in viser's scene: a frame each that moves, and in it the true shape, sent once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from redmax.lie import to_quaternion
from redmax.view.geometry.creases import split_at_creases
from redmax.view.live.look import Colour, rgb
from redmax.view.live.recording import Recording
from redmax.view.looks import body_colours, look_of

if TYPE_CHECKING:
    import viser

LIGHTER = 0.5  # how far the colour of a selected body goes towards white


class Bodies:
    """frames: of the links that are bodies, by their number; drawn `scale` times as large as they are."""

    def __init__(self, server: viser.ViserServer, seen: Recording, scale: float, size: float) -> None:
        self.seen, self.scale, self.size = seen, scale, size
        self.server = server
        self.links = dict(enumerate(seen.model.bodies))
        self.frames = {i: server.scene.add_frame(node(i, link.name), show_axes=False) for i, link in self.links.items()}
        meshes = {i: link.shape.mesh() for i, link in self.links.items()}
        shown = [i for i, (vertices, _) in meshes.items() if len(vertices)]
        look = look_of(seen.model)  # the scene's own: what it says of bodies, deformables and the ground is shown here as elsewhere
        colours = body_colours(seen.model, look)
        self.colours = {i: rgb(colours[i]) for i in shown}
        self.meshes: dict[int, viser.MeshHandle] = {}
        for i in shown:
            vertices, faces = np.asarray(meshes[i][0], float), np.asarray(meshes[i][1], np.int64)
            origin, doubled = split_at_creases(vertices, faces)
            name = f"{self.frames[i].name}/shape"
            opacity = look.appearance(self.links[i].name, self.links[i].appearance).opacity
            clear = {"opacity": opacity} if opacity < 1 else {}
            self.meshes[i] = server.scene.add_mesh_simple(name, vertices[origin] * scale, doubled, color=self.colours[i], **clear)
        self.cross: viser.FrameHandle | None = None

    def on_click(self, act: Callable[[int], None]) -> None:
        """Have `act` called with the number of a body that was clicked."""
        for i, mesh in self.meshes.items():
            mesh.on_click(lambda _, i=i: act(i))

    def select(self, i: int | None) -> None:
        """Show a body lighter, with the axes of its frame; or none."""
        for k, mesh in self.meshes.items():
            mesh.color = lighter(self.colours[k]) if k == i else self.colours[k]
        if self.cross is not None:
            self.cross.remove()
            self.cross = None
        length = 0.16 * self.size * self.scale
        radius, origin = 0.018 * length, 0.036 * length
        if i is not None:
            name = f"{self.frames[i].name}/axes"
            self.cross = self.server.scene.add_frame(name, axes_length=length, axes_radius=radius, origin_radius=origin)

    def show(self, sample: int) -> None:
        """Move the bodies to a sample; viser sends only what is not where it was."""
        pose = self.seen.pose[sample]
        turned = to_quaternion(pose[:, :3, :3])
        for i, frame in self.frames.items():
            frame.position = pose[i, :3, 3] * self.scale
            frame.wxyz = turned[i]


def node(i: int, name: str) -> str:
    """The place of a body in viser's tree, whose names are paths: numbered, so that it is unique."""
    return f"/bodies/{i} {name.replace('/', '|')}"


def lighter(colour: Colour) -> Colour:
    r, g, b = (round(c + LIGHTER * (255 - c)) for c in colour)
    return r, g, b
