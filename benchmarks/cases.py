"""The mechanisms that are measured, as scenes; the engines translate them.

Random ones come from fixed seeds. States are drawn in redmax's coordinates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, Literal

import numpy as np

import redmax as rm
from redmax.scenes import find

DOWN_Y, DOWN_Z = (0.0, -9.81, 0.0), (0.0, 0.0, -9.81)


@dataclass(frozen=True)
class States:
    """q: (worlds, nq) coordinates;  v, tau: (worlds, n) rates and joint forces."""

    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray

    def __len__(self) -> int:
        return len(self.q)

    def __getitem__(self, rows: slice) -> States:
        return States(self.q[rows], self.v[rows], self.tau[rows])


def draw(scene: rm.Scene, worlds: int, seed: int = 1) -> States:
    """Random states with all entries in (-1, 1), coordinates counted from where the scene begins; of quaternions those of their rotation
    vectors."""
    joints = [link.joint for link in scene.links]
    steps, v, tau = np.random.default_rng(seed).uniform(-1, 1, (3, worlds, sum(joint.dof for joint in joints)))
    apart = np.split(steps, np.cumsum([joint.dof for joint in joints])[:-1], axis=1)
    q = [moved(link, step) for link, step in zip(scene.links, apart)]
    return States(np.concatenate(q, axis=1), v, tau)


def moved(link: Any, step: np.ndarray) -> np.ndarray:
    """(worlds, nq): coordinates that are (worlds, dof) further than where the scene begins."""
    joint = link.joint
    if joint.nq == joint.dof:
        return link.q + step
    whole = rm.Free() if joint.dof == 6 else rm.Spherical()
    place = (whole.position(step),) if joint.dof == 6 else ()
    return joint.coordinates(whole.quaternion(step), *place)


def chain(n: int, damping: float = 0.0) -> rm.Scene:
    """RCn: n links 1 x 0.1 x 0.1 m of 1 kg, hinged about z and y by turns, on a fixed base; damping of each hinge in N m s."""
    scene = rm.Scene(gravity=DOWN_Y)
    parent = None
    for i in range(n):
        parent = scene.add_body(
            rm.Cuboid((1, 0.1, 0.1), mass=1.0),
            joint=rm.Revolute("zy"[i % 2]),
            parent=parent,
            at=(1, 0, 0) if i else None,
            com=(0.5, 0, 0),
            damping=damping,
        )
    return scene


def twelve_signatures() -> rm.Scene:
    """A chain of 12 hinges whose frames are turned by right angles and shifted along axes in 12 different ways."""
    right_angles = ("x", 0.0), ("x", np.pi / 2), ("x", -np.pi / 2), ("y", np.pi / 2)
    turns = [np.round(rm.rotation_about(axis, angle)) for axis, angle in right_angles]
    shifts = [(0.4, 0.0, 0.0), (0.0, 0.0, 0.3), (0.1, 0.0, 0.2)]
    scene = rm.Scene(gravity=DOWN_Z)
    parent = None
    for R, p in product(turns, shifts):
        parent = scene.add_body(
            rm.Cuboid((0.3, 0.08, 0.06), mass=1.5), joint=rm.Revolute("z"), parent=parent, at=rm.pose(R, p), com=(0.15, 0, 0)
        )
    return scene


def arbitrary_tree(n: int = 30, seed: int = 7) -> rm.Scene:
    """n hinges; parents, axes, frames and inertias at random, so that no constant is 0 or 1."""
    rng = np.random.default_rng(seed)
    scene = rm.Scene(gravity=rng.uniform(-6, 6, 3))
    handles: list[rm.BodyHandle | None] = [None]
    for _ in range(n):
        points = rng.normal(size=(10, 3)) * 0.2
        scatter = points.T @ points / 10
        mass = rng.uniform(0.5, 2)
        handles.append(
            scene.add_body(
                rm.MassProperties(mass, mass * (np.trace(scatter) * np.eye(3) - scatter)),
                joint=rm.Revolute(rng.normal(size=3)),
                parent=handles[rng.integers(max(1, len(handles) - 4), len(handles))] if len(handles) > 1 else None,
                at=random_pose(rng),
                com=rng.uniform(-0.3, 0.3, 3),
            )
        )
    return scene


def random_pose(rng: np.random.Generator) -> np.ndarray:
    return np.asarray(rm.pose(rm.rotation_about(rng.normal(size=3), rng.uniform(0.3, 2.5)), rng.uniform(-0.5, 0.5, 3)), float)


def humanoid(coordinates: Literal["exp", "quaternion"] = "exp") -> rm.Scene:
    """30 degrees of freedom, 13 capsules: free pelvis; ball joints at spine, neck, shoulders, hips; hinges at elbows, knees, ankles."""
    scene = rm.Scene(gravity=DOWN_Z)
    ball, hinge = partial(rm.Spherical, coordinates), partial(rm.Revolute, "y")

    def limb(parent: rm.BodyHandle | None, joint: rm.Joint, at: tuple, radius: float, length: float, mass: float) -> rm.BodyHandle:
        """A capsule along z from its joint: upwards if the length is positive, else hanging."""
        return scene.add_body(rm.Capsule(radius, abs(length), mass=mass), joint=joint, parent=parent, at=at, com=(0, 0, length / 2))

    pelvis = limb(None, rm.Free(coordinates), (0, 0, 1), 0.11, 0.12, 11.0)
    torso = limb(pelvis, ball(), (0, 0, 0.15), 0.13, 0.42, 28.0)
    limb(torso, ball(), (0, 0, 0.48), 0.09, 0.18, 5.0)
    for side in (-1.0, 1.0):
        upper_arm = limb(torso, ball(), (0, 0.2 * side, 0.42), 0.045, -0.3, 2.1)
        limb(upper_arm, hinge(), (0, 0, -0.3), 0.035, -0.27, 1.5)
        thigh = limb(pelvis, ball(), (0, 0.1 * side, -0.05), 0.07, -0.42, 8.5)
        shank = limb(thigh, hinge(), (0, 0, -0.42), 0.05, -0.41, 3.6)
        limb(shank, hinge(), (0.02, 0, -0.41), 0.035, -0.12, 1.0)
    return scene


def catalogued(name: str) -> rm.Scene:
    return find(name).scene()


CASES: dict[str, Callable[[], rm.Scene]] = {
    "RC20": partial(chain, 20),
    "RC50": partial(chain, 50),
    "RC100": partial(chain, 100),
    "RC1000": partial(chain, 1000),
    "RC78": partial(chain, 78),
    "TC10": partial(catalogued, "torus-chain-10"),
    "TC20": partial(catalogued, "torus-chain-20"),
    "WM": partial(catalogued, "windmill"),
    "tree30": arbitrary_tree,
    "humanoid": humanoid,
    "humanoid, quaternions": partial(humanoid, "quaternion"),
    "12 signatures": twelve_signatures,
}
