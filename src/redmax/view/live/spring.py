"""The spring of a hand on a body, drawn as a coil from the grabbed point to the pointer, with its force beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from redmax.view.live.hand import Hand
from redmax.view.live.look import LIGHT, SceneColours

if TYPE_CHECKING:
    import viser

TURNS, STEPS = 9, 12  # of the coil, and points in each turn
WIDTH, STRAIGHT = 0.012, 0.12  # half of its width, of the scene's size; its ends, of its length
PIXELS = 2.5  # its thickness


class SpringView:
    """scale: how much larger the scene is drawn than it is; size: of the scene; unit: of forces."""

    def __init__(self, server: viser.ViserServer, scale: float, size: float, unit: str) -> None:
        self.server, self.scale, self.size, self.unit = server, scale, size, unit
        self.theme = LIGHT
        self.line: viser.LineSegmentsHandle | None = None
        self.label: viser.LabelHandle | None = None

    def show(self, hand: Hand | None, pose: NDArray[np.float64] | None = None, twist: NDArray[np.float64] | None = None) -> None:
        """With a body of this pose and twist in the hand; without a hand, nothing."""
        if hand is None or pose is None or twist is None:
            for handle in (self.line, self.label):
                if handle is not None:
                    handle.visible = False
            return
        points = coil(hand.grabbed(pose), hand.target, WIDTH * self.size) * self.scale
        text = f"{np.linalg.norm(hand.force(pose, twist)):.3g} {self.unit}"
        self.draw(np.stack([points[:-1], points[1:]], axis=1), text, hand.target * self.scale)

    def draw(self, segments: NDArray[np.float64], text: str, place: NDArray[np.float64]) -> None:
        if self.line is None or self.label is None:
            colour = self.theme.force
            self.line = self.server.scene.add_line_segments(
                "/hand/spring", segments.astype(np.float32), colour, thickness=PIXELS, thickness_units="screen"
            )
            self.label = self.server.scene.add_label("/hand/force", text, position=place, anchor="bottom-left", font_screen_scale=1.1)
            return
        self.line.points, self.line.visible = segments.astype(np.float32), True
        self.label.text, self.label.position, self.label.visible = text, place, True

    def dress(self, theme: SceneColours) -> None:
        self.theme = theme


def coil(begin: NDArray[np.float64], end: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    """(n, 3): a line with turns about it, whose ends are straight."""
    along = end - begin
    side = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    side /= max(float(np.linalg.norm(side)), 1e-300)
    other = np.cross(along, side) / max(float(np.linalg.norm(along)), 1e-300)
    share = np.linspace(0.0, 1.0, TURNS * STEPS + 1)
    angle, swell = 2 * np.pi * TURNS * share, width * np.sin(np.pi * share).clip(0, 1) ** 0.25
    axis = begin + np.outer(STRAIGHT + (1 - 2 * STRAIGHT) * share, along)
    turns = axis + np.outer(swell * np.cos(angle), side) + np.outer(swell * np.sin(angle), other)
    return np.concatenate([begin[None], turns, end[None]]).astype(float)
