"""Joints on groups move as those in exponential coordinates do: accelerations on random trees, motions by every integrator, energy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.test_systems_agree import check
from joints.group_forms import FREES, bare, changes, element_of, written_anew
from mechanisms import Mechanism, every_kind, mechanisms
from random_examples import examples
from redmax.lie import so3

KINDS = ("Spherical", "SphericalEuler", "Free", "Free3D", "Revolute", "Prismatic", "Universal")
DYNAMICS = ("recursive", "redmax", "maximal")


def chain(ball: str, free: str = "", links: int = 2, **options: Any) -> rm.Scene:
    """A body that flies, if `free` says how it is written, and links on ball joints; always at the same place, with the same twists."""
    scene, parent = rm.Scene(), None
    if free:
        joint: rm.Joint = rm.Free(free)  # type: ignore[arg-type]
        q = joint.coordinates((0.9, 0.1, -0.2, 0.3), (0.1, 0.2, 0.3))
        velocity = joint.rates(q, (0.5, 1.0, -0.7, 0.3, 0.2, -0.4))
        parent = scene.add_body(rm.Cuboid((0.3, 0.2, 0.5), density=500), joint=joint, q=q, qdot=velocity, name="base")
    for i in range(links):
        joint = rm.Spherical(ball)  # type: ignore[arg-type]
        q = joint.coordinates((1, 0.2 * i, -0.3, 0.1))
        at = (0, 0, -0.4) if parent else None
        spin = joint.rates(q, (1.0, -2.0, 1.5 + i))
        shape = rm.Cuboid((0.1, 0.2, 0.4), density=1000)
        parent = scene.add_body(shape, joint=joint, parent=parent, at=at, com=(0, 0, -0.2), q=q, qdot=spin, name=f"link{i}", **options)
    return scene


def poses(run: rm.Trajectory) -> np.ndarray:
    return np.array([run.pose(link.name)[-1] for link in run.model.bodies])


def same_accelerations(m: Mechanism, seed: int, backend: str) -> None:
    """And the same by all dynamics."""
    scene = bare(m.scene())
    s = m.state(seed)
    for i, link in enumerate(scene.links):
        object.__setattr__(link, "q", s.q[m.of(i)])
        object.__setattr__(link, "qdot", s.qdot[m.of(i)])
    anew = written_anew(scene, seed)
    one, two = (rm.Dynamics(x, backend) for x in (scene, anew))
    expected = twist_rates(scene, s, one.forward(s.q, s.qdot, t=s.t))
    found = one_by_one(anew, two.forward(two.model.q0, two.model.qdot0, t=s.t))
    for a, b, link in zip(expected, found, anew.links, strict=True):
        assert np.allclose(a[: len(b)] if changes(link.joint) else a, b, rtol=1e-8, atol=1e-8 * (1 + np.abs(a).max(initial=0.0)))
    check(two.model, two.model.q0, two.model.qdot0, np.zeros(m.nv), s.t, backend, tolerance=1e-8)
    seen, other = one.observe(s.q, s.qdot, s.t), two.observe(two.model.q0, two.model.qdot0, s.t)
    assert np.allclose(seen.pose, other.pose, atol=1e-12)
    assert np.allclose(seen.total, other.total, rtol=1e-10, atol=1e-10)


def one_by_one(scene: rm.Scene, values: np.ndarray) -> list[np.ndarray]:
    return np.split(values, np.cumsum([link.joint.dof for link in scene.links])[:-1])


def twist_rates(scene: rm.Scene, s: Any, qddot: np.ndarray) -> list[np.ndarray]:
    """The rate of the joint's twist of ball joints and free ones, qddot of all others."""
    return [
        link.joint.twist_rate(link.q, link.qdot, a) if changes(link.joint) else a
        for link, a in zip(scene.links, one_by_one(scene, qddot), strict=True)
    ]


@pytest.mark.parametrize("style", ["general", "quarter"])
def test_accelerations_are_those_of_exponential_coordinates(style: str) -> None:
    same_accelerations(every_kind(3, style, KINDS), 1, "llvm")


@examples(5, 60)
@given(m=mechanisms(kinds=KINDS, largest=4).filter(lambda m: m.nv > 0), seed=st.integers(0, 2**16))
def test_accelerations_on_random_trees(m: Mechanism, seed: int) -> None:
    same_accelerations(m, seed, "interpret")


@pytest.mark.parametrize("free", FREES)
def test_motions_are_those_of_exponential_coordinates(free: str) -> None:
    """To what adaptive steps are asked for; by every dynamics."""
    ball = "quaternion" if "quaternion" in free else "matrix"
    expected = rm.simulate(chain("exp", "exp"), 0.5, rtol=1e-12, progress=False)
    for dynamics in DYNAMICS if free == "quaternion" else DYNAMICS[:1]:
        run = rm.simulate(chain(ball, free), 0.5, rtol=1e-12, dynamics=dynamics, progress=False)
        assert np.abs(poses(run) - poses(expected)).max() < 1e-10
        middle = len(run.t) // 2  # between steps
        assert np.abs(run.pose("link1")[middle] - expected.pose("link1")[middle]).max() < 1e-10
        assert np.abs(run.twist("link1") - expected.twist("link1")).max() < 1e-9


ORDERS = [("forward-euler", 1, 2e-3), ("euler", 1, 2e-3), ("implicit", 1, 2e-3), ("bdf1", 1, 2e-3), ("bdf2", 2, 4e-3), ("rk4", 4, 1e-2)]


@pytest.mark.parametrize(("integrator", "order", "dt"), ORDERS)
def test_every_integrator_keeps_its_order(integrator: str, order: int, dt: float) -> None:
    scene = chain("quaternion", "dual-quaternion" if integrator == "bdf2" else "quaternion")
    exact = poses(rm.simulate(chain("exp", "exp"), 0.24, rtol=1e-12, progress=False))
    errors = [np.abs(poses(rm.simulate(scene, 0.24, h, integrator=integrator, progress=False)) - exact).max() for h in (dt, dt / 2)]
    assert abs(np.log2(errors[0] / errors[1]) - order) < 0.15
    along, by_matrix = (rm.simulate(scene, 0.24, dt, integrator=integrator, dynamics=d, progress=False) for d in DYNAMICS[:2])
    assert np.abs(poses(by_matrix) - poses(along)).max() < 1e-9
    twin = along if integrator.startswith("bdf") else rm.simulate(
        chain("exp", "exp"), 0.24, dt, integrator=integrator, dynamics="maximal", progress=False
    )  # bodies move by themselves, whatever the coordinates of their joints
    bodies = rm.simulate(scene, 0.24, dt, integrator=integrator, dynamics="maximal", progress=False)
    assert np.abs(poses(bodies) - poses(twin)).max() < 1e-9


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_newtons_method_is_exact_on_the_group(integrator: str) -> None:
    """With springs, dampers and a rotor, large steps and turns take few iterations."""
    scene = chain("quaternion", "pose", links=3, stiffness=30.0, damping=0.2, armature=0.01)
    sim = rm.Simulation(scene, dt=0.02, integrator=integrator)
    sim.step(25)
    assert sim.runner.iterations <= 25 * 6  # type: ignore[attr-defined]


def test_energy_is_kept() -> None:
    run = rm.simulate(chain("quaternion", "quaternion", stiffness=20.0), 1.0, rtol=1e-11, progress=False)
    assert np.ptp(run.energy.total) < 1e-8 * np.ptp(run.energy.kinetic)


def test_a_spring_about_one_axis_is_that_of_a_hinge() -> None:
    shape = rm.Cuboid((0.1, 0.2, 0.3), mass=2.0)
    for kind in ("own", "force"):
        runs = []
        joints = rm.Revolute("y"), rm.Spherical("quaternion"), rm.Free("pose")
        for joint, spin in zip(joints, (1.0, (0.0, 1.0, 0.0), (0, 1.0, 0, 0, 0, 0)), strict=True):
            scene = rm.Scene(gravity=(0, 0, 0))
            scene.add_body(shape, joint=joint, qdot=spin, name="a", stiffness=3.0 if kind == "own" else 0.0)
            if kind == "force":
                scene.add_force(rm.JointSpring("a", 3.0))
            runs.append(rm.simulate(scene, 1.0, rtol=1e-11, progress=False))
        hinge = runs[0]
        for run in runs[1:]:
            assert np.abs(run.pose("a") - hinge.pose("a")).max() < 1e-10
            assert np.abs(run.energy.potential - hinge.energy.potential).max() < 1e-10


def test_implicit_steps_stay_stable_with_stiff_springs() -> None:
    for dynamics in DYNAMICS:
        scene = chain("quaternion", stiffness=1e6, damping=1.0)
        run = rm.simulate(scene, 0.5, 1e-2, integrator="implicit", dynamics=dynamics, progress=False)
        assert np.abs(run.qdot[-1]).max() < 0.1
        assert np.abs(run.q - run.q[0]).max() < 2e-3


def test_through_every_singularity_of_euler_angles() -> None:
    """A chain that turns over and over: second angles of every order pass a quarter turn, and rotation vectors half a turn."""

    def swung(joint: rm.Joint) -> rm.Trajectory:
        scene = rm.Scene(gravity=(0, 0, 0))
        at: Any = None
        parent: Any = None
        for spin in ((3.0, 1.0, 0.0), (-3.0, 4.0, -2.0), (-4.0, 7.0, -5.0), (-5.0, 3.0, 2.0)):
            parent = scene.add_body(rm.Cuboid((0.1, 0.2, 0.4), mass=1.0), joint=joint, parent=parent, at=at, com=(0, 0, -0.2),
                                    qdot=joint.rates(joint.home, spin))  # fmt: skip
            at = (0, 0, -0.4)
        return rm.simulate(scene, 2.0, rtol=1e-11, progress=False)

    run, euler = swung(rm.Spherical("quaternion")), swung(rm.SphericalEuler())
    R = rm.Spherical("quaternion").pose(run.q.reshape(-1, 4, 4))[..., :3, :3]
    assert (np.abs(R).max(axis=(0, 1)) > 0.9).all()  # each entry is the sine of some second angle
    assert np.ptp(np.asarray(euler.charts)) > 0  # which had to change its angles
    assert np.abs(poses(run) - poses(euler)).max() < 1e-8


def test_prescribed_motions() -> None:
    """Of places, velocities and accelerations, by every integrator; torques are those of exponential coordinates."""
    w = np.array([0.4, -0.3, 1.1])

    def at(t: Any) -> Any:
        return [rm.math.cos(0.5 * a * t), *(rm.math.sin(0.5 * a * t) * w / a)]

    a = float(np.linalg.norm(w))
    end = rm.Spherical("quaternion").pose(np.array(at(0.2), float))[:3, :3]
    for level, motion in (("position", at), ("velocity", lambda t: w), ("acceleration", lambda t: 0 * w)):
        for integrator in ("rk4", "implicit", "bdf1", "bdf2", "adaptive"):
            scene = chain("quaternion")
            link = scene.links[0]
            object.__setattr__(link, "motion", motion)
            object.__setattr__(link, "motion_level", level)
            object.__setattr__(link, "q", np.array([1.0, 0, 0, 0]))
            object.__setattr__(link, "qdot", w)
            run = rm.simulate(scene, 0.2, 1e-2, integrator=integrator, progress=False)
            assert np.abs(rm.Spherical("quaternion").pose(run.q[-1, :4])[:3, :3] - end).max() < 1e-9
            assert np.allclose(so3.exp(0.2 * w), end, atol=1e-14)


def test_elements_beside_random_states_of_a_batch() -> None:
    scene = chain("quaternion", "quaternion")
    engine, rng = rm.Dynamics(scene), np.random.default_rng(0)
    steps, qdot = rng.normal(size=(2, 5, engine.model.nv))
    places = [zip([link.joint for link in scene.links], one_by_one(scene, s), strict=True) for s in steps]
    q = np.array([np.concatenate([np.asarray(j.retract(j.home, x)) for j, x in place]) for place in places])
    together = engine.forward(q, qdot)
    assert np.allclose(together, [engine.forward(a, b) for a, b in zip(q, qdot, strict=True)], rtol=1e-12, atol=1e-12)
    assert element_of(rm.Spherical("quaternion"), rm.Spherical("matrix"), np.eye(3).ravel()).tolist() == [1, 0, 0, 0]
