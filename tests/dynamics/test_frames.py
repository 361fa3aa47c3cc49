"""Pose, twist, acceleration and Jacobian of frames: against Pinocchio and MuJoCo, against differences along the motion, and in runs."""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree
from dynamics.differences import rate
from dynamics.pinocchio_twin import KINDS as SHARED
from dynamics.pinocchio_twin import Twin
from forces.test_mujoco import MECHANISM, SITES, mechanism
from mechanisms import Mechanism, chain, every_kind, mechanisms, random_rotation
from random_examples import examples
from redmax.math import array, cos, sin

KINDS = ("body", "spatial", "hybrid", "mixed")
BAR = rm.Cuboid((0.4, 0.06, 0.04), mass=1.0)
REFERENCE = {"body": pin.LOCAL, "spatial": pin.WORLD, "hybrid": pin.LOCAL_WORLD_ALIGNED}
OURS = [3, 4, 5, 0, 1, 2]  # Pinocchio's order is (linear; angular)


def random_pose(seed: int) -> np.ndarray:
    rng = np.random.default_rng([seed, 29])
    return rm.pose(random_rotation(rng), 0.4 * rng.normal(size=3))


def framed(m: Mechanism, seed: int, backend: str = "interpret") -> tuple[rm.Dynamics, int]:
    """A frame called tool, somewhere on some link."""
    scene, i = m.scene(), int(np.random.default_rng(seed).integers(len(m.links)))
    scene.add_frame("tool", f"link{i}", random_pose(seed))
    return rm.Dynamics(scene, backend=backend), i


def vector(motion: pin.Motion) -> np.ndarray:
    return np.concatenate([motion.angular, motion.linear])


@examples(3, 30)
@given(m=mechanisms(kinds=SHARED, largest=7, forces=False).filter(lambda m: m.nv > 0), seed=st.integers(0, 2**16))
def test_frames_equal_pinocchios(m, seed):
    """J, velocity, acceleration and the classical one, by its three conventions; the rate of J by what accelerates when qddot = 0.

    Pinocchio's own rate of J leaves out the rate of S within a joint; it is compared on chains of its simple joints below.
    """
    d, i = framed(m, seed)
    twin, s = Twin(m), m.state(seed)
    place = twin.body(i) * pin.SE3(random_pose(seed))
    k = twin.model.addFrame(pin.Frame("tool", twin.joint[i], 0, place, pin.FrameType.OP_FRAME))
    twin.data = twin.model.createData()
    T, Tdot = twin.map(s.q, s.qdot)
    x, v, a = twin.configuration(s.q), T @ s.qdot, T @ s.qddot + Tdot @ s.qdot
    pin.forwardKinematics(twin.model, twin.data, x, v, a)
    pin.computeJointJacobians(twin.model, twin.data, x)
    pin.updateFramePlacements(twin.model, twin.data)
    assert agree(d.pose(s.q, "tool"), twin.data.oMf[k].homogeneous, 1e-11)
    for kind, reference in REFERENCE.items():
        J = pin.getFrameJacobian(twin.model, twin.data, k, reference).reshape(6, -1)[OURS] @ T
        ours, _ = d.jacobian(s.q, s.qdot, of="tool", kind=kind)
        assert agree(ours, J, 1e-10, floor=1.0), kind
        twist = d.twist(s.q, s.qdot, "tool", kind)
        assert agree(twist, vector(pin.getFrameVelocity(twin.model, twin.data, k, reference)), 1e-10, floor=1.0), kind
        point = d.acceleration(s.q, s.qdot, s.qddot, "tool", kind, classical=True)
        assert agree(point, vector(pin.getFrameClassicalAcceleration(twin.model, twin.data, k, reference)), 1e-10, floor=1.0), kind
        if kind != "hybrid":  # there Pinocchio's is the body's, turned: no rate of the twist
            rates = vector(pin.getFrameAcceleration(twin.model, twin.data, k, reference))
            assert agree(d.acceleration(s.q, s.qdot, s.qddot, "tool", kind), rates, 1e-10, floor=1.0), kind


SIMPLE = ("Revolute", "Prismatic", "Helical", "Translational", "Spherical", "Free", "Fixed")


@examples(3, 30)
@given(m=mechanisms(kinds=SIMPLE, largest=6, forces=False).filter(lambda m: m.nv > 0), seed=st.integers(0, 2**16))
def test_rates_of_jacobians_equal_pinocchios(m, seed):
    d, i = framed(m, seed)
    twin, s = Twin(m), m.state(seed)
    k = twin.model.addFrame(pin.Frame("tool", twin.joint[i], 0, twin.body(i) * pin.SE3(random_pose(seed)), pin.FrameType.OP_FRAME))
    twin.data = twin.model.createData()
    T, Tdot = twin.map(s.q, s.qdot)
    x = twin.configuration(s.q)
    pin.computeJointJacobiansTimeVariation(twin.model, twin.data, x, T @ s.qdot)
    pin.updateFramePlacements(twin.model, twin.data)
    for kind, reference in REFERENCE.items():
        J, Jdot = (f(twin.model, twin.data, k, reference).reshape(6, -1) for f in (pin.getFrameJacobian, pin.getFrameJacobianTimeVariation))
        assert agree(d.jacobian(s.q, s.qdot, of="tool", kind=kind)[1], (Jdot @ T + J @ Tdot)[OURS], 1e-10, floor=1.0), kind


def test_sites_equal_mujocos():
    """A site of MuJoCo is a frame given from the joint: its Jacobian with the rate, and its velocity in world axes and its own."""
    scene = mechanism()
    for name, place in SITES.items():
        scene.add_frame(name, name.rstrip("12"), place, relative_to="joint")
    text = MECHANISM.format(viscosity=0, upper="", lower="", slider="", more="")
    model = mujoco.MjModel.from_xml_string(text)
    data, d = mujoco.MjData(model), rm.Dynamics(scene)
    data.qpos, data.qvel = np.random.default_rng(3).normal(size=(2, model.nv))
    mujoco.mj_forward(model, data)
    for name in SITES:
        site = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, name)
        rows, rates, speed, own = np.zeros((2, 3, model.nv)), np.zeros((2, 3, model.nv)), np.zeros(6), np.zeros(6)
        mujoco.mj_jacSite(model, data, rows[1], rows[0], site)
        mujoco.mj_jacDot(model, data, rates[1], rates[0], data.site_xpos[site], model.site_bodyid[site])
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_SITE, site, speed, 0)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_SITE, site, own, 1)
        J, Jdot = d.jacobian(data.qpos, data.qvel, of=name, kind="hybrid")
        assert agree(d.pose(data.qpos, name)[:3, 3], data.site_xpos[site], 1e-12)
        assert agree(J, rows.reshape(6, -1), 1e-12)
        assert agree(Jdot, rates.reshape(6, -1), 1e-11)
        assert agree(d.twist(data.qpos, data.qvel, name, "hybrid"), speed, 1e-12)
        assert agree(d.twist(data.qpos, data.qvel, name), own, 1e-12)


def expected_twist(kind: str, E: np.ndarray, Edot: np.ndarray) -> np.ndarray:
    """As the conventions define it, from a pose and its rate."""
    R, p, pdot = E[:3, :3], E[:3, 3], Edot[:3, 3]
    W = Edot[:3, :3] @ R.T
    omega = np.array([W[2, 1], W[0, 2], W[1, 0]])
    return np.concatenate(
        {
            "hybrid": (omega, pdot),
            "body": (R.T @ omega, R.T @ pdot),
            "spatial": (omega, pdot - np.cross(omega, p)),
            "mixed": (R.T @ omega, pdot),
        }[kind]
    )


def check_differences(d: rm.Dynamics, of, q, qdot, qddot, t: float) -> None:
    """Everything of one frame against the poses alone, along q + s qdot + s^2/2 qddot."""

    def state(s: float) -> tuple[np.ndarray, np.ndarray, float]:
        return q + s * qdot + 0.5 * s * s * qddot, qdot + s * qddot, t + s

    def pose(s: float) -> np.ndarray:
        x, _, time = state(s)
        return d.pose(x, of, time)

    E, Edot, Eddot = pose(0.0), rate(pose), rate(lambda s: rate(lambda h: pose(s + h)))
    for kind in KINDS:
        twist = d.twist(q, qdot, of, kind, t)
        assert agree(twist, expected_twist(kind, E, Edot), 1e-8, floor=1.0), kind
        assert agree(
            d.acceleration(q, qdot, qddot, of, kind, t=t), rate(lambda s, k=kind: d.twist(*state(s)[:2], of, k, state(s)[2])), 1e-8, 1.0
        )
        J, Jdot = d.jacobian(q, qdot, of=of, kind=kind, t=t)
        still = d.twist(q, 0 * qdot, of, kind, t)
        assert agree(J, np.transpose([d.twist(q, e, of, kind, t) - still for e in np.eye(len(qdot))]).reshape(J.shape), 1e-11, 1.0), kind
        assert agree(Jdot, rate(lambda s, k=kind: d.jacobian(*state(s)[:2], of=of, kind=k, t=state(s)[2])[0]), 1e-8, 1.0), kind
    in_world = Eddot[:3, 3]
    for kind, expected in (("hybrid", in_world), ("mixed", in_world), ("body", E[:3, :3].T @ in_world)):
        assert agree(d.acceleration(q, qdot, qddot, of, kind, True, t)[3:], expected, 1e-6, floor=1.0), kind


def moving(q, t):
    turned = rm.rotation_about("y", 0.3 * sin(t) + 0.2 * q[0] * cos(2 * t)) @ rm.rotation_about("x", q[1])
    return rm.pose(turned, array([q[0], 0.2 * sin(t), 0.3 * sin(2 * q[0] + 3 * t)]))


def test_joints_that_depend_on_time_and_every_way_to_name_a_frame():
    scene = rm.Scene()
    a = scene.add_body(BAR, joint=rm.Free(), com=(0.2, 0, 0), name="a", joint_name="root")
    b = scene.add_body(BAR, parent=a, joint=rm.joint(moving, 2), at=(0.4, 0, 0), com=(0.2, 0.1, 0), name="b")
    c = scene.add_body(BAR, parent=b, joint=rm.Universal(), at=random_pose(1), body=random_pose(2), name="c")
    tool = scene.add_frame("tool", c, random_pose(3))
    grip = scene.add_frame("grip", "c", random_pose(4), relative_to="joint")
    d, (q, qdot, qddot) = rm.Dynamics(scene), np.random.default_rng(0).normal(size=(3, 10)) * 0.6
    for of in (tool, grip.name, b.joint_frame, c.point(0.1, 0.2, 0.3)):
        check_differences(d, of, q, qdot, qddot, 0.7)
    for kind in KINDS:
        both = np.array([q, 2 * q]), np.array([qdot, -qdot])
        own = [np.concatenate(x, axis=1) for x in zip(*(d.jacobian(*both, of=x, kind=kind, t=0.7) for x in "abc"), strict=True)]
        sparse = [x.toarray() for x in d.jacobian(q, qdot, True, 0.7, kind=kind)]
        for one, of_all, some in zip(own, d.jacobian(*both, t=0.7, kind=kind), sparse, strict=True):
            assert agree(of_all, one, 1e-11, floor=1.0), kind
            assert agree(some, of_all[0], 1e-14, floor=1.0), kind
    same = {
        "c": (c, c.point(0, 0, 0), c.frame()),
        "tool": (tool, c.frame(tool.matrix)),
        "grip": (grip, c.frame(grip.pose, relative_to="joint")),
        "c.joint": (c.joint_frame, c.frame(np.linalg.inv(random_pose(2)))),
        "root": ("a", a),
        "root.joint": (a.joint_frame, "a.joint"),
    }
    for name, others in same.items():
        for other in others:
            assert np.allclose(d.pose(q, name, 0.7), d.pose(q, other, 0.7), rtol=0, atol=1e-14), name
    assert np.allclose(d.pose(q, "a.joint"), scene.links[0].joint.at("transform", q[:6], 0.0).astype(float), rtol=0, atol=1e-14)


@pytest.mark.parametrize("made", [(chain, 2, ("SplineCurve", "Elliptic", "torus")), pytest.param((every_kind, 1), marks=pytest.mark.long)])
def test_bodies_on_all_kinds_of_joints(made):
    """Their own frames: the same as by the functions of all bodies, which carry everything in joint frames."""
    m = made[0](*made[1:])
    d, s = rm.Dynamics(m.scene()), m.state(3)
    seen, (J, Jdot) = d.observe(s.q, s.qdot), d.jacobian(s.q, s.qdot)
    rates = (J @ s.qddot + Jdot @ s.qdot).reshape(-1, 6)
    for i in range(len(m.links)):
        name, rows = f"link{i}", slice(6 * i, 6 * i + 6)
        assert agree(d.pose(s.q, name), seen.pose[i], 1e-13)
        assert agree(d.twist(s.q, s.qdot, name), seen.twist[i], 1e-11, floor=1.0)
        assert agree(d.acceleration(s.q, s.qdot, s.qddot, name), rates[i], 1e-11, floor=1.0)
        for kind in KINDS:
            for own, of_all in zip(d.jacobian(s.q, s.qdot, of=name, kind=kind), d.jacobian(s.q, s.qdot, kind=kind), strict=True):
                assert agree(own, of_all[rows], 1e-11, floor=1.0), kind


def arm(**options) -> rm.Scene:
    scene = rm.Scene(**options)
    upper = scene.add_body(BAR, joint=rm.Revolute("y"), com=(0.2, 0, 0), name="upper")
    lower = scene.add_body(
        BAR, parent=upper, joint=rm.SphericalEuler("zyx"), at=(0.4, 0, 0), com=(0.2, 0, 0), name="lower", q=(0.2, 0.9, 0.3), qdot=(1, 4, 2)
    )
    scene.add_frame("tool", lower, random_pose(5))
    return scene


def check_run(run: rm.Trajectory, name: str, controlled: bool = False) -> None:
    """What a run says against differences of its samples, where its charts change too."""
    E, inside = run.pose(name), slice(3, -3)
    by_samples = differentiated(run.t, E)
    for kind in KINDS:
        twist = run.twist(name, kind)
        lead = twist.shape[:-1]
        expected = np.array([expected_twist(kind, E[i], by_samples[i]) for i in np.ndindex(*lead)]).reshape(*lead, 6)
        assert agree(twist[inside], expected[inside], 1e-5), kind
        assert agree(run.acceleration(name, kind)[inside], differentiated(run.t, twist)[inside], 1e-4), kind
        J, Jdot = run.jacobian(name, kind)
        assert agree((J @ run.qdot[..., None])[..., 0], twist, 1e-11), kind
        assert agree((J @ run.qddot[..., None] + Jdot @ run.qdot[..., None])[..., 0], run.acceleration(name, kind), 1e-10), kind


def differentiated(t: np.ndarray, x: np.ndarray) -> np.ndarray:
    """By central differences of sixth order; the first and last three are not meant."""
    return sum(w * (np.roll(x, -k, axis=0) - np.roll(x, k, axis=0)) for k, w in {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}.items()) / (t[1] - t[0])


def test_runs_whose_charts_change_and_what_is_kept_of_them(tmp_path):
    run = rm.simulate(arm(), 0.6, 0.002)
    assert len(set(run.chart("lower"))) > 1
    check_run(run, "tool")
    run.save(tmp_path / "run.h5")
    for again in (rm.load(tmp_path / "run.h5"), run[:]):
        for f in ("pose", "twist", "acceleration", "jacobian"):
            for a, b in zip(getattr(again, f)("tool"), getattr(run, f)("tool"), strict=True):
                assert np.array_equal(a, b), f
    assert np.array_equal(rm.load(tmp_path / "run.h5").twist("lower", "mixed")[:, 3:], run.twist("lower", "hybrid")[:, 3:])


def test_prescribed_joints_and_maps():
    scene = rm.Scene()
    a = scene.add_body(BAR, joint=rm.Revolute("y"), com=(0.2, 0, 0), motion=lambda t: sin(3 * t))
    b = scene.add_body(BAR, parent=a, joint=rm.Revolute("z"), at=(0.4, 0, 0), com=(0.2, 0, 0), qdot=2)
    scene.add_frame("tip", b, (0.2, 0.1, 0))
    check_run(rm.simulate(scene, 0.2, 0.002), "tip")
    mapped = rm.Scene()
    a = mapped.add_body(BAR, joint=rm.Revolute("y"), com=(0.2, 0, 0))
    b = mapped.add_body(BAR, parent=a, joint=rm.Revolute("z"), at=(0.4, 0, 0), com=(0.2, 0, 0))
    mapped.add_frame("tip", b, (0.2, 0.1, 0))
    mapped.set_map(lambda q: [q[0], 2 * q[0]], coordinates=1, qdot=[3.0])
    check_run(rm.simulate(mapped, 0.1, 0.002, dynamics="redmax", integrator="rk4"), "tip")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_batches_are_their_worlds_one_by_one(dtype, monkeypatch):
    """With lengths that differ, states in portions, and in single precision."""
    monkeypatch.setattr("redmax.dynamics.frames.PORTION", 200)
    com = np.array([[0.2, 0, 0], [0.1, 0.05, 0.3]])
    scene = arm()
    scene.add_frame("grip", "lower", random_pose(6), relative_to="joint")
    d = rm.Dynamics(scene, dtype=dtype, parameters={"lower.com": com})
    q, qdot, qddot = np.random.default_rng(2).normal(size=(3, 5, 2, 4)).astype(dtype)
    close = 1e-12 if dtype == "float64" else 1e-4
    for name in ("tool", "grip", "lower", "lower.joint"):
        found = (d.pose(q, name), d.twist(q, qdot, name), d.acceleration(q, qdot, qddot, name, "spatial"), *d.jacobian(q, qdot, of=name))
        assert [x.shape for x in found] == [(5, 2, 4, 4), (5, 2, 6), (5, 2, 6), (5, 2, 6, 4), (5, 2, 6, 4)]
        assert {x.dtype.name for x in found} == {dtype}
        for w in range(2):
            one = rm.Dynamics(scene, parameters={"lower.com": com[w]})
            x, v, a = q[3, w].astype(float), qdot[3, w].astype(float), qddot[3, w].astype(float)
            each = (one.pose(x, name), one.twist(x, v, name), one.acceleration(x, v, a, name, "spatial"), *one.jacobian(x, v, of=name))
            for many, alone in zip(found, each, strict=True):
                assert agree(many[3, w], alone, close)


def test_a_batch_in_which_a_world_breaks_off_has_its_frames():
    scene = rm.Scene(gravity=(0, 0, 0))
    body = scene.add_body(rm.Sphere(0.1, mass=1), joint=rm.Prismatic("x"), torque=lambda t, q, qdot: q**3)
    scene.add_frame("front", body, (0.1, 0, 0))
    with pytest.warns(rm.RedmaxWarning):
        run = rm.simulate(scene, 6.0, 0.05, integrator="rk4", initial=rm.State(0.0, np.array([[0.1], [40.0]]), np.zeros((2, 1))))
    for found in (run.pose("front"), run.twist("front"), run.acceleration("front"), *run.jacobian("front")):
        assert np.isfinite(found[:, 0]).all()
        assert np.isnan(found[-1, 1]).all()
