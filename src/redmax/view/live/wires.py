"""What joints look like, in viser's scene: axes, rails and balls; wires along curves and sheets over surfaces. Bodies carry them along."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from redmax.joints.swept import drawings
from redmax.model.links import Link
from redmax.view.drawing_view import DrawingView
from redmax.view.joint_axes import Axis, axes
from redmax.view.joint_view import fingerprint, joint_side
from redmax.view.live import solids
from redmax.view.live.look import SceneColours
from redmax.view.live.recording import Recording

if TYPE_CHECKING:
    import viser

WIRE, AXIS, BALL, RAIL = 0.003, 0.0028, 0.0115, 0.12  # of the size of the scene: radii, and half the length of a rail
LEAST, MOST, OUT = 0.02, 0.10, 0.014  # half the length of an axis: at least, at most, and how far it stands out of its body
SHEET, LINE = 0.42, 1.0  # opacity, and thickness of the lines over it (pixels)


class Wires:
    """The drawings of all joints; `carriers` are the names of the nodes of the bodies."""

    def __init__(self, server: viser.ViserServer, seen: Recording, carriers: dict[int, str], scale: float, size: float) -> None:
        self.server, self.seen, self.scale, self.size = server, seen, scale, size
        self.carriers = carriers
        self.metal: list[viser.MeshHandle] = []
        self.patterns: list[viser.LineSegmentsHandle] = []
        self.changing: list[Callable[[float], None]] = []
        self.links = [link for link in seen.model.links if link.kind == "body"]
        self.nodes: list[viser.MeshHandle | viser.LineSegmentsHandle] = []
        for k, (carrier, view) in enumerate(self.drawings()):
            self.add_drawing(f"{self.under(carrier)}/joint {k} {tidy(view.name)}", view)
        for i, link in enumerate(self.links):
            for k, axis in enumerate(axes(link)):
                self.add_axis(i, link, axis, k)

    def under(self, carrier: int) -> str:
        return self.carriers[carrier] if carrier >= 0 else "/world"

    def drawings(self) -> list[tuple[int, DrawingView]]:
        """Curves and surfaces, each with the number of the body that carries it (-1: the world), those that look the same once."""
        found: dict[tuple[int, bytes], tuple[int, DrawingView]] = {}
        for i, link in enumerate(self.links):
            for drawing in drawings(link.joint):
                carrier = link.parent if drawing.on == "parent" else i
                view = DrawingView(link.joint_name, drawing.placed(joint_side(self.links, link, drawing.on)).points, np.eye(4)[None])
                found.setdefault((carrier, fingerprint(view, np.arange(3.0))), (carrier, view))
        return list(found.values())

    def add_drawing(self, name: str, view: DrawingView) -> None:
        def points(t: float) -> NDArray[np.float64]:
            return view.at(np.array([t]))[0] * self.scale

        if points(0.0).ndim == 2:
            self.add_mesh(name, view.moves, lambda t: solids.tube(points(t), WIRE * self.size * self.scale), cast_shadow=True)
        else:
            self.add_mesh(name, view.moves, lambda t: solids.sheet(points(t)), cast_shadow=False, opacity=SHEET)
            self.add_pattern(f"{name}/lines", view.moves, lambda t: solids.grid_lines(points(t)))

    def add_mesh(self, name: str, moves: bool, mesh: Callable[[float], solids.Mesh], **look: Any) -> None:
        handle = self.server.scene.add_mesh_simple(name, *mesh(0.0), side="double", **look)
        self.metal.append(handle)
        self.nodes.append(handle)
        if moves:
            self.changing.append(lambda t: setattr(handle, "vertices", mesh(t)[0].astype(np.float32)))

    def add_pattern(self, name: str, moves: bool, lines: Callable[[float], NDArray[np.float64]]) -> None:
        handle = self.server.scene.add_line_segments(name, lines(0.0), (0, 0, 0), thickness=LINE, thickness_units="screen")
        self.patterns.append(handle)
        self.nodes.append(handle)
        if moves:
            self.changing.append(lambda t: setattr(handle, "points", lines(t).astype(np.float32)))

    def add_axis(self, i: int, link: Link, axis: Axis, k: int) -> None:
        carrier = link.parent if axis.on == "parent" else i
        place = joint_side(self.links, link, axis.on)
        point, direction = place[:3, :3] @ axis.point + place[:3, 3], place[:3, :3] @ axis.direction
        half = RAIL * self.size if axis.kind == "slide" else self.half_length(link, axis)
        vertices, faces = axis_mesh(axis.kind, point, direction, half, self.size)
        name = f"{self.under(carrier)}/axis {k} {tidy(link.joint_name)}"
        handle = self.server.scene.add_mesh_simple(name, vertices * self.scale, faces)
        self.metal.append(handle)
        self.nodes.append(handle)

    def half_length(self, link: Link, axis: Axis) -> float:
        """An axis reaches a little out of the body it carries."""
        vertices = np.asarray(link.shape.mesh()[0], float).reshape(-1, 3)
        if axis.kind == "ball" or not len(vertices):
            return LEAST * self.size
        R = (link.body if axis.on == "child" else np.asarray(link.joint.at("transform", start(link), 0.0), float) @ link.body)[:3, :3]
        width = float(np.ptp(vertices @ R.T @ axis.direction))
        return float(np.clip(width / 2 + OUT * self.size, LEAST * self.size, MOST * self.size))

    def show(self, sample: int) -> None:
        for change in self.changing:
            change(float(self.seen.t[sample]))

    def dress(self, theme: SceneColours) -> None:
        for handle in self.metal:
            handle.color = theme.metal
        for handle in self.patterns:
            handle.colors = np.array(theme.metal, np.uint8)

    def see(self, visible: bool) -> None:
        for handle in self.nodes:
            handle.visible = visible


def axis_mesh(kind: str, point: NDArray[np.float64], direction: NDArray[np.float64], half: float, size: float) -> solids.Mesh:
    """A rod with round ends, a rail with arrow heads, or a ball."""
    u = solids.across(direction)
    E = np.eye(4)
    E[:3, :3] = np.stack([u, np.cross(direction, u), direction], axis=1)
    E[:3, 3] = point
    if kind == "ball":
        return solids.placed(solids.ball(), (BALL * size, BALL * size, BALL * size), E)
    r, low, high = AXIS * size, E.copy(), E.copy()
    low[:3, 3], high[:3, 3] = point - half * direction, point + half * direction
    rod = solids.placed(solids.rod(), (r, r, 2 * half), low)
    if kind == "turn":
        ends = [solids.placed(solids.ball(), (1.5 * r, 1.5 * r, 1.5 * r), end) for end in (low, high)]
        return solids.joined([rod, *ends])
    low[:3, 1:3] *= -1
    heads = [solids.placed(solids.cone(), (2.6 * r, 2.6 * r, 8 * r), end) for end in (low, high)]
    return solids.joined([rod, *heads])


def start(link: Link) -> NDArray[np.float64]:
    return np.concatenate([link.q, np.asarray(link.joint.start, float)])


def tidy(name: str) -> str:
    return name.replace("/", "|")
