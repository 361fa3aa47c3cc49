"""Scene: what a user builds. Bodies in a forest of joints, gravity, torques, wrenches, springs and prescribed motions."""

from __future__ import annotations

import os
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import brief
from redmax.bodies import Body
from redmax.components.appearance import Color, Fraction, Material
from redmax.components.checks import as_pose, choice, flag
from redmax.components.handles import BodyHandle, FrameHandle, Point
from redmax.components.wrong_call import explained
from redmax.constraints.base import Constraint
from redmax.constraints.coordinate_map import CoordinateMap, coordinate_map
from redmax.constraints.prescribed_twist import PrescribedTwist
from redmax.contact.material import ContactMaterial
from redmax.contact.obstacle import Obstacle
from redmax.contact.rubbing.staggering import Staggering
from redmax.deformables.base import Deformable
from redmax.errors import About, Phrase, RedmaxError, SceneError, called
from redmax.forces.base import Force
from redmax.forces.joint_force import JointForce
from redmax.joints import Fixed, Joint, checks
from redmax.model.constraints import SceneConstraints
from redmax.model.contact import SceneContact, checked_group, contact_of
from redmax.model.frames import SceneFrames
from redmax.model.from_dh import SceneFromDH
from redmax.model.hints import hint_at_force, hint_at_link
from redmax.model.joint_inertia import with_drive
from redmax.model.links import (
    Function,
    Link,
    Wrench,
    body_appearance,
    check_force,
    check_kinds,
    check_motion,
    check_spring,
    configuration,
    coordinates,
    nonnegative,
    of_body,
    place_of,
    torque_function,
    vector,
    wrench_on,
)
from redmax.model.look import Look
from redmax.model.names import SceneNames
from redmax.model.outputs import SceneOutputs
from redmax.model.rubbing import SceneRubbing
from redmax.trace.blame import Blaming, blamed
from redmax.types import Given
from redmax.units import units_of

if TYPE_CHECKING:
    from redmax.model.model import Model

AnyForce = TypeVar("AnyForce", bound=Force | JointForce)


@explained()
@dataclass(repr=False)
class Scene(SceneOutputs, SceneFrames, SceneConstraints, SceneContact, SceneRubbing, SceneFromDH):
    """A mechanism under construction. Lengths m, angles rad, gravity m/s^2; or any consistent units, which `units` names for plots."""

    gravity: Any = (0.0, 0.0, -9.81)
    title: str = ""
    units: str = "m kg s"
    links: list[Link] = field(default_factory=list)
    wrenches: list[Wrench] = field(default_factory=list)
    forces: list[Force | JointForce] = field(default_factory=list)
    deformables: list[Deformable] = field(default_factory=list)
    twists: list[PrescribedTwist] = field(default_factory=list)
    map: CoordinateMap | None = None
    defaults: dict[str, Any] = field(default_factory=dict)  # of a run: duration, dt, integrator, dynamics, ..., as its file says
    frames: list[FrameHandle] = field(default_factory=list, kw_only=True)
    constraints: list[Constraint] = field(default_factory=list, kw_only=True)
    obstacles: list[Obstacle] = field(default_factory=list, kw_only=True)
    apart: list[frozenset[str | int]] = field(default_factory=list, kw_only=True)  # pairs, of names or groups, that do not touch
    contact_laws: dict[frozenset[str | int], ContactMaterial] = field(default_factory=dict, kw_only=True)  # and that have their own
    parameters: dict[str, Any] = field(default_factory=dict, kw_only=True)  # of a run, as its file says: name -> values, by world
    staggering: Staggering | None = field(default=None, kw_only=True)  # how friction in joints is solved for
    look: Look | None = field(default=None, kw_only=True)  # how it is shown, unless who shows it says otherwise
    source: Any = field(default=None, repr=False, compare=False)  # of a loaded scene: what knows the lines of its file
    identity: str = field(default_factory=lambda: os.urandom(8).hex(), repr=False, compare=False, kw_only=True)  # of copies and handles

    def __post_init__(self) -> None:
        self.gravity = vector(self.gravity, 3, Phrase("Scene gravity", "gravity"), "Scene")
        units_of(self.units)
        if not isinstance(self.title, str):
            raise SceneError(f"The title of a scene is a text. Got {brief(self.title)}.", owner="Scene", argument="title")

    @cached_property
    def _names(self) -> SceneNames:
        """Which body, joint, force or deformable has which name."""
        return SceneNames()

    @Blaming()
    def add_body(
        self,
        shape: Body,
        *,
        joint: Joint | None = None,
        parent: BodyHandle | str | None = None,
        at: Given = None,
        body: Given = None,
        com: Given = None,
        name: str | None = None,
        joint_name: str | None = None,
        q: Given = None,
        qdot: Given = None,
        stiffness: ArrayLike = 0.0,
        damping: ArrayLike = 0.0,
        rest: Given = None,
        torque: Function | Given = None,
        motion: Callable[[Any], Any] | None = None,
        gain: float = 0.0,
        velocity_gain: float | None = None,
        on_motion: bool = True,
        motion_level: Literal["position", "velocity", "acceleration"] = "position",
        check_joint: bool = True,
        armature: Given = None,
        gear: Given = None,
        acts_on: Literal["rates", "twist"] = "rates",
        color: Color | None = None,
        opacity: Fraction = 1.0,
        material: Material = "plastic",
        contact: ContactMaterial | float | bool | None = None,
        contact_group: int = 0,
    ) -> BodyHandle:
        """Add a body and the joint that carries it.

        joint: its motion relative to the parent (Fixed unless given); parent: a body, its name, or None (or "world") for the world
        at: the joint frame in the parent's joint frame; body: the body frame (or that of the shape's description) in the joint frame;
            each a 3-vector or a 4x4 pose; com=v is short for body = a pure translation
        q, qdot: initial coordinates and rates, (dof,), zero unless given; rest: where the spring is relaxed, q unless given;
            of an element of a group q is (nq,), or the matrix itself, the identity unless given, and qdot the body twist
        stiffness, damping: of the joint, a number or (dof,); torque: on it, (dof,) or a function torque(t, q, qdot) -> (dof,)
        motion: a function t -> q that the joint is made to follow; gain: b of qdd + 2b (qd_p - qd) + b^2 (q_p - q);
            velocity_gain: the b of implicit steps, qd_p + b (q_p - q), the same unless given;
            on_motion: whether a run starts on it, or at q and qdot
        motion_level: "position" if `motion` gives q; "velocity" if it gives qdot, "acceleration" if qddot: then nothing holds the position
        check_joint: whether to make sure that a motion of your own is rigid, smooth and of full rank (docs: Joints of your own, Checks)
        armature, gear: inertia of the motor's rotor (kg m^2, kg along lengths) and how often it turns for each turn of the joint (1 unless
            given), numbers or (dof,): the joint feels gear^2 armature; of a ball joint, about every axis
        acts_on: what damping and torque are along, the "rates" of the coordinates or the "twist" of a ball or free joint: the angular
            velocity (and the linear one), in the joint frame that moves with the body; torque is then a function (t, q, twist)
        color, opacity, material: how it looks, as of redmax.Appearance: color="tomato", opacity=0.5, material="metal"
        contact: that its shape touches others (True, its friction, or redmax.ContactMaterial); contact_group: bodies of one, not 0, do not
        """
        joint = Fixed() if joint is None else joint
        name, joint_name = self._names.fresh_link(name, joint_name, self.links, self.frames)
        check_kinds(name, shape, joint)
        if flag(called("Body", name), "check_joint", check_joint):
            with About(name, "joint"):
                checks.check_joint(joint, joint_name)
        place = place_of(name, com, body)
        n = joint.dof
        start = configuration(q, joint, of_body("q", name), name)
        check_motion(name, motion, motion_level, n)
        link = Link(
            name=name,
            joint_name=joint_name,
            shape=shape,
            joint=joint,
            parent=self._parent(parent),
            at=np.eye(4) if at is None else as_pose(Phrase("Scene", name), of_body("at", name), at),
            body=place @ shape.frame,
            q=start,
            qdot=coordinates(qdot, n, of_body("qdot", name), name),
            stiffness=nonnegative(stiffness, n, of_body("stiffness", name), name),
            damping=nonnegative(damping, n, of_body("damping", name), name),
            rest=start if rest is None else configuration(rest, joint, of_body("rest", name), name),
            torque=torque_function(torque, n, name),
            motion=motion,
            gain=float(nonnegative(gain, 1, of_body("gain", name), name)[0]),
            velocity_gain=float(nonnegative(gain if velocity_gain is None else velocity_gain, 1, of_body("velocity_gain", name), name)[0]),
            on_motion=flag(called("Body", name), "on_motion", on_motion),
            motion_level=motion_level,
            place=place,
            check_joint=check_joint,
            acts_on=choice(called("Body", name), "acts_on", acts_on, ("rates", "twist")),
            appearance=body_appearance(name, color, opacity, material),
            contact=contact_of(name, shape, contact),
            contact_group=checked_group(called("Body", name), contact_group),
        )
        check_spring(link)
        hint_at_link(link, self.links, self.gravity, self.units.split()[0])
        plain = armature is None and gear is None and acts_on == "rates"
        self.links.append(link if plain else with_drive(link, armature, gear))
        return BodyHandle(name, len(self.links) - 1, joint_name, self.identity)

    def add_wrench(
        self, on: BodyHandle | Point | FrameHandle | str, *,
        torque: Function | ArrayLike = (0, 0, 0), force: Function | ArrayLike = (0, 0, 0), frame: Literal["body", "world"] = "body",
    ) -> None:  # fmt: skip
        """Add a constant or time-dependent wrench. torque, force: 3-vectors (N m, N) or functions of t, in "body" or "world" axes.

        The force acts at the body's origin, or at the point that `on` names.
        """
        on = on.point if isinstance(on, FrameHandle) else on
        handle, point = (on.body, on.position) if isinstance(on, Point) else (on, (0.0, 0.0, 0.0))
        self.wrenches.append(wrench_on(self._found(handle, "on"), point, torque, force, frame))

    @Blaming()
    def add_force(self, force: AnyForce) -> AnyForce:
        """Add a force between bodies, between bodies and the world, or within a joint; it is returned, with its name."""
        check_force(force)
        name = self._names.forces.fresh(force.name, self.forces, "force")
        if isinstance(force, Force):
            bodies, joints = tuple(map(self.find, force.bodies)), tuple(map(self.find_joint, force.joints))
            added = force.replaced(bodies=bodies, joints=joints, name=name)
            added.check_added([self.links[handle.index].joint for handle in joints])
        else:
            added = force.added_to(self, name)
        hint_at_force(added)
        self.forces.append(added)
        return added

    def add_deformable(self, deformable: Deformable) -> Deformable:
        """Add a deformable body; its free nodes become coordinates behind those of the joints. It is returned, with its name."""
        if not isinstance(deformable, Deformable):
            said = f"add_deformable takes a deformable such as redmax.Cloth(...). Got {brief(deformable)}."
            raise SceneError(said, owner="add_deformable", argument="deformable")
        deformable = deformable.found(self.find)
        self.deformables.append(deformable.renamed(self._names.deformables.fresh(deformable.name, self.deformables, "deformable")))
        return self.deformables[-1]

    def set_map(
        self, map: Callable[[Any], Any] | ArrayLike, *, coordinates: int | None = None, q: Given = None, qdot: Given = None
    ) -> None:
        """Let the coordinates of all joints follow from fewer (hyper-reduced coordinates): q = map(q_R). Needs dynamics "redmax".

        map: a function of q_R (coordinates,) that returns all joints' coordinates, (nq,); or a constant matrix, (nq, coordinates),
            or its one column; coordinates: how many a function takes
        q, qdot: q_R and its rates at the start, zero unless given; those of the joints follow
        """
        self.map = coordinate_map(map, coordinates, q, qdot)

    def find(self, body: BodyHandle | str) -> BodyHandle:
        """The handle of a body, by itself or by name."""
        return self._names.find(self.links, self.identity, body)

    def _found(self, body: BodyHandle | str, argument: str) -> BodyHandle:
        """`find`, for an argument of a method."""
        with About("Scene", argument):
            return self.find(body)

    def _parent(self, body: BodyHandle | str | None) -> int:
        with About("Scene", "parent"):
            return self._names.parent(self.links, self.identity, body)

    def find_joint(self, joint: BodyHandle | str) -> BodyHandle:
        """The handle of the body that a joint carries, by the name of either or by itself."""
        found = self.named(joint, joint=True) if isinstance(joint, str) else None
        return self.find(joint) if found is None else found

    def named(self, name: str, joint: bool = False) -> BodyHandle | None:
        """The handle of the body of this name, or None; joint: or of the joint of this name, where no body has it."""
        return self._names.handle(self.links, self.identity, name, joint)

    def copy(self) -> Scene:
        """The same scene, which later changes of this one do not reach: what it consists of never changes."""
        other = object.__new__(type(self))  # what was checked is not checked again
        for f in fields(self):
            setattr(other, f.name, copy(getattr(self, f.name)))
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Scene:
        return self.copy()

    def __reduce__(self) -> Any:
        """Pickles hold what a file would: functions have no bytes, but what they are traced to has a text."""
        from redmax.io import pickled

        return pickled(self)

    def model(self) -> Model:
        """The frozen model that dynamics and simulation work on."""
        from redmax.model.build import build_model

        try:
            return build_model(self)
        except Exception as error:
            if self.source is not None:
                raise self.source.error(error, empty=not self.links and not self.deformables) from error
            if isinstance(error, ArithmeticError) and not isinstance(error, RedmaxError):
                raise blamed(error) from error
            raise
