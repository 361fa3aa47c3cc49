"""Implicit steps of a scene with deformables: joints and free nodes are one sparse system (RedMax notes Eqs. 2.83-2.88 with 2.75).

    [ A_rr + J_a' Z_aa J_a    J_a' Z_af  ] [ a_r ]     [ f_r + J_a' h K v ]
    [ Z_fa J_a                M_f + Z_ff ] [ a_f ]  =  [ f_f + h K v      ]       Z = h D - h^2 K of the elements

A_rr is what joints, bodies and forces give (recursive/forces.py), with the masses of attached nodes; J_a takes the joints' rates to the
velocities of attached nodes. Slender bodies are solved directly, large blocks by conjugate gradients.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.deformables.interaction import ElementLaw, NodeDrag
from redmax.dynamics.recursive import forces as coupled
from redmax.dynamics.soft.forces import ElementBatch, as_blocks, blocks_of, scatter
from redmax.dynamics.soft.joints import Ties
from redmax.dynamics.soft.solve import chosen_solver
from redmax.model.model import Model
from redmax.program.program import Host, ProgramStage
from redmax.solvers.reduced_matrix import ReducedMatrix


class SoftSystem:
    """The system of one model. solver: "auto", "direct" or "cg"."""

    def __init__(self, model: Model, backend: str, solver: str = "auto") -> None:
        self.model = model
        self.rigid = rigid_links(model)
        nodes = model.links[self.rigid :]
        self.nv = int(model.offsets[self.rigid])
        kept = np.array([link.joint.dof == 0 for link in nodes])
        parents = np.array([link.parent for link in nodes])
        self.free, self.attached = np.flatnonzero(~kept), np.flatnonzero(kept & (parents >= 0))
        self.parents = parents[self.attached]
        self.masses = np.array([link.shape.mass for link in nodes])
        self.drag = np.zeros(len(nodes))
        self.batches: list[ElementBatch] = []
        for acting in (a for soft in model.soft if soft.shape.implicit for a in soft.acting()):
            if isinstance(acting.law, ElementLaw):
                self.batches.append(ElementBatch(acting, acting.law, self.rigid, backend))
            elif isinstance(acting.law, NodeDrag):
                self.drag[acting.members[:, 0] - self.rigid] = acting.constants[:, 0]
        self.number_blocks(len(nodes))
        self.place_columns()
        dofs = np.array([link.joint.dof for link in model.links[: self.rigid]], int)
        self.known = np.repeat(np.array(model.prescribed[: self.rigid], bool), dofs)
        self.solver = chosen_solver(solver, self.ff)
        self.ties = Ties(model, self) if any(soft.ties for soft in model.soft) else None

    def number_blocks(self, count: int) -> None:
        """Where the elements' blocks go: between free nodes, from these to attached ones, and between attached ones."""
        among_free, among_attached = np.full(count, -1), np.full(count, -1)
        among_free[self.free], among_attached[self.attached] = np.arange(len(self.free)), np.arange(len(self.attached))
        diagonal = np.arange(count)
        rows, columns = (np.concatenate([part, diagonal]) for part in blocks_of(self.batches))  # the diagonal has mass in any case
        sizes = len(self.free), len(self.attached)
        self.ff = scatter(among_free[rows], among_free[columns], (sizes[0], sizes[0]))
        self.fa = scatter(among_free[rows], among_attached[columns], sizes)
        self.aa = scatter(among_attached[rows], among_attached[columns], (sizes[1], sizes[1]))

    def place_columns(self) -> None:
        """(attached node, coordinate) for each coordinate that moves an attached node."""
        offsets, tree = self.model.offsets, self.model.tree
        pairs = [
            (a, k)
            for a, parent in enumerate(self.parents.tolist())
            for j in tree.ancestors(parent)
            for k in range(offsets[j], offsets[j + 1])
        ]
        self.columns = np.array(pairs, int).reshape(-1, 2)

    def attached_jacobian(self, twist: np.ndarray, arms: np.ndarray) -> np.ndarray:
        """J_a, (3 attached, nv): twists of the coordinates (nv, 6) about the origin from which the arms (attached, 3) go."""
        J = np.zeros((len(self.attached), 3, self.nv))
        a, k = self.columns.T
        J[a, :, k] = twist[k, 3:] + np.cross(twist[k, :3], arms[a])
        return J.reshape(3 * len(self.attached), self.nv)

    def solve(self, view: Any) -> None:
        """Write qddot, and tau where it is found."""
        h, nv = float(view["h"][0]), self.nv
        x, R, V = (view[name].reshape(-1, *shape)[self.rigid :] for name, shape in (("x", (3,)), ("R", (3, 3)), ("V", (6,))))
        v = (R @ V[:, 3:, None])[..., 0]
        Z, pull = self.elements(x, v, h)
        diagonal = h * self.drag
        blocks = np.concatenate([Z, (np.eye(3).ravel() * (diagonal + self.masses)[:, None])])
        Z_ff = self.ff.matrix(blocks)
        blocks[len(Z) :] = np.eye(3).ravel() * diagonal[:, None]  # the masses of attached nodes are in A_rr
        arms = x[self.attached] - view["o"].reshape(-1, 3)[self.rigid :][self.attached]
        J = self.attached_jacobian(view["twist"].reshape(-1, 6)[:nv], arms)
        A = view["H"].reshape(nv, nv) + J.T @ (self.aa.matrix(blocks) @ J)
        C = self.fa.matrix(blocks) @ J
        right = view["right"]
        f_r, f_f = right[:nv] + J.T @ pull[self.attached].ravel(), right[nv:] + pull[self.free].ravel()
        given, known = view["given"], self.known
        a_r = np.where(known, given[:nv], 0.0)
        free = ~known
        system = Z_ff, C[:, free], A[np.ix_(free, free)], f_f - C @ a_r, (f_r - A @ a_r)[free]
        a_f, a_r[free] = self.solver(*system) if self.ties is None else self.ties.solve(system, view, a_r, x, v, h)
        view["qddot"] = np.concatenate([a_r, a_f])
        if known.any():
            tau = view["tau"]
            found = A @ a_r + C.T @ a_f - (f_r - right[:nv]) + view["bias"][:nv] - view["passive"][:nv]
            tau[:nv][known] = found[known]
            view["tau"] = tau

    def elements(self, x: np.ndarray, v: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
        """The blocks of h D - h^2 K, and h K v of each node, (N, 3)."""
        blocks = [np.zeros((0, 9))]
        pull = np.zeros_like(x)
        for batch in self.batches:
            K, D = batch.matrices(x, v)
            force = h * (K @ v[batch.nodes].reshape(len(K), -1, 1)).reshape(-1, 3)
            for axis in range(3):
                pull[:, axis] += np.bincount(batch.nodes.ravel(), force[:, axis], len(x))
            K *= -h * h
            if D is not None:
                K += h * D
            blocks.append(as_blocks(K))
        return np.concatenate(blocks), pull


def rigid_links(model: Model) -> int:
    """How many links are not nodes; these come first."""
    return len(model.bodies) + len(model.hidden)


def stages(model: Model, backend: str, solver: str) -> tuple[ProgramStage, ...]:
    """Fill the joints' part of the system, then the elements', and solve."""
    dofs = tuple(link.joint.dof for link in model.links[: rigid_links(model)])
    H = ReducedMatrix(dofs, (False,) * len(dofs))
    assemble = H.assemble("twist", "momentum", "block", "own")
    return *H.clear(), coupled.fill(), *assemble, Host("solve soft system", SoftSystem(model, backend, solver).solve)
