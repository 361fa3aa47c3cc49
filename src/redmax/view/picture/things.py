"""What a picture shows, one class for each kind of view: each gives its triangles in the world at a moment."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from redmax.view.arrow_view import ArrowView
from redmax.view.drawing_view import DrawingView
from redmax.view.geometry.sizes import (
    ARROW_RADIUS,
    LONGEST_ARROW,
    MUSCLE_RADIUS,
    NET_BEAD,
    PATH_BEAD,
    ROD_RADIUS,
    SHORTEST_ARROW,
    TRAIL_RADIUS,
    WIDEST_WIRE,
    WIRE_RADIUS,
)
from redmax.view.geometry.skins import joined
from redmax.view.geometry.tubes import arrow, beads, rods, tube
from redmax.view.mark_view import INSIDE
from redmax.view.materials import FINISHES, Finish
from redmax.view.packing import pose_rows
from redmax.view.palette import default_colours
from redmax.view.path_view import PathView
from redmax.view.picture.membrane import Membrane, membrane
from redmax.view.picture.mesh import PreparedMesh, prepared
from redmax.view.picture.moment import Moment
from redmax.view.picture.seen_surface import SeenSurface
from redmax.view.picture.theme import Colour, Theme, linear_colour
from redmax.view.picture.touching import touching
from redmax.view.soft_view import SoftView
from redmax.view.stage import Stage
from redmax.view.trail_view import TrailView

Array = NDArray[np.float64]
CASTING = 0.5  # opacity from which on a thing has a shadow
NO_SHAPE = np.zeros((0, 3, 3)), np.zeros((0, 3, 3))


class Thing(Protocol):
    """Something that has a surface at every moment."""

    def at(self, moment: Moment, theme: Theme) -> SeenSurface: ...


class Carried:
    """What moves with poses (T, 4, 4), whose quaternions are found once for all pictures."""

    poses: Array

    @cached_property
    def rows(self) -> Array:
        return pose_rows(self.poses)


@dataclass(frozen=True, eq=False)
class Rigid(Carried):
    """A body: a mesh that moves with its poses (T, 4, 4)."""

    mesh: PreparedMesh
    poses: Array
    colour: Colour
    opacity: float = 1.0
    finish: Finish = FINISHES["plastic"]

    def at(self, moment: Moment, theme: Theme) -> SeenSurface:
        mesh, pose = self.mesh, moment.pose(self.poses, self.rows)
        R, p = pose[:3, :3], pose[:3, 3]
        lines, marks = mesh.edges @ R.T + p, pose if mesh.is_round else None
        shape = mesh.corners @ R.T + p, mesh.normals @ R.T
        look = {"opacity": self.opacity, "finish": self.finish, "casts": self.opacity >= CASTING}
        return SeenSurface(*shape, self.colour, lines, mesh.thickness, mesh.is_closed, marks, **look)


@dataclass(frozen=True, eq=False)
class Mark(Carried):
    """The pin, ball or rail of a joint, or an axis of a frame, where it sits in the frame (T, 4, 4) that carries it; one that has a colour
    of its own is no thing, and has no shadow."""

    mesh: PreparedMesh
    place: Array
    poses: Array
    colour: Colour | None = None

    def at(self, moment: Moment, theme: Theme) -> SeenSurface:
        pose, own = moment.pose(self.poses, self.rows) @ self.place, self.colour
        R, p = pose[:3, :3], pose[:3, 3]
        shape, closed = (self.mesh.corners @ R.T + p, self.mesh.normals @ R.T), self.mesh.is_closed
        return SeenSurface(*shape, theme.mark if own is None else own, is_closed=closed, casts=own is None)


@dataclass(frozen=True, eq=False)
class Arrow:
    """A force or a torque: stretch, its length over that of its vector; one shorter than `least` is not drawn."""

    view: ArrowView
    stretch: float
    least: float
    radius: float

    def at(self, moment: Moment, theme: Theme) -> SeenSurface:
        vector = self.stretch * moment.mix(self.view.vectors)
        is_torque = self.view.kind == "torque"
        shape = NO_SHAPE
        if np.linalg.norm(vector) >= self.least:
            shape = arrow(moment.mix(self.view.points), vector, self.radius, heads=2 if is_torque else 1).corners
        return SeenSurface(*shape, theme.torque if is_torque else theme.force)


@dataclass(frozen=True, eq=False)
class Path:
    """A rod from each point that takes part to the next one; its colour is its level."""

    view: PathView
    active: NDArray[np.bool_]
    radius: float

    def at(self, moment: Moment, theme: Theme) -> SeenSurface:
        view = self.view
        here, now = moment.pick(self.active), moment.mix(view.points)
        points = np.where(np.isnan(now), moment.pick(view.points), now)[here]  # a point that is about to leave stays where it was
        pairs = np.stack([np.arange(len(points) - 1), np.arange(1, len(points))], axis=1) if len(points) else np.zeros((0, 2), np.int64)
        low, high = view.range
        level = None if view.level is None else float(np.clip((moment.mix(view.level) - low) / (high - low), 0, 1))
        shape = joined(rods(points, pairs, self.radius), beads(points, (1.0 if view.smooth else PATH_BEAD) * self.radius))
        own = theme.wire if view.colour is None else linear_colour(view.colour)
        return SeenSurface(*shape.corners, own if level is None or view.colour is not None else theme.level(level))


@dataclass(frozen=True, eq=False)
class Net:
    """Rods along the lines of something that deforms, and a bead at each of its vertices."""

    view: SoftView
    radius: float

    def at(self, moment: Moment, theme: Theme) -> SeenSurface:
        points = moment.mix(self.view.vertices)
        shape = joined(rods(points, self.view.lines, self.radius), beads(points[np.unique(self.view.lines)], NET_BEAD * self.radius))
        return SeenSurface(*shape.corners, theme.wire if self.view.colour is None else linear_colour(self.view.colour))


@dataclass(frozen=True, eq=False)
class SoftSurface:
    """A surface that deforms."""

    view: SoftView
    parts: Membrane
    colour: Colour

    def at(self, moment: Moment, theme: Theme) -> SeenSurface:
        points = moment.mix(self.view.vertices)
        thickness = extent(self.view.vertices[0]) / 2
        view, borders = self.view, points[self.parts.borders]
        look = {"opacity": view.opacity, "finish": FINISHES[view.material], "casts": view.opacity >= CASTING}
        return SeenSurface(*self.parts.shape(points), self.colour, borders, thickness, weave=self.parts.weave, **look)


@dataclass(frozen=True, eq=False)
class Trail:
    """The line that a point has left behind until now; it is no thing, and has no shadow."""

    view: TrailView
    times: Array
    radius: float

    def at(self, moment: Moment, theme: Theme) -> SeenSurface:
        points = self.view.until(moment.t, self.times)
        shape = tube(points, self.radius, sides=6).corners if len(points) > 1 else NO_SHAPE
        return SeenSurface(*shape, linear_colour(self.view.colour), finish=FINISHES["matte"], casts=False)


@dataclass(frozen=True, eq=False)
class Wire:
    """A curve that a joint moves along, carried by its poses; drawn anew only where it changes."""

    view: DrawingView
    radius: float
    still: tuple[Array, Array] | None

    def at(self, moment: Moment, theme: Theme) -> SeenSurface:
        corners, normals = tube(self.view.at(np.array([moment.t]))[0], self.radius).corners if self.still is None else self.still
        pose = moment.pose(self.view.poses)
        return SeenSurface(corners @ pose[:3, :3].T + pose[:3, 3], normals @ pose[:3, :3].T, theme.wire)


def things(stage: Stage, size: float) -> list[Thing]:
    """All that is solid on a stage. size: of the scene, of which radii that no one chose are a share."""
    cloths, nets = [s for s in stage.soft if len(s.faces)], [s for s in stage.soft if not len(s.faces)]
    colours = [linear_colour(c) for c in chosen_colours([*stage.bodies, *cloths])]
    meshes: dict[tuple[bytes, bytes], PreparedMesh] = {}
    found: list[Thing] = []
    for body, colour in zip(stage.bodies, colours, strict=False):
        mesh = mesh_of(body.vertices, body.faces, meshes)
        found.append(Rigid(mesh, body.poses, colour, body.opacity, FINISHES[body.material]))
    for view in stage.paths:
        usual = (ROD_RADIUS if view.level is None else MUSCLE_RADIUS) * size
        found.append(Path(view, view.active, usual if view.radius is None else view.radius))
    for cloth, colour in zip(cloths, colours[len(stage.bodies) :], strict=True):
        found.append(SoftSurface(cloth, membrane(cloth.vertices[0], cloth.faces), colour))
    found += [Net(net, ROD_RADIUS * size if net.radius is None else net.radius) for net in nets]
    found += [Mark(mesh_of(INSIDE * mark.vertices, mark.faces, meshes), mark.place, mark.poses) for mark in stage.marks]
    found += [Mark(mesh_of(f.vertices, f.faces, meshes), f.place, f.poses, linear_colour(str(f.colour))) for f in stage.frames]
    found += arrows(stage.arrows, size)
    found += touching(stage.contacts, stage.arrows, size)
    found += [Trail(view, stage.times, TRAIL_RADIUS * size) for view in stage.trails]
    return found + [drawn_wire(view, size, stage.times[:1]) for view in stage.drawings if view.at(stage.times[:1]).ndim == 3]


def mesh_of(vertices: Array, faces: NDArray[np.int64], meshes: dict[tuple[bytes, bytes], PreparedMesh]) -> PreparedMesh:
    """The mesh made ready for drawing; things of one shape share it."""
    key = vertices.tobytes(), faces.tobytes()
    if key not in meshes:
        meshes[key] = prepared(vertices, faces)
    return meshes[key]


def arrows(views: Sequence[ArrowView], size: float) -> list[Thing]:
    """The longest of a kind has a fixed length, and the others are to its scale."""
    found: list[Thing] = []
    for view in views:
        strongest = max(float(np.linalg.norm(v.vectors, axis=1).max()) for v in views if v.kind == view.kind) or 1.0
        found.append(Arrow(view, LONGEST_ARROW * size / strongest, SHORTEST_ARROW * size, ARROW_RADIUS * size))
    return found


def drawn_wire(view: DrawingView, size: float, times: Array) -> Wire:
    points = view.at(times)[0]
    radius = min(WIRE_RADIUS * size, WIDEST_WIRE * extent(points))
    return Wire(view, radius, None if view.moves else tube(points, radius).corners)


def chosen_colours(views: Sequence) -> list[str]:
    return [view.colour or colour for view, colour in zip(views, default_colours(len(views)), strict=True)]


def extent(points: Array) -> float:
    """The diagonal of the box around points (..., 3)."""
    return float(np.linalg.norm(np.ptp(points.reshape(-1, 3), axis=0)))
