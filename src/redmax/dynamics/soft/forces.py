"""Which nodes elements join: the pattern of Z = h D - h^2 K, whose blocks the elements add to when they act (deformables/interaction.py).

Free nodes are unknowns. Attached ones move with the joints' coordinates (J_a); what joins a free node to attached ones borders the system
of the free nodes. Held nodes do not move.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from redmax.model.model import Model
from redmax.program.sweep import Part


def rigid_links(model: Model) -> int:
    """How many links are not nodes; these come first."""
    return len(model.bodies) + len(model.hidden)


@dataclass(frozen=True, eq=False)
class Pattern:
    """Of one model. Nodes are numbered as links."""

    model: Model

    @cached_property
    def rigid(self) -> int:
        """The number of the first node."""
        return rigid_links(self.model)

    @cached_property
    def free(self) -> list[int]:
        """Nodes with coordinates of their own."""
        return [i for i, link in enumerate(self.model.links) if i >= self.rigid and link.joint.dof]

    @cached_property
    def group(self) -> dict[int, int]:
        """Free nodes, counted."""
        return {node: g for g, node in enumerate(self.free)}

    @cached_property
    def carriers(self) -> dict[int, int]:
        """Attached nodes that coordinates move, with the bodies that carry them."""
        links, tree = self.model.links, self.model.tree
        kept = ((i, links[i].parent) for i in range(self.rigid, len(links)) if not links[i].joint.dof and links[i].parent >= 0)
        return {i: body for i, body in kept if any(links[j].joint.dof for j in tree.ancestors(body))}

    @cached_property
    def pairs(self) -> np.ndarray:
        """(m, 2): nodes that have a block, each pair both ways, and nodes with themselves."""
        rows = [np.zeros((0, 2), np.int64)]
        for acting in (a for soft in self.model.soft for a in soft.acting()):
            rows += [acting.members[:, list(pair)] for pair in acting.law.pairs(Part.IMPLICIT)]
        found = np.concatenate(rows).astype(np.int64)
        return np.stack(np.divmod(np.unique(found[:, 0] * len(self.model.links) + found[:, 1]), len(self.model.links)), axis=1)

    @cached_property
    def between_free(self) -> list[tuple[int, int]]:
        """Pairs of free nodes."""
        return [(a, b) for a, b in self.pairs.tolist() if a in self.group and b in self.group]

    @cached_property
    def to_attached(self) -> list[tuple[int, int]]:
        """(free node, attached node)."""
        return [(a, b) for a, b in self.pairs.tolist() if a in self.group and b in self.carriers]

    @cached_property
    def between_attached(self) -> list[tuple[int, int]]:
        """Pairs of attached nodes."""
        return [(a, b) for a, b in self.pairs.tolist() if a in self.carriers and b in self.carriers]

    @cached_property
    def bordering(self) -> dict[int, int]:
        """Free nodes that meet attached ones, counted."""
        return {node: k for k, node in enumerate(dict.fromkeys(a for a, _ in self.to_attached))}
