"""The motion of a joint in one of its charts, traced once and evaluated at many points: pose, S and its derivatives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from redmax.arguments import brief
from redmax.errors import SceneError
from redmax.joints.base import Joint
from redmax.joints.checks.batch import Batch
from redmax.joints.checks.box import Box, box_of
from redmax.joints.motion import checked_pose, differentiated_jacobian
from redmax.trace import Graph, Scalar, jacobian
from redmax.trace.meter import TRACED, spend
from redmax.trace.vector import vector_of

FIRST = 3_000  # operations that looking at a motion is worth at least
ROWS = ("angular x", "angular y", "angular z", "linear x", "linear y", "linear z")


@dataclass(frozen=True, eq=False)
class Values:
    """At N points. E: (N, 4, 4); S: (N, 6, m), the twist for each coordinate, then for time; dS: (N, 6, m, m), its derivatives."""

    E: np.ndarray
    S: np.ndarray
    dS: np.ndarray

    def parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.E, self.S, self.dS


@dataclass(frozen=True, eq=False)
class Subject:
    """E: traced (4, 4); S: (6, m) as dynamics will use it, D: as differentiation of E finds it.

    moved, turned: the configuration and the rates that `rechart` makes of q with `rates`, if there is one.
    """

    joint: Joint
    charts: tuple[int, ...]
    box: Box
    inputs: tuple[Scalar, ...]
    E: np.ndarray
    S: np.ndarray
    D: np.ndarray
    moved: np.ndarray | None
    turned: np.ndarray | None

    @cached_property
    def motion(self) -> Batch:
        return Batch([*self.E.ravel(), *self.S.ravel(), *jacobian(self.S, self.inputs).ravel()])

    def values(self, u: np.ndarray) -> Values:
        m = self.box.m
        found = self.motion(self.box.x(u))
        E, S, dS = np.split(found, [16, 16 + 6 * m], axis=1)
        return Values(E.reshape(-1, 4, 4), S.reshape(len(u), 6, m), dS.reshape(len(u), 6, m, m))

    def stays(self, u: np.ndarray) -> np.ndarray:
        """Where the joint would keep this chart, and these coordinates in it."""
        if self.moved is None:
            return np.ones(len(u), bool)
        x = self.box.x(u)
        here = np.hstack([x[:, : self.joint.dof], np.broadcast_to(np.array(self.charts, float), (len(x), len(self.charts)))])
        return np.max(np.abs(self.leave(x) - here), axis=1) < 1e-12

    @cached_property
    def leave(self) -> Batch:
        assert self.moved is not None
        return Batch(list(self.moved))

    @property
    def rates(self) -> np.ndarray:
        """Rates (dof,) to try, of which none is like another."""
        return 1.0 / np.arange(1.0, self.joint.dof + 1)

    @cached_property
    def new_rates(self) -> Batch:
        assert self.turned is not None
        return Batch(list(self.turned))

    def coordinate(self, i: int) -> str:
        return f"q[{i}]" if i < self.joint.dof else "t"

    def place(self, u: np.ndarray) -> str:
        """A point in words."""
        x = [f"{value + 0.0:.9g}" for value in self.box.x(u)]  # + 0.0: no minus zero
        n = self.joint.dof
        words = [f"q = {x[0]}" if n == 1 else f"q = ({', '.join(x[:n])})"] if n else []
        words += [f"t = {x[n]}"] if self.joint.timed else []
        text = ", ".join(words) or "its only configuration"
        names = [options[i] for options, i in zip(self.joint.discrete, self.charts, strict=True)]
        return text + (f" in chart {' '.join(map(repr, names))}" if names else "")


def subject_of(joint: Joint, charts: tuple[int, ...]) -> Subject:
    spend(FIRST)
    box = box_of(joint)
    graph = Graph()
    inputs = tuple(graph.inputs("x", box.m))
    n = joint.dof
    q = vector([*inputs[:n], *map(float, charts)])
    t = inputs[n] if joint.timed else 0.0
    try:
        E = checked_pose(joint, joint.at("transform", q, t))
    except IndexError as error:
        fix = "Read no more coordinates than that, or raise dof"
        raise SceneError(f"{joint.source} failed on q with dof = {n} entries: {error}. {fix}.") from error
    spend(TRACED * len(graph.nodes))  # a closed form does most of it again
    D = differentiated_jacobian(E, list(inputs))
    S = D
    closed = joint.at("jacobian", q, t) if joint.has_own("jacobian") else None
    if closed is not None:
        closed = np.asarray(closed, object)
        if closed.shape != (6, n):
            raise SceneError(f"{type(joint).__name__}.jacobian(q) must return S, (6, {n}). Got shape {closed.shape}.")
        S = np.hstack([closed, D[:, n:]])
    check_force(joint, q)
    return replace(Subject(joint, charts, box, inputs, E, S, D, None, None), **recharted(joint, q))


def recharted(joint: Joint, q: np.ndarray) -> dict[str, np.ndarray]:
    """`moved` and `turned`, of a joint that changes its coordinates."""
    n = joint.dof
    states = joint.rechart([(q, 1.0 / np.arange(1.0, n + 1))]) if joint.has_own("rechart") else None
    if states is None:
        return {}
    new = [np.asarray(part, object).ravel() for state in states[:1] for part in state]
    if len(states) != 1 or [len(part) for part in new] != [joint.size, n]:
        valid = f"as many pairs (q, qdot) as it is given, of {joint.size} and {n} numbers"
        raise SceneError(f"{type(joint).__name__}.rechart(states) must return {valid}. Got {brief(states)}.")
    return {"moved": new[0], "turned": new[1]}


def check_force(joint: Joint, q: np.ndarray) -> None:
    force = joint.force(q, np.zeros(joint.dof)) if joint.has_own("force") else None
    if force is not None and np.size(force) != joint.dof:
        raise SceneError(f"{type(joint).__name__}.force(q, qdot) must return {joint.dof} numbers. Got shape {np.shape(force)}.")


def vector(entries: list[Any]) -> np.ndarray:
    return vector_of(entries)
