"""What forces add to the system of an implicit step: J^T (h D - h^2 K) J (RedMax notes Eq. 2.75)."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.model.model import Model
from redmax.program.interaction import coupled_pairs

IMPLICIT_PART = "implicit exact"  # each force by its own kind of stiffness: the dense solver asks for no symmetry


class Impedance:
    """J^T (h D - h^2 K) J of the scene's forces, from the blocks that they have filled, in world axes about the joint frames."""

    def __init__(self, model: Model) -> None:
        self.touched = sorted(model.touched)
        self.pairs = coupled_pairs(model.acting, IMPLICIT_PART)

    def __call__(self, view: Any, J: np.ndarray) -> np.ndarray:
        """(nv, nv), from J (bodies, 6, nv) in joint frames."""
        R = view["R"].reshape(-1, 3, 3)
        in_world = np.concatenate([R @ J[:, :3], R @ J[:, 3:]], axis=1)
        own = view["own"].reshape(-1, 6, 6)
        total = np.zeros(J.shape[2:] * 2)
        for i in self.touched:
            total += in_world[i].T @ own[i] @ in_world[i]
        for (i, j), block in zip(self.pairs, view["blocks"].reshape(-1, 6, 6), strict=True):
            total += in_world[i].T @ block @ in_world[j]
        return total
