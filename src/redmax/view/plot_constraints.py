"""Constraints over time, a row for each: what its rows exert (multipliers), and how far they are off (gaps)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from numpy.typing import NDArray

from redmax.errors import RedmaxError, unknown
from redmax.run.quantity import Heading
from redmax.view.plot_coordinates import steady
from redmax.view.plot_style import DARK, INK, SERIES, dress, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from redmax.run.trajectory import Trajectory

MOST = 6  # constraints in one figure
LABELLED = 8  # rows that have a name each


@dataclass(frozen=True, eq=False)
class Held:
    """One constraint. multipliers, gaps: (T, rows); force, length: the units of its rows, each with those that are in the other."""

    name: str
    kind: str
    multipliers: NDArray
    gaps: NDArray
    force: str
    length: str


def held_of(run: "Trajectory", names: "Sequence[str] | None") -> list[Held]:
    """Those that are chosen by name, or all."""
    from redmax.run.quantities import quantity_named

    model, known = run.model, [str(c.name) for c in run.model.constraints]
    for name in names or ():
        if name not in known:
            raise RedmaxError(unknown("constraint", name, known))
    if not known:
        raise RedmaxError("There are no constraints to plot: the scene has none. Add some with scene.add_constraint(...).")
    size, gap = (quantity_named(model, name).headings(model) for name in ("multipliers", "constraint_gap"))
    values, gaps, found = run.multipliers, run.quantity("constraint_gap"), list[Held]()
    for name in names or known:
        rows = model.row_slice(name)
        kind = type(model.constraint(name)).__name__
        found.append(Held(name, kind, values[:, rows], gaps[:, rows], units(size[rows]), units(gap[rows])))
    return found


def units(headings: "Sequence[Heading]") -> str:
    """Of some columns, each once."""
    return ", ".join(dict.fromkeys(heading.unit for heading in headings))


def figure_size(count: int) -> tuple[float, float]:
    """(width, height) in inches."""
    return 9.5, 1.4 + 1.7 * min(count, MOST)


def draw_constraints(figure: "Figure", times: NDArray, constraints: list[Held], *, title: str) -> None:
    """The first few are drawn; a note says how many there are beside them."""
    shown = constraints[:MOST]
    axes = figure.subplots(len(shown), 2, sharex=True, squeeze=False)
    for held, (left, right) in zip(shown, axes, strict=True):
        draw_rows(left, times, held.multipliers, f"$\\lambda$ ({held.force})")
        draw_rows(right, times, held.gaps, f"gap ({held.length})")
        left.set_title(plain(held.name), loc="left", fontsize=9.5, color=DARK, pad=4)
        left.set_title(plain(held.kind), loc="right", fontsize=8.5, color="#8b929c", pad=4)
        if held.multipliers.shape[1] > 1:
            look = {"loc": "lower right", "bbox_to_anchor": (1.01, 0.97), "frameon": False, "fontsize": 8, "labelcolor": INK}
            right.legend(**look, ncols=LABELLED, handlelength=1.1, columnspacing=0.9, handletextpad=0.4, borderpad=0)
    for place in axes[-1]:
        place.set_xlabel("time (s)", color=INK)
    figure.suptitle(plain(title), x=0.01, ha="left", fontsize=12.5, fontweight="bold", color=DARK)
    if len(constraints) > MOST:
        figure.supxlabel(f"{len(constraints) - MOST} more constraints are not shown; choose by name.", fontsize=8.5, color=INK)


def draw_rows(place: "Axes", times: NDArray, values: NDArray, label: str) -> None:
    """A curve for each row."""
    for k in range(values.shape[1]):
        name = f"row {k}" if k < LABELLED else None
        place.plot(times, values[:, k], color=SERIES[k % len(SERIES)], linewidth=1.3, label=name, solid_capstyle="round")
    dress(place, label)
    steady(place)
