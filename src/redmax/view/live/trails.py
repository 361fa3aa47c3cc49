"""Lines that points leave behind, in viser's scene: until the sample shown, from the beginning or for as long as they stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from redmax.model.look import Look, Trail, as_trails
from redmax.view.geometry.sizes import TRAIL_RADIUS
from redmax.view.live.look import rgb
from redmax.view.live.recording import Recording
from redmax.view.looks import body_colours, path_of, place_of
from redmax.view.trail_view import TrailView

if TYPE_CHECKING:
    import viser

MOST = 700  # pieces of a line, which is sent anew for each sample


class Trails:
    """All trails of a look; the scene is drawn `scale` times as large as it is."""

    def __init__(self, server: viser.ViserServer, seen: Recording, scale: float, size: float, look: Look) -> None:
        self.seen, self.scale = seen, scale
        self.trails = as_trails(look.trails)
        colours = body_colours(seen.model, look) if self.trails else []
        self.colours = [colours[place_of(seen.model, t.of)[0]] if t.color is None else str(t.color) for t in self.trails]
        width = 2 * TRAIL_RADIUS * size * scale
        self.lines = [
            server.scene.add_line_segments(f"/trails/{k}", np.zeros((1, 2, 3)), rgb(colour), thickness=width, visible=False)
            for k, colour in enumerate(self.colours)
        ]

    def show(self, sample: int) -> None:
        for trail, colour, line in zip(self.trails, self.colours, self.lines, strict=True):
            points = self.points(trail, colour, sample)
            if len(points) > 1:
                line.points = (np.stack([points[:-1], points[1:]], axis=1) * self.scale).astype(np.float32)
            line.visible = len(points) > 1

    def points(self, trail: Trail, colour: str, sample: int) -> NDArray[np.float64]:
        """(k, 3): of the line at a sample."""
        seen, (body, point) = self.seen, place_of(self.seen.model, trail.of)
        some = kept(seen.t, sample, trail.seconds)
        view = TrailView(seen.model.links[body].name, path_of(seen.pose[some, body], point), colour, trail.seconds)
        return view.until(float(seen.t[sample]), seen.t[some])


def kept(times: NDArray[np.float64], sample: int, seconds: float | None) -> NDArray[np.int64]:
    """The samples that a line at a sample goes through: not too many, and as long as it grows by few the same ones, so that it is still."""
    first = 0 if seconds is None else max(int(np.searchsorted(times, times[sample] - seconds, side="right")) - 1, 0)
    step = -(-(sample - first + 1) // MOST)
    return np.unique(np.concatenate([[first], np.arange(-(-first // step) * step, sample, step), [sample]])).astype(np.int64)
