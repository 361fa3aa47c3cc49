"""Published loops and limits in the plane: against their equations and steps written out with NumPy, and the same scenes as rows or not.

A step of linearly implicit Euler with rows, at the velocity level: M qdot1 = M qdot0 + h f + G' l, G qdot1 = -b g; of limits, only those
that are reached, and only while they push.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import redmax as rm
from random_examples import LONG
from redmax.scenes import find
from scenes.planar import Bar, Plane
from scenes.runs import scene_of
from scenes.test_planar import LEVEL, UPRIGHT, chain, relative, sprung_loop

Rows = tuple[np.ndarray, np.ndarray]  # G, and what G qdot1 is to be


@dataclass(frozen=True)
class Looped:
    """rows: of the bars' motions and q, any number of functions; limit: one more, which only pushes."""

    plane: Plane
    rows: tuple[Callable[[Any, np.ndarray], Rows], ...] = ()
    limit: Callable[[np.ndarray], Rows] | None = None

    def implicit_euler(self, q: np.ndarray, qdot: np.ndarray, h: float, steps: int) -> tuple[np.ndarray, np.ndarray]:
        for _ in range(steps):
            qdot = self.next(q, qdot, h)
            q = q + h * qdot
        return q, qdot

    def next(self, q: np.ndarray, qdot: np.ndarray, h: float) -> np.ndarray:
        M, f = self.plane.inertia(q), self.plane.force(q, qdot)
        motions = self.plane.motions(q, qdot)
        G, asked = (
            np.concatenate(x) for x in zip((np.zeros((0, len(q))), np.zeros(0)), *[row(motions, q) for row in self.rows], strict=True)
        )
        free = held(M, M @ qdot + h * f, G, asked)[0]
        if self.limit is None:
            return free
        C, least = self.limit(q)
        if not len(C) or C @ free >= least:
            return free
        return held(M, M @ qdot + h * f, np.concatenate([G, C]), np.concatenate([asked, least]))[0]


def held(M: np.ndarray, p: np.ndarray, G: np.ndarray, asked: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n, m = len(M), len(asked)
    found = np.linalg.solve(np.block([[M, -G.T], [G, np.zeros((m, m))]]), np.concatenate([p, asked]))
    return found[:n], found[n:]


def closed(a: tuple[int, Any], b: tuple[int, Any], gain: float = 5.0) -> Callable[[Any, np.ndarray], Rows]:
    """A point of one bar on a point of another."""

    def rows(motions: Any, q: np.ndarray) -> Rows:
        (x, _, J), (y, _, K) = (motions[bar].point(p) for bar, p in (a, b))
        return J - K, -gain * (x - y)

    return rows


def coupled(*weights: float) -> Callable[[Any, np.ndarray], Rows]:
    c = np.array([weights])
    return lambda motions, q: (c, -5.0 * c @ q)


def driven(n: int, joint: int, speed: float) -> Callable[[Any, np.ndarray], Rows]:
    return lambda motions, q: (np.eye(n)[[joint]], np.array([speed]))


def loop() -> Looped:
    """As the one that a spring closes."""
    return Looped(replace(sprung_loop(), pulls=()), (closed((2, (0, 0, -5)), (3, (10, 0, 0))),))


def coupled_loop() -> Looped:
    bars = [
        Bar(LEVEL, -1, ""),
        Bar(UPRIGHT, 0, "turn", (5, 0), (0, -5)),
        Bar(UPRIGHT, 1, "turn", (0, -10), (0, -5)),
        Bar(LEVEL, 2, "turn", (0, -10), (-5, 0)),
        Bar(UPRIGHT, 3, "turn", (-10, 0), (0, 5)),
        Bar(UPRIGHT, 4, "turn", (0, 10), (0, 5)),
        Bar(UPRIGHT, 3, "turn", (-5, 0), (0, -5)),
    ]
    return Looped(Plane(bars), (closed((5, (0, 0, 5)), (0, (-5, 0, 0))), coupled(0, 0.5, 0, 0, -1, 0)))


def sliding_loop() -> Looped:
    long = (22, 1, 1)
    bars = [
        Bar(long, -1, ""),
        Bar(UPRIGHT, 0, "turn", (-11, 0), (0, -5)),
        Bar(long, 1, "slide", (0, -10), (11, 0)),
        Bar(UPRIGHT, 2, "turn", (22, 0), (0, 5)),
        Bar(UPRIGHT, 2, "turn", (11, 0), (0, -5)),
    ]
    return Looped(Plane(bars), (closed((3, (0, 0, 5)), (0, (11, 0, 0))),))


def four_bar() -> Looped:
    """A leaning bar is a level one behind a joint that is turned by its lean."""
    x, z = 7.333333333333336, 11.925695879998878
    lean, back = -np.arctan2(z, x), -np.arctan2(z, x - 6.0)
    bars = [
        Bar((10, 0.5, 0.5), -1, "turn", (0, 10)),
        Bar((4, 0.5, 0.5), 0, "turn", (-5, 0), (2, 0)),
        Bar((14, 0.5, 0.5), 1, "turn", (4, 0), (7, 0), angle=lean),
        Bar((12, 0.5, 0.5), 2, "turn", (14, 0), (-6, 0), angle=back - lean),
    ]
    return Looped(Plane(bars), (closed((3, (-6, 0, 0)), (0, (5, 0, 0)), 20.0), driven(4, 1, 4 * np.pi)))


def limited_links() -> Looped:
    def limit(q: np.ndarray) -> Rows:
        """-+ q2 does not grow where it is beyond an eighth of a turn."""
        side = np.sign(q[1])
        reached = int(abs(q[1]) >= np.pi / 4)
        return np.array([[0.0, -side]])[:reached], -5.0 * np.array([np.pi / 4 - side * q[1]])[:reached]

    return Looped(Plane(chain(2)), limit=limit)


STARTS: dict[str, tuple[Callable[[], Looped], Any, Any]] = {
    "redmax:4": (loop, [0, 0, 0, 0], [0, 0, 0, 5]),
    "redmax:6": (limited_links, [0, 0], [0, 0]),
    "redmax:8": (coupled_loop, [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 10]),
    "redmax:15": (sliding_loop, [0, 0, 0, 3 * np.pi / 4], [0, 0, 0, 0]),
    "redmax:32": (four_bar, [np.pi, 0, 0, 0], [0, 0, 0, 0]),
}


@pytest.mark.parametrize("reference", [pytest.param("redmax:4", marks=pytest.mark.long), *list(STARTS)[1:]])  # test_published has it
def test_loops_by_hand(reference):
    """The whole run, by its default method."""
    entry = find(reference)
    build, *start = STARTS[reference]
    q0, qdot0 = (np.array(x, float) for x in start)
    looped = build()
    q, qdot = looped.implicit_euler(q0, qdot0, entry.dt, round(entry.duration / entry.dt))
    H = sum(looped.plane.energies(q, qdot)) - looped.plane.energies(q0, qdot0)[1]
    run = rm.simulate(scene_of(reference), entry.duration, entry.dt, integrator="implicit", dynamics="redmax", progress=False)
    assert relative(run.q[-1], q) < 1e-6
    assert relative(run.qdot[-1], qdot) < 1e-6
    assert run.energy.total[-1] - run.energy.potential[0] == pytest.approx(H, rel=1e-6)


AS_ROWS = ("coupled-chain", "prescribed-joint", "prescribed-twist", "prescribed-twist-and-joint", "gears")


LATER = ("prescribed-twist", "gears")  # what the others show, too


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.long if name in LATER else ()) for name in AS_ROWS])
def test_rows_give_the_motion_of_the_published_scene(name):
    """Whatever takes the same coordinates out of the equations."""
    entry = find(name)
    runs = [
        rm.simulate(scene_of(scene), entry.duration, entry.dt, integrator="implicit", dynamics=dynamics, progress=False)
        for scene, dynamics in ((name, "redmax"), (f"{name}-rows", "redmax"), *([(f"{name}-rows", "recursive")] if LONG else []))
    ]
    rows = runs[1].model
    assert (rows.map, rows.twists, any(rows.prescribed)) == (None, (), False)
    for other in runs[1:]:
        assert relative(other.q[-1], runs[0].q[-1]) < 1e-9
        assert relative(other.qdot[-1], runs[0].qdot[-1]) < 1e-9
        assert other.energy.total[-1] == pytest.approx(runs[0].energy.total[-1], rel=1e-9)
