"""What a world costs in a batch, against the same worlds one after the other, on one core: coupled systems of a chain of 20 hinges.

The code of one world fills vector registers too, with runs of entries of its matrices; so the target asks for as much again.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import redmax as rm
from benchmarks.agreement import agree
from benchmarks.cases import chain, draw
from benchmarks.report import Row, Target
from benchmarks.timing import Contestant, Effort, compete

FIGURE, N, DT, WORLDS, STEPS, FASTER = "worlds in lanes", 20, 1e-5, 8, 500, 4.0
CASES = {
    "bdf1": {"integrator": "bdf1"},
    "maximal": {"dynamics": "maximal", "integrator": "euler"},
    "redmax, dense": {"dynamics": "redmax", "solver": "direct", "integrator": "euler"},
    "on one angle": {"dynamics": "redmax", "integrator": "euler"},
}


def measure(effort: Effort) -> Iterator[Row]:
    for name, options in CASES.items():
        yield together(name, options, effort)


def together(name: str, options: dict[str, str], effort: Effort) -> Row:
    """Seconds a step and world."""
    scene, states = chain(N), draw(chain(N), WORLDS)
    q, v = 0.1 * states.q, 0.1 * states.v
    if name == "on one angle":
        shares = 1.0 / np.arange(1.0, N + 1.0)
        scene.set_map(lambda u: [a * u[0] for a in shares], coordinates=1)
        q, v = q[:, :1] * shares, v[:, :1] * shares
    batch = steps(scene, q, v, options, "redmax")
    single = [steps(scene, q[w : w + 1], v[w : w + 1], options, "") for w in range(WORLDS)]
    apart = Contestant(
        "one by one", lambda: [c.call() for c in single], STEPS * WORLDS, lambda: np.concatenate([c.accelerations() for c in single])
    )
    for c in (batch, apart):
        c.call()
    error = agree(f"RC{N}, {name}: {WORLDS} worlds", batch.accelerations(), apart.accelerations(), 1e-9)
    mine, other = compete([batch, apart], effort)
    return Row(
        FIGURE, f"RC{N}, {name}", mine.best, apart.name, other.best, mine.ratio(other), Target(faster=FASTER), error, f"{WORLDS} worlds"
    )


def steps(scene: rm.Scene, q: np.ndarray, v: np.ndarray, options: dict[str, str], name: str) -> Contestant:
    """Each call goes on where the one before ended, many steps, so that it is they that are timed; nothing is saved but the end."""
    sim = rm.Simulation(scene, dt=DT, initial=rm.State(0.0, q, v), **options)
    tau, end = sim.torques(), sim.room(1)
    return Contestant(name, lambda: sim.advance(STEPS, tau, *end), STEPS * len(q), lambda: end[1][0])
