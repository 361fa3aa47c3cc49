"""LiveStage: a recording in viser's scene. What keeps its shape is sent once; after that only what moves is sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from redmax.model.links import Link
from redmax.model.look import Look
from redmax.view.camera_path import camera_path
from redmax.view.constraint_drawings import constraint_drawings
from redmax.view.constraint_view import constraint_marks
from redmax.view.drawing_view import DrawingView
from redmax.view.framing import Framing, drawing_points, frame, in_world, outermost
from redmax.view.joint_axes import axes
from redmax.view.joint_marks import joint_marks
from redmax.view.joint_view import joint_views
from redmax.view.live import acting
from redmax.view.live.bodies import Bodies, Vector
from redmax.view.live.lines import Lines
from redmax.view.live.live_camera import live_camera
from redmax.view.live.look import SceneColours, Viewpoint, drawn_scale, mixed, nice
from redmax.view.live.membranes import Membranes
from redmax.view.live.pulls import Pulls
from redmax.view.live.recording import Recording
from redmax.view.live.spring import SpringView
from redmax.view.live.surfaces import add_surface
from redmax.view.live.touching import Touching
from redmax.view.live.trails import Trails
from redmax.view.live.triads import add_triads
from redmax.view.live.wires import Wires
from redmax.view.looks import look_of
from redmax.view.mark_view import MarkView
from redmax.view.obstacle_view import COLOUR, obstacle_meshes

if TYPE_CHECKING:
    import viser

LOOKS = 200  # samples that say where the motion goes
CELLS = 8  # of the grid, along the size of the scene
RAIL = 0.12  # of that size: half the length of a rail, at least, while it is not known how far something slides


class LiveStage:
    """Everything that is drawn of a recording.

    preview: one that goes further, to choose the camera by, where the first has just begun; whole: whether that goes to the end
    look: how it is shown; as the scene says unless given
    """

    def __init__(
        self, server: viser.ViserServer, seen: Recording, preview: Recording | None = None, whole: bool = True, look: Look | None = None
    ) -> None:
        self.server, self.seen = server, seen
        self.look = look = look_of(seen.model) if look is None else look
        self.framing = framed(preview or seen, look, whole)
        self.span = self.framing.size or 1.0  # of the motion
        self.size = min(framed(seen, look, looks=1).size or 1.0, self.span)  # of the mechanism: what is drawn beside the bodies goes by it
        self.scale = drawn_scale(self.span)
        self.camera = live_camera(look, self.framing, seen, preview or seen)
        with server.atomic():
            self.bodies = Bodies(server, seen, self.scale, self.size, look)
            self.add_obstacles(preview or seen)
            carriers = {i: handle.name for i, handle in self.bodies.frames.items()}
            marks, drawings = joints_of(preview or seen, 0.0 if whole else RAIL * self.size)
            marks += constraint_marks(seen.model, look, (preview or seen).pose[looked_at(preview or seen)])
            self.wires = Wires(server, seen, carriers, self.scale, self.size, marks if look.marks else [], drawings)
            self.triads = add_triads(server, seen, look, carriers, self.scale)
            self.lines = Lines(server, seen, self.scale, self.size, look)
            self.membranes = Membranes(server, seen, self.scale, look)
            self.trails = Trails(server, seen, self.scale, self.size, look)
            self.pulls = Pulls(server, seen, self.scale, self.size, look)
            self.touching = Touching(server, seen, self.scale, self.size, look)
            self.spring = SpringView(server, self.scale, self.size, seen.model.units.force)
            self.show(0)

    def add_obstacles(self, seen: Recording) -> None:
        """What stands in the world, sent once."""
        for k, (o, vertices, faces, E) in enumerate(obstacle_meshes(seen.model, seen.pose[looked_at(seen)])):
            placed = (vertices @ E[:3, :3].T + E[:3, 3]) * self.scale
            looks = self.look.appearance(o.name, o.appearance)
            add_surface(self.server, f"/obstacles/{k}", placed, faces, looks.hex or COLOUR, looks)

    @property
    def view(self) -> Viewpoint:
        """The camera at first, in the scene's units."""
        return self.camera.view(0)

    def on_click(self, act: Callable[[int], None]) -> None:
        self.bodies.on_click(act)

    def on_drag(self, act: Callable[[int, str, Vector, Vector], None]) -> None:
        """Of bodies, and of the nodes of deformables, by their numbers."""
        self.bodies.on_drag(act)
        self.membranes.on_drag(act)
        self.lines.on_drag(act)

    def show(self, sample: int) -> None:
        """Move everything to a sample."""
        with self.server.atomic():
            for part in (self.bodies, self.wires, self.lines, self.membranes, self.trails, self.pulls, self.touching):
                part.show(sample)

    def see(self, what: str, visible: bool) -> None:
        """Show or hide "joints", "forces", "contacts" or "cones"."""
        for part in {"joints": [self.wires], "forces": [self.lines, self.pulls]}.get(what, []):
            part.see(visible)
        if what != "joints":
            self.touching.see(what, visible)

    def dress(self, theme: SceneColours) -> None:
        """Colours of what is no body, and the ground."""
        for part in (self.bodies, self.wires, self.lines, self.pulls, self.touching, self.spring):
            part.dress(theme)
        middle = self.framing.hull.mean(axis=0)[:2]
        cell = nice(self.span / CELLS)
        s = self.scale
        if not self.look.has_ground:
            return
        self.server.scene.add_grid(
            "/ground",
            infinite_grid=True,
            cell_size=cell * s,
            section_size=5 * cell * s,
            cell_color=mixed(theme.floor, theme.grid, 0.30),
            section_color=mixed(theme.floor, theme.grid, 0.62),
            cell_thickness=1.0,
            section_thickness=1.2,
            fade_distance=6 * self.span * s,
            fade_strength=2.0,
            fade_from="origin",
            shadow_opacity=0.32,
            plane_color=theme.floor,
            plane_opacity=1.0,
            position=(*(np.rint(middle / (5 * cell)) * 5 * cell * s), self.framing.ground * s),
        )


def joints_of(seen: Recording, reach: float) -> tuple[list[MarkView], list[DrawingView]]:
    """The marks of joints, and the curves and surfaces of joints and constraints, as they are in pages and pictures."""
    links = list(seen.model.bodies)
    some = looked_at(seen)
    poses, times = seen.pose[some], seen.t[some]
    marks, planes = joint_marks(links, poses, reach)
    return marks, [*joint_views(links, poses, times), *planes, *constraint_drawings(seen.model, poses, times)]


def looked_at(seen: Recording, looks: int = LOOKS) -> NDArray[np.int64]:
    """The numbers of some samples, from the first to the last."""
    return np.unique(np.linspace(0, seen.count - 1, looks).astype(int))


def framed(seen: Recording, look: Look, whole: bool = True, looks: int = LOOKS) -> Framing:
    """Where the motion goes, from the first and more of its samples; if they are not the whole, also how far mechanisms could swing."""
    model = seen.model
    some = looked_at(seen, looks)
    solid: list[NDArray[np.float64]] = []
    for i, link in enumerate(model.bodies):
        if len(vertices := np.asarray(link.shape.mesh()[0], float)):
            solid.append(in_world(outermost(vertices), seen.pose[some, i]))
    solid += [seen.pose[some][:, soft.links, :3, 3].reshape(-1, 3) for soft in model.soft]
    links, poses, times = list(model.bodies), seen.pose[some], seen.t[some]
    views = [*joint_views(links, poses, times), *constraint_drawings(model, poses, times)]
    drawn = [drawing_points(view, times, np.arange(len(some))) for view in views]
    few = some[:: max(1, len(some) // 8)]
    if not whole:
        solid += swings(seen)
    solid += [np.concatenate([acting.line(force, seen, int(k)).points for k in few]) for force in acting.paths(model)]
    found = frame(solid or [np.array([[-1.0, 0, 0], [1, 0, 0]])], drawn, look.ground_height)
    first = camera_path(look, found, seen.t[:1]).framing if look.camera is not None else found
    return replace(found, azimuth=first.azimuth, elevation=first.elevation)


def held(link: Link) -> bool:
    """Whether its joint lets it turn, but not go away."""
    return 0 < link.joint.dof <= 3 and all(axis.kind != "slide" for axis in axes(link))


def swings(seen: Recording) -> list[NDArray[np.float64]]:
    """For each mechanism that hangs in the world, or on what is fixed there, points all around where it is held, as far away as its
    bodies have been."""
    links = seen.model.bodies
    roots: dict[int, float] = {}
    root_of: list[int] = []
    for i, link in enumerate(links):
        root = i if link.parent < 0 or links[root_of[link.parent]].joint.dof == 0 else root_of[link.parent]
        root_of.append(root)
        if held(links[root]):
            size = np.linalg.norm(np.asarray(link.shape.mesh()[0], float).reshape(-1, 3), axis=1).max(initial=0.0)
            away = np.linalg.norm(seen.pose[:, i, :3, 3] - held_at(seen, root), axis=1).max()
            roots[root] = max(roots.get(root, 0.0), float(away + size))
    around = np.vstack([np.eye(3), -np.eye(3)])
    g = seen.model.gravity
    around = around[around @ g >= -0.5 * np.linalg.norm(g)]  # what hangs does not rise by itself
    return [held_at(seen, root) + away * around for root, away in roots.items()]


def held_at(seen: Recording, i: int) -> NDArray[np.float64]:
    """(3,): where the joint of a link is at first, in the world."""
    return (seen.pose[0, i] @ np.linalg.inv(seen.model.links[i].body))[:3, 3]
