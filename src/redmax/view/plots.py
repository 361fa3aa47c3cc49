"""The plots of a run, by the name of what they show; to a file, or in a window."""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.arguments import as_names, brief
from redmax.errors import RedmaxError, unknown
from redmax.results.names import units_of_joint
from redmax.view import plot_coordinates, plot_reactions
from redmax.view.plot import draw_energy
from redmax.view.plot_style import checked_path, new_figure, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from redmax.run.trajectory import Trajectory

QUANTITIES = {
    "energy": "kinetic, potential and total energy, and the drift",
    "coordinates": "the coordinates of the joints",
    "rates": "the rates of the coordinates",
    "accelerations": "the accelerations of the coordinates",
    "reactions": "the wrenches of parents on children",
}
SYMBOLS = {"coordinates": ("q", "q", ""), "rates": ("qdot", r"\dot{q}", "/s"), "accelerations": ("qddot", r"\ddot{q}", "/s²")}
JUMP = 0.05  # in coordinates, at least
Drawing = tuple[tuple[float, float], Callable[["Figure"], None]]  # the size of a figure, and what draws into it


def plot_run(run: "Trajectory", path: str | Path | None, what: str, joints: Sequence[str] | None) -> Path | None:
    """Write a plot, or without a path show it in a window until that is closed."""
    checked_quantity(what, joints)
    where = None if path is None else checked_path(path)
    size, draw = drawing(run, what, joints)
    if where is None:
        return in_window(size, draw)
    figure = new_figure(*size)
    draw(figure)
    return save(figure, where)


def checked_quantity(what: str, joints: Sequence[str] | None) -> None:
    if not isinstance(what, str) or what not in QUANTITIES:
        raise RedmaxError(unknown("quantity", what, list(QUANTITIES)))
    if joints is not None and as_names(joints) is None:
        raise RedmaxError(f"joints is a list of names of joints or of their bodies. Got {brief(joints)}.")
    if joints and what == "energy":
        raise RedmaxError(f"Energy is of all bodies together: joints are for {', '.join(list(QUANTITIES)[1:])}.")


def drawing(run: "Trajectory", what: str, joints: Sequence[str] | None) -> Drawing:
    title, units = run.model.title or "redmax", run.model.units
    if what == "energy":
        seen = run.energy
        return (8.0, 5.4), lambda figure: draw_energy(figure, run.t, seen.kinetic, seen.potential, title=title, energy_unit=units.energy)
    if what == "reactions":
        wrenches = reactions_of(run, joints)
        return plot_reactions.figure_size(len(wrenches)), lambda figure: plot_reactions.draw_reactions(
            figure, run.t, wrenches, title=f"{title}: reactions", force_unit=units.force, torque_unit=units.torque
        )
    panels = panels_of(run, what, joints)
    return plot_coordinates.figure_size(len(panels)), lambda figure: plot_coordinates.draw_coordinates(
        figure, run.t, panels, symbol=SYMBOLS[what][1], title=f"{title}: {what}"
    )


def panels_of(run: "Trajectory", what: str, joints: Sequence[str] | None) -> list[plot_coordinates.Panel]:
    """One for each joint that moves, or several where its coordinates have several units."""
    name, _, per = SYMBOLS[what]
    place = run.model.q_slice if what == "coordinates" else run.model.v_slice
    found = []
    for i in chosen(run, joints):
        link = run.model.links[i]
        values = getattr(run, name)[:, place(link.name)]
        units = ["" if unit == "1" else unit for unit in units_of_joint(link, run.model.units.length)]
        units = units if len(units) == values.shape[1] else [""] * values.shape[1]
        for unit in dict.fromkeys(units):
            columns = [k for k, u in enumerate(units) if u == unit]
            label, kind, breaks = unit + per if unit else "", type(link.joint).__name__, jumps(run, link.name)
            found.append(plot_coordinates.Panel(link.name, kind, columns, values[:, columns], label, breaks))
    if not found:
        raise RedmaxError(f"There are no {what} to plot: {'these joints do' if joints else 'no joint of the scene does'} not move.")
    return found


def jumps(run: "Trajectory", name: str) -> np.ndarray:
    """Samples at which a joint's coordinates are not where their rates took them: it changed to others for the same pose."""
    q, qdot = run.q[:, run.model.q_slice(name)], run.qdot[:, run.model.v_slice(name)]
    if q.shape != qdot.shape:
        return np.zeros(0, int)
    expected = np.maximum(abs(qdot[1:]), abs(qdot[:-1])) * np.diff(run.t)[:, None]
    jumped = (abs(np.diff(q, axis=0)) > 10 * expected + JUMP).any(axis=1)
    return 1 + np.flatnonzero(jumped | (np.diff(chart_numbers(run, name)) != 0))


def chart_numbers(run: "Trajectory", name: str) -> np.ndarray:
    """(T,): a number for the chart in use at each sample."""
    chart: Any = run.chart(name)
    return np.zeros(len(run.t), int) if isinstance(chart, str) else np.unique(np.asarray(chart), return_inverse=True)[1]


def reactions_of(run: "Trajectory", joints: Sequence[str] | None) -> dict[str, np.ndarray]:
    """By joint; without a choice, of those that hold something, unlike one with all six degrees of freedom."""
    links = [run.model.links[i] for i in chosen(run, joints)]
    names = [link.name for link in links if joints or link.joint.dof < 6]
    if not names:
        raise RedmaxError("There are no reactions to plot: no joint of the scene holds anything.")
    return {name: run.reaction(name) for name in names}


def chosen(run: "Trajectory", joints: Sequence[str] | None) -> list[int]:
    """The numbers of the joints, named by themselves or by their bodies; of all joints between bodies where none is named."""
    if joints:
        return [run.model.index(name) for name in joints]
    return [i for i, link in enumerate(run.model.links) if link.kind == "body"]


def in_window(size: tuple[float, float], draw: Callable[["Figure"], None]) -> None:
    check_window()
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=size, layout="constrained", facecolor="white")
    draw(figure)
    plt.show()


def check_window() -> None:
    """Raise unless a window can be shown."""
    new_figure()
    wayland_or_x = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    fault = "" if wayland_or_x or sys.platform in ("darwin", "win32") else "there is no display"
    if not fault:
        import matplotlib.pyplot as plt

        names = {"agg", "cairo", "pdf", "pgf", "ps", "svg", "template"}
        fault = f"matplotlib's backend {plt.get_backend()!r} has none" if plt.get_backend().lower() in names else ""
    if fault:
        raise RedmaxError(f"A window cannot be shown: {fault}. Write the plot to a file, as with --out energy.png.")
