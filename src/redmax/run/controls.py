"""Torques of every step, given before the run: an array that the compiled loop reads as it goes, with no call of Python.

Row k is held during step k. Where steps are chosen on the way, or samples go through other coordinates, each interval of dt is a call.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_numbers, brief
from redmax.backends.base import Runner, make_plan, make_runner
from redmax.errors import SceneError
from redmax.integrators.base import with_controls

if TYPE_CHECKING:
    from redmax.run.simulation import Simulation


@dataclass(frozen=True, eq=False)
class Controls:
    """rows: (steps, worlds, nv); runner: what reads them turn by turn, or None where that cannot be."""

    rows: np.ndarray
    runner: Runner | None


def checked_controls(sim: Simulation, controls: ArrayLike, steps: int) -> Controls:
    """The torques of a run of so many steps, and what reads them."""
    return Controls(checked_rows(sim, controls, steps), turning_runner(sim))


def checked_rows(sim: Simulation, controls: ArrayLike, steps: int) -> np.ndarray:
    """(steps, worlds, nv): the torques. Where nothing else makes a batch of worlds, their axes do, and the worlds begin alike."""
    about: Any = {"owner": "simulate", "argument": "controls"}
    array, nv = as_numbers(controls, "controls", sim.dtype), sim.model.nv
    batch = sim.batch or array.shape[1:-1]
    if array.ndim < 2 or array.shape[1:] not in [(nv,), (*batch, nv)]:
        each = f"(steps, {', '.join(map(str, (*batch, nv)))})" + (f", or (steps, {nv}) for all worlds" if batch else "")
        raise SceneError(
            f"controls are torques of every step, of shape {each}. Got {array.shape}.", **about, got=str(array.shape), expected=each
        )
    if len(array) < steps:
        fix = "Give a row for each step, or take a shorter duration"
        got = f"{len(array)} rows"
        raise SceneError(f"controls has {got}, and the run takes {steps} steps of dt. {fix}.", **about, got=got, expected=f"{steps} rows")
    if not (there := np.isfinite(array[:steps])).all():
        bad = np.argwhere(~there)
        step, *_, column = map(int, bad[0])
        where, got = f"in step {step}, joint {sim.model.joint_of(column)!r}", brief(np.asarray(controls)[tuple(bad[0])])
        raise SceneError(f"controls must be finite, as {sim.dtype}. Got {got} {where}.", **about, got=got, expected="finite numbers")
    if batch != sim.batch:
        begin_alike(sim, batch)
    shape = (len(array), *batch, nv)
    own = array if array.shape == shape else array.reshape(len(array), *[1] * len(batch), nv)
    rows = np.broadcast_to(own, shape).reshape(len(array), math.prod(batch), nv)
    return np.ascontiguousarray(rows)


def begin_alike(sim: Simulation, batch: tuple[int, ...]) -> None:
    """So many worlds, all where the one is that the simulation has."""
    one = sim.state
    q, qdot = (np.broadcast_to(x, (*batch, len(x))) for x in (one.q, one.qdot))
    sim.reset(replace(one, q=q, qdot=qdot))


def turning_runner(sim: Simulation) -> Runner | None:
    """What reads a row at each step: the same program with one stage more, if the run is a program of fixed steps in joint coordinates."""
    if sim.method.reads_rows and sim.options.index != 1:
        return sim.runner
    program = sim.program
    if program is None or sim.method.adaptive:
        return None
    return make_runner(make_plan(sim.model, with_controls(program), sim.backend), sim.backend, sim.dtype)


def fill_with_controls(sim: Simulation, controls: Controls, every: int, q: np.ndarray, qdot: np.ndarray) -> None:
    """Fill the samples q, qdot (samples, worlds, n), `every` steps apart."""
    rows = controls.rows[sim.steps : sim.steps + len(q) * every]
    if controls.runner is not None:
        sim.advance(every, rows, q, qdot)
        return
    told = None
    for row in rows:  # one sample at a time, as with a controller in Python
        told = sim.advance_by_one(told, row, q, qdot)
