"""Rows of targets are in m and rad, and their Jacobian is their derivative, for every kind of joint and target."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import redmax as rm
from joints.samples import KINDS
from mechanisms import Mechanism, chain
from redmax.lie import so3

STEP = 2e-3
SIXTH = ((1, 45 / 60), (2, -9 / 60), (3, 1 / 60))  # central differences of sixth order


def every_target(scene: rm.Scene, m: Mechanism) -> list[Any]:
    a, b = scene.links[len(m.links) - 1].name, scene.links[0].name
    tip, first = scene.find(a), scene.find(b)
    return [
        rm.PositionTarget(tip.point(0.1, 0.2, -0.1), name="point"),
        rm.OrientationTarget(first, name="turn"),
        rm.FrameTarget(tip.frame((0.1, 0.0, 0.2)), name="pose"),
        rm.MarkerTarget([first.point(0.1, 0, 0), tip.point(0, 0.1, 0)]),
        rm.LookAtTarget(tip, axis=(1.0, 2.0, 0.5), name="eye"),
        rm.CenterOfMassTarget(axes="xz"),
        rm.CenterOfMassTarget(body=a, name="part"),
        rm.PostureTarget(),
    ]


def goals(rng: np.random.Generator, m: Mechanism, q: np.ndarray, scene: rm.Scene) -> dict[str, np.ndarray]:
    poses = [rm.pose(rm.rotation_about(rng.normal(size=3), rng.uniform(0, 2)), rng.normal(size=3)) for _ in range(2)]
    return {
        "point": rng.normal(size=3), "turn": poses[0][:3, :3], "pose": poses[1], "markers": rng.normal(size=(2, 3)),
        "eye": 5.0 + rng.normal(size=3), "centre of mass": rng.normal(size=3), "part": rng.normal(size=3), "posture": q,
    }  # fmt: skip


@pytest.mark.parametrize("kinds", [KINDS[k : k + 5] for k in range(0, len(KINDS), 5)], ids=lambda kinds: kinds[0])
def test_the_jacobian_is_the_derivative(kinds):
    m = chain(3, list(kinds), "shift", forces=False)
    scene, rng = m.scene(), np.random.default_rng(1)
    ik = rm.InverseKinematics(scene, every_target(scene, m), limits=False)
    q = m.model.configurations.join(m.states(3)[0])
    given = [t.packed(t.checked(goals(rng, m, m.states(1, 9)[0][0], scene)[t.name]))[None].reshape(1, -1) for t in ik.targets]
    packed = np.repeat(np.concatenate(given, axis=1), 3, axis=0)
    _, _, A = ik.rows.at(q, np.zeros((3, m.nv)), packed, 0.0)
    for k in range(m.nv):
        step = np.zeros((3, m.nv))
        step[:, k] = STEP
        pairs = [(w, ik.rows.at(q, n * step, packed, 0.0)[1] - ik.rows.at(q, -n * step, packed, 0.0)[1]) for n, w in SIXTH]
        found = sum(w * difference for w, difference in pairs) / STEP
        np.testing.assert_allclose(A[:, :, k], found, rtol=0, atol=1e-10 * max(1.0, np.abs(found).max()))


def test_residuals_are_metres_and_radians_in_world_axes():
    scene = rm.Scene()
    body = scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Free(), name="body")
    q = np.array([0.0, 0.0, 0.3, 1.0, 2.0, 3.0])
    ik = rm.InverseKinematics(scene, [rm.FrameTarget(body)])
    E = rm.Dynamics(scene).pose(q, "body")
    turn = np.array([0.1, -0.2, 0.05])
    goal = rm.pose(so3.exp(-turn) @ E[:3, :3], E[:3, 3] - [0.01, 0.02, 0.03])
    packed = ik.targets[0].packed(goal)[None]
    r = ik.rows.at(ik.model.configurations.join(q[None]), np.zeros((1, 6)), packed, 0.0)[1][0]
    np.testing.assert_allclose(r, [0.01, 0.02, 0.03, *turn], atol=1e-14)


def test_interpreted_is_compiled():
    m = chain(5, ["Revolute", "Spherical", "Prismatic"], forces=False)
    scene = m.scene()
    both = [rm.InverseKinematics(scene, every_target(scene, m), limits=False, backend=b) for b in ("llvm", "interpret")]
    rng = np.random.default_rng(0)
    some = goals(rng, m, m.states(1, 4)[0][0], scene)
    packed = np.concatenate([t.packed(t.checked(some[t.name])).ravel() for t in both[0].targets])[None]
    q = m.model.configurations.join(m.states(1)[0])
    first, second = (ik.rows.at(q, np.zeros((1, m.nv)), packed, 0.0) for ik in both)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
