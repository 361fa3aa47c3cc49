"""The equations of a whole mechanism as large matrices and their factors, as books write them: for study, not for speed.

    V = J qdot,    J = A X,    Jdot = A (Xdot - a (J - X)),    A = (I - D)^-1,    M(q) = J' M J,
    C = J' M Jdot - J' N J,    V_s = J_s qdot,    J_s = A_s X

(Mueller and Terze, Geometric methods and formulations, Eqs. 64-88: for joints of one velocity a X = 0 and Xdot = 0, so that Jdot = -A a J.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from redmax.components.one_line import OneLine
from redmax.dynamics.derivative_products import DerivativeProducts
from redmax.dynamics.redmax.joints import to_body_frames
from redmax.lie import se3
from redmax.memory import check_room
from redmax.types import Given


@dataclass(frozen=True, eq=False, repr=False)
class SystemMatrices(OneLine):
    """Of states (...) with n velocities and m = 6 bodies; twists are body twists, of all body frames one after the other.

    J, Jdot: (..., m, n);  X, Xdot: (..., m, n) the joints' own columns, a block for each
    A: (..., m, m) block-triangular, Ad of each body's frame seen from those that it carries;  D: (..., m, m) of those on the next alone
    a: (..., m, m) blocks ad of what each joint adds to the twist;  b: blocks ad(V);  N: blocks [[mu~, f~], [f~, 0]] of M V
    M: (..., m, m) blocks of the bodies' inertias
    J_spatial: (..., m, n);  A_spatial: (..., m, m), Ad of the bodies' poses
    """

    J: np.ndarray
    Jdot: np.ndarray
    A: np.ndarray
    X: np.ndarray
    Xdot: np.ndarray
    D: np.ndarray
    a: np.ndarray
    b: np.ndarray
    M: np.ndarray
    N: np.ndarray
    J_spatial: np.ndarray
    A_spatial: np.ndarray


class SystemFactors(DerivativeProducts):
    """The function of `Dynamics` that writes it as matrices."""

    def system_matrices(self, q: ArrayLike, qdot: Given = None, t: ArrayLike = 0.0) -> SystemMatrices:
        """A, X, a, b, M and what is made of them, at body frames; qdot, zero if left out, is for Jdot, a, b and N.

        Joints that depend on time add to V and to the rates what `drift` says.
        """
        model, links = self.model, len(self.model.links)
        moving = np.zeros(model.nv, self.dtype) if qdot is None else qdot
        states = np.size(q) // max(model.nq, 1)
        check_room(64 * states * (6 * links) ** 2, f"The system matrices of {links} bodies", "Ask for fewer states.")
        J, Jdot = self.jacobian(q, moving, t=t)
        seen = self.observe(q, moving, t)
        blocks = (*J.shape[:-2], links, 6, model.nv)
        joints = np.arange(links)
        own = joints[:, None] == np.repeat(joints, np.diff(model.offsets))
        X, Xdot = (np.where(own[:, None], x.reshape(blocks), 0.0) for x in (J, Jdot))
        twist = X @ np.broadcast_to(moving, (*J.shape[:-2], model.nv))[..., None, :, None]
        carries = carried_by(model.tree.parent)
        following = np.array(model.tree.parent)[:, None] == joints
        E = seen.pose
        between = np.asarray(se3.Ad(se3.inverse(E)[..., :, None, :, :] @ E[..., None, :, :, :]), float)
        inertia, V = self.bodies(q, t)[0], seen.twist
        to_joint = np.linalg.inv(to_body_frames(model))
        M = np.swapaxes(to_joint, -1, -2) @ inertia @ to_joint
        P = (M @ V[..., None])[..., 0]
        A_spatial = flat(np.where(carries[..., None, None], np.asarray(se3.Ad(E), float)[..., None, :, :, :], 0.0))
        A, D = (flat(np.where(those[..., None, None], between, 0.0)) for those in (carries, following))
        a, b = (diagonal(np.asarray(se3.ad(x), float)) for x in (twist[..., 0], V))
        X, Xdot = X.reshape(J.shape), Xdot.reshape(J.shape)
        found = (J, Jdot, A, X, Xdot, D, a, b, diagonal(M), diagonal(crossed(P)), A_spatial @ X, A_spatial)
        return SystemMatrices(*(x.astype(self.dtype, copy=False) for x in found))


def carried_by(parents: Sequence[int]) -> np.ndarray:
    """(links, links): whether the link of the row is that of the column, or hangs on it."""
    found = np.eye(len(parents), dtype=bool)
    for i, parent in enumerate(parents):  # parents come first
        if parent >= 0:
            found[i] |= found[parent]
    return found


def flat(blocks: np.ndarray) -> np.ndarray:
    """(..., 6 links, 6 links) of blocks (..., links, links, 6, 6)."""
    n = blocks.shape[-4]
    return np.swapaxes(blocks, -3, -2).reshape(*blocks.shape[:-4], 6 * n, 6 * n)


def diagonal(blocks: np.ndarray) -> np.ndarray:
    """(..., 6 links, 6 links) with these blocks (..., links, 6, 6) and zeros between them."""
    return flat(np.where(np.eye(blocks.shape[-3], dtype=bool)[..., None, None], blocks[..., None, :, :, :], 0.0))


def crossed(P: np.ndarray) -> np.ndarray:
    """[[mu~, f~], [f~, 0]] of momenta (mu; f), (..., 6)."""
    found = np.zeros((*P.shape, 6))
    ad = np.asarray(se3.ad(P), float)
    found[..., :3, :3], found[..., :3, 3:], found[..., 3:, :3] = ad[..., :3, :3], ad[..., 3:, :3], ad[..., 3:, :3]
    return found
