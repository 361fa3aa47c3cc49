"""Plots of a joint of one to three parameters fitted to poses: its surface with frames, coordinates and residuals over the parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.design.surfaces import SurfaceFit
from redmax.joints.swept import frames_along
from redmax.lie import so3
from redmax.view.fit_plots import AFTER, BEFORE, COLOURS, finish_3d
from redmax.view.plot_style import EDGE, INK, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FINE, THIN, LEAST = 31, 40, 0.1  # places along each parameter; measured frames that are shown; length (m) of axes where nothing moves

MIDDLE = 0.1  # of the range of a third parameter


@dataclass(frozen=True)
class ShownSurface:
    """A fit, and what its plots show. poses: (N, 4, 4) as given; names: of the coordinates

    known: (N,) which poses are there; frames: (n, .., 4, 4) of the joint over its range
    """

    fit: SurfaceFit
    poses: np.ndarray
    names: tuple[str, ...]
    known: np.ndarray = field(init=False)
    frames: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        known = np.isfinite(self.poses).all(axis=(1, 2)) & np.isfinite(self.fit.parameters).all(axis=1)
        found = frames_along(self.fit.joint)
        object.__setattr__(self, "known", known)
        object.__setattr__(self, "frames", np.empty((0, 4, 4)) if found is None else found)

    @property
    def off(self) -> np.ndarray:
        """(N, 2): the angle (degrees) and the distance (mm) of each pose that is there from the joint."""
        d = self.fit.residuals[self.known]
        return np.stack([np.degrees(np.linalg.norm(d[:, :3], axis=1)), 1000 * np.linalg.norm(d[:, 3:], axis=1)], axis=-1)

    @property
    def sheet(self) -> np.ndarray:
        """(FINE, dof) or (FINE, FINE, dof): even steps over the ranges of the first two parameters, a third one in the middle."""
        ranges = self.fit.joint.range
        steps = [np.linspace(low + 1e-9 * (high - low), high - 1e-9 * (high - low), FINE) for low, high in ranges[:2]]
        middle = [np.array([0.5 * (low + high)]) for low, high in ranges[2:]]
        found = np.stack(np.meshgrid(*steps, *middle, indexing="ij"), axis=-1)
        return found[:, :, 0] if middle else found

    @property
    def near_sheet(self) -> np.ndarray:
        """(N,) which poses are there, and near the middle of a third parameter."""
        found = self.known.copy()
        for i, (low, high) in enumerate(self.fit.joint.range):
            if i == 2:
                found &= np.abs(self.fit.parameters[:, i] - 0.5 * (low + high)) < MIDDLE * (high - low)
        return found


def motion(shown: ShownSurface) -> Figure:
    """The surface of the origin, frames on it, and poses as they were measured."""
    figure = new_figure(7.4, 6.2)
    from mpl_toolkits.mplot3d.art3d import Line3DCollection

    axes: Any = figure.add_subplot(projection="3d")
    measured = shown.poses[shown.known]
    own = shown.frames.reshape(-1, 4, 4)
    dof = min(len(shown.names), 2)
    sheet = shown.fit.joint.position(shown.sheet)
    for lines in (sheet[None],) if dof == 1 else (sheet[::3], np.swapaxes(sheet, 0, 1)[::3]):
        for line in lines:
            axes.plot(*line.T, color=AFTER if dof == 1 else EDGE, linewidth=1.6 if dof == 1 else 0.7)
    axes.plot(*measured[:, :3, 3].T, ".", color=BEFORE, markersize=2)
    span = float(np.ptp(np.concatenate([own, measured])[:, :3, 3], axis=0).max())
    size = 0.1 * span if span > 1e-6 else LEAST
    some = measured[np.unique(np.linspace(0, len(measured) - 1, THIN).astype(int))]
    for E, width, alpha in ((some, 0.6, 0.4), (own, 1.6, 1.0)):
        for k, colour in enumerate(COLOURS):
            ends = np.stack([E[:, :3, 3], E[:, :3, 3] + size * E[:, :3, k]], axis=1)
            axes.add_collection3d(Line3DCollection(ends, colors=colour, linewidths=width, alpha=alpha))
    finish_3d(axes, np.concatenate([own, measured])[:, :3, 3], size)
    return figure


def coordinates(shown: ShownSurface) -> Figure:
    """Position, and rotation vector from the base: of the joint as colours or a line, of the poses as dots of the same colours."""
    figure = new_figure(9.2, 5.4)
    panels = figure.subplots(2, 3, sharex=True)
    back = np.linalg.inv(shown.fit.base)
    dof = min(len(shown.names), 2)
    sheet = shown.sheet
    near = shown.near_sheet
    joint, measured = (numbers(back @ E) for E in (shown.fit.joint.pose(sheet), shown.poses[near]))
    q = shown.fit.parameters[near]
    for k, axes in enumerate(panels.ravel()):
        label = f"{'xyz'[k]} (mm)" if k < 3 else f"turn about {'xyz'[k - 3]} (°)"
        if dof == 1:
            axes.plot(q[:, 0], measured[:, k], ".", color=BEFORE, markersize=3)
            axes.plot(sheet[:, 0], joint[:, k], color=AFTER, linewidth=1.5)
        else:
            low, high = float(joint[..., k].min()), float(joint[..., k].max())
            limits = {"vmin": low, "vmax": max(high, low + 1e-9), "cmap": "viridis"}
            image = axes.pcolormesh(sheet[..., 0], sheet[..., 1], joint[..., k], shading="gouraud", **limits)
            axes.scatter(q[:, 0], q[:, 1], c=measured[:, k], s=9, edgecolors="white", linewidths=0.3, **limits)
            figure.colorbar(image, ax=axes)
            axes.set_ylabel(shown.names[1], color=INK)
        axes.set_title(label, color=INK, fontsize=10)
        if k > 2:
            axes.set_xlabel(shown.names[0], color=INK)
    return figure


def numbers(E: np.ndarray) -> np.ndarray:
    """(..., 6): mm and degrees."""
    return np.concatenate([1000 * E[..., :3, 3], np.degrees(so3.log(E[..., :3, :3]))], axis=-1)


def residuals(shown: ShownSurface) -> Figure:
    """What is left over: the angle and the distance between each pose and the joint."""
    figure = new_figure(9.2, 4.0)
    q = shown.fit.parameters[shown.known]
    for axes, values, label in zip(figure.subplots(1, 2), shown.off.T, ("angle (°)", "distance (mm)"), strict=True):
        if len(shown.names) == 1:
            axes.plot(q[:, 0], values, ".", color=AFTER, markersize=4)
            axes.set_ylim(bottom=0)
        else:
            image = axes.scatter(q[:, 0], q[:, 1], c=values, s=14, cmap="magma_r", vmin=0)
            figure.colorbar(image, ax=axes)
            axes.set_ylabel(shown.names[1], color=INK)
        axes.set_xlabel(shown.names[0], color=INK)
        known = values[np.isfinite(values)]
        rms = f": root mean square {np.sqrt(np.mean(known**2)):.3g}" if len(known) else ""
        axes.set_title(label + rms, color=INK, fontsize=10)
    return figure


SURFACE_PLOTS: dict[str, tuple[Callable[[ShownSurface], Figure], str]] = {
    "motion": (motion, "Where the origin comes to, with frames, x red, y green, z blue: measured ones thin, those of the joint bold."),
    "coordinates": (
        coordinates,
        "Position, and turn from the base: of the joint, and of poses as dots; a third parameter is near its middle.",
    ),
    "residuals": (residuals, "What is left over: log(G(q)^-1 G_k), its angle and its distance, over the first two parameters."),
}


def facts_of_surface(shown: ShownSurface) -> dict[str, str]:
    """By what they are of."""
    fit, gone = shown.fit, int((~shown.known).sum())
    newton = sum(step.method == "newton" for step in fit.log)
    sides = [f"{name} from {low:.6g} to {high:.6g}" for name, (low, high) in zip(shown.names, fit.joint.range, strict=True)]
    return {
        "poses": f"{len(shown.poses)}" + f", {gone} of them missing or known in part" * (gone > 0),
        "joint": f"{type(fit.joint).__name__} of {' x '.join(map(str, fit.values.shape[:-1]))} control values",
        "parameters": "; ".join(sides),
        "left over": f"{np.degrees(fit.angle):.4g}° and {1000 * fit.distance:.4g} mm (root mean square)",
        "objective": f"{fit.objective:.6g}",
        "iterations": f"{len(fit.log)}, of which {newton} by Newton's method",
        "why it stopped": fit.reason,
    }


def furthest(shown: ShownSurface, count: int = 5) -> list[tuple[float, ...]]:
    """(place in the data, parameters, angle in degrees, distance in mm) of the poses that are furthest off."""
    total = np.nan_to_num(np.linalg.norm(shown.fit.residuals[shown.known], axis=1))
    rows = np.concatenate([shown.fit.parameters[shown.known], shown.off], axis=1)
    places = np.flatnonzero(shown.known)
    return [(int(places[k]), *rows[k].tolist()) for k in np.argsort(-total)[:count]]
