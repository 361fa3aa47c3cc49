"""Exact derivatives of forward and inverse dynamics by everything that goes in, at states (..., n).

Along the trees they are what dynamics/recursive/forward_derivatives.py and inverse_derivatives.py derive: recursions over bodies and the
columns of their ancestors. By time, by parameters, and where constraints hold the motion, programs are differentiated as they were traced
(program/tangent.py). Coordinates of joints on groups are along their body twists.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from redmax.dynamics import undriven
from redmax.dynamics.common.corners import lines, refuse_meeting_ends, refuse_singular_joints, several
from redmax.dynamics.common.parameter_slopes import by_name, value_of
from redmax.dynamics.common.state_arrays import check_inputs, label_of
from redmax.dynamics.constrained_motion import MOMENT
from redmax.dynamics.linearization import Linearization
from redmax.dynamics.recursive.forward_derivatives import ForwardProgram
from redmax.dynamics.recursive.inverse_derivatives import InverseProgram
from redmax.dynamics.recursive.system import dynamics_fields, hybrid_dynamics
from redmax.errors import SceneError, SimulationError
from redmax.forces.path import PathForce
from redmax.memory import check_room
from redmax.program.kernel import PARAMETERS
from redmax.program.program import Program
from redmax.types import Given


class ForwardDerivatives(NamedTuple):
    """How the accelerations of forward dynamics change: [..., i, k] is by the k-th.

    q: (..., nv, nv) by q, where a joint is on a group along its body twists; qdot: (..., nv, nv); tau: (..., nv, nv), M^-1
    t: (..., nv) by the time alone;  parameters: name -> (..., nv, its shape);  value: (..., nv) the accelerations
    """

    q: np.ndarray
    qdot: np.ndarray
    tau: np.ndarray
    t: np.ndarray
    parameters: Mapping[str, np.ndarray]
    value: np.ndarray


class InverseDerivatives(NamedTuple):
    """How the joint forces of inverse dynamics change: [..., i, k] is by the k-th.

    q: (..., nv, nv) by q, where a joint is on a group along its body twists; qdot: (..., nv, nv); qddot: (..., nv, nv), M
    t: (..., nv) by the time alone;  parameters: name -> (..., nv, its shape);  value: (..., nv) the joint forces
    """

    q: np.ndarray
    qdot: np.ndarray
    qddot: np.ndarray
    t: np.ndarray
    parameters: Mapping[str, np.ndarray]
    value: np.ndarray


class Derivatives(Linearization):
    """The functions of `Dynamics` that differentiate it."""

    def forward_derivatives(
        self, q: ArrayLike, qdot: ArrayLike, tau: Given = None, wrench: Given = None, t: ArrayLike = 0.0
    ) -> ForwardDerivatives:
        """How the accelerations of `forward` change with q, qdot, tau, time and parameters, at states (..., n). Exact.

        With springs, dampers, forces and constraints of the scene, those where they act; prescribed joints move as they are told.
        """
        owner, given = "Dynamics.forward_derivatives", {"q": q, "qdot": qdot, "tau": tau, "wrench": wrench, "t": t}
        self.refuse_map(owner)
        name, program = self.motion_program(wrench is not None)
        if self.model.constraints:
            found = self.by_directions(owner, name, program, given, ("q", "qdot", "tau"))
        else:
            found = self.by_columns_of(owner, ForwardProgram, given | {"qddot": None}, wrench is not None)
        value, by_q, by_qdot, by_tau = found
        if not self.model.constraints and self.several_coordinates:  # M^-1 is singular where constraints hold the motion
            refuse_singular_joints(self.model, self.several_coordinates, owner, by_tau)
        self.refuse_corners(owner, given)
        return ForwardDerivatives(by_q, by_qdot, by_tau, *self.beside(name, program, given, value.shape), value)

    def inverse_derivatives(
        self, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, wrench: Given = None, t: ArrayLike = 0.0
    ) -> InverseDerivatives:
        """How the joint forces of `inverse` change with q, qdot, qddot, time and parameters, at states (..., n). Exact.

        With springs, dampers and forces of the scene. Where constraints hold the motion, with the multipliers that `inverse` takes there.
        """
        owner, given = "Dynamics.inverse_derivatives", {"q": q, "qdot": qdot, "qddot": qddot, "wrench": wrench, "t": t}
        self.refuse_map(owner)
        return undriven.matrices(self, owner, given) if self.model.constraints else self.inverse_matrices(owner, given)

    def inverse_matrices(self, owner: str, given: dict[str, Any]) -> InverseDerivatives:
        """The same as if nothing held the motion."""
        wrench = given["wrench"] is not None
        found = self.by_columns_of(owner, InverseProgram, given, wrench)
        name, program = f"inverse {wrench}", self.program_of("inverse", wrench)
        value, by_q, by_qdot, by_qddot = found
        self.refuse_corners(owner, given)
        return InverseDerivatives(by_q, by_qdot, by_qddot, *self.beside(name, program, given, value.shape), value)

    def refuse_map(self, owner: str) -> None:
        """Raise where a map of coordinates holds the scene."""
        if self.model.map is not None:
            why = "is of joints and bodies, and of constraints, but a map of coordinates holds the scene"
            raise SceneError(f"{owner} {why}. Leave out the map.", owner=owner, argument="scene")

    def motion_program(self, wrench: bool) -> tuple[str, Program]:
        """Its name and the program of accelerations, with constraints where they act."""
        return self.once(("motion", wrench), lambda: self.new_motion_program(wrench))

    def new_motion_program(self, wrench: bool) -> tuple[str, Program]:
        """The same, put together."""
        names = ("q", "qdot", "tau", "t", *(("wrench",) * wrench))
        if self.model.constraints:
            from redmax.dynamics.common.forward_with_rows import constrained_program

            found = constrained_program(self.model, wrench, MOMENT)
            return f"motion with rows {wrench}", Program(found.name, found.stages, found.fields, names, ("qddot",))
        return f"motion {wrench}", Program("forward dynamics", (hybrid_dynamics,), dynamics_fields(wrench, self.model), names, ("qddot",))

    def by_columns_of(self, owner: str, kind: type, given: dict[str, Any], wrench: bool) -> list[np.ndarray]:
        """What comes out, (..., nv), and how it changes, (..., nv, nv) each."""
        n, made = self.model.nv, self.once((kind, wrench), lambda: kind(self.model, wrench))
        names = [k for k in made.program.inputs if k in given]
        shape, inputs = self.arrays(**{k: given[k] for k in names})
        check_room(72 * math.prod(shape) * n * n, f"Derivatives of {math.prod(shape):,} states", "Ask for fewer at a time.")
        outputs = [np.empty((1, math.prod(shape), k), self.dtype) for k in (n, n * n, n * n, n * n)]
        if math.prod(shape) and self.runner(f"{owner} {wrench}", made.program).run(inputs, outputs, math.prod(shape)):
            self.say_where(owner, made.program, inputs, outputs)
        widths = ((n,), (n, n), (n, n), (n, n))
        return [o.reshape(*shape, *w) for o, w in zip(outputs, widths, strict=True)]

    def say_where(self, owner: str, program: Program, inputs: list[np.ndarray], outputs: list[np.ndarray]) -> None:
        """Raise for what is not finite: an input, what comes out, or a derivative alone."""
        check_inputs(self.model, program, inputs[: len(program.inputs)])
        n, what = self.model.nv, program.outputs[0]
        bad = np.argwhere(~np.isfinite(outputs[0][0]))
        if len(bad):
            value, where = outputs[0][0][tuple(bad[0])], label_of(self.model, what, int(bad[0][-1]))
            raise SimulationError(f"{owner}: {what} is {value}{where}: the state is singular or too large.")
        for name, array in zip(program.outputs[1:], outputs[1:], strict=True):
            bad = np.argwhere(~np.isfinite(array[0]))
            if len(bad):
                row, column = divmod(int(bad[0][-1]), n)
                by = name.rpartition(" by ")[2]
                moved = f"{by} of joint {self.model.joint_of(column)!r}"
                said = f"{owner}: {what} of joint {self.model.joint_of(row)!r} has no derivative by {moved} at this state"
                hint = "a force has a corner there, or a length of zero, or a joint is singular. Take a state beside it"
                raise SimulationError(f"{said}: {hint}.")

    def by_directions(self, owner: str, name: str, program: Program, given: dict[str, Any], by: tuple[str, ...]) -> list[np.ndarray]:
        """The same by differentiating the program as it was traced, one direction in a lane."""
        columns, state = self.by_columns(), self.spread(**given)
        each = np.eye(self.model.nv, dtype=self.dtype)
        slopes = [np.swapaxes(columns.slope(f"slope of {name}", program, state, {x: each}), -1, -2) for x in by]
        shape, arrays = self.arrays(**{k: given[k] for k in program.inputs})
        (value,) = self.call(name, program, arrays, shape, (self.model.nv,))
        return [value, *(np.broadcast_to(x, (*shape, *x.shape[-2:])) for x in slopes)]

    def beside(
        self, name: str, program: Program, given: dict[str, Any], shape: tuple[int, ...]
    ) -> tuple[np.ndarray, Mapping[str, np.ndarray]]:
        """How it changes with the time, (..., nv), and with each parameter, (..., nv, its shape)."""
        by_time = np.zeros(shape, self.dtype)
        if self.depends_on_time:
            by_time = np.broadcast_to(self.slope(f"slope of {name}", program, given, {}, time=1.0), shape).copy()
        if self.parameters is None:
            return by_time, {}
        columns, state = self.by_columns(), self.spread(**given)
        each = np.eye(self.parameters.shape[-1], dtype=self.dtype)
        slopes = np.swapaxes(columns.slope(f"slope of {name}", program, state, {PARAMETERS: each}), -1, -2)
        names, values = self.parameter_values()
        spread = np.broadcast_to(slopes, (*shape, slopes.shape[-1]))
        found = by_name(self.model, names, spread, values, (self.model.nv,), "Dynamics")
        return by_time, self.named_slopes(found, 1)

    def parameter_values(self) -> tuple[list[str], dict[str, np.ndarray]]:
        """Their names and values, (..., its shape)."""
        known = self.model.parameters
        made = [p.remaking for p in known if p.remaking is not None]
        values = {p.name: value_of(p) for p in known if not p.path}
        values |= {name: np.asarray(x.values[path], float) for x in made for path, name in x.names.items()}
        return [p.name for p in known], values | {name: np.asarray(x, float) for name, x in self.given.items()}

    def refuse_corners(self, owner: str, given: Mapping[str, Any]) -> None:
        """Raise where a force along a line has none (common/corners.py)."""
        if self.straight_lines:
            refuse_meeting_ends(self, self.straight_lines, owner, given["q"], given["qdot"], given["t"])

    @cached_property
    def straight_lines(self) -> tuple[PathForce, ...]:
        """The forces along a line between two points."""
        return lines(self.model)

    @cached_property
    def several_coordinates(self) -> tuple[tuple[int, int, int], ...]:
        """The joints that may be singular, with their first and last rates."""
        return several(self.model)

    @cached_property
    def depends_on_time(self) -> bool:
        """Whether the time alone may change the motion: by joints, motions, torques, wrenches or forces."""
        model = self.model
        timed = any(link.joint.timed or link.motion is not None or link.torque is not None for link in model.links)
        return timed or bool(model.wrenches or model.forces or model.joint_forces or model.constraints)
