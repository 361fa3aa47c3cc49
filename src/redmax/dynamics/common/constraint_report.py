"""What the rows of one constraint are at many states, read off their trace: gap, rate, what velocities add to it, and G place by place.

    gdot = G qdot + dg/dt,    gddot = G qddot + bias            bias: gddot of a motion without qddot
    G qdot = sum over places of (w_omega . omega + w_v . v) + sum over joints of D . qdot

(w_omega; w_v) is what a row does to a place for each unit of its multiplier, a torque and a force in world axes; D the same of coordinates.
Nothing is shared with the programs of runs (constraints/law.py, solvers/along_tree.py) but the trace itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.backends.base import make_runner
from redmax.constraints.base import Constraint
from redmax.constraints.carried import Carrying
from redmax.constraints.law import Motion, Rows, RowsLaw
from redmax.constraints.twist_rows import TwistRows
from redmax.dynamics.common.called_rows import called_states
from redmax.dynamics.common.carried_states import carried_states
from redmax.dynamics.common.force_report import States, constants_of_states, member_numbers
from redmax.forces.law import filled_with
from redmax.model.model import Model
from redmax.program.function import function_plan
from redmax.trace import gradient, jvp

if TYPE_CHECKING:
    from redmax.dynamics.kinematics import Kinematics


@dataclass(frozen=True, eq=False)
class RowStates:
    """Rows of one constraint at states (...).

    gap, rate, bias: (..., rows);  speed: (..., rows), G qdot with what joints do by themselves;  points: (..., places, 3) in the world
    pulls: (..., rows, places, 6), torque and force of each row on each place;  slopes: (..., rows, rates of the joints that it reads)
    springs: (..., rows), lambda of a constraint that gives way, zeros of others;  stored: (..., 1), the energy that it has then
    """

    gap: np.ndarray
    rate: np.ndarray
    bias: np.ndarray
    speed: np.ndarray
    points: np.ndarray
    pulls: np.ndarray
    slopes: np.ndarray
    springs: np.ndarray
    stored: np.ndarray
    carried: np.ndarray  # (..., n), coordinates of its own


def dofs_read(model: Model, constraint: Constraint) -> tuple[int, ...]:
    """How many rates each joint has that a constraint reads."""
    return tuple(model.links[b.index].joint.dof for b in constraint.joints)


def constraint_report(dynamics: Kinematics, constraint: Constraint, states: States, drift: np.ndarray) -> RowStates:
    """drift: (..., links, 6), the rates of all twists without qddot, of body frames in body axes."""
    lead, m, places = states.qdot.shape[:-1], constraint.size, len(constraint.anchors)
    rows, n = inputs_of(dynamics, constraint, states, drift), sum(dofs_read(dynamics.model, constraint))
    shapes = {"gap": (m,), "rate": (m,), "bias": (m,), "speed": (m,), "points": (places, 3), "pulls": (m, places, 6), "slopes": (m, n)}
    shapes |= {"springs": (m,), "stored": (1,)}
    found = evaluated(dynamics, constraint, "report", rows, Report(constraint), shapes, lead)
    return RowStates(*found, carried=rows.get("carried", np.zeros((prod(lead), 0))).reshape(*lead, -1))


def inputs_of(dynamics: Kinematics, constraint: Constraint, states: States, drift: np.ndarray) -> dict[str, np.ndarray]:
    """What the trace of a constraint takes, by name, (states, n) each."""
    lead = states.qdot.shape[:-1]
    inputs = {"t": states.t[..., None]} | member_numbers(dynamics.model, constraint, states)
    for i, b in enumerate(constraint.bodies):
        inputs[f"rates{i}"] = drift[..., b.index, :]
    inputs["constants"] = constants_of_states(dynamics, constraint, lead)
    rows = {name: np.ascontiguousarray(x, float).reshape(prod(lead), prod(x.shape[len(lead) :])) for name, x in inputs.items()}
    if isinstance(constraint, Carrying) and constraint.carries:
        rows["carried"] = carried_states(constraint, law_of(dynamics.model, constraint).text, rows, motion_of, dynamics.backend)
    elif isinstance(constraint, TwistRows) and constraint.carries:
        rows["carried"] = called_states(constraint, states)
    return rows


def law_of(model: Model, constraint: Constraint) -> RowsLaw:
    """What tells the trace of a constraint from others."""
    return RowsLaw(constraint, dofs_read(model, constraint))


def evaluated(
    dynamics: Kinematics,
    constraint: Constraint,
    what: str,
    rows: Mapping[str, np.ndarray],
    function: Callable[..., list[Any]],
    shapes: Mapping[str, tuple[int, ...]],
    lead: tuple[int, ...],
) -> list[np.ndarray]:
    """A traced function of these inputs at all states: its results (..., *shape)."""
    widths, count = {name: prod(shape) for name, shape in shapes.items()}, prod(lead)
    named = f"{what} of {law_of(dynamics.model, constraint).text}"
    plan = function_plan(named, {n: x.shape[1] for n, x in rows.items()}, widths, function)
    outputs = [np.empty((1, count, w)) for w in widths.values()]
    make_runner(plan, dynamics.backend, "float64").run(list(rows.values()), outputs, count)
    return [x[0].reshape(*lead, *shape) for x, shape in zip(outputs, shapes.values(), strict=True)]


@dataclass(frozen=True, eq=False)
class Report:
    """The traced function behind a report."""

    constraint: Constraint

    def rows(self, t: Any, constants: Any, members: Mapping[str, Any]) -> Rows:
        """Those of the constraint, over what its members are."""
        constraint = filled_with(self.constraint, constants)
        motions = [motion_of(members[f"body{i}"], members[f"rates{i}"]) for i in range(len(constraint.bodies))]
        joints = [(members[f"q{k}"], members[f"qdot{k}"], np.zeros(len(members[f"qdot{k}"]))) for k in range(len(constraint.joints))]
        if constraint.carries:
            constraint = constraint.replaced(carried=(members["carried"], None))
        return Rows(constraint, motions, joints, t[0])

    def __call__(self, t: Any, constants: Any, **members: Any) -> list[Any]:
        rows = self.rows(t, constants, members)
        constraint, joints = rows.constraint, rows.joints
        bias = rows.back(jvp(rows.traced_rate, rows.moving() | rows.speeding(carried=False)))
        points = np.concatenate([np.zeros(0), *[site.x for site in rows.sites]])
        slopes = np.concatenate([np.zeros((constraint.size, 0)), *[rows.slopes(k, len(v)) for k, (_, v, _) in enumerate(joints)]], axis=1)
        W, V = pulls(rows), np.concatenate([np.zeros(0), *[x for site in rows.sites for x in (site.omega, site.v)]])
        speed = W @ V + slopes @ np.concatenate([np.zeros(0), *[v for _, v, _ in joints]])
        springs = rows.spring if constraint.compliant else np.zeros(constraint.size)
        return [rows.gap, rows.rate, bias, speed, points, W, slopes, springs, [rows.stored]]


def motion_of(body: Any, rates: Any) -> Motion:
    """From what `member_numbers` has of a body, and the rate of its twist."""
    R, x, omega, v = body[:9].reshape(3, 3), body[9:12], body[12:15], body[15:]
    turning = np.array([omega[1] * v[2] - omega[2] * v[1], omega[2] * v[0] - omega[0] * v[2], omega[0] * v[1] - omega[1] * v[0]], object)
    return Motion(R, x, omega, v, R @ rates[:3], R @ rates[3:] + turning, np.zeros(3))


def pulls(rows: Rows) -> Any:
    """(rows, 6 places): d gdot/d(omega, v) of each place."""
    inputs = [x for site in rows.local for x in (*site.omega, *site.v)]
    found = [rows.back(gradient(row, inputs)) if hasattr(row, "graph") else np.zeros(len(inputs)) for row in rows.traced_rate]
    return np.array(found, object).reshape(len(found), len(inputs))
