"""The energy plot beside the scene: kinetic, potential and total over time, with a mark at the time that is shown."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from redmax.view.live.recording import Recording
from redmax.view.plot import KINETIC, POTENTIAL, TOTAL

if TYPE_CHECKING:
    import viser

POINTS = 400  # that are sent, at most
LAID_OUT = (1.5, 6.0)  # s after which a page has given the chart its width: most pages, and slow ones
PALE, MARK = "#d9dee5", "rgba(200, 60, 60, 0.75)"


class EnergyPlot:
    """A chart of viser's own, which needs nothing from outside."""

    def __init__(self, gui: viser.GuiApi, seen: Recording, start: float, end: float, dark: bool) -> None:
        self.span = start, end
        self.due: dict[int, list[float]] = {}  # when the chart of a page is drawn anew
        self.handle = gui.add_uplot(
            data=curves(seen, start),
            series=series(dark),
            scales=scales(start, end),
            axes=(
                {"size": 30, "space": 60, "font": FONT},
                {"size": 64, "space": 34, "font": FONT},
            ),
            legend={"show": True, "live": False},
            cursor={"drag": {"x": False, "y": False}, "points": {"show": False}},  # type: ignore[typeddict-item]
            height=200,
            padding=(8, 12, 0, 0),
        )

    def reset(self, start: float, end: float) -> None:
        """For another run."""
        self.span = start, end
        self.handle.scales = scales(start, end)

    def settle(self, pages: Collection[int], now: float) -> None:
        """Draw the chart anew on pages that were opened a moment ago: made before it has a width, it has no numbers along its time."""
        for page in pages:
            self.due.setdefault(page, [now + wait for wait in LAID_OUT])
        if any(times and now >= times[0] for times in self.due.values()):
            self.due = {page: [t for t in times if t > now] for page, times in self.due.items()}
            self.handle.scales = scales(*self.span)

    def dress(self, dark: bool) -> None:
        self.handle.series = series(dark)

    def show(self, seen: Recording, t: float) -> None:
        self.handle.data = curves(seen, t)


FONT = "11px system-ui, sans-serif"


def curves(seen: Recording, t: float) -> tuple[NDArray[np.float64], ...]:
    """times, kinetic, potential and total energy, and a mark: (k,) each. The mark lies below the chart, but goes up and down at t."""
    some = np.unique(np.linspace(0, seen.count - 1, POINTS).astype(int))
    times, T, V = seen.t[some], seen.kinetic[some], seen.potential[some]
    at = np.full(3, np.clip(t, times[0], times[-1]))
    where = int(np.searchsorted(times, at[0]))
    mark = np.insert(np.full(len(times), -1.0), where, (-1.0, 1.0, -1.0))
    T, V = (np.insert(values, where, np.interp(at, times, values)) for values in (T, V))
    return np.insert(times, where, at), T, V, T + V, mark


def series(dark: bool) -> tuple[Any, ...]:
    total = PALE if dark else TOTAL
    shown = [("kinetic", KINETIC, 1.6), ("potential", POTENTIAL, 1.6), ("total", total, 2.0)]
    lines = [{"label": name, "stroke": colour, "width": width, "points": {"show": False}} for name, colour, width in shown]
    return ({"label": "t"}, *lines, {"label": "now", "stroke": MARK, "width": 1.5, "scale": "now", "points": {"show": False}})


def scales(start: float, end: float) -> dict[str, Any]:
    return {"x": {"time": False, "range": (start, end)}, "y": {}, "now": {"range": (0.0, 1.0)}}
