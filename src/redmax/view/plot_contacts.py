"""Contacts over time: what each pair exerts, along normals and by friction, how fast it slips, how many points press, and what the solver
says of itself."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from redmax.errors import RedmaxError
from redmax.run.contact.records import FIRST, FORCE, NORMAL, SECOND, SLIP, STATE
from redmax.view.plot_style import DARK, INK, SERIES, dress, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from redmax.run.contact.history import Contacts
    from redmax.run.trajectory import Trajectory

MOST = 8  # pairs that have a curve each
SIZE = (9.5, 10.0)  # inches
HEIGHTS = (3, 2, 1.4, 1.3, 1.3, 1.3)
LEAST = 1e-17  # of residuals, which may be zero


@dataclass(frozen=True, eq=False)
class Pair:
    """(T,) each: normal: the sum of normal forces; friction: of the lengths of what is beside; slip: of the fastest point that presses."""

    normal: NDArray
    friction: NDArray
    slip: NDArray


def pairs_of(run: "Trajectory") -> dict[str, Pair]:
    """By names, those that press hardest first."""
    if run.contact_count is None:
        raise RedmaxError("There are no contacts to plot: nothing in the scene touches. Give bodies contact=True where they are added.")
    found = {f"{a} - {b}": pair_of(run.contacts, a, b) for a, b in run.contacts.pairs}
    return dict(sorted(found.items(), key=lambda pair: -float(np.mean(pair[1].normal))))


def pair_of(contacts: "Contacts", first: str, second: str) -> Pair:
    rows, place = contacts.all_rows
    both = sorted((contacts.number(first), contacts.number(second)))
    own = (np.sort(rows[:, FIRST : SECOND + 1].astype(int), axis=1) == both).all(axis=1)
    rows, place = rows[own], place[own]
    force, normal, slip = (rows[:, at : at + 3] for at in (FORCE, NORMAL, SLIP))
    beside = force - (force * normal).sum(axis=1, keepdims=True) * normal
    fastest = np.zeros(contacts.count.size)
    np.maximum.at(fastest, place, np.linalg.norm(slip, axis=1) * (rows[:, STATE] > 0.5))
    friction = contacts.summed(place, np.linalg.norm(beside, axis=1))
    return Pair(contacts.normal_force(first, second), friction, fastest.reshape(contacts.count.shape))


def draw_contacts(figure: "Figure", run: "Trajectory", pairs: dict[str, Pair], *, title: str) -> None:
    """A panel for each; a note says how many pairs there are beside those shown."""
    units, shown, contacts = run.model.units, dict(list(pairs.items())[:MOST]), run.contacts
    normal, friction, slip, points, residual, steps = figure.subplots(6, 1, sharex=True, height_ratios=HEIGHTS)
    curves(normal, run.t, {name: pair.normal for name, pair in shown.items()}, units.force)
    dress(normal, f"normal force ({units.force})")
    if shown:
        normal.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=4, frameon=False, fontsize=8, labelcolor=INK, handlelength=1.1)
    curves(friction, run.t, {name: pair.friction for name, pair in shown.items()}, units.force)
    dress(friction, f"friction ({units.force})")
    curves(slip, run.t, {name: pair.slip for name, pair in shown.items()}, f"{units.length}/s")
    dress(slip, f"slip ({units.length}/s)")
    points.step(run.t, contacts.pressing, where="post", color=DARK, linewidth=1.3)
    dress(points, "points")
    residual.plot(run.t, np.maximum(contacts.residual, LEAST), color=DARK, linewidth=1.0)
    residual.set_yscale("log")
    dress(residual, f"residual ({units.length}/s)")
    steps.step(run.t, contacts.newton_steps, where="post", color=DARK, linewidth=1.0)
    dress(steps, "steps")
    steps.set_xlabel("time (s)", color=INK)
    figure.suptitle(plain(title), x=0.01, ha="left", fontsize=12.5, fontweight="bold", color=DARK)
    if len(pairs) > MOST:
        figure.supxlabel(f"{len(pairs) - MOST} more pairs press less, and are not shown.", fontsize=8.5, color=INK)


def curves(axes: "Axes", times: NDArray, values: dict[str, NDArray], unit: str) -> None:
    """Of each pair. Impacts are short and high, and what rests is to be seen: peaks may be cut, and are named then."""
    for k, (name, value) in enumerate(values.items()):
        axes.plot(times, value, color=SERIES[k % len(SERIES)], linewidth=1.3, label=plain(name), solid_capstyle="round")
    highest = np.concatenate([np.zeros(1), *values.values()])
    usual = 3.0 * float(np.percentile(highest, 95))
    if 0 < usual < highest.max():
        axes.set_ylim(-0.04 * usual, usual)
        said = f"peaks up to {highest.max():.3g} {unit}"
        axes.text(0.995, 0.96, said, transform=axes.transAxes, ha="right", va="top", color=INK, fontsize=8)
