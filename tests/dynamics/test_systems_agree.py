"""recursive == redmax == maximal: the same accelerations, the same torques of prescribed joints, the same motion."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree, disagreement
from dynamics.bodies import Bodies
from dynamics.newton_euler import oracle
from integrators.scenes import CONSERVATIVE, driven
from joints.samples import KINDS
from mechanisms import Mechanism, chain, every_kind, mechanisms
from random_examples import examples
from redmax.backends.base import make_plan, make_runner
from redmax.dynamics.choose import NAMES, system
from redmax.program.program import Program

seeds = st.integers(0, 2**16)


def accelerate(
    name: str, model: rm.Model, q: Any, qdot: Any, tau: Any, t: float, backend: str, h: float = 0.0, implicit: bool = False
) -> list:
    """qddot and tau by the stages of a system, (nv,) each."""
    chosen = system(name, model, backend=backend)
    stages = chosen.implicit if implicit else chosen.accelerations
    program = Program(f"{name} once", stages, chosen.fields(), ("q", "qdot", "tau", "t", "h"), ("qddot", "tau"))
    runner = make_runner(make_plan(model, program, backend), backend, "float64")
    found = [np.empty((1, 1, model.nv)), np.empty((1, 1, model.nv))]
    runner.run([q, qdot, tau, np.full(1, t), np.full(1, h)], found, 1)
    return [a[0, 0] for a in found]


def twist_rates(model: rm.Model, q: Any, qdot: Any, tau: Any, t: float, backend: str, h: float = 0.0) -> np.ndarray:
    """Of bodies that move by themselves, from closed joints, (bodies, 6); with a step h, of an implicit one."""
    bodies = Bodies(model, backend)
    pose, twist = bodies.inward(q, qdot)
    return bodies.accelerate(pose, twist, q, tau, t, h)


def rates_of_twists(model: rm.Model, q: Any, qdot: Any, qddot: Any, backend: str) -> np.ndarray:
    J, Jdot = rm.Dynamics(model, backend).jacobian(q, qdot)
    return J @ qddot + Jdot @ qdot


def moved(m: Mechanism, chosen: list[int], gain: float) -> rm.Model:
    """The same mechanism with some of its joints made to follow a function of time."""
    rng = np.random.default_rng(len(chosen))
    links = list(m.model.links)
    for i in chosen:
        a, b = rng.normal(size=(2, links[i].joint.dof))
        links[i] = replace(links[i], motion=lambda t, a=a, b=b: a * np.sin(2.0 * t) + b * t * t, gain=gain, velocity_gain=gain, torque=None)
    return m.model.with_links(links, prescribed=tuple(link.motion is not None for link in links))


def check(model: rm.Model, q: Any, qdot: Any, tau: Any, t: float, backend: str, tolerance: float = 1e-9) -> np.ndarray:
    """backend: of redmax dynamics; what it is compared with is interpreted."""
    expected, torque = rm.Dynamics(model, "interpret").hybrid(q, qdot, tau, t=t)
    found, found_torque = accelerate("redmax", model, q, qdot, tau, t, backend)
    assert agree(found, expected, tolerance)
    assert np.allclose(found_torque, torque, rtol=0, atol=tolerance * np.abs(np.append(torque, 1.0)).max())
    expected_rates = rates_of_twists(model, q, qdot, expected, "interpret")
    assert disagreement(twist_rates(model, q, qdot, tau, t, "interpret").ravel(), expected_rates) < tolerance
    return expected


@examples(3, 40)
@given(m=mechanisms(largest=8).filter(lambda m: m.nv > 0), seed=seeds)
def test_the_same_accelerations(m, seed):
    """Springs, dampers, torque functions, wrenches in body and in world axes, all joints, the user's too."""
    s = m.state(seed)
    found = check(m.model, s.q, s.qdot, s.tau, s.t, "interpret")
    assert agree(found, oracle(m, s.q, s.qdot).forward(s.tau, None, s.t), 1e-9)


@examples(2, 25)
@given(m=mechanisms(largest=7).filter(lambda m: m.nv > 0), seed=seeds, data=st.data())
def test_the_same_with_joints_that_are_prescribed(m, seed, data):
    chosen = data.draw(st.lists(st.sampled_from([i for i in range(len(m.links)) if m.links[i].sample.joint.dof]), unique=True, min_size=1))
    s = m.state(seed)
    check(moved(m, chosen, data.draw(st.sampled_from([0.0, 3.0]))), s.q, s.qdot, np.zeros(m.nv), s.t, "interpret", 1e-9)


@examples(2, 15)
@given(m=mechanisms(largest=7).filter(lambda m: m.nv > 0), seed=seeds, data=st.data())
def test_redmax_takes_accelerations_with_each_call(m, seed, data):
    names = data.draw(st.lists(st.sampled_from([f"joint{i}" for i in range(len(m.links))]), unique=True))
    model, s = m.model.with_prescribed(names), m.state(seed)
    expected, torque = rm.Dynamics(model, "interpret").hybrid(s.q, s.qdot, s.tau, s.qddot, t=s.t)
    chosen = system("redmax", model, backend="interpret")
    program = Program("redmax hybrid", chosen.accelerations, chosen.fields(), ("q", "qdot", "tau", "qddot", "t"), ("qddot", "tau"))
    found = [np.empty((1, 1, model.nv)) for _ in range(2)]
    runner = make_runner(make_plan(model, program, "interpret"), "interpret", "float64")
    runner.run([s.q, s.qdot, s.tau, s.qddot, np.full(1, s.t)], found, 1)
    assert agree(found[0][0, 0], expected, 1e-9)
    assert np.allclose(found[1][0, 0], torque, rtol=0, atol=1e-9 * np.abs(np.concatenate([[1.0], torque])).max())


def test_compiled_on_every_kind_of_joint():
    m = every_kind(1)
    s = m.state(1)
    check(m.model, s.q, s.qdot, s.tau, s.t, "llvm")
    driven = moved(m, [i for i in range(0, len(m.links), 3) if m.links[i].sample.joint.dof], 2.0)
    check(driven, s.q, s.qdot, np.zeros(m.nv), s.t, "interpret")


ALONE = ["Spherical", "Universal", "Elliptic", "paraboloid", "Free"]  # each kind between others is in the forest above
EVERY = [plan for kind in KINDS if kind != "Fixed" for plan in ([kind], ["Revolute", kind], [kind, "Fixed", "Prismatic"])]


@pytest.mark.parametrize("plan", [*[[kind] for kind in ALONE], *[pytest.param(plan, marks=pytest.mark.long) for plan in EVERY]])
def test_each_joint_alone_as_leaf_and_as_root(plan):
    m = chain(3, plan)
    s = m.state(1)
    found = check(m.model, s.q, s.qdot, s.tau, s.t, "interpret", 1e-10)
    assert agree(found, oracle(m, s.q, s.qdot).forward(s.tau, None, s.t), 1e-11)


@examples(2, 25)
@given(m=mechanisms(largest=6).filter(lambda m: m.nv > 0), seed=seeds, h=st.sampled_from([1e-3, 1e-2, 0.1]))
def test_the_same_implicit_step_of_recursive_and_redmax(m, seed, h):
    s = m.state(seed)
    steps = [accelerate(name, m.model, s.q, s.qdot, s.tau, s.t, "interpret", h, True)[0] for name in ("recursive", "redmax")]
    assert agree(steps[1], steps[0], 1e-9)


@examples(2, 20)
@given(m=mechanisms(largest=5).filter(lambda m: m.nv > 0), seed=seeds, h=st.sampled_from([1e-3, 0.1]))
def test_impedance_is_part_of_an_implicit_step_of_maximal(m, seed, h):
    """From rest in the joints a step is J qddot exactly, whatever the stiffness: springs, dampers and the slopes of torque functions."""
    s, qdot = m.state(seed), np.zeros(m.nv)
    qddot = accelerate("recursive", m.model, s.q, qdot, s.tau, s.t, "interpret", h, True)[0]
    found = twist_rates(m.model, s.q, qdot, s.tau, s.t, "interpret", h)
    assert agree(found.ravel(), rates_of_twists(m.model, s.q, qdot, qddot, "interpret"), 1e-9)


RUNS = {"driven": driven, **CONSERVATIVE}
SOME = [("driven", "forward-euler"), ("driven", "implicit"), ("chain", "euler"), ("somersault", "rk4")]
OTHERS = [(scene, name) for scene in RUNS for name in ("forward-euler", "euler", "rk4", "implicit") if (scene, name) not in SOME]


@cache
def model_of(scene: str) -> rm.Model:
    return RUNS[scene]().model()


@pytest.mark.parametrize(("scene", "integrator"), [*SOME, *[pytest.param(*case, marks=pytest.mark.long) for case in OTHERS]])
def test_fixed_steps_of_redmax_are_those_of_recursive(scene, integrator):
    model = model_of(scene)
    a, b = (rm.simulate(model, 0.3, 0.01, integrator=integrator, dynamics=name) for name in ("recursive", "redmax"))
    assert agree(b.q, a.q, 1e-10)
    assert agree(b.qdot, a.qdot, 1e-10)


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_backward_differences_are_the_same_on_both_reduced_systems(integrator):
    model = model_of("chain")
    a, b = (rm.simulate(model, 0.1, 0.01, integrator=integrator, dynamics=name) for name in ("recursive", "redmax"))
    assert agree(b.q, a.q, 1e-12)


def test_adaptive_agrees_within_its_tolerance():
    runs = [rm.simulate(model_of("double pendulum"), 0.1, 0.05, dynamics=name, rtol=1e-8) for name in NAMES]
    for run in runs[1:]:
        np.testing.assert_allclose(run.q, runs[0].q, atol=1e-7)
        np.testing.assert_allclose(run.qdot, runs[0].qdot, atol=1e-6)


@pytest.mark.parametrize(
    "scene", ["driven", "somersault", *[pytest.param(name, marks=pytest.mark.long) for name in ("chain", "pendulum", "double pendulum")]]
)
def test_maximal_moves_as_recursive_to_the_order_of_rk4(scene):
    """Halving the step divides the difference by sixteen, or it is rounding already."""
    model = model_of(scene)
    exact = rm.simulate(model, 0.1, 0.1, rtol=1e-12)
    errors = []
    for dt in (0.01, 0.005):
        run = rm.simulate(model, 0.1, dt, integrator="rk4", dynamics="maximal")
        errors.append(max(np.abs(run.q[-1] - exact.q[-1]).max(), np.abs(run.qdot[-1] - exact.qdot[-1]).max()))
    assert errors[1] < max(errors[0] / 10, 1e-10), errors
    assert errors[1] < 1e-4


@pytest.mark.parametrize(
    "kind", ["Elliptic", "paraboloid", *[pytest.param(kind, marks=pytest.mark.long) for kind in ("torus", "Helical", "Universal", "Free")]]
)
def test_the_same_motion_of_users_joints(kind):
    m = chain(7, [kind, "Revolute"], forces=False)
    s = m.state(2)
    start = rm.State(0.0, s.q, 0.3 * s.qdot)
    runs = [rm.simulate(m.model, 0.02, 0.0025, integrator="rk4", dynamics=name, initial=start) for name in NAMES]
    assert agree(runs[1].q, runs[0].q, 1e-10)
    assert agree(runs[1].qdot, runs[0].qdot, 1e-10)
    assert agree(runs[2].q, runs[0].q, 1e-5)
    assert agree(runs[2].qdot, runs[0].qdot, 1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_a_batch_is_its_worlds_one_by_one(name):
    m = chain(4, ["Spherical", "Revolute"])
    q, qdot, _ = m.states(3)
    together = rm.simulate(m.model, 0.02, 0.01, integrator="rk4", dynamics=name, initial=rm.State(0.0, q, qdot))
    for w in range(3):
        alone = rm.simulate(m.model, 0.02, 0.01, integrator="rk4", dynamics=name, initial=rm.State(0.0, q[w], qdot[w]))
        assert agree(together.q[:, w], alone.q, 1e-12)
        assert agree(together.qdot[:, w], alone.qdot, 1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_a_controllers_torques_act_alike(name):
    model = model_of("chain")

    def hold(t: float, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
        return -2.0 * q - 0.5 * qdot + np.sin(t)

    runs = [rm.simulate(model, 0.04, 0.005, integrator="rk4", dynamics=d, controller=hold) for d in (name, "recursive")]
    assert agree(runs[0].qdot, runs[1].qdot, 1e-5)


@pytest.mark.parametrize(
    ("name", "integrator", "level"),
    [
        ("redmax", "rk4", "velocity"),
        ("redmax", "implicit", "acceleration"),
        ("maximal", "rk4", "acceleration"),
        ("maximal", "implicit", "velocity"),
    ],
)
def test_motions_given_as_velocities_or_accelerations(name, integrator, level):
    """Every system follows them, or says that it does not."""
    scene = rm.Scene()
    bar = rm.Cuboid((0.4, 0.1, 0.1), mass=1.0)
    upper = scene.add_body(
        bar, joint=rm.Revolute("y"), com=(0.2, 0, 0), motion=lambda t: [0.5 * np.sin(3.0 * t)], motion_level=level, gain=2.0
    )
    scene.add_body(bar, joint=rm.Revolute("y"), parent=upper, at=(0.4, 0, 0), com=(0.2, 0, 0), q=0.5)
    model = scene.model()
    reference = rm.simulate(model, 0.05, 0.001, integrator=integrator)
    try:
        run = rm.simulate(model, 0.05, 0.001, integrator=integrator, dynamics=name)
    except rm.RedmaxError as error:
        assert name in str(error) or "level" in str(error)  # noqa: PT017
    else:
        np.testing.assert_allclose(run.q[-1], reference.q[-1], atol=1e-3)
        np.testing.assert_allclose(run.qdot[-1], reference.qdot[-1], atol=5e-3)
