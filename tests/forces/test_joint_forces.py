"""Forces within joints: their laws, in all dynamics, explicit and implicit; their energy; their kernels."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import agree
from forces.differences import derivative
from forces.scenes import mechanism, redmax_accelerations
from redmax.math import sin

MEMBERS: dict[str, Any] = {
    "spring": lambda b: rm.JointSpring(b, (3.0, 4.0), 0.2),
    "damper": lambda b: rm.JointDamper(b, (0.3, 0.4)),
    "limit": lambda b: rm.JointLimit(b, (-0.2, None), (0.1, -0.3), stiffness=(50, 60), damping=0.7),
    "actuator": lambda b: rm.Actuator(b, lambda t, q, qdot, k: [k * sin(t) - q[1] * qdot[0], q[0] ** 2], k=2.0),
    "servo": lambda b: rm.Servo(b, lambda t: [sin(t), 0.3 * t], kp=(5, 6), kd=0.5),
    "cut servo": lambda b: rm.Servo(b, 3.0, kp=(5, 6), kd=0.5, limit=(0.2, 100)),
    "own": lambda b: rm.force(torque=lambda t, q, qdot, a: a * q[::-1], potential=lambda q, a: -a[0] * q[0] * q[1], joint=b, a=[1.0, 1.0]),
}
CONSERVATIVE = ("spring", "own")


def law(name: str, t: float, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
    """The same again, in plain numbers."""
    if name == "spring":
        return -np.array([3.0, 4.0]) * (q - 0.2)
    if name == "damper":
        return -np.array([0.3, 0.4]) * qdot
    if name == "limit":
        tau = np.zeros(2)
        for i, (lower, upper, k) in enumerate(((-0.2, 0.1, 50), (-np.inf, -0.3, 60))):
            if not lower <= q[i] <= upper:
                tau[i] = k * ((lower if q[i] < lower else upper) - q[i]) - 0.7 * qdot[i]
        return tau
    if name == "actuator":
        return np.array([2 * np.sin(t) - q[1] * qdot[0], q[0] ** 2])
    if name == "servo":
        return np.array([5, 6]) * ([np.sin(t), 0.3 * t] - q) + 0.5 * ([np.cos(t), 0.3] - qdot)
    if name == "cut servo":
        return np.clip(np.array([5, 6]) * (3.0 - q) - 0.5 * qdot, [-0.2, -100], [0.2, 100])
    return q[::-1]


def scenes(name: str) -> tuple[rm.Scene, list[rm.BodyHandle]]:
    scene, handles = mechanism()
    scene.add_force(MEMBERS[name](handles[1]))
    return scene, handles


@cache
def grove(forces: bool = True) -> rm.Model:
    """For each force two bodies of its own, which bear the name of the force and `its tip`: one model to compile, none disturbs another."""
    scene, rng = rm.Scene(gravity=(0.3, -0.5, -2.0)), np.random.default_rng(29)
    for name, make in MEMBERS.items():
        parent = None
        for joint, called in ((rm.Universal(), name), (rm.Helical("y", pitch=0.1), f"{name} tip")):
            at = rm.pose(rm.rotation_about(rng.normal(size=3), rng.uniform(-2, 2)), rng.uniform(0.2, 0.6, 3))
            q, qdot = 0.4 * rng.normal(size=joint.dof), 0.6 * rng.normal(size=joint.dof)
            shape = rm.Cuboid(rng.uniform(0.2, 0.5, 3), mass=float(rng.uniform(0.5, 2.0)))
            offset = rng.uniform(-0.3, 0.3, 3)
            body = scene.add_body(shape, joint=joint, parent=parent, at=at, com=offset, q=q, qdot=qdot, name=called)
            if forces and parent is None:
                scene.add_force(make(body))
            parent = body
    return scene.model()


def tree(name: str) -> slice:
    """The coordinates of both bodies of a force."""
    return slice(grove().v_slice(name).start, grove().v_slice(f"{name} tip").stop)


def test_the_same_as_its_law_given_as_a_torque():
    """Explicit dynamics, recursive and redmax, compiled and not, against torques computed by hand."""
    model, rng = grove(), np.random.default_rng(5)
    for _ in range(4):
        q, qdot, t = 0.5 * rng.normal(size=model.nq), rng.normal(size=model.nv), float(rng.uniform(0.2, 2))
        tau = np.zeros(model.nv)
        for name in MEMBERS:
            part = model.v_slice(name)
            tau[part] = law(name, t, q[part], qdot[part])
        expected = rm.Dynamics(grove(False), "interpret").forward(q, qdot, tau, t=t)
        for backend in ("interpret", "llvm"):
            recursive, redmax = rm.Dynamics(model, backend).forward(q, qdot, t=t), redmax_accelerations(model, q, qdot, t, backend)
            for name in MEMBERS:
                assert agree(recursive[tree(name)], expected[tree(name)], 1e-10), (name, backend)
                assert agree(redmax[tree(name)], expected[tree(name)], 1e-10), (name, backend)


def impedance(name: str, t: float, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The symmetric parts of K and D of the plain law."""
    K = np.array([derivative(lambda e, axis=axis: law(name, t, q + e * axis, qdot), 1e-3) for axis in np.eye(2)]).T
    D = -np.array([derivative(lambda e, axis=axis: law(name, t, q, qdot + e * axis), 1e-3) for axis in np.eye(2)]).T
    return 0.5 * (K + K.T), 0.5 * (D + D.T)


@pytest.mark.parametrize("integrator", ["implicit", "bdf1", "rk4"])
def test_one_step_is_that_of_the_same_torque_function(integrator):
    """Implicit steps take K and D of a force as they take those of a torque function; K and D of the plain law, by differences."""
    h = 0.01
    run = rm.simulate(grove(), h, h, integrator=integrator, progress=False)
    found = rm.simulate(grove(), h, h, integrator=integrator, dynamics="redmax" if integrator != "bdf1" else None, progress=False)
    for name in MEMBERS:
        assert agree(found.q[-1, tree(name)], run.q[-1, tree(name)], 1e-10), name
    if integrator != "implicit":
        return
    bare = grove(False)
    q0, v0, engine = bare.q0, bare.qdot0, rm.Dynamics(bare)
    M, right = engine.inertia(q0), -engine.inverse(q0, v0, np.zeros(bare.nv))
    for name in MEMBERS:
        part = bare.v_slice(name)
        q, v = q0[part], v0[part]
        K, D = impedance(name, h, q, v)
        right[part] += law(name, h, q, v) + h * K @ v
        M[part, part] += h * D - h * h * K
    expected = v0 + h * np.linalg.solve(M, right)
    for name in MEMBERS:
        assert agree(run.qdot[-1, tree(name)], expected[tree(name)], 1e-8), name


@pytest.mark.parametrize("integrator", ["rk4", "implicit"])
def test_maximal_coordinates_move_alike(integrator):
    """Implicit steps of first order differ by as much as their errors, which halve with the step."""
    ends = []
    for dt in (0.008, 0.004):
        runs = [rm.simulate(grove(), 0.04, dt, integrator=integrator, dynamics=d, progress=False) for d in ("recursive", "maximal")]
        ends.append([np.abs(runs[0].pose(f"{name} tip")[-1] - runs[1].pose(f"{name} tip")[-1]).max() for name in MEMBERS])
    for name, first, second in zip(MEMBERS, *ends, strict=True):
        assert second < (2e-2 if integrator == "implicit" else 1e-6), name
        assert second < 0.75 * first or second < 1e-9, name


@pytest.mark.parametrize("name", CONSERVATIVE)
def test_energy_is_kept(name):
    run = rm.simulate(scenes(name)[0], 1.0, 0.1, rtol=1e-11, progress=False)
    assert np.abs(run.energy.total - run.energy.total[0]).max() < 1e-8 * run.energy.kinetic.max()


def test_a_limit_without_damping_keeps_energy():
    """A bob thrown at a stiff limit comes back as fast as it came."""
    scene = rm.Scene(gravity=(0, 0, 0))
    body = scene.add_body(rm.Sphere(0.1, mass=1), joint=rm.Prismatic("x"), qdot=1.0)
    scene.add_force(rm.JointLimit(body, None, 0.5, stiffness=1e4))
    run = rm.simulate(scene, 1.0, 0.01, rtol=1e-11, progress=False)
    inside = 0.5 + np.sqrt(1 / 1e4)
    assert run.q[:, 0].max() <= inside
    assert run.q[:, 0].max() > 0.5
    assert run.qdot[-1, 0] == pytest.approx(-1.0, abs=1e-7)
    assert np.abs(run.energy.total - 0.5).max() < 1e-8
    dwell = np.pi * np.sqrt(1 / 1e4)  # half a period of the spring
    assert run.q[-1, 0] == pytest.approx(0.5 - (1.0 - 0.5 - dwell), abs=1e-7)


def test_dampers_and_limits_take_energy():
    for name in ("damper", "limit"):
        scene, _ = scenes(name)
        run = rm.simulate(scene, 1.0, 0.05, rtol=1e-9, progress=False)
        assert np.diff(run.energy.total).max() < 1e-7 * run.energy.kinetic.max()
        assert run.energy.total[-1] < run.energy.total[0] - 1e-3


def test_a_servo_reaches_its_target():
    """A hinge without gravity: critically damped, q = 1 - (1 + w t) exp(-w t)."""
    scene = rm.Scene(gravity=(0, 0, 0))
    body = scene.add_body(rm.Sphere(0.1, mass=1), joint=rm.Revolute("y"))
    inertia = 0.4 * 0.01
    w = 5.0
    scene.add_force(rm.Servo(body, 1.0, kp=inertia * w * w, kd=2 * inertia * w))
    run = rm.simulate(scene, 1.0, 0.1, rtol=1e-11, progress=False)
    assert np.allclose(run.q[:, 0], 1 - (1 + w * run.t) * np.exp(-w * run.t), atol=1e-9)


def test_a_cut_servo_turns_as_fast_as_its_limit_allows():
    scene = rm.Scene(gravity=(0, 0, 0))
    body = scene.add_body(rm.Sphere(0.1, mass=1), joint=rm.Revolute("y"))
    scene.add_force(rm.Servo(body, 100.0, kp=1e3, kd=1.0, limit=0.004))
    run = rm.simulate(scene, 1.0, 0.1, rtol=1e-11, progress=False)
    assert np.allclose(run.q[:, 0], 0.5 * run.t**2, atol=1e-9)


def test_limits_of_any_size_share_their_kernels():
    scene = rm.Scene()
    parent = None
    for i in range(6):
        parent = scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Revolute("y"), parent=parent, at=(0.3, 0, 0), com=(0.15, 0, 0))
        scene.add_force(rm.JointLimit(parent, -0.5 * i, 1.0 * i, stiffness=10.0**i, damping=float(i)))
    made, _ = scene.model().kernels_of
    assert len({s.text for s in made[1:]}) == 1  # the first is placed in the world's axes


def test_functions_are_told_apart_by_what_they_compute():
    def texts(*laws: Any) -> int:
        scene = rm.Scene()
        for law in laws:
            body = scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Revolute("y"), com=(0.15, 0, 0))
            scene.add_force(rm.Actuator(body, law[0], k=law[1]))
        return len({s.text for s in scene.model().kernels_of[0]})

    assert texts((lambda t, q, qdot, k: k * q, 1.0), (lambda t, q, v, k: k * q, 2.0)) == 1
    assert texts((lambda t, q, qdot, k: k * q, 1.0), (lambda t, q, qdot, k: k * q * q, 1.0)) == 2


def test_named_by_body_or_joint():
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Sphere(0.1, mass=1), joint=rm.Prismatic("x"), name="bob", joint_name="rail")
    for where in ("bob", "rail"):
        scene.add_force(rm.JointSpring(where, 2.0, 1.0))
    assert rm.Dynamics(scene.model()).forward([0.0], [0.0])[0] == pytest.approx(4.0)
    assert [f.name for f in scene.forces] == ["force1", "force2"]


def test_a_spring_rests_where_the_map_of_its_scene_begins():
    scene = rm.Scene(gravity=(0, 0, 0))
    rod = rm.Cuboid((1, 0.1, 0.1), mass=1)
    upper = scene.add_body(rod, joint=rm.Revolute("y"), com=(0.5, 0, 0))
    lower = scene.add_body(rod, joint=rm.Revolute("y"), parent=upper, at=(1, 0, 0), com=(0.5, 0, 0))
    scene.set_map(lambda x: [x[0], 0.5 + x[0]], coordinates=1, q=[0.1])
    scene.add_force(rm.JointSpring(lower, 50.0))
    run = rm.simulate(scene, 0.1, 0.01, progress=False)
    assert np.allclose(run.q, [0.1, 0.6], rtol=0, atol=1e-12)


def test_the_work_between_two_samples():
    scene = rm.Scene()
    ball = scene.add_body(rm.Sphere(0.1, mass=2), joint=rm.Translational(), qdot=(1, 0, 0))
    scene.add_force(rm.PointForce(ball, (3, 0, 0), name="push"))
    run = rm.simulate(scene, 0.1, 0.1, progress=False)
    assert len(run) == 2
    assert np.allclose(run.force("push").work, [0, 3 * run.q[-1, 0]])  # the power is linear in time
