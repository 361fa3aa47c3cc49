"""Muscles over time: a row for each, with activation, force and its parts, and where the fibres are on their curves."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from redmax.dynamics.common.path_states import MuscleStates
from redmax.view.plot_coordinates import steady
from redmax.view.plot_style import DARK, EDGE, INK, SERIES, dress, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 7  # rows in one figure
ACTIVATION, EXCITATION, ACTIVE, PASSIVE = SERIES[3], EDGE, SERIES[1], SERIES[0]
LINES = {  # legend entry: (column of panels, quantity, colour, width); what lies behind the others comes first
    "excitation": (0, "excitation", EXCITATION, 2.6),
    "activation": (0, "activation", ACTIVATION, 1.4),
    "tendon force": (1, "tendon_force", DARK, 2.0),
    "active part": (1, "active_force", ACTIVE, 1.3),
    "passive part": (1, "passive_force", PASSIVE, 1.3),
    "fibre length / optimal": (2, "normalised_length", SERIES[2], 1.5),
    "fibre velocity / largest": (3, "normalised_velocity", SERIES[4], 1.5),
}


def figure_size(muscles: int) -> tuple[float, float]:
    """(width, height) in inches."""
    return 12.5, 1.5 + 1.35 * min(muscles, MOST)


def draw_muscles(figure: "Figure", times: NDArray, muscles: Sequence[MuscleStates], *, title: str, force_unit: str) -> None:
    """muscles: one by one, (T,) each. The first few are drawn; a note says how many there are beside them."""
    shown = muscles[:MOST]
    axes = figure.subplots(len(shown), 4, sharex=True, squeeze=False)
    for muscle, row in zip(shown, axes, strict=True):
        for label, (column, name, colour, width) in LINES.items():
            row[column].plot(times, getattr(muscle, name), color=colour, linewidth=width, label=label, solid_capstyle="round")
        for place, label in zip(row, ("level", f"force ({force_unit})", "length", "velocity"), strict=True):
            dress(place, label)
        row[0].set_ylim(-0.05, 1.05)
        row[0].set_title(plain(muscle.names[0]), loc="left", fontsize=9.5, color=DARK, pad=4)
        for place, at in ((row[2], 1.0), (row[3], 0.0)):
            beside(place, at)
        for place in row[1:]:
            steady(place)
    for place in axes[-1]:
        place.set_xlabel("time (s)", color=INK)
    for column in range(4):
        handles, labels = axes[0, column].get_legend_handles_labels()
        look = {"loc": "lower right", "bbox_to_anchor": (1.01, 1.0), "ncols": len(labels), "frameon": False, "labelcolor": INK}
        axes[0, column].legend(handles, labels, fontsize=8, handlelength=1.1, columnspacing=0.9, handletextpad=0.4, borderpad=0, **look)
    figure.suptitle(plain(title), x=0.01, ha="left", fontsize=12.5, fontweight="bold", color=DARK)
    if len(muscles) > MOST:
        figure.supxlabel(f"{len(muscles) - MOST} more muscles are not shown; choose by name.", fontsize=8.5, color=INK)


def beside(axes: "Axes", value: float) -> None:
    """A thin line at a value that means something, where the curve comes near it."""
    low, high = axes.dataLim.y0, axes.dataLim.y1
    if low - 0.5 * (high - low) < value < high + 0.5 * (high - low) or np.isclose(low, high):
        axes.axhline(value, color=EDGE, linewidth=0.9, zorder=1)
