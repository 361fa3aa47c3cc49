"""The same mechanism in MuJoCo, for the joints that both have.

MuJoCo's velocities are v = T(q) qdot: of a ball the angular velocity in the child's frame; of a free body its linear velocity in the world,
then its angular velocity in its own frame. Hinges and slides have T = 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from dynamics.hyperdual import motion_of
from mechanisms import LinkSpec, Mechanism

KINDS = ("Fixed", "Revolute", "Prismatic", "Spherical", "Free", "Free3D")
TYPES = {"Revolute": mujoco.mjtJoint.mjJNT_HINGE, "Prismatic": mujoco.mjtJoint.mjJNT_SLIDE, "Spherical": mujoco.mjtJoint.mjJNT_BALL}


def quaternion(R: np.ndarray) -> np.ndarray:
    """w, x, y, z."""
    return np.roll(Rotation.from_matrix(R).as_quat(), 1)


@dataclass
class Twin:
    """`Free` joints must be on the world. bodies: MuJoCo's number of each link's."""

    mechanism: Mechanism
    spec: mujoco.MjSpec = field(default_factory=mujoco.MjSpec)
    bodies: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.spec.option.gravity = self.mechanism.gravity
        self.spec.compiler.autolimits = False
        made: list[mujoco.MjsBody] = []
        for i, link in enumerate(self.mechanism.links):
            parent = made[link.parent] if link.parent >= 0 else self.spec.worldbody
            made.append(self.body(f"link{i}", parent, link))
        self.model = self.spec.compile()
        self.data = mujoco.MjData(self.model)
        self.bodies = [self.model.body(f"link{i}").id for i in range(len(made))]

    @staticmethod
    def body(name: str, parent: mujoco.MjsBody, link: LinkSpec) -> mujoco.MjsBody:
        E = link.body @ link.shape.frame
        A = E[:3, :3] @ link.shape.inertia @ E[:3, :3].T
        body = parent.add_body(name=name, pos=link.at[:3, 3], quat=quaternion(link.at[:3, :3]))
        body.mass, body.ipos, body.explicitinertial = link.shape.mass, E[:3, 3], True
        body.fullinertia = [A[0, 0], A[1, 1], A[2, 2], A[0, 1], A[0, 2], A[1, 2]]
        kind = link.sample.kind
        if kind in TYPES:
            axis = {"axis": link.sample.joint.axis} if kind != "Spherical" else {}
            body.add_joint(type=TYPES[kind], **axis)
        elif kind != "Fixed":
            body.add_freejoint()
        return body

    def put(self, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Set the state; returns T and Tdot, (nv, nv)."""
        T, Tdot = np.zeros((2, self.model.nv, self.mechanism.nv))
        for i, link in enumerate(self.mechanism.links):
            own = self.mechanism.of(i)
            if own.start == own.stop:
                continue
            joint = self.model.jnt(int(self.model.body(self.bodies[i]).jntadr[0]))
            at, to = int(joint.qposadr[0]), int(joint.dofadr[0])
            self.data.qpos[at : at + (7 if own.stop - own.start == 6 else 4 if own.stop - own.start == 3 else 1)] = position(link, q[own])
            T[to : to + own.stop - own.start, own], Tdot[to : to + own.stop - own.start, own] = rates_of(link, q[own], qdot[own])
        self.data.qvel[:] = T @ qdot
        mujoco.mj_forward(self.model, self.data)
        mujoco.mj_subtreeVel(self.model, self.data)
        return T, Tdot

    def inertia(self) -> np.ndarray:
        M = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, M)
        return M

    def center_jacobian(self, body: int) -> np.ndarray:
        J = np.zeros((3, self.model.nv))
        mujoco.mj_jacSubtreeCom(self.model, self.data, J, body)
        return J

    def angular_momentum_matrix(self, body: int) -> np.ndarray:
        A = np.zeros((3, self.model.nv))
        mujoco.mj_angmomMat(self.model, self.data, A, body)
        return A


def position(link: LinkSpec, q: np.ndarray) -> np.ndarray:
    kind = link.sample.kind
    if kind in ("Revolute", "Prismatic"):
        return q
    E = motion_of(link.sample.motion, q, 0 * q)[0]
    if kind == "Spherical":
        return quaternion(E[:3, :3])
    E = link.at @ E
    return np.concatenate([E[:3, 3], quaternion(E[:3, :3])])


def rates_of(link: LinkSpec, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The joint's own blocks of T and Tdot."""
    kind = link.sample.kind
    if kind in ("Revolute", "Prismatic"):
        return np.eye(1), np.zeros((1, 1))
    E, S, Sdot = motion_of(link.sample.motion, q, qdot)
    if kind == "Spherical":
        return S[:3], Sdot[:3]
    R = link.at[:3, :3] @ E[:3, :3]
    turning = R @ np.cross(np.eye(3), (S @ qdot)[:3])  # Rdot = R [w]
    return np.concatenate([R @ S[3:], S[:3]]), np.concatenate([R @ Sdot[3:] + turning @ S[3:], Sdot[:3]])
