"""Joints whose configuration is an element of a group: steps, their inverse, velocities, and a group that survives a million steps."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from joints.group_forms import JOINTS, somewhere
from redmax.joints.motion import traced_motion
from redmax.lie import so3
from redmax.trace import Graph, evaluate_numeric
from redmax.trace.vector import vector_of

STEP = 1e-6
each = pytest.mark.parametrize("name", JOINTS)


def values(x) -> np.ndarray:
    return np.asarray(x, float)


@each
def test_a_step_and_the_difference_are_inverse(name: str) -> None:
    joint, rng = JOINTS[name], np.random.default_rng(1)
    for _ in range(5):
        q, delta = somewhere(joint, rng), 0.8 * rng.normal(size=joint.dof)
        assert np.allclose(values(joint.difference(q, values(joint.retract(q, delta)))), delta, atol=1e-14)
        there = somewhere(joint, rng)
        back = values(joint.retract(q, values(joint.difference(q, there))))
        assert np.allclose(joint.pose(back), joint.pose(there), atol=1e-14)
        assert joint.off(back) < 1e-15
        assert joint.off(there) < 1e-15


@each
def test_tangent_speeds_and_rates_are_what_differences_find(name: str) -> None:
    joint, rng = JOINTS[name], np.random.default_rng(2)
    q, delta, v = somewhere(joint, rng), 0.8 * rng.normal(size=joint.dof), rng.normal(size=joint.dof)
    T = values(joint.tangent(q))
    found = [values(joint.retract(q, STEP * e)) - values(joint.retract(q, -STEP * e)) for e in np.eye(joint.dof)]
    assert np.allclose(np.array(found).T / (2 * STEP), T, atol=1e-8)
    assert np.allclose(values(joint.speeds(q, T @ v)), v, atol=1e-14)
    rate = values(joint.rate(delta, v))  # with which the end of the step moves with the velocity v
    end = values(joint.retract(q, delta))
    ahead, behind = (values(joint.retract(q, delta + s * STEP * rate)) for s in (1, -1))
    assert np.allclose((ahead - behind) / (2 * STEP), values(joint.tangent(end)) @ v, atol=1e-8)
    assert np.allclose(values(joint.velocity(delta, rate)), v, atol=1e-14)


@each
def test_velocities_are_the_twist_of_the_pose(name: str) -> None:
    joint, rng = JOINTS[name], np.random.default_rng(3)
    q, v = somewhere(joint, rng), rng.normal(size=joint.dof)
    ahead, behind = (joint.pose(values(joint.retract(q, s * STEP * v))) for s in (1, -1))
    W = np.linalg.inv(joint.pose(q)) @ (ahead - behind) / (2 * STEP)
    twist = [W[2, 1], W[0, 2], W[1, 0], *W[:3, 3]]
    assert np.allclose(joint.twist(q, v), twist, atol=1e-8)
    if name.startswith(("ball", "free")):  # the body twist itself
        assert np.array_equal(joint.twist(q, v)[: joint.dof], v)
    later = [joint.twist(values(joint.retract(q, s * STEP * v)), v) for s in (1, -1)]
    assert np.allclose(joint.twist_rate(q, v, 0 * v), (later[0] - later[1]) / (2 * STEP), atol=1e-8)


@each
def test_where_a_step_leads_is_moved_as_any_other_place(name: str) -> None:
    """In one trace with the step, whose entries are expressions, some of them differences that a sign turns round."""
    joint, rng = JOINTS[name], np.random.default_rng(4)
    q, delta, v = somewhere(joint, rng), 0.8 * rng.normal(size=joint.dof), rng.normal(size=joint.dof)
    given = {"q": q, "delta": delta, "v": v}
    graph = Graph()
    start, step, rates = (vector_of(graph.inputs(key, len(x))) for key, x in given.items())
    m = traced_motion(joint, joint.retract(start, step), rates)
    traced = [*m.twist(rates), *m.bias(rates)]
    found = np.array(evaluate_numeric(traced, lambda base, i: given[base][i]), float)
    there = values(joint.retract(q, delta))
    assert np.allclose(found, [*joint.twist(there, v), *joint.twist_rate(there, v, 0 * v)], atol=1e-13)


@each
def test_springs_pull_down_their_potential(name: str) -> None:
    joint, rng = JOINTS[name], np.random.default_rng(4)
    rest, k = somewhere(joint, rng), rng.uniform(1, 3, joint.dof)
    q = values(joint.retract(rest, 0.5 * rng.normal(size=joint.dof)))

    def stored(q: np.ndarray) -> float:
        return 0.5 * float(k @ values(joint.away(rest, q)) ** 2)

    slope = [stored(values(joint.retract(q, STEP * e))) - stored(values(joint.retract(q, -STEP * e))) for e in np.eye(joint.dof)]
    away = values(joint.away(rest, q))
    assert np.allclose(values(joint.pulled(away, -k * away)), -np.array(slope) / (2 * STEP), atol=1e-8)
    if name.startswith("ball"):  # of one stiffness for all axes, -k log(R_rest' R)
        assert np.allclose(values(joint.pulled(away, -2.0 * away)), -2.0 * away, atol=1e-14)
        turned = joint.pose(rest)[:3, :3].T @ joint.pose(q)[:3, :3]
        assert np.allclose(so3.exp(away), turned, atol=1e-14)


@pytest.mark.parametrize("name", [n for n in JOINTS if n.startswith(("ball", "free"))])
def test_a_million_steps_keep_the_group(name: str) -> None:
    """Which nobody normalises: a spin that repeats the same roundings, and one that does not."""
    joint = JOINTS[name]
    for shape in (rm.Sphere(0.1, mass=1.0), rm.Cuboid((0.3, 0.2, 0.1), mass=1.0))[: 1 + (name == "ball quaternion")]:
        scene = rm.Scene(gravity=(0, 0, 0))
        scene.add_body(shape, joint=joint, qdot=np.array([3.1, -2.3, 1.7, 0.1, 0.2, -0.1])[: joint.dof])
        run = rm.simulate(scene, duration=1000.0, dt=1e-3, integrator="euler", every=100_000, progress=False)
        assert np.abs(joint.off(run.q)).max() < 1e-12
        R = joint.pose(run.q)[:, :3, :3]
        assert np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max() < (1e-12 if "matrix" in name or "pose" in name else 1e-15)


def test_matrices_are_configurations_as_they_are() -> None:
    E = rm.pose(rm.rotation_about((1, 2, 3), 0.7), (1, 2, 3))
    for joint, given in ((rm.Spherical("matrix"), E[:3, :3]), (rm.Free("pose"), E), (rm.Free("pose"), E[:3].tolist())):
        scene = rm.Scene()
        scene.add_body(rm.Sphere(0.1), joint=joint, q=given, rest=given)
        link = scene.links[0]
        assert np.array_equal(joint.pose(link.q)[:3, : np.shape(given)[1]], np.asarray(given)[:3])
        assert np.array_equal(link.rest, link.q)
        with pytest.raises(rm.SceneError, match=r"off by 0\.21"):
            scene.add_body(rm.Sphere(0.1), joint=joint, q=np.diag([1, 1, 1.1, 1.0])[: len(given), : np.shape(given)[1]])
    with pytest.raises(rm.SceneError, match=r"must be 12 numbers\. Got shape \(4, 4\)"):
        scene.add_body(rm.Sphere(0.1), joint=rm.Free("pose"), q=2 * E)


@pytest.mark.parametrize("name", [n for n in JOINTS if n.startswith(("ball", "free"))])
@pytest.mark.parametrize("backend", ["llvm", "interpret"])
def test_dynamics_of_what_is_off_its_group_say_by_how_much(name: str, backend: str) -> None:
    """Forward and inverse, of one state and of many; what is off by roundings, or by what is let pass, is not."""
    scene = rm.Scene()
    body = scene.add_body(rm.Cuboid((0.1, 0.2, 0.3), mass=1.0), joint=JOINTS[name], com=(0.1, 0, 0), name="body")
    scene.add_body(rm.Sphere(0.1), joint=rm.CompositeJoint(rm.Revolute("y"), rm.Spherical("quaternion")), parent=body, name="tip")
    d = rm.Dynamics(scene, backend)
    m, zero = d.model, np.zeros(d.model.nv)
    q = m.moved(m.q0, 0.3 * np.arange(1, m.nv + 1) / m.nv)
    first, tip = np.zeros(m.nq), np.zeros(m.nq)
    first[:4], tip[m.q_slice("tip").start + 1] = 1.0, 1.0  # numbers of rotations
    for e, joint in ((first, "body"), (tip, "tip")):
        d.forward(q + 1e-7 * e, zero, zero, t=0.0)
        for off in (q + 1e-3 * e, np.stack([q, q + 1e-3 * e])):
            for function in (d.forward, d.inverse, d.hybrid):
                with pytest.raises(rm.SceneError, match=rf"q of joint '{joint}' must be .*, to 1e-06\. Got .* which is off by 0\.00"):
                    function(off, zero, zero)
    with pytest.raises(rm.SceneError, match=r"q of joint 'tip'.* off by 1\."):
        d.forward(np.where(np.arange(m.nq) >= m.q_slice("tip").start, 0.0, q), zero, zero, t=0.0)


def test_configurations_off_the_group_say_by_how_much() -> None:
    ball = rm.Cuboid((0.1, 0.2, 0.3), mass=1.0)
    with pytest.raises(rm.SceneError, match=r"of length 1.*off by 0\.005.* joint\.coordinates\(quaternion\) makes one"):
        rm.Scene().add_body(ball, joint=rm.Spherical("quaternion"), q=(1, 0, 0, 0.1))
    with pytest.raises(rm.SceneError, match=r"q of body 'body1' must be a quaternion w, x, y, z of length 1.*off by 0\.005"):
        rm.Scene().add_body(ball, joint=rm.Spherical("quaternion"), q=(1, 0, 0, 0.1))
    with pytest.raises(rm.SceneError, match=r"a rotation matrix.*off by 2\."):
        rm.Scene().add_body(ball, joint=rm.Free("matrix"), q=(1, 0, 0, 0, 1, 0, 0, 0, -1, 0, 0, 0))
    with pytest.raises(rm.SceneError, match=r"a dual quaternion r, d.*off by 0\.2"):
        rm.Scene().add_body(ball, joint=rm.Free("dual-quaternion"), q=(1, 0, 0, 0, 0.2, 0, 0, 0))
    with pytest.raises(rm.SceneError, match=r"q of body 'body1' must be 4 numbers. Got shape \(3,\)"):
        rm.Scene().add_body(ball, joint=rm.Spherical("quaternion"), q=(1, 0, 0))
    with pytest.raises(rm.SceneError, match=r"Spherical takes coordinates 'exp', 'quaternion', 'matrix'. Got 'pose'"):
        rm.Spherical("pose")  # type: ignore[arg-type]
    scene = rm.Scene()
    scene.add_body(ball, joint=rm.Spherical("quaternion"), name="ball")
    assert scene.links[0].q.tolist() == [1, 0, 0, 0]
    with pytest.raises(rm.SceneError, match=r"q of joint 'ball' must be a quaternion.*off by 1"):
        rm.simulate(scene, 0.1, initial=rm.State(0.0, np.array([[1.0, 0, 0, 0], [2.0, 0, 0, 0]]), np.zeros(3)))
    almost = np.array([0.6, 0.8, 0, 0], np.float32)  # as single precision has it: put on the group
    scene.add_body(ball, joint=rm.Spherical("quaternion"), q=almost)
    assert abs(np.linalg.norm(scene.links[1].q) - 1) < 1e-15


def test_coordinates_of_orientations() -> None:
    turn, place = np.array([0.5, -0.1, 0.7, 0.3]), (1.0, -2.0, 3.0)
    expected = rm.Free().pose(rm.Free().coordinates(turn, place))
    for form in ("quaternion", "matrix", "pose", "dual-quaternion"):
        joint = rm.Free(form)  # type: ignore[arg-type]
        q = joint.coordinates(turn, place)
        assert np.allclose(joint.pose(q), expected, atol=1e-15)
        assert joint.off(q) < 1e-15
        if "quaternion" in form:  # q and -q are one pose: the one that is near
            assert np.allclose(joint.coordinates(-turn, place, near=q), q, atol=1e-15)


@each
def test_many_configurations_move_at_once(name: str) -> None:
    """`moved` is the step of each, in batches of any shape."""
    joint, rng = JOINTS[name], np.random.default_rng(5)
    q = np.array([somewhere(joint, rng) for _ in range(3)])
    step = 0.5 * rng.normal(size=(2, 3, joint.dof))
    found = joint.moved(q, step)
    assert found.shape == (2, 3, joint.nq)
    for i, k in np.ndindex(2, 3):
        assert np.allclose(found[i, k], values(joint.retract(q[k], step[i, k])), atol=1e-15)
    with pytest.raises(rm.SceneError, match=rf"step must have shape \(..., {joint.dof}\)"):
        joint.moved(q, np.zeros(joint.nq + 1))


def test_worlds_near_each_other() -> None:
    scene = rm.Scene()
    for name in ("free pose", "composite"):
        scene.add_body(rm.Cuboid((0.1, 0.2, 0.3), mass=1.0), joint=JOINTS[name])
    scene.add_deformable(rm.SpringChain((0, 0, 1), (0, 0, 0), 3, mass=0.1, stiffness=1.0).hold(0))
    model, step = scene.model(), 0.1 * np.random.default_rng(0).normal(size=(4, scene.model().nv))
    q = model.moved(model.q0, step)
    assert q.shape == (4, model.nq)
    assert np.array_equal(q[:, -6:], model.q0[-6:] + step[:, -6:])
    assert rm.simulate(model, 0.02, initial=rm.State(0.0, q, model.qdot0), progress=False).q.shape == (3, 4, model.nq)
    with pytest.raises(rm.SceneError, match=r"moved: step must have shape \(..., 16\)"):
        model.moved(model.q0, model.q0)
