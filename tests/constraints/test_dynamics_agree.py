"""recursive == redmax == maximal with constraints: accelerations, multipliers and torques of prescribed joints, against a dense system.

The oracle knows nothing of rows: G and the second rates of gaps come from the Jacobians of points in the mechanism without constraints, M
and the forces from its dynamics, and the dense system is solved by singular values. What rows that give way exert is -g / c.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import disagreement
from mechanisms import Mechanism, chain, every_kind, mechanisms
from random_examples import examples
from redmax.backends.base import make_plan, make_runner
from redmax.constraints.distance import Distance
from redmax.constraints.point import PointClosure
from redmax.dynamics.choose import system
from redmax.dynamics.maximal.joints import BEGIN
from redmax.program.program import Program, Save

seeds = st.integers(0, 2**16)
NAMES = ("recursive", "redmax", "maximal")


def closed(m: Mechanism, rng: np.random.Generator, points: int, distances: int, soft: float = 0.3) -> rm.Model:
    """The mechanism with closures between random points of random bodies, or of a body and the world: open ones, as rows do not ask.

    soft: how many of them give way, of all
    """
    scene = m.scene()

    def carrier(i: int) -> int:
        """The body that it is one with, by joints that are fixed, or the world."""
        return i if i < 0 or m.links[i].sample.joint.dof else carrier(m.links[i].parent)

    def place(i: int) -> Any:
        return scene.find(f"link{i}").point(*rng.normal(size=3)) if i >= 0 else rng.normal(size=3)

    for kind, count in ((PointClosure, points), (Distance, distances)):
        for _ in range(count):
            a, b = rng.choice(np.unique([carrier(i) for i in range(-1, len(m.links))]), 2, replace=False)
            way = {"compliance": float(rng.uniform(0.1, 1))} if rng.random() < soft else {}
            scene.add_constraint(kind(place(int(a)), place(int(b)), gain=float(rng.uniform(0, 3)), **way))
    return scene.model()


def rows(free: rm.Model, model: rm.Model, q: np.ndarray, qdot: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
    """G and what it asks of qddot, by the Jacobians of points; of rows that give way, what they exert."""
    dynamics = rm.Dynamics(free, "interpret")
    G, g = [], []
    for c in model.constraints:
        x, J, Jdot = np.zeros((2, 3)), np.zeros((2, 3, free.nv)), np.zeros((2, 3, free.nv))
        for k, a in enumerate(c.anchors):
            if a.member < 0:
                x[k] = a.position
                continue
            point = point_of(free, c.bodies[a.member].name, a.position)
            x[k] = dynamics.pose(q, point, t=t)[:3, 3]
            J[k], Jdot[k] = (part[3:] for part in dynamics.jacobian(q, qdot, of=point, kind="hybrid", t=t))
        d, D, Ddot = x[0] - x[1], J[0] - J[1], Jdot[0] - Jdot[1]
        rate, second = D @ qdot, Ddot @ qdot
        if isinstance(c, Distance):
            size = np.linalg.norm(d)
            u, length = d / size, c.length
            bend = (rate @ rate - (u @ rate) ** 2) / size
            D, rate, second, d = (u @ D)[None], np.array([u @ rate]), np.array([u @ second + bend]), np.array([size - length])
        G.append(D)
        g.append(-d / c.compliance if c.compliant else -second - 2 * c.gain * rate - c.gain**2 * d)
    return np.concatenate(G), np.concatenate(g)


def point_of(model: rm.Model, name: str, position: np.ndarray) -> Any:
    assert model.scene is not None
    return model.scene.find(name).point(*position)


def found(name: str, model: rm.Model, s: Any, backend: str = "interpret") -> dict[str, np.ndarray]:
    """qddot or the rates of twists, tau and multipliers, of one state."""
    chosen = system(name, model, backend=backend)
    begin = (BEGIN,) if name == "maximal" else ()
    given = {"q": s.q, "qdot": s.qdot, "tau": s.tau, "t": s.t, "h": 0.0} | ({"fresh": 1.0, "baumgarte": 5.0} if begin else {})
    islands = [n for n in data_names(chosen.accelerations) if n.startswith("lambda")]
    outputs = ("twist_rate" if begin else "qddot", "tau", *islands)
    plan = make_plan(
        model, Program(f"{name} once", (*begin, *chosen.accelerations, Save()), chosen.fields(), tuple(given), outputs), backend
    )
    arrays = [np.empty((1, 1, len(slots))) for slots in plan.outputs]
    full = {**given, "q": model.configurations.join(np.asarray(s.q))}
    make_runner(plan, backend, "float64").run([np.ascontiguousarray(np.atleast_1d(x), float) for x in full.values()], arrays, 1)
    return dict(zip(outputs, [a[0, 0] for a in arrays], strict=True))


def data_names(stages: Any) -> list[str]:
    return list(dict.fromkeys(d.name for stage in stages for d in getattr(stage, "data", ()) if hasattr(d, "name")))


def check(m: Mechanism, model: rm.Model, s: Any, backend: str = "interpret", tolerance: float = 1e-8) -> None:
    dynamics = rm.Dynamics(m.model, "interpret")
    M, a = dynamics.inertia(s.q, s.t), dynamics.forward(s.q, s.qdot, s.tau, t=s.t)
    G, g = rows(m.model, model, s.q, s.qdot, s.t)
    soft = np.repeat([c.compliant for c in model.constraints], [c.size for c in model.constraints])
    multipliers = np.where(soft, g, 0.0)
    a = a + np.linalg.solve(M, G.T @ multipliers)
    H = G[~soft]
    A = H @ np.linalg.solve(M, H.T)
    size = 1 / np.sqrt(np.maximum(np.diag(A), 1e-300))
    values = np.linalg.svd(A * size[:, None] * size, compute_uv=False) if len(A) else np.ones(1)
    if values[-1] < 1e-6 * values[0]:
        return  # rows that repeat others have tests of their own
    multipliers[~soft] = np.linalg.solve(A, g[~soft] - H @ a)
    expected = a + np.linalg.solve(M, H.T @ multipliers[~soft])
    J, Jdot = dynamics.jacobian(s.q, s.qdot, t=s.t)
    rates = (J @ expected + Jdot @ s.qdot).ravel()
    for name in NAMES:
        result = found(name, model, s, backend)
        motion = result.get("qddot", result.get("twist_rate"))
        assert disagreement(motion, rates if name == "maximal" else expected) < tolerance, name
        of_rows = np.concatenate([x for n, x in result.items() if n.startswith("lambda")])
        assert disagreement(np.sort(of_rows), np.sort(multipliers)) < tolerance, name


@examples(4, 60)
@given(m=mechanisms(largest=7).filter(lambda m: m.nv > 3), seed=seeds, points=st.integers(0, 2), distances=st.integers(0, 2))
def test_the_same_accelerations_and_multipliers(m, seed, points, distances):
    rng = np.random.default_rng(seed)
    if not points + distances or 3 * points + distances > m.nv or len(m.links) < 2:
        return
    check(m, closed(m, rng, points, distances), m.state(seed))


@pytest.mark.parametrize(
    "m",
    [
        pytest.param(chain(1, ["Universal", "Revolute", "Spherical", "Prismatic"]), id="four"),
        pytest.param(every_kind(1), marks=pytest.mark.long, id="every kind"),
    ],
)
def test_compiled(m):
    check(m, closed(m, np.random.default_rng(5), 2, 2), m.state(1), "llvm")
