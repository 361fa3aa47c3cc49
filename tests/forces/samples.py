"""One or more of every kind of force, and random states of the bodies they act on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import redmax as rm
from redmax.forces.frames import Frame
from redmax.forces.law import member_wrenches, sites_of, to_floats
from redmax.math import exp, sin

A, B, C = (rm.BodyHandle(name, i, name) for i, name in enumerate("abc"))
LEAN = np.array(rm.pose(rm.rotation_about((1, -2, 0.5), 0.7), (0.2, -0.1, 0.3)), float)
TILT = np.array(rm.pose(rm.rotation_about((0.3, 1, 2), -0.5), (-0.1, 0.4, 0.05)), float)


def definite(n: int, seed: int) -> np.ndarray:
    half = np.random.default_rng(seed).normal(size=(n, n))
    return half @ half.T + 0.5 * np.eye(n)


def swirl(a: Any, b: Any, t: Any, k: Any, axis: Any) -> Any:
    """No potential, not opposite, depends on everything."""
    turn = np.array([a.R[0, 1] * b.omega[2], sin(k * a.x[0]) + b.R[2, 2], t * a.v[1]], object)
    return [(turn, k * b.v * (a.x @ a.x)), (None, axis * b.x[2] + turn)]


def magnet(a: Any, b: Any, k: Any) -> Any:
    """The energy of two dipoles, roughly."""
    dx = b.x - a.x
    return k * (a.R[:, 2] @ b.R[:, 0]) / (1.0 + dx @ dx)


def pull_on_one(a: Any, k: Any) -> Any:
    return -k * a.x


def height(a: Any, k: Any) -> Any:
    return 0.5 * k * (a.x @ a.x)


def tension(length: Any, rate: Any, t: Any, k: Any) -> Any:
    return k * length**2 + rate * sin(t)


def cubic(length: Any, k: Any) -> Any:
    return k * length**3


@dataclass(frozen=True)
class Sample:
    """make: from three bodies; internal: its wrenches cancel; conservative, dissipative: what its power is to its potential."""

    make: Callable[[Any, Any, Any], Any]
    internal: bool = False
    conservative: bool = False
    dissipative: bool = False


K6, D6 = definite(6, 1), definite(6, 2)
SAMPLES: dict[str, Sample] = {
    "point spring": Sample(lambda a, b, c: rm.PointSpring(a.point(0.1, 0.2, -0.3), b.point(0.4, 0, 0.1), stiffness=7), True, True),
    "damped point spring": Sample(lambda a, b, c: rm.PointSpring(a.point(0.1, 0.2, -0.3), b, stiffness=7, damping=2), False, False, True),
    "spring": Sample(lambda a, b, c: rm.SpringDamper(a.point(0.1, 0.2, -0.3), b.point(0.4, 0, 0.1), stiffness=30, rest=0.5), True, True),
    "spring-damper": Sample(
        lambda a, b, c: rm.SpringDamper(a.point(0.1, 0.2, -0.3), b, stiffness=30, damping=4, rest=0.5), True, False, True
    ),
    "per strain": Sample(
        lambda a, b, c: rm.SpringDamper((0.3, 0.2, 1), b.point(0, 0.2, 0), stiffness=30, damping=4, rest=0.8, per="strain"),
        False, False, True,
    ),
    "cable": Sample(
        lambda a, b, c: rm.Cable([a.point(0.1, 0, 0.2), b.point(0, 0.3, 0), c.point(0.2, 0.1, 0)], stiffness=40, rest=0.3), True, True
    ),
    "damped cable": Sample(
        lambda a, b, c: rm.Cable([a.point(0.1, 0, 0.2), (0.1, 2, 0.3), b, b.point(0.2, 0, 0), c], stiffness=40, damping=3, rest=0.4),
        False, False, True,
    ),
    "slack cable": Sample(lambda a, b, c: rm.Cable([a, b], stiffness=40, damping=3, rest=50), True, True),
    "body damping": Sample(lambda a, b, c: rm.BodyDamping(a, angular=0.7, linear=3), False, False, True),
    "body damping, one number": Sample(lambda a, b, c: rm.BodyDamping(b, 2.0), False, False, True),
    "point force": Sample(lambda a, b, c: rm.PointForce(a.point(0.3, -0.2, 0.5), (1, 2, -3), strength=2.5), False, True),
    "point force of time": Sample(lambda a, b, c: rm.PointForce(a.point(0.3, 0, 0), lambda t: [sin(t), 1, t], strength=lambda t: exp(-t))),
    "wrench in body axes": Sample(lambda a, b, c: rm.AppliedWrench(a.point(0.1, 0.2, 0.3), torque=(1, 2, 3), force=(-2, 0.5, 1))),
    "wrench in world axes": Sample(
        lambda a, b, c: rm.AppliedWrench(a.point(0.1, 0.2, 0.3), torque=lambda t: [1, t, 2], force=(-2, 0.5, 1), frame="world")
    ),
    "bushing": Sample(lambda a, b, c: rm.Bushing((a, LEAN), (b, TILT), translational=20, rotational=(1, 2, 3)), True, True),
    "whole bushing": Sample(lambda a, b, c: rm.Bushing((b, LEAN), a.point(0.1, 0, 0), stiffness=K6, rest=TILT), True, True),
    "damped bushing": Sample(
        lambda a, b, c: rm.Bushing((a, LEAN), c, translational=definite(3, 3), rotational=2, damping=D6), True, False, True
    ),
    "bushing to the world": Sample(
        lambda a, b, c: rm.Bushing(LEAN, a, translational=5, rotational=4, translational_damping=(1, 2, 3), rotational_damping=0.3),
        False, False, True,
    ),
    "own": Sample(lambda a, b, c: rm.force(swirl, bodies=[(a, LEAN), b.point(0.1, 0.2, 0)], k=1.3, axis=[1.0, 2.0, 3.0])),
    "own on one": Sample(lambda a, b, c: rm.force(pull_on_one, potential=height, bodies=[a], k=3.0), False, True),
    "own potential": Sample(lambda a, b, c: rm.force(potential=magnet, bodies=[(a, LEAN), (b, TILT)], k=4.0), True, True),
    "own tension": Sample(lambda a, b, c: rm.force(tension=tension, path=[a, b, c], k=2.0), True),
    "own stored": Sample(lambda a, b, c: rm.force(potential=cubic, path=[a, b.point(0, 0.1, 0), c], k=2.0), True, True),
}  # fmt: skip


@dataclass(frozen=True)
class Bodies:
    """E: (n, 4, 4) body frames in the world; phi: (n, 6) twists in body axes; t: s."""

    E: np.ndarray
    phi: np.ndarray
    t: float

    @property
    def frames(self) -> list[Frame]:
        return [Frame(E[:3, :3], E[:3, 3], E[:3, :3] @ p[:3], E[:3, :3] @ p[3:]) for E, p in zip(self.E, self.phi, strict=True)]


def random_bodies(seed: int) -> Bodies:
    """Three bodies within about a metre of each other, turned by at most 1.2 rad."""
    rng = np.random.default_rng([seed, 5])
    axes = rng.normal(size=(3, 3))
    E = np.array([rm.pose(rm.rotation_about(w, rng.uniform(-1.2, 1.2)), p) for w, p in zip(axes, rng.uniform(-1, 1, (3, 3)), strict=True)])
    return Bodies(E, rng.normal(size=(3, 6)), float(rng.uniform(0.1, 2.0)))


def chosen(force: Any, bodies: Bodies) -> Bodies:
    """Only those that it touches, in its order."""
    members = [b.index for b in force.bodies]
    return Bodies(bodies.E[members], bodies.phi[members], bodies.t)


def settled(force: Any) -> Any:
    """As at rest in a scene that begins with the bodies apart."""
    start = chosen(force, random_bodies(10_000))
    return force.settled([to_floats(s) for s in sites_of(force, start.frames)])


def sample(name: str) -> Any:
    return settled(SAMPLES[name].make(A, B, C))


def world_wrenches(force: Any, bodies: Bodies) -> np.ndarray:
    """(n, 6) torque and force on each body about its own origin, in world axes."""
    frames = bodies.frames
    return np.array(member_wrenches(force, frames, sites_of(force, frames), bodies.t), float)


def body_wrenches(force: Any, bodies: Bodies) -> np.ndarray:
    """The same in body axes."""
    found = world_wrenches(force, bodies).reshape(-1, 2, 3)
    return np.einsum("nij,nki->nkj", bodies.E[:, :3, :3], found).reshape(-1, 6)


def stored(force: Any, bodies: Bodies) -> float:
    V = force.potential(sites_of(force, bodies.frames), bodies.t)
    return 0.0 if V is None else float(V)
