"""Scene x dynamics x integrator x backend x dtype x batch: each pair of choices is in some run, which is right or refused in a sentence.

Right: float32 and `interpret` give the motion of float64 compiled, and so does each world of a batch.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import redmax as rm
from redmax.run.simulation import initial_state

BAR = rm.Cuboid((0.3, 0.05, 0.05), density=1000)
DT, STEPS = 0.004, 2
CLOSE = {"float64": 1e-12, "float32": 1e-6}


def hinged(scene: rm.Scene, parent: rm.BodyHandle | None = None, **more: Any) -> rm.BodyHandle:
    at = (0.3, 0, 0) if parent else (0, 0, 0)
    return scene.add_body(BAR, parent=parent, joint=rm.Revolute("y"), at=at, com=(0.15, 0, 0), **more)


def joints() -> rm.Scene:
    scene = rm.Scene()
    first = hinged(scene, stiffness=5.0, damping=0.2)
    scene.add_body(BAR, parent=first, joint=rm.Spherical(), at=(0.3, 0, 0), com=(0.15, 0, 0), qdot=(0.5, 1.0, 0.2))
    return scene


def driven() -> rm.Scene:
    scene = rm.Scene()
    hinged(scene, hinged(scene, motion=lambda t: 0.3 * rm.math.sin(2 * t)), q=0.4)
    return scene


def sprung() -> rm.Scene:
    scene = rm.Scene()
    first = hinged(scene, q=0.5)
    second = hinged(scene, first, q=0.3)
    scene.add_force(rm.SpringDamper(first.point(0, 0, 0.1), second.point(0, 0, 0.1), stiffness=200, damping=1))
    return scene


def soft() -> rm.Scene:
    scene = rm.Scene()
    bar = hinged(scene, q=0.2)
    chain = rm.SpringChain((0.15, 0, 0.3), (0.15, 0, 0), 3, mass=0.3, stiffness=50)
    scene.add_deformable(chain.hold(0).attach(bar, 2, at=(0, 0, 0)))
    return scene


def tied() -> rm.Scene:
    scene = rm.Scene()
    bar = hinged(scene)
    scene.add_deformable(rm.SpringChain((0.15, 0, 0.3), (0.15, 0, 0), 3, mass=0.3, stiffness=50).tie(None, 0).tie(bar, 2, at=(0, 0, 0)))
    return scene


def mapped() -> rm.Scene:
    scene = rm.Scene()
    hinged(scene, hinged(scene))
    scene.set_map(lambda r: (r[0], rm.math.sin(r[0])), coordinates=1, q=0.3, qdot=1.0)
    return scene


def twisted() -> rm.Scene:
    scene = rm.Scene()
    end = hinged(scene, hinged(scene, q=0.3), q=0.5)
    scene.prescribe_twist(end, [1], lambda t, R: [rm.math.sin(t)])
    return scene


CHOICES: dict[str, tuple[Any, ...]] = {
    "scene": (joints, driven, sprung, soft, tied, mapped, twisted),
    "dynamics": ("recursive", "redmax", "maximal"),
    "integrator": ("forward-euler", "euler", "rk4", "adaptive", "implicit", "bdf1", "bdf2"),
    "backend": ("llvm", "interpret"),
    "dtype": ("float32", "float64"),
    "worlds": (0, 2),
}


def refused(scene: Any, dynamics: str, integrator: str) -> bool:
    """Choices that do not go together."""
    fully_implicit = integrator in ("bdf1", "bdf2")
    if scene in (mapped, twisted) and dynamics != "redmax":
        return True
    if scene in (soft, tied) and dynamics == "maximal":
        return True
    return (scene is tied and integrator != "implicit") or (fully_implicit and (dynamics == "maximal" or scene is twisted))


def start_of(scene: Any, world: int) -> rm.State:
    """Worlds differ in their rates; those of a map stay ones that it gives."""
    start = initial_state(model_of(scene))
    return rm.State(0.0, start.q, start.qdot * (1 + world) if scene is mapped else start.qdot + 0.5 * world, start.chart)


def run(scene: Any, dynamics: str, integrator: str, backend: str = "llvm", dtype: str = "float64", worlds: int = 0) -> rm.Trajectory:
    starts = [start_of(scene, w) for w in range(worlds)]
    start = rm.State(0.0, [s.q for s in starts], [s.qdot for s in starts], starts[0].chart) if starts else start_of(scene, 0)
    return simulated(scene, start, dynamics, integrator, backend, dtype)


def simulated(scene: Any, start: rm.State, dynamics: str, integrator: str, backend: str = "llvm", dtype: str = "float64") -> rm.Trajectory:
    how: dict[str, Any] = {"dynamics": dynamics, "integrator": integrator, "backend": backend, "dtype": dtype}
    return rm.simulate(model_of(scene), duration=DT * STEPS, dt=DT, initial=start, **how)


@cache
def model_of(scene: Any) -> rm.Model:
    return scene().model()


@cache
def double(scene: Any, dynamics: str, integrator: str, world: int) -> rm.Trajectory:
    return simulated(scene, start_of(scene, world), dynamics, integrator)


def every_pair() -> list[tuple[Any, ...]]:
    """Few cases in which each pair of choices that go together occurs: always the one that has most of the pairs still missing."""
    cases = [case for case in product(*CHOICES.values()) if not refused(*case[:3])]
    held = [set(combinations(enumerate(case), 2)) for case in cases]
    missing = set[Any]().union(*held)
    found: list[tuple[Any, ...]] = []
    while missing:
        best = max(range(len(cases)), key=lambda i: len(held[i] & missing))
        found.append(cases[best])
        missing -= held[best]
    return found


def label(case: Any) -> str:
    return "-".join(getattr(value, "__name__", str(value)) for value in case)


@pytest.mark.parametrize("case", [*every_pair(), (soft, "recursive", "implicit", "llvm", "float32", 0)], ids=label)
def test_a_run_is_the_same_motion_whatever_computes_it(case: tuple[Any, ...]) -> None:
    scene, dynamics, integrator, _, dtype, worlds = case
    found = run(*case)
    assert found.q.dtype == found.qdot.dtype == dtype
    for w, one in enumerate([found.world(w) for w in range(worlds)] or [found]):
        expected = double(scene, dynamics, integrator, w)
        assert np.abs(one.q - expected.q).max() < CLOSE[dtype]
        assert np.abs(one.qdot - expected.qdot).max() < 100 * CLOSE[dtype]


def test_choices_that_do_not_go_together_are_refused_in_a_sentence() -> None:
    for case in product(*list(CHOICES.values())[:3]):
        if refused(*case):
            with pytest.raises(rm.RedmaxError, match=r"go(es)? with (dynamics|integrator) .* Got (dynamics|integrator)="):
                run(*case, dtype="float32")
