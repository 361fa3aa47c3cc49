"""Where muscles were on their curves during a run: force-length and force-velocity, with its samples coloured by activation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from redmax.view.plot_coordinates import MOST, grid
from redmax.view.plot_style import DARK, EDGE, INK, SERIES, dress, level_scale, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POINTS = 240  # of a run, at most
ACTIVE, PASSIVE, FORCE = DARK, SERIES[5], EDGE


@dataclass(frozen=True, eq=False)
class CurvePanel:
    """Of one muscle. x: (n,) where the curves are drawn; curves: by what they are called, (n,) each, the one with the samples first

    at, on: (T,) where the samples are, and the first curve there; force: (T,) of the fibres over f_opt; activation: (T,)
    """

    name: str
    x: NDArray[np.float64]
    curves: dict[str, NDArray[np.float64]]
    at: NDArray[np.float64]
    on: NDArray[np.float64]
    force: NDArray[np.float64]
    activation: NDArray[np.float64]


def figure_size(panels: int) -> tuple[float, float]:
    """(width, height) in inches."""
    columns, rows = grid(min(panels, MOST))
    return 3.4 + 3.0 * columns, 1.3 + 2.3 * rows


def draw_curves(figure: "Figure", panels: Sequence[CurvePanel], *, label: str, title: str) -> None:
    """label: of the horizontal axis. The first dozen panels are drawn; a note says how many there are beside them."""
    shown = panels[:MOST]
    columns, rows = grid(len(shown))
    axes = figure.subplots(rows, columns, squeeze=False)
    for panel, place in zip(shown, axes.flat, strict=False):
        draw_panel(place, panel)
        place.set_xlabel(label, color=INK, fontsize=9)
    for place in axes.flat[len(shown) :]:
        place.set_visible(False)
    bar = figure.colorbar(level_scale(), ax=list(axes.flat), shrink=min(1.0, 1.6 / rows), fraction=0.05, pad=0.02, aspect=18)
    bar.set_label("activation", color=INK)
    bar.outline.set_visible(False)
    bar.ax.tick_params(colors=INK, length=0, labelsize=9)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    look = {"ncols": len(labels), "frameon": False, "labelcolor": INK, "handlelength": 1.6, "fontsize": 9}
    figure.legend(handles, labels, loc="outside lower center", **look)
    figure.suptitle(plain(title), x=0.01, ha="left", fontsize=12.5, fontweight="bold", color=DARK)
    if len(panels) > MOST:
        figure.supxlabel(f"{len(panels) - MOST} more muscles are not shown; choose by name.", fontsize=8.5, color=INK)


def draw_panel(axes: "Axes", panel: CurvePanel) -> None:
    """The curves, with the samples on the first of them."""
    axes.plot(panel.at, panel.force, color=FORCE, linewidth=1.0, label="fibre force of the run")
    for (name, values), colour in zip(panel.curves.items(), (ACTIVE, PASSIVE), strict=False):
        axes.plot(panel.x, values, color=colour, linewidth=1.4, label=name)
    some = np.unique(np.linspace(0, len(panel.at) - 1, POINTS).astype(int))
    some = some[np.argsort(panel.activation[some], kind="stable")]  # what is most active lies above
    scale = level_scale()
    look = {"cmap": scale.cmap, "norm": scale.norm, "s": 16, "linewidths": 0.0, "zorder": 3}
    axes.scatter(panel.at[some], panel.on[some], c=panel.activation[some], **look)
    dress(axes, "force / isometric")
    axes.set_title(plain(panel.name), loc="left", fontsize=9.5, color=DARK, pad=4)
    axes.set_xlim(panel.x[0], panel.x[-1])
    axes.locator_params(axis="both", nbins=5)
