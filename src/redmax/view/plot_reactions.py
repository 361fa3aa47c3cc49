"""Joint reactions over time: force and torque of parent on child, in the joint frame, a row for each joint."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from redmax.view.plot_coordinates import steady
from redmax.view.plot_style import DARK, INK, SERIES, dress, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 6  # rows in one figure
SIZE = "#ccd1d8"  # of magnitudes, which lie behind their components


def figure_size(joints: int) -> tuple[float, float]:
    """(width, height) in inches."""
    return 9.5, 1.4 + 1.7 * min(joints, MOST)


def draw_reactions(
    figure: "Figure", times: NDArray, wrenches: dict[str, NDArray], *, title: str, force_unit: str, torque_unit: str
) -> None:
    """wrenches: by joint, (T, 6), torque; force. The first few joints are drawn; a note says how many there are beside them."""
    shown = dict(list(wrenches.items())[:MOST])
    axes = figure.subplots(len(shown), 2, sharex=True, squeeze=False)
    for (name, wrench), (left, right) in zip(shown.items(), axes, strict=True):
        for place, part, label in ((left, wrench[:, 3:], f"force ({force_unit})"), (right, wrench[:, :3], f"torque ({torque_unit})")):
            place.plot(times, np.linalg.norm(part, axis=1), color=SIZE, linewidth=3.2, label="magnitude")
            for i, axis in enumerate("xyz"):
                place.plot(times, part[:, i], color=SERIES[i], linewidth=1.2, label=axis, solid_capstyle="round")
            dress(place, label)
            steady(place)
        left.set_title(plain(name), loc="left", fontsize=9.5, color=DARK, pad=4)
    for place in axes[-1]:
        place.set_xlabel("time (s)", color=INK)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=4, frameon=False, labelcolor=INK, handlelength=1.6, fontsize=9)
    figure.suptitle(plain(title), x=0.01, ha="left", fontsize=12.5, fontweight="bold", color=DARK)
    if len(wrenches) > MOST:
        figure.supxlabel(f"{len(wrenches) - MOST} more joints are not shown; choose by name.", fontsize=8.5, color=INK)
