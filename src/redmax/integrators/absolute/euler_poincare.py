"""Generalized-alpha steps of a Lagrangian on a group (lagrangian.py; method.py has the formulas): index 3, stabilised index 2 and index 1.

Each step is solved for v', lambda and eta together by Newton's method with the exact derivatives of the equations, to roundings. The system
is dense: for few bodies. Steps are compiled (lagrangian_step.py); where their elimination meets a singular system, as of rows that repeat
others, they are taken one by one from there on, by least squares.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_float, as_numbers, as_whole, brief
from redmax.backends.base import check_backend
from redmax.components.checks import as_pose
from redmax.errors import SceneError, SimulationError, unknown
from redmax.integrators.absolute.group import GROUPS
from redmax.integrators.absolute.lagrangian import At, Equations
from redmax.integrators.absolute.lagrangian_step import ITERATIONS, ROUNDINGS, SHRINKS, SMALL, TOLERANCE, CompiledSteps
from redmax.integrators.absolute.sides import SIDES

MOST = 100_000_000  # steps
APART = 1e-6  # s, of states whose difference is a rate
PORTION = 10_000  # samples that are computed at a time
TOLD = ("pose", "v", "multipliers", "gap", "speed", "energy")  # of each sample


@dataclass(frozen=True, eq=False)
class GroupRun:
    """t: (time,) s; pose: (time, bodies, 4, 4); velocity: (time, bodies, 6); energy: (time,), p v - L

    multipliers, gap, hidden_rate: (time, rows), of the constraint
    """

    t: np.ndarray
    pose: np.ndarray
    velocity: np.ndarray
    multipliers: np.ndarray
    gap: np.ndarray
    hidden_rate: np.ndarray
    energy: np.ndarray


@dataclass
class Now:
    """Of all bodies together: poses (12n,), v, a and v' (6n,), multipliers (m,); what joints carry (between.py)."""

    pose: np.ndarray
    v: np.ndarray
    a: np.ndarray
    rate: np.ndarray
    multipliers: np.ndarray
    carried: np.ndarray


class EulerPoincare:
    """Bodies that move as a Lagrangian says, which is a function of poses and velocities.

    lagrangian: (E, v) -> L, of a pose (4, 4) and a velocity (6,); of several bodies, of lists of them
    bodies: how many; group: "SE3", v the body twist, or "SO3xR3", v = (Omega; xdot); seen from the world, "SE3-right", v the spatial
        twist, or "SO3xR3-right", v = (angular velocity in world axes; xdot)
    constraint: E -> rows that are kept at zero
    joints: those between two bodies, or a body and the world, in trees and in loops: each (joint, first, second), or also q, near which
        its coordinates are. Places are None, the world; the number of a body; or one of these with a frame on it, (number, frame), a
        pose (4, 4) or a position (3,). The motion is that of the second place seen from the first; 6 - dof rows, after those of the
        constraint. What a joint exerts by itself, as limits of a spline, has no part in it
    wrench: (E, v, t) -> (6,) or lists, what acts along v beside
    """

    def __init__(
        self,
        lagrangian: Callable[..., Any],
        bodies: int = 1,
        *,
        group: str = "SE3",
        constraint: Callable[..., Any] | None = None,
        joints: Sequence[Any] = (),
        wrench: Callable[..., Any] | None = None,
        backend: str = "llvm",
    ) -> None:
        for name, function in (("lagrangian", lagrangian), ("constraint", constraint), ("wrench", wrench)):
            if function is not None and not callable(function):
                raise SceneError(f"{name} is a function. Got {brief(function)}.", owner="EulerPoincare", argument=name)
        if as_whole(bodies, 1) is None:
            raise SceneError(f"bodies is a whole number from 1 up. Got {brief(bodies)}.", owner="EulerPoincare", argument="bodies")
        if group not in GROUPS:
            raise SceneError(unknown("group", group, list(GROUPS)), owner="EulerPoincare", argument="group")
        check_backend(backend, "float64")
        self.equations = Equations(lagrangian, int(bodies), group, constraint, wrench, backend, joints)
        self.steps: dict[int, CompiledSteps] = {}
        assert self.equations.text  # traced once, so that what is wrong is said now

    def accelerations(self, pose: ArrayLike, velocity: ArrayLike, t: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """v' (bodies, 6) and the multipliers (rows,), at poses (bodies, 4, 4) and velocities (bodies, 6)."""
        q, v = self.checked(pose, velocity)
        when = as_float(t)
        if when is None or not np.isfinite(when):
            raise SceneError(f"t is a number of seconds. Got {brief(t)}.", owner="EulerPoincare", argument="t")
        rate, multipliers = self.solved(q, v, when, self.equations.between.begun(q, when))
        return rate.reshape(-1, 6), multipliers

    def simulate(
        self, pose: ArrayLike, velocity: ArrayLike, duration: float, dt: float, *, index: int = 2, rho: float = 0.9, every: int = 1
    ) -> GroupRun:
        """Steps of generalized-alpha from there: index 3, 2 or 1.

        rho: what a step leaves of what is infinitely fast; every: each so many-th is kept
        """
        count = steps_of(duration, dt, index, rho, every)
        q, v = self.checked(pose, velocity)
        held = self.equations.between
        carried = held.begun(q, 0.0)
        rate, multipliers = self.solved(q, v, 0.0, carried)
        held.check_closed(self.equations.compiled(q, v, rate, multipliers, 0.0, carried).gap, q)
        now = Now(q, v, self.first_a(q, v, rate, dt, index, rho, carried), rate, multipliers, carried)
        parts, k = [self.sample(now, 0.0)], 0
        while k < count:
            wanted = min(count - k, PORTION * every)
            found = self.compiled_steps(now, k, wanted, dt, index, rho, every)
            samples = len(found["v"])
            parts.append([found[name] for name in TOLD])
            if samples:
                now, k = Now(*(found[name][-1] for name in vars(now))), k + samples * every
            if samples * every < wanted:
                parts += self.single_steps(now, k, count, dt, index, rho, every)
                break
        poses, velocities, multipliers, gap, hidden, energy = (np.concatenate(x) for x in zip(*parts, strict=True))
        full = np.zeros((len(poses), self.equations.bodies, 4, 4))
        full[..., :3, :], full[..., 3, 3] = poses.reshape(len(poses), -1, 3, 4), 1.0
        t = np.arange(len(poses)) * (dt * every)
        return GroupRun(t, full, velocities.reshape(len(poses), -1, 6), multipliers, gap, hidden, energy[:, 0])

    def first_a(self, q: np.ndarray, v: np.ndarray, rate: np.ndarray, dt: float, index: int, rho: float, carried: np.ndarray) -> np.ndarray:
        """v', and of index 2 its change within (am - af) h, by central differences: multipliers have order 2 from the first step."""
        step = Step(self.equations, dt, index, rho)
        if index != 2 or step.am == step.af:
            return rate
        found: list[np.ndarray] = []
        for ahead in (APART, -APART):
            pose, _ = moved(self.equations, q, ahead * (v + (0.5 * ahead) * rate))
            u = v + ahead * rate
            try:
                found.append(self.solved(pose, u, ahead, self.equations.between.followed(pose, ahead, carried))[0])
            except SimulationError:
                return rate
        return rate + ((step.am - step.af) * dt / (2.0 * APART)) * (found[0] - found[1])

    def sample(self, now: Now, t: float) -> list[np.ndarray]:
        """(1, size) each, what TOLD names."""
        at = self.equations.compiled(now.pose, now.v, now.rate, now.multipliers, t, now.carried)
        return [np.array([x]) for x in (now.pose, now.v, now.multipliers, at.gap, at.speed, [at.energy])]

    def compiled_steps(self, now: Now, k: int, count: int, dt: float, index: int, rho: float, every: int) -> dict[str, np.ndarray]:
        """Each `every`-th of so many steps, k steps after the start: those that were found."""
        formulas = Step(self.equations, dt, index, rho)
        numbers = np.array([dt, formulas.am, formulas.af, formulas.gamma, formulas.beta])
        before = self.equations.compiled(now.pose, now.v, now.rate, now.multipliers, k * dt, now.carried).B
        given = vars(now) | {"before": before} | {"k": np.array([float(k)]), "numbers": numbers, "good": np.ones(1)}
        if index not in self.steps:
            self.steps[index] = CompiledSteps(self.equations, index)
        return self.steps[index].taken(given, count, every)

    def single_steps(self, now: Now, k: int, count: int, dt: float, index: int, rho: float, every: int) -> list[list[np.ndarray]]:
        """The rest, one by one, by least squares where rows repeat others. Raises where a step has no end."""
        step, found = Step(self.equations, dt, index, rho), list[list[np.ndarray]]()
        for n in range(k + 1, count + 1):
            now = step.taken(now, n * dt)
            if n % every == 0:
                found.append(self.sample(now, n * dt))
        return found

    def checked(self, pose: ArrayLike, velocity: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """(12n,) and (6n,)."""
        n = self.equations.bodies
        E, v = as_numbers(pose, "pose", "float64"), as_numbers(velocity, "velocity", "float64")
        if E.size != 16 * n or v.size != 6 * n or not np.isfinite(v).all():
            said = f"Expected {n} poses (4, 4) and velocities (6,), finite. Got {E.shape} and {v.shape}."
            raise SceneError(said, owner="EulerPoincare", argument="pose")
        poses = [as_pose("EulerPoincare", "pose", x) for x in E.reshape(n, 4, 4)]
        return np.ascontiguousarray(np.array(poses)[:, :3]).ravel(), v.ravel()

    def solved(self, q: np.ndarray, v: np.ndarray, t: float, carried: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """v' and multipliers where rows ask for accelerations."""
        n, m = self.equations.n, self.equations.m
        at = self.equations.compiled(q, v, 0.0 * v, np.zeros(m), t, carried)
        system = np.block([[at.M, at.B.T], [at.B, np.zeros((m, m))]])
        if not (np.isfinite(system).all() and np.isfinite(at.missing).all()):
            raise SimulationError("The Lagrangian, the constraint or the wrench has no finite derivatives at these poses and velocities.")
        found = np.linalg.lstsq(system, np.concatenate([-at.missing, -at.bias]), rcond=None)[0]
        return found[:n], found[n:]


def steps_of(duration: Any, dt: Any, index: Any, rho: Any, every: Any) -> int:
    """How many, of options that are checked."""
    numbers = [as_float(x) for x in (duration, dt, rho)]
    if all(x is not None and np.isfinite(x) for x in numbers) and as_whole(index, 1) in (1, 2, 3) and as_whole(every, 1):
        length, h, radius = (float(x or 0.0) for x in numbers)
        if h > 0.0 and 0.0 <= radius <= 1.0 and 0.5 < length / h < MOST:
            count = round(length / h)
            if abs(count * h - length) <= 1e-6 * h and count % every == 0:
                return count
    whole = f"a duration of a whole number of steps, less than {MOST:,}, and of steps that are kept"
    expected = f"index 3, 2 or 1, rho from 0 to 1, and {whole}"
    got = f"index={brief(index)}, rho={brief(rho)}, duration={brief(duration)}, dt={brief(dt)}, every={brief(every)}"
    raise SceneError(f"simulate takes {expected}. Got {got}.", owner="EulerPoincare", expected=expected, got=got)


def moved(equations: Equations, pose: np.ndarray, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Poses (12n,) a step d further, and T with the displacement T delta d."""
    found, T, side = np.empty_like(pose), np.zeros((equations.n, equations.n)), SIDES[equations.group]
    for k in range(equations.bodies):
        own, part = slice(12 * k, 12 * k + 12), slice(6 * k, 6 * k + 6)
        found[own] = side.step(pose[own].reshape(3, 4), d[part]).ravel()
        T[part, part] = side.displaced(d[part])
    return found, T


class Step:
    """One step: what the formulas make of v' at its end."""

    def __init__(self, equations: Equations, h: float, index: int, rho: float) -> None:
        self.equations, self.h, self.index = equations, h, index
        self.am, self.af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        self.gamma = 0.5 + self.af - self.am
        self.beta = (self.gamma + 0.5) ** 2 / 4
        share = (1 - self.af) / (1 - self.am)
        self.to_v, self.to_d = h * self.gamma * share, h * h * self.beta * share

    def end(self, now: Now, rate: np.ndarray, shift: np.ndarray) -> tuple[np.ndarray, Now, np.ndarray]:
        """d, what there is at the end, and T with the displacement T delta d."""
        h, eq = self.h, self.equations
        a = ((1 - self.af) * rate + self.af * now.rate - self.am * now.a) / (1 - self.am)
        d = h * (now.v + h * ((0.5 - self.beta) * now.a + self.beta * a)) - h * shift
        v = now.v + h * ((1 - self.gamma) * now.a + self.gamma * a)
        pose, T = moved(eq, now.pose, d)
        return d, Now(pose, v, a, rate, now.multipliers, now.carried), T

    def taken(self, now: Now, t: float) -> Now:
        """What there is at the end of the step, t."""
        eq, n, m = self.equations, self.equations.n, self.equations.m
        B0 = eq.compiled(now.pose, now.v, now.rate, now.multipliers, t - self.h, now.carried).B if self.index == 2 else np.zeros((m, n))
        rate, multipliers, eta, before = now.rate.copy(), now.multipliers.copy(), np.zeros(m if self.index == 2 else 0), np.inf
        for _ in range(ITERATIONS):
            _, end, T = self.end(now, rate, B0.T @ eta if len(eta) else np.zeros(n))
            carried = eq.between.followed(end.pose, t, now.carried)
            at = eq.compiled(end.pose, end.v, rate, multipliers, t, carried)
            if not np.isfinite(at.missing).all():
                break
            change = np.linalg.lstsq(*self.system(at, end, T, B0), rcond=None)[0]
            rate, multipliers, eta = rate + change[:n], multipliers + change[n : n + m], eta + change[n + m :]
            moved = np.linalg.norm(change[:n])
            size = moved / max(np.linalg.norm(rate), 1e-300)
            small = size <= SMALL or self.to_d * moved <= ROUNDINGS * np.linalg.norm(end.pose)
            if size <= TOLERANCE or (small and size >= SHRINKS * before):
                _, end, _ = self.end(now, rate, B0.T @ eta if len(eta) else np.zeros(n))
                return Now(end.pose, end.v, end.a, rate, multipliers, eq.between.followed(end.pose, t, carried))
            before = size
        said = f"Newton's method found no end for the step that ends at t = {t:.6g} s, or it is not finite"
        raise SimulationError(f"{said}. Try a smaller dt.")

    def system(self, at: At, end: Now, T: np.ndarray, B0: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Newton's matrix and right side for v', lambda and eta."""
        m, to_s = len(at.gap), self.to_d * T
        motion = at.M + self.to_v * at.C + at.K @ to_s
        nothing = np.zeros((m, m))
        if self.index == 1:
            held = np.block([[motion, at.B.T], [at.B + self.to_v * at.G, nothing]])
            return held, -np.concatenate([at.missing, at.B @ end.rate + at.bias])
        held = np.block([[motion, at.B.T], [at.B @ T, nothing]])
        if self.index == 3:
            return held, -np.concatenate([at.missing, at.gap / self.to_d])
        shift = -self.h * T @ B0.T
        wide = np.block([held, np.concatenate([at.K @ shift, at.B @ shift / self.to_d])])
        rates = np.block([(self.to_v * at.B + at.G @ to_s) / self.to_v, nothing, at.G @ shift / self.to_v])
        return np.concatenate([wide, rates]), -np.concatenate([at.missing, at.gap / self.to_d, at.speed / self.to_v])
