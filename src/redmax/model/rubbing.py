"""Joints that rub, of a scene and of its model: their points in the frames of the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from redmax.components.holding import Anchor
from redmax.constraints.base import Constraint
from redmax.contact.rubbing.constraint_friction import ConstraintFriction
from redmax.contact.rubbing.joint_friction import JointFriction
from redmax.contact.rubbing.points import RubbingPoints
from redmax.contact.rubbing.staggering import Staggering
from redmax.errors import SceneError, unknown

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
        contact: Literal["bilateral", "unilateral", "single"] = "bilateral",
        regularisation: float = 0.0,
        centripetal: bool = True,
        external: Literal["reduced", "maximal"] = "reduced",
        add_contact_force: bool = False,
    ) -> None:
        """How steps solve for the friction of joints that rub: normal forces and friction in turns, until they no longer change; by
        tolerance and iterations, also that of contact in runs with friction="staggered".

        tolerance: of |d f_a|^2 / |f_a|^2, both measured by M^-1, f_a the forces that joints transmit; iterations: at most so many turns
        contact: "bilateral", normals hold both ways, and follow from the joints' own equations; "unilateral", normals only push, by a
            quadratic problem over all points at once: slow, for comparison, where every joint rubs; "single", likewise, but by one
            problem with friction, without turns, which locks most joints: for comparison
        regularisation: epsilon (1/kg) of the published contact step, where it is 1e-6; with 0 normal forces do not depend on masses
        centripetal: whether f_a has what turning bodies take to turn, M Jdot qdot; the published code leaves it out
        external: what constraints exert while f_a is found: "reduced", what they do on the joints as they are, or "maximal", what they
            would on bodies without joints, as in the published code
        add_contact_force: whether f_a is added at the end of a step as well, as the published numbers were made: that counts a part twice
        """
        self.staggering = Staggering(tolerance, iterations, contact, regularisation, centripetal, external, add_contact_force)


@dataclass(frozen=True, eq=False)
class Rubbing:
    """Friction in one joint of a model, or where a constraint holds. parts: points, of a universal joint those of both pins.

    frame: of points, in which they are constant: the joint frame of the kernels, that of the cross of a universal joint, or that of `held`
    """

    name: str
    friction: float
    parts: tuple[RubbingPoints, ...]
    body: int
    frame: Literal["joint", "cross", "held"] = "joint"
    held: HeldPlace | None = None

    @property
    def normals(self) -> int:
        """How many there are."""
        return sum(len(p.N) for p in self.parts)


@dataclass(frozen=True, eq=False)
class HeldPlace:
    """Where a constraint rubs: at its first place, in the axes of the second.

    constraint: its number; bodies: those of both places, -1 the world; position: of the first, rotation: of the second, in their joint
    frames of the kernels
    """

    constraint: int
    bodies: tuple[int, int]
    position: np.ndarray
    rotation: np.ndarray


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
            if isinstance(friction, ConstraintFriction):
                continue
            i = model.index(friction.body if isinstance(friction.body, str) else friction.body.name)
            parts, crossed = friction.on(model.links[i].joint, model.links[i].joint_name), friction.crossed(model.links[i].joint)
            turned = parts if crossed else tuple(p.turned(model.frames[i][:3, :3]) for p in parts)
            found[i] = Rubbing(str(friction.name), friction.friction, turned, i, "cross" if crossed else "joint")
        return dict(sorted(found.items()))

    @cached_property
    def rubbing_held(self) -> tuple[Rubbing, ...]:
        """Where constraints do."""
        model: Model = self  # type: ignore[assignment]
        numbers = {c.name: k for k, c in enumerate(model.constraints)}
        found: list[Rubbing] = []
        for friction in self.rubbing:
            if isinstance(friction, ConstraintFriction):
                number = numbers[friction.constraint]
                points, place = friction.at(model.constraints[number]), held_place(model, number)
                found.append(Rubbing(str(friction.name), friction.friction, (points,), place.bodies[0], "held", place))
        return tuple(found)

    @cached_property
    def rubbings(self) -> tuple[Rubbing, ...]:
        """All: of joints, in their order, then of constraints."""
        return *self.rubbing_at.values(), *self.rubbing_held

    def rubbing_constants(self, i: int) -> dict[str, np.ndarray]:
        """What the kernels of a joint that rubs know of its points: Q, or what takes a wrench to s without masses."""
        if i not in self.rubbing_at or self.rubbing_at[i].frame != "joint":
            return {}
        Q = self.rubbing_at[i].parts[0].factors[1]
        if self.staggering.regularisation > 0:
            return {"rub_Q": Q}
        return {"rub_P": np.linalg.solve(Q @ Q.T, Q)}


def held_place(model: Model, number: int) -> HeldPlace:
    """Of a constraint, by its number; the first body is one that there is."""
    constraint = model.constraint_placed(model.constraints[number])
    places = [(-1 if a.member < 0 else constraint.bodies[a.member].index, a) for a in constraint.anchors]
    if len(places) == 1:
        places.append((-1, Anchor(-1, np.zeros(3))))
    (a, first), (b, second) = places if places[0][0] >= 0 else places[::-1]
    return HeldPlace(number, (a, b), first.position, second.rotation)


def checked_frictions(
    found: Sequence[JointFriction], links: Sequence[Link], constraints: Sequence[Constraint]
) -> tuple[JointFriction, ...]:  # fmt: skip
    """Those of a scene: one in a joint or constraint, between bodies that have mass."""
    taken: dict[str, JointFriction] = {}
    named = {str(c.name): c for c in constraints}
    for friction in found:
        held = isinstance(friction, ConstraintFriction)
        where = f"constraint {friction.constraint!r}" if held else f"joint, that of {str(getattr(friction.body, 'name', friction.body))!r}"
        if where in taken:
            both = f"{friction.label} and {taken[where].label} are in one {where}"
            raise SceneError(f"{both}. Give it one of them, with all its points.", owner=friction.label, argument="joint")
        taken[where] = friction
        if held:
            if friction.constraint not in named:
                said = unknown("constraint", friction.constraint, list(named))
                raise SceneError(f"{friction.label}: {said}", owner=friction.label, argument="constraint")
            friction.at(named[friction.constraint])
    light = next((link.name for link in links if not link.shape.mass > 0), None)
    if light is not None:
        said = f"{found[0].label} needs to know what joints transmit, and body {light!r} has no mass. Give it some."
        raise SceneError(said, owner=light, argument="shape")
    return tuple(found)
