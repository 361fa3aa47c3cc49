"""The functions of `Dynamics` that say how the rows of constraints change: Gdot along a motion, and dg by what may be a parameter.

    Gdot = ydot' J + y' Jdot + Ddot            y: what a row does to bodies for each unit of its multiplier, in body frames
    dg/dp = dg/dc dc/dp                         of the constraint's own numbers
    dg/dp = sum over places of w_v . dx/dp      of where joints and body frames are

Gdot of unit rates are the derivatives of G by the coordinates of joints whose rates are those of coordinates.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from redmax.constraints.base import Constraint
from redmax.dynamics.common.constraint_report import RowStates, dofs_read, evaluated, inputs_of
from redmax.dynamics.common.force_report import States
from redmax.dynamics.common.parameter_slopes import are_poses, remade
from redmax.dynamics.common.row_derivatives import ConstantReport, RateReport
from redmax.dynamics.common.row_wrenches import on_bodies, on_coordinates
from redmax.dynamics.constraints import ConstraintFunctions
from redmax.errors import SceneError, unknown
from redmax.model.made_again import force_maker
from redmax.model.parameters import Parameter, indices, known_parameters
from redmax.model.remade import places, remaking

PLACES = ("at", "com")  # parameters that move bodies, with x, y, z of each
TURNS = ("at_turn", "body_turn")


class ConstraintDerivatives(ConstraintFunctions):
    """Those functions. name: of one constraint; None for all of them, in the order of the scene."""

    def constraint_jacobian_rate(self, q: ArrayLike, qdot: ArrayLike, name: str | None = None, t: ArrayLike = 0.0) -> np.ndarray:
        """Gdot, (..., rows, nv): the rate of `constraint_jacobian` along a motion, with what time adds."""
        states, reports = self.row_states(q, qdot, name, t)
        J, Jdot = self.jacobian(states.q, states.qdot, t=states.t)
        found = [np.zeros((*states.qdot.shape[:-1], 0, self.model.nv))]
        for constraint, rows in reports:
            y, ydot, Ddot = self.moving_rows(constraint, rows, states)
            lines = (*y.shape[:-2], 6 * len(self.model.links))
            found.append(ydot.reshape(lines) @ J + y.reshape(lines) @ Jdot + on_coordinates(self.model, constraint, Ddot))
        return np.concatenate(found, axis=-2).astype(self.dtype, copy=False)

    def moving_rows(self, constraint: Constraint, rows: RowStates, states: States) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """y and ydot, (..., rows, links, 6) in body frames, and Ddot (..., rows, rates of the joints that a constraint reads)."""
        lead, m, n = states.qdot.shape[:-1], constraint.size, sum(dofs_read(self.model, constraint))
        inputs = inputs_of(self, constraint, states, self.drift(states.q, states.qdot, states.t)[1])
        shapes = {"pulls": (m, len(constraint.anchors), 6), "slopes": (m, n)}
        rates, Ddot = evaluated(self, constraint, "rates", inputs, RateReport(constraint), shapes, lead)
        pose, twist = states.seen.pose[..., None, :, :, :], states.seen.twist[..., None, :, :]
        points, pulls = rows.points[..., None, :, :], rows.pulls
        y, ydot = on_bodies(constraint, pose, points, pulls), on_bodies(constraint, pose, points, rates)
        w = twist[..., :3]
        ydot[..., :3] -= np.cross(w, y[..., :3])  # as seen from axes that turn
        ydot[..., 3:] -= np.cross(w, y[..., 3:])
        return y, ydot + turning_arms(constraint, pose, points, pulls, w), Ddot

    def constraint_gap_derivative(self, q: ArrayLike, parameter: str, name: str | None = None, t: ArrayLike = 0.0) -> np.ndarray:
        """dg/dp, (..., rows, *shape of p): how the gaps change with what may be a parameter of a run, such as "rod.length" or "arm.at".

        Numbers of constraints, and where joints (at) and body frames (com) are; what moves nothing, as a mass, gives zeros. At the same
        q; of constraints on velocities, zeros.
        """
        known = known_parameters(self.model)
        if parameter not in known:
            raise SceneError(unknown("parameter", parameter, list(known)), owner="constraint_gap_derivative", argument="parameter")
        p, (states, reports) = known[parameter], self.row_states(q, None, name, t)
        found = [np.zeros((*states.qdot.shape[:-1], 0, p.default.size))]
        found += [self.gap_by(p, constraint, rows, states) for constraint, rows in reports]
        together = np.concatenate(found, axis=-2).astype(self.dtype, copy=False)
        return together.reshape(*together.shape[:-1], *p.shape)

    def gap_by(self, p: Parameter, constraint: Constraint, rows: RowStates, states: States) -> np.ndarray:
        """(..., rows, columns) of one constraint."""
        lead, nothing = states.qdot.shape[:-1], np.zeros((*states.qdot.shape[:-1], constraint.size, p.default.size))
        if p.owner is constraint and not are_poses(p.default.reshape(p.shape)):
            inputs = inputs_of(self, constraint, states, self.drift(states.q, states.qdot, states.t)[1])
            shapes = {"constants": (constraint.size, inputs["constants"].shape[1])}
            [slopes] = evaluated(self, constraint, "constants", inputs, ConstantReport(constraint), shapes, lead)
            return self.by_own_number(p, constraint, slopes)
        moves = p.path[:1] == ("joint",) or p.what.partition(".")[0] in (*PLACES, *TURNS)
        if p.owner is not constraint and (p.place is None or constraint.of_velocities or not moves):
            return nothing
        if p.path or p.place is None or p.what.partition(".")[0] in TURNS:
            of = "how a frame is turned" if not p.path else "an argument of a joint" if p.place is not None else "where a place is"
            said = f"{p.name!r} is {of}, by which gaps are not differentiated: take differences"
            raise SceneError(f"{said} of Dynamics(model, parameters={{{p.name!r}: ...}}).constraint_gap.", argument="parameter")
        return self.gap_by_place(p, p.place, constraint, rows, states)

    def by_own_number(self, p: Parameter, constraint: Constraint, slopes: np.ndarray) -> np.ndarray:
        """(..., rows, columns) of one of a constraint's own numbers, from slopes by its constants."""
        if not p.path:
            chosen = [constant for constant, _ in indices(p)]
            return slopes[..., chosen]
        value = p.default.reshape(p.shape)
        made = remaking(force_maker(self.model, constraint, placed=False), {p.path: value}, {p.path: p.name})
        columns = slopes[..., places(made.make({}), made.entries)]
        given = np.asarray(self.given.get(p.name, value), float)
        found = remade(made, p.path, columns, {p.name: given}, (constraint.size,), "constraint_gap_derivative")
        return found.reshape(*found.shape[: slopes.ndim - 1], p.default.size)

    def gap_by_place(self, p: Parameter, i: int, constraint: Constraint, rows: RowStates, states: States) -> np.ndarray:
        """Of where joint i is, in its parent's joint frame, or of where its body frame is, in the joint's."""
        what, _, axis = p.what.partition(".")
        link, pose = self.model.links[i], states.seen.pose
        turned = pose[..., link.parent, :3, :3] @ self.joint_axes(link.parent).T if link.parent >= 0 else np.eye(3)
        turned = turned if what == "at" else pose[..., i, :3, :3] @ self.joint_axes(i).T
        moved = {j for j in range(len(self.model.links)) if i in self.model.tree.ancestors(j)} if what == "at" else {i}
        columns = range(3) if not axis else ["xyz".index(axis)]
        on = [k for k, a in enumerate(constraint.anchors) if a.member >= 0 and constraint.bodies[a.member].index in moved]
        pull = rows.pulls[..., on, 3:].sum(axis=-2)
        return pull @ np.broadcast_to(turned, (*pose.shape[:-3], 3, 3))[..., list(columns)]

    def joint_axes(self, i: int) -> np.ndarray:
        """(3, 3): of the body frame, in the joint frame."""
        return self.model.links[i].body[:3, :3]


def turning_arms(constraint: Constraint, pose: np.ndarray, points: np.ndarray, pulls: np.ndarray, w: np.ndarray) -> np.ndarray:
    """(..., rows, links, 6): what moments change by as places turn about the origins of their bodies. w: (..., links, 3), in body axes"""
    ends = points.copy()
    for k, anchor in enumerate(constraint.anchors):
        if anchor.member >= 0:
            b = constraint.bodies[anchor.member].index
            E = pose[..., b, :, :]
            ends[..., k, :] = E[..., :3, 3] + np.cross((E[..., :3, :3] @ w[..., b, :, None])[..., 0], points[..., k, :] - E[..., :3, 3])
    forces = np.concatenate([np.zeros_like(pulls[..., :3]), pulls[..., 3:]], axis=-1)
    found = on_bodies(constraint, pose, ends, forces)
    return np.concatenate([found[..., :3], np.zeros_like(found[..., 3:])], axis=-1)
