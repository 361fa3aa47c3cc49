"""The energy of a run over time, and how far its total drifts, as a picture."""

from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redmax.errors import RedmaxError
from redmax.view.plot_style import DARK, INK, checked_path, dress, new_figure, plain, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KINETIC, POTENTIAL, TOTAL, DRIFT = "#e07b2f", "#3b78b8", DARK, "#b0413e"


def plot_energy(
    path: str | Path, times: ArrayLike, kinetic: ArrayLike, potential: ArrayLike, *, title: str, energy_unit: str = "J"
) -> Path:
    """Draw kinetic, potential and total energy, and below them the drift |E(t) - E(0)| / max T; return the path.

    times, kinetic, potential: (T,) each; the suffix of `path` chooses PNG, SVG or PDF
    """
    path, figure = checked_path(path), new_figure()
    draw_energy(figure, times, kinetic, potential, title=title, energy_unit=energy_unit)
    return save(figure, path)


def draw_energy(
    figure: "Figure", times: ArrayLike, kinetic: ArrayLike, potential: ArrayLike, *, title: str, energy_unit: str = "J", note: str = ""
) -> None:
    """The plot, in a figure. note: said below it"""
    t, T, V = _checked(times, kinetic, potential)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1.4))
    _draw_energies(upper, t, T, V, energy_unit)
    _draw_drift(lower, t, drift(T, V))
    if note:
        figure.supxlabel(fill(plain(note), 110), x=0.01, ha="left", fontsize=8.5, color=INK)
    upper.set_title(plain(title), loc="left", fontsize=12.5, fontweight="bold", color=TOTAL, pad=12)


def drift(kinetic: NDArray[np.float64], potential: NDArray[np.float64]) -> NDArray[np.float64]:
    """|E(t) - E(0)| / max T (T,); zero where nothing moves and nothing changes."""
    total = kinetic + potential
    change = np.abs(total - total[0])
    scale = kinetic.max()
    return change / scale if scale > 0 else np.where(change > 0, np.inf, 0.0)


def _draw_energies(axes: "Axes", t: NDArray, T: NDArray, V: NDArray, unit: str) -> None:
    curves = (("kinetic", T, KINETIC, 1.6), ("potential", V, POTENTIAL, 1.6), ("total", T + V, TOTAL, 2.0))
    for name, values, colour, width in curves:
        axes.plot(t, values, color=colour, linewidth=width, label=name, solid_capstyle="round")
    dress(axes, f"energy ({unit})")
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3, frameon=False, labelcolor=INK, handlelength=1.4)


def _draw_drift(axes: "Axes", t: NDArray, values: NDArray) -> None:
    shown = np.isfinite(values) & (values > 0)
    if shown.any():
        axes.set_yscale("log")
        axes.plot(t, np.where(shown, values, np.nan), color=DRIFT, linewidth=1.3)
        _show_decades(axes, values[shown])
    else:
        axes.set_yticks([])
        axes.text(0.5, 0.5, "no drift", transform=axes.transAxes, ha="center", va="center", color=INK)
    dress(axes, r"drift  $|E-E_0|\,/\,\max T$")
    axes.set_xlabel("time (s)", color=INK)


def _show_decades(axes: "Axes", values: NDArray) -> None:
    """At least three decades below the largest drift, so that a flat error looks flat; at most ten."""
    high = np.ceil(np.log10(values.max()) + 0.1)
    low = np.floor(np.log10(np.percentile(values, 2)))
    axes.set_ylim(10.0 ** np.clip(low, high - 10, high - 3), 10.0**high)


def _checked(times: ArrayLike, kinetic: ArrayLike, potential: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
    t, T, V = (np.asarray(values, np.float64) for values in (times, kinetic, potential))
    if t.ndim != 1 or t.size == 0 or T.shape != t.shape or V.shape != t.shape:
        raise RedmaxError(f"Got times {t.shape}, kinetic {T.shape}, potential {V.shape}, expected (T,) each, T > 0.")
    return t, T, V
