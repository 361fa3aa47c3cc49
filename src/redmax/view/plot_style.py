"""What all plots share: colours, axes, and how a figure becomes a file."""

from pathlib import Path
from typing import TYPE_CHECKING

from redmax.errors import RedmaxError
from redmax.text import one_line
from redmax.writing import whole_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg", ".pdf")
DPI = 160  # pixels to the inch
INK, FAINT, EDGE, DARK = "#3a3f47", "#e4e7eb", "#b9bfc7", "#23272e"
LEVELS = ("#2a63d6", "#df2a22")  # of activations 0 and 1, as in player/style.css
SERIES = ("#3b78b8", "#e07b2f", "#4b9b63", "#b0413e", "#7d5ba6", "#8a7340")  # of as many coordinates as a joint has


def new_figure(width: float = 8.0, height: float = 5.4) -> "Figure":
    """An empty figure (inches), which needs no display."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise RedmaxError('Plots need matplotlib: pip install "redmax[plot]".') from error
    return Figure(figsize=(width, height), layout="constrained", facecolor="white")


def checked_path(path: str | Path) -> Path:
    """A path whose suffix says what to write."""
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise RedmaxError(f"Cannot plot to {str(path)!r}: got suffix {path.suffix!r}, expected {', '.join(SUFFIXES)}.")
    return path


def save(figure: "Figure", path: Path) -> Path:
    figure.align_ylabels()
    with whole_file(path) as file:
        figure.savefig(file, dpi=DPI, format=path.suffix[1:].lower())  # without pyplot no display is needed
    return path


def dress(axes: "Axes", label: str) -> None:
    """Grid, ticks and a label for the vertical axis."""
    axes.set_ylabel(label, color=INK)
    axes.margins(x=0)
    axes.grid(True, color=FAINT, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.minorticks_off()
    axes.tick_params(colors=INK, length=0, labelsize=9)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(EDGE)


def level_scale() -> "ScalarMappable":
    """From the colour of activation 0 to that of 1, as pages and pictures have them."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    return ScalarMappable(Normalize(0.0, 1.0), LinearSegmentedColormap.from_list("activation", LEVELS))


def plain(text: str) -> str:
    """Text in one line, without formulas in it."""
    return one_line(text).replace("$", r"\$")
