"""Model: a scene frozen for computation. Topology, names, offsets, constants in the frames that make kernels sparse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from redmax.arguments import as_names, brief
from redmax.constraints.base import Constraint
from redmax.constraints.coordinate_map import CoordinateMap
from redmax.constraints.prescribed_twist import PrescribedTwist
from redmax.contact.material import ContactMaterial
from redmax.contact.obstacle import Obstacle
from redmax.contact.rubbing.joint_friction import JointFriction
from redmax.contact.rubbing.staggering import USUAL, Staggering
from redmax.errors import SceneError
from redmax.forces.base import Force
from redmax.forces.coordinate_law import law_of
from redmax.forces.following import followed
from redmax.forces.joint_force import JointForce
from redmax.joints.base import Joint
from redmax.joints.frame_product import by_twists
from redmax.joints.frames import cleaned
from redmax.model.carried import NOTHING_CARRIED, ModelCarried
from redmax.model.configurations import Configurations
from redmax.model.constraints import ModelConstraints
from redmax.model.contact import ModelContact
from redmax.model.deformable_nodes import Soft
from redmax.model.frames import moving_constants
from redmax.model.given_functions import body_wrench, sized, world_wrench
from redmax.model.in_brief import ModelInBrief
from redmax.model.link_parameters import of_frames, varied_constants
from redmax.model.links import Link, Wrench
from redmax.model.pair_laws import ModelPairLaws
from redmax.model.parameters import Parameter, constants_of, force_kinds, known_parameters, with_named
from redmax.model.places import ModelPlaces
from redmax.model.rubbing import ModelRubbing
from redmax.model.scene import Scene
from redmax.model.signatures import FORCE, Description, moments, on_twist, rest_of, signatures
from redmax.program.group import Signature
from redmax.program.interaction import Acting
from redmax.program.relation import Tree
from redmax.trace import Table
from redmax.units import Units, units_of


@dataclass(frozen=True, eq=False, repr=False)
class Model(ModelInBrief, ModelPlaces, ModelConstraints, ModelContact, ModelPairLaws, ModelRubbing, ModelCarried):
    """A scene frozen for computation: `scene.model()` makes it.

    bodies: as the user placed them; hidden: links that keep hidden states of forces; nodes: of deformables; links: all these, in this order
    cores, frames: each joint as (core, C), see Joint.canonical; tree: of all links"""

    title: str
    bodies: tuple[Link, ...]
    hidden: tuple[Link, ...]
    nodes: tuple[Link, ...]
    wrenches: tuple[Wrench, ...]
    gravity: np.ndarray
    tree: Tree
    cores: tuple[Joint, ...]
    frames: tuple[np.ndarray, ...]
    prescribed: tuple[bool, ...]
    unit_names: str
    forces: tuple[Force, ...] = ()
    soft: tuple[Soft, ...] = ()
    states: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # force -> the links that keep its hidden states
    joint_forces: tuple[JointForce, ...] = ()
    twists: tuple[PrescribedTwist, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()
    apart: frozenset[frozenset[str | int]] = frozenset()
    contact_laws: Mapping[frozenset[str | int], ContactMaterial] = field(default_factory=dict)  # of pairs that have their own
    map: CoordinateMap | None = None
    rubbing: tuple[JointFriction, ...] = ()
    staggering: Staggering = USUAL  # of these
    parameters: tuple[Parameter, ...] = ()  # what each world has its own of
    moving: tuple[np.ndarray, ...] = ()  # frames that bodies are moved by, in joint frames: see with_moving
    scene: Scene | None = field(default=None, repr=False)  # as it was when the model was made, so that a result file can say what ran

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Model:
        return self  # it never changes

    __copy__ = __deepcopy__

    def __reduce__(self) -> Any:
        """Pickles hold the scene, and the joints whose accelerations are given from outside, which no scene says."""
        if self.scene is None:
            raise SceneError("The model cannot be pickled, since it was not made from a scene. Use scene.model().")
        from redmax.model.build import model_again

        given = [link.joint_name for link, p in zip(self.links, self.prescribed, strict=True) if p and link.motion is None]
        return model_again, (self.scene, given, [p.name for p in self.parameters])

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """Bodies, hidden states and nodes, each with the joint that carries it."""
        return (*self.bodies, *self.hidden, *self.nodes)

    def with_links(self, links: Sequence[Link], **changed: Any) -> Model:
        """The same model with others in their place, as many of each."""
        n, m = len(self.bodies), len(self.bodies) + len(self.hidden)
        return replace(self, bodies=tuple(links[:n]), hidden=tuple(links[n:m]), nodes=tuple(links[m:]), **changed)

    @cached_property
    def units(self) -> Units:
        """Names of the units that its numbers are in."""
        return units_of(self.unit_names)

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
        return int(self.q_offsets[-1])  # coordinates

    @property
    def nv(self) -> int:
        return int(self.offsets[-1])  # velocities

    @property
    def q0(self) -> np.ndarray:
        """The scene's initial coordinates, (nq,): those of its map, if it has one."""
        return self.map.coordinates(self.map.q) if self.map else np.concatenate([link.q for link in self.links] or [np.zeros(0)])

    @property
    def qdot0(self) -> np.ndarray:
        """The scene's initial rates, (nv,): those of its map, if it has one."""
        own = [link.qdot for link in self.links] or [np.zeros(0)]
        return self.map.rates(self.map.q, self.map.qdot) if self.map else np.concatenate(own)

    def with_prescribed(self, names: Sequence[str]) -> Model:
        """The same model with the accelerations of these joints given and their torques to be found."""
        if (chosen := as_names(names)) is None:
            raise SceneError(f"with_prescribed takes a list of names of joints. Got {brief(names)}.")
        marked = [self.index(n) for n in chosen]
        return replace(self, prescribed=tuple(p or i in marked for i, p in enumerate(self.prescribed)))

    def with_parameters(self, names: Sequence[str]) -> Model:
        """The same model with these in the memory of each world, so that they may differ; see model/parameters.py."""
        return with_named(self, names) if names else self

    def parameter_names(self) -> list[str]:
        return list(known_parameters(self))  # all that may be named in `parameters=`

    @cached_property
    def configurations(self) -> Configurations:
        """How q and the charts in use lie together in what programs keep."""
        return Configurations(self.joint_names, [link.joint for link in self.links])

    @property
    def charts(self) -> dict[str, str]:
        """The coordinates in use at first, for joints that have a choice."""
        return self.configurations.chart_names(self.configurations.start.astype(int))

    @cached_property
    def limited(self) -> bool:
        """Whether the motion of a joint is made for some range of its coordinates only."""
        return any(link.joint.domain is not None for link in self.links)

    @cached_property
    def has_rotors(self) -> bool:
        """Whether joints have inertia of their own."""
        return any(link.armature is not None for link in self.bodies) or any(p.what in ("armature", "gear") for p in self.parameters)

    @cached_property
    def world_wrench(self) -> bool:
        """Whether a wrench is given in world axes, so that the dynamics must know where the bodies point."""
        return any(w.frame == "world" for w in self.wrenches)

    @cached_property
    def wrenches_on(self) -> dict[int, list[Wrench]]:
        """The wrenches, by the number of their body."""
        return {body: [w for w in self.wrenches if w.body == body] for body in dict.fromkeys(w.body for w in self.wrenches)}

    @cached_property
    def kernels_of(self) -> tuple[list[Signature], list[np.ndarray]]:
        """Each joint's signature and its row of constants."""
        flags = [(p < 0, leaf, first) for p, leaf, first in zip(self.tree.parent, self.tree.leaf, self.tree.first, strict=True)]
        return signatures([self.describe(i) for i in range(len(self.links))], flags)

    @cached_property
    def acting(self) -> tuple[Acting, ...]:
        """The forces, those of one law together, with their anchors in the joint frames of the kernels."""
        result: list[Acting] = []
        for alike in force_kinds(self.forces, self.parameters) if self.forces else ():
            law = law_of(alike[0])
            placed = list(map(self.placed, alike))
            members = np.array([[b.index for b in (*f.bodies, *f.joints)] + list(self.states.get(f.name or "", ())) for f in alike])
            own = constants_of(alike[0], self.parameters)
            result.append(Acting(law, members, np.array([law.constants(f) for f in placed]), own))
        return (*result, *[acting for soft in self.soft for acting in soft.acting(self.parameters)])

    @cached_property
    def touches(self) -> bool:
        """Whether some body, or a node of a deformable, touches others, or obstacles."""
        return any(x.contact is not None for x in (*self.bodies, *(s.shape for s in self.soft))) and bool(self.contact_pairs)

    @cached_property
    def carries(self) -> bool:
        """Whether there may be something whose momentum steps carry along: see carried.py."""
        return self.touches or self.nq != self.nv

    @property
    def interacting(self) -> tuple[Acting, ...]:
        """The forces, the constraints, and the shapes that touch."""
        rows = (*self.acting, *self.rows) if self.constraints else self.acting
        return (*rows, *self.shapes_acting, *self.pairs_acting) if self.touches else rows

    def placed(self, force: Force, moved: Mapping[int, np.ndarray] | None = None) -> Force:
        """A force with its anchors in the joint frames of the kernels. moved: body frames that are elsewhere, by number."""
        return force.within([cleaned(self.frames[i].T @ (moved or {}).get(i, self.links[i].body)) for i in (b.index for b in force.bodies)])

    @cached_property
    def touched(self) -> frozenset[int]:
        """The joints whose bodies feel a force."""
        nodes = {int(m) for soft in self.soft for a in soft.acting() for m in np.ravel(a.members)}
        return frozenset(nodes | {b.index for f in self.forces for b in f.bodies})

    @cached_property
    def pushed(self) -> frozenset[int]:
        """The joints on whose coordinates a force acts, as points of its path move along with them, or as a fixed tendon does."""
        return frozenset(f.joints[k].index for f in self.forces for k in followed(f))

    def force_fields(self, origin: bool = False) -> dict[str, Any]:
        """Fields that forces read and add to: R, x the joint frame in the world, o the origin of its tree, applied the sum of wrenches."""
        if not self.acting:
            return {"down": {"R": 9} if self.world_wrench else {}, "state": {}, "sums": {}}
        sums: dict[str, Any] = {"applied": 6} | ({"pushed": "v"} if self.pushed else {})
        return {"down": {"R": 9, "x": 3} | ({"o": 3} if origin else {}), "state": sums, "sums": sums}

    @cached_property
    def by_joint(self) -> dict[int, tuple[JointForce, ...]]:
        """The forces within joints, by the number of the joint."""
        found: dict[int, list[JointForce]] = {}
        for force in self.joint_forces:
            found.setdefault(self.index(force.body if isinstance(force.body, str) else force.body.name), []).append(force)
        return {i: tuple(forces) for i, forces in found.items()}

    def within_joint(self, i: int) -> tuple[JointForce, ...]:
        """The forces within a joint."""
        return self.by_joint.get(i, ())

    def link_constants(self, i: int, link: Link, core: Joint) -> dict[str, np.ndarray | Table]:
        """Of a link in its canonical frame, which is that of link i: at' = C_p^-1 at C, body' = C^-1 body."""
        parent, C = self.frames_of(i)
        at = cleaned(parent.T @ link.at @ C)  # the frames are pure rotations
        body = cleaned(C.T @ link.body)
        mass, h, A = moments(link, body)
        constants: dict[str, np.ndarray | Table] = {
            "R0": at[:3, :3], "p0": at[:3, 3], "A": A, "h": h, "mass": np.array([mass]),
            "stiffness": link.stiffness, "damping": link.damping, "rest": rest_of(link),
            "gain": np.array([link.gain]), "velocity_gain": np.array([link.velocity_gain]),
            "C": C[:3, :3], "body_R": body[:3, :3], "body_p": body[:3, 3], "gravity": self.gravity,
        }  # fmt: skip
        constants |= {"joint." + n: v for n, v in core.data().items()} | (self.rubbing_constants(i) if self.rubbing else {})
        constants |= moving_constants(self, i, C) if self.moving else {}
        constants |= {} if link.armature is None else {"armature": link.armature, "gear": link.gear}
        return constants | {f"{FORCE}{k}.{n}": v for k, force in enumerate(self.within_joint(i)) for n, v in force.data().items()}

    def frames_of(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        """C of a link's parent and of the link itself."""
        return self.frames[p] if (p := self.links[i].parent) >= 0 else np.eye(4), self.frames[i]

    def describe(self, i: int) -> Description:
        """All that the kernels of a link depend on."""
        link, within = self.links[i], self.within_joint(i)
        own = {p.what: p.constants for p in self.parameters if p.place == i and not (p.path and p.remaking is None)}
        core = by_twists(self.cores[i]) if own and of_frames(own) else self.cores[i]
        constants = self.link_constants(i, link, core)
        how = varied_constants(constants, link, cleaned(self.frames[i].T @ link.body), self.frames_of(i), own) if own else ""
        functions = {n: sized(f, link, n) for n, f in (("torque", link.torque), ("motion", link.motion)) if f is not None}
        counted = not 0 <= i - len(self.bodies) < len(self.hidden)  # hidden states have no energy
        options = {"prescribed": self.prescribed[i], "touched": i in self.touched, "pushed_at": i in self.pushed, "counted": counted}
        options |= (self.carried(i) if self.carries else NOTHING_CARRIED) | on_twist(link, within)
        options |= {"motion_level": link.motion_level} if link.motion else {}
        for frame, total in (("body", body_wrench), ("world", world_wrench)):
            acting = tuple(w for w in self.wrenches_on.get(i, ()) if w.frame == frame)
            if acting:
                functions[frame + "_wrench"] = partial(total, acting)
        return Description(link.joint_name, core, constants, functions, options, within, own, how)
