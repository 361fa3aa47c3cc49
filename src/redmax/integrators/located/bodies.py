"""Bodies and points of contact at a state that was seen: velocities, accelerations without contact, rows, and the mass matrix.

The point of contact moves over both surfaces: what its velocity u = v_B(x) - v_A(x) changes by is more than the acceleration of the matter
that is there now,

    du/dt = a_B(x) + w_B x (x' - v_B(x)) - a_A(x) - w_A x (x' - v_A(x)),    d(n . u)/dt = n . du/dt + n' . u,

with x' and n' from where the same point is shortly before and after, on a motion with the same rates.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from redmax.dynamics.contact.detect import BODY_A, BODY_B, FRICTION, GAP, KEY, NORMAL, POINT, RESTITUTION
from redmax.model.body_rows import ordered_bodies
from redmax.model.model import Model


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(m, 3): the same as numpy's, which takes longer for few."""
    found = np.empty((len(a), 3))
    found[:, 0] = a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1]
    found[:, 1] = a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2]
    found[:, 2] = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return found


def turned(R: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(m, 3): R v of each."""
    return (R @ v[:, :, None])[:, :, 0]


class Skeleton:
    """What does not change of a model: which coordinates move which body."""

    def __init__(self, model: Model) -> None:
        dofs = [link.joint.dof for link in model.links]
        first = np.concatenate([[0], np.cumsum(dofs)]).astype(int)
        n, parent = len(model.links), model.tree.parent
        self.nv, self.links, self.first, self.dofs = int(first[-1]), n, first, dofs
        self.moved = np.zeros((n + 1, self.nv), bool)  # the last row is the world
        for j in range(n):
            if parent[j] >= 0:
                self.moved[j] = self.moved[parent[j]]
            self.moved[j, first[j] : first[j + 1]] = True
        given = np.concatenate([np.full(d, bool(p)) for d, p in zip(dofs, model.prescribed, strict=True)] or [np.zeros(0, bool)])
        self.free = np.flatnonzero(~given)
        self.body_of_row = np.array([*ordered_bodies(model), n])  # link by the number that points have
        blocks = np.concatenate([[0], np.cumsum([d * d for d in dofs])]).astype(int)
        self.blocks = [(first[j], dofs[j], blocks[j]) for j in range(n) if dofs[j]]


class Outputs(Protocol):
    """Of the program, by name."""

    def __getitem__(self, name: str) -> np.ndarray: ...


@dataclass(frozen=True, eq=False)
class Seen:
    """A state, from what the program gave out of it (seen.py), by name. points: (n, RAW), of all points that were found near."""

    skeleton: Skeleton
    out: Outputs
    points: np.ndarray
    lost: int = 0  # whether there was no room for all

    @cached_property
    def R(self) -> np.ndarray:
        return np.concatenate([self.out["at_R"].reshape(-1, 3, 3), np.eye(3)[None]])

    def vectors(self, name: str, part: slice = slice(0, 3), size: int = 3) -> np.ndarray:
        """(links + 1, 3), of the world zero."""
        return np.concatenate([self.out[name].reshape(-1, size)[:, part], np.zeros((1, 3))])

    @cached_property
    def x(self) -> np.ndarray:
        return self.vectors("at_x")

    @cached_property
    def spin(self) -> np.ndarray:
        """(links + 1, 3) w, in world axes."""
        return turned(self.R, self.vectors("at_V", slice(0, 3), 6))

    @cached_property
    def speed(self) -> np.ndarray:
        """(links + 1, 3), of the origins of bodies."""
        return turned(self.R, self.vectors("at_V", slice(3, 6), 6))

    @cached_property
    def rates(self) -> tuple[np.ndarray, np.ndarray]:
        """(links + 1, 3): w' and the accelerations of the origins of bodies, without contact."""
        turn = turned(self.R, self.vectors("at_A", slice(0, 3), 6))
        push = turned(self.R, self.vectors("at_A", slice(3, 6), 6))
        return turn, push + cross(self.spin, self.speed)

    @cached_property
    def twists(self) -> np.ndarray:
        """(links + 1, 6, nv): of bodies by the rates of coordinates, about the origins of their trees."""
        return np.where(self.skeleton.moved[:, None, :], self.out["row_s"].reshape(-1, 6).T[None], 0.0)

    @cached_property
    def M(self) -> np.ndarray:
        """(nv, nv)."""
        S = self.twists[:-1]
        found = (S.transpose(0, 2, 1) @ self.out["at_M"].reshape(-1, 6, 6) @ S).sum(axis=0)
        for at, n, block in self.skeleton.blocks:
            found[at : at + n, at : at + n] += self.out["at_E"][block : block + n * n].reshape(n, n)
        return found

    @cached_property
    def origin(self) -> np.ndarray:
        return self.vectors("at_o")

    def given_way(self, J: np.ndarray) -> np.ndarray:
        """M^-1 J', (nv, rows), zero of coordinates whose motion is given."""
        free, found = self.skeleton.free, np.zeros((self.skeleton.nv, len(J)))
        if len(free) and len(J):
            found[free] = np.linalg.solve(self.M[np.ix_(free, free)], J[:, free].T)
        return found


@dataclass(frozen=True, eq=False)
class Points:
    """Some points of contact of a state; arrays have a row for each. before, after: where each moves, x' and n' (m, 3), or None."""

    seen: Seen
    rows: np.ndarray
    moves: np.ndarray | None = None  # (m, 3) x'
    turns: np.ndarray | None = None  # (m, 3) n'

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def key(self) -> np.ndarray:
        return self.rows[:, KEY]

    @property
    def x(self) -> np.ndarray:
        return self.rows[:, POINT : POINT + 3]

    @property
    def normal(self) -> np.ndarray:
        return self.rows[:, NORMAL : NORMAL + 3]

    @property
    def gap(self) -> np.ndarray:
        return self.rows[:, GAP]

    @property
    def friction(self) -> np.ndarray:
        return self.rows[:, FRICTION]

    @property
    def restitution(self) -> np.ndarray:
        return self.rows[:, RESTITUTION]

    @cached_property
    def bodies(self) -> tuple[np.ndarray, np.ndarray]:
        return tuple(self.seen.skeleton.body_of_row[self.rows[:, k].astype(int)] for k in (BODY_A, BODY_B))  # type: ignore[return-value]

    @cached_property
    def axes(self) -> np.ndarray:
        """(m, 3, 3): rows n, t, t."""
        n = self.normal
        flat = np.where((np.abs(n[:, 0]) < 0.8)[:, None], [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
        t = flat - (flat * n).sum(axis=1)[:, None] * n
        t /= np.linalg.norm(t, axis=1)[:, None]
        return np.stack([n, t, cross(n, t)], axis=1)

    def velocity(self, body: np.ndarray) -> np.ndarray:
        """(m, 3) of the matter of bodies at the points."""
        s = self.seen
        return s.speed[body] + cross(s.spin[body], self.x - s.x[body])

    @cached_property
    def u(self) -> np.ndarray:
        """(m, 3) in world axes: how fast the second leaves the first."""
        a, b = self.bodies
        return self.velocity(b) - self.velocity(a)

    @cached_property
    def leaving(self) -> np.ndarray:
        """(m,)."""
        return (self.u * self.normal).sum(axis=1)

    @cached_property
    def slip(self) -> np.ndarray:
        """(m, 3), along the surface."""
        return self.u - self.leaving[:, None] * self.normal

    @cached_property
    def J(self) -> np.ndarray:
        """(3 m, nv): rows n, t, t of each."""
        s, (a, b) = self.seen, self.bodies
        J = self.lever(b) - self.lever(a)
        return (self.axes @ J).reshape(-1, s.skeleton.nv)

    def lever(self, body: np.ndarray) -> np.ndarray:
        """(m, 3, nv): how points of bodies move with coordinates."""
        twist, r = self.seen.twists[body], self.x - self.seen.origin[body]
        w, (x, y, z) = twist.transpose(1, 0, 2), r.T[:, :, None]
        return twist[:, 3:] + np.stack([w[1] * z - w[2] * y, w[2] * x - w[0] * z, w[0] * y - w[1] * x], axis=1)

    @cached_property
    def way(self) -> np.ndarray:
        """M^-1 J', (nv, 3 m)."""
        return self.seen.given_way(self.J)

    @cached_property
    def W(self) -> np.ndarray:
        return self.J @ self.way

    def local(self, vectors: np.ndarray) -> np.ndarray:
        """(3 m,): vectors (m, 3) along n, t, t."""
        return turned(self.axes, vectors).ravel()

    def world(self, local: np.ndarray) -> np.ndarray:
        """(m, 3), the other way."""
        return turned(self.axes.transpose(0, 2, 1), local.reshape(-1, 3))

    def acceleration(self, body: np.ndarray) -> np.ndarray:
        """(m, 3): how the velocities of what is at the points change as the points move, without contact."""
        s, r = self.seen, self.x - self.seen.x[body]
        turn, push = s.rates
        w = s.spin[body]
        own = push[body] + cross(turn[body], r) + cross(w, cross(w, r))
        return own if self.moves is None else own + cross(w, self.moves - self.velocity(body))

    @cached_property
    def accelerations(self) -> tuple[np.ndarray, np.ndarray]:
        """(m, 3) of both bodies."""
        a, b = self.bodies
        return self.acceleration(a), self.acceleration(b)

    @cached_property
    def usual(self) -> tuple[float, float]:
        """How large accelerations (m/s^2) and forces (N) are here, by which to say what is nothing."""
        size = max(float(np.abs(np.array(self.accelerations)).max(initial=0.0)), 1e-300)
        ease = float(np.diag(self.W).mean()) if len(self) else 1.0
        return size, size / max(ease, 1e-300)

    @cached_property
    def changes(self) -> np.ndarray:
        """(3 m,): du/dt along n, t, t without contact, and of n . u with n'."""
        a, b = self.accelerations
        found = self.local(b - a)
        if self.turns is not None:
            found[::3] += (self.turns * self.u).sum(axis=1)
        return found
