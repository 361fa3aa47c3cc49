"""Closed chains, a step of `implicit`, against MuJoCo's step of the same mechanism with `connect`, whose loops are soft.

A ring of 20 hinged links that hangs from one of its hinges, and five four-bars (20 links). Beside the ratio: how the cost of one closure
grows with the links (the slope of log time over log links), and what limits cost that are never reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import mujoco
import numpy as np
from mujoco.rollout import Rollout

import redmax as rm
from benchmarks.agreement import agree
from benchmarks.cases import chain
from benchmarks.engines.mujoco import specification
from benchmarks.report import Row, Target
from benchmarks.timing import Contestant, Effort, compete

FIGURE, DT, LENGTH = "closed chains", 1e-4, 0.1
STEPS, RATIO, MORE, EXPONENT = 1000, 0.5, 1.05, 1.1
LONG = (100, 1000)


def measure(effort: Effort) -> Iterator[Row]:
    yield against("ring of 20", ring(20), effort)
    yield against("five four-bars", four_bars(5), effort)
    yield idle_limits("ring of 20", ring, effort)
    yield idle_limits("chain of 20", chain, effort)
    yield growth(effort)


def ring(n: int) -> rm.Scene:
    """n links whose last end is where the first begins."""
    scene, link = rm.Scene(), None
    for i in range(n):
        turn = 2 * np.pi / n if i else 0.0
        link = scene.add_body(
            rm.Cuboid((LENGTH, 0.02, 0.02), density=1000), joint=rm.Revolute("y"), parent=link, at=(LENGTH, 0, 0) if i else None,
            com=(LENGTH / 2, 0, 0), q=turn, name=f"link{i}",
        )  # fmt: skip
    assert link
    scene.add_constraint(rm.PointClosure(link.point(LENGTH / 2, 0, 0), (0, 0, 0)))
    return scene


def four_bars(count: int) -> rm.Scene:
    """Cranks, couplers and rockers that swing side by side, each with a pendulum."""
    scene = rm.Scene()
    for k in range(count):
        y, link = 0.3 * k, None
        for part, length, turn in (("crank", 1, -np.pi / 2), ("coupler", 2, np.pi / 2), ("rocker", 1, np.pi / 2), ("pendulum", 1, 0.3)):
            at = (0, y, 0) if link is None else (reach, 0, 0)  # noqa: F821  of the link before
            reach = length * LENGTH
            link = scene.add_body(
                rm.Cuboid((reach, 0.02, 0.02), density=1000), joint=rm.Revolute("y"), parent=link, at=at, com=(reach / 2, 0, 0), q=turn,
                name=f"{part}{k}",
            )  # fmt: skip
        rocker = scene.find(f"rocker{k}")
        scene.add_constraint(rm.PointClosure(rocker.point(LENGTH / 2, 0, 0), (2 * LENGTH, y, 0)))
    return scene


def steps(scene: rm.Scene, count: int, name: str = "redmax", dt: float = DT, **options: str) -> Contestant:
    """Each call goes on where the one before ended, so that it is steps alone that are timed."""
    sim = rm.Simulation(scene, dt=dt, integrator="implicit", **options)  # type: ignore[arg-type]
    tau, end = sim.torques(), sim.room(1)
    return Contestant(name, lambda: sim.advance(count, tau, *end), count, lambda: end[1][0])


def against(name: str, scene: rm.Scene, effort: Effort) -> Row:
    same, other = steps(scene, 100), steps(scene, 100, dynamics="redmax")
    for c in (same, other):
        c.call()
    error = agree(f"{name}: 100 steps, recursive and redmax", same.accelerations(), other.accelerations(), 1e-8)
    peer = Connected(scene)
    mine, theirs = compete([steps(scene, STEPS), peer.contestant(STEPS)], effort)
    return Row(FIGURE, name, mine.best, peer.name, theirs.best, mine.ratio(theirs), Target(ratio=RATIO), error, "agrees: with redmax")


def idle_limits(name: str, make: Callable[[int], rm.Scene], effort: Effort) -> Row:
    """A ring, or a chain that has no other rows, with limits of all its hinges that are far away."""
    scene = make(20)
    for link in scene.links:
        scene.add_constraint(rm.HardLimit(link.name, -50.0, 50.0))
    pair = [steps(s, STEPS, said) for s, said in ((scene, "with limits"), (make(20), "without"))]
    for c in pair:
        c.call()
    error = agree(f"{name} with limits that never act", *[c.accelerations() for c in pair], 1e-9)
    mine, other = compete(pair, effort)
    return Row(FIGURE, f"{name}, idle limits", mine.best, "without", other.best, mine.ratio(other), Target(ratio=MORE), error)


def growth(effort: Effort) -> Row:
    """The exponent, as a ratio."""
    pair = [steps(ring(n), 10_000 // n, f"{n} links", 1e-6) for n in reversed(LONG)]
    mine, other = compete(pair, effort)
    exponent = np.log(mine.ratio(other)) / np.log(LONG[1] / LONG[0])
    note = f"exponent {exponent:.2f} of {LONG[0]} to {LONG[1]} links, at most {EXPONENT}"
    most = (LONG[1] / LONG[0]) ** EXPONENT
    return Row(FIGURE, f"ring of {LONG[1]}", mine.best, f"ring of {LONG[0]}", other.best, mine.ratio(other), Target(ratio=most), None, note)


class Connected:
    """MuJoCo's `implicitfast` step, with a `connect` for each closure at a point of the world."""

    name = "MuJoCo implicitfast"

    def __init__(self, scene: rm.Scene) -> None:
        spec = specification(scene)
        spec.option.timestep, spec.option.integrator = DT, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        spec.option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
        for closure in scene.constraints:
            link = scene.links[closure.bodies[0].index]
            row = spec.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT, name1=link.name, name2="world", objtype=mujoco.mjtObj.mjOBJ_BODY)
            row.data[:3] = link.body[:3, :3] @ closure.anchors[0].position + link.body[:3, 3]
        self.model = spec.compile()
        for closure, data in zip(scene.constraints, self.model.eq_data, strict=True):
            data[3:6] = closure.anchors[1].position  # which MuJoCo would take from where it has all angles zero
        self.data, self.rollout = mujoco.MjData(self.model), Rollout(nthread=0)
        self.order = np.array([self.model.joint(link.name).dofadr[0] for link in scene.links])
        self.begin = np.concatenate([link.q for link in scene.links])

    def contestant(self, steps: int) -> Contestant:
        n = len(self.order)
        size = mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        start, states = np.zeros((1, size)), np.zeros((1, steps, size))
        start[0, 1 + self.order] = self.begin

        def call() -> None:
            self.rollout.rollout([self.model], [self.data], start, nstep=steps, state=states, skip_checks=True)

        return Contestant(self.name, call, steps, lambda: states[:, -1, 1 + n + self.order])
