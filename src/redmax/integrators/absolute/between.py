"""Joints between the bodies of a Lagrangian (lagrangian.py), or a body and the world, in trees and loops: rows of constraints/closure.py.

    g = N' log(Q(q)^-1 E1^-1 E2)

q, the coordinates of the joint, follow from the poses. They are carried along: each look at the poses goes on from where the last found
them, by Newton's method, and derivatives see them move along with the bodies (`ways`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.arguments import as_whole, brief
from redmax.backends.base import make_runner
from redmax.components.checks import as_pose
from redmax.components.handles import BodyHandle
from redmax.components.holding import Site
from redmax.constraints.carried import nearer
from redmax.constraints.closure import Closure
from redmax.errors import SceneError, SimulationError
from redmax.joints.base import Joint
from redmax.joints.checks import check_joint
from redmax.program.function import function_plan
from redmax.trace import Graph, listing, substitute
from redmax.trace.vector import vector_of

LITTLE = 1e-18  # sum of squares of the last steps: the next would be their square
MOST_TURNS, LOST = 30.0, 1e-8  # a sum of squares that is larger after so many turns comes to no rest
OPEN = 1e-6  # by how much joints may be open where bodies begin: what poses are written with
DELTA = "row.delta"  # inputs, zero, by which coordinates change
VALID = "(joint, first, second) or (joint, first, second, q), of places None (the world), a body's number, or (one of these, frame)"


@dataclass(frozen=True, eq=False)
class Between:
    """closures: the joints; bodies: how many; spin: (R, v) -> the angular velocity in world axes."""

    closures: tuple[Closure, ...]
    bodies: int
    spin: Callable[[Any, Any], Any]
    backend: str = "llvm"

    @property
    def size(self) -> int:
        """How many numbers are carried."""
        return sum(c.carries for c in self.closures)

    @property
    def carrying(self) -> list[Closure]:
        return [c for c in self.closures if c.carries]

    @property
    def slides(self) -> int:
        """How many rates these have."""
        return sum(c.slides for c in self.closures)

    def parts(self, carried: Any, delta: Any) -> list[tuple[Any, Any]]:
        """Of each joint."""
        found, at, d = [], 0, 0
        for c in self.closures:
            found.append((carried[at : at + c.carries], delta[d : d + c.slides]))
            at, d = at + c.carries, d + c.slides
        return found

    def delta(self, t: Any) -> Any:
        return vector_of(t.graph.inputs(DELTA, self.slides))

    def sites(self, closure: Closure, poses: Sequence[Any], moving: Sequence[tuple[Any, Any]] | None = None) -> list[Site]:
        """The places of a joint. moving: of each body, its angular velocity in world axes and the velocity of its origin."""
        found, zero = [], np.zeros(3).astype(object)
        for a in closure.anchors:
            if a.member < 0:
                found.append(Site(a.position, zero, a.rotation, zero))
                continue
            k = closure.bodies[a.member].index
            (omega, xdot), R = (zero, zero) if moving is None else moving[k], poses[k][:3, :3]
            arm = R @ a.position
            found.append(Site(poses[k][:3, 3] + arm, xdot + np.cross(omega, arm), R @ a.rotation, omega))
        return found

    def rows(self, poses: Sequence[Any], carried: Any, delta: Any, t: Any) -> list[Any]:
        """g of all."""
        found: list[Any] = []
        for c, at in zip(self.closures, self.parts(carried, delta), strict=True):
            found += c.replaced(carried=at).rows(self.sites(c, poses), t)
        return found

    def sliding(self, poses: Sequence[Any], v: Any, xdot: Any, carried: Any, delta: Any, t: Any) -> list[Any]:
        """The rates of all coordinates, of velocities v (6n,) with which origins move at xdot (3n,)."""
        moving = [(self.spin(E[:3, :3], v[6 * k : 6 * k + 6]), xdot[3 * k : 3 * k + 3]) for k, E in enumerate(poses)]
        found: list[Any] = []
        for c, at in zip(self.closures, self.parts(carried, delta), strict=True):
            found += list(c.replaced(carried=at).sliding(self.sites(c, poses, moving), t))
        return found

    def nearer(self, poses: Sequence[Any], carried: Any, t: Any) -> tuple[list[Any], Any]:
        """All coordinates after one step of Newton's method, and the square of the steps."""
        found, moved = [], 0.0
        for c, (q, _) in zip(self.closures, self.parts(carried, np.zeros(self.slides)), strict=True):
            if c.carries:
                better, step = nearer(c, self.sites(c, poses), q, t)
                found, moved = [*found, *better], moved + step
        return found, moved

    def undisturbed(self, values: Sequence[Any], t: Any) -> list[Any]:
        """Where delta is zero."""
        return substitute(values, lambda base, index: 0.0 if base == DELTA else t.graph.input(base, index)) if self.slides else list(values)

    def text(self, poses: Sequence[Any], carried: Any, t: Any) -> str:
        """What tells them from others: the trace of their rows, and the numbers in it."""
        if not self.closures:
            return ""
        rows = self.rows(poses, carried, self.delta(t), t)
        numbers = [np.asarray(getattr(x, "array", x), float) for c in self.closures for x in c.data().values()]
        digest = hashlib.sha256(b"".join(x.tobytes() for x in numbers)).hexdigest()
        return f"{listing({f'g{k}': x for k, x in enumerate(rows)})} {digest}"

    def made(self, name: str, inputs: dict[str, int], outputs: dict[str, int], function: Callable[..., Any]) -> Callable[..., Any]:
        """A function of poses (sets, 12n), t (sets, 1) and other inputs, compiled."""

        def traced(pose: Any, t: Any, **others: Any) -> list[Any]:
            return function(poses_of(pose), t[0], **others)

        sizes = {"pose": 12 * self.bodies, "t": 1, **inputs}
        graph = Graph()
        pose, carried = (vector_of(graph.inputs(part, size)) for part, size in (("pose", 12 * self.bodies), ("carried", self.size)))
        text = f"{name} {self.text(poses_of(pose), carried, graph.input('t', 0))}"
        runner = make_runner(function_plan(text, sizes, outputs, traced), self.backend, "float64")

        def call(*arrays: np.ndarray) -> list[np.ndarray]:
            out = [np.empty((1, len(arrays[0]), size)) for size in outputs.values()]
            runner.run([np.ascontiguousarray(x, float) for x in arrays], out, len(arrays[0]))
            return [x[0] for x in out]

        return call

    @cached_property
    def step(self) -> Callable[..., Any]:
        """(poses, t, carried) -> what is carried, a step of Newton's method nearer, and the square of the step."""
        sizes = {"next": self.size, "moved": 1}
        return self.made("nearer", {"carried": self.size}, sizes, lambda E, t, carried: list(self.nearer(E, carried, t)))

    @cached_property
    def starts(self) -> Callable[..., Any]:
        """(poses, t, number) -> where the coordinates may begin, of this number, and how far off they are there."""

        def begin(E: Any, t: Any, number: Any) -> list[Any]:
            found = [c.beginning(self.sites(c, E), number[0], t) for c in self.carrying]
            return [np.concatenate([q for q, _ in found]), [off for _, off in found]]

        return self.made("begin", {"number": 1}, {"places": self.size, "off": len(self.carrying)}, begin)

    def followed(self, pose: np.ndarray, t: float, carried: np.ndarray) -> np.ndarray:
        """What is carried at these poses (12n,), from what was near them."""
        turns, moved = 0.0, np.inf
        while self.size and moved > LITTLE and turns < MOST_TURNS:
            found, change = self.step(pose[None], np.array([[t]]), carried[None])
            carried, moved, turns = found[0], float(change[0, 0]), turns + 1.0
        if self.size and not moved <= LOST:
            said = f"The coordinates of the joints are not found at t = {t:.6g} s"
            raise SimulationError(f"{said}: bodies are too far from where these would have them.")
        return carried

    def begun(self, pose: np.ndarray, t: float) -> np.ndarray:
        """What is carried at these poses (12n,), from nothing: the best of many places, for each joint."""
        if not self.size:
            return np.zeros(0)
        numbers = np.arange(max(c.starts for c in self.carrying))[:, None].astype(float)
        places, off = self.starts(np.repeat(pose[None], len(numbers), axis=0), np.full_like(numbers, t), numbers)
        parts, at = list[np.ndarray](), 0
        for k, c in enumerate(self.carrying):
            parts.append(places[np.argmin(off[:, k]), at : at + c.carries])
            at += c.carries
        return self.followed(pose, t, np.concatenate(parts))

    def check_closed(self, gap: np.ndarray, pose: np.ndarray) -> None:
        """Raise where a joint is open; gap: its rows are the last."""
        far, at = OPEN * max(1.0, float(np.abs(pose).max())), len(gap) - sum(c.size for c in self.closures)
        for c in self.closures:
            off = float(np.abs(gap[at : at + c.size]).max())
            if not off <= far:
                said = f"{c.name}, {c.joint!r}, is open by {off:.3g} (m or rad) where bodies begin, expected at most {far:.1g}"
                fix = "Give poses at which it is closed, or other frames where it sits; the second place is seen from the first"
                raise SceneError(f"{said}. {fix}.", owner="EulerPoincare", argument="joints", got=f"{off:.3g}", expected=f"{far:.1g}")
            at += c.size


def poses_of(pose: Any) -> list[np.ndarray]:
    """Of numbers (12n,): poses (4, 4)."""
    last = np.array([[0.0, 0.0, 0.0, 1.0]], object)
    return [np.concatenate([pose[k : k + 12].reshape(3, 4), last]) for k in range(0, len(pose), 12)]


def between(joints: Any, bodies: int, spin: Callable[[Any, Any], Any], backend: str) -> Between:
    """What a user says of joints between so many bodies."""
    if not isinstance(joints, list | tuple):
        raise SceneError(f"joints is a list of {VALID}. Got {brief(joints)}.", owner="EulerPoincare", argument="joints")
    return Between(tuple(closure_of(x, k, bodies) for k, x in enumerate(joints)), bodies, spin, backend)


def closure_of(given: Any, k: int, bodies: int) -> Closure:
    """The joint of number k."""
    if not isinstance(given, list | tuple) or len(given) not in (3, 4) or not isinstance(given[0], Joint):
        raise SceneError(f"joints[{k}] is {VALID}. Got {brief(given)}.", owner="EulerPoincare", argument="joints")
    joint, first, second, *q = given
    check_joint(joint, f"joints[{k}]")
    return Closure(joint, place_of(first, k, bodies), place_of(second, k, bodies), q=q[0] if q else None, name=f"joints[{k}]")


def place_of(given: Any, k: int, bodies: int) -> Any:
    """As closures take it."""
    body, frame = given if isinstance(given, list | tuple) and len(given) == 2 else (given, np.zeros(3))
    E = as_pose("EulerPoincare", f"a frame of joints[{k}]", frame)
    if body is None:
        return E
    number = as_whole(body)
    if number is None or number >= bodies:
        numbers = "0" if bodies == 1 else f"0 to {bodies - 1}"
        valid = f"None (the world), or the number of a body, {numbers}; either also as (number, frame)"
        said = f"joints[{k}] has the place {brief(given)}. Valid: {valid}."
        raise SceneError(said, owner="EulerPoincare", argument="joints", expected=valid)
    return BodyHandle(f"body {number}", number, ""), E
