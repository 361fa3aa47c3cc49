"""The plots of what forces along paths and muscles do, by the name of what they show: the numbers, and what draws them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from redmax.arguments import as_names, brief
from redmax.dynamics.common.path_states import PathStates, muscles_of, paths_of, rates_crossed
from redmax.errors import RedmaxError, unknown
from redmax.run.coordinate_units import units_of_rates
from redmax.run.path_quantities import arm_units, rate_names
from redmax.view import plot_moment_arms, plot_muscle_curves, plot_muscles
from redmax.view.plot_moment_arms import ArmPanel
from redmax.view.plot_muscle_curves import CurvePanel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from redmax.run.trajectory import Trajectory

OVER = ("moment-arms",)  # plots that can be over a coordinate
BY_NAME = ("muscles", "moment-arms", "force-length", "force-velocity")
RANGES = {"force-length": (0.3, 1.8), "force-velocity": (-1.1, 1.1)}  # that are drawn at least


@dataclass(frozen=True)
class PathChoice:
    """muscles: these alone, or other forces along paths, by name; joints: moment arms about these alone; over: a coordinate, instead
    of time, between two values; constraints: these alone, by name"""

    muscles: Sequence[str] | None = None
    joints: Sequence[str] | None = None
    over: str | None = None
    between: Sequence[float] | None = None
    constraints: Sequence[str] | None = None

    def check(self, what: str) -> None:
        """Raise where a plot does not have such a choice."""
        if self.muscles is not None and as_names(self.muscles) is None:
            raise RedmaxError(f"muscles is a list of names of muscles or other forces along paths. Got {brief(self.muscles)}.")
        if self.muscles and what not in BY_NAME:
            raise RedmaxError(f"{what.capitalize()} is not of muscles: these are chosen for {', '.join(BY_NAME)}.")
        if self.constraints is not None and as_names(self.constraints) is None:
            raise RedmaxError(f"constraints is a list of names of constraints. Got {brief(self.constraints)}.")
        if self.constraints and what != "constraints":
            raise RedmaxError(f"{what.capitalize()} is not of constraints: these are chosen for constraints.")
        if self.over is not None and what not in OVER:
            raise RedmaxError(f"A coordinate is swept for {', '.join(OVER)}; {what} is over time.")
        if self.between is not None and self.over is None:
            raise RedmaxError("A range goes with the coordinate that is swept over it: give over, such as over='knee'.")


def path_drawing(run: "Trajectory", what: str, choice: PathChoice, title: str) -> tuple[tuple[float, float], Callable[["Figure"], None]]:
    """The size of a figure, and what draws into it."""
    if what == "moment-arms":
        return arms_drawing(run, choice, title)
    names = chosen(choice, [str(f.name) for f in muscles_of(run.model)], "muscle")
    if what == "muscles":
        muscles = [run.muscle(name) for name in names]
        return plot_muscles.figure_size(len(names)), lambda figure: plot_muscles.draw_muscles(
            figure, run.t, muscles, title=f"{title}: muscles", force_unit=run.model.units.force
        )
    panels = [curve_panel(run, name, what) for name in names]
    label = "fibre length / optimal" if what == "force-length" else "fibre velocity / largest (lengthening > 0)"
    return plot_muscle_curves.figure_size(len(panels)), lambda figure: plot_muscle_curves.draw_curves(
        figure, panels, label=label, title=f"{title}: {what}"
    )


def chosen(choice: PathChoice, known: list[str], kind: str) -> list[str]:
    """The names that are asked for, or all."""
    for name in choice.muscles or ():
        if name not in known:
            raise RedmaxError(unknown(kind, name, known))
    found = list(choice.muscles or known)
    if not found:
        raise RedmaxError(f"There is nothing to plot: the scene has no {kind}.")
    return found


def curve_panel(run: "Trajectory", name: str, what: str) -> CurvePanel:
    """Of one muscle, with its own curves."""
    hill, muscle = next(f for f in muscles_of(run.model) if f.name == name).hill, run.muscle(name)
    force = muscle.activation * muscle.length_factor * muscle.velocity_factor + muscle.passive_factor
    force = force + hill.damping * muscle.normalised_velocity
    length = what == "force-length"
    at, on = (muscle.normalised_length, muscle.length_factor) if length else (muscle.normalised_velocity, muscle.velocity_factor)
    low, high = RANGES[what]
    x = np.linspace(min(low, float(at.min())), max(high, float(at.max())), 241)
    functions = {"active, at full activation": hill.curves.active_length, "passive": hill.curves.passive_length} if length else {
        "force-velocity": hill.curves.velocity
    }  # fmt: skip
    return CurvePanel(name, x, {label: tabulated(f, x) for label, f in functions.items()}, at, on, force, muscle.activation)


def tabulated(function: Callable[[Any], Any], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """A curve, which may be a user's that takes one number at a time."""
    return np.array([float(function(value)) for value in x.tolist()])


def arms_drawing(run: "Trajectory", choice: PathChoice, title: str) -> tuple[tuple[float, float], Callable[["Figure"], None]]:
    """Over time, about each coordinate that a path depends on; or over a coordinate, about that one."""
    known = [str(f.name) for f in paths_of(run.model)]
    names = chosen(choice, known, "force along a path")
    if choice.over is None:
        x, label, panels = run.t, "time (s)", panels_over_time(run, names, choice)
    else:
        sweep = run.engine.sweep(choice.over, choice.between, q=run.configurations[0], t=float(run.t[0]))
        rate = rate_names(run.model).index(sweep.name)
        unit = units_of_rates(run.model)[rate]
        x, label = sweep.values, sweep.name if unit == "1" else f"{sweep.name} ({unit})"
        crossing = crossing_paths(run, names, rate, bool(choice.muscles))
        lengths = {name: sweep.paths[name].length for name in crossing}
        panels = [arm_panel(run, sweep.paths, crossing, rate)]
        panels.append(ArmPanel("length of the paths", f"length ({run.model.units.length})", lengths, zero=False))
    return plot_moment_arms.figure_size(len(panels)), lambda figure: plot_moment_arms.draw_moment_arms(
        figure, x, label, panels, title=f"{title}: moment arms", paths=known
    )


def panels_over_time(run: "Trajectory", names: Sequence[str], choice: PathChoice) -> list[ArmPanel]:
    """One for each coordinate, of the joints that are asked for."""
    model = run.model
    slices = [model.v_slice(name) for name in choice.joints or ()]
    rates = [rate for part in slices for rate in range(part.start, part.stop)] if choice.joints else range(model.nv)
    found = [(rate, crossing_paths(run, names, rate, False)) for rate in rates]
    panels = [arm_panel(run, run.paths, crossing, rate) for rate, crossing in found if crossing]
    if not panels:
        raise RedmaxError(f"There is nothing to plot: {', '.join(map(repr, names[:5]))} depend on no coordinate of these joints.")
    return panels


def crossing_paths(run: "Trajectory", names: Sequence[str], rate: int, all_of_them: bool) -> list[str]:
    """Those of the names whose length depends on a rate."""
    forces = {str(f.name): f for f in paths_of(run.model)}
    return [name for name in names if all_of_them or rate in rates_crossed(run.model, forces[name])]


def arm_panel(run: "Trajectory", paths: PathStates, names: Sequence[str], rate: int) -> ArmPanel:
    """About one coordinate."""
    unit = arm_units(run.model)[rate]
    label = "moment arm" if unit == "1" else f"moment arm ({unit})"
    return ArmPanel(f"about {rate_names(run.model)[rate]}", label, {name: paths[name].moment_arms[..., rate] for name in names})
