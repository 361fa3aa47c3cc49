"""Reached: where inverse kinematics ended, and what is out of reach, by how much, and which limit holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from redmax.components.one_line import OneLine
from redmax.errors import SceneError, brief, unknown
from redmax.model.mechanism_size import mechanism_size
from redmax.model.model import Model
from redmax.model.state import State

HOLDS = 1e-7  # of the largest push: what is pushed less does not matter
MILLIMETRES = 100.0  # times the mechanism's size: a goal so far off is in another unit, by the look of it


@dataclass(frozen=True, eq=False, repr=False)
class Reached(OneLine):
    """Configurations that inverse kinematics found, of one world or of many, (...).

    q: (..., nq);  success: (...) whether all targets of the first priority are met, and all loops closed
    iterations: (...) steps of all starts together;  starts: (...) how many there were
    gap: (...) of the loop that is furthest from being closed, relative to the mechanism's size
    pushing: (..., nv) what presses a coordinate against the bound that holds it: below 0 against the upper, above 0 against the lower
    """

    q: np.ndarray
    success: np.ndarray
    iterations: np.ndarray
    starts: np.ndarray
    gap: np.ndarray
    pushing: np.ndarray
    rows: np.ndarray = field(repr=False)
    parts: tuple[tuple[str, str, slice], ...] = field(repr=False)
    tolerance: tuple[float, float] = field(repr=False)
    still: np.ndarray = field(repr=False)
    open: np.ndarray = field(repr=False)
    loops: tuple[str, ...] = field(repr=False)
    words: tuple[str, ...] = field(repr=False)
    model: Model = field(repr=False)
    undefined: Mapping[str, str] = field(default_factory=dict, repr=False)
    charts: Mapping[str, np.ndarray | str] = field(default_factory=dict, repr=False)

    @cached_property
    def residuals(self) -> Mapping[str, np.ndarray]:
        """Target -> (..., rows) in m and rad; NaN of rows that do not count: of markers that were not seen, and of weight 0."""
        names = dict.fromkeys(name for name, _, _ in self.parts)
        return {name: np.concatenate([self.rows[..., part] for n, _, part in self.parts if n == name], axis=-1) for name in names}

    @cached_property
    def distances(self) -> Mapping[str, np.ndarray]:
        """Target -> (...) m, of those that have rows in m: how far it is off; of markers the one that is furthest off."""
        return self.sizes_of("m")

    @cached_property
    def angles(self) -> Mapping[str, np.ndarray]:
        """Target -> (...) rad, likewise."""
        return self.sizes_of("rad")

    def sizes_of(self, unit: str) -> Mapping[str, np.ndarray]:
        """Target -> (...) of its rows in this unit."""
        found: dict[str, np.ndarray] = {}
        for name, of, part in self.parts:
            if of == unit:
                size = np.sqrt(np.nansum(self.rows[..., part] ** 2, axis=-1))
                found[name] = np.maximum(found[name], size) if name in found else size
        return found

    @property
    def state(self) -> State:
        """It as a state at rest, for `scene.set_state`, `simulate(start=...)` and their like."""
        return State(0.0, self.q, np.zeros((*self.q.shape[:-1], self.model.nv)), dict(self.charts))

    @property
    def reason(self) -> str | np.ndarray:
        """Why it ended there, in a sentence; of many worlds an array of sentences."""
        if self.q.ndim == 1:
            return self.sentence(())
        found = np.empty(self.q.shape[:-1], object)
        for i in np.ndindex(found.shape):
            found[i] = self.sentence(i)
        return found

    def world(self, *index: int) -> Reached:
        """One of many."""
        if len(index) != self.q.ndim - 1:
            raise SceneError(f"There is no world {brief(index)}. Valid: {self.q.ndim - 1} numbers, for worlds {self.q.shape[:-1]}.")
        arrays = {k: getattr(self, k)[index] for k in ("q", "rows", "success", "iterations", "starts", "gap", "pushing", "still", "open")}
        rest = {k: getattr(self, k) for k in ("parts", "tolerance", "loops", "words", "model", "undefined")}
        charts = {n: v if isinstance(v, str) else v[index] for n, v in self.charts.items()}
        return Reached(**arrays, **rest, charts=charts)

    def held_by(self, index: tuple[int, ...] = ()) -> list[str]:
        """The bounds that hold it, as "upper limit of elbow (2.1 rad)", the one that is pressed hardest first."""
        push = self.pushing[index]
        order = np.argsort(-np.abs(push))
        bounds = [k for k in order if np.abs(push[k]) > HOLDS * np.abs(push).max(initial=0.0)]
        return [f"the {'lower' if push[k] > 0 else 'upper'} limit of {self.words[k]} ({self.at(index, int(k)):.6g})" for k in bounds]

    def at(self, index: tuple[int, ...], k: int) -> float:
        """The coordinate of a velocity, of joints that have as many of both."""
        i = int(np.searchsorted(self.model.offsets, k, "right")) - 1
        return float(self.q[index][self.model.q_offsets[i] + k - self.model.offsets[i]])

    def off(self, name: str, index: tuple[int, ...] = ()) -> str:
        """How far a target is off, in words; "" where it is met."""
        if name not in self.residuals:
            raise SceneError(unknown("target", name, list(self.residuals)), argument="name")
        said: list[str] = []
        for (sizes, unit), most in zip(self.sizes, self.tolerance, strict=True):
            if name in sizes and not sizes[name][index] <= most:
                said.append(f"{sizes[name][index]:.6g} {unit}")
        return " and ".join(said)

    def nowhere(self, index: tuple[int, ...]) -> dict[str, str]:
        """The targets whose rows are not defined there, and why."""
        return {name: self.undefined[name] for name, r in self.residuals.items() if np.isinf(r[index]).any()}

    @property
    def sizes(self) -> list[tuple[Mapping[str, np.ndarray], str]]:
        """How far targets are off, and the units of that."""
        return [(self.distances, self.model.units.length), (self.angles, "rad")]

    def measured(self, name: str) -> bool:
        """Whether a target has lengths or angles, and not only coordinates."""
        return name in self.distances or name in self.angles

    def sentence(self, index: tuple[int, ...]) -> str:
        """Of one world."""
        if self.loops and not self.gap[index] <= 1e-9:
            loop = self.loops[int(self.open[index])]
            return f"{loop} does not close: it is {self.gap[index]:.3g} of the mechanism's size open. Start elsewhere, or allow restarts."
        nowhere = self.nowhere(index)
        if nowhere:
            return f"{' and '.join(f'{name} {why}' for name, why in nowhere.items())}. Start elsewhere, or allow restarts."
        off = {name: self.off(name, index) for name in self.residuals}
        missed = [f"{name} is {words} off" for name, words in off.items() if words]
        if self.success[index]:
            unseen = [name for name, r in self.residuals.items() if np.isnan(r[index]).all()]
            if len(unseen) == len(self.residuals):
                return f"Nothing of {' and '.join(unseen)} was seen, so that there was nothing to reach."
            but = f" Nothing of {' and '.join(unseen)} was seen." if unseen else ""
            return (f"The first targets are reached; {', '.join(missed)}." if missed else "All targets are reached.") + but
        if not self.still[index]:
            return f"{', '.join(missed)}; it ended before nothing more was to be gained. Allow more iterations, or restarts."
        held = self.held_by(index)
        by = f"held by {' and '.join(held)}" if held else "as near as the mechanism comes from there"
        return f"{', '.join(missed)}: {by}.{self.in_other_units(index)}"

    @cached_property
    def size(self) -> float:
        """Of the mechanism."""
        return mechanism_size(self.model)

    def in_other_units(self, index: tuple[int, ...]) -> str:
        """A question, where a goal looks as if it were in millimetres."""
        far = [name for name, off in self.distances.items() if off[index] > MILLIMETRES * self.size]
        return f" Is the goal of {far[0]} in {self.model.units.length}, and not in millimetres?" if far else ""

    def report(self) -> str:
        """A line for each target, and the reason; of many worlds, how many came how far."""
        if self.q.ndim > 1 and not self.success.size:
            return "No goals were given, so that nothing was reached."
        if self.q.ndim > 1:
            done = int(self.success.sum())
            lines = [f"{done:,} of {self.success.size:,} worlds reached their targets, in {self.iterations.mean():.1f} iterations each"]
            for name in self.residuals:
                for sizes, unit in self.sizes:
                    if name in sizes:
                        most, half = sizes[name].max(initial=0.0), np.median(sizes[name])
                        lines.append(f"  {name}: at most {most:.3g} {unit} off, half of them {half:.3g}")
            return "\n".join(lines)
        other = {name: f"{np.linalg.norm(r):.6g} from its coordinates" for name, r in self.residuals.items() if not self.measured(name)}
        other |= self.nowhere(())
        rows = [f"  {name}: {other.get(name) or self.off(name) or 'reached'}" for name in self.residuals]
        return "\n".join([self.sentence(()), *rows, f"  {int(self.iterations)} iterations, {int(self.starts)} starts"])
