"""Plots of a joint fitted to poses: its curve with frames, its coordinates and residuals before and after, screw axes, bending."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.design.curves import CurveFit
from redmax.joints.followed import along
from redmax.joints.frame_product import FrameProduct
from redmax.lie import so3
from redmax.view.plot_style import EDGE, FAINT, INK, SERIES, dress, new_figure
from redmax.view.screw_axes import screw_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FINE, FRAMES, AXES = 400, 9, 13  # points of curves; frames and screw axes that are shown
COLOURS = ("#c5352f", "#2f8f46", "#2f5fc5")  # of x, y, z
BEFORE, AFTER = "#8a929c", SERIES[0]


@dataclass(frozen=True)
class Shown:
    """A fit, and what its plots show. name: of the coordinate; poses: (N, 4, 4) as given, `measured` at u where they are `known`

    E, S, dS: pose, S and dS/dq of the joint at q; before: another joint to compare with, as one that was not smoothed
    """

    fit: CurveFit
    poses: np.ndarray
    name: str
    before: FrameProduct | None = None
    known: np.ndarray = field(init=False)
    q: np.ndarray = field(init=False)
    E: np.ndarray = field(init=False)
    S: np.ndarray = field(init=False)
    dS: np.ndarray = field(init=False)
    u: np.ndarray = field(init=False)
    measured: np.ndarray = field(init=False)
    residuals: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        low, high = self.fit.joint.range
        q = np.linspace(low, high, FINE)
        E, S, dS = along(self.fit.joint, q)
        known = np.isfinite(self.poses).all(axis=(1, 2)) & np.isfinite(self.fit.parameters)
        u = self.fit.parameters[known]
        if self.fit.joint.axis.cyclic:
            u = low + np.mod(u - low, high - low)
        values = {"known": known, "q": q, "E": E, "S": S, "dS": dS, "u": u}
        values |= {"measured": self.poses[known], "residuals": self.fit.residuals[known]}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def earlier(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None:
        """q, E, S and dS/dq of the joint to compare with."""
        if self.before is None:
            return None
        q = np.linspace(*self.before.range, FINE)
        return q, *along(self.before, q)

    @property
    def size(self) -> float:
        """How far the origin moves, or how long axes are drawn where it does not (m)."""
        span = float(np.ptp(self.E[:, :3, 3], axis=0).max())
        return span if span > 1e-6 else 0.1


def motion(shown: Shown) -> Figure:
    """The way of the origin, and frames along it: those that were measured thin, those of the joint bold."""
    figure = new_figure(7.4, 6.2)
    axes: Any = figure.add_subplot(projection="3d")
    p, m = shown.E[:, :3, 3], shown.measured[:, :3, 3]
    axes.plot(*p.T, color=AFTER, linewidth=1.8, label="joint")
    axes.plot(*m.T, ".", color=BEFORE, markersize=3, label="measured")
    for E, width, alpha in ((shown.measured, 0.7, 0.45), (shown.E, 1.8, 1.0)):
        for i in np.unique(np.linspace(0, len(E) - 1, FRAMES).astype(int)):
            for k, colour in enumerate(COLOURS):
                end = E[i, :3, 3] + 0.2 * shown.size * E[i, :3, k]
                axes.plot(*np.stack([E[i, :3, 3], end]).T, color=colour, linewidth=width, alpha=alpha)
    finish_3d(axes, np.concatenate([p, m]), 0.2 * shown.size)
    axes.legend(frameon=False, fontsize=9)
    return figure


def coordinates(shown: Shown) -> Figure:
    """Position, and the rotation vector from the middle of the motion: dots as measured, lines of the joint."""
    figure = new_figure(8.4, 5.0)
    panels = figure.subplots(2, 3, sharex=True)
    middle = shown.E[FINE // 2, :3, :3].T
    before, after = ((E[:, :3, 3], np.degrees(so3.log(middle @ E[:, :3, :3]))) for E in (shown.measured, shown.E))
    earlier = shown.earlier()
    scale, unit = (1000.0, "mm") if np.abs(after[0]).max() < 1 else (1.0, "m")
    for k in range(3):
        for row, factor, label in ((0, scale, f"{'xyz'[k]} ({unit})"), (1, 1.0, f"turn about {'xyz'[k]} (°)")):
            axes = panels[row, k]
            axes.plot(shown.u, factor * before[row][:, k], ".", color=BEFORE, markersize=3)
            if earlier is not None:
                q, E = earlier[:2]
                was = np.degrees(so3.log(middle @ E[:, :3, :3])) if row else E[:, :3, 3]
                axes.plot(q, factor * was[:, k], color=BEFORE, linewidth=1)
            axes.plot(shown.q, factor * after[row][:, k], color=COLOURS[k], linewidth=1.5)
            dress(axes, label)
            if row:
                axes.set_xlabel(shown.name, color=INK)
    return figure


def residuals(shown: Shown) -> Figure:
    """What is left over: the angle and the distance between each pose and the joint."""
    figure = new_figure(8.4, 4.6)
    panels = figure.subplots(2, 1, sharex=True)
    size = [np.degrees(np.linalg.norm(shown.residuals[:, :3], axis=1)), 1000 * np.linalg.norm(shown.residuals[:, 3:], axis=1)]
    for axes, values, label in zip(panels, size, ("angle (°)", "distance (mm)")):
        axes.plot(shown.u, values, ".", color=AFTER, markersize=4)
        known = values[np.isfinite(values)]
        if len(known):
            rms = float(np.sqrt(np.mean(known**2)))
            axes.axhline(rms, color=SERIES[1], linewidth=1, label=f"root mean square {rms:.3g}")
            axes.legend(frameon=False, fontsize=9, loc="upper right")
        axes.set_ylim(bottom=0)
        dress(axes, label)
    panels[1].set_xlabel(shown.name, color=INK)
    return figure


def screws(shown: Shown) -> Figure:
    """The axes about which the body turns at the moment, from the beginning (dark) to the end (light), and their pitch."""
    from matplotlib import colormaps

    figure = new_figure(8.6, 5.0)
    halves: Any = figure.subfigures(1, 2, width_ratios=(3, 2))
    left, right = halves
    axes: Any = left.add_subplot(projection="3d")
    found = screw_axes(shown.E, shown.S)
    turns = np.isfinite(found.pitch)
    path = shown.E[:, :3, 3]
    axes.plot(*path.T, color=EDGE, linewidth=1)
    around = [path]
    for i in np.unique(np.linspace(0, FINE - 1, AXES).astype(int)):
        if turns[i]:
            near = found.point[i] + found.direction[i] * ((path[i] - found.point[i]) @ found.direction[i])
            ends = near + 0.4 * shown.size * np.array([[-1.0], [1.0]]) * found.direction[i]
            around.append(ends)
            axes.plot(*ends.T, color=colormaps["viridis"](0.9 * i / (FINE - 1)), linewidth=1.6)
    finish_3d(axes, np.concatenate(around), 0.05 * shown.size)
    first, second = right.subplots(2, 1, sharex=True)
    first.plot(shown.q, 1000 * found.pitch, color=AFTER, linewidth=1.5)
    dress(first, "pitch (mm/rad)")
    second.plot(shown.q, 1000 * np.linalg.norm(found.point - path, axis=1), color=AFTER, linewidth=1.5)
    second.set_ylim(bottom=0)
    dress(second, "axis from origin (mm)")
    second.set_xlabel(shown.name, color=INK)
    return figure


def curvature(shown: Shown) -> Figure:
    """How fast the joint goes for each unit of its coordinate, |S|, and how it bends, |dS/dq|: nothing for a screw."""
    figure = new_figure(8.4, 4.8)
    panels = figure.subplots(2, 2, sharex=True)
    earlier = shown.earlier()
    for column, (part, unit) in enumerate(((slice(0, 3), "rad"), (slice(3, 6), "m"))):
        for row, (values, label) in enumerate(((shown.S, "|S|"), (shown.dS, "|dS/dq|"))):
            axes = panels[row, column]
            if earlier is not None:
                axes.plot(earlier[0], np.linalg.norm(earlier[2 + row][:, part], axis=1), color=BEFORE, linewidth=1, label="before")
            axes.plot(shown.q, np.linalg.norm(values[:, part], axis=1), color=AFTER, linewidth=1.5, label="after")
            for knot in np.unique(shown.fit.knots):
                if shown.q[0] < knot < shown.q[-1] and len(shown.fit.knots) < 60:
                    axes.axvline(knot, color=EDGE, linewidth=0.8, linestyle=":", zorder=0)
            axes.set_ylim(0, 1.1 * axes.get_ylim()[1])
            dress(axes, f"{label} ({unit})")
            if row:
                axes.set_xlabel(shown.name, color=INK)
    if earlier is not None:
        panels[1, 0].legend(frameon=False, fontsize=9)
    return figure


PLOTS: dict[str, tuple[Callable[[Shown], Figure], str]] = {
    "motion": (motion, "The way of the origin with frames along it, x red, y green, z blue: measured ones thin, those of the joint bold."),
    "coordinates": (coordinates, "Before, as dots, and after, as lines: the position, and the turn from the middle of the motion."),
    "residuals": (residuals, "What is left over: log(G(q)^-1 G_k), its angle and its distance."),
    "screws": (screws, "Screw axes of the motion, dark where it begins, light where it ends; their pitch and distance."),
    "curvature": (curvature, "How fast it goes and how it bends, angular and linear; dotted: knots."),
}


def finish_3d(axes: Any, points: np.ndarray, room: float) -> None:
    """Equal scales and quiet planes around points, (N, 3)."""
    low, high = np.nanmin(points, axis=0), np.nanmax(points, axis=0)
    middle, half = (low + high) / 2, float((high - low).max()) / 2 + room
    for k, name in enumerate("xyz"):
        getattr(axes, f"set_{name}lim")(middle[k] - half, middle[k] + half)
        getattr(axes, f"set_{name}label")(f"{name} (m)", color=INK, fontsize=9)
        plane = getattr(axes, f"{name}axis")
        plane.set_pane_color((1, 1, 1, 0))
        plane._axinfo["grid"]["color"] = FAINT
        plane.set_tick_params(labelsize=7)
        plane.set_major_locator(ticks())
    axes.set_box_aspect((1, 1, 1))


def ticks() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(5)


def worst(shown: Shown, count: int = 5) -> list[tuple[int, float, float, float]]:
    """(place in the data, u, angle in degrees, distance in mm) of the poses that are furthest off."""
    total = np.nan_to_num(np.sqrt(np.sum(shown.residuals**2, axis=1)))
    order = np.argsort(-total)[:count]
    angle, distance = (np.linalg.norm(shown.residuals[order, part], axis=1) for part in (slice(0, 3), slice(3, 6)))
    rows = np.flatnonzero(shown.known)[order].tolist()
    return list(zip(rows, shown.u[order].tolist(), np.degrees(angle).tolist(), (1000 * distance).tolist()))
