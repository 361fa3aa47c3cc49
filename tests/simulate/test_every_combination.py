"""Scene x dynamics x integrator x backend x dtype x batch: each pair of choices is in some run, which is right or refused in a sentence.

Right: float32 and `interpret` give the motion of float64 compiled, step by step in one world, and so does each world of a batch, with
torques of every step as an array too, and in portions that a checkpoint parts.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import redmax as rm
from redmax.run.start import initial_state

BAR = rm.Cuboid((0.3, 0.05, 0.05), density=1000)
DT, STEPS = 0.004, 2
CLOSE = {"float64": 1e-12, "float32": 1e-6}


def hinged(scene: rm.Scene, parent: rm.BodyHandle | None = None, **more: Any) -> rm.BodyHandle:
    at = (0.3, 0, 0) if parent else (0, 0, 0)
    return scene.add_body(BAR, parent=parent, joint=rm.Revolute("y"), at=at, com=(0.15, 0, 0), **more)


def joints() -> rm.Scene:
    scene = rm.Scene()
    first = hinged(scene, stiffness=5.0, damping=0.2, armature=1e-3, gear=5.0)
    ball = {"qdot": (0.5, 1.0, 0.2), "armature": 0.01, "damping": 0.05, "acts_on": "twist"}
    scene.add_body(BAR, parent=first, joint=rm.Spherical(), at=(0.3, 0, 0), com=(0.15, 0, 0), **ball)
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
    scene.add_force(rm.FixedTendon({first: 1.0, second: -0.5}, stiffness=20, damping=0.1, rest=0.2))
    scene.add_force(rm.Servo(first, 0.0, kp=5.0, kd=0.1, limits=rm.MotorLimits(0.5, 2.0)))
    return scene


def soft() -> rm.Scene:
    scene = rm.Scene()
    bar = hinged(scene, q=0.2, armature=0.02)
    scene.add_force(rm.FixedTendon({bar: 2.0}, stiffness=3.0, damping=0.1))
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


def on_groups() -> rm.Scene:
    """More coordinates than velocities: a base that flies, balls with springs, rotors and a motion, one of them within a composite."""
    scene = rm.Scene()
    base = scene.add_body(BAR, joint=rm.Free("quaternion"), qdot=(0.5, 1.0, -0.7, 0.3, 0.2, -0.4), stiffness=(0, 0, 0, 2.0, 2.0, 2.0))
    own = {"at": (0.3, 0, 0), "com": (0.15, 0, 0)}
    ball = scene.add_body(BAR, joint=rm.Spherical("matrix"), parent=base, stiffness=5.0, damping=0.1, armature=0.01, **own)
    last = rm.CompositeJoint(rm.Revolute("x"), (0, 0, 0.1), rm.Inverted(rm.Spherical("quaternion")))
    scene.add_body(BAR, joint=last, parent=ball, qdot=(0.2, 0.5, -1.0, 0.3), **own)
    way = {"motion": lambda t: [rm.math.cos(t), rm.math.sin(t), 0, 0, 0.1 * t, 0, 0]}
    scene.add_body(BAR, joint=rm.Free("quaternion"), parent=base, at=(-0.3, 0, 0), **way)
    return scene


def floating() -> rm.Scene:
    scene = rm.Scene()
    ball = scene.add_body(BAR, joint=rm.Spherical("quaternion"), com=(0.15, 0, 0), qdot=(0.3, 1, 2))
    loose = scene.add_body(BAR, joint=rm.Free("pose"), at=(0.5, 0, 0), com=(0.1, 0, 0), qdot=(1, 0.2, 0.3, 0, 0.1, 0.4))
    scene.add_force(rm.SpringDamper(ball.point(0.15, 0, 0), loose.point(-0.15, 0, 0), stiffness=20))
    return scene


CHOICES: dict[str, tuple[Any, ...]] = {
    "scene": (joints, driven, sprung, soft, tied, mapped, twisted, on_groups, floating),
    "dynamics": ("recursive", "redmax", "maximal"),
    "integrator": (
        "forward-euler", "euler", "rk4", "adaptive", "implicit", "bdf1", "bdf2", "mk4-partitioned", "cg3", "rattle", "variational",
        "generalized-alpha",
    ),
    "backend": ("llvm", "interpret"),
    "dtype": ("float32", "float64"),
    "worlds": (0, 2),
}  # fmt: skip


def refused(scene: Any, dynamics: str, integrator: str) -> bool:
    """Choices that do not go together."""
    if scene is mapped and dynamics != "redmax":
        return True
    if integrator == "variational" and (dynamics != "recursive" or scene in (soft, tied, mapped, twisted)):
        return True
    if integrator == "generalized-alpha" and dynamics != "maximal":
        return True
    if integrator == "rattle":
        return dynamics != "recursive" or scene is not floating
    return scene in (soft, tied) and dynamics == "maximal"


def start_of(scene: Any, world: int) -> rm.State:
    """Worlds differ in their rates; those of a map stay ones that it gives."""
    start = initial_state(model_of(scene))
    return rm.State(0.0, start.q, start.qdot * (1 + world) if scene is mapped else start.qdot + 0.5 * world, start.chart)


def torques_of(scene: Any, worlds: int) -> np.ndarray:
    """(steps, worlds, nv), other ones in each."""
    return 0.1 * np.cos(np.arange(STEPS * worlds * model_of(scene).nv)).reshape(STEPS, worlds, -1)


def run(
    scene: Any, dynamics: str, integrator: str, backend: str, dtype: str, worlds: int, pushed: bool = False, parted: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """q and qdot, (samples, worlds or none, n). pushed: with torques; parted: by two calls, with a checkpoint between."""
    starts = [start_of(scene, w) for w in range(worlds)]
    start = rm.State(0.0, [s.q for s in starts], [s.qdot for s in starts], starts[0].chart) if starts else start_of(scene, 0)
    how: dict[str, Any] = {"dynamics": dynamics, "integrator": integrator, "backend": backend, "dtype": dtype, "initial": start, "dt": DT}
    tau = torques_of(scene, max(worlds, 1))[:, slice(None) if worlds else 0] if pushed else None
    if not parted:
        found = rm.simulate(model_of(scene), DT * STEPS, controls=tau, **how)
        return found.q, found.qdot
    sim = rm.Simulation(model_of(scene), **how)
    first = sim.step(tau=None if tau is None else tau[0])
    here = sim.checkpoint()
    sim.step()
    sim.restore(here)
    states = [start, first, sim.step(tau=None if tau is None else tau[1])]
    return np.array([s.q for s in states], dtype), np.array([s.qdot for s in states], dtype)


@cache
def model_of(scene: Any) -> rm.Model:
    return scene().model()


@cache
def stepped(scene: Any, dynamics: str, integrator: str, world: int, worlds: int, pushed: bool) -> tuple[np.ndarray, np.ndarray]:
    """The motion of one world of so many: compiled, in doubles, step by step."""
    sim = rm.Simulation(model_of(scene), dt=DT, dynamics=dynamics, integrator=integrator, initial=start_of(scene, world))
    tau = torques_of(scene, max(worlds, 1))[:, world] if pushed else [None] * STEPS
    states = [sim.state, *[sim.step(tau=row) for row in tau]]
    return np.array([s.q for s in states]), np.array([s.qdot for s in states])


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


def by_turns() -> list[tuple[Any, ...]]:
    """Each case with or without torques, at once or in portions."""
    cases = [*every_pair(), (soft, "recursive", "implicit", "llvm", "float32", 0)]
    return [(*case, k % 2 == 1, k // 2 % 2 == 1) for k, case in enumerate(cases)]


@pytest.mark.parametrize("case", by_turns(), ids=label)
def test_a_run_is_the_same_motion_whatever_computes_it(case: tuple[Any, ...]) -> None:
    scene, dynamics, integrator, _, dtype, worlds, pushed, _ = case
    q, qdot = run(*case)
    assert q.dtype == qdot.dtype == dtype
    for w in range(max(worlds, 1)):
        q_expected, qdot_expected = stepped(scene, dynamics, integrator, w, worlds, pushed)
        at = (slice(None), w) if worlds else ()
        assert np.abs(q[at] - q_expected).max() < CLOSE[dtype]
        assert np.abs(qdot[at] - qdot_expected).max() < 100 * CLOSE[dtype]


def test_choices_that_do_not_go_together_are_refused_in_a_sentence() -> None:
    for case in product(*list(CHOICES.values())[:3]):
        if refused(*case):
            with pytest.raises(rm.RedmaxError, match=r"go(es)? with (dynamics|integrator) .* Got (dynamics|integrator)="):
                run(*case, "llvm", "float32", 0)
