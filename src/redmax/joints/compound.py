"""What joints that are made of others share: a configuration is the coordinates of all parts, then the charts that they use."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from redmax.errors import SceneError
from redmax.joints.base import EVERYWHERE, Joint
from redmax.joints.motion import checked_pose, jacobian_of
from redmax.joints.stepping import Stepping
from redmax.math import array
from redmax.types import Array, Value


class Compound(Joint):
    """A motion that follows from those of its `parts`; a subclass says how in `pose_from` and `jacobian_from`."""

    held = "parts"  # the argument that has the parts

    def __init__(self, parts: Sequence[Joint]) -> None:
        self.parts = tuple(parts)
        self.dof = sum(part.dof for part in parts)
        for part in parts:
            if part.nq != part.dof and type(part).difference is Stepping.difference:
                kind = type(self).__name__
                why = "whose velocities are not the rates of its coordinates, and which does not say how far two configurations are apart"
                raise SceneError(f"{kind} cannot hold {part!r}, {why}: define difference(q, other).", owner=kind, argument=self.held)

    def pose_from(self, E: list[np.ndarray]) -> Any:
        """The pose of the child, (4, 4), when the parts are at E."""
        raise NotImplementedError(f"{type(self).__name__} does not define pose_from(E)")

    def jacobian_from(self, E: list[np.ndarray], S: list[np.ndarray]) -> Any:
        """S of the whole, (6, dof), from those of the parts."""
        raise NotImplementedError(f"{type(self).__name__} does not define jacobian_from(E, S)")

    def transform(self, q: Array, *t: Value) -> Any:
        """With t if a part takes it."""
        return self.pose_from(self.poses(q, t))

    def jacobian(self, q: Array, *t: Value) -> Any:
        E = self.poses(q, t)
        parts = zip(self.parts, E, self.configurations(q), strict=True)
        return self.jacobian_from(E, [jacobian_of(part, pose, x, t[0] if t else 0.0) for part, pose, x in parts])

    def poses(self, q: Array, t: tuple[Any, ...]) -> list[np.ndarray]:
        found = []
        for part, x in zip(self.parts, self.configurations(q), strict=True):
            E = part.at("transform", x, t[0] if t else 0.0)
            checked_pose(part, E)
            found.append(np.asarray(E))
        return found

    @property
    def timed(self) -> bool:
        return any(part.timed for part in self.parts)

    @property
    def changing(self) -> tuple[bool, ...]:
        return tuple(each for part in self.parts for each in part.changing)

    @property
    def discrete(self) -> tuple[tuple[str, ...], ...]:
        return tuple(names for part in self.parts for names in part.discrete)

    @property
    def start(self) -> tuple[int, ...]:
        return tuple(number for part in self.parts for number in part.start)

    @property
    def chart(self) -> str:  # type: ignore[override]
        return " ".join(part.chart for part in self.parts if part.chart)

    @property
    def domain(self) -> tuple[tuple[float, float], ...] | None:  # type: ignore[override]
        if all(part.domain is None for part in self.parts):
            return None
        return tuple(interval for part in self.parts for interval in part.domain or (EVERYWHERE,) * part.nq)

    @property
    def extent(self) -> tuple[tuple[float, float], ...] | None:
        if all(part.extent is None for part in self.parts):
            return None
        return tuple(interval for part in self.parts for interval in part.extent or (EVERYWHERE,) * part.nq)

    @property
    def free_range(self) -> tuple[tuple[float, float], ...] | None:
        if all(part.free_range is None for part in self.parts):
            return None
        return tuple(interval for part in self.parts for interval in part.free_range or (EVERYWHERE,) * part.nq)

    @property
    def nq(self) -> int:
        return sum(part.nq for part in self.parts)

    @property
    def home(self) -> np.ndarray:
        return np.concatenate([np.zeros(0), *(part.home for part in self.parts)])

    def split(self, values: Array) -> list[Any]:
        """Each part's share of one number for each degree of freedom."""
        ends = np.cumsum([0, *(part.dof for part in self.parts)]).tolist()
        return [values[a:b] for a, b in pairwise(ends)]

    def shares(self, q: Array) -> list[Any]:
        """Each part's coordinates."""
        ends = np.cumsum([0, *(part.nq for part in self.parts)]).tolist()
        return [q[..., a:b] if isinstance(q, np.ndarray) else q[a:b] for a, b in pairwise(ends)]

    def configurations(self, q: Array) -> list[Any]:
        """Each part's coordinates and charts."""
        found, at = [], self.nq
        for part, x in zip(self.parts, self.shares(q), strict=True):
            n = len(part.discrete)
            found.append(array([*x, *q[at : at + n]]) if n else x)
            at += n
        return found

    def joined(self, configurations: Sequence[Any]) -> Any:
        """The inverse of `configurations`."""
        parts = list(zip(self.parts, configurations, strict=True))
        return array([*[x for part, q in parts for x in q[: part.nq]], *[x for part, q in parts for x in q[part.nq :]]])

    def each(self, name: str, *shares: Sequence[Any]) -> Any:
        """What a method of the parts gives for their shares, one after the other."""
        return array([x for part, *own in zip(self.parts, *shares, strict=True) for x in getattr(part, name)(*own)])

    def retract(self, q: Array, delta: Array) -> Any:
        parts = zip(self.parts, self.configurations(q), self.split(delta), strict=True)
        return self.joined([part.retract(x, step) for part, x, step in parts])

    def difference(self, q: Array, other: Array) -> Any:
        return self.each("difference", self.shares(q), self.shares(other))

    def rate(self, delta: Array, velocity: Array) -> Any:
        return self.each("rate", self.split(delta), self.split(velocity))

    def velocity(self, delta: Array, rate: Array) -> Any:
        return self.each("velocity", self.split(delta), self.split(rate))

    def tangent(self, q: Array) -> Any:
        found, row, column = np.zeros((*np.shape(q)[:-1], self.nq, self.dof), object), 0, 0
        for part, x in zip(self.parts, self.shares(q), strict=True):
            found[..., row : row + part.nq, column : column + part.dof] = part.tangent(x)
            row, column = row + part.nq, column + part.dof
        return found

    def speeds(self, q: Array, rates: Array) -> Any:
        return self.each("speeds", self.shares(q), self.shares(rates))

    def away(self, rest: Array, q: Array) -> Any:
        return self.each("away", self.shares(rest), self.shares(q))

    def pulled(self, away: Array, force: Array) -> Any:
        return self.each("pulled", self.split(away), self.split(force))

    def off(self, q: np.ndarray) -> np.ndarray:
        return np.max([np.zeros(q.shape[:-1]), *(part.off(x) for part, x in zip(self.parts, self.shares(q), strict=True))], axis=0)

    def nearest(self, q: np.ndarray) -> np.ndarray:
        return self.each("nearest", self.shares(q))

    @property
    def valid(self) -> str:
        return "; then ".join(part.valid for part in self.parts)

    def rechart(self, states: Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]] | None:
        """Each part for itself: it keeps its pose and twist, and with them those of the whole."""
        shares = [list(zip(self.configurations(q), self.split(qdot), strict=True)) for q, qdot in states]
        changes = [part.rechart([s[i] for s in shares]) if part.has_own("rechart") else None for i, part in enumerate(self.parts)]
        if all(change is None for change in changes):
            return None
        found = [[s[i] if new is None else new[k] for i, new in enumerate(changes)] for k, s in enumerate(shares)]
        return [(self.joined([q for q, _ in s]), array([x for _, qdot in s for x in qdot])) for s in found]

    def force(self, q: Array, qdot: Array) -> Any | None:
        parts = zip(self.parts, self.configurations(q), self.split(qdot), strict=True)
        forces = [part.force(x, v) if part.has_own("force") else None for part, x, v in parts]
        if all(force is None for force in forces):
            return None
        return array([x for part, force in zip(self.parts, forces, strict=True) for x in ([0.0] * part.dof if force is None else force)])

    @property
    def rolls(self) -> int:
        return sum(part.rolls for part in self.parts)

    def slip(self, q: Array, qdot: Array) -> Any:
        parts = zip(self.parts, self.configurations(q), self.split(qdot), strict=True)
        return array([s for part, x, v in parts if part.rolls for s in part.slip(x, v)])

    def potential(self, q: Array) -> Any:
        parts = zip(self.parts, self.configurations(q), strict=True)
        return sum((part.potential(x) for part, x in parts if part.has_own("potential")), 0.0)
