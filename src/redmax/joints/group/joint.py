"""What joints share whose configuration may be an element of a group, beside exponential coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from redmax.arguments import brief
from redmax.errors import SceneError
from redmax.joints.base import Joint
from redmax.joints.group.base import Element
from redmax.lie import so3
from redmax.math import array
from redmax.types import Array

EXPONENTIAL = "exp"


class OnGroup(Joint):
    """form: how a configuration is written, "exp" or one of `elements`.

    A subclass has the motion in exponential coordinates; with an element all else follows, and S is the identity of its directions.
    """

    elements: ClassVar[Mapping[str, Element]] = {}
    form: str

    def choose(self, coordinates: Any) -> None:
        """What the user says that a configuration is."""
        valid = (EXPONENTIAL, *self.elements)
        if not isinstance(coordinates, str) or coordinates not in valid:
            kind, got, said = type(self).__name__, brief(coordinates), ", ".join(map(repr, valid))
            sentence = f"{kind} takes coordinates {said}. Got {got}."
            raise SceneError(sentence, owner=kind, argument="coordinates", got=got, expected=said)
        self.form = coordinates

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'' if self.element is None else f'coordinates={self.form!r}'})"

    @property
    def element(self) -> Element | None:
        """None: the coordinates are exponential."""
        return self.elements.get(self.form)

    @property
    def chart(self) -> str:  # type: ignore[override]
        return self.form

    @property
    def nq(self) -> int:
        return self.dof if self.element is None else self.element.nq

    @property
    def home(self) -> np.ndarray:
        return np.zeros(self.dof) if self.element is None else np.array(self.element.identity)

    def retract(self, q: Array, delta: Array) -> Any:
        return q + delta if self.element is None else self.element.step(q, delta)

    def difference(self, q: Array, other: Array) -> Any:
        return other - q if self.element is None else self.element.difference(q, other)

    def rate(self, delta: Array, velocity: Array) -> Any:
        return velocity if self.element is None else self.element.rate(delta, velocity)

    def velocity(self, delta: Array, rate: Array) -> Any:
        return rate if self.element is None else self.element.velocity(delta, rate)

    def tangent(self, q: Array) -> Any:
        return np.eye(self.dof) if self.element is None else self.element.tangent(q)

    def speeds(self, q: Array, rates: Array) -> Any:
        return rates if self.element is None else self.element.speeds(q, rates)

    def away(self, rest: Array, q: Array) -> Any:
        """The rotation vector from rest, and the way in the axes of rest: on SO(3) x R3, however the configuration is written."""
        if self.element is None:
            return q - rest
        if self.dof == 3:
            return self.element.difference(rest, q)
        (R, p), (R1, p1) = self.element.pose(rest), self.element.pose(q)
        return array([*so3.log(R.T @ R1), *(R.T @ (p1 - p))])

    def pulled(self, away: Array, force: Array) -> Any:
        """dexp^-T of the torque along the rotation vector, which is itself where the vector is parallel to it; R' of the force."""
        if self.element is None:
            return force
        turned = so3.dexp_left_inverse(away[:3]) @ force[:3]
        return turned if self.dof == 3 else array([*turned, *(so3.exp(away[:3]).T @ force[3:])])

    def off(self, q: np.ndarray) -> np.ndarray:
        return super().off(q) if self.element is None else self.element.off(q)

    def nearest(self, q: np.ndarray) -> np.ndarray:
        return q if self.element is None else self.element.nearest(q)

    def flat(self, q: Any) -> Any:
        return q if self.element is None else self.element.flat(q)

    @property
    def valid(self) -> str:
        return super().valid if self.element is None else self.element.valid

    def identity_columns(self) -> Any:
        """S, (6, dof), of the body twist: its angular part, or all of it."""
        return np.eye(6)[:, : self.dof].astype(object)

    def placed(self, quaternion: np.ndarray, position: np.ndarray, near: np.ndarray | None) -> np.ndarray | None:
        """`located` of an element; of a quaternion and its opposite, the one nearer to another configuration."""
        if self.element is None:
            return None
        found = self.element.located(quaternion, np.broadcast_to(position, (*quaternion.shape[:-1], 3)))
        if near is None or self.form not in ("quaternion", "dual-quaternion"):
            return found
        opposite = np.concatenate([-found[..., :4], -found[..., 4:] if self.form == "dual-quaternion" else found[..., 4:]], axis=-1)
        turned = (found[..., :4] * near[..., :4]).sum(axis=-1, keepdims=True) < 0
        return np.where(turned, opposite, found)
