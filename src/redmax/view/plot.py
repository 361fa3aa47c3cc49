"""The energy of a run over time, and how far its total drifts, as a picture."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redmax.errors import RedmaxError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg", ".pdf")
KINETIC, POTENTIAL, TOTAL, DRIFT = "#e07b2f", "#3b78b8", "#23272e", "#b0413e"
INK, FAINT = "#3a3f47", "#e4e7eb"


def plot_energy(
    path: str | Path, times: ArrayLike, kinetic: ArrayLike, potential: ArrayLike, *, title: str, energy_unit: str = "J"
) -> Path:
    """Draw kinetic, potential and total energy, and below them the drift |E(t) - E(0)| / max T; return the path.

    times, kinetic, potential: (T,) each; the suffix of `path` chooses PNG, SVG or PDF
    """
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise RedmaxError(f"Cannot plot to {str(path)!r}: got suffix {path.suffix!r}, expected {', '.join(SUFFIXES)}.")
    t, T, V = _checked(times, kinetic, potential)
    figure = _figure()
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1.4))
    _draw_energies(upper, t, T, V, energy_unit)
    _draw_drift(lower, t, drift(T, V))
    upper.set_title(title.replace("$", r"\$"), loc="left", fontsize=12.5, fontweight="bold", color=TOTAL, pad=12)
    _save(figure, path)
    return path


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
    _dress(axes, f"energy ({unit})")
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
    _dress(axes, r"drift  $|E-E_0|\,/\,\max T$")
    axes.set_xlabel("time (s)", color=INK)


def _show_decades(axes: "Axes", values: NDArray) -> None:
    """At least three decades below the largest drift, so that a flat error looks flat; at most ten."""
    high = np.ceil(np.log10(values.max()) + 0.1)
    low = np.floor(np.log10(np.percentile(values, 2)))
    axes.set_ylim(10.0 ** np.clip(low, high - 10, high - 3), 10.0**high)


def _dress(axes: "Axes", label: str) -> None:
    axes.set_ylabel(label, color=INK)
    axes.margins(x=0)
    axes.grid(True, color=FAINT, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.minorticks_off()
    axes.tick_params(colors=INK, length=0, labelsize=9)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color("#b9bfc7")


def _figure() -> "Figure":
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise RedmaxError('Plots need matplotlib: pip install "redmax[plot]".') from error
    return Figure(figsize=(8, 5.4), layout="constrained", facecolor="white")


def _save(figure: "Figure", path: Path) -> None:
    figure.align_ylabels()
    try:
        figure.savefig(path, dpi=160)  # without pyplot the suffix alone chooses the canvas: no display is needed
    except OSError as error:
        raise RedmaxError(f"Cannot write {str(path)!r}: {error.strerror}. Choose a folder that exists.") from error


def _checked(times: ArrayLike, kinetic: ArrayLike, potential: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
    t, T, V = (np.asarray(values, np.float64) for values in (times, kinetic, potential))
    if t.ndim != 1 or t.size == 0 or T.shape != t.shape or V.shape != t.shape:
        raise RedmaxError(f"Got times {t.shape}, kinetic {T.shape}, potential {V.shape}, expected (T,) each, T > 0.")
    return t, T, V
