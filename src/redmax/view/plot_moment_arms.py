"""Moment arms of paths over time, a panel for each coordinate; or over one coordinate, with the lengths of the paths below."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from redmax.view.palette import default_colours
from redmax.view.plot_coordinates import steady
from redmax.view.plot_style import DARK, EDGE, INK, dress, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 8  # panels in one figure
LEGEND = 24  # names in it


@dataclass(frozen=True, eq=False)
class ArmPanel:
    """name: what is above it; label: of the vertical axis, with the unit; curves: by path, (T,) each; zero: whether 0 is marked"""

    name: str
    label: str
    curves: dict[str, NDArray[np.float64]]
    zero: bool = True


def figure_size(panels: int) -> tuple[float, float]:
    """(width, height) in inches."""
    return 9.5, 1.2 + 2.1 * min(panels, MOST)


def draw_moment_arms(figure: "Figure", x: NDArray, label: str, panels: Sequence[ArmPanel], *, title: str, paths: Sequence[str]) -> None:
    """x: (T,) times or values of a coordinate; label: what they are; paths: all of the scene, so that each has one colour in all plots."""
    colours = dict(zip(paths, default_colours(len(paths)), strict=True))
    shown = panels[:MOST]
    axes = figure.subplots(len(shown), 1, sharex=True, squeeze=False)[:, 0]
    handles = {}
    for panel, place in zip(shown, axes, strict=True):
        for name, values in panel.curves.items():
            handles[name] = place.plot(x, values, color=colours[name], linewidth=1.5, solid_capstyle="round")[0]
        dress(place, panel.label)
        place.set_title(plain(panel.name), loc="left", fontsize=9.5, color=DARK, pad=4)
        steady(place)
        if panel.zero:
            place.axhline(0.0, color=EDGE, linewidth=0.9, zorder=1)
    axes[-1].set_xlabel(plain(label), color=INK)
    listed = {plain(name): handle for name, handle in list(handles.items())[:LEGEND]}
    figure.legend(listed.values(), listed, loc="outside right center", frameon=False, labelcolor=INK, handlelength=1.4, fontsize=8.5)
    figure.suptitle(plain(title), x=0.01, ha="left", fontsize=12.5, fontweight="bold", color=DARK)
    left = len(panels) - len(shown)
    if left:
        figure.supxlabel(f"{left} more coordinates are not shown; choose joints by name.", fontsize=8.5, color=INK)
