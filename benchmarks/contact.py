"""Contact with exact Coulomb friction, a whole step of `implicit`, against MuJoCo's Newton solver with both of its cones.

A chain of 20 capsules that falls on the ground, a figure of 14 limbs, ten boxes on each other, and fifty that fall into a bin: means over
four seconds, in which they fall and come to rest; of the chain, also at rest. What differs: redmax solves each step to 1e-6 m/s of
Coulomb's law, with contacts that give way by a tenth of the mass that they feel; MuJoCo's contacts are softer, and creep. Of the pile also
the convex problem alone, and Coulomb's law to 1e-4 m/s; of the chain the longest step, and where the time of steps at rest goes. 1,024
chains that fall, each from another pose, run side by side in lanes and one after the other, on the same threads. One after the other is
what a loop over worlds does: each goes through an eighth of its time by itself before the next begins. Going through all of it at once, or
a simulation of its own for each, takes as long, to 3 %. (The single chain at rest, above, takes less than one of these: it lies still to
the last bit, while in half of these something rolls on.)
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from unittest.mock import patch

import numpy as np

import redmax as rm
from benchmarks.agreement import agree
from benchmarks.engines.mujoco_contact import CONES, Touching
from benchmarks.report import Row, Target
from benchmarks.timing import Contestant, Effort, Times, compete, duration
from redmax.dynamics.contact import stages
from redmax.scenes.falling_chain import build as chain
from redmax.scenes.falling_figure import build as figure
from redmax.scenes.stacks import pile, stack

FIGURE, DT, STEPS, PORTION, RESTING = "contact", 2e-3, 2000, 50, 1000
PILE = 3  # turns: calls of a second
MANY, SPREAD, PARTS = 1024, 0.1, 8  # chains, rad by which their hinges differ in the beginning, parts of their time


def measure(effort: Effort) -> Iterator[Row]:
    yield from against("chain of 20 capsules", chain(), effort, {"pyramidal": 0.4, "elliptic": 0.4}, at_rest=0.2)
    yield from longest(chain(), effort)
    yield from profile(effort)
    yield from many_chains()
    yield from against("falling figure", figure(), effort, {"pyramidal": 1.0, "elliptic": 1.0}, tolerance=0.3)
    yield from against("stack of 10", stack(), effort, {"pyramidal": 0.5, "elliptic": 0.7})
    few = Effort(min(PILE, effort.turns), effort.seconds, effort.processes)
    boxes = pile(high=0.6)
    yield from against("pile of 50 boxes", boxes, few, {"elliptic": 1.25}, tolerance=0.5)  # which is chaotic
    with patch.object(stages, "TOLERANCE", 1e-4):
        yield from against("pile of 50 boxes, to 1e-4 m/s", boxes, few, {"elliptic": 1.0}, tolerance=0.5)
    yield from against("pile of 50 boxes, convex", boxes, few, {"pyramidal": 0.6}, tolerance=0.5, friction="convex")


def many_chains() -> Iterator[Row]:
    """Throughput of many worlds that fall and come to rest on fixed ground, against the same worlds one after the other."""
    scene, rng = chain(height=0.3), np.random.default_rng(0)
    model = rm.Simulation(scene, dt=DT).model
    q, qdot = SPREAD * rng.standard_normal((2, MANY, model.nv))
    q[:, :6] = 0.0
    sims = [rm.Simulation(model, dt=DT, initial=rm.State(0.0, q, qdot)) for _ in range(2)]
    sims[1].runner.inner = sims[1].runner.inner.alone
    for sim in sims:
        sim.runner.prepare(MANY)
    samples, ends = np.zeros((2, PARTS)), [sim.room(1) for sim in sims]
    for part in range(PARTS):
        for k, sim in enumerate(sims):
            samples[k, part] = duration(lambda sim=sim, end=ends[k]: sim.advance(RESTING // PARTS, sim.torques(), *end), 1)
    samples /= MANY * (RESTING // PARTS)
    heights = [end[0][0][:, 2].mean(keepdims=True) for end in ends]
    error = agree("many chains: mean height of the first link", *heights, 5e-3)
    rested = sims[0].runner.notes["contact_counts"]
    note = f"{rested[..., 0].mean():.0f} contacts in the end, residual at most {rested[..., 2].max():.0e}"
    for case, part in (("fall and rest", slice(None)), ("at rest", slice(PARTS - 2, None))):
        mine, other = samples[:, part].mean(axis=1)
        yield Row(FIGURE, f"{MANY:,} chains, {case}", mine, "one after the other", other, mine / other, Target(faster=3.0), error, note)


def against(
    name: str, scene: rm.Scene, effort: Effort, most: dict[str, float], at_rest: float | None = None, tolerance: float = 5e-3,
    friction: str = "exact",
) -> Iterator[Row]:  # fmt: skip
    """most: of the ratio, by cone; tolerance: of the mean height at the end."""
    sim = rm.Simulation(scene, dt=DT, integrator="implicit", friction=friction)
    note, height = told_of(sim), heights(sim)
    peers = [Touching(scene, DT, cone) for cone in CONES]
    mine, *others = compete([steps(sim, STEPS), *[peer.contestant(STEPS) for peer in peers]], effort)
    errors = [agree(f"{name}: mean height", height.mean(keepdims=True), p.heights().mean(keepdims=True), tolerance) for p in peers]
    yield from rows(f"{name}, fall and rest", mine, others, most, errors, note)
    if at_rest is not None:
        mine, *others = compete([steps(sim, RESTING, again=False), *[peer.contestant(RESTING, again=False) for peer in peers]], effort)
        yield from rows(f"{name}, at rest", mine, others, dict.fromkeys(CONES, at_rest), errors, "")


def longest(scene: rm.Scene, effort: Effort) -> Iterator[Row]:
    """Each step by itself, the best of some runs, less what a call from Python takes, which is found in the free fall at the beginning."""
    sim, peers = rm.Simulation(scene, dt=DT, integrator="implicit"), [Touching(scene, DT, cone) for cone in CONES]
    tau, end, best = sim.torques(), sim.room(1), np.full(STEPS, np.inf)
    for _ in range(effort.turns):
        sim.reset()
        for k in range(STEPS):
            begin = perf_counter()
            sim.advance(1, tau, *end)
            best[k] = min(best[k], perf_counter() - begin)
    falls, *means = compete([steps(sim, PORTION), *[peer.contestant(STEPS) for peer in peers]], effort)
    best = best[1:]  # the first has more to do for Python
    most = float(best.max() - np.median(best[:PORTION])) + falls.best
    for cone, mean in zip(CONES, means):
        case, note = "chain of 20 capsules, longest step to mean", f"step {best.argmax() + 1} of {STEPS}"
        yield Row(FIGURE, case, most, f"MuJoCo {cone}", mean.best, most / mean.best, Target(ratio=5.0), note=note)


def profile(effort: Effort) -> Iterator[Row]:
    """Steps of the chain without contact, with contact that is not there, and at rest."""
    cases = {"without contact": chain(contact=False), "looking for contact": chain(height=1e4), "at rest": chain(height=0.05)}
    sims = [rm.Simulation(scene, dt=DT, integrator="implicit") for scene in cases.values()]
    sims[-1].advance(STEPS, sims[-1].torques(), *sims[-1].room(1))
    times = compete([steps(sim, PORTION, again=k < 2) for k, sim in enumerate(sims)], effort)
    for case, found in zip(cases, times):
        yield Row(FIGURE, f"chain of 20 capsules, {case}", found.best)


def rows(case: str, mine: Times, others: list[Times], most: dict[str, float], errors: list[float], note: str) -> Iterator[Row]:
    for cone, times, error in zip(CONES, others, errors):
        target = Target(ratio=most[cone]) if cone in most else None
        yield Row(FIGURE, case, mine.best, f"MuJoCo {cone}", times.best, mine.ratio(times), target, error, note)


def steps(sim: rm.Simulation, count: int, again: bool = True) -> Contestant:
    """again: from the beginning at each call; else each goes on where the one before ended."""
    tau, end = sim.torques(), sim.room(1)

    def call() -> None:
        if again:
            sim.reset()
        sim.advance(count, tau, *end)

    return Contestant("redmax", call, count, lambda: end[1][0])


def told_of(sim: rm.Simulation) -> str:
    """Contacts, iterations and residuals of all steps."""
    tau, portion, found = sim.torques(), sim.room(PORTION), []
    for _ in range(STEPS // PORTION):
        sim.advance(1, tau, *portion)
        found.append(sim.runner.notes["contact_counts"][:, 0])
    contacts, _, residual, _, newton, _ = np.concatenate(found).T
    over = f"{(residual > 1e-6).mean():.2%} of the steps beyond 1e-6 m/s, at most {residual.max():.0e}"
    return f"{contacts.mean():.0f} contacts, {newton.mean():.1f} Newton steps, {over}"


def heights(sim: rm.Simulation) -> np.ndarray:
    """(1, bodies): of their centres of mass, now."""
    engine = rm.Dynamics(sim.model)
    return np.array([[engine.pose(sim.q[0], name)[2, 3] for name in sim.model.body_names]])
