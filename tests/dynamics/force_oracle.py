"""One linearly implicit step with forces between bodies, dense and in maximal coordinates, with no derivative of the library's.

    (J' (M + h D - h^2 K) J + h D_r - h^2 K_r) a = f + h J' K phi + h K_r qdot          (RedMax notes Eq. 2.75)

K and D are central differences of the wrenches, along E exp([xi]) and along twists, extrapolated to step zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import redmax as rm
from forces.differences import derivative, moved, pushed
from forces.samples import Bodies, body_wrenches
from mechanisms import StateSample
from redmax.backends.base import make_plan, make_runner
from redmax.dynamics.choose import System
from redmax.program.program import Program, ProgramStage


def wrenches(bodies: Bodies, force: Any) -> np.ndarray:
    """(6 bodies,) of one force, each in body axes at the body's origin."""
    members = [b.index for b in force.bodies]
    total = np.zeros((len(bodies.E), 6))
    total[members] = body_wrenches(force, Bodies(bodies.E[members], bodies.phi[members], bodies.t))
    return total.ravel()


def differences(bodies: Bodies, force: Any, change: Callable[..., Bodies]) -> np.ndarray:
    """d(wrenches)/d(poses or twists), (6 bodies, 6 bodies)."""
    n = len(bodies.E)
    found = np.zeros((6 * n, 6 * n))
    for j in {b.index for b in force.bodies}:
        for k in range(6):
            xi = np.eye(6)[k]
            found[:, 6 * j + k] = derivative(lambda e, j=j, xi=xi: wrenches(change(bodies, j, e * xi), force), step=0.02)
    return found


def symmetric(A: np.ndarray) -> np.ndarray:
    return 0.5 * (A + A.T)


def implicit_acceleration(model: rm.Model, q: Any, qdot: Any, tau: Any, t: float, h: float, qddot: Any) -> np.ndarray:
    """a = (qdot1 - qdot0) / h. qddot: of prescribed joints."""
    bare = rm.Dynamics(model, backend="interpret")
    seen = bare.observe(q, qdot, t=t)
    bodies = Bodies(seen.pose, seen.twist, t)
    J, _ = bare.jacobian(q, qdot, t=t)
    f_explicit = -bare.inverse(q, qdot, np.zeros(model.nv), t=t) + tau  # all forces of the scene, at zero acceleration
    left, right = bare.inertia(q, t=t), f_explicit
    phi = seen.twist.ravel()
    for force in model.forces:
        if not force.implicit:
            continue
        K, D = differences(bodies, force, moved), -differences(bodies, force, pushed)
        if force.stiffness_kind != "exact":
            K, D = symmetric(K), symmetric(D)
        left = left + J.T @ (h * D - h * h * K) @ J
        right = right + h * J.T @ (K @ phi)
    for i, link in enumerate(model.links):  # springs and dampers of joints, which are linear
        part = slice(*model.offsets[i : i + 2])
        left[part, part] += np.diag(h * link.damping + h * h * link.stiffness)
        right[part] -= h * link.stiffness * qdot[part]
    known = np.repeat(model.prescribed, [link.joint.dof for link in model.links])
    a = np.where(known, qddot, 0.0)
    a[~known] = np.linalg.solve(left[np.ix_(~known, ~known)], right[~known] - left[np.ix_(~known, known)] @ a[known])
    return a


def one_step(
    chosen: System,
    state: StateSample,
    h: float,
    backend: str = "llvm",
    dtype: str = "float64",
    stages: tuple[ProgramStage, ...] | None = None,
) -> np.ndarray:
    """The same by the stages of a dynamics."""
    return step_of(chosen, backend, dtype, stages)(state, h)


def step_of(
    chosen: System, backend: str = "llvm", dtype: str = "float64", stages: tuple[ProgramStage, ...] | None = None
) -> Callable[[StateSample, float], np.ndarray]:
    """(state, h) -> a, laid out once; the state's q, qdot, tau may be of many worlds, (worlds, n)."""
    layout, model = chosen.implicit_fields or chosen.fields, chosen.model
    program = Program("one step", stages or chosen.implicit, layout(), ("q", "qdot", "tau", "qddot", "t", "h"), ("qddot",))
    runner = make_runner(make_plan(model, program, backend), backend, dtype)

    def step(state: StateSample, h: float) -> np.ndarray:
        worlds = 1 if state.q.ndim == 1 else len(state.q)
        out = np.empty((1, worlds, model.nv), dtype)
        inputs = [model.configurations.join(state.q), state.qdot, state.tau, state.qddot, np.full(1, state.t), np.full(1, h)]
        runner.run([np.ascontiguousarray(x, dtype) for x in inputs], [out], worlds)
        return out[0, 0] if state.q.ndim == 1 else out[0]

    return step


def random_forces(rng: np.random.Generator, bodies: Sequence[rm.BodyHandle], count: int, kind: str, ground: Any) -> list[Any]:
    """Springs, dampers, cables and bushings between random bodies, or from the world near `ground` to one."""
    found: list[Any] = []

    def place() -> Any:
        if rng.random() < 0.2:
            return np.asarray(ground, float) + rng.normal(size=3)
        b = bodies[int(rng.integers(len(bodies)))]
        return b.point(*rng.normal(size=3) * 0.3)

    def uniform(a: float, b: float, n: int | None = None) -> Any:
        return rng.uniform(a, b, n)

    def made(number: int) -> Any:
        a, b, k, d = place(), place(), uniform(10, 1e3), uniform(0, 20)
        if number == 0:
            return rm.SpringDamper(a, b, stiffness=k, damping=d, rest=uniform(0.2, 1.5), stiffness_kind=kind)
        if number == 1:
            return rm.PointSpring(a, b, stiffness=k, damping=d, stiffness_kind=kind)
        if number == 2:
            return rm.Cable([a, place(), b], stiffness=k, damping=0.1 * d, rest=0.05, stiffness_kind=kind)
        own = {"translational": uniform(10, 100, 3), "rotational": uniform(1, 10, 3)}
        return rm.Bushing(a, b, **own, translational_damping=3.0, rotational_damping=0.5, stiffness_kind=kind)

    while len(found) < count:
        try:
            force = made(len(found) % 4)
        except rm.SceneError:  # all its places are in the world
            continue
        if len({a.member for a in force.anchors}) > 1:  # not within one body
            found.append(force)
    return found
