"""Rotors of joints: Pinocchio's armature on random trees, one motion by all dynamics, and energy that stays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree
from dynamics.pinocchio_twin import KINDS, TWISTS, Twin
from mechanisms import mechanisms
from random_examples import examples

FOLLOWING = [k for k in KINDS if k == "Spherical" or k not in TWISTS]  # where the rotors of both engines turn alike


def with_rotors(m, rng):
    """The model of a mechanism with a rotor at each joint, and its twin."""
    twin, links = Twin(m), list(m.model.bodies)
    armature = np.zeros(twin.model.nv)
    for i, (spec, link) in enumerate(zip(m.links, links, strict=True)):
        if spec.sample.kind == "Fixed":
            continue
        n, at = link.joint.dof, twin.model.joints[twin.joint[i]].idx_v
        rotors = 1 if spec.sample.kind == "Spherical" else n
        a, gear = rng.uniform(0.1, 2.0, rotors), rng.uniform(-3.0, 3.0, rotors)
        links[i] = replace(link, armature=a, gear=gear)
        armature[at : at + n] = a * gear**2
    twin.model.armature = armature
    twin.data = twin.model.createData()
    return m.model.with_links(links), twin


@examples(4, 40)
@given(m=mechanisms(kinds=FOLLOWING, largest=6, forces=False).filter(lambda m: m.nv > 0), seed=st.integers(0, 2**16))
def test_inertia_and_accelerations_equal_pinocchio(m, seed):
    model, twin = with_rotors(m, np.random.default_rng(seed))
    d, s = rm.Dynamics(model, backend="interpret"), m.state(seed)
    assert agree(d.forward(s.q, s.qdot, s.tau, s.wrench), twin.forward(s.q, s.qdot, s.tau, s.wrench), 1e-10)
    assert agree(d.inertia(s.q), twin.inertia(s.q), 1e-11)
    assert agree(d.inverse_inertia(s.q) @ d.inertia(s.q), np.eye(m.nv), 1e-8)
    assert np.isclose(d.observe(s.q, s.qdot).kinetic, 0.5 * s.qdot @ twin.inertia(s.q) @ s.qdot, rtol=1e-11)
    balance = d.inertia(s.q) @ d.forward(s.q, s.qdot) - d.gravity_forces(s.q) - d.coriolis_forces(s.q, s.qdot)
    assert np.abs(balance).max() < 1e-8 * max(1.0, np.abs(d.gravity_forces(s.q)).max())
    assert agree(d.inverse(s.q, s.qdot, d.forward(s.q, s.qdot, s.tau)), s.tau, 1e-8)


def arm(motion=None) -> rm.Scene:
    scene = rm.Scene()
    bar = rm.Cuboid((0.3, 0.05, 0.04), density=1000)
    base = scene.add_body(bar, joint=rm.Revolute("y"), com=(0.15, 0, 0), name="base", q=0.3, armature=2e-3, gear=8.0)
    wrist = scene.add_body(
        bar, joint=rm.Universal(), parent=base, at=(0.3, 0, 0), com=(0.15, 0, 0), name="wrist", qdot=(1, -0.5), armature=(0.02, 0.05)
    )
    scene.add_body(bar, joint=rm.Spherical(), parent=wrist, at=(0.3, 0, 0), com=(0.15, 0, 0.02), name="ball", qdot=(2, 5, 3), armature=0.02)
    scene.add_body(rm.Sphere(0.05, mass=0.1), joint=rm.Prismatic("z"), parent=base, name="slide", motion=motion, armature=0.3)
    return scene


@pytest.mark.parametrize("name", ["recursive", *[pytest.param(name, marks=pytest.mark.long) for name in ("redmax", "maximal")]])
def test_energy_stays_in_one_motion_of_all_dynamics(name):
    run, other = (rm.simulate(arm(), 0.4, rtol=1e-10, dynamics=which, progress=False) for which in (name, "recursive"))
    assert run.energy.drift.max() < 1e-9
    assert np.allclose(run.q[-1], other.q[-1], atol=1e-6)


@pytest.mark.parametrize("integrator", ["bdf1", pytest.param("implicit", marks=pytest.mark.long)])
def test_implicit_steps_converge_to_the_same_motion(integrator):
    exact = rm.simulate(arm(), 0.1, rtol=1e-10, progress=False).q[-1]
    for name in ("recursive", "redmax", "maximal") if integrator == "implicit" else ("recursive",):
        runs = [rm.simulate(arm(), 0.1, dt=dt, integrator=integrator, dynamics=name, progress=False) for dt in (4e-3, 2e-3)]
        coarse, fine = (np.abs(run.q[-1] - exact).max() for run in runs)
        assert fine < 0.6 * coarse < 0.02


@pytest.mark.parametrize("name", ["redmax", pytest.param("recursive", marks=pytest.mark.long)])
def test_what_drives_a_prescribed_joint_turns_its_rotor_too(name):
    """The torque found is what inverse dynamics asks for, by every way to it."""

    def move(t):
        return 0.2 * np.sin(5.0 * t)

    run = rm.simulate(arm(lambda t: [0.2 * rm.math.sin(5.0 * t)]), 0.02, dt=2e-3, integrator="euler", dynamics=name, progress=False)
    bare = [link if link.name != "slide" else replace(link, armature=None) for link in run.model.bodies]
    without = rm.Dynamics(run.model.with_links(bare), "interpret").hybrid(run.q, run.qdot, t=run.t)[1]
    assert np.allclose((run.torque - without)[:, run.model.v_slice("slide")], -0.3 * 25 * move(run.t)[:, None], atol=1e-9)


def test_a_massless_body_may_turn_with_a_rotor_alone():
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.MassProperties(0.0, np.zeros((3, 3))), joint=rm.Revolute("z"), armature=0.5, torque=2.0, name="flywheel")
    assert np.allclose(rm.simulate(scene, 1.0, progress=False).qdot[-1], 4.0)


def test_a_map_of_coordinates_feels_its_rotors():
    """Two joints that one coordinate moves: the inertia is J' M J, with the rotors in M; energy stays."""

    def scene(a):
        s = rm.Scene()
        first = s.add_body(rm.Cuboid((0.3, 0.05, 0.04), density=1000), joint=rm.Revolute("y"), com=(0.15, 0, 0), armature=a)
        s.add_body(
            rm.Cuboid((0.3, 0.05, 0.04), density=1000), joint=rm.Revolute("y"), parent=first, at=(0.3, 0, 0), com=(0.15, 0, 0), armature=a
        )
        s.set_map(lambda q: [q[0], q[0] + 0.3 * q[0] * q[0]], coordinates=1, qdot=[2.0])
        return s

    run = rm.simulate(scene(0.2), 0.2, dt=2e-3, integrator="rk4", progress=False)
    assert run.energy.drift.max() < 1e-8
    assert np.abs(rm.simulate(scene(0.2), 0.2, dt=2e-3, integrator="bdf2", progress=False).q[-1] - run.q[-1]).max() < 1e-3
    d = [rm.Dynamics(scene(a).model()).forward_R([0.1], [1.5]) for a in (0.2, None)]
    assert not np.allclose(*d)


def test_rotors_are_parameters():
    worlds = {"base.armature": [2e-3, 0.0, 0.1], "base.gear": [8.0, 1.0, 2.0], "ball.armature": [0.02, 0.0, 0.1]}
    q, x = arm().model().q0, np.arange(1.0, 8.0)
    given, none = (rm.Dynamics(arm().model(), "interpret", parameters=p) for p in (worlds, dict.fromkeys(worlds, 0.0)))
    added = given.inertia_product(q, x) - none.inertia_product(q, x)
    assert np.allclose(added[:, 0], [0.128, 0.0, 0.4])
    assert np.allclose(added[:, 3:6], np.multiply.outer([0.02, 0.0, 0.1], x[3:6]))


@pytest.mark.parametrize(
    ("joint", "given", "said"),
    [
        (rm.Revolute("y"), {"armature": -1.0}, "armature of body 'body1' must not be negative"),
        (rm.Free(), {"armature": 1.0}, "Free has no axis for it"),
        (rm.Fixed(), {"armature": 1.0}, "Fixed has no degree of freedom"),
        (rm.Spherical(), {"armature": (1.0, 2.0, 3.0)}, "armature of body 'body1' must be one number"),
        (rm.Universal(), {"armature": 1.0, "gear": (1.0, 2.0, 3.0)}, "gear of body 'body1' must be 2 numbers"),
        (rm.Revolute("y"), {"gear": 2.0}, "there is no rotor that it turns"),
    ],
)
def test_rotors_that_make_no_sense_get_a_sentence(joint, given, said):
    with pytest.raises(rm.SceneError, match=said):
        rm.Scene().add_body(rm.Sphere(0.1, mass=1.0), joint=joint, **given)
