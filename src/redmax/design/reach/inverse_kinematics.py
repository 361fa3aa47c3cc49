"""InverseKinematics: configurations of a scene that reach targets, of one world or of many at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_names
from redmax.backends.base import check_backend
from redmax.components.checks import flag
from redmax.components.handles import BodyHandle
from redmax.design.reach.asked import Asking
from redmax.design.reach.bounds import Bounds, bounds_of
from redmax.design.reach.closures import Closures
from redmax.design.reach.following import Following
from redmax.design.reach.in_memory import InMemory
from redmax.design.reach.lanes import Lanes
from redmax.design.reach.least_squares import Method
from redmax.design.reach.levels import CLOSED_ENOUGH, Ends, ends_of, finished, in_turn, nothing
from redmax.design.reach.problem import Problem
from redmax.design.reach.reached import Reached
from redmax.design.reach.registers import MOST, InRegisters
from redmax.design.reach.restarts import begun_again
from redmax.design.reach.rows import TargetRows
from redmax.design.reach.space import Space, space_of
from redmax.design.reach.with_closures import WithClosures
from redmax.design.targets.base import Target
from redmax.dynamics.programs import model_of
from redmax.errors import SceneError, wrong
from redmax.model.mechanism_size import mechanism_size
from redmax.model.model import Model
from redmax.model.scene import Scene
from redmax.model.state import State


class InverseKinematics:
    """Configurations of a scene that reach targets, within the limits of its joints, with its loops closed.

    scene: a scene, or what `scene.model()` returns
    targets: PositionTarget, OrientationTarget, FrameTarget, MarkerTarget, LookAtTarget, CenterOfMassTarget, PostureTarget: one, or a list
    fixed: joints that stay where they start, by their names, those of their bodies, or bodies
    limits: whether the ranges of JointLimit and HardLimit bound the coordinates; where a motion is defined always does
    backend: "llvm", compiled, or "interpret", the same with NumPy: slow, for debugging

    Joints whose motion is prescribed stay where they start.
    """

    def __init__(
        self,
        scene: Model | Scene | str | PathLike[str],
        targets: Target | Sequence[Target],
        *,
        fixed: Sequence[str | BodyHandle] = (),
        limits: bool = True,
        backend: str = "llvm",
    ) -> None:
        check_backend(backend, "float64")
        self.model, self.backend = model_of(scene), backend
        if self.model.parameters:
            names = ", ".join(p.name for p in self.model.parameters)
            said = f"InverseKinematics: the model's worlds differ in {names}. Pass the scene, in which all worlds are alike."
            raise SceneError(said, owner="InverseKinematics", argument="scene")
        given = [targets] if isinstance(targets, Target) else targets
        if isinstance(given, str) or not isinstance(given, Sequence) or not given or not all(isinstance(x, Target) for x in given):
            raise wrong("InverseKinematics", "targets", targets, "a target, such as rm.PositionTarget(hand), or a list of them")
        self.targets = tuple(target.bound(self.model) for target in given)
        names = [target.name for target in self.targets]
        twice = next((n for n in names if names.count(n) > 1), None)
        if twice is not None:
            said = f"Two targets are called {twice!r}. Give one of them another: name=..."
            raise SceneError(said, owner="InverseKinematics", argument="targets")
        held = [x.name if isinstance(x, BodyHandle) else x for x in fixed] if isinstance(fixed, list | tuple) else None
        if held is None or as_names(held) is None:
            raise wrong("InverseKinematics", "fixed", fixed, "a list of names of joints or bodies, or of bodies")
        self.fixed, self.limits = tuple(held), flag("InverseKinematics", "limits", limits)
        if not self.bounds.movable.any():
            raise SceneError("Nothing may move: all joints are fixed, prescribed, or have no freedom.", owner="InverseKinematics")
        for k, target in enumerate(self.targets):
            target.weights(np.zeros(target.shape), len(self.rows.of(k)))

    def __repr__(self) -> str:
        return f"InverseKinematics({self.model!r}, {list(self.targets)!r})"

    def __reduce__(self) -> Any:
        """Pickles hold what it was made of, not what was compiled."""
        return partial(type(self), fixed=list(self.fixed), limits=self.limits, backend=self.backend), (self.model, list(self.targets))

    @cached_property
    def size(self) -> float:
        """Of the mechanism."""
        return mechanism_size(self.model)

    @cached_property
    def bounds(self) -> Bounds:
        """Where coordinates may be: `lower`, `upper`, (nv,)."""
        return bounds_of(self.model, self.fixed, self.size, self.limits)

    @cached_property
    def rows(self) -> TargetRows:
        return TargetRows(self.model, self.targets, self.bounds.movable, self.backend)

    @cached_property
    def closures(self) -> Closures:
        return Closures(self.model, self.bounds, self.backend)

    @cached_property
    def space(self) -> Space:
        return space_of(self.model, self.bounds)

    @cached_property
    def lanes(self) -> Lanes | None:
        """What the first priority is searched with in compiled code; None where there are equations to keep, or too many coordinates."""
        if self.model.map is not None or self.backend != "llvm" or not WithClosures.possible(self.closures):
            return None
        first = [k for k, target in enumerate(self.targets) if target.priority == min(x.priority for x in self.targets)]
        rows, chosen = self.rows, (slice(None), slice(None))
        if len(first) < len(self.targets):
            rows = TargetRows(self.model, [self.targets[k] for k in first], self.bounds.movable, self.backend)
            own = [p for p in self.rows.parts if p.target in first]
            chosen = tuple(np.concatenate([np.arange(a, a + n) for a, n in places]) for places in (
                [(p.row, p.block.size) for p in own], [(p.goal, p.block.goals) for p in own],
            ))  # fmt: skip
        few = InRegisters(rows, self.bounds, *chosen)
        if not few.n:  # nothing that may move moves them
            return None
        if self.closures.size:
            return WithClosures(rows, self.bounds, *chosen, closures=self.closures)
        return few if few.n <= MOST else InMemory(rows, self.bounds, *chosen)

    @cached_property
    def following(self) -> Following | None:
        """What `follow` does in compiled code."""
        alike = all(target.priority == self.targets[0].priority and not target.holes for target in self.targets)
        return Following(self.lanes) if self.lanes is not None and alike else None

    @cached_property
    def asking(self) -> Asking:
        """Reads what is asked for."""
        return Asking(self.model, self.targets, self.rows)

    def solve(
        self,
        goals: Mapping[str, ArrayLike] | None = None,
        start: ArrayLike | State | None = None,
        *,
        tolerance: float | tuple[float, float] = 1e-6,
        restarts: int = 0,
        seed: int = 0,
        iterations: int = 100,
        method: Method = "damped",
        t: float = 0.0,
    ) -> Reached:
        """Where the targets are reached, or as near as can be.

        goals: target -> its goal, (*shape) or (..., *shape) for many worlds; others keep the goal that they were made with
        start: coordinates (..., nq) or a State; the scene's unless given. What is found is near it, where that is possible
        tolerance: of lengths (m) and angles (rad), a number or one for each: a target is reached that is nearer than this
        restarts: how often to begin elsewhere, anywhere within the limits, where a target is not met, of whatever priority (for postures
            of later ones nothing is begun again); seed: of these places
        iterations: at most, of one start; method: "damped" least squares, or "gauss-newton" with a line search; t: s, of what moves in time
        """
        asked = self.asking.read("InverseKinematics.solve", goals, start, tolerance, restarts, seed, iterations, method, t)
        problem = Problem(self.rows, self.closures, self.space, self.asking.levels, asked)
        with np.errstate(all="ignore"):
            lanes = self.lanes if asked.method == "damped" else None
            ends = begun_again(problem, lanes, ends_of(problem, lanes, self.space.begin(asked.q))) if len(asked.q) else nothing(problem)
        return self.told(problem, ends)

    def follow(
        self,
        goals: Mapping[str, ArrayLike] | None = None,
        start: ArrayLike | State | None = None,
        *,
        tolerance: float | tuple[float, float] = 1e-6,
        iterations: int = 100,
    ) -> Reached:
        """Goals that move: frame after frame, each from where the one before ended.

        goals: target -> its goals, (frames, ..., *shape): (frames, *shape) of one world, (frames, worlds, *shape) of many
        start: coordinates (..., nq) of the first frame, or a State; the scene's unless given
        tolerance, iterations: as of `solve`, of each frame. The result has the axes (frames, ...)
        """
        asked = self.asking.read("InverseKinematics.follow", goals, start, tolerance, 0, 0, iterations, "damped", 0.0)
        if not asked.shape:
            raise SceneError("InverseKinematics.follow: no goal has an axis of frames. Use solve for one goal.", argument="goals")
        frames, worlds = asked.shape[0], math.prod(asked.shape[1:])
        problem = Problem(self.rows, self.closures, self.space, self.asking.levels, asked)
        if not frames * worlds:
            return self.told(problem, nothing(problem))
        x = self.space.begin(asked.q[:worlds])
        with np.errstate(all="ignore"):
            if self.following is not None:
                ends = finished(problem, self.following.ends(x, asked.goals.reshape(frames, worlds, -1), asked))
            else:
                ends = in_turn(problem, self.lanes, x, frames)
        return self.told(problem, ends)

    def told(self, problem: Problem, ends: Ends) -> Reached:
        """What was found, for the user."""
        model, asked, worlds = self.model, problem.asked, len(ends.x)
        q, charts = model.configurations.split(self.space.configurations(ends.x) if worlds else ends.x)
        success = problem.met(ends.r) & (ends.gap <= CLOSED_ENOUGH) if ends.met is None else ends.met
        counted = np.where(np.isnan(ends.r), np.inf, ends.r)
        if asked.holes or not asked.weights[:1].all():
            counted[~(asked.weights > 0)] = np.nan
        arrays = {"success": success, "iterations": ends.steps, "starts": ends.starts}
        arrays |= {"gap": ends.gap, "still": ends.still, "open": ends.worst}
        pushing = ends.pushing if model.map is None else np.zeros((worlds, model.nv))
        shape = asked.shape
        return Reached(
            q=q.reshape(*shape, model.nq), rows=counted.reshape(*shape, counted.shape[1]), pushing=pushing.reshape(*shape, model.nv),
            tolerance=(asked.length, asked.angle), words=self.bounds.words, model=model, parts=self.parts, loops=self.loops,
            undefined=self.undefined,
            charts=model.configurations.chart_names(charts.reshape(*shape, charts.shape[-1])) if charts.size else {},
            **{name: x.reshape(shape)[()] for name, x in arrays.items()},
        )  # fmt: skip

    @cached_property
    def parts(self) -> tuple[tuple[str, str, slice], ...]:
        """Of each block of rows: its target, its unit and where it lies."""
        return tuple((self.targets[p.target].name, p.block.unit, slice(p.row, p.row + p.block.size)) for p in self.rows.parts)

    @cached_property
    def undefined(self) -> dict[str, str]:
        """Of each target what it means that its rows are not defined."""
        return {self.targets[p.target].name: p.block.undefined for p in self.rows.parts}

    @cached_property
    def loops(self) -> tuple[str, ...]:
        """What each row of the closures is of."""
        return tuple(self.closures.owner(k) for k in range(self.closures.size))
