"""`adaptive` with contact as a runner: worlds one after the other; what is told of contacts at samples, and of impacts between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from redmax.backends.apart import Apart
from redmax.backends.base import Arrays, Runner, by_name
from redmax.dynamics.contact.detect import BODY_A, FEATURES, GAP, KEY, NORMAL, POINT
from redmax.dynamics.contact.fields import COUNTS, HELD, IMPULSES, LOSS, TABLE
from redmax.dynamics.contact.pair_laws import detected_pairs
from redmax.dynamics.contact.rows import T_BODIES, T_GAP, T_IMPULSE, T_KEY, T_LEAVING, T_NORMAL, T_POINT, T_SLIP, T_STATE, TOLD
from redmax.errors import SimulationError
from redmax.integrators.located import seen
from redmax.integrators.located.bodies import Points
from redmax.integrators.located.settle import LIGHT, SLIGHT, Struck
from redmax.integrators.located.steps import Steps
from redmax.integrators.located.world import Held, World
from redmax.model.model import Model

INPUTS = ("q", "qdot", "tau", "h", "t0", "start", "t_end", "rtol", "sample_dt", "eps", "samples", "floor")
OUTPUTS = ("q_sample", "v_sample", "t_sample", "h_wanted", "k", "failed")
OPEN, STICKS, SLIDES = 0.0, 1.0, 2.0
DEEP = 1e-6  # of the smallest size, that shapes may overlap where a run begins


class LocatedRunner(Runner):
    """dt: by which forces at samples are told as impulses."""

    def __init__(self, model: Model, dynamics: str, backend: str, dt: float, solver: str = "auto") -> None:
        self.model, self.dt = model, dt
        self.looking = seen.looking(model, dynamics, backend, solver)
        own = [name for name in self.looking.runner.inputs if name not in seen.INPUTS]  # parameters of worlds
        self.inputs, self.outputs, self.own = (*INPUTS, *own), OUTPUTS, own
        self.told: dict[str, np.ndarray] = {}

    def prepare(self, worlds: int) -> None:
        """Compile."""
        self.looking.runner.prepare(1)

    @property
    def notes(self) -> Mapping[str, np.ndarray]:
        """Contacts at samples, and impacts since the run began, of each pair of shapes."""
        return self.told

    def run(self, inputs: Arrays, outputs: Arrays, worlds: int, count: int = 0, stride: int = 1) -> int:
        """See `Runner.run`."""
        given, wanted = by_name(inputs, self.inputs, "A run with contact"), by_name(outputs, self.outputs, "A run with contact")
        samples, capacity, pairs = len(wanted["q_sample"]), self.model.contact_capacity, len(self.model.contact_pairs)
        sizes = {COUNTS: 6, HELD: 1, TABLE: capacity * TOLD, IMPULSES: 4 * pairs, LOSS: 1}
        self.told = {name: np.full((samples, worlds, n), np.nan) for name, n in sizes.items()}
        apart, broken = Apart(worlds), 0
        for w in range(worlds):
            own = {name: np.broadcast_to(a, (worlds, a.shape[-1]))[w].astype(float) for name, a in given.items()}
            if not apart.begins(own["q"], own["qdot"]):
                broken = 1
                continue
            with apart.world(w):
                self.one(own, {name: a[:, w] for name, a in wanted.items()}, {name: a[:, w] for name, a in self.told.items()})
        apart.end()
        return broken

    def one(self, given: dict[str, np.ndarray], wanted: dict[str, np.ndarray], told: dict[str, np.ndarray]) -> None:
        """One world."""
        number = {name: float(given[name][0]) for name in ("h", "t0", "start", "t_end", "rtol", "sample_dt")}
        world = World(self.model, self.looking, {name: given[name] for name in ("tau", *self.own)}, number["rtol"])
        log = Log(len(self.model.contact_pairs))
        if not number["h"] > 0.0:
            return
        check_start(world, given["q"], given["qdot"], number["t0"])
        steps = Steps(world, given["q"], given["qdot"], number["t0"], number["t_end"], number["h"], number["rtol"], given["floor"], log.add)

        def keep(k: int) -> Any:
            def kept(q: np.ndarray, qdot: np.ndarray, held: Held) -> None:
                wanted["q_sample"][k], wanted["v_sample"][k] = q, qdot
                marks = {"t_sample": times[k], "h_wanted": max(steps.h_wanted, 1e-300), "k": steps.taken, "failed": 0.0}
                for name, value in marks.items():
                    wanted[name][k] = value
                told[TABLE][k], told[HELD][k], told[COUNTS][k] = self.table(world, held)
                told[IMPULSES][k], told[LOSS][k] = log.struck.ravel(), log.taken

            return kept

        times = [number["start"] + (k + 1) * number["sample_dt"] for k in range(len(wanted["q_sample"]))]
        steps.go([(t, keep(k)) for k, t in enumerate(times)])

    def table(self, world: World, held: Held) -> tuple[np.ndarray, float, np.ndarray]:
        """What is told of contacts at a sample, how many, and what is counted."""
        points, f, left = held.points, held.force, 0.0
        if len(points) and held.cones.excess(f) > SLIGHT * held.scale:
            f, left = held.cones.solve()
        found = np.zeros((self.model.contact_capacity, TOLD))
        forces, scale = points.world(f), held.scale
        for k, mode in enumerate(world.modes):
            state = OPEN if f[3 * k] <= LIGHT * scale else STICKS if mode.along is None else SLIDES
            told_point(found[k], points, k, self.dt * forces[k], state)
        others = Points(held.seen, held.others)
        most = min(len(others), len(found) - len(points))
        for k in range(most):
            told_point(found[len(points) + k], others, k, np.zeros(3), OPEN)
        n = len(points) + most
        order = np.argsort(found[:n, T_KEY], kind="stable")
        found[:n] = found[order]
        return found.ravel(), float(n), np.array([n, 0.0, left, 0.0, 0.0, 0.0])


def told_point(told: np.ndarray, points: Points, k: int, impulse: np.ndarray, state: float) -> None:
    row = points.rows[k]
    told[T_KEY], told[T_GAP], told[T_STATE], told[T_LEAVING] = row[KEY], row[GAP], state, points.leaving[k]
    told[T_BODIES : T_BODIES + 2] = row[BODY_A : BODY_A + 2]
    told[T_POINT : T_POINT + 3], told[T_NORMAL : T_NORMAL + 3] = row[POINT : POINT + 3], row[NORMAL : NORMAL + 3]
    told[T_IMPULSE : T_IMPULSE + 3], told[T_SLIP : T_SLIP + 3] = impulse, points.slip[k]


class Log:
    """Impacts of a world since its portion began: impulses on the second body of each pair of shapes, and when the last of them was, in
    (pairs, 4) numbers; and the energy that all took."""

    def __init__(self, pairs: int) -> None:
        self.struck, self.taken = np.zeros((pairs, 4)), 0.0
        self.struck[:, 3] = np.nan

    def add(self, t: float, struck: list[Struck]) -> None:
        for s in struck:
            pair = int(s.row[KEY] // FEATURES)
            self.struck[pair, :3] += s.impulse
            self.struck[pair, 3] = t
            self.taken += s.energy


def check_start(world: World, q: np.ndarray, qdot: np.ndarray, t: float) -> None:
    """Raise for shapes that overlap: hard contact has no way out."""
    world.q = q.copy()
    (seen,) = world.look(np.zeros(world.nv), qdot, t)
    if not len(seen.points):
        return
    deepest = seen.points[seen.points[:, GAP].argmin()]
    if deepest[GAP] < -DEEP * world.limits.size:
        a, b = (shape.owner for shape in detected_pairs(world.model)[int(deepest[KEY] // FEATURES)])
        said = f"{a!r} and {b!r} overlap by {-deepest[GAP]:.3g} at t = {t:.6g} s, and integrator 'adaptive' has hard contact"
        raise SimulationError(f"The run cannot begin: {said}. Begin with them apart, or take integrator='implicit', where they come apart.")
