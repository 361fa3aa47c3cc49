"""Coordinates of the joints over time, or their rates or accelerations: small multiples, a panel for each joint."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from redmax.view.plot_style import DARK, INK, SERIES, dress, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 12  # panels in one figure
BESIDE, WIDTH = 50, 55  # letters that stand above a panel: its name and those of its curves side by side, or a line of the latter
NOTHING = 1e-12  # what is smaller is drawn as zero


@dataclass(frozen=True, eq=False)
class Panel:
    """Columns of a quantity, of one joint or body, that have one unit.

    name: of the joint; kind: of the joint, said instead of the labels where there is one coordinate; labels: (n,); values: (T, n)
    label: of the axis, with the unit; breaks: samples that do not go on from the one before
    """

    name: str
    kind: str
    labels: list[str]
    values: NDArray[np.float64]
    label: str
    breaks: NDArray[np.intp]


def figure_size(panels: int) -> tuple[float, float]:
    """(width, height) in inches."""
    columns, rows = grid(min(panels, MOST))
    return (8.0 if columns < 3 else 11.0), max(3.2, 1.0 + 1.55 * rows)


def grid(panels: int) -> tuple[int, int]:
    columns = 1 if panels <= 3 else 2 if panels <= 8 else 3
    return columns, -(-panels // columns)


def draw_coordinates(figure: "Figure", times: NDArray, panels: list[Panel], *, title: str) -> None:
    """The first dozen panels are drawn; a note says how many there are beside them."""
    shown, left = panels[:MOST], len({p.name for p in panels[MOST:]})
    columns, rows = grid(len(shown))
    axes = figure.subplots(rows, columns, sharex=True, squeeze=False)
    for panel, place in zip(shown, axes.flat, strict=False):
        draw_panel(place, times, panel)
    for place in axes.flat[len(shown) :]:
        place.set_visible(False)
    for k in range(max(0, len(shown) - columns), len(shown)):  # the lowest of each column
        axes.flat[k].tick_params(labelbottom=True)
    for place in axes[-1]:
        place.set_xlabel("time (s)", color=INK)
    figure.suptitle(plain(title), x=0.01, ha="left", fontsize=12.5, fontweight="bold", color=DARK)
    if left:
        figure.supxlabel(f"{left} more {'joint is' if left == 1 else 'joints are'} not shown; choose by name.", fontsize=8.5, color=INK)


def draw_panel(axes: "Axes", t: NDArray, panel: Panel) -> None:
    for k, label in enumerate(panel.labels):
        times, values = broken(t, panel.values[:, k], panel.breaks)
        axes.plot(times, values, color=SERIES[k % len(SERIES)], linewidth=1.4, label=label, solid_capstyle="round")
    dress(axes, panel.label)
    letters = sum(len(label) + 5 for label in panel.labels)
    lines = 0 if panel.kind or letters + len(panel.name) <= BESIDE else -(-letters // WIDTH)  # of names of curves, under that of the panel
    axes.set_title(plain(panel.name), loc="left", fontsize=9.5, color=DARK, pad=4 + 13 * lines)
    if panel.kind:
        axes.set_title(plain(panel.kind), loc="right", fontsize=8.5, color="#8b929c", pad=4)
    else:
        spot = {"loc": "lower right", "bbox_to_anchor": (1.01, 0.97), "ncols": len(panel.labels)}
        spot |= {"loc": "lower left", "bbox_to_anchor": (-0.01, 0.97), "ncols": -(-len(panel.labels) // lines)} if lines else {}
        axes.legend(frameon=False, labelcolor=INK, fontsize=8, handlelength=1.1, columnspacing=0.9, handletextpad=0.4, borderpad=0, **spot)
    steady(axes)


def steady(axes: "Axes") -> None:
    """A curve that does not move is drawn flat, not with its rounding errors at full height."""
    low, high = axes.dataLim.y0, axes.dataLim.y1
    size = max(abs(low), abs(high))
    axes.ticklabel_format(axis="y", style="sci", scilimits=(-3, 4), useOffset=False)
    axes.yaxis.get_offset_text().set(size=8, color=INK)
    axes.locator_params(axis="y", nbins=4)
    if size < NOTHING:
        axes.set_ylim(-1, 1)
        axes.set_yticks([0])
    elif high - low < 1e-6 * size:
        axes.set_ylim(low - 0.5 * size, high + 0.5 * size)


def broken(t: NDArray, values: NDArray, breaks: NDArray) -> tuple[NDArray, NDArray]:
    """The curve with a gap before each sample in `breaks`: there the coordinates change, and the body does not."""
    return np.insert(t, breaks, t[breaks]), np.insert(values, breaks, np.nan)
