"""What joints look like, in viser's scene: pins, rails and balls; wires along curves and sheets over surfaces. Bodies carry them along."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from redmax.view.drawing_view import DrawingView
from redmax.view.geometry.creases import split_at_creases
from redmax.view.geometry.sheets import grid_lines
from redmax.view.geometry.sizes import WIDEST_WIRE, WIRE_RADIUS
from redmax.view.geometry.skins import Triangles, grid_faces
from redmax.view.geometry.tubes import tube
from redmax.view.live.look import SceneColours
from redmax.view.live.recording import Recording
from redmax.view.mark_view import INSIDE, MarkView

if TYPE_CHECKING:
    import viser

WIRE_SIDES = 8
SHEET, LINE = 0.42, 1.0  # opacity, and thickness of the lines over it (pixels)


class Wires:
    """The marks and drawings of all joints; `carriers` are the names of the nodes of the bodies."""

    def __init__(
        self,
        server: viser.ViserServer,
        seen: Recording,
        carriers: dict[int, str],
        scale: float,
        size: float,
        marks: Sequence[MarkView],
        drawings: Sequence[DrawingView],
    ) -> None:
        self.server, self.seen, self.scale, self.size = server, seen, scale, size
        self.carriers = carriers
        self.metal: list[viser.MeshHandle] = []
        self.patterns: list[viser.LineSegmentsHandle] = []
        self.changing: list[Callable[[float], None]] = []
        self.nodes: list[viser.MeshHandle | viser.LineSegmentsHandle] = []
        for k, view in enumerate(drawings):
            self.add_drawing(f"{self.under(view.carrier)}/joint {k} {tidy(view.name)}", view)
        for k, mark in enumerate(marks):
            self.add_mark(f"{self.under(mark.carrier)}/mark {k} {tidy(mark.name)}", mark)

    def under(self, carrier: int) -> str:
        return self.carriers[carrier] if carrier >= 0 else "/world"

    def add_drawing(self, name: str, view: DrawingView) -> None:
        def points(t: float) -> NDArray[np.float64]:
            return view.at(np.array([t]))[0] * self.scale

        if points(0.0).ndim == 2:
            self.add_mesh(name, view.moves, lambda t: wire(points(t), self.wire_radius(view) * self.scale), cast_shadow=True)
        else:
            self.add_mesh(name, view.moves, lambda t: sheet(points(t)), cast_shadow=False, opacity=SHEET)
            self.add_pattern(f"{name}/lines", view.moves, lambda t: grid_lines(points(t)))

    def wire_radius(self, view: DrawingView) -> float:
        extent = float(np.linalg.norm(np.ptp(view.at(np.zeros(1))[0], axis=0)))
        return min(WIRE_RADIUS * self.size, WIDEST_WIRE * extent)

    def add_mesh(self, name: str, moves: bool, mesh: Callable[[float], Triangles], **look: Any) -> None:
        handle = self.server.scene.add_mesh_simple(name, *mesh(0.0), side="double", **look)
        self.metal.append(handle)
        self.nodes.append(handle)

        def change(t: float) -> None:
            vertices, faces = mesh(t)
            if faces.shape != handle.faces.shape:  # of a curve that has closed, or opened
                handle.faces = faces.astype(np.uint32)
            handle.vertices = vertices.astype(np.float32)

        if moves:
            self.changing.append(change)

    def add_pattern(self, name: str, moves: bool, lines: Callable[[float], NDArray[np.float64]]) -> None:
        handle = self.server.scene.add_line_segments(name, lines(0.0), (0, 0, 0), thickness=LINE, thickness_units="screen")
        self.patterns.append(handle)
        self.nodes.append(handle)
        if moves:
            self.changing.append(lambda t: setattr(handle, "points", lines(t).astype(np.float32)))

    def add_mark(self, name: str, mark: MarkView) -> None:
        """A pin, a ball or a rail, on the body that carries it."""
        origin, faces = split_at_creases(mark.vertices, mark.faces)
        vertices = INSIDE * mark.vertices[origin] @ mark.place[:3, :3].T + mark.place[:3, 3]
        handle = self.server.scene.add_mesh_simple(name, vertices * self.scale, faces)
        self.metal.append(handle)
        self.nodes.append(handle)

    def show(self, sample: int) -> None:
        for change in self.changing:
            change(float(self.seen.t[sample]))

    def dress(self, theme: SceneColours) -> None:
        for handle in self.metal:
            handle.color = theme.mark
        for handle in self.patterns:
            handle.colors = np.array(theme.mark, np.uint8)

    def see(self, visible: bool) -> None:
        for handle in self.nodes:
            handle.visible = visible


def wire(points: NDArray[np.float64], radius: float) -> Triangles:
    """Around a curve."""
    skin = tube(points, radius, WIRE_SIDES)
    return skin.vertices, skin.faces


def sheet(points: NDArray[np.float64]) -> Triangles:
    """Over a grid of points (rows, columns, 3)."""
    return points.reshape(-1, 3), grid_faces(*points.shape[:2])


def tidy(name: str) -> str:
    return name.replace("/", "|")
