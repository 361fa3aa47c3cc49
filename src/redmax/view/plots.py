"""The plots of a run, by the name of what they show; to a file, or in a window."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.arguments import as_names, brief
from redmax.errors import RedmaxError, unknown
from redmax.run.energy_account import energy_account
from redmax.run.quantities import plot_word, plots, plots_by_joint, quantities
from redmax.run.quantity import Quantity, body_links
from redmax.view import plot_constraints, plot_contacts, plot_coordinates, plot_reactions, plot_torques
from redmax.view.path_plots import BY_NAME, PathChoice, path_drawing
from redmax.view.plot import draw_energy
from redmax.view.plot_style import checked_path, new_figure, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from redmax.run.trajectory import Trajectory

JUMP = 0.05  # in coordinates, at least
Drawing = tuple[tuple[float, float], Callable[["Figure"], None]]  # the size of a figure, and what draws into it


def plot_run(
    run: "Trajectory", path: str | Path | None, what: str, joints: Sequence[str] | None = None, choice: PathChoice | None = None
) -> Path | None:
    """Write a plot of what is good of a run, or without a path show it in a window until that is closed. choice: for muscles and paths"""
    what = checked_quantity(what, joints, choice)
    where = None if path is None else checked_path(path)
    size, draw = drawing(run.good, what, joints, choice)
    if where is None:
        return in_window(size, draw)
    figure = new_figure(*size)
    draw(figure)
    return save(figure, where)


def checked_quantity(what: str, joints: Sequence[str] | None, choice: PathChoice | None = None) -> str:
    """What plots call it; raise unless there is such a plot, of what was chosen."""
    known, asked = plots(), what
    what = plot_word(asked) if isinstance(asked, str) else ""
    if what not in known:
        raise RedmaxError(unknown("quantity", asked, list(known)))
    if joints is not None and as_names(joints) is None:
        raise RedmaxError(f"joints is a list of names of joints or of their bodies. Got {brief(joints)}.")
    by_joint = [*plots_by_joint(), "moment-arms"]
    if joints and what not in by_joint:
        whose = "of muscles" if what in BY_NAME else f"of {what}" if what in ("constraints", "contacts") else "of all bodies together"
        raise RedmaxError(f"{what.capitalize()} is {whose}: joints are for {', '.join(by_joint)}.")
    if choice is not None:
        choice.check(what)
    return what


def drawing(run: "Trajectory", what: str, joints: Sequence[str] | None, choice: PathChoice | None = None) -> Drawing:
    """The plot of this name."""
    title, units = titled(run), run.model.units
    way = plots()[what].way
    if way in BY_NAME:
        return path_drawing(run, way, replace(choice or PathChoice(), joints=joints), title)
    if way == "energy":
        seen = run.energy
        look = {"title": title, "energy_unit": units.energy, "note": energy_account(run)}
        return (8.0, 5.4), lambda figure: draw_energy(figure, run.t, seen.kinetic, seen.potential, **look)
    if way == "constraints":
        held = plot_constraints.held_of(run, choice.constraints if choice else None)
        return plot_constraints.figure_size(len(held)), lambda figure: plot_constraints.draw_constraints(
            figure, run.t, held, title=f"{title}: constraints"
        )
    if way == "contacts":
        pairs = plot_contacts.pairs_of(run)
        return plot_contacts.SIZE, lambda figure: plot_contacts.draw_contacts(figure, run, pairs, title=f"{title}: contacts")
    if way == "wrenches":
        wrenches = reactions_of(run, joints)
        return plot_reactions.figure_size(len(wrenches)), lambda figure: plot_reactions.draw_reactions(
            figure, run.t, wrenches, title=f"{title}: reactions", force_unit=units.force, torque_unit=units.torque
        )
    panels = torques_of(run, joints) if way == "torques" else panels_of(run, what, joints)
    return plot_coordinates.figure_size(len(panels)), lambda figure: plot_coordinates.draw_coordinates(
        figure, run.t, panels, title=f"{title}: {what}"
    )


def titled(run: "Trajectory") -> str:
    """The name of the scene; of a run that broke off also when, since the plot ends before."""
    title = run.model.title or "redmax"
    return title if run.failure is None else f"{title} (broke off at t = {run.failure.t:.6g} s)"


def panels_of(run: "Trajectory", what: str, joints: Sequence[str] | None) -> list[plot_coordinates.Panel]:
    """One for each joint that moves, or several where its columns have several units; one for what is of all bodies together."""
    rows = [row for row in quantities(run.model) if row.plot and row.plot.name == what]
    found = [panel for row in rows for panel in panels_of_row(run, row, joints)]
    if not found:
        raise RedmaxError(f"There are no {what} to plot: {'these joints do' if joints else 'no joint of the scene does'} not move.")
    return found


def panels_of_row(run: "Trajectory", row: Quantity, joints: Sequence[str] | None) -> Iterator[plot_coordinates.Panel]:
    headings, values = row.headings(run.model), np.asarray(run.quantity(row.name)).reshape(len(run.t), -1)
    symbol = f"${row.plot.symbol}$" if row.plot and row.plot.symbol else row.name
    for i in chosen_joints(run, joints) if row.by_joint else [None]:
        own = [k for k, heading in enumerate(headings) if heading.link == i]
        for unit in dict.fromkeys(headings[k].unit for k in own):
            columns = [k for k in own if headings[k].unit == unit]
            label = symbol if unit.startswith("1") else f"{symbol} ({unit})"
            if row.by_coordinate:
                link, numbers = run.model.links[i or 0], [k - own[0] for k in columns]
                labels = [f"{symbol[:-1]}_{number}$" for number in numbers]
                kind = type(link.joint).__name__ if numbers == [0] else ""
                yield plot_coordinates.Panel(link.joint_name, kind, labels, values[:, columns], label, jumps(run, link.name))
            else:
                name = row.name.replace("_", " ") if i is None else row.owners(run.model)[i]
                labels = [headings[k].label for k in columns]
                yield plot_coordinates.Panel(name, "", labels, values[:, columns], label, np.zeros(0, int))


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
    links = [run.model.links[i] for i in chosen_joints(run, joints)]
    holding = [link for link in links if joints or link.joint.dof < 6]
    if not holding:
        raise RedmaxError("There are no reactions to plot: no joint of the scene holds anything.")
    return {link.joint_name: run.reaction(link.name) for link in holding}


def torques_of(run: "Trajectory", joints: Sequence[str] | None) -> list[plot_coordinates.Panel]:
    """Of the joints that something drives."""
    found = plot_torques.torque_panels(run, chosen_joints(run, joints))
    if not found:
        raise RedmaxError(f"There are no torques to plot: nothing drives {'these joints' if joints else 'a joint of the scene'}.")
    return found


def chosen_joints(run: "Trajectory", joints: Sequence[str] | None) -> list[int]:
    """The numbers of the joints, named by themselves or by their bodies; of all joints between bodies where none is named."""
    if joints:
        return [run.model.index(name) for name in joints]
    return body_links(run.model)


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
