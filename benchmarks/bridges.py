"""What a call across the bridge to JAX adds within `lax.scan`: the time of a turn, less that of the compiled code alone.

The compiled code runs in its own loop, one world after the other, over as many as the scan has turns: what Python needs to begin is spread
over all of them. A turn of the scan also adds two vectors and multiplies by a number, which counts as the bridge's.
"""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.agreement import agree
from benchmarks.cases import CASES
from benchmarks.report import Row, Target
from benchmarks.timing import Contestant, Effort, compete
from redmax.bridges import functions
from redmax.bridges import jax as bridge
from redmax.bridges.derivative import Derivative
from redmax.bridges.function import Function

FIGURE, LIMIT = "added by a call from JAX's scan", Target(seconds=1e-6)
TURNS, LITTLE = 2000, 1e-9


def measure(effort: Effort) -> Iterator[Row]:
    jax.config.update("jax_enable_x64", True)
    for case in ("RC20", "RC100", "humanoid"):
        model = CASES[case]().model()
        yield against(f"{case}, forward dynamics", functions.forward_dynamics(model), effort)
        yield against(f"{case}, step of euler", functions.step(model, 1e-4, "euler"), effort)


def against(case: str, f: Function, effort: Effort) -> Row:
    """The last result of a turn, a little of it, is added to the rates."""
    called, names = bridge.JaxFunction(f), ("q", "qdot", "tau")
    rng = np.random.default_rng(0)
    q = f.inputs["q"].default + 0.1 * rng.normal(size=f.inputs["q"].size)
    qdot, tau = (0.1 * rng.normal(size=f.model.nv) for _ in range(2))

    @jax.jit
    def scan(qdot: jax.Array) -> jax.Array:
        def turn(v: jax.Array, _: None) -> tuple[jax.Array, None]:
            found = called(q, v, tau)
            return v + LITTLE * (found if len(f.outputs) == 1 else found[-1]), None

        return jax.lax.scan(turn, qdot, None, length=TURNS)[0]

    call, start = Derivative(f, names).call, jnp.asarray(qdot)
    rates = np.tile(qdot, (TURNS, 1))
    results = [np.empty((1, TURNS, size)) for size in f.outputs.values()]

    def compiled() -> None:
        call.runner.run([q, rates, tau, call.held], results, TURNS, lanes=1, workers=1)

    compiled()
    once = called(q, qdot, tau)
    last = np.asarray(once if len(f.outputs) == 1 else once[-1])[None]
    scanned = Contestant("scan", lambda: scan(start).block_until_ready(), TURNS, lambda: last)
    alone = Contestant("the compiled code alone", compiled, TURNS, lambda: results[-1][0, :1])
    error = agree(case, scanned.accelerations(), alone.accelerations(), 1e-12)
    mine, other = compete([scanned, alone], effort)
    added = float(np.median(mine.samples - other.samples))
    return Row(FIGURE, case, max(added, 0.0), alone.name, other.best, None, LIMIT, error, f"a turn takes {mine.best * 1e6:.2f} us")
