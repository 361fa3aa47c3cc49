"""`linearize` of steps that are found by iterations of their own: variational ones, and generalized-alpha of bodies.

Slopes along the iterations go on at the solution until they are those of the solution (solvers/further.py). Variational steps take momenta
p = M qdot along, which q and qdot know: x_1 follows from x_0. Bodies take more along than joints know, z = (v, a, v') of each:

    dx_1 = A dx_0 + by dz_0 + B dtau,     dz_1 = A_z dx_0 + own dz_0 + B_z dtau

v in z is what it is beyond what q and qdot make of it: index 3 leaves velocities off the hidden constraints. Where a run begins v, a and v'
follow from x, and from torques (integrators/absolute/method.py): there z_0 is nothing, and A says how all of x_1 follows from x_0.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from redmax.design.gradients.reversible import carried_on
from redmax.design.gradients.tangents import Found, Tangents, settled
from redmax.errors import SimulationError
from redmax.integrators.absolute.place import begin_of
from redmax.integrators.absolute.program import INPUTS, START, fields
from redmax.integrators.absolute.program import program as of_bodies
from redmax.integrators.absolute.runner import APART, AbsoluteRunner
from redmax.integrators.variational.program import program as variational
from redmax.integrators.variational.runner import VariationalRunner
from redmax.integrators.with_past import Past, RunnerWithPast
from redmax.joints.group_rates import speeds_of
from redmax.program.kernel import PARAMETERS
from redmax.program.program import Program
from redmax.program.record import JointView
from redmax.program.sweep import forward, recursion
from redmax.run.simulation import Simulation
from redmax.solvers.further import FURTHER

CARRIED = ("v0", "a0", "rate0")
BODIES = ("pose", *CARRIED)
END = ("q", "qdot", *CARRIED)


class Slopes(NamedTuple):
    """By (x, z, tau, parameters): of x_1 and of z_1, (worlds, rows, columns), perhaps no rows; and q and qdot where the step ends."""

    x: np.ndarray
    z: np.ndarray
    q: np.ndarray
    qdot: np.ndarray


def is_solved(sim: Simulation) -> bool:
    """Whether these are the steps of a simulation."""
    return isinstance(sim.runner, RunnerWithPast)


def slopes_of(sim: Simulation, tau: ArrayLike | None) -> Slopes:
    """Of its next step."""
    held = np.ascontiguousarray(np.broadcast_to(sim.torques(tau), (len(sim.q), sim.model.nv)), float)
    if isinstance(sim.runner, VariationalRunner):
        return variational_slopes(sim, sim.runner, held)
    assert isinstance(sim.runner, AbsoluteRunner)
    return StepOfBodies(sim, sim.runner, held).slopes()


def checked(runner: RunnerWithPast, found: Found, t: float) -> Found:
    """Raise where the step has no end, or no derivative."""
    values, slopes = found
    for mark in values["marks"]:
        marks = dict(zip(runner.marks, map(float, mark), strict=True))
        if marks["failed"] > 0.0:
            raise SimulationError(f"redmax.linearize: {runner.failure(marks)}")
    for name in ("q", "qdot"):
        if not np.isfinite(values[name]).all():
            raise SimulationError(f"redmax.linearize: the step breaks off at t = {t:.6g} s. Take a shorter one.")
        if not np.isfinite(slopes[name]).all():
            where = f"at t = {t:.6g} s: a force has a corner there, a length of zero, or a joint is singular"
            raise SimulationError(f"redmax.linearize: the step has no derivative {where}. Take a state beside it.")
    return found


def each(sim: Simulation, carried: int) -> dict[str, np.ndarray]:
    """name -> (worlds, directions, n): one direction for each number of x, z, tau and the parameters; "q" along velocities."""
    n, own = sim.model.nv, sum(p.shape[-1] for p in sim.parameters.values())
    sizes, found, start = {"speed": n, "qdot": n, "z": carried, "tau": n, PARAMETERS: own}, dict[str, np.ndarray](), 0
    all_of = np.eye(sum(sizes.values()))
    for name, size in sizes.items():
        found[name] = np.repeat(all_of[None, :, start : start + size], len(sim.q), axis=0)
        start += size
    found["q"] = sim.engine.change_of_configuration(np.repeat(sim.q[:, None], len(all_of), axis=1), found.pop("speed"))
    return found if own else {name: x for name, x in found.items() if name != PARAMETERS}


def rates_at(sim: Simulation, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
    """(worlds, directions, nv): the velocities that go with changes of configurations q (worlds, size)."""
    return speeds_of(sim.model.configurations, np.repeat(q[:, None], dq.shape[1], axis=1), dq)


def variational_slopes(sim: Simulation, runner: VariationalRunner, tau: np.ndarray) -> Slopes:
    """p_0 = M qdot_0, as where a run begins."""
    step = Tangents(sim.model, variational(sim.model, further=True), sim.backend, counts=True)
    moves, worlds = each(sim, 0), len(sim.q)
    moves.pop("z")
    begun = Past.begun(sim.t, sim.q, sim.qdot, *runner.brought)
    given = {"q": sim.q, "qdot": sim.qdot, "tau": tau, "given": runner.numbers(begun, sim.t, sim.dt, 0.0, 1), **sim.parameters}
    run = lambda further: step(given | {FURTHER: np.array([further])}, moves, worlds)  # noqa: E731
    values, slopes = checked(runner, settled(run, ("q", "qdot"), sim.t), sim.t)
    x = np.concatenate([rates_at(sim, values["q"], slopes["q"]), slopes["qdot"]], axis=-1)
    return Slopes(np.swapaxes(x, 1, 2), np.zeros((worlds, 0, x.shape[1])), values["q"], values["qdot"])


class StepOfBodies:
    """A step of generalized-alpha, from where a simulation is."""

    def __init__(self, sim: Simulation, runner: AbsoluteRunner, tau: np.ndarray) -> None:
        self.sim, self.runner, self.tau, self.model = sim, runner, tau, runner.model
        own = [np.ascontiguousarray(x, float) for x in sim.parameters.values()]
        past = Past.begun(sim.t, sim.q, sim.qdot, *runner.brought).continued(runner.last, sim.dtype)
        self.past = runner.begun(past, tau, own)
        self.fresh = self.past.fresh > 0.0
        self.moves = each(sim, sum(runner.brought[2:]))

    def given(self, t: float, /, **more: np.ndarray) -> dict[str, np.ndarray]:
        """What programs take of bodies at a time, (worlds, n); that they do not begin from nothing."""
        numbers = np.tile([t, self.sim.dt, 0.0, self.runner.rho, 0.0], (len(self.sim.q), 1))
        return {"tau": self.tau, "given": numbers, **self.sim.parameters, **more}

    def shared(self) -> dict[str, np.ndarray]:
        """Of the directions, those of parameters."""
        return {name: x for name, x in self.moves.items() if name == PARAMETERS}

    @cached_property
    def beginning(self) -> Tangents:
        """(q, qdot, qddot, v'') -> pose, v, a and v' of bodies that move as their joints do."""
        form = self.runner.form
        begun = recursion(begin_of(form.of_bodies), name=f"absolute beginning {form.of_bodies!r}")
        made = Program("generalized-alpha beginning", (START, begun), fields(self.model, form), INPUTS, BODIES)
        return Tangents(self.model, made, self.sim.backend)

    @cached_property
    def moving(self) -> Tangents:
        """(q, way) -> q a way further."""

        @forward
        def go(j: JointView) -> None:
            j.q = j.joint.retract(j.q, j.dx)

        found = fields(self.model, self.runner.form)
        made = Program("generalized-alpha way", (recursion(go, name="absolute way"),), found, ("q", "dx"), ("q",))
        return Tangents(self.model, made, self.sim.backend)

    @cached_property
    def accelerating(self) -> Tangents:
        """(q, qdot, tau) -> the accelerations of joints."""
        return Tangents(self.model, self.runner.engine.motion_program(False)[1], self.sim.backend)

    @cached_property
    def step(self) -> Tangents:
        """From (q, bodies) to the end."""
        return Tangents(self.model, of_bodies(self.model, self.runner.form, further=True), self.sim.backend, counts=True)

    def accelerations(self, q: np.ndarray, qdot: np.ndarray, dq: np.ndarray, dqdot: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        """And how they change."""
        given = self.given(t, q=q, qdot=qdot, t=np.array([t]))
        moves = {"q": dq, "qdot": dqdot, "tau": self.moves["tau"], **self.shared()}
        values, slopes = self.accelerating(given, moves, len(q))
        return values["qddot"], slopes["qddot"]

    def begun(self) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """What bodies begin the step with, and how it changes: as joints say where a run begins, else as it was left."""
        sim, moves, t, past = self.sim, self.moves, self.sim.t, self.past
        qddot, *kept = past.more
        changes = {"q": moves["q"], "qdot": moves["qdot"], **self.shared()}
        bodies, dqddot = {"a0": kept[2]}, np.zeros_like(moves["qdot"])
        if self.fresh.any():
            found = self.accelerations(sim.q, sim.qdot, moves["q"], moves["qdot"], t)[1]
            dqddot = np.where(self.fresh[:, None, None], found, 0.0)
            changes |= {"qddot": dqddot}
            if self.runner.form.index == 2 and self.runner.rho < 1.0:
                changes |= {"a0": self.second_rates(qddot, dqddot)}
        values, slopes = self.beginning(self.given(t, q=sim.q, qdot=sim.qdot, qddot=qddot, **bodies), changes, len(sim.q))
        fresh, at = self.fresh[:, None], 0
        for name, old in zip(BODIES, kept, strict=True):
            values[name] = np.where(fresh, values[name], old)
            if name != "pose":
                n = old.shape[-1]
                beyond = moves["z"][..., at : at + n] + (slopes[name] if name == "v0" else 0.0)
                slopes[name], at = np.where(fresh[..., None], slopes[name], beyond), at + n
        return {"qddot": qddot, **values}, {"qddot": dqddot, **slopes}

    def second_rates(self, qddot: np.ndarray, dqddot: np.ndarray) -> np.ndarray:
        """How v'' changes, which runs begin with, as central differences (`AbsoluteRunner.second_rates`)."""
        sim, moves, found = self.sim, self.moves, list[np.ndarray]()
        for ahead in (APART, -APART):
            way, dway = (ahead * (v + (0.5 * ahead) * a) for v, a in ((sim.qdot, qddot), (moves["qdot"], dqddot)))
            values, slopes = self.moving(self.given(sim.t, q=sim.q, dx=way), {"q": moves["q"], "dx": dway}, len(sim.q))
            q, dq = values["q"], slopes["q"]
            qdot, dqdot = sim.qdot + ahead * qddot, moves["qdot"] + ahead * dqddot
            there, dthere = self.accelerations(q, qdot, dq, dqdot, sim.t + ahead)
            given = self.given(sim.t + ahead, q=q, qdot=qdot, qddot=there)
            found.append(self.beginning(given, {"q": dq, "qdot": dqdot, "qddot": dthere, **self.shared()}, len(q))[1]["rate0"])
        slope = (found[0] - found[1]) / (2.0 * APART)
        return np.where(np.isfinite(slope), slope, 0.0)

    def slopes(self) -> Slopes:
        """Of x and z where it ends."""
        sim, worlds = self.sim, len(self.sim.q)
        bodies, moved = self.begun()
        moves = {name: x for name, x in self.moves.items() if name != "z"} | moved
        given = self.given(sim.t, q=sim.q, qdot=sim.qdot, **bodies) | carried_on(self.runner.inner, sim.q, sim.qdot)
        given = {name: np.ones((worlds, 1)) for name in ("closing_fresh",)} | given
        run = lambda further: self.step(given | {FURTHER: np.array([further])}, moves, worlds)  # noqa: E731
        values, slopes = checked(self.runner, settled(run, END, sim.t), sim.t)
        there = self.given(sim.t + sim.dt, q=values["q"], qdot=values["qdot"])
        by_joints = self.beginning(there, {"q": slopes["q"], "qdot": slopes["qdot"], **self.shared()}, worlds)[1]["v0"]
        x = np.concatenate([rates_at(sim, values["q"], slopes["q"]), slopes["qdot"]], axis=-1)
        z = np.concatenate([slopes["v0"] - by_joints, slopes["a0"], slopes["rate0"]], axis=-1)
        return Slopes(np.swapaxes(x, 1, 2), np.swapaxes(z, 1, 2), values["q"], values["qdot"])


def split(slopes: np.ndarray, n: int, carried: int) -> tuple[np.ndarray, ...]:
    """By x, z, tau and parameters."""
    return tuple(np.split(slopes, np.cumsum([2 * n, carried, n]), axis=-1))
