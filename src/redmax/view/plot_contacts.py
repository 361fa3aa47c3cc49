"""Contacts over time: how hard each pair presses, and how many points do."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from redmax.errors import RedmaxError
from redmax.view.plot_style import DARK, INK, SERIES, dress, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from redmax.run.trajectory import Trajectory

MOST = 8  # pairs that have a curve each
SIZE = (9.5, 5.4)  # inches


def pressed_of(run: "Trajectory") -> dict[str, NDArray]:
    """(T,) each: the normal forces of pairs, those that press hardest first."""
    if run.contact_count is None:
        raise RedmaxError("There are no contacts to plot: nothing in the scene touches. Give bodies contact=True where they are added.")
    found = {f"{a} - {b}": run.contacts.normal_force(a, b) for a, b in run.contacts.pairs}
    return dict(sorted(found.items(), key=lambda pair: -float(np.mean(pair[1]))))


def draw_contacts(figure: "Figure", times: NDArray, pressed: dict[str, NDArray], count: NDArray, *, title: str, force_unit: str) -> None:
    """Normal forces above, the number of points that press below; a note says how many pairs there are beside those shown."""
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1.2))
    for k, (name, force) in enumerate(list(pressed.items())[:MOST]):
        upper.plot(times, force, color=SERIES[k % len(SERIES)], linewidth=1.3, label=plain(name), solid_capstyle="round")
    highest = np.concatenate([np.zeros(1), *list(pressed.values())[:MOST]])
    usual = 3.0 * float(np.percentile(highest, 95))
    if 0 < usual < highest.max():  # impacts are short and high: what rests is to be seen
        upper.set_ylim(-0.04 * usual, usual)
        upper.text(
            0.995, 0.96, f"peaks up to {highest.max():.3g} {force_unit}", transform=upper.transAxes, ha="right", color=INK, fontsize=8
        )
    dress(upper, f"normal force ({force_unit})")
    if pressed:
        upper.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=4, frameon=False, fontsize=8, labelcolor=INK, handlelength=1.1)
    lower.step(times, count, where="post", color=DARK, linewidth=1.3)
    dress(lower, "points that press")
    lower.set_xlabel("time (s)", color=INK)
    figure.suptitle(plain(title), x=0.01, ha="left", fontsize=12.5, fontweight="bold", color=DARK)
    if len(pressed) > MOST:
        figure.supxlabel(f"{len(pressed) - MOST} more pairs press less, and are not shown.", fontsize=8.5, color=INK)
