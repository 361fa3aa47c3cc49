"""Pinocchio: `abaInParallel` on one thread, which loops over the columns of its arrays in C++.

Axis-aligned hinges get its specialised joints. Its Data grows with n^3 (1.4 GB at n = 300), so RC1000 is out of reach.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

import redmax as rm
from benchmarks.cases import States
from benchmarks.coordinates import Twists
from benchmarks.timing import Contestant

LARGEST = 300
ALIGNED = (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)


def joint_model(joint: rm.Joint) -> object:
    if isinstance(joint, rm.Free):
        return pin.JointModelFreeFlyer()
    if isinstance(joint, rm.Spherical):
        return pin.JointModelSpherical()
    if isinstance(joint, rm.Revolute):
        axis = np.asarray(joint.axis)
        return ALIGNED[int(axis.argmax())]() if axis.max() == 1 else pin.JointModelRevoluteUnaligned(axis)
    raise TypeError(f"No Pinocchio joint for {joint!r}.")


def build(scene: rm.Scene) -> pin.Model:
    model = pin.Model()
    model.gravity.linear = np.asarray(scene.gravity)
    for link in scene.links:
        placement = pin.SE3(link.at[:3, :3], link.at[:3, 3])
        joint = model.addJoint(link.parent + 1, joint_model(link.joint), placement, link.name)
        R = link.body[:3, :3]
        inertia = pin.Inertia(link.shape.mass, link.body[:3, 3], R @ link.shape.inertia @ R.T)
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    return model


class Pinocchio:
    name = "Pinocchio"

    def __init__(self, scene: rm.Scene) -> None:
        self.scene = scene
        self.pool = pin.ModelPool(build(scene), 1)

    def contestant(self, states: States) -> Contestant:
        twists = Twists(self.scene, states)
        s = twists.states()
        Q, V, TAU, A = (np.asfortranarray(x.T) for x in (s.q, s.v, s.tau, np.zeros_like(s.v)))

        def call() -> None:
            pin.abaInParallel(1, self.pool, Q, V, TAU, A)

        return Contestant(self.name, call, len(states), lambda: twists.accelerations(A.T))
