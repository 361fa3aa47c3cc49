"""Nodes held to bodies by constraint rows instead of by J_a (RedMax notes Sec. 2.8; for comparison, the published mass-spring scene).

x_node - x_body = g = 0:     G qdot1 = -b g,  so  G a = (-b g - G qdot0) / h,  with three rows of G for each node
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.model.model import Model
from redmax.solvers.bordered import solve_sparse_with_rows

if TYPE_CHECKING:
    from redmax.dynamics.soft.system import SoftSystem

BAUMGARTE = 5.0


class Ties:
    """The rows of one model."""

    def __init__(self, model: Model, system: SoftSystem) -> None:
        self.system = system
        held = [(soft.first - system.rigid + i, b, place) for soft in model.soft for i, b, place in soft.ties]
        self.nodes = np.array([i for i, _, _ in held])
        self.bodies = [b for _, b, _ in held]
        # in the joint frames that the user sees; the kernels' frames are turned by C
        self.places = [place if b < 0 else model.frames[b][:3, :3].T @ place for _, b, place in held]
        free = {int(n): k for k, n in enumerate(system.free)}
        self.columns = np.array([free[int(i)] for i in self.nodes])
        self.moved = [[] if b < 0 else [k for j in model.tree.ancestors(b) for k in range(*model.offsets[j : j + 2])] for b in self.bodies]

    def solve(self, given: Any, view: Any, a_r: np.ndarray, x: np.ndarray, v: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
        """x and y of the bordered system with the rows, by elimination."""
        from scipy.sparse import block_array, csc_array

        S, C, A, f, g = given
        nv, free = self.system.nv, ~self.system.known
        G_r, at, rate = self.rows(view, nv)
        G_f = np.zeros((3 * len(self.nodes), len(f)))
        for row, column in enumerate(self.columns):
            G_f[3 * row : 3 * row + 3, 3 * column : 3 * column + 3] = np.eye(3)
        off = (x[self.nodes] - at).ravel()
        target = (-BAUMGARTE * off - ((v[self.nodes] - rate).ravel())) / h + G_r @ a_r
        G = np.concatenate([G_f, -G_r[:, free]], axis=1)
        whole = block_array([[S, csc_array(C)], [csc_array(C.T), csc_array(A)]])
        found, _ = solve_sparse_with_rows(whole, np.concatenate([f, g]), G, target)
        return found[: len(f)], found[len(f) :]

    def rows(self, view: Any, nv: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of the points that nodes are held to: their Jacobian (3 rows, nv), where they are and how they move, (rows, 3)."""
        twist, origin = view["twist"].reshape(-1, 6)[:nv], view["o"].reshape(-1, 3)
        R, x, V = view["R"].reshape(-1, 3, 3), view["x"].reshape(-1, 3), view["V"].reshape(-1, 6)
        J, at, rate = np.zeros((len(self.nodes), 3, nv)), np.zeros((len(self.nodes), 3)), np.zeros((len(self.nodes), 3))
        for row, (b, place, moved) in enumerate(zip(self.bodies, self.places, self.moved, strict=True)):
            if b < 0:
                at[row] = place
                continue
            arm = R[b] @ place
            at[row] = x[b] + arm
            rate[row] = R[b] @ V[b, 3:] + np.cross(R[b] @ V[b, :3], arm)
            for k in moved:
                J[row, :, k] = twist[k, 3:] + np.cross(twist[k, :3], at[row] - origin[b])
        return J.reshape(-1, nv), at, rate
