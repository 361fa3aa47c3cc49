"""The same mechanism in Pinocchio, for the joints that both have.

Pinocchio's velocities are v = T(q) qdot with T = 1 except for rotations in exponential coordinates, where v is the body twist
(linear; angular): a = T qdd + Tdot qdot, tau = T^T tau_pin. Fixed links become bodies of the joint that carries them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pinocchio as pin
from scipy.spatial.transform import Rotation

from dynamics.hyperdual import motion_of
from mechanisms import LinkSpec, Mechanism

KINDS = ("Fixed", "Revolute", "Prismatic", "Planar", "Translational", "Universal", "Spherical", "Free", "Free3D", "Helical")
TWISTS = {"Spherical": [0, 1, 2], "Free": [3, 4, 5, 0, 1, 2], "Free3D": [3, 4, 5, 0, 1, 2]}  # rows of S in Pinocchio's order


def joint_model(link: LinkSpec):
    kind, joint = link.sample.kind, link.sample.joint
    if kind == "Planar":
        both = pin.JointModelComposite()
        both.addJoint(pin.JointModelPX())
        both.addJoint(pin.JointModelPY())
        return both
    return {
        "Revolute": lambda: pin.JointModelRevoluteUnaligned(joint.axis),
        "Prismatic": lambda: pin.JointModelPrismaticUnaligned(joint.axis),
        "Translational": pin.JointModelTranslation,
        "Universal": lambda: pin.JointModelUniversal(np.array([1.0, 0, 0]), np.array([0, 1.0, 0])),
        "Spherical": pin.JointModelSpherical,
        "Free": pin.JointModelFreeFlyer,
        "Free3D": pin.JointModelFreeFlyer,
        "Helical": lambda: pin.JointModelHelicalUnaligned(np.array([0, 0, 1.0]), joint.pitch),
    }[kind]()


@dataclass
class Twin:
    mechanism: Mechanism
    model: pin.Model = field(default_factory=pin.Model)
    joint: list[int] = field(default_factory=list)  # Pinocchio's joint of each link
    frame: list[pin.SE3] = field(default_factory=list)  # the link's joint frame in that joint's frame

    def __post_init__(self) -> None:
        self.model.gravity.linear = self.mechanism.gravity
        for i, link in enumerate(self.mechanism.links):
            parent, X = (self.joint[link.parent], self.frame[link.parent]) if link.parent >= 0 else (0, pin.SE3.Identity())
            X = X * pin.SE3(link.at)
            if link.sample.kind != "Fixed":
                parent, X = self.model.addJoint(parent, joint_model(link), X, f"joint{i}"), pin.SE3.Identity()
            self.joint.append(parent)
            self.frame.append(X)
            inertia = pin.Inertia(link.shape.mass, np.zeros(3), np.array(link.shape.inertia))
            self.model.appendBodyToJoint(parent, inertia, self.body(i))
        self.data = self.model.createData()

    def body(self, i: int) -> pin.SE3:
        link = self.mechanism.links[i]
        return self.frame[i] * pin.SE3(link.body @ link.shape.frame)

    def configuration(self, q: np.ndarray) -> np.ndarray:
        out = np.zeros(self.model.nq)
        for i, link in enumerate(self.mechanism.links):
            part = q[self.mechanism.of(i)]
            if link.sample.kind in TWISTS:
                E = motion_of(link.sample.motion, part, 0 * part)[0]
                quaternion = Rotation.from_matrix(E[:3, :3]).as_quat()
                part = quaternion if link.sample.kind == "Spherical" else np.concatenate([E[:3, 3], quaternion])
            if len(part):
                at = self.model.joints[self.joint[i]].idx_q
                out[at : at + len(part)] = part
        return out

    def map(self, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """T and Tdot, (nv, nv)."""
        T, Tdot = np.zeros((2, self.model.nv, self.mechanism.nv))
        for i, link in enumerate(self.mechanism.links):
            s = self.mechanism.of(i)
            n = s.stop - s.start
            if not n:
                continue
            at = self.model.joints[self.joint[i]].idx_v
            if link.sample.kind in TWISTS:
                _, S, Sdot = motion_of(link.sample.motion, q[s], qdot[s])
                T[at : at + n, s], Tdot[at : at + n, s] = S[TWISTS[link.sample.kind]], Sdot[TWISTS[link.sample.kind]]
            else:
                T[at : at + n, s] = np.eye(n)
        return T, Tdot

    def forces(self, wrench: np.ndarray):
        """Wrenches on the bodies as forces on Pinocchio's joints."""
        total = pin.StdVec_Force()
        for _ in range(self.model.njoints):
            total.append(pin.Force.Zero())
        for i, w in enumerate(wrench):
            total[self.joint[i]] = total[self.joint[i]] + self.body(i).act(pin.Force(w[3:], w[:3]))
        return total

    def forward(self, q: np.ndarray, qdot: np.ndarray, tau: np.ndarray, wrench: np.ndarray) -> np.ndarray:
        T, Tdot = self.map(q, qdot)
        a = pin.aba(self.model, self.data, self.configuration(q), T @ qdot, np.linalg.solve(T.T, tau), self.forces(wrench))
        return np.linalg.solve(T, a - Tdot @ qdot)

    def inertia(self, q: np.ndarray) -> np.ndarray:
        """By columns of inverse dynamics: Pinocchio's own sum over subtrees wants them numbered without gaps."""
        T, _ = self.map(q, np.zeros_like(q))
        x, zero = self.configuration(q), np.zeros(self.model.nv)
        rest = pin.rnea(self.model, self.data, x, zero, zero)
        M = np.array([pin.rnea(self.model, self.data, x, zero, e) - rest for e in np.eye(self.model.nv)])
        return T.T @ M.T @ T

    def energy(self, q: np.ndarray, qdot: np.ndarray) -> tuple[float, float]:
        T, _ = self.map(q, qdot)
        x = self.configuration(q)
        kinetic = pin.computeKineticEnergy(self.model, self.data, x, T @ qdot)
        return kinetic, pin.computePotentialEnergy(self.model, self.data, x)
