"""Coordinates of the joints over time, or their rates or accelerations: small multiples, a panel for each joint."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from redmax.view.plot_style import DARK, EDGE, INK, SERIES, dress, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 12  # panels in one figure


@dataclass(frozen=True, eq=False)
class Panel:
    """name, kind: of the joint; values: (T, n); units: (n,) of these; breaks: samples that do not go on from the one before."""

    name: str
    kind: str
    values: NDArray[np.float64]
    units: list[str]
    breaks: NDArray[np.intp]


def figure_size(panels: int) -> tuple[float, float]:
    """(width, height) in inches."""
    columns, rows = grid(min(panels, MOST))
    return (8.0 if columns < 3 else 11.0), max(3.2, 1.0 + 1.55 * rows)


def grid(panels: int) -> tuple[int, int]:
    columns = 1 if panels <= 3 else 2 if panels <= 8 else 3
    return columns, -(-panels // columns)


def draw_coordinates(figure: "Figure", times: NDArray, panels: list[Panel], *, symbol: str, title: str) -> None:
    """symbol: what the values are, as a formula. The first dozen panels are drawn; a note says how many there are beside them."""
    shown, left = panels[:MOST], len(panels) - MOST
    columns, rows = grid(len(shown))
    axes = figure.subplots(rows, columns, sharex=True, squeeze=False)
    for panel, place in zip(shown, axes.flat, strict=False):
        draw_panel(place, times, panel, symbol)
    for place in axes.flat[len(shown) :]:
        place.set_visible(False)
    for k in range(max(0, len(shown) - columns), len(shown)):  # the lowest of each column
        axes.flat[k].set_xlabel("time (s)", color=INK)
        axes.flat[k].tick_params(labelbottom=True)
    figure.suptitle(plain(title), x=0.01, ha="left", fontsize=12.5, fontweight="bold", color=DARK)
    if left > 0:
        figure.supxlabel(f"{left} more joints are not shown; name those you want.", fontsize=8.5, color=INK)


def draw_panel(axes: "Axes", t: NDArray, panel: Panel, symbol: str) -> None:
    same = len(set(panel.units)) == 1
    for i, unit in enumerate(panel.units):
        label = f"${symbol}_{i + 1}$" + ("" if same or not unit else f" ({unit})")
        times, values = broken(t, panel.values[:, i], panel.breaks)
        axes.plot(times, values, color=SERIES[i % len(SERIES)], linewidth=1.4, label=label, solid_capstyle="round")
    dress(axes, f"${symbol}$ ({panel.units[0]})" if same and panel.units[0] else f"${symbol}$")
    axes.set_title(plain(panel.name), loc="left", fontsize=9.5, color=DARK, pad=4)
    if len(panel.units) == 1:
        axes.set_title(plain(panel.kind), loc="right", fontsize=8.5, color=EDGE, pad=4)
    else:
        spot = {"loc": "lower right", "bbox_to_anchor": (1.01, 0.97), "ncols": min(len(panel.units), 6)}
        axes.legend(frameon=False, labelcolor=INK, fontsize=8, handlelength=1.1, columnspacing=0.9, handletextpad=0.4, borderpad=0, **spot)
    steady(axes)


def steady(axes: "Axes") -> None:
    """A curve that does not move is drawn flat, not with its rounding errors at full height."""
    low, high = axes.get_ylim()
    size = max(abs(low), abs(high), 1e-9)
    if high - low < 1e-6 * size or size <= 1e-9:
        axes.set_ylim(low - 0.5 * max(size, 1e-3), high + 0.5 * max(size, 1e-3))
    axes.ticklabel_format(axis="y", style="sci", scilimits=(-3, 4), useOffset=False)
    axes.yaxis.get_offset_text().set(size=8, color=INK)
    axes.locator_params(axis="y", nbins=4)


def broken(t: NDArray, values: NDArray, breaks: NDArray) -> tuple[NDArray, NDArray]:
    """The curve with a gap before each sample in `breaks`: there the coordinates change, and the body does not."""
    return np.insert(t, breaks, t[breaks]), np.insert(values, breaks, np.nan)
