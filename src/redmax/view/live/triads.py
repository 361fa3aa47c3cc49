"""The frames that a look shows, as axes in viser's scene; bodies carry them along."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from redmax.lie import to_quaternion
from redmax.model.look import Look
from redmax.view.frame_triads import RADIUS, frames_on_bodies, triad_length
from redmax.view.live.recording import Recording

if TYPE_CHECKING:
    import viser

ORIGIN = 1.1  # radius of the ball where axes meet, as a share of that of an arrow


def add_triads(
    server: viser.ViserServer, seen: Recording, look: Look, carriers: Mapping[int, str], scale: float
) -> list[viser.FrameHandle]:
    """One for each frame. carriers: the names of the nodes of the bodies, by their number; scale: of what is drawn."""
    shown = frames_on_bodies(seen.model, look)
    length = triad_length(seen.model, seen.pose[0]) * scale if shown else 0.0
    return [
        server.scene.add_frame(
            f"{carriers[link]}/frame {k} {name.replace('/', '|')}",
            axes_length=length,
            axes_radius=0.6 * RADIUS * length,
            origin_radius=ORIGIN * RADIUS * length,
            wxyz=to_quaternion(E[:3, :3]),
            position=E[:3, 3] * scale,
        )
        for k, (name, link, E) in enumerate(shown)
    ]
