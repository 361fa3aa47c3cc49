"""Bodies in viser's scene: a frame each that moves, and in it the true shape, sent once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from redmax.lie import to_quaternion
from redmax.model.look import Look
from redmax.view.live.look import LIGHT, SceneColours
from redmax.view.live.recording import Recording
from redmax.view.live.surfaces import add_surface, normals
from redmax.view.looks import body_colours

if TYPE_CHECKING:
    import viser

Vector = NDArray[np.float64]
BORDER = 0.008  # of the scene: how far the outline of a selected body stands out


class Bodies:
    """frames: of the links that are bodies, by their number; drawn `scale` times as large as they are."""

    def __init__(self, server: viser.ViserServer, seen: Recording, scale: float, size: float, look: Look) -> None:
        self.seen, self.scale, self.size = seen, scale, size
        self.server = server
        self.links = dict(enumerate(seen.model.bodies))
        self.frames = {i: server.scene.add_frame(node(i, link.name), show_axes=False) for i, link in self.links.items()}
        meshes = {i: link.shape.mesh() for i, link in self.links.items()}
        shown = [i for i, (vertices, _) in meshes.items() if len(vertices)]
        colours = body_colours(seen.model, look)
        self.meshes: dict[int, viser.MeshHandle | viser.GlbHandle] = {}
        for i in shown:
            vertices, faces = np.asarray(meshes[i][0], float), np.asarray(meshes[i][1], np.int64)
            seen_as = look.appearance(self.links[i].name, self.links[i].appearance)
            self.meshes[i] = add_surface(server, f"{self.frames[i].name}/shape", vertices * scale, faces, colours[i], seen_as)
        self.cross: viser.FrameHandle | None = None
        self.border: viser.MeshHandle | None = None
        self.outline = LIGHT.outline

    def on_click(self, act: Callable[[int], None]) -> None:
        """Have `act` called with the number of a body that was clicked."""
        for i, mesh in self.meshes.items():
            mesh.on_click(lambda _, i=i: act(i))

    def on_drag(self, act: Callable[[int, str, Vector, Vector], None]) -> None:
        """Have `act` called when a body is dragged: with its number, the phase ("start", "update" or "end"), where on it that began, and
        where the pointer is, in the world."""
        for i, mesh in self.meshes.items():
            mesh.on_drag(lambda event, i=i: act(i, event.phase, self.place(event.start_position), self.place(event.end_position)))

    def place(self, drawn: tuple[float, float, float]) -> Vector:
        """(3,) in the scene's units."""
        return np.array(drawn, float) / self.scale

    def select(self, i: int | None) -> None:
        """Show a body with an outline, and the axes of its frame; or none."""
        for handle in (self.cross, self.border):
            if handle is not None:
                handle.remove()
        self.cross = self.border = None
        length = 0.16 * self.size * self.scale
        radius, origin = 0.018 * length, 0.036 * length
        if i is not None:
            name = f"{self.frames[i].name}/axes"
            self.cross = self.server.scene.add_frame(name, axes_length=length, axes_radius=radius, origin_radius=origin)
            self.border = self.bordered(i)

    def bordered(self, i: int) -> viser.MeshHandle | None:
        """The back of a body, a little larger: what of it is seen around the body is its outline."""
        if i not in self.meshes:
            return None
        vertices, faces = (np.asarray(x) for x in self.links[i].shape.mesh())
        larger = swollen(np.asarray(vertices, float), np.asarray(faces, np.int64), BORDER * self.size) * self.scale
        name = f"{self.frames[i].name}/border"
        return self.server.scene.add_mesh_simple(
            name, larger, faces, color=self.outline, side="back", cast_shadow=False, receive_shadow=False, flat_shading=True
        )

    def dress(self, theme: SceneColours) -> None:
        self.outline = theme.outline
        if self.border is not None:
            self.border.color = theme.outline

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


def swollen(vertices: Vector, faces: NDArray[np.int64], by: float) -> Vector:
    """(n, 3): each vertex moved outwards, along the mean of the faces around it."""
    return vertices + by * normals(vertices, faces)
