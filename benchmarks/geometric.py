"""A million steps of the heavy top, on a unit quaternion: every method along groups and of bodies by themselves, one world and worlds in
lanes, on one core, as ratios to `euler` on the same top. The targets are those of the methods' order, per step and world. Then steps of
chains, variational and of generalized-alpha, which grow with the links."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import redmax as rm
from benchmarks.agreement import agree
from benchmarks.cases import chain
from benchmarks.report import Row, Target
from benchmarks.timing import Contestant, Effort, compete
from redmax.integrators import METHODS
from redmax.integrators.absolute.group import GROUPS
from redmax.integrators.absolute.method import GENERALIZED_ALPHA
from redmax.integrators.bodies import OF_BODIES
from redmax.integrators.lie import ALONG_GROUPS
from redmax.scenes.heavy_tops import heavy_top

DT, STEPS, CHAIN_STEPS, WORLDS, BATCH_STEPS = 1e-4, 20_000, 500, 64, 500
MOST = {2: 0.4e-6, 3: 0.9e-6, 4: 0.9e-6}  # s a step, of explicit methods by their order
IMPLICIT = {"rattle": 1.5e-6, "energy-momentum": 3e-6, "generalized-alpha": 4e-6}
FASTER = 5.0  # of explicit methods in lanes, than these
VARIATIONAL, EXPONENT, LINKS = 30e-6, 1.1, (20, 80)  # s a step of a chain of 20 links, and how its time may grow with n
CHECKED, CLOSE = 50, 2e-3  # steps after which a method is where `adaptive` is, and how nearly


def measure(effort: Effort) -> Iterator[Row]:
    model = heavy_top().model()
    names = [m.name for m in (*ALONG_GROUPS, *OF_BODIES)]
    for name in names:
        yield row(model, name, 1, IMPLICIT.get(name) or MOST[METHODS[name].order], effort)
    for group in GROUPS:
        yield row(model, GENERALIZED_ALPHA.name, 1, IMPLICIT[GENERALIZED_ALPHA.name], effort, group)
    for name in names:
        if name not in IMPLICIT:
            yield row(model, name, WORLDS, MOST[METHODS[name].order] / FASTER, effort)
    yield from chains(effort)


def chains(effort: Effort) -> Iterator[Row]:
    """Variational steps of hinged chains, against `euler` on the same, and of long ones against short ones."""
    models = [chain(n).model() for n in LINKS]
    short, euler = (steps(models[0], name, 1, CHAIN_STEPS) for name in ("variational", "euler"))
    for c in (short, euler):
        c.call()
    mine, other = compete([short, euler], effort)
    case, target = f"variational, chain of {LINKS[0]}", Target(seconds=VARIATIONAL)
    yield Row("step of a chain", case, mine.best, "euler", other.best, mine.ratio(other), target, checked(models[0], "variational"))
    yield growth("variational", models, effort)
    for index in (3, 2):
        yield growth(GENERALIZED_ALPHA.name, models, effort, index)


def growth(name: str, models: list[rm.Model], effort: Effort, index: int | None = None) -> Row:
    """Of the time of a step with the links, which are bodies of 6 n coordinates for generalized-alpha."""
    short, long = (steps(m, name, 1, CHAIN_STEPS, index=index) for m in models)
    for c in (short, long):
        c.call()
    large, small = compete([long, short], effort)
    grown, how = LINKS[1] / LINKS[0], f"{name}{f' of index {index}' if index else ''}"
    note = f"exponent {np.log(large.ratio(small)) / np.log(grown):.2f}, at most {EXPONENT}"
    case, target = f"{how}, chain of {LINKS[1]}", Target(ratio=grown**EXPONENT)
    return Row("step of a chain", case, large.best, f"chain of {LINKS[0]}", small.best, large.ratio(small), target, None, note)


def row(model: rm.Model, name: str, worlds: int, most: float, effort: Effort, group: str | None = None) -> Row:
    """Seconds a step and world."""
    contestants = [steps(model, name, worlds, group=group), steps(model, "euler", worlds)]
    for c in contestants:
        c.call()
    own, other = compete(contestants, effort)
    case = f"{name}{f' on {group}' if group else ''}, {'1 world' if worlds == 1 else f'{worlds} worlds'}"
    found = checked(model, name, group)
    return Row("step of a top", case, own.best, "euler", other.best, own.ratio(other), Target(seconds=most), found)


def steps(
    model: rm.Model, integrator: str, worlds: int, count: int | None = None, group: str | None = None, index: int | None = None
) -> Contestant:
    """Each call begins anew, as some methods gain energy; nothing is saved but the end."""
    start = rm.State(0.0, np.tile(model.q0, (worlds, 1)), model.qdot0 * np.linspace(1.0, 0.9, worlds)[:, None])
    sim = rm.Simulation(model, dt=DT, integrator=integrator, initial=start, group=group, index=index)
    tau, end, count = sim.torques(), sim.room(1), count or (STEPS if worlds == 1 else BATCH_STEPS)

    def call() -> None:
        sim.begin_at(start)
        sim.advance(count, tau, *end)

    return Contestant(integrator, call, count * worlds, lambda: end[1][0])


def checked(model: rm.Model, integrator: str, group: str | None = None) -> float:
    """Against steps that follow a tolerance."""
    ends = [rm.simulate(model, CHECKED * DT, CHECKED * DT, integrator="adaptive", rtol=1e-12).qdot[-1:]]
    ends.append(rm.simulate(model, CHECKED * DT, DT, integrator=integrator, group=group).qdot[-1:])
    return agree(f"{integrator} of the top", ends[1], ends[0], CLOSE)
