"""Contacts on the live page: a dot for each point, coloured by its state, an arrow for its force, and cones of friction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from redmax.model.look import Look
from redmax.run.contact.of_nodes import pair_frictions
from redmax.run.contact.records import COLUMNS, POINT, STATES
from redmax.view.contact_view import ContactsView, cut_forces, usual_force, view_of
from redmax.view.geometry.cones import cones
from redmax.view.geometry.sizes import ARROW_HEAD, ARROW_RADIUS, CONE_OPACITY, DOT_RADIUS, LONGEST_ARROW, SHORTEST_ARROW
from redmax.view.geometry.skins import ball
from redmax.view.live.look import LIGHT, SceneColours, linear
from redmax.view.live.recording import Recording

if TYPE_CHECKING:
    import viser

ROUND = 12  # sides of dots
LOOKS = 60  # samples that say how long arrows are
MORE = 1.2  # times as many samples, after which that is asked again


class Touching:
    """What contacts do at a sample; arrows and cones are to one scale, which follows from all samples so far."""

    def __init__(self, server: viser.ViserServer, seen: Recording, scale: float, size: float, look: Look) -> None:
        self.server, self.seen, self.scale, self.size = server, seen, scale, size
        self.friction = pair_frictions(seen.model) if seen.model.touches else np.zeros(0)
        self.shown = {"contacts": look.reactions is True or look.cones, "cones": look.cones, "forces": True}
        self.theme, self.sample, self.judged = LIGHT, 0, 0
        self.longest, self.strongest = 0.0, 0.0
        self.dots: viser.BatchedMeshHandle | None = None
        self.arrows: viser.ArrowsHandle | None = None
        self.cones: viser.MeshHandle | None = None

    def show(self, sample: int) -> None:
        self.sample = sample
        if not len(self.friction) or not (self.shown["contacts"] or self.shown["cones"]):
            return self.hide()
        self.judge()
        rows = self.seen.rows_at(sample)
        view = view_of(rows, np.array([0, len(rows)]), self.friction, self.longest)
        self.show_dots(view if self.shown["contacts"] else None)
        self.show_arrows(rows if self.shown["contacts"] and self.shown["forces"] else rows[:0])
        self.show_cones(view if self.shown["cones"] else None)
        return None

    def hide(self) -> None:
        for handle in (self.dots, self.arrows, self.cones):
            if handle is not None:
                handle.visible = False

    def judge(self) -> None:
        """How long arrows are, once there are many more samples than when that was last asked."""
        count = self.seen.count
        if self.strongest and count < MORE * self.judged:
            return
        some = np.unique(np.linspace(0, count - 1, LOOKS).astype(int))
        rows = np.concatenate([np.zeros((0, COLUMNS)), *(self.seen.rows_at(int(k)) for k in some)])
        self.judged, self.longest = count, usual_force(rows)
        self.strongest = float(np.linalg.norm(cut_forces(rows, self.longest), axis=1).max(initial=0.0))

    @property
    def stretch(self) -> float:
        """From forces to lengths."""
        return LONGEST_ARROW * self.size / self.strongest if self.strongest else 0.0

    def show_dots(self, view: ContactsView | None) -> None:
        if view is None or not len(view.points):
            if self.dots is not None:
                self.dots.visible = False
            return
        colours = linear([getattr(self.theme, STATES[state]) for state in view.states])
        places = (view.points * self.scale).astype(np.float32)
        if self.dots is not None and len(self.dots.batched_positions) == len(places):
            self.dots.batched_positions, self.dots.batched_colors = places, colours
            self.dots.visible = True
            return
        shape, still = ball(DOT_RADIUS * self.size * self.scale, ROUND, 7), np.tile([1.0, 0.0, 0.0, 0.0], (len(places), 1))
        options: dict[str, Any] = {"lod": "off", "cast_shadow": False}
        self.dots = self.server.scene.add_batched_meshes_simple("/contacts/dots", *shape, still, places, batched_colors=colours, **options)

    def show_arrows(self, rows: NDArray[np.float64]) -> None:
        vectors = self.stretch * cut_forces(rows, self.longest)
        long = np.linalg.norm(vectors, axis=1) >= SHORTEST_ARROW * self.size
        if not long.any():
            if self.arrows is not None:
                self.arrows.visible = False
            return
        feet = rows[long, POINT : POINT + 3]
        ends = (np.stack([feet, feet + vectors[long]], axis=1) * self.scale).astype(np.float32)
        colours = linear([self.theme.force] * len(ends))
        if self.arrows is not None and self.arrows.points.shape == ends.shape:
            self.arrows.points, self.arrows.colors, self.arrows.visible = ends, colours, True
            return
        r = ARROW_RADIUS * self.size * self.scale
        options: dict[str, Any] = {"shaft_radius": r, "head_radius": ARROW_HEAD[0] * r, "head_length": ARROW_HEAD[1] * r}
        self.arrows = self.server.scene.add_arrows("/contacts/forces", ends, colours, **options)

    def show_cones(self, view: ContactsView | None) -> None:
        pressing = np.zeros(0, bool) if view is None else np.linalg.norm(view.pushes, axis=1) * self.stretch > 0
        if view is None or not pressing.any():
            if self.cones is not None:
                self.cones.visible = False
            return
        skin = cones(view.points[pressing], self.stretch * view.pushes[pressing], view.friction[pressing])
        vertices, faces = (skin.vertices * self.scale).astype(np.float32), skin.faces.astype(np.uint32)
        options: dict[str, Any] = {"opacity": CONE_OPACITY, "side": "double", "cast_shadow": False}
        self.cones = self.server.scene.add_mesh_simple("/contacts/cones", vertices, faces, color=self.theme.force, **options)

    def dress(self, theme: SceneColours) -> None:
        self.theme = theme
        self.show(self.sample)

    def see(self, what: str, visible: bool) -> None:
        """Show or hide "contacts" with their forces, "cones", or "forces" alone."""
        self.shown[what] = visible
        self.show(self.sample)
