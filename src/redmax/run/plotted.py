"""The plots of a run, as a method of Trajectory. What draws them is imported when one is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from redmax.arguments import as_path
from redmax.errors import RedmaxError
from redmax.run.quantities import plot_word, plots

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory


class Plotted:
    """The method of a Trajectory that plots it."""

    def plot(
        self,
        path: str | Path | None = "energy.png",
        what: str = "energy",
        joints: Sequence[str] | None = None,
        *,
        muscles: Sequence[str] | None = None,
        over: str | None = None,
        between: Sequence[float] | None = None,
        constraints: Sequence[str] | None = None,
    ) -> Path | None:
        """Write a plot, or with path=None show it in a window (needs the extra redmax[plot]); run.plot("rates") writes rates.png.

        what: "energy", "coordinates", "rates", "accelerations", "torques", "reactions", "constraints", "contacts", "center-of-mass",
            "centroidal-momentum", "muscles", "moment-arms", "force-length" or "force-velocity"; or as tables call it, "q", "qdot", ...
        joints: which ones, by their names or their bodies'; muscles: which ones, or other forces along paths, by name
        constraints: which ones, by name
        over: a coordinate, such as "knee" or "hip.q1", over which moment arms are plotted; between: (lower, upper) of it, or its limits
        """
        from redmax.view.path_plots import PathChoice
        from redmax.view.plots import plot_run

        run = as_run(self)
        run.single("plot")
        if isinstance(path, str) and plot_word(path) in plots() and what == "energy":
            path, what = f"{path}.png", path
        where = None if path is None else as_path(path, "A plot", "energy.png", RedmaxError)
        return plot_run(run, where, what, joints, PathChoice(muscles, joints, over, between, constraints))


def as_run(plotted: Plotted) -> Trajectory:
    """Itself: only a Trajectory has this method."""
    from redmax.run.trajectory import Trajectory

    assert isinstance(plotted, Trajectory)
    return plotted
