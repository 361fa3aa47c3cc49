"""Maximal coordinates: every body moves by itself, and the joints are constraints (RedMax notes Secs. 1.6-1.12).

The state is each body's pose E and twist phi. In the joint frame of body i with parent p, the relative twist is V_i - X V_p = S
qdot, so with N a basis of the complement of S the constraint rows are N^T (V_i - X V_p) = 0, for any joint. Their rate is exact:

    N^T (Vdot_i - X Vdot_p) = N^T (Sdot qdot - ad(V_rel) X V_p) - 2 b N^T V_rel - b^2 N^T e,      e = log(Q(q)^-1 E_rel)

q is carried along: the coordinates whose Q(q) is nearest to the relative pose, that is, whose error has no part along S. A joint
whose motion is prescribed has all six rows. Joint forces tau act as the wrench S (S^T S)^-1 tau; impedance (implicit steps) as a
block of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from redmax.backends.base import make_plan, make_runner
from redmax.dynamics.common.joint_laws import float_rates, followed_acceleration, followed_velocity, torque_within
from redmax.dynamics.dynamics import Dynamics
from redmax.dynamics.maximal import rigid
from redmax.dynamics.maximal.forces import ActingForces
from redmax.dynamics.maximal.joints import (
    JointMotions,
    Joints,
    complement,
    coordinates_along,
    dual,
    exerted,
    joint_motions,
    poses,
    stiffness_and_damping,
    turned,
)
from redmax.dynamics.maximal.solve import Block, JointEquation, solve_sparse, solve_tree
from redmax.dynamics.redmax.joints import COLUMN_STATE
from redmax.dynamics.redmax.system import joint_frame_inertia
from redmax.joints.body_frame import BodyFrame
from redmax.model.given_functions import body_wrench, world_wrench
from redmax.model.links import Link
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import Host, Program, ProgramStage
from redmax.program.relation import Tree

BAUMGARTE = 5.0
NO_BLOCK = np.zeros((6, 6))
NEAR = 0.1  # how far coordinates may move before charts are looked at again
EXACT = 1e-13  # part of the pose error along S that is left after projection, in radians and units of length


def twin_model(model: Model) -> Model:
    """The same bodies without joints: each a root, described by its pose and twist."""
    joint, I4, none = BodyFrame(), np.eye(4), np.zeros(6)
    start = I4[:3].ravel()

    def alone(link: Link) -> Link:
        placed = replace(link, joint=joint, parent=-1, at=I4, body=I4, q=start, qdot=none, torque=None, motion=None)
        return replace(placed, stiffness=none, damping=none, rest=none)

    links = tuple(alone(link) for link in model.links)
    n = len(links)
    return model.with_links(
        links, wrenches=(), joint_forces=(), tree=Tree((-1,) * n),
        cores=(joint,) * n, frames=(I4,) * n, prescribed=(False,) * n,
    )  # fmt: skip


class Maximal:
    """A model in maximal coordinates. `control`: torques given from outside, (nv,)."""

    def __init__(self, model: Model, backend: str) -> None:
        self.model, self.twin = model, twin_model(model)
        self.engine = Dynamics(model, backend)
        self.parent = np.array(model.tree.parent)
        self.body = np.array([C.T @ link.body for C, link in zip(model.frames, model.links, strict=True)])
        self.to_joint, self.to_body = rigid.adjoint(self.body), rigid.adjoint(rigid.inverse(self.body))
        self.M = joint_frame_inertia(model)
        self.parts = [slice(a, b) for a, b in zip(model.offsets[:-1], model.offsets[1:], strict=True)]
        self.control = np.zeros(model.nv)
        self.laws = [[partial(exerted, f) for f in model.within_joint(i)] for i in range(len(model.links))]
        self.baumgarte, self.sparse = BAUMGARTE, False
        self.configurations, self.places = model.configurations, model.configurations.parts()
        self.q, self.charted = self.configurations.join(model.q0), np.full(self.configurations.size, np.inf)
        fields = Fields(state={"q": "q", "qdot": "v", **COLUMN_STATE, "drift": 12}, world={"t": 1})
        outputs = ("S_columns", "Sdot_columns", "frame", "drift")
        program = Program("joint motions", (joint_motions,), fields, ("q", "qdot", "t"), outputs)
        self.motions = make_runner(make_plan(model, program, backend), backend, "float64")
        self.acting = ActingForces(self.twin, backend) if model.forces else None

    def stages(self, implicit: bool) -> tuple[ProgramStage, ...]:
        return (Host("solve maximal system", self.step_implicit if implicit else self.step_explicit),)

    def step_explicit(self, view: Any) -> None:
        self.unless_singular(self.solve_explicit, view)

    def step_implicit(self, view: Any) -> None:
        self.unless_singular(self.solve_implicit, view)

    def unless_singular(self, solve: Callable[[Any], None], view: Any) -> None:
        """A run that blows up is noticed by its result, where the joint can be named."""
        try:
            solve(view)
        except np.linalg.LinAlgError:
            view["qddot"] = np.full(6 * len(self.parent), np.nan)

    def fields(self, **more: Any) -> Fields:
        state: Any = {"q": "q", "qdot": "v", "tau": "v", "qddot": "v"}
        return Fields(state=state, world={"t": 1, "h": 1}, **more)

    def motion(self, q: np.ndarray, qdot: np.ndarray, t: float) -> JointMotions:
        """Compiled, at configurations q and rates qdot."""
        n, nv = len(self.parent), self.model.nv
        S, Sdot, frame, drift = (np.empty((1, 1, width)) for width in (6 * nv, 6 * nv, 18 * n, 12 * n))
        self.motions.run([q, qdot, np.full(1, t)], [S, Sdot, frame, drift], 1)
        E = np.tile(np.eye(4), (n, 1, 1))
        rows = frame.reshape(n, 18)
        E[:, :3, :3], E[:, :3, 3] = rows[:, :9].reshape(n, 3, 3), rows[:, 9:12]
        columns, rates = S.reshape(nv, 6), Sdot.reshape(nv, 6)
        s, sdot = np.moveaxis(drift.reshape(n, 2, 6), 1, 0)
        return JointMotions([columns[p].T for p in self.parts], [rates[p].T for p in self.parts], E, s, sdot)

    def joints(self, E: np.ndarray, phi: np.ndarray, t: float) -> Joints:
        """Where the joints are when the bodies are at E, moving with phi, at time t."""
        G = E @ rigid.inverse(self.body)
        root = self.parent < 0
        base = np.where(root[:, None, None], np.eye(4), G[self.parent])
        relative_pose = rigid.inverse(base) @ G
        q, error = self.project(relative_pose, t)
        X = rigid.adjoint(rigid.inverse(relative_pose))
        V = (self.to_joint @ phi[..., None])[..., 0]
        carried = (X @ np.where(root[:, None], 0.0, V[self.parent])[..., None])[..., 0]
        relative = V - carried
        m = self.motion(q, np.zeros(self.model.nv), t)
        qdot = coordinates_along(m.S, relative - m.s)
        m = self.motion(q, qdot, t)
        rates = np.array([s @ qdot[p] for s, p in zip(m.Sdot, self.parts, strict=True)]) + m.sdot
        x = q[self.configurations.coordinates]
        return Joints(G, X, m.S, m.s, rates - rigid.ad_product(relative, carried), error, V, relative, x, qdot, q)

    def project(self, relative: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        """The q nearest to the relative poses, starting from the last ones, and the errors that are left."""
        q, error = self.recharted(self.q), np.zeros((len(self.parent), 6))
        for _ in range(20):
            m = self.motion(q, np.zeros(self.model.nv), t)
            error = rigid.small_log(rigid.inverse(m.E) @ relative)
            delta = coordinates_along(m.S, error)
            if np.abs(delta).max(initial=0.0) < EXACT:
                break
            q = q.copy()
            q[self.configurations.coordinates] += delta
        self.q = q
        return q, error

    def recharted(self, q: np.ndarray) -> np.ndarray:
        """A copy in which joints near a singularity of their coordinates have changed to others; a motion's coordinates are its own."""
        q = q.copy()
        if np.abs(q - self.charted).max(initial=0.0) < NEAR:
            return q
        for link, p in zip(self.model.links, self.configurations.parts(), strict=True):
            free = link.joint.has_own("rechart") and link.motion is None
            new = link.joint.rechart([(q[p], np.zeros(link.joint.dof))]) if free else None
            if new is not None:
                q[p] = new[0][0]
        self.charted = q.copy()
        return q

    def solve_explicit(self, view: Any) -> None:
        """Accelerations, with Baumgarte's terms in the rows."""
        E, phi, t, b = poses(view["q"]), view["qdot"].reshape(-1, 6), float(view["t"][0]), self.baumgarte
        j = self.joints(E, phi, t)
        if self.acting is not None:
            self.acting.evaluate(view["q"], view["qdot"], t)
        forces = self.forces(j, E, t)
        equations = []
        for i, p in enumerate(self.parts):
            link, S = self.model.links[i], j.S[i]
            target = j.bias[i] - 2 * b * (j.relative[i] - j.s[i] - S @ j.qdot[p]) - b * b * j.error[i]
            if link.motion is not None:
                rates = float_rates(link.motion, t, link.joint.dof)
                qddot = followed_acceleration(link.motion_level, rates, link.gain, j.q[p], j.qdot[p])
                equations.append(JointEquation(np.eye(6), target + S @ qddot, NO_BLOCK))
            else:
                N = complement(S)
                self.apply(forces, i, j, self.torque(i, j, t))
                equations.append(JointEquation(N, N.T @ target, NO_BLOCK))
        self.finish(view, j, forces, equations)

    def solve_implicit(self, view: Any) -> None:
        """Linearly implicit Euler: rows on velocities, N^T V_rel = -b N^T e at the end, and the joints' impedance as blocks."""
        E, phi, t, h = poses(view["q"]), view["qdot"].reshape(-1, 6), float(view["t"][0]), float(view["h"][0])
        j = self.joints(E, phi, t)
        if self.acting is not None:
            self.acting.evaluate(view["q"], view["qdot"], t, h)
        forces = self.forces(j, E, t)
        equations = []
        for i, p in enumerate(self.parts):
            link, S = self.model.links[i], j.S[i]
            target = (j.s[i] - self.baumgarte * j.error[i] - j.relative[i]) / h
            if link.motion is not None:
                rates = float_rates(link.motion, t, link.joint.dof)
                velocity = followed_velocity(link.motion_level, rates, link.velocity_gain, h, j.q[p], j.qdot[p])
                equations.append(JointEquation(np.eye(6), target + S @ velocity / h, NO_BLOCK))
            else:
                N, Y = complement(S), dual(S)
                K, D = stiffness_and_damping(link, self.laws[i], t, j.q[p], j.qdot[p])
                self.apply(forces, i, j, self.torque(i, j, t) + h * K @ j.qdot[p])
                block = Y @ (h * D - h * h * K) @ Y.T
                equations.append(JointEquation(N, N.T @ target, block))
        self.finish(view, j, forces, equations, [] if self.acting is None else self.acting.blocks(self.to_body))

    def forces(self, j: Joints, E: np.ndarray, t: float) -> np.ndarray:
        """Weight, Coriolis forces and wrenches on the bodies, (n, 6), in joint frames."""
        n = len(self.parent)
        fall = np.zeros((n, 6))
        fall[:, 3:] = self.model.gravity @ j.G[:, :3, :3]
        total = (self.M @ fall[..., None])[..., 0] + rigid.coriolis(j.V, (self.M @ j.V[..., None])[..., 0])
        if self.acting is not None:
            total += (self.to_body.transpose(0, 2, 1) @ self.acting.wrenches[..., None])[..., 0]
        for w in self.model.wrenches:
            on_body = np.asarray(body_wrench((w,), t) if w.frame == "body" else turned(world_wrench((w,), t)[0], E[w.body]), float)
            total[w.body] += self.to_body[w.body].T @ on_body
        return total

    def torque(self, i: int, j: Joints, t: float) -> np.ndarray:
        """What acts in a joint: from outside, its spring and damper, the scene's function, the forces within it."""
        link, p = self.model.links[i], self.parts[i]
        own = link.joint.force(j.configuration[self.places[i]], j.qdot[p]) if link.joint.has_own("force") else None
        laws = self.laws[i] if link.torque is None else [link.torque, *self.laws[i]]
        exerted = [self.control[p], own, *[np.ravel(np.asarray(law(t, j.q[p], j.qdot[p]), float)) for law in laws]]
        return np.asarray(torque_within(link.stiffness, link.damping, link.rest, j.q[p], j.qdot[p], exerted), float)

    def apply(self, forces: np.ndarray, i: int, j: Joints, tau: np.ndarray) -> None:
        """A joint force as a wrench on the child, and its reaction on the parent."""
        wrench = dual(j.S[i]) @ tau
        forces[i] += wrench
        if self.parent[i] >= 0:
            forces[self.parent[i]] -= j.X[i].T @ wrench

    def finish(self, view: Any, j: Joints, forces: np.ndarray, equations: list[JointEquation], blocks: Sequence[Block] = ()) -> None:
        """blocks: of what forces add to the inertia of an implicit step, within bodies and between them."""
        if self.sparse or blocks:
            acceleration, self.reactions = solve_sparse(self.parent, self.M, forces, j.X, equations, blocks)
        else:
            acceleration, self.reactions = solve_tree(self.parent, self.M, forces, j.X, equations)
        view["qddot"] = (self.to_body @ acceleration[..., None]).ravel()

    def inward(self, q: np.ndarray, qdot: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Poses (12 n,) and twists (6 n,) of a reduced state: a configuration and rates (nv,)."""
        seen = self.engine.observe(q, qdot, t)
        self.q = q.copy()
        return seen.pose[:, :3].ravel(), seen.twist.ravel()

    def outward(self, pose: np.ndarray, twist: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The reduced state nearest to poses and twists, and how far each joint is open: the norm of its pose error, (n,)."""
        j = self.joints(poses(pose), twist.reshape(-1, 6), t)
        return j.configuration, j.qdot, np.linalg.norm(j.error, axis=1)
