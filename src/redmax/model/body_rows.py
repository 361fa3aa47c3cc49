"""Numbers of bodies in the matrices of the solver: tree by tree, then the world."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redmax.model.model import Model


def roots_of(model: Model) -> list[int]:
    """The first body of the tree that each body is in."""
    root = list(range(len(model.bodies)))
    for j, p in enumerate(model.tree.parent[: len(model.bodies)]):
        root[j] = j if p < 0 else root[p]
    return root


def ordered_bodies(model: Model) -> list[int]:
    """Tree by tree."""
    root = roots_of(model)
    return sorted(range(len(model.bodies)), key=lambda j: (root[j], j))


def rows_of_bodies(model: Model) -> dict[int, int]:
    """The row of each body; -1: of the world, which is the last."""
    order = ordered_bodies(model)
    return {j: n for n, j in enumerate(order)} | {-1: len(order)}
