"""What inverse kinematics is asked for, checked: goals, places to start from, and how hard to try."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_array, as_floats
from redmax.components.checks import choice, number, whole
from redmax.design.reach.least_squares import Method
from redmax.design.reach.rows import TargetRows
from redmax.design.targets.base import LARGEST, Target
from redmax.errors import SceneError, unknown, wrong
from redmax.model.model import Model
from redmax.model.state import State

METHODS = ("damped", "gauss-newton")
MOST = 2**31  # of starts and steps, and seeds that are told apart


@dataclass(frozen=True, eq=False)
class Asked:
    """shape: the axes of the worlds; goals: (worlds, goals); weights: (worlds, m), with holes, or the same for all; q: (worlds, n)

    length, angle: that targets may be off; restarts, seed, iterations, method, t: as of `InverseKinematics.solve`
    """

    shape: tuple[int, ...]
    goals: np.ndarray
    weights: np.ndarray
    holes: bool
    q: np.ndarray
    length: float
    angle: float
    restarts: int
    seed: int
    iterations: int
    method: Method
    t: float

    def of(self, which: np.ndarray, restarts: int | None = None) -> Asked:
        """Of some worlds."""
        again = self.restarts if restarts is None else restarts
        return replace(self, goals=self.goals[which], weights=self.weights[which], restarts=again)


@dataclass(frozen=True, eq=False)
class Asking:
    """Of the targets of a model."""

    model: Model
    targets: Sequence[Target]
    rows: TargetRows

    @cached_property
    def names(self) -> list[str]:
        return [target.name for target in self.targets]

    @cached_property
    def sizes(self) -> list[int]:
        """How many rows each has."""
        return [len(self.rows.of(k)) for k in range(len(self.targets))]

    @cached_property
    def levels(self) -> np.ndarray:
        """(m,): the priority of each row."""
        return np.array([self.targets[k].priority for k in self.rows.owner], int)

    def read(
        self,
        owner: str,
        goals: Mapping[str, ArrayLike] | None,
        start: ArrayLike | State | None,
        tolerance: float | tuple[float, float],
        restarts: int,
        seed: int,
        iterations: int,
        method: str,
        t: float,
    ) -> Asked:
        """All of it."""
        length, angle = self.tolerances(owner, tolerance)
        q, charts = self.start(owner, start)
        given = self.goals(owner, goals)
        shape = self.worlds(owner, given, q)
        worlds = math.prod(shape)
        packed = [target.packed(g) for g, target in zip(given, self.targets, strict=True)]
        spread = [np.broadcast_to(g, (*shape, g.shape[-1])).reshape(worlds, g.shape[-1]) for g in packed]
        holes = any(target.holes for target in self.targets)
        return Asked(
            shape, np.concatenate(spread, axis=1) if len(spread) > 1 else np.ascontiguousarray(spread[0]),
            self.weights(given, shape) if holes else np.broadcast_to(self.own_weights, (worlds, len(self.own_weights))), holes,
            self.configurations(q, charts, shape, worlds), length, angle,
            min(whole(owner, "restarts", restarts, 0), MOST), whole(owner, "seed", seed, 0) % MOST,
            min(whole(owner, "iterations", iterations, 1), MOST), choice(owner, "method", method, METHODS),  # type: ignore[arg-type]
            0.0 if type(t) is float and t == 0.0 else number(owner, "t", t, "a finite number (s)"),
        )  # fmt: skip

    @staticmethod
    def tolerances(owner: str, given: float | tuple[float, float]) -> tuple[float, float]:
        """Of lengths and angles."""
        if type(given) is float and 0.0 < given < math.inf:
            return given, given
        found = as_floats(given)
        if found is None or found.shape not in ((), (2,)) or not ((found > 0) & np.isfinite(found)).all():
            raise wrong(owner, "tolerance", given, "a finite number above 0 (m and rad), or two: of lengths and of angles")
        length, angle = np.broadcast_to(found, 2).tolist()
        return length, angle

    def goals(self, owner: str, goals: Mapping[str, ArrayLike] | None) -> list[np.ndarray]:
        """Of each target, (..., *shape)."""
        if not (goals is None or isinstance(goals, Mapping)):
            raise wrong(owner, "goals", goals, f"a dict such as {{{self.names[0]!r}: goal}}")
        for name in goals or ():
            if name not in self.names:
                raise SceneError(f"{owner}: {unknown('target', name, self.names)}", owner=owner, argument="goals")
        found: list[np.ndarray] = []
        for target in self.targets:
            goal = target.checked(goals[target.name]) if goals and target.name in goals else target.goal
            if goal is None:
                fix = f"Pass goals={{{target.name!r}: ...}}, of shape {target.shape}, or give the target one"
                raise SceneError(f"{owner}: {target.label} has no goal. {fix}.", owner=owner, argument="goals")
            found.append(goal)
        return found

    def worlds(self, owner: str, given: Sequence[np.ndarray], q: np.ndarray) -> tuple[int, ...]:
        """The axes of the worlds."""
        leads = [g.shape[: g.ndim - len(target.shape)] for g, target in zip(given, self.targets, strict=True)] + [q.shape[:-1]]
        if not any(leads):
            return ()
        try:
            return np.broadcast_shapes(*leads)
        except ValueError:
            said = ", ".join(f"{n} {lead}" for n, lead in zip([*self.names, "start"], leads, strict=True))
            said = f"{owner}: the leading axes of goals and start must agree. Got {said}."
            raise SceneError(said, owner=owner, argument="goals") from None

    @cached_property
    def own_weights(self) -> np.ndarray:
        """(m,): of targets whose goals have no holes."""
        return self.weights([np.zeros(target.shape) for target in self.targets], ())[0]

    def weights(self, given: Sequence[np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
        """(worlds, m)."""
        found = [target.weights(g, n) for g, target, n in zip(given, self.targets, self.sizes, strict=True)]
        return np.concatenate([np.broadcast_to(w, (*shape, w.shape[-1])).reshape(math.prod(shape), w.shape[-1]) for w in found], axis=1)

    def start(self, owner: str, start: ArrayLike | State | None) -> tuple[np.ndarray, np.ndarray | None]:
        """Coordinates (..., nq), and the charts that they are in, if a State says so."""
        model = self.model
        charts = model.configurations.numbered(start.chart) if isinstance(start, State) else None
        given = as_array(model.q0 if start is None else start.q if isinstance(start, State) else start)
        found = given.astype(float) if given.dtype.kind in "fiu" else None
        if found is None or found.shape[-1:] != (model.nq,) or not (np.abs(found) <= LARGEST).all():
            valid = f"finite coordinates of shape (..., {model.nq}), none above {LARGEST:g}, or a State"
            raise wrong(owner, "start", start, valid, but=f", of shape {given.shape}" if found is not None else "")
        return found, charts

    def configurations(self, q: np.ndarray, charts: np.ndarray | None, shape: tuple[int, ...], worlds: int) -> np.ndarray:
        """(worlds, n), an array of its own."""
        spread = q if q.shape[:-1] == shape else np.broadcast_to(q, (*shape, q.shape[-1])).copy()
        return self.model.configurations.join(spread.reshape(worlds, q.shape[-1]), charts)
