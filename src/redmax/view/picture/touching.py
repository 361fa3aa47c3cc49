"""Points of contact in a picture: dots, coloured by whether they stick, slide or are open, and cones of friction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from redmax.run.contact.records import STATES
from redmax.view.arrow_view import ArrowView
from redmax.view.contact_view import ContactsView
from redmax.view.geometry.cones import cones
from redmax.view.geometry.sizes import CONE_OPACITY, DOT_RADIUS, LONGEST_ARROW
from redmax.view.geometry.tubes import beads
from redmax.view.picture.moment import Moment
from redmax.view.picture.seen_surface import SeenSurface
from redmax.view.picture.theme import Theme


@dataclass(frozen=True, eq=False)
class Dots:
    """Of one state, where the sample at or before a moment has them: contacts come and go, and nothing is between."""

    view: ContactsView
    state: int
    radius: float

    def at(self, moment: Moment, theme: Theme) -> SeenSurface:
        own = self.view.at(moment.index)
        shape = beads(self.view.points[own][self.view.states[own] == self.state], self.radius)
        return SeenSurface(*shape.corners, getattr(theme, STATES[self.state]), casts=False)


@dataclass(frozen=True, eq=False)
class Cones:
    """stretch: from forces to lengths."""

    view: ContactsView
    stretch: float

    def at(self, moment: Moment, theme: Theme) -> SeenSurface:
        own = self.view.at(moment.index)
        pushes = self.stretch * self.view.pushes[own]
        high = np.linalg.norm(pushes, axis=1) > 0
        shape = cones(self.view.points[own][high], pushes[high], self.view.friction[own][high])
        return SeenSurface(*shape.corners, theme.force, opacity=CONE_OPACITY, casts=False, is_closed=True)


def touching(view: ContactsView | None, arrows: Sequence[ArrowView], size: float) -> list[Dots | Cones]:
    """What is shown of contacts; cones to the scale of arrows of forces. size: of the scene."""
    if view is None:
        return []
    strongest = max([view.strongest, *(float(np.linalg.norm(a.vectors, axis=1).max()) for a in arrows if a.kind == "force")]) or 1.0
    dots = [Dots(view, state, DOT_RADIUS * size) for state in range(len(STATES))]
    return [*dots, *([Cones(view, LONGEST_ARROW * size / strongest)] if view.cones else [])]
