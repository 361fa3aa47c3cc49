"""The same mechanism in Pinocchio, for the joints that both have.

Pinocchio's velocities are v = T(q) qdot with T = 1 except where v is the body twist (linear; angular), as for rotations in exponential
coordinates: a = T qdd + Tdot qdot, tau = T^T tau_pin. Fixed links become bodies of the joint that carries them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pinocchio as pin
from scipy.spatial.transform import Rotation

from dynamics.hyperdual import motion_of
from mechanisms import LinkSpec, Mechanism

KINDS = (
    "Fixed", "Revolute", "Prismatic", "Helical", "Cylindrical", "Planar", "Translational", "Universal", "Free2D", "PlanarRotating",
    "PlanarScrew", "Schoenflies", "Spherical", "Free", "Free3D",
)  # fmt: skip
# Rows of S in Pinocchio's order, where its velocities are the twist
TWISTS = {
    "Spherical": [0, 1, 2], "Free": [3, 4, 5, 0, 1, 2], "Free3D": [3, 4, 5, 0, 1, 2], "Free2D": [3, 4, 2], "PlanarRotating": [3, 4, 2],
}  # fmt: skip
# Joints whose S changes with q in Pinocchio's frames: its dAg takes S to be constant, and is not the rate of Ag then.
TURNING = ("Universal", "PlanarScrew", "Schoenflies")


def composite(*models):
    whole = pin.JointModelComposite()
    for model in models:
        whole.addJoint(model)
    return whole


def joint_model(link: LinkSpec):
    joint = link.sample.joint
    return {
        "Revolute": lambda: pin.JointModelRevoluteUnaligned(joint.axis),
        "Prismatic": lambda: pin.JointModelPrismaticUnaligned(joint.axis),
        "Helical": lambda: pin.JointModelHelicalUnaligned(joint.axis, joint.pitch),
        "Cylindrical": lambda: composite(pin.JointModelRevoluteUnaligned(joint.axis), pin.JointModelPrismaticUnaligned(joint.axis)),
        "Planar": lambda: composite(*[pin.JointModelPrismaticUnaligned(axis) for axis in (joint.first, joint.second)]),
        "Translational": pin.JointModelTranslation,
        "Universal": lambda: pin.JointModelUniversal(np.array([1.0, 0, 0]), np.array([0, 1.0, 0])),
        "Free2D": pin.JointModelPlanar,
        "PlanarRotating": pin.JointModelPlanar,
        "PlanarScrew": lambda: composite(pin.JointModelPX(), pin.JointModelPY(), pin.JointModelHZ(joint.pitch)),
        "Schoenflies": lambda: composite(pin.JointModelTranslation(), pin.JointModelRevoluteUnaligned(joint.axis)),
        "Spherical": pin.JointModelSpherical,
        "Free": pin.JointModelFreeFlyer,
        "Free3D": pin.JointModelFreeFlyer,
    }[link.sample.kind]()


def turned(link: LinkSpec) -> np.ndarray:
    """The frame (4, 4) in which Pinocchio, which knows only the xy plane, finds the plane of this joint."""
    return link.sample.joint.frame if link.sample.kind in ("PlanarRotating", "PlanarScrew") else np.eye(4)


def motion_in_frame(link: LinkSpec, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    C = turned(link)
    return motion_of(lambda x: C.T @ link.sample.motion(x) @ C, q, qdot)


def position(kind: str, E: np.ndarray) -> np.ndarray:
    """A pose as Pinocchio's coordinates of the joints that are groups to it."""
    if kind in ("Free2D", "PlanarRotating"):
        return np.array([E[0, 3], E[1, 3], E[0, 0], E[1, 0]])
    quaternion = Rotation.from_matrix(E[:3, :3]).as_quat()
    return quaternion if kind == "Spherical" else np.concatenate([E[:3, 3], quaternion])


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
                C = pin.SE3(turned(link))
                parent, X = self.model.addJoint(parent, joint_model(link), X * C, f"joint{i}"), C.inverse()
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
                part = position(link.sample.kind, motion_in_frame(link, part, 0 * part)[0])
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
                _, S, Sdot = motion_in_frame(link, q[s], qdot[s])
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

    def centroidal(self, q: np.ndarray, qdot: np.ndarray, qddot: np.ndarray) -> dict[str, np.ndarray]:
        """By the names of rm.Centroidal, with A, Adot, J and Jdot of the centre of mass, and forces of gravity and velocities."""
        found = centroidal(self.model, self.data, self.configuration(q), self.map(q, qdot), qdot, qddot)
        if any(link.sample.kind in TURNING for link in self.mechanism.links):
            del found["Adot"], found["Jdot"]
        return found


def centroidal(model, data, x, rates, qdot, qddot) -> dict[str, np.ndarray]:
    """What Pinocchio says of the mechanism as a whole, with v = T qdot, in our order: (angular; linear)."""
    T, Tdot = rates
    v, a = T @ qdot, T @ qddot + Tdot @ qdot
    order = [3, 4, 5, 0, 1, 2]
    pin.centerOfMass(model, data, x, v, a)
    found = {"mass": pin.computeTotalMass(model), "center": data.com[0].copy()}
    found |= {"velocity": data.vcom[0].copy(), "acceleration": data.acom[0].copy()}
    pin.computeCentroidalMomentumTimeVariation(model, data, x, v, a)
    found |= {"momentum": data.hg.vector[order], "momentum_rate": data.dhg.vector[order]}
    pin.dccrba(model, data, x, v)
    Ag, dAg = (np.reshape(x, (6, model.nv))[order] for x in (data.Ag, data.dAg))  # a single column comes as a vector
    A, Adot, mass = Ag @ T, dAg @ T + Ag @ Tdot, found["mass"]
    found |= {"A": A, "Adot": Adot, "inertia": data.Ig.matrix()[np.ix_(order, order)]}
    found |= {"J": np.reshape(pin.jacobianCenterOfMass(model, data, x), (3, model.nv)) @ T, "Jdot": Adot[3:] / mass}
    found["gravity_forces"] = -T.T @ pin.computeGeneralizedGravity(model, data, x)
    found["nonlinear_effects"] = T.T @ pin.rnea(model, data, x, v, Tdot @ qdot)
    return found
