"""Random mechanisms over every kind of joint: what the tests of dynamics, programs and integrators run on.

A `Mechanism` is a description that oracles read without the library; `scene()` gives the same to the library. Depth is at most 12, mass
ratios at most 1e3. Placements come in styles, none to general, so that exact zeros and ones, which kernels are specialised for, are common.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from hypothesis import strategies as st

import redmax as rm
from joints.samples import KINDS, Sample, make

DEPTH = 12
STYLES = ("none", "shift", "quarter", "general")


@dataclass(frozen=True, eq=False)
class LinkSpec:
    """at, body: (4, 4); given_at, given_body: what the user writes for them. torque: None or a function of (t, q, qdot)."""

    sample: Sample
    parent: int
    at: np.ndarray
    body: np.ndarray
    given_at: Any
    given_body: Any
    shape: rm.Body
    stiffness: np.ndarray
    damping: np.ndarray
    rest: np.ndarray
    torque: Callable[..., Any] | None = None


@dataclass(frozen=True, eq=False)
class WrenchSpec:
    """On a link at a point of its body frame; value(t) = (torque, force) in `frame` axes."""

    link: int
    frame: str
    point: np.ndarray
    value: Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class StateSample:
    """q, qdot, tau, qddot: (nv,);  wrench: (links, 6) in body frames;  t: s."""

    q: np.ndarray
    qdot: np.ndarray
    tau: np.ndarray
    qddot: np.ndarray
    wrench: np.ndarray
    t: float


@dataclass(frozen=True, eq=False)
class Mechanism:
    links: tuple[LinkSpec, ...]
    wrenches: tuple[WrenchSpec, ...]
    gravity: np.ndarray

    @cached_property
    def offsets(self) -> np.ndarray:
        return np.concatenate([[0], np.cumsum([link.sample.joint.dof for link in self.links])]).astype(int)

    @property
    def nv(self) -> int:
        return int(self.offsets[-1])

    def of(self, i: int) -> slice:
        """The coordinates of link i."""
        return slice(int(self.offsets[i]), int(self.offsets[i + 1]))

    def scene(self) -> rm.Scene:
        scene = rm.Scene(gravity=self.gravity)
        handles: list[rm.BodyHandle] = []
        for i, link in enumerate(self.links):
            options = {"com": link.given_body} if np.ndim(link.given_body) == 1 and i % 2 else {"body": link.given_body}
            handles.append(
                scene.add_body(
                    link.shape,
                    joint=link.sample.joint,
                    parent=handles[link.parent] if link.parent >= 0 else None,
                    at=link.given_at,
                    name=f"link{i}",
                    joint_name=f"joint{i}",
                    stiffness=link.stiffness,
                    damping=link.damping,
                    rest=link.rest,
                    torque=link.torque,
                    check_joint=False,  # some are singular somewhere; states are drawn where they are not
                    **options,
                )
            )
        for w in self.wrenches:
            on = handles[w.link].point(*w.point) if w.point.any() else handles[w.link]
            scene.add_wrench(
                on, torque=lambda t, w=w: np.asarray(w.value(t))[:3], force=lambda t, w=w: np.asarray(w.value(t))[3:], frame=w.frame
            )
        return scene

    @cached_property
    def model(self) -> rm.Model:
        return self.scene().model()

    def state(self, seed: int = 0) -> StateSample:
        rng = np.random.default_rng([seed, 17])
        q = np.concatenate([link.sample.coordinates(rng) for link in self.links])
        qdot, tau, qddot = rng.normal(size=(3, self.nv))
        return StateSample(q, qdot, 5.0 * tau, 3.0 * qddot, 2.0 * rng.normal(size=(len(self.links), 6)), float(rng.uniform(0.0, 2.0)))

    def states(self, count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q, qdot, tau of many worlds, (count, nv)."""
        found = [self.state(seed + i) for i in range(count)]
        return tuple(np.array([getattr(s, n) for s in found]).reshape(count, self.nv) for n in ("q", "qdot", "tau"))  # type: ignore[return-value]


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    R, upper = np.linalg.qr(rng.normal(size=(3, 3)))
    R = R * np.sign(np.diag(upper))
    return R * np.linalg.det(R)


def quarter_turns(rng: np.random.Generator) -> np.ndarray:
    """One of the 24 rotations with entries 0, 1 and -1."""
    R = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], 3)
    return R * np.linalg.det(R).round()


def placement(rng: np.random.Generator, style: str, size: float) -> tuple[Any, np.ndarray]:
    """What the user gives, and the pose it means."""
    E = np.eye(4)
    if style == "none":
        return None, E
    shift = rng.normal(size=3) * size
    E[:3, 3] = shift * (rng.random(3) < 0.5) if style != "general" else shift
    if style == "shift":
        return E[:3, 3].copy(), E
    E[:3, :3] = quarter_turns(rng) if style == "quarter" else random_rotation(rng)
    return E.copy(), E


def random_shape(rng: np.random.Generator, style: str) -> rm.Body:
    """Mass between 0.03 and 30 kg; round numbers for simple styles; some with a frame of their own."""
    if style in ("none", "shift"):
        return rm.Cuboid((0.3, 0.2, 0.1), mass=float(rng.choice([1.0, 2.5])))
    mass = 10.0 ** rng.uniform(-1.5, 1.5)
    if style == "quarter":
        E = np.eye(4)
        E[:3, :3], E[:3, 3] = random_rotation(rng), 0.2 * rng.normal(size=3)
        return rm.Composite([(rm.Sphere(0.1, mass=mass / 2), np.eye(4)), (rm.Cuboid((0.1, 0.2, 0.4), mass=mass / 2), E)])
    a, b, c = rng.uniform(0.05, 0.4, 3) ** 2
    R = random_rotation(rng)
    return rm.MassProperties(mass, R @ np.diag([b + c, a + c, a + b]) @ R.T * mass / 5)


def random_torque(rng: np.random.Generator, n: int) -> Callable[..., Any]:
    a, b, c = rng.normal(size=(3, n))
    return lambda t, q, qdot: a * np.sin(2.0 * t) + b * q - c * c * qdot * qdot


def random_link(rng: np.random.Generator, kind: str, style: str, parent: int, forces: bool) -> LinkSpec:
    """Joints of simple styles lie along coordinate axes and have round parameters."""
    sample = make(kind, rng, aligned=style != "general")
    given_at, at = placement(rng, style, 0.4)
    given_body, body = placement(rng, style, 0.2)
    n = sample.joint.dof
    some = forces and rng.random() < 0.6
    stiffness, damping = rng.uniform(0.0, 20.0, n) * some, rng.uniform(0.0, 0.5, n) * some
    torque = random_torque(rng, n) if forces and n and rng.random() < 0.3 else None
    rest = rng.uniform(-0.5, 0.5, n)
    return LinkSpec(sample, parent, at, body, given_at, given_body, random_shape(rng, style), stiffness, damping, rest, torque)


def random_wrench(rng: np.random.Generator, link: int) -> WrenchSpec:
    a, b = rng.normal(size=(2, 6))
    point = rng.normal(size=3) * (rng.random() < 0.6)
    return WrenchSpec(link, str(rng.choice(["body", "world"])), point, lambda t: a + b * np.cos(3.0 * t))


def assemble(seed: int, plan: Sequence[tuple[str, str, int]], forces: bool = True) -> Mechanism:
    """A mechanism from (kind, style, parent) for each link; all numbers follow from the seed."""
    rng = np.random.default_rng([seed, len(plan)])
    links = tuple(random_link(rng, kind, style, parent, forces) for kind, style, parent in plan)
    wrenches = tuple(random_wrench(rng, int(rng.integers(len(plan)))) for _ in range(3)) if forces else ()
    return Mechanism(links, wrenches, rng.normal(size=3) * 6.0 if forces else np.array([0.0, 0.0, -9.81]))


def random_parents(rng: np.random.Generator, count: int, roots: float = 0.15, chain: float = 0.5) -> list[int]:
    """Any shape from a chain to a star, with some further roots; never deeper than DEPTH."""
    parents, depth = [-1], [1]
    for i in range(1, count):
        p = -1 if rng.random() < roots else i - 1 if rng.random() < chain else int(rng.integers(i))
        p = -1 if p >= 0 and depth[p] >= DEPTH else p
        parents.append(p)
        depth.append(1 if p < 0 else depth[p] + 1)
    return parents


def every_kind(seed: int, style: str | None = None, kinds: Sequence[str] = KINDS, forces: bool = True) -> Mechanism:
    """One joint of each kind, in random order, on a random forest; in one style or in all of them.

    Tests of compiled code take the first seed, and where it matters the second: what one of them has compiled the others find.
    """
    rng = np.random.default_rng([seed, 3])
    order = [kinds[i] for i in rng.permutation(len(kinds))]
    styles = [style or str(rng.choice(STYLES)) for _ in order]
    return assemble(seed, list(zip(order, styles, random_parents(rng, len(order)))), forces)


def chain(seed: int, kinds: Sequence[str], style: str = "general", forces: bool = True) -> Mechanism:
    """These joints one after the other."""
    return assemble(seed, [(kind, style, i - 1) for i, kind in enumerate(kinds)], forces)


def identical(seed: int, kind: str, style: str, parents: Sequence[int]) -> Mechanism:
    """One link many times over, number for number."""
    link = random_link(np.random.default_rng([seed, 5]), kind, style, -1, forces=True)
    return Mechanism(tuple(replace(link, parent=p) for p in parents), (), np.array([0.0, 0.0, -9.81]))


@st.composite
def mechanisms(draw: st.DrawFn, kinds: Sequence[str] = KINDS, largest: int = 8, forces: bool | None = None) -> Mechanism:
    """Any mechanism, often with neighbours of one kind; shrinks to fewer links, simpler joints, simpler placements."""
    plan: list[tuple[str, str, int]] = []
    depth: list[int] = []
    for i in range(draw(st.integers(1, largest))):
        kind, style = draw(st.sampled_from(kinds)), draw(st.sampled_from(STYLES))
        if plan and draw(st.booleans()):
            kind, style = plan[-1][:2]
        allowed = [-1] + [j for j in range(i) if depth[j] < DEPTH]
        parent = draw(st.sampled_from(allowed[::-1]))
        plan.append((kind, style, parent))
        depth.append(1 if parent < 0 else depth[parent] + 1)
    return assemble(draw(st.integers(0, 2**16)), plan, draw(st.booleans()) if forces is None else forces)
