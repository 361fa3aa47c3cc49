"""Moment arms: the derivatives of path lengths, MuJoCo's tendon moments, and what the dynamics do with a tension."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from mechanisms import every_kind, random_parents
from random_examples import examples
from redmax.scenes import find

STEP = 1e-3  # of differences of fourth order


def differences(dynamics: rm.Dynamics, q: np.ndarray, t: float) -> np.ndarray:
    """(paths, n): -dl/dq from lengths alone."""
    steps = STEP * np.eye(len(q))
    lengths = dynamics.paths(q + np.concatenate([k * steps for k in (1, -1, 2, -2)]), t=t).length.reshape(4, len(q), -1)
    return -((8 * (lengths[0] - lengths[1]) - (lengths[2] - lengths[3])) / (12 * STEP)).T


def with_paths(scene: rm.Scene, rng: np.random.Generator, count: int, most: int) -> None:
    """Cables through points of random bodies and of the world."""
    bodies = [scene.find(link.name) for link in scene.links]
    for _ in range(count):
        chosen = rng.permutation(len(bodies))[: rng.integers(1, most)]
        points: list[Any] = [bodies[i].point(*rng.normal(size=3)) for i in chosen]
        points.insert(int(rng.integers(len(points) + 1)), tuple(3 * rng.normal(size=3)))
        scene.add_force(rm.Cable(points, stiffness=1.0, rest=0.1))


def test_they_are_derivatives_of_the_length_over_every_kind_of_joint():
    rng, mechanism = np.random.default_rng(5), every_kind(0)
    scene = mechanism.scene()
    with_paths(scene, rng, 4, 5)
    dynamics, state = rm.Dynamics(scene, backend="interpret"), mechanism.state(3)
    found, expected = dynamics.paths(state.q, state.qdot, state.t), differences(dynamics, state.q, state.t)
    assert np.abs(found.moment_arms - expected).max() < 1e-8 * np.abs(expected).max()
    assert (np.abs(expected).max(axis=1) > 0.1).all()


@pytest.mark.parametrize("name", ["arm", "kick"])
def test_points_that_move_or_come_and_go_and_rates(name):
    """Also on both sides of where a point comes into use; the rate of the length is that of the coordinates."""
    dynamics = rm.Dynamics(find(name).scene(), backend="interpret")
    rng = np.random.default_rng(1)
    joints = sum(link.joint.dof for link in dynamics.model.bodies)
    for _ in range(4):
        q, qdot = rng.uniform(0.2, 1.6, joints), rng.normal(size=joints)
        found = dynamics.paths(q, qdot)
        assert np.abs(found.moment_arms[:, :joints] - differences(dynamics, q, 0.0)).max() < 1e-8
        assert not found.moment_arms[:, joints:].any()  # of hidden states
        assert np.abs(found.rate + found.moment_arms[:, :joints] @ qdot).max() < 1e-12


def twins(seed: int) -> tuple[rm.Scene, mujoco.MjModel]:
    """A tree of hinges and slides with paths through sites, twice."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 7))
    parents = random_parents(rng, count)
    scene, handles = rm.Scene(), []
    inside: list[list[str]] = [[] for _ in range(count)]
    sites: list[tuple[Any, str]] = []
    for i, parent in enumerate(parents):
        axis, at, com = rng.normal(size=3), 0.4 * rng.normal(size=3), 0.2 * rng.normal(size=3)
        hinge = rng.random() < 0.7
        joint = rm.Revolute(axis) if hinge else rm.Prismatic(axis)
        handles.append(
            scene.add_body(
                rm.Sphere(0.1, mass=1), joint=joint, parent=handles[parent] if parent >= 0 else None, at=at, com=com, name=f"b{i}"
            )
        )
        kind = "hinge" if hinge else "slide"
        inside[i].append(
            f'<body pos="{text(at)}"><joint name="b{i}" type="{kind}" axis="{text(axis)}"/><geom size="0.1" pos="{text(com)}" mass="1"/>'
        )
        for k in range(2):
            point = 0.3 * rng.normal(size=3)
            inside[i].append(f'<site name="s{i}{k}" pos="{text(point)}"/>')
            sites.append((handles[i].point(*(point - com)), f"s{i}{k}"))
    for i in reversed(range(count)):
        inside[i].append("</body>")
        if parents[i] >= 0:
            inside[parents[i]].append("".join(inside[i]))
    world = "".join("".join(inside[i]) for i in range(count) if parents[i] < 0)
    hook = rng.normal(size=3)
    sites.append((tuple(hook), "hook"))
    tendons = ""
    for k in range(3):
        course = [sites[i] for i in rng.permutation(len(sites))[: int(rng.integers(2, 6))]]
        if len({str(s[1])[:2] for s in course}) < 2:
            course = [sites[0], sites[-1]]
        scene.add_force(rm.Cable([p for p, _ in course], stiffness=1.0, rest=0.1))
        tendons += f'<spatial name="t{k}">{"".join(f"""<site site="{s}"/>""" for _, s in course)}</spatial>'
    xml = f'<mujoco><worldbody><site name="hook" pos="{text(hook)}"/>{world}</worldbody><tendon>{tendons}</tendon></mujoco>'
    return scene, mujoco.MjModel.from_xml_string(xml)


def text(x: np.ndarray) -> str:
    return " ".join(f"{v:.17g}" for v in x)


def tendon_moments(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """(tendons, nv), of which it keeps what is not zero."""
    dense = np.zeros((model.ntendon, model.nv))
    for k, (first, many) in enumerate(zip(model.ten_J_rowadr, model.ten_J_rownnz, strict=True)):
        dense[k, model.ten_J_colind[first : first + many]] = data.ten_J[first : first + many]
    return dense


@examples(4, 40)
@given(st.integers(0, 2**16))
def test_they_are_the_tendon_moments_of_mujoco(seed):
    scene, other = twins(seed)
    dynamics, data = rm.Dynamics(scene, backend="interpret"), mujoco.MjData(other)
    order = [int(other.joint(link.name).dofadr[0]) for link in scene.links]  # which it has branch by branch
    rng = np.random.default_rng(seed)
    for _ in range(3):
        data.qpos[:], data.qvel[:] = rng.uniform(-1, 1, other.nq), rng.normal(size=other.nv)
        mujoco.mj_forward(other, data)
        found = dynamics.paths(data.qpos[order], data.qvel[order])
        assert np.abs(found.length - data.ten_length).max() < 1e-9
        assert np.abs(found.rate - data.ten_velocity).max() < 1e-9
        assert np.abs(found.moment_arms + tendon_moments(other, data)[:, order]).max() < 1e-9


def test_moment_arms_times_tensions_are_the_forces_of_the_dynamics():
    """What the joints have to do less, once the muscles pull: with points that move over the thigh, in every coordinate."""
    model = find("kick").scene().model()
    dynamics, rng = rm.Dynamics(model, backend="interpret"), np.random.default_rng(2)
    joints = int(model.offsets[len(model.bodies)])
    q, qdot = rng.uniform(0.2, 1.2, (5, model.nq)), rng.normal(size=(5, model.nv))
    qdot[:, joints:] = rng.uniform(0, 1, (5, model.nv - joints))
    slack = np.concatenate([qdot[:, :joints], 0 * qdot[:, joints:]], axis=1)
    needed = [dynamics.inverse(q, v, 0 * qdot)[:, :joints] for v in (qdot, slack)]
    pull = [dynamics.muscles(q, v).torques.sum(axis=-2)[:, :joints] for v in (qdot, slack)]
    assert np.abs((needed[1] - needed[0]) - (pull[0] - pull[1])).max() < 1e-10 * np.abs(needed[0]).max()
    assert np.abs(pull[0] - pull[1]).max() > 1
