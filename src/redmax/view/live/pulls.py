"""Applied forces and torques, and reactions that a look shows, as arrows; the largest seen so far has a fixed length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from redmax.model.look import USUAL, Look
from redmax.view.applied import applied_arrows
from redmax.view.arrow_view import ArrowView
from redmax.view.constraint_view import arrows_at, reaction_names
from redmax.view.geometry.sizes import ARROW_HEAD, ARROW_RADIUS, LONGEST_ARROW, SHORTEST_ARROW
from redmax.view.live.look import LIGHT, SceneColours, linear
from redmax.view.live.recording import Recording

if TYPE_CHECKING:
    import viser


class Pulls:
    """One batch of arrows, sent when it changes."""

    def __init__(self, server: viser.ViserServer, seen: Recording, scale: float, size: float, look: Look = USUAL) -> None:
        self.server, self.seen, self.scale, self.size, self.look = server, seen, scale, size, look
        self.largest = {"force": 0.0, "torque": 0.0}
        self.theme, self.visible = LIGHT, True
        self.handle: viser.ArrowsHandle | None = None

    def show(self, sample: int) -> None:
        found = [(arrow, length) for arrow in self.arrows(sample) if (length := self.length(arrow)) > SHORTEST_ARROW * self.size]
        if not found:
            if self.handle is not None:
                self.handle.visible = False
            return
        ends = np.array([tail_and_tip(arrow, length) for arrow, length in found]) * self.scale
        colours = linear([getattr(self.theme, arrow.kind) for arrow, _ in found])
        if self.handle is not None and self.handle.points.shape == ends.shape:
            self.handle.points, self.handle.colors = ends.astype(np.float32), colours
        else:
            r = ARROW_RADIUS * self.size * self.scale
            options: dict[str, Any] = {"shaft_radius": r, "head_radius": ARROW_HEAD[0] * r, "head_length": ARROW_HEAD[1] * r}
            self.handle = self.server.scene.add_arrows("/forces", ends, colours, **options)
        self.see(self.visible)

    def arrows(self, sample: int) -> list[ArrowView]:
        """Those of one sample."""
        now = slice(sample, sample + 1)
        seen, found = self.seen, applied_arrows(self.seen.model, self.seen.pose[now], self.seen.t[now])
        if reaction_names(seen.model, self.look):
            found += arrows_at(seen.engine, seen.q[sample], seen.qdot[sample], float(seen.t[sample]), self.look)
        return found

    def length(self, arrow: ArrowView) -> float:
        strength = float(np.linalg.norm(arrow.vectors[0]))
        self.largest[arrow.kind] = max(self.largest[arrow.kind], strength)
        return LONGEST_ARROW * self.size * strength / self.largest[arrow.kind]

    def dress(self, theme: SceneColours) -> None:
        self.theme = theme

    def see(self, visible: bool) -> None:
        self.visible = visible
        if self.handle is not None:
            self.handle.visible = visible


def tail_and_tip(arrow: ArrowView, length: float) -> NDArray[np.float64]:
    """(2, 3): a force points away from where it acts."""
    point, vector = arrow.points[0], arrow.vectors[0]
    return np.stack([point, point + length * vector / np.linalg.norm(vector)])
