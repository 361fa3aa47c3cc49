"""Joints that rub, of a scene and of its model: their points in the frames of the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from redmax.contact.rubbing.joint_friction import JointFriction
from redmax.contact.rubbing.points import RubbingPoints
from redmax.contact.rubbing.staggering import Staggering
from redmax.errors import SceneError

if TYPE_CHECKING:
    from redmax.model.links import Link
    from redmax.model.model import Model


class SceneRubbing:
    """The method of a Scene that says how friction in its joints is solved for."""

    staggering: Staggering | None

    def set_staggering(
        self,
        *,
        tolerance: float = 1e-6,
        iterations: int = 100,
        contact: Literal["bilateral", "unilateral"] = "bilateral",
        regularisation: float = 0.0,
        centripetal: bool = True,
        add_contact_force: bool = False,
    ) -> None:
        """How steps solve for the friction of joints that rub: normal forces and friction in turns, until they no longer change.

        tolerance: of |d f_a|^2 / |f_a|^2, both measured by M^-1, f_a the forces that joints transmit; iterations: at most so many turns
        contact: "bilateral", normals hold both ways, and follow from the joints' own equations; "unilateral", normals only push, by a
            quadratic problem over all points at once: slow, for comparison, where every joint rubs
        regularisation: epsilon (1/kg) of the published contact step, where it is 1e-6; with 0 normal forces do not depend on masses
        centripetal: whether f_a has what turning bodies take to turn, M Jdot qdot; the published code leaves it out
        add_contact_force: whether f_a is added at the end of a step as well, as the published numbers were made: that counts a part twice
        """
        self.staggering = Staggering(tolerance, iterations, contact, regularisation, centripetal, add_contact_force)


@dataclass(frozen=True, eq=False)
class Rubbing:
    """Friction in one joint of a model. points: in the joint frame of the kernels."""

    name: str
    friction: float
    points: RubbingPoints


class ModelRubbing:
    """What a Model knows of joints that rub."""

    rubbing: tuple[JointFriction, ...]
    staggering: Staggering

    @cached_property
    def rubbing_at(self) -> dict[int, Rubbing]:
        """By the number of the joint."""
        model: Model = self  # type: ignore[assignment]
        found: dict[int, Rubbing] = {}
        for friction in self.rubbing:
            i = model.index(friction.body if isinstance(friction.body, str) else friction.body.name)
            points = friction.on(model.links[i].joint, model.links[i].joint_name)
            found[i] = Rubbing(str(friction.name), friction.friction, points.turned(model.frames[i][:3, :3]))
        return dict(sorted(found.items()))

    def rubbing_constants(self, i: int) -> dict[str, np.ndarray]:
        """What the kernels of a joint that rubs know of its points: Q, or what takes a wrench to s without masses."""
        if i not in self.rubbing_at:
            return {}
        Q = self.rubbing_at[i].points.factors[1]
        if self.staggering.regularisation > 0:
            return {"rub_Q": Q}
        return {"rub_P": np.linalg.solve(Q @ Q.T, Q)}


def checked_frictions(found: Sequence[JointFriction], links: Sequence[Link]) -> tuple[JointFriction, ...]:
    """Those of a scene: one in a joint, between bodies that have mass."""
    taken: dict[str, JointFriction] = {}
    for friction in found:
        joint = str(getattr(friction.body, "name", friction.body))
        if joint in taken:
            both = f"{friction.label} and {taken[joint].label} are in one joint, that of {joint!r}"
            raise SceneError(f"{both}. Give it one of them, with all its points.", owner=friction.label, argument="joint")
        taken[joint] = friction
    light = next((link.name for link in links if not link.shape.mass > 0), None)
    if light is not None:
        said = f"{found[0].label} needs to know what joints transmit, and body {light!r} has no mass. Give it some."
        raise SceneError(said, owner=light, argument="shape")
    return tuple(found)
