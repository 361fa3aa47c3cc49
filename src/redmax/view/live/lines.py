"""Springs, cables and muscles as rods with beads, ropes, and deformables that are nets; muscles are coloured by their activation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from redmax.constraints.base import Constraint
from redmax.forces.base import Force
from redmax.model.look import Look
from redmax.view.constraint_view import line_points, lines_of
from redmax.view.geometry.sizes import MUSCLE_RADIUS, NET_BEAD, PATH_BEAD, ROD_RADIUS
from redmax.view.geometry.skins import ball, turned_profile
from redmax.view.geometry.tubes import turns_of_z
from redmax.view.live import acting
from redmax.view.live.look import Colour, SceneColours, level_colour, linear, rgb
from redmax.view.live.recording import Recording

if TYPE_CHECKING:
    import viser

ROUND = 14  # sides of rods and beads
ROD_PROFILE = [(0, 0), (1, 0), (1, 0), (1, 1), (1, 1), (0, 1.0)]  # of radius and length 1, with sharp ends


class Lines:
    """All rods of a scene: one batch of cylinders and one of balls, whose places and colours are sent when they change."""

    def __init__(self, server: viser.ViserServer, seen: Recording, scale: float, size: float, look: Look) -> None:
        self.seen, self.scale, self.size = seen, scale, size
        self.forces: list[Force] = acting.paths(seen.model)
        self.ropes = lines_of(seen.model)
        self.nets = [soft for soft in seen.model.soft if not len(soft.shape.surface)]
        self.colour: Colour = (122, 130, 142)
        told = {str(line.name): look.appearance(str(line.name)).hex for line in (*self.forces, *self.ropes)}
        told |= {soft.name: look.appearance(soft.name, soft.shape.appearance).hex for soft in self.nets}
        self.own = {name: rgb(colour) for name, colour in told.items() if colour is not None}  # others have that of the theme
        self.rods: viser.BatchedMeshHandle | None = None
        if self.forces or self.ropes or self.nets:
            (ends, radii, colours), beads = self.at(0)
            place = rod_places(ends, radii)
            options: dict[str, Any] = {"lod": "off"}
            self.rods = server.scene.add_batched_meshes_simple(
                "/paths/rods",
                *turned_profile(ROD_PROFILE, ROUND),
                place[0],
                place[1],
                batched_scales=place[2],
                batched_colors=colours,
                **options,
            )
            still = np.tile([1.0, 0.0, 0.0, 0.0], (len(beads[0]), 1))
            self.beads = server.scene.add_batched_meshes_simple(
                "/paths/beads", *ball(1.0, ROUND, 7), still, beads[0], batched_scales=beads[1], batched_colors=beads[2], **options
            )

    def on_drag(self, act: Callable[[int, str, NDArray, NDArray], None]) -> None:
        """Have `act` called with the number of the node of a net whose bead is dragged; the beads of forces are no things to pull."""
        if self.rods is not None and self.nets:
            nodes = [i for soft in self.nets for i in range(len(self.seen.model.links))[soft.links]]
            first = sum(len(force.anchors) for force in self.forces) + sum(len(self.rope(c, 0)) for c in self.ropes)

            def dragged(event: viser.SceneNodeDragEvent[viser.BatchedMeshHandle]) -> None:
                if event.instance_index is not None and event.instance_index >= first:
                    places = (np.array(x, float) / self.scale for x in (event.start_position, event.end_position))
                    act(nodes[event.instance_index - first], event.phase, *places)

            self.beads.on_drag(dragged)

    def at(self, sample: int) -> tuple[tuple[NDArray, NDArray, NDArray], tuple[NDArray, NDArray, NDArray]]:
        """Rods: ends (n, 2, 3), radii (n,), colours (n, 3); beads: places (m, 3), radii (m,), colours (m, 3); as they are drawn."""
        ends, radii, colours, places, sizes, shades = [], [], [], [], [], []
        for force in self.forces:
            line = acting.line(force, self.seen, sample)
            count, used = len(force.anchors), line.points
            points = np.concatenate([used, np.repeat(used[-1:], count - len(used), axis=0)])  # those not in use lie on the last
            colour = self.own.get(str(force.name), self.colour) if line.level is None else level_colour(line.level)
            radius = (ROD_RADIUS if line.level is None else MUSCLE_RADIUS) * self.size
            ends.append(np.stack([points[:-1], points[1:]], axis=1))
            radii += [radius] * (count - 1)
            colours += [colour] * (count - 1)
            places.append(points)
            sizes += [PATH_BEAD * radius] * count
            shades += [colour] * count
        for rope in self.ropes:
            points = self.rope(rope, sample)
            colour, radius = self.own.get(str(rope.name), self.colour), ROD_RADIUS * self.size
            ends.append(np.stack([points[:-1], points[1:]], axis=1))
            radii += [radius] * (len(points) - 1)
            colours += [colour] * (len(points) - 1)
            places.append(points)
            sizes += [radius] * len(points)
            shades += [colour] * len(points)
        for soft in self.nets:
            points = self.seen.pose[sample, soft.links, :3, 3]
            ends.append(points[soft.shape.lines])
            radii += [ROD_RADIUS * self.size] * len(soft.shape.lines)
            colour = self.own.get(soft.name, self.colour)
            colours += [colour] * len(soft.shape.lines)
            places.append(points)
            sizes += [NET_BEAD * ROD_RADIUS * self.size] * len(points)
            shades += [colour] * len(points)
        s = self.scale
        bars = np.concatenate(ends) * s, np.array(radii) * s, linear(colours)
        return bars, (np.concatenate(places) * s, np.array(sizes) * s, linear(shades))

    def rope(self, constraint: Constraint, sample: int) -> NDArray[np.float64]:
        """(n, 3): where a constraint that is a line runs."""
        return line_points(constraint, self.seen.pose[sample : sample + 1])[0]

    def show(self, sample: int) -> None:
        if self.rods is None:
            return
        (ends, radii, colours), beads = self.at(sample)
        turned, places, scales = rod_places(ends, radii)
        self.rods.batched_wxyzs, self.rods.batched_positions, self.rods.batched_scales = turned, places, scales
        self.rods.batched_colors = colours
        self.beads.batched_positions, self.beads.batched_colors = beads[0], beads[2]

    def dress(self, theme: SceneColours) -> None:
        self.colour = theme.wire

    def see(self, visible: bool) -> None:
        if self.rods is not None:
            self.rods.visible = self.beads.visible = visible


def rod_places(ends: NDArray[np.float64], radii: NDArray[np.float64]) -> tuple[NDArray, NDArray, NDArray]:
    """Quaternions, places and scales that put unit rods between ends (n, 2, 3)."""
    way = ends[:, 1] - ends[:, 0]
    length = np.linalg.norm(way, axis=1)
    direction = np.where(length[:, None] > 0, way / np.maximum(length, np.finfo(float).tiny)[:, None], [0.0, 0.0, 1.0])
    return turns_of_z(direction), ends[:, 0], np.stack([radii, radii, np.maximum(length, 1e-9)], axis=1)
