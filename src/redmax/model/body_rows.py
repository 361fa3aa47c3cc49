"""Numbers of bodies in the matrices of the solver: tree by tree, then the world.

Beside deformables, all links are, as the model numbers them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redmax.model.model import Model


def roots_of(model: Model) -> list[int]:
    """The first body of the tree that each body is in."""
    count = len(model.links if model.soft else model.bodies)
    root = list(range(count))
    for j, p in enumerate(model.tree.parent[:count]):
        root[j] = j if p < 0 else root[p]
    return root


def ordered_bodies(model: Model) -> list[int]:
    """Tree by tree."""
    root = roots_of(model)
    return list(range(len(root))) if model.soft else sorted(range(len(root)), key=lambda j: (root[j], j))


def rows_of_bodies(model: Model) -> dict[int, int]:
    """The row of each body; -1: of the world, which is the last."""
    order = ordered_bodies(model)
    return {j: n for n, j in enumerate(order)} | {-1: len(order)}
