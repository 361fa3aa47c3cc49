"""Published scenes with forces between bodies, in the plane: against their equations and methods written out with NumPy."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import redmax as rm
from forces.scenes import redmax_accelerations
from redmax.scenes import find
from scenes.planar import Bar, Plane, Pull
from scenes.runs import scene_of

LEVEL, UPRIGHT, FAR = (10, 1, 1), (1, 1, 10), (10, 0)
LINK = {"size": LEVEL, "kind": "turn", "centre": (5, 0)}


def chain(count: int, **first: Any) -> list[Bar]:
    return [Bar(parent=-1, **LINK, **first), *[Bar(parent=i, at=FAR, **LINK) for i in range(count - 1)]]


def drawn_together(k: float, a: Any, b: Any) -> Pull:
    """By k dx."""
    return Pull((a, b), lambda x, v: k * np.array([x[1] - x[0], x[0] - x[1]]), lambda x: 0.5 * k * np.sum((x[1] - x[0]) ** 2))


def strained(k: float, d: float, L: float, *places: Any, slack: bool = False) -> Pull:
    """Tension k e + d ldot / L through points, e = (l - L) / L; none while slack, and never a push."""

    def course(x: Any, v: Any) -> tuple[Any, Any, Any]:
        parts = [b - a for a, b in pairwise(x)]
        lengths = [np.sqrt(np.sum(r * r)) for r in parts]
        u = [r / length for r, length in zip(parts, lengths, strict=True)]
        return sum(lengths), sum(n @ (b - a) for n, (a, b) in zip(u, pairwise(v), strict=True)), u

    def pulls(x: Any, v: Any) -> Any:
        length, rate, u = course(x, v)
        T = k * (length - L) / L + d * rate / L
        if slack and (np.real(length) <= L or np.real(T) <= 0):
            T = 0.0
        return [T * (after - before) for before, after in pairwise([0 * u[0], *u, 0 * u[0]])]

    def energy(x: Any) -> Any:
        e = (course(x, 0 * x)[0] - L) / L
        return 0.0 if slack and e < 0 else 0.5 * k * e * e * L

    return Pull(places, pulls, energy)


def pulled_chain() -> Plane:
    end = Pull([(2, (5, 0, 0))], lambda x, v: [(0, 0, 1000.0)], implicit=False)
    return Plane(chain(3), [end], gravity=0.0, drag=10.0)


def joint_springs() -> Plane:
    return Plane(chain(3), gravity=0.0, stiffness=1e4, damping=1e3)


def point_springs() -> Plane:
    return Plane(chain(4), [drawn_together(100.0, (i, (-1, 0, 0)), (i + 1, (5, 0, 0))) for i in range(3)])


def strut() -> Plane:
    bars = [Bar(LEVEL, -1, "", centre=(5, 0)), Bar(parent=0, at=FAR, **LINK), Bar(parent=1, at=FAR, **LINK)]
    # from (3, 0, -0.5); the link hangs from (10, 0, 0), and its point, 6 along and -0.5 aside, is at (9.5, 0.5, -6)
    return Plane(bars, [strained(1e6, 1e3, np.sqrt(6.5**2 + 0.5**2 + 5.5**2), (0, (-2, 0, -0.5)), (1, (1, 0.5, -0.5)))])


def sprung_loop() -> Plane:
    bars = [
        Bar((20, 1, 1), -1, ""),
        Bar(UPRIGHT, 0, "turn", (-10, 0), (0, -5)),
        Bar(UPRIGHT, 0, "turn", (10, 0), (0, -5)),
        Bar((20, 1, 1), 1, "turn", (0, -10), (10, 0)),
        Bar(UPRIGHT, 3, "turn", (10, 0), (0, -5)),
    ]
    return Plane(bars, [drawn_together(1e7, (2, (0, 0, -5)), (3, (10, 0, 0)))])


def stays() -> Plane:
    below = strained(1e6, 1e3, np.sqrt(20.0**2 + 3.0**2), (-1, (-5, 0, -5)), (1, (0, 0, -2)))
    return Plane(chain(2), [below, strained(1e6, 1e3, 10.0, (0, (0, 0, 2)), (1, (0, 0, 2)))])


def cable_drive() -> Plane:
    bars = [
        Bar((0.1, 0.1, 0.1), -1, ""),
        Bar(parent=0, **LINK),
        Bar(parent=1, at=FAR, **LINK),
        Bar((1, 1, 1), 0, "slide", (10, 0)),
    ]
    # from (10, 0) to the hanging link's point at (1, -1), and on to that of the level one at (1, -9)
    cable = strained(1e6, 1e3, np.sqrt(9.0**2 + 1.0) + 8.0, (3, (0, 0, 0)), (1, (-4, 0, 1)), (2, (-4, 0, 1)), slack=True)
    return Plane(bars, [cable], stiffness=np.array([0, 0, 1e4]), damping=np.array([0, 0, 1e3]))


def limited_chain() -> Plane:
    return Plane(chain(3, angle=np.pi / 2), damping=100.0, limits=(-np.pi / 2, 0.0, 1e5, 1e2))


QUARTER = np.pi / 2
STARTS: dict[str, tuple[Any, Any, Any]] = {
    "redmax:10": (pulled_chain, [0, 0, 0], [0, 0, 0]),
    "redmax:11": (joint_springs, [0, 0, 0], [1, 0, 0]),
    "redmax:23": (point_springs, [QUARTER, QUARTER / 8, QUARTER / 8, QUARTER / 8], [0, 0, 0, 0]),
    "redmax:24": (strut, [QUARTER, -QUARTER], [0, 0]),
    "redmax-diff:10": (sprung_loop, [0, 0, 0, 0], [0, 0, 0, 5]),
    "redmax-diff:12": (stays, [0, 0], [0, 0]),
    "redmax-diff:13": (cable_drive, [QUARTER, -QUARTER, 0], [0, 0, 0]),
    "redmax-diff:14": (limited_chain, [0, -QUARTER / 3, -QUARTER / 3], [0, 0, 0]),
}
STEPS = {"redmax-diff:14": 60}  # until every joint has come to its limits and gone; 25 of others
METHODS = [
    *[(reference, "implicit") for reference in STARTS if reference.startswith("redmax:")],
    *[(reference, method) for reference in STARTS if reference.startswith("redmax-diff:") for method in ("bdf1", "bdf2")],
]  # fmt: skip
FOR_LONG = [
    ("redmax:10", "implicit"),
    ("redmax-diff:10", "bdf2"),
    ("redmax-diff:12", "bdf1"),
    ("redmax-diff:12", "bdf2"),
    ("redmax-diff:14", "bdf2"),
]
BY_TWO_DYNAMICS = [("redmax:23", "implicit"), ("redmax-diff:14", "bdf1"), ("redmax-diff:13", "bdf2")]


def relative(a: Any, b: Any) -> float:
    return np.abs(np.asarray(a) - b).max() / np.abs(b).max()


def by_hand(reference: str, method: str) -> tuple[Plane, np.ndarray, np.ndarray]:
    build, *start = STARTS[reference]
    plane, dt, steps = build(), find(reference).dt, STEPS.get(reference, 25)
    q, qdot = (np.array(x, float) for x in start)
    if method == "implicit":
        return plane, *plane.implicit_euler(q, qdot, dt, steps)
    return plane, *plane.backward_differences(q, qdot, dt, steps, int(method[-1]))


@cache
def run_of(reference: str, method: str, dynamics: str) -> rm.Trajectory:
    dt, steps = find(reference).dt, STEPS.get(reference, 25)
    return rm.simulate(scene_of(reference), steps * dt, dt, integrator=method, dynamics=dynamics, progress=False)


@pytest.mark.parametrize(("reference", "method"), [pytest.param(*m, marks=pytest.mark.long if m in FOR_LONG else ()) for m in METHODS])
def test_methods_by_hand(reference, method):
    plane, q, qdot = by_hand(reference, method)
    run = run_of(reference, method, "redmax")
    assert relative(run.q[-1], q) < 1e-8
    assert relative(run.qdot[-1], qdot) < 1e-8
    start = plane.energies(*(np.array(x, float) for x in STARTS[reference][1:]))
    H = sum(plane.energies(q, qdot)) - start[1]
    assert run.energy.total[-1] - run.energy.potential[0] == pytest.approx(H, rel=1e-8)
    assert run.energy.kinetic[0] == pytest.approx(start[0], rel=1e-12)


@pytest.mark.parametrize(
    ("reference", "method"), [pytest.param(*m, marks=() if m in BY_TWO_DYNAMICS else pytest.mark.long) for m in METHODS]
)
def test_methods_do_not_depend_on_the_dynamics(reference, method):
    runs = [run_of(reference, method, dynamics) for dynamics in ("recursive", "redmax")]
    assert [run.dynamics for run in runs] == ["recursive", "redmax"]
    assert relative(runs[0].q, runs[1].q) < 1e-9
    assert relative(runs[0].qdot, runs[1].qdot) < 1e-9


@pytest.mark.parametrize("reference", STARTS)
def test_accelerations_along_the_motion(reference):
    plane, model = STARTS[reference][0](), scene_of(reference).model()
    run = run_of(reference, "implicit" if reference.startswith("redmax:") else "bdf1", "redmax")
    states = list(zip(run.q, run.qdot, strict=True))[:: len(run) // 3]
    expected = np.array([plane.acceleration(*state) for state in states])
    dynamics = rm.Dynamics(model, backend="interpret")
    found = [dynamics.forward(*state, np.zeros(model.nv)) for state in states]
    assert relative(found, expected) < 1e-9
    assert relative([redmax_accelerations(model, *state, 0.0, "interpret") for state in states], expected) < 1e-9
