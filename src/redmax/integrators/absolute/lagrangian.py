"""Bodies whose motion follows from a Lagrangian L(g, v) that a user writes, with constraints g -> Phi(g) = 0: Euler-Poincaré equations.

    p = dL/dv,    p' - ad_v^T p - D_g L + B^T lambda = f,    Phi = 0,    Phi' = B v

g are poses, v the velocities of a group (sides.py): on "SE3" body twists, on "SO3xR3" (Omega; xdot), where the bracket has the angular
parts alone. D_g L s is how L changes as a pose is displaced, E exp([s]), or R exp([s_w]) and x + s_x. Seen from the world, on
"SE3-right" and "SO3xR3-right", v is the spatial twist, or (R Omega; xdot), poses are displaced as exp([s]) E, and ad_v has the other
sign. p', D_g L, B and all that Newton's method takes (K = d/ds, C = d/dv and d/da of what is missing) are derivatives of the traces of L
and Phi, compiled as one function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.arguments import as_float, brief
from redmax.backends.base import make_runner
from redmax.errors import RedmaxError, SceneError
from redmax.integrators.absolute.between import Between, between, poses_of
from redmax.integrators.absolute.sides import SHIFTS, SIDES
from redmax.program.function import function_plan
from redmax.trace import Graph, Scalar, gradient, jacobian, jvp, listing
from redmax.trace.vector import vector_of

NAMES: tuple[str, ...] = ("missing", "K", "C", "M", "gap", "B", "G", "speed", "bias", "energy")


@dataclass(frozen=True)
class At:
    """missing: (6n,) of the equations; K, C, M: (6n, 6n), how it changes with poses, velocities and their rates; gap: (m,) Phi;
    B: (m, 6n); speed: (m,), Phi'; G: (m, 6n), how it changes with poses; bias: (m,), Phi'' - B v'; energy: p v - L."""

    missing: np.ndarray
    K: np.ndarray
    C: np.ndarray
    M: np.ndarray
    gap: np.ndarray
    B: np.ndarray
    G: np.ndarray
    speed: np.ndarray
    bias: np.ndarray
    energy: float


@dataclass(frozen=True, eq=False)
class Equations:
    """lagrangian: (E, v) -> L; constraint: E -> rows; wrench: (E, v, t) -> (6,) f. Of several bodies E, v and f are lists of theirs.
    joints: as between.py takes them, whose rows follow those of the constraint"""

    lagrangian: Callable[..., Any]
    bodies: int
    group: str
    constraint: Callable[..., Any] | None = None
    wrench: Callable[..., Any] | None = None
    backend: str = "llvm"
    joints: Sequence[Any] = ()

    @cached_property
    def between(self) -> Between:
        return between(self.joints, self.bodies, SIDES[self.group].spin, self.backend)

    @property
    def n(self) -> int:
        """Velocities."""
        return 6 * self.bodies

    @cached_property
    def m(self) -> int:
        """Rows of the constraint and of joints."""
        graph = Graph()
        own = self.rows(poses_of(vector_of(graph.inputs("pose", 12 * self.bodies))))
        return len(own) + sum(c.size for c in self.between.closures)

    def split(self, pose: Any, v: Any) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """4x4 poses and (6,) velocities of the bodies."""
        return poses_of(pose), [v[6 * k : 6 * k + 6] for k in range(self.bodies)]

    def given(self, parts: Sequence[Any]) -> Any:
        """As the user's functions take it."""
        return parts[0] if self.bodies == 1 else list(parts)

    def rows(self, poses: Sequence[Any]) -> list[Any]:
        """Phi, of the constraint."""
        return [] if self.constraint is None else list(called("constraint", self.constraint, self.given(poses)))

    def value(self, poses: Sequence[Any], velocities: Sequence[Any]) -> Any:
        """L."""
        found = called("lagrangian", self.lagrangian, self.given(poses), self.given(velocities))
        if len(found) != 1:
            raise SceneError(f"A Lagrangian is one number. Got {brief(found)}.", owner="EulerPoincare", argument="lagrangian")
        return found[0]

    def forces(self, poses: Sequence[Any], velocities: Sequence[Any], t: Any) -> np.ndarray:
        """f, (6n,)."""
        if self.wrench is None:
            return np.zeros(self.n).astype(object)
        found = called("wrench", self.wrench, self.given(poses), self.given(velocities), t)
        if len(found) != self.n:
            said = f"wrench gives {self.n} numbers. Got {len(found)}."
            raise SceneError(said, owner="EulerPoincare", argument="wrench")
        return found

    def displaced(self, pose: Any) -> np.ndarray:
        """(12n, 6n): how poses change with displacements."""
        T = np.zeros((12 * self.bodies, self.n), object)
        for k in range(self.bodies):
            own = slice(12 * k, 12 * k + 12)
            T[own, 6 * k : 6 * k + 6] = SIDES[self.group].tangent(pose[own])
        return T

    def bent(self, v: Any, p: Any) -> np.ndarray:
        """-ad_v^T p; from the right, ad_v^T p."""
        return np.concatenate([SIDES[self.group].bent(v[k : k + 6], p[k : k + 6]) for k in range(0, self.n, 6)])

    def expressions(self, pose: Any, v: Any, a: Any, multipliers: Any, t: Any, carried: Any) -> list[Any]:
        """What `At` holds, traced."""
        (poses, velocities), held, delta = self.split(pose, v), self.between, self.between.delta(t[0])
        T, L, rows = self.displaced(pose), self.value(poses, velocities), self.rows(poses) + held.rows(poses, carried, delta, t[0])

        def sliding(w: Any) -> Any:
            return vector_of(held.sliding(poses, w, T[origins(self.bodies)] @ w, carried, delta, t[0]))

        ways, going, unit = [seeds(pose, T[:, i]) for i in range(self.n)], seeds(pose, T @ v), np.eye(self.n).astype(object)
        p = vector_of(gradient(L, list(v)))
        rate = vector_of(jvp(list(p), {**going, **dict(zip(v, a, strict=True))}))
        B = np.array([jvp(rows, way) for way in ways], object).reshape(self.n, len(rows)).T
        change = vector_of([jvp([L], way)[0] for way in ways])
        reaction = B.T @ multipliers if len(rows) else np.zeros(self.n).astype(object)
        missing = rate + self.bent(v, p) - change - self.forces(poses, velocities, t[0]) + reaction
        speed = jvp(rows, going | {t[0]: 1.0})  # coordinates of joints move along: rows change by it as little as joints are open
        still = sliding(0.0 * unit[0])  # of joints that time moves
        ways = [way | seeds(delta, sliding(unit[i]) - still) for i, way in enumerate(ways)]
        going |= seeds(delta, sliding(v)) | {t[0]: 1.0}
        K = np.array([jvp(list(missing), way) for way in ways], object).T
        G = np.array([jvp(speed, way) for way in ways], object).reshape(self.n, len(rows)).T
        found = [missing, K, jacobian(missing, list(v)), jacobian(missing, list(a)), rows, B, G, speed, jvp(speed, going), [p @ v - L]]
        sizes = np.cumsum([np.size(x) for x in found])[:-1]
        values = self.between.undisturbed([x for part in found for x in np.ravel(np.asarray(part, object))], t[0])
        return np.split(np.array([*values, None], object)[:-1], sizes)

    @cached_property
    def compiled(self) -> Callable[..., At]:
        """All of it as one compiled function of numbers."""
        n, m = self.n, self.m
        sizes = {"pose": 12 * self.bodies, "v": n, "a": n, "multipliers": m or 1, "t": 1, "carried": self.between.size or 1}
        shapes: dict[str, tuple[int, ...]] = {"missing": (n,), "energy": (1,)} | dict.fromkeys(("gap", "speed", "bias"), (m,))
        shapes |= dict.fromkeys(("K", "C", "M"), (n, n)) | dict.fromkeys(("B", "G"), (m, n))
        kept = {name: int(np.prod(shapes[name])) for name in NAMES if np.prod(shapes[name])}

        def function(**arrays: Any) -> list[Any]:
            found = dict(zip(NAMES, self.expressions(**arrays), strict=True))
            return [found[name] for name in kept]

        runner = make_runner(function_plan(self.text, sizes, kept, function), self.backend, "float64")

        def call(pose: np.ndarray, v: np.ndarray, a: np.ndarray, multipliers: np.ndarray, t: float, carried: np.ndarray) -> At:
            given = (pose, v, a, multipliers if m else np.zeros(1), np.array([t]), carried if len(carried) else np.zeros(1))
            out = [np.empty((1, 1, size)) for size in kept.values()]
            runner.run([np.ascontiguousarray(x, float).reshape(1, -1) for x in given], out, 1)
            found = {name: x.reshape(shapes[name]) for name, x in zip(kept, out, strict=True)}
            values = {name: found.get(name, np.zeros(shapes[name])) for name in NAMES}
            return At(**{**values, "energy": float(values["energy"][0])})

        return call

    @cached_property
    def text(self) -> str:
        """What tells them from others: the traces of L, of the rows and of f."""
        graph, sizes = Graph(), {"pose": 12 * self.bodies, "v": self.n, "t": 1, "carried": self.between.size}
        pose, v, t, carried = (vector_of(graph.inputs(name, size)) for name, size in sizes.items())
        poses, velocities = self.split(pose, v)
        values = [self.value(poses, velocities), *self.rows(poses), *self.forces(poses, velocities, t[0])]
        own = listing({f"x{k}": x for k, x in enumerate(values)})
        return f"Euler-Poincare {self.group} {self.bodies} {own} {self.between.text(poses, carried, t[0])}"


def called(name: str, function: Callable[..., Any], *arguments: Any) -> np.ndarray:
    """The numbers that a user's function gives, in a row."""
    try:
        found = np.ravel(np.asarray(function(*arguments), object))
    except RedmaxError:
        raise
    except Exception as error:
        said = f"{name}: the function raised {type(error).__name__}: {error}"
        raise SceneError(f"{said}.", owner="EulerPoincare", argument=name) from error
    if not all(isinstance(x, Scalar) or as_float(x) is not None for x in found):
        raise SceneError(f"{name}: the function gives numbers. Got {brief(found)}.", owner="EulerPoincare", argument=name)
    return vector_of([x if isinstance(x, Scalar) else float(x) for x in found])


def origins(bodies: int) -> list[int]:
    """Where the positions are, among numbers (12n,)."""
    return [12 * k + i for k in range(bodies) for i in SHIFTS]


def seeds(pose: Any, rates: Any) -> dict[Scalar, Any]:
    """Traced numbers, as entries of poses, with their rates, without those that stay."""
    return {x: r for x, r in zip(pose, rates, strict=True) if isinstance(r, Scalar) or r != 0.0}
