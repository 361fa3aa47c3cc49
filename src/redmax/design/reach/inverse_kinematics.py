"""InverseKinematics: configurations of a scene that reach targets, of one world or of many at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_array, as_floats, as_names
from redmax.backends.base import check_backend
from redmax.components.checks import choice, flag, number, whole
from redmax.components.handles import BodyHandle
from redmax.design.reach.bounds import Bounds, bounds_of
from redmax.design.reach.closures import Closures
from redmax.design.reach.least_squares import Method
from redmax.design.reach.levels import CLOSED_ENOUGH, Ends, reached
from redmax.design.reach.problem import Problem
from redmax.design.reach.reached import Reached
from redmax.design.reach.rows import TargetRows
from redmax.design.reach.space import Space, space_of
from redmax.design.targets.base import Target
from redmax.dynamics.programs import model_of
from redmax.errors import SceneError, unknown, wrong
from redmax.model.mechanism_size import mechanism_size
from redmax.model.model import Model
from redmax.model.scene import Scene
from redmax.model.state import State

METHODS = ("damped", "gauss-newton")


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
        given = [targets] if isinstance(targets, Target) else targets
        if isinstance(given, str) or not isinstance(given, Sequence) or not given or not all(isinstance(x, Target) for x in given):
            raise wrong("InverseKinematics", "targets", targets, "a target, such as rm.PositionTarget(hand), or a list of them")
        self.targets = tuple(target.bound(self.model) for target in given)
        names = [target.name for target in self.targets]
        twice = next((n for n in names if names.count(n) > 1), None)
        if twice is not None:
            said = f"Two targets are called {twice!r}. Give one of them another: name=..."
            raise SceneError(said, owner="InverseKinematics", argument="targets")
        if isinstance(fixed, str) or as_names(held := [x.name if isinstance(x, BodyHandle) else x for x in fixed]) is None:
            raise wrong("InverseKinematics", "fixed", fixed, "a list of names of joints or bodies")
        self.fixed, self.limits = tuple(held), flag("InverseKinematics", "limits", limits)
        if not self.bounds.movable.any():
            raise SceneError("Nothing may move: all joints are fixed, prescribed, or have no freedom.", owner="InverseKinematics")
        for k, target in enumerate(self.targets):
            target.weights(np.zeros(self.shape_of(target)), len(self.rows.of(k)))

    def __repr__(self) -> str:
        return f"InverseKinematics({self.model!r}, {list(self.targets)!r})"

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

    @staticmethod
    def shape_of(target: Target) -> tuple[int, ...]:
        """Of a goal."""
        return target.shape

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
        restarts: how often to begin elsewhere, anywhere within the limits, where the first priority is not met; seed: of these places
        iterations: at most, of one start; method: "damped" least squares, or "gauss-newton" with a line search; t: s, of what moves in time
        """
        owner = "InverseKinematics.solve"
        lengths, angles = self.tolerances(owner, tolerance)
        shape, packed, weights = self.packed(owner, goals, start)
        q = self.starts(owner, start, shape)
        at = np.array([lengths if unit == "m" else angles for unit in self.rows.units])
        levels = np.array([self.targets[k].priority for k in self.rows.owner], int)
        often, most = whole(owner, "restarts", restarts, 0), whole(owner, "iterations", iterations, 1)
        how = choice(owner, "method", method, METHODS)
        time = number(owner, "t", t, "a finite number (s)")
        problem = Problem(self.rows, self.closures, self.space, packed, weights, levels, at, time, most, how)  # type: ignore[arg-type]
        with np.errstate(all="ignore"):
            ends = reached(problem, self.space.begin(q), often, whole(owner, "seed", seed, 0))
        return self.told(problem, ends, shape, (lengths, angles))

    def tolerances(self, owner: str, given: float | tuple[float, float]) -> tuple[float, float]:
        """Of lengths and angles."""
        found = as_floats(given)
        if found is None or found.shape not in ((), (2,)) or not ((found > 0) & np.isfinite(found)).all():
            raise wrong(owner, "tolerance", given, "a finite number above 0 (m and rad), or two: of lengths and of angles")
        lengths, angles = np.broadcast_to(found, 2).tolist()
        return lengths, angles

    def packed(
        self, owner: str, goals: Mapping[str, ArrayLike] | None, start: ArrayLike | State | None
    ) -> tuple[tuple[int, ...], np.ndarray, np.ndarray]:
        """The axes of the worlds; all goals (worlds, goals) and weights (worlds, m)."""
        if not (goals is None or isinstance(goals, Mapping)):
            valid = f"a dict such as {{{self.targets[0].name!r}: goal}}"
            raise wrong(owner, "goals", goals, valid)
        names = [target.name for target in self.targets]
        for name in goals or ():
            if name not in names:
                raise SceneError(f"{owner}: {unknown('target', name, names)}", owner=owner, argument="goals")
        found: list[np.ndarray] = []
        for target in self.targets:
            goal = target.checked(goals[target.name]) if goals and target.name in goals else target.goal
            if goal is None:
                fix = f"Pass goals={{{target.name!r}: ...}}, of shape {target.shape}, or give the target one"
                raise SceneError(f"{owner}: {target.label} has no goal. {fix}.", owner=owner, argument="goals")
            found.append(goal)
        leads = [g.shape[: g.ndim - len(target.shape)] for g, target in zip(found, self.targets, strict=True)]
        q = start.q if isinstance(start, State) else start
        leads.append(as_array(q).shape[:-1] if q is not None else ())
        try:
            shape = np.broadcast_shapes(*leads)
        except ValueError:
            said = ", ".join(f"{n} {lead}" for n, lead in zip([*names, "start"], leads, strict=True))
            said = f"{owner}: the leading axes of goals and start must agree. Got {said}."
            raise SceneError(said, owner=owner, argument="goals") from None
        spread = [np.broadcast_to(g, (*shape, *target.shape)) for g, target in zip(found, self.targets, strict=True)]
        worlds = int(np.prod(shape))
        packed = [target.packed(g).reshape(worlds, -1) for g, target in zip(spread, self.targets, strict=True)]
        sizes = [len(self.rows.of(k)) for k in range(len(self.targets))]
        weights = [target.weights(g, n).reshape(worlds, -1) for g, target, n in zip(spread, self.targets, sizes, strict=True)]
        return shape, np.concatenate(packed, axis=1), np.concatenate(weights, axis=1)

    def starts(self, owner: str, start: ArrayLike | State | None, shape: tuple[int, ...]) -> np.ndarray:
        """Configurations (worlds, n)."""
        model = self.model
        charts = model.configurations.numbered(start.chart) if isinstance(start, State) else None
        q = as_floats(model.q0 if start is None else start.q if isinstance(start, State) else start)
        if q is None or q.shape[-1:] != (model.nq,) or not np.isfinite(q).all():
            valid = f"finite coordinates of shape (..., {model.nq}), or a State"
            raise wrong(owner, "start", start, valid, but=f", of shape {q.shape}" if q is not None else "")
        found = model.configurations.join(np.ascontiguousarray(np.broadcast_to(q, (*shape, model.nq))).reshape(-1, model.nq), charts)
        return np.array(found, float)

    def told(self, problem: Problem, ends: Ends, shape: tuple[int, ...], tolerance: tuple[float, float]) -> Reached:
        """What was found, for the user."""
        model, worlds = self.model, len(ends.x)
        configurations, _ = self.space.stepped(ends.x, np.zeros((worlds, len(self.space.movable))))
        q, charts = model.configurations.split(configurations)
        counted = np.where(problem.weights > 0, ends.r, np.nan)
        off = problem.off(ends.r, np.arange(worlds))
        first = [k for k in range(off.shape[1]) if problem.level_of(k) == problem.levels.min()]
        success = (off[:, first] <= 1.0).all(axis=1) & (ends.gap <= CLOSED_ENOUGH)
        sizes: dict[str, dict[str, np.ndarray]] = {"m": {}, "rad": {}}
        for k, target in enumerate(self.targets):
            for unit, into in sizes.items():
                chosen = [g for g in problem.groups if self.rows.owner[g[0]] == k and self.rows.units[g[0]] == unit]
                blocks = [np.linalg.norm(np.nan_to_num(counted[:, g]), axis=1) for g in chosen]
                if blocks:
                    into[target.name] = np.max(blocks, axis=0).reshape(shape)[()]
        residuals = {target.name: counted[:, self.rows.of(k)].reshape(*shape, -1) for k, target in enumerate(self.targets)}
        arrays = {"success": success, "iterations": ends.steps, "starts": ends.starts}
        arrays |= {"gap": ends.gap, "still": ends.still, "open": ends.worst}
        pushing = ends.pushing if self.model.map is None else np.zeros((worlds, model.nv))
        return Reached(
            q=q.reshape(*shape, model.nq), residuals=residuals, distances=sizes["m"], angles=sizes["rad"],
            pushing=pushing.reshape(*shape, model.nv), tolerance=tolerance, words=self.bounds.words, model=model,
            loops=tuple(self.closures.owner(k) for k in range(self.closures.size)),
            charts=model.configurations.chart_names(charts.reshape(*shape, -1)) if charts.size else {},
            **{name: x.reshape(shape)[()] for name, x in arrays.items()},
        )  # fmt: skip
