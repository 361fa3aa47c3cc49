"""Where runs begin: on their constraints. What the user gave is taken as it is where it meets them; else it is assembled, and said so.

A scene's own start is put on them to roundings; a state that is given with `initial=` may be off as fixed steps leave it, by about `drift`,
unless every step projects. Rates that the scene gives (those that are not zero) are kept where the constraints allow it: a crank whose
rate is given turns the others. What was moved by more than NOTICED is warned of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from redmax.errors import SceneError, warn
from redmax.run.assembly import CLOSED, Assembler, assembler_of
from redmax.run.not_met import in_conflict, off_by
from redmax.run.start import checked_state

if TYPE_CHECKING:
    from redmax.model.state import State
    from redmax.run.simulation import Simulation

NOTICED = 1e-4  # relative to the size of the mechanism, and to the largest rate
LATE = 10.0  # how much further than `drift` a step may go before it is noticed
ROUNDED = 10.0  # roundings that a state may be off by
KEPT: WeakKeyDictionary[Simulation, Assembler] = WeakKeyDictionary()  # what simulations have compiled, so that resets are quick


def put_on_constraints(sim: Simulation, given: bool) -> None:
    """Assemble the worlds that do not begin on their constraints. given: whether the state is the user's, not the scene's."""
    if ends_on_rows(sim) and any(not c.automatic and not c.compliant for c in sim.model.constraints):
        warn_of_gains(sim)
    if not any(c.automatic and not c.compliant for c in sim.model.constraints):
        return
    assembler = KEPT.setdefault(sim, assembler_of(sim.model, sim.engine))
    rows = assembler.values.at(sim.q, sim.qdot, sim.t, parameters=list(sim.parameters.values()))
    check_held(assembler, rows.G)
    roundings = ROUNDED * max(CLOSED, float(np.finfo(sim.dtype).eps))
    stepped = given and sim.options.stabilisation != "project"
    least, slow = (LATE * sim.options.drift, LATE * sim.options.drift / sim.dt) if stepped else (roundings, 0.0)
    off, slip = np.abs(assembler.gaps(rows)).max(axis=1), np.abs(assembler.slips(rows)).max(axis=1)
    speed = np.maximum(np.abs(sim.qdot / assembler.unit_of_joints).max(axis=1, initial=0.0), slip)
    said: list[tuple[float, str]] = []
    for world in map(int, np.flatnonzero((off > least) | (slip > np.maximum(least * speed, slow)))):
        said.append(assemble_world(sim, world, given))
    if said and max(said)[0] > NOTICED:
        others = sum(far > NOTICED for far, _ in said) - 1
        warn(max(said)[1] + f" So {'were' if others > 1 else 'was'} {others} other world{'s' * (others > 1)}." * (others > 0))


def begin_on_constraints(sim: Simulation, state: State) -> None:
    """Go to the nearest state that meets all constraints, to roundings: a smooth function of the state. Without a word."""
    sim.begin_at(checked_state(state))
    if any(c.automatic and not c.compliant for c in sim.model.constraints):
        for world in range(len(sim.q)):
            put(sim, world, of_world(sim, world), True)


def ends_on_rows(sim: Simulation) -> bool:
    """Whether steps end on all rows of positions by themselves: backward differences, and generalized-alpha of index 3 and 2."""
    return sim.method.runner is not None or (sim.method.absolute is not None and sim.options.index != 1)


def warn_of_gains(sim: Simulation) -> None:
    """Such steps end on all rows whatever gain these have: what begins open, or at other rates, is closed at once, with a blow."""
    assembler = KEPT.setdefault(sim, assembler_of(sim.model, sim.engine))
    rows = assembler.values.at(sim.q, sim.qdot, sim.t, parameters=list(sim.parameters.values()))
    speed = np.abs(sim.qdot / assembler.unit_of_joints).max(axis=1, initial=0.0)[:, None]
    for number, c in enumerate(sim.model.constraints):
        if c.automatic or c.compliant or c.limited:
            continue
        own = assembler.values.owner == number
        gap, rate, size = rows.gap[:, own], rows.rate[:, own], rows.size[:, own]
        if c.one_sided:
            gap, rate = np.minimum(gap, 0.0), np.where(gap <= CLOSED * size, np.minimum(rate, 0.0), 0.0)
        off = 0.0 if c.of_velocities else float(np.abs(gap).max(initial=0.0))
        much = np.abs(rate) > NOTICED * np.maximum(size * speed, size * CLOSED / sim.dt)
        what = f"{sim.method.name} closes that in its first step, and does not use its gain"
        instead = "and no gain, or take integrator='implicit'"
        if off > NOTICED * assembler.size:
            warn(f"{c.label} begins off by {off:.3g}: {what}. Begin nearer with scene.assemble() {instead}.")
        elif much.any():
            at = float(np.abs(rate[much]).max())
            warn(f"{c.label} begins with a rate that is off by {at:.3g}: {what}. Begin with rates that keep it, {instead}.")


def of_world(sim: Simulation, world: int) -> Assembler:
    """Of one world, with its parameters; what is compiled for it is that of all."""
    every = KEPT.setdefault(sim, assembler_of(sim.model, sim.engine))
    if not sim.parameters:
        return every
    one = assembler_of(sim.model, sim.engine_of(world), tuple(values[world : world + 1] for values in sim.parameters.values()))
    vars(one)["values"] = every.values
    return one


def put(sim: Simulation, world: int, one: Assembler, given: bool) -> tuple[float, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Put one world on its constraints: by how much it was off, and q, qdot, before and after."""
    (q, qdot), t, free = one.own_state(sim.q[world].astype(float), sim.qdot[world].astype(float)), sim.t, one.movable
    off = float(np.abs(one.gaps(one.at(q, qdot, t))).max())
    found = one.closed(q, t, free) if off > CLOSED else q
    rates = one.kept_rates(found, qdot, t, free) if not given else one.moving(found, qdot, t, free)
    sim.q[world], sim.qdot[world] = one.of_joints(found, rates)
    return off, q, qdot, found, rates


def assemble_world(sim: Simulation, world: int, given: bool) -> tuple[float, str]:
    """Put one world on its constraints. By how much it was off, and a sentence on that; of rates, only where the positions were right."""
    one, t = of_world(sim, world), sim.t
    off, q, qdot, found, rates = put(sim, world, one, given)
    if off > NOTICED:
        return off, moved_sentence(one, q, found, t, given)
    changed = np.where(qdot != 0.0, np.abs(rates - qdot) / one.unit, 0.0)
    k = int(np.argmax(changed)) if len(changed) else 0
    part = float(changed.max(initial=0.0) / max(np.abs(rates / one.unit).max(initial=0.0), 1e-300))
    return part, rate_sentence(one, k, qdot[k], rates[k], given) if part > NOTICED else ""


def check_held(assembler: Assembler, G: np.ndarray) -> None:
    """Raise where a constraint holds nothing that can move, there and near it."""
    still = [n for n in range(len(assembler.model.constraints)) if not G[:, assembler.values.owner == n].any()]
    if not still:
        return
    model, rng = assembler.model, np.random.default_rng(0)
    q = np.broadcast_to(model.configurations.join(model.q0), (3, model.configurations.size))
    near = assembler.values.at(q, np.zeros((3, model.nv)), 0.0, 0.1 * assembler.unit_of_joints * rng.uniform(-1, 1, (3, model.nv)))
    for number in still:
        if not near.G[:, assembler.values.owner == number].any():
            c = model.constraints[number]
            why = "no joint that is free to move moves what it holds: its bodies are fixed to each other, or their motion is given"
            off = float(np.abs(near.gap[:, assembler.values.owner == number]).max())
            asks = f"is off by {off:.4g} and cannot be met" if off > NOTICED else "asks for nothing"
            raise SceneError(f"{c.label} {asks}: {why}. Leave it out, or free a joint between its places.", owner=c.name or "")


def moved_sentence(one: Assembler, q: np.ndarray, found: np.ndarray, t: float, given: bool) -> str:
    """How far a start was off, and what was done about it."""
    rows = one.at(q, np.zeros(one.n), t)
    off = one.gaps(rows)[0]
    worst = off_by(one, in_conflict(one, off)[0], np.where(off != 0.0, rows.gap[0], 0.0))
    was, now = (one.of_joints(x, np.zeros(one.n))[0] for x in (q, found))
    entries = [np.abs(now[part] - was[part]).max(initial=0.0) for part in one.model.configurations.parts()]
    joint = one.model.joint_names[int(np.argmax(entries))]
    begins = "The initial state is" if given else "The scene begins"
    keep = "Give one that meets them" if given else "Give q that meet them, or keep what was found by scene.assemble()"
    return f"{begins} off its constraints, {worst}, and was assembled: joint {joint!r} moved most, by {max(entries):.3g}. {keep}."


def rate_sentence(one: Assembler, k: int, was: float, now: float, given: bool) -> str:
    """Which rate could not be kept."""
    whose = f"joint {one.called(k)!r}" if one.model.map is None else one.called(k)
    what = f"the rate of {whose}, {was:.6g}, is {now:.6g}"
    begins = "The rates of the initial state" if given else "The rates that the scene begins with"
    return f"{begins} do not keep its constraints. The nearest that do are taken: {what}."
