"""Of a model, what has momentum that steps carry along (dynamics/common/carried_momentum.py, flown.py)."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from redmax.joints import Revolute, Spherical, Universal

if TYPE_CHECKING:
    from redmax.model.model import Model


NOTHING_CARRIED = {"on_group": False, "flies": False, "aloft": False, "linked": False, "afloat": False, "unforced": False}


class ModelCarried:
    """What a Model knows of it."""

    def carried(self, i: int) -> dict[str, bool]:
        """What the kernels of a link ask of it."""
        linked = self.linked[i]
        own = {"linked": linked, "afloat": linked and self.aloft[i] and self.floats[i], "unforced": linked and self.unforced}
        return {"on_group": self.on_group[i], "flies": self.flying[i], "aloft": self.aloft[i], **own}

    @cached_property
    def on_group(self) -> list[bool]:
        """Of each joint, whether its tree begins with one whose configuration is an element of a group."""
        model: Model = self  # type: ignore[assignment]
        found: list[bool] = []
        for i, p in enumerate(model.tree.parent):
            found.append(found[p] if p >= 0 else model.links[i].joint.nq != model.links[i].joint.dof)
        return found

    @cached_property
    def flying(self) -> list[bool]:
        """Of each joint, whether a tree that nothing holds begins with it, which may turn any way, in a scene where things touch."""
        model: Model = self  # type: ignore[assignment]
        if not model.touches or model.map is not None:
            return [False] * len(model.links)
        roots: list[int] = []
        for i, p in enumerate(model.tree.parent):
            roots.append(roots[p] if p >= 0 else i)
        held = {roots[b.index] for c in model.constraints for b in (*c.bodies, *c.joints)}

        def flies(i: int) -> bool:
            link = model.links[i]
            free = roots[i] == i and i not in held and not model.prescribed[i] and link.armature is None
            known = all(model.cores[i].has_own("turned", of=name) for name in ("transform", "jacobian", "retract"))
            return free and known and link.shape.mass > 0

        return [flies(i) for i in range(len(model.links))]

    @cached_property
    def aloft(self) -> list[bool]:
        """Of each joint, whether its tree does."""
        model: Model = self  # type: ignore[assignment]
        found: list[bool] = []
        for i, p in enumerate(model.tree.parent):
            found.append(found[p] if p >= 0 else self.flying[i])
        return found

    @cached_property
    def floats(self) -> list[bool]:
        """Of each joint, whether its tree begins with one that moves all ways."""
        model: Model = self  # type: ignore[assignment]
        found: list[bool] = []
        for i, p in enumerate(model.tree.parent):
            found.append(found[p] if p >= 0 else model.links[i].joint.dof == 6)
        return found

    @cached_property
    def unforced(self) -> bool:
        """Whether nothing acts but weight, contact and dampers in joints."""
        model: Model = self  # type: ignore[assignment]
        within = any(link.torque is not None or np.any(link.stiffness) for link in model.links)
        return not (within or model.forces or model.joint_forces or model.wrenches)

    @cached_property
    def linked(self) -> list[bool]:
        """Of each joint, whether it is of a tree of several bodies, in a scene where things touch, that nothing moves as told or holds, so
        that steps end with its energy (dynamics/common/flown_trees.py): of one that flies, or turns on a joint that holds a point of it."""
        model: Model = self  # type: ignore[assignment]
        if not model.touches or model.map is not None or model.rubbing:
            return [False] * len(model.links)
        roots: list[int] = []
        for i, p in enumerate(model.tree.parent):
            roots.append(roots[p] if p >= 0 else i)
        out = {roots[b.index] for c in model.constraints for b in (*c.bodies, *c.joints)}
        for i, link in enumerate(model.links):
            ball = link.armature is not None and len(np.atleast_1d(link.armature)) != link.joint.dof
            first = roots[i] == i and not (self.flying[i] or isinstance(link.joint, (Revolute, Universal, Spherical)))
            if model.prescribed[i] or ball or first or i >= len(model.bodies):  # what is no body: nodes, and what keeps a state
                out.add(roots[i])
        moving = [roots[i] for i, link in enumerate(model.links) if link.joint.dof]
        return [r not in out and moving.count(r) > 1 for r in roots]
