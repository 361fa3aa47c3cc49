"""A robot of example-robot-data, as Pinocchio reads its URDF, and the same as a mechanism, joint by joint from Pinocchio's model.

Pinocchio's joints that turn without end have the cosine and the sine of the angle for coordinates; a free base is a `Free3D` here.
A few descriptions have inertias that no distribution of mass has, or fingers without mass: all engines get others, which the tests name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.metadata import distribution
from pathlib import Path

import numpy as np
import pinocchio as pin

import redmax as rm
from dynamics.pinocchio_twin import Twin, position
from joints import definitions as d
from joints.samples import Sample, angles, lengths, rotation_vector
from mechanisms import LinkSpec, Mechanism

THIN = 1e-6  # the least spread of mass along an axis, of that along all
AXES = {"X": (1.0, 0, 0), "Y": (0, 1.0, 0), "Z": (0, 0, 1.0)}
GROUNDED = ("allegro", "asr", "baxter", "double", "finger", "kinova", "panda", "so_arm", "ur", "xarm", "z1")  # the others have a free base
UNREADABLE = ("ur3.urdf",)  # a template that names no robot
ENDLESS = ("JointModelRUB", "JointModelRevoluteUnbounded")


def free_coordinates(rng: np.random.Generator) -> np.ndarray:
    return np.concatenate([rng.uniform(-0.5, 0.5, 3), rotation_vector(rng)])


def sample_of(joint: pin.JointModel) -> Sample:
    """The joint of the library that moves as Pinocchio's does."""
    kind = joint.shortname()
    if kind == "JointModelFreeFlyer":
        return Sample("Free3D", rm.Free3D(), d.free3d, free_coordinates)
    if kind == "JointModelSpherical":
        return Sample("Spherical", rm.Spherical(), d.spherical, rotation_vector)
    if kind == "JointModelTranslation":
        return Sample("Translational", rm.Translational(), d.translational, lengths(3))
    if kind == "JointModelPlanar":
        return Sample("Free2D", rm.Free2D(), d.free2d, lambda rng: rng.uniform([-0.5, -0.5, -np.pi], [0.5, 0.5, np.pi]))
    axis = AXES[kind[-1]] if kind[-1] in AXES else joint.extract().axis if hasattr(joint, "extract") else joint.axis
    if "Prismatic" in kind or "JointModelP" in kind:
        return Sample("Prismatic", rm.Prismatic(axis), d.prismatic(axis), lengths(1))
    if "Revolute" in kind or "JointModelR" in kind:
        return Sample("Revolute", rm.Revolute(axis), d.revolute(axis), angles(1))
    raise NotImplementedError(f"{kind} of Pinocchio has no twin here.")


def possible(inertia: np.ndarray, mass: float) -> np.ndarray:
    """An inertia near this one whose principal moments are those of some distribution of mass."""
    inertia = (inertia + inertia.T) / 2
    moments, R = np.linalg.eigh(inertia)
    spread = moments.sum() / 2 - moments  # of the mass along the axes, which is what must not be negative
    least = max(THIN * np.abs(spread).sum(), 1e-9 * mass)
    if spread.min() > least:
        return inertia
    spread = np.maximum(spread, 2 * least)
    return R @ np.diag(spread.sum() - spread) @ R.T


def repaired(model: pin.Model) -> list[str]:
    """Give both engines masses that they take; returns the names of the joints whose links have others than the file says."""
    carried = np.array([own.mass for own in model.inertias])
    for i in reversed(range(1, model.njoints)):
        carried[model.parents[i]] += carried[i]
    found: list[str] = []
    for i in range(1, model.njoints):
        own = model.inertias[i]
        if carried[i] == 0:  # it moves nothing that has mass, and could not be accelerated
            better = pin.Inertia(0.01, np.zeros(3), 1e-5 * np.eye(3))
        elif own.mass == 0:
            better = pin.Inertia.Zero()
        else:
            better = pin.Inertia(own.mass, own.lever, possible(own.inertia, own.mass))
        if np.abs(better.matrix() - own.matrix()).max() > 1e-12 * np.abs(own.matrix()).max():
            found.append(model.names[i])
        model.inertias[i] = better
    return found


def link_of(model: pin.Model, i: int) -> LinkSpec:
    sample, inertia = sample_of(model.joints[i]), model.inertias[i]
    at, body, none = model.jointPlacements[i].homogeneous, np.eye(4), np.zeros(model.joints[i].nv)
    body[:3, 3] = inertia.lever
    shape = rm.MassProperties(inertia.mass, inertia.inertia if inertia.mass else np.zeros((3, 3)))
    return LinkSpec(sample, model.parents[i] - 1, at, body, at, body, shape, none, none, none)


@dataclass
class Robot(Twin):
    """name: in the package; model: as Pinocchio reads it; repaired: joints whose links have other inertias."""

    name: str = ""
    repaired: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.data = self.model.createData()
        self.joint = list(range(1, self.model.njoints))
        self.frame = [pin.SE3.Identity()] * len(self.joint)

    @cached_property
    def dynamics(self) -> rm.Dynamics:
        """With a frame for each of Pinocchio's, "frame7" for the seventh, by its place in the joint's frame."""
        scene = self.mechanism.scene()
        for k in self.frames:
            frame = self.model.frames[k]
            scene.add_frame(f"frame{k}", f"link{frame.parentJoint - 1}", frame.placement.homogeneous, relative_to="joint")
        return rm.Dynamics(scene)

    def with_rotors(self) -> tuple[Robot, rm.Dynamics]:
        """The same robot with a geared rotor at every hinge and slide, in both engines."""
        rng, links, model = np.random.default_rng(7), list(self.mechanism.model.bodies), pin.Model(self.model)
        armature = np.zeros(model.nv)
        for i, link in enumerate(self.mechanism.links):
            if link.sample.joint.dof == 1:
                a, gear = rng.uniform(1e-5, 1e-3, 1), rng.uniform(-20.0, 20.0, 1)
                links[i], armature[model.joints[i + 1].idx_v] = replace(links[i], armature=a, gear=gear), a[0] * gear[0] ** 2
        model.armature = armature
        return Robot(self.mechanism, model, name=self.name), rm.Dynamics(self.mechanism.model.with_links(links))

    @property
    def frames(self) -> list[int]:
        """Numbers of those that move."""
        return [k for k, frame in enumerate(self.model.frames) if frame.parentJoint > 0]

    @property
    def heavy(self) -> bool:
        """Whether all links have mass."""
        return all(link.shape.mass > 0 for link in self.mechanism.links)

    def configuration(self, q: np.ndarray) -> np.ndarray:
        out = pin.neutral(self.model)
        for i, link in enumerate(self.mechanism.links):
            joint, part = self.model.joints[i + 1], q[self.mechanism.of(i)]
            if joint.shortname().startswith(ENDLESS):
                part = np.array([np.cos(part[0]), np.sin(part[0])])
            elif link.sample.kind == "Free3D":
                part = position("Free3D", np.asarray(link.sample.motion(part), float))
            out[joint.idx_q : joint.idx_q + joint.nq] = part
        return out


@cache
def descriptions() -> dict[str, Path]:
    """All that the package has, by folder and file."""
    files = [f for f in distribution("example-robot-data").files or () if f.suffix == ".urdf"]
    found = [Path(str(f.locate())) for f in files if f.name not in UNREADABLE]
    return {f"{path.parts[path.parts.index('robots') + 1].split('_description')[0]}/{path.stem}": path for path in sorted(found)}


@cache
def load(name: str) -> Robot:
    base = () if name.startswith(GROUNDED) else (pin.JointModelFreeFlyer(),)
    model = pin.buildModelFromUrdf(str(descriptions()[name]), *base)
    others = repaired(model)
    links = tuple(link_of(model, i) for i in range(1, model.njoints))
    return Robot(Mechanism(links, (), model.gravity.linear.copy()), model, name=name, repaired=tuple(others))
