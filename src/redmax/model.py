"""Model: a scene frozen for computation. Topology, names, offsets, constants in the frames that make kernels sparse."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np

from redmax.bodies import MassProperties
from redmax.configuration import Configurations
from redmax.constraints.coordinate_map import CoordinateMap
from redmax.constraints.prescribed_twist import PrescribedTwist
from redmax.errors import SceneError
from redmax.forces.base import Force
from redmax.forces.frames import Frame
from redmax.forces.joint_force import JointForce
from redmax.forces.law import ForceLaw, sites_of, to_floats
from redmax.handles import BodyHandle
from redmax.joints import Revolute
from redmax.joints.base import Joint
from redmax.joints.frames import cleaned
from redmax.lie.three import cross
from redmax.nodes import Soft, node_links, placed_ties
from redmax.program.group import Signature
from redmax.program.interaction import Acting
from redmax.program.relation import Tree
from redmax.scene import Link, Scene, Wrench, unknown
from redmax.signatures import FORCE, Description, signatures
from redmax.trace import Table
from redmax.units import Units, units_of

STATE = "state"  # the kind of a link that keeps a hidden state


@dataclass(frozen=True, eq=False)
class Model:
    """links: as the user placed them; cores, frames: each joint as (core, C), see Joint.canonical; tree: joints in creation order."""

    title: str
    links: tuple[Link, ...]
    wrenches: tuple[Wrench, ...]
    gravity: np.ndarray
    tree: Tree
    cores: tuple[Joint, ...]
    frames: tuple[np.ndarray, ...]
    prescribed: tuple[bool, ...]
    units: Units
    forces: tuple[Force, ...] = ()
    soft: tuple[Soft, ...] = ()
    states: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # force -> the links that keep its hidden states
    joint_forces: tuple[JointForce, ...] = ()
    twists: tuple[PrescribedTwist, ...] = ()
    map: CoordinateMap | None = None

    @property
    def body_names(self) -> tuple[str, ...]:
        return tuple(link.name for link in self.links)

    @property
    def joint_names(self) -> tuple[str, ...]:
        return tuple(link.joint_name for link in self.links)

    @cached_property
    def offsets(self) -> np.ndarray:
        """Where each joint's velocities begin in qdot, and the end."""
        return np.concatenate([[0], np.cumsum([link.joint.dof for link in self.links])]).astype(int)

    @cached_property
    def q_offsets(self) -> np.ndarray:
        """Where each joint's configuration begins in q, and the end."""
        return np.concatenate([[0], np.cumsum([link.joint.nq for link in self.links])]).astype(int)

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return int(self.q_offsets[-1])

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return int(self.offsets[-1])

    @property
    def q0(self) -> np.ndarray:
        """The scene's initial coordinates, (nq,)."""
        return np.concatenate([link.q for link in self.links] or [np.zeros(0)])

    @property
    def qdot0(self) -> np.ndarray:
        """The scene's initial rates, (nv,)."""
        return np.concatenate([link.qdot for link in self.links] or [np.zeros(0)])

    def index(self, name: str) -> int:
        """The number of a body or joint."""
        for names in (self.body_names, self.joint_names):
            if name in names:
                return names.index(name)
        raise SceneError(unknown("body or joint", name, [*self.body_names, *self.joint_names]))

    def q_slice(self, name: str) -> slice:
        """Where the coordinates of a joint (named by itself or its body) lie in q."""
        i = self.index(name)
        return slice(int(self.q_offsets[i]), int(self.q_offsets[i + 1]))

    def v_slice(self, name: str) -> slice:
        """Where the velocities of a joint lie in qdot."""
        i = self.index(name)
        return slice(int(self.offsets[i]), int(self.offsets[i + 1]))

    def joint_of(self, coordinate: int) -> str:
        """The joint that owns a coordinate."""
        return self.joint_names[int(np.searchsorted(self.offsets, coordinate, "right")) - 1]

    def with_prescribed(self, names: Sequence[str]) -> Model:
        """The same model with the accelerations of these joints given and their torques to be found."""
        marked = [self.index(n) for n in names]
        return replace(self, prescribed=tuple(p or i in marked for i, p in enumerate(self.prescribed)))

    @cached_property
    def configurations(self) -> Configurations:
        """How q and the charts in use lie together in what programs keep."""
        return Configurations(self.joint_names, [link.joint for link in self.links])

    @property
    def charts(self) -> dict[str, str]:
        """The coordinates in use at first, for joints that have a choice."""
        return self.configurations.named(self.configurations.start.astype(int))

    @cached_property
    def world_wrench(self) -> bool:
        """Whether a wrench is given in world axes, so that the dynamics must know where the bodies point."""
        return any(w.frame == "world" for w in self.wrenches)

    @cached_property
    def kernels_of(self) -> tuple[list[Signature], list[np.ndarray]]:
        """Each joint's signature and its row of constants."""
        flags = [(p < 0, leaf, first) for p, leaf, first in zip(self.tree.parent, self.tree.leaf, self.tree.first, strict=True)]
        return signatures([self.describe(i) for i in range(len(self.links))], flags)

    @cached_property
    def acting(self) -> tuple[Acting, ...]:
        """The forces, those of one law together, with their anchors in the joint frames of the kernels."""
        kinds: dict[Any, list[Force]] = {}
        for force in self.forces:
            kinds.setdefault(force.structure(), []).append(force)
        result: list[Acting] = []
        for alike in kinds.values():
            law = ForceLaw(alike[0])
            placed = [f.within([cleaned(self.frames[b.index].T @ self.links[b.index].body) for b in f.bodies]) for f in alike]
            members = np.array([[b.index for b in (*f.bodies, *f.joints)] + list(self.states.get(f.name or "", ())) for f in alike])
            result.append(Acting(law, members, np.array([law.constants(f) for f in placed])))
        return (*result, *[acting for soft in self.soft for acting in soft.acting()])

    @cached_property
    def touched(self) -> frozenset[int]:
        """The joints whose bodies feel a force."""
        nodes = {int(m) for soft in self.soft for a in soft.acting() for m in np.ravel(a.members)}
        return frozenset(nodes | {b.index for f in self.forces for b in f.bodies})

    @cached_property
    def pushed(self) -> frozenset[int]:
        """The joints on whose coordinates a force acts, because points of its path move along with them."""
        return frozenset(f.joints[m.joint].index for f in self.forces for m in f.movers if m is not None)

    @cached_property
    def by_joint(self) -> dict[int, tuple[JointForce, ...]]:
        """The forces within joints, by the number of the joint."""
        found: dict[int, tuple[JointForce, ...]] = {}
        for force in self.joint_forces:
            i = self.index(force.body if isinstance(force.body, str) else force.body.name)
            found[i] = (*found.get(i, ()), force)
        return found

    def within_joint(self, i: int) -> tuple[JointForce, ...]:
        """The forces within a joint."""
        return self.by_joint.get(i, ())

    def describe(self, i: int) -> Description:
        """A link in its canonical frame: at' = C_p^-1 at C, body' = C^-1 body."""
        link, C = self.links[i], self.frames[i]
        parent = self.frames[link.parent] if link.parent >= 0 else np.eye(4)
        at = cleaned(parent.T @ link.at @ C)  # the frames are pure rotations
        body = cleaned(C.T @ link.body)
        mass, h, A = moments(link, body)
        core = self.cores[i]
        constants: dict[str, np.ndarray | Table] = {
            "R0": at[:3, :3], "p0": at[:3, 3], "A": A, "h": h, "mass": np.array([mass]),
            "stiffness": link.stiffness, "damping": link.damping, "rest": np.where(link.stiffness > 0, link.rest, 0.0),
            "gain": np.array([link.gain]), "velocity_gain": np.array([link.velocity_gain]),
            "C": C[:3, :3], "body_R": body[:3, :3], "body_p": body[:3, 3], "gravity": self.gravity,
        }  # fmt: skip
        constants |= {"joint." + n: v for n, v in core.data().items()}
        within = self.within_joint(i)
        constants |= {f"{FORCE}{k}.{n}": v for k, force in enumerate(within) for n, v in force.data().items()}
        functions = {n: sized(f, link, n) for n, f in (("torque", link.torque), ("motion", link.motion)) if f is not None}
        options: dict[str, Any] = {"prescribed": self.prescribed[i], "touched": i in self.touched, "pushed_at": i in self.pushed}
        options["counted"] = link.kind != STATE
        if link.motion is not None:
            options["motion_level"] = link.motion_level
        for frame, total in (("body", body_wrench), ("world", world_wrench)):
            acting = tuple(w for w in self.wrenches if w.body == i and w.frame == frame)
            if acting:
                functions[frame + "_wrench"] = partial(total, acting)
        return Description(link.joint_name, core, constants, functions, options, within)


def moments(link: Link, body: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, first moment, and the upper triangle of the rotational inertia, about the joint frame's origin (parallel axes)."""
    R, c, m = body[:3, :3], body[:3, 3], link.shape.mass
    full = R @ link.shape.inertia @ R.T + m * (c @ c * np.eye(3) - np.outer(c, c))
    full = np.where(np.abs(full) < 1e-15 * max(np.abs(full).max(), 1e-300), 0.0, full)
    return m, m * c, full[np.triu_indices(3)]


@lru_cache(maxsize=4096)
def sized_cached(function: Callable[..., Any], dof: int, name: str, what: str) -> Callable[..., Any]:
    """A user's function of time (and state), whose result is checked to be one number for each degree of freedom."""

    def checked(*args: Any) -> np.ndarray:
        value = np.asarray(function(*args), object)
        if value.size != dof or value.ndim > 1:
            raise SceneError(f"The {what} function of body {name!r} must return {dof} numbers. Got shape {value.shape}.")
        return value.reshape(dof)

    return checked


def sized(function: Callable[..., Any], link: Link, what: str) -> Callable[..., Any]:
    return sized_cached(function, link.joint.dof, link.name, what)


def body_wrench(acting: Sequence[Wrench], t: Any) -> Any:
    """The sum (6,) at the body's origin, in body axes, of wrenches given in body axes."""
    total = np.zeros(6).astype(object)
    for w in acting:
        value = w.value(t)
        total = total + value + np.concatenate([np.array(cross(list(w.point), list(value[3:])), object), np.zeros(3)])
    return total


def world_wrench(acting: Sequence[Wrench], t: Any) -> Any:
    """Rows (torque, force, point) of wrenches given in world axes; the point is in the body frame."""
    return np.array([[*w.value(t), *w.point] for w in acting], object)


def build_model(scene: Scene) -> Model:
    if not scene.links and not scene.deformables:
        raise SceneError("The scene has no body. Add one with scene.add_body(...).")
    links = tuple(scene.links)
    poses = initial_poses(links) if scene.forces or scene.deformables else []
    forces = settled([f for f in scene.forces if isinstance(f, Force)], poses, links)
    links, states = with_states(links, forces)
    soft: list[Soft] = []
    for shape in scene.deformables:
        soft.append(Soft(shape, len(links), placed_ties(shape, scene.links, poses)))
        links = (*links, *node_links(shape, scene.links, poses))
    tree = Tree(tuple(link.parent for link in links))
    check_massless(links, tree)
    if scene.map is not None:
        check_map(scene.map, links)
    canonical = [link.joint.core() for link in links]
    return Model(
        title=scene.title,
        links=links,
        wrenches=tuple(scene.wrenches),
        gravity=np.asarray(scene.gravity, float),
        tree=tree,
        cores=tuple(core for core, _ in canonical),
        frames=tuple(C for _, C in canonical),
        prescribed=tuple(link.motion is not None for link in links),
        units=units_of(scene.units),
        forces=forces,
        soft=tuple(soft),
        states=states,
        joint_forces=tuple(fitted(f, links) for f in scene.forces if isinstance(f, JointForce)),
        twists=tuple(scene.twists),
        map=scene.map,
    )


def settled(forces: Sequence[Force], poses: Sequence[np.ndarray], links: Sequence[Link]) -> tuple[Force, ...]:
    """The forces with what they take from where the scene begins."""
    frames = [Frame(E[:3, :3], E[:3, 3], np.zeros(3), np.zeros(3)) for E in poses]
    result: list[Force] = []
    for f in forces:
        begun = f.replaced(coordinates=[(links[b.index].q, np.zeros(links[b.index].joint.dof)) for b in f.joints])
        found = begun.settled([to_floats(s) for s in sites_of(begun, [frames[b.index] for b in f.bodies])])
        result.append(found.replaced(coordinates=()))
    return tuple(result)


def with_states(links: tuple[Link, ...], forces: Sequence[Force]) -> tuple[tuple[Link, ...], dict[str, tuple[int, ...]]]:
    """The links, with one for each hidden state of a force behind them: a rotor of inertia 1, whose rate is the state.

    Its torque is the state's rate of change, so every integrator carries the state as it carries velocities; it has no part in energy.
    """
    found: dict[str, tuple[int, ...]] = {}
    for force in forces:
        numbers: list[int] = []
        for what, initial, rate in force.hidden():
            name = f"{force.name} {what}"
            rotor = MassProperties(mass=1.0, inertia=np.eye(3))
            zero, one = np.zeros(1), np.eye(4)
            torque = state_rate(rate)
            numbers.append(len(links))
            start = np.array([initial])
            links = (*links, Link(name, name, rotor, Revolute("z"), -1, one, one, zero, start, zero, zero, zero, torque, kind=STATE))
        if numbers:
            found[force.name or ""] = tuple(numbers)
    return links, found


def state_rate(rate: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda t, q, qdot: [rate(t, qdot[0])]


def fitted(force: JointForce, links: Sequence[Link]) -> JointForce:
    """A force within a joint, with as many numbers as the joint has coordinates."""
    link = next(link for link in links if isinstance(force.body, BodyHandle) and link.name == force.body.name)
    return force.fitted(link.joint, link.joint_name, link.q)


def initial_poses(links: Sequence[Link]) -> list[np.ndarray]:
    """The body frames in the world where the scene begins, (4, 4) each."""
    joints: list[np.ndarray] = []
    for link in links:
        q = link.q
        if link.motion is not None and link.on_motion and link.motion_level == "position":
            q = np.ravel(np.asarray(link.motion(0.0), float))
        E = np.asarray(link.joint.at("transform", np.concatenate([q, link.joint.start]), 0.0), float)
        parent = joints[link.parent] if link.parent >= 0 else np.eye(4)
        joints.append(parent @ link.at @ E)
    return [E @ link.body for E, link in zip(joints, links, strict=True)]


def check_map(map: CoordinateMap, links: Sequence[Link]) -> None:
    """A map gives every joint's coordinates, and where they start."""
    start, n = map.coordinates(map.q), sum(link.joint.dof for link in links)
    if len(start) != n:
        raise SceneError(f"The scene's map must give the {n} coordinates of its joints. Got {len(start)}.")
    parts = np.split(start, np.cumsum([link.joint.dof for link in links])[:-1])
    for link, part in zip(links, parts, strict=True):
        if link.motion is not None:
            raise SceneError(f"Joint {link.joint_name!r} has a prescribed motion, but the scene's map moves it. Leave out one of them.")
        if link.joint.nq != link.joint.dof:
            raise SceneError(f"Joint {link.joint_name!r} has {link.joint.nq} coordinates for {link.joint.dof} rates; a map needs as many.")
        if link.joint.discrete:
            raise SceneError(f"Joint {link.joint_name!r} changes its coordinates during a run; a map needs a joint that does not.")
        if link.q.any() and not np.allclose(link.q, part, rtol=1e-9, atol=1e-12):
            raise SceneError(f"Body {link.name!r} has q = {link.q.tolist()}, but the map starts it at {part.tolist()}. Leave out its q.")


def check_massless(links: Sequence[Link], tree: Tree) -> None:
    """A degree of freedom that moves no mass has no equation of motion."""
    heavy = [link.shape.mass > 0 for link in links]
    for i in reversed(range(len(links))):
        if not heavy[i] and links[i].joint.dof and links[i].motion is None:
            why = "has a degree of freedom, but neither it nor anything it carries has mass"
            raise SceneError(f"Body {links[i].name!r} {why}. Give it mass, or use redmax.Fixed().")
        if heavy[i] and links[i].parent >= 0:
            heavy[links[i].parent] = True
