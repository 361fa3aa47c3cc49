"""What is seen of a mechanism with contact at a state: a compiled program that moves joints, finds accelerations without contact, places
bodies and finds the points where shapes meet.

    q = retract(retract(q_start, delta), shift qdot)      qdot as given, or (as_rate) of the coordinates that delta has

Many states at once are worlds of a batch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from redmax.backends.base import Runner, make_plan, make_runner
from redmax.backends.world_by_world import one_by_one
from redmax.constraints.law import DOWN
from redmax.dynamics.choose import matrix_free_solver, rigid_system
from redmax.dynamics.common.kinematics import with_rotor
from redmax.dynamics.common.row_terms import place_body
from redmax.dynamics.contact.detect import RAW
from redmax.dynamics.contact.fields import COUNTS
from redmax.dynamics.contact.pair_laws import given_laws, numbered_laws
from redmax.dynamics.contact.stages import ContactSystem
from redmax.dynamics.recursive.forces import turned
from redmax.integrators.adaptive import second_rate
from redmax.integrators.base import rechart_of
from redmax.integrators.located.bodies import Seen, Skeleton
from redmax.lie import Adjoint
from redmax.math import where
from redmax.model.model import Model
from redmax.program.fields import Size
from redmax.program.program import Program
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.routines.call import Call
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, whole
from redmax.program.sweep import Part, Recursion, forward, interactions, recursion

POINTS = "located_points"
EXTRA: dict[str, Size] = {
    "look_q": "q", "look_delta": "v", "look_v": "v", "look_a": "v", "look_rate": "v", "look_second": "v",
    "look_q_new": "q", "look_v_new": "v",
}  # fmt: skip
STATE: dict[str, Size] = {
    "at_R": 9, "at_x": 3, "at_o": 3, "at_V": 6, "at_A": 6, "at_M": 36, "at_E": "vv", "row_s": "6v",
}  # fmt: skip
CLOCK = {"look_shift": 1, "look_as_rate": 1}
INPUTS = ("look_q", "look_delta", "look_v", "look_a", "tau", "t", "h", "look_shift", "look_as_rate")
OUTPUTS = ("q", "qdot", "look_rate", "look_second", "look_q_new", "look_v_new", "qddot", *STATE, COUNTS, POINTS)


@forward
def go(j: JointView, w: WorldView) -> None:
    """To the state that is asked for; second: how fast the rate of delta changes while qdot changes as `changing` says."""
    q, velocity = j.joint.retract(j.look_q, j.look_delta), j.look_v
    if j.joint.dof:
        back = j.joint.velocity(j.look_delta, j.look_v)
        velocity = where(w.look_as_rate > 0.0, back, j.look_v) if j.joint.nq != j.joint.dof else j.look_v
    j.q, j.qdot = j.joint.retract(q, w.look_shift * velocity), velocity
    j.look_rate = j.joint.rate(j.look_delta, velocity)
    j.look_second = j.look_a if j.joint.nq == j.joint.dof else second_rate(j.joint, j.look_delta, velocity, j.look_rate, j.look_a)
    changed = rechart_of(j)
    j.look_q_new, j.look_v_new = (j.q, j.qdot) if changed is None else changed


@forward
def place(j: JointView, p: ParentView, w: WorldView) -> None:
    """Frames, twists and their rates, in body axes; inertias and the joint's twists in world axes about the origin of the tree."""
    place_body(j, p, w, Part.ACCELERATION_ROWS)
    R, arm = np.asarray(j.row_R, object).reshape(3, 3), j.row_x - j.row_o
    j.at_R, j.at_x, j.at_o, j.at_V, j.at_A = j.row_R, j.row_x, j.row_o, j.row_V, j.row_A
    j.at_M = j.M.congruence(Adjoint(R, arm)).matrix().ravel()
    n = j.joint.dof
    if n:
        j.at_E = with_rotor(np.zeros((n, n)).astype(object), j, j.S).ravel()
        j.row_s = turned(R, arm, j.S)


@routine
def forget(counts: Vector) -> None:
    """No points yet."""
    for k in range(6):
        counts[k] = 0.0


@routine
def tell(raw: Matrix, counts: Vector, points: Matrix, columns: Whole) -> None:
    """Points as they were found."""
    for c in range(whole(counts[0])):
        for k in range(columns):
            points[c, k] = raw[c, k]


def own(sweep: Any) -> Recursion:
    return recursion(sweep, name=f"located {sweep.name}", core=False)


def program(model: Model, dynamics: str, backend: str, solver: str = "auto") -> tuple[Program, Any]:
    """And what it is laid out for."""
    found = rigid_system(dynamics, model, matrix_free_solver(dynamics, solver, model, False), backend, "baumgarte")
    contact = ContactSystem(model, False)
    f = found.fields(extra=EXTRA, clock=CLOCK)
    world = {COUNTS: 6, POINTS: RAW * model.contact_capacity}
    fields = replace(f, down={**f.down, **DOWN}, state={**f.state, **STATE}, world={**f.world, **world})
    raw = contact.data["raw"]
    stages = (
        *numbered_laws(contact),
        own(go),
        *found.accelerations,
        recursion(place, interactions(Part.SHAPES), name="located places"),
        Call(forget, lambda at: [(at.world(COUNTS),)]),
        *contact.found(),
        *given_laws(contact),
        Call(tell, lambda at: [(raw, at.world(COUNTS), (at.world(POINTS), RAW), RAW)], (raw,)),
    )
    return found.complete(Program("located", stages, fields, INPUTS, OUTPUTS), False), found.model


@dataclass(frozen=True, eq=False)
class Looking:
    """The compiled program. sizes: numbers of each output."""

    runner: Runner
    sizes: tuple[int, ...]
    skeleton: Skeleton
    places: Mapping[str, int]  # of outputs

    def at(self, inputs: dict[str, np.ndarray], worlds: int) -> list[Seen]:
        """States that are inputs by name, (worlds, n) or (n,)."""
        out = [np.empty((1, worlds, n)) for n in self.sizes]
        self.runner.run(inputs, out, worlds)
        return [Seen(self.skeleton, View(self.places, out, w), *points_of(out[-2][0, w], out[-1][0, w])) for w in range(worlds)]


def points_of(counts: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, int]:
    """(n, RAW), and whether there was no room for some."""
    n = int(counts[0]) if np.isfinite(counts[0]) else 0
    return points.reshape(-1, RAW)[:n], int(counts[5] > 0.5)


class View:
    """Outputs of one world, by name."""

    def __init__(self, places: Mapping[str, int], out: Sequence[np.ndarray], world: int) -> None:
        self.places, self.out, self.world = places, out, world

    def __getitem__(self, name: str) -> np.ndarray:
        return self.out[self.places[name]][0, self.world]


def looking(model: Model, dynamics: str, backend: str, solver: str = "auto") -> Looking:
    """Compiled, in doubles."""
    made, laid_out = program(model, dynamics, backend, solver)
    plan = make_plan(laid_out, made, backend)
    runner = one_by_one(make_runner(plan, backend, "float64"), workers=1)  # few states, which take less than handing them over
    return Looking(runner, tuple(len(slots) for slots in plan.outputs), Skeleton(model), {n: k for k, n in enumerate(runner.outputs)})
