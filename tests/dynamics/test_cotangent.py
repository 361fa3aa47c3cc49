"""Transposed derivatives of programs: against tangents (dot products), hyper-dual numbers, differences, and each other."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree, disagreement
from dynamics.derived import Derived, check_transpose
from dynamics.differences import rates
from dynamics.newton_euler import oracle, solve
from forces.samples import SAMPLES
from forces.scenes import mechanism as three_bodies
from mechanisms import Mechanism, chain, every_kind, mechanisms
from random_examples import examples
from redmax.backends.base import make_runner, rolled_plan
from redmax.dynamics.common.inverse import inverse_dynamics, inverse_fields
from redmax.dynamics.common.observe import OBSERVE_FIELDS, observe, reset
from redmax.dynamics.recursive.system import dynamics_fields, hybrid_dynamics
from redmax.dynamics.redmax.joints import jacobian_program
from redmax.program.cotangent import cotangent
from redmax.program.program import Host, Program
from redmax.program.tangent import tangent

seeds = st.integers(0, 2**16)
MIXED = ("Free", "Universal", "torus", "Revolute", "SplineCurve", "Spherical")
SEEN = ("kinetic", "potential", "momentum", "pose", "twist")


def inverse_of(model: rm.Model) -> Program:
    return Program("inverse", (inverse_dynamics,), inverse_fields(False, model), ("q", "qdot", "qddot", "t"), ("tau", "reaction"))


def forward_of(model: rm.Model) -> Program:
    return Program("forward", (hybrid_dynamics,), dynamics_fields(False, model), ("q", "qdot", "tau", "t"), ("qddot",))


def seen_of(model: rm.Model) -> Program:
    return Program("seen", (reset, observe), OBSERVE_FIELDS, ("q", "qdot", "t"), SEEN)


PROGRAMS = {"inverse": inverse_of, "forward": forward_of, "observe": seen_of, "columns": lambda model: jacobian_program}


def values(m: Mechanism, program: Program, seed: int):
    s = m.state(seed)
    given = {"q": m.model.configurations.join(s.q), "qdot": s.qdot, "qddot": s.qddot, "tau": s.tau, "t": np.full(1, s.t)}
    return [given[name] for name in program.inputs]


@examples(3, 20)
@given(m=mechanisms(largest=5).filter(lambda m: m.nv > 0), seed=seeds, which=st.sampled_from(sorted(PROGRAMS)), keep=st.booleans())
def test_it_is_the_transpose_of_the_tangent(m, seed, which, keep):
    program = PROGRAMS[which](m.model)
    check_transpose(Derived(m.model, program, "interpret", keep), values(m, program, seed), seed)


@cache
def every() -> Mechanism:
    return every_kind(1)


@pytest.mark.parametrize("which", ["forward", *[pytest.param(which, marks=pytest.mark.long) for which in ("inverse", "observe")]])
def test_every_kind_of_joint(which):
    program = PROGRAMS[which](every().model)
    check_transpose(Derived(every().model, program), values(every(), program, 1))


@pytest.mark.parametrize(
    "which", ["inverse", "columns", *[pytest.param(which, marks=pytest.mark.long) for which in ("forward", "observe")]]
)
def test_compiled_code_and_lanes_give_what_the_interpreter_gives(which):
    m = chain(3, MIXED)
    program, worlds = PROGRAMS[which](m.model), 11
    plain, compiled = Derived(m.model, program), Derived(m.model, program, "llvm")
    states = [values(m, program, seed) for seed in range(worlds)]
    x = [np.array(part) for part in zip(*states, strict=True)]
    weights = plain.weights(4, (worlds,))
    expected, together = plain.pull(x, weights, worlds=worlds), compiled.pull(x, weights, worlds=worlds)
    alone = compiled.pull(x, weights, worlds=worlds, lanes=1)
    for a, b, c in zip(*[found[0] + found[1] for found in (expected, together, alone)], strict=True):
        assert agree(b, a, 1e-11) or not a.any()
        assert agree(c, b, 1e-11) or not a.any()


@pytest.mark.long
@pytest.mark.parametrize("which", ["inverse", "forward", "observe"])
def test_compiled_every_kind_of_joint(which):
    program = PROGRAMS[which](every().model)
    check_transpose(Derived(every().model, program, "llvm"), values(every(), program, 2))


def energies(m: Mechanism, seed: int):
    """Cotangents by q and qdot of the kinetic energy, of the potential energy, and of one pose in random directions."""
    program = seen_of(m.model)
    d, x = Derived(m.model, program), values(m, program, seed)
    found = []
    for name in ("kinetic", "potential", "pose"):
        weights = [np.zeros(len(slots)) for slots in d.plan.outputs]
        at = SEEN.index(name)
        weights[at][:] = np.random.default_rng(seed).normal(size=len(weights[at])) if name == "pose" else 1.0
        found.append((weights[at], d.pull(x, weights)[1]))
    return found


@pytest.mark.parametrize("kinds", [("Free", "Universal", "Revolute", "Spherical"), ("torus", "Prismatic", "Elliptic", "Helical")])
def test_energies_and_poses_against_hyper_dual_numbers(kinds):
    """dT/dqdot = M qdot; dT/dq_i = phi' M (dJ/dq_i) qdot; dV/dq = -J' f; dE = E [J dq]: no derivative of the library's."""
    m = chain(5, kinds, forces=False)
    s = m.state(2)
    (_, kinetic), (_, potential), (weight, pose) = energies(m, 2)
    o = oracle(m, s.q, s.qdot)
    assert agree(kinetic[1], o.inertia @ s.qdot, 1e-11)
    along = np.array([oracle(m, s.q, np.eye(m.nv)[i]).Jdot @ s.qdot for i in range(m.nv)])  # (nv, bodies, 6)
    assert agree(kinetic[0][: m.nv], np.einsum("nj,njk,ink->i", o.phi, o.M, along), 1e-11)
    assert agree(potential[0][: m.nv], -np.einsum("nij,ni->j", o.J, o.external(None, 0.0)), 1e-11)
    W = weight.reshape(len(m.links), 3, 4)
    frames = [link.body for link in m.links]
    assert all(np.array_equal(f, link.body @ link.shape.frame) for f, link in zip(frames, m.links, strict=True))
    expected = np.zeros(m.nv)
    for E, J, w in zip(o.E, o.J, W, strict=True):
        for i in range(m.nv):
            a, b = J[:3, i], J[3:, i]
            turn = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
            expected[i] += float(np.sum(w * (E[:3, :3] @ np.column_stack([turn, b]))))
    assert agree(pose[0][: m.nv], expected, 1e-11)


def test_by_accelerations_and_forces_it_multiplies_with_the_inertia():
    """dtau/dqddot = M and dqddot/dtau = M^-1, M by hyper-dual numbers."""
    m = chain(4, ["Free", "Universal", "Helical", "torus"])
    s = m.state(3)
    M = oracle(m, s.q, s.qdot).inertia
    w = np.random.default_rng(0).normal(size=m.nv)
    program = inverse_of(m.model)
    _, back = Derived(m.model, program).pull(values(m, program, 3), [w, np.zeros(6 * len(m.links))])
    assert agree(back[2], M @ w, 1e-11)
    program = forward_of(m.model)
    _, back = Derived(m.model, program).pull(values(m, program, 3), [w])
    assert agree(back[2], solve(M, w), 1e-10)


def test_of_forward_dynamics_by_the_state_against_differences():
    m = chain(6, ["Spherical", "Revolute", "SplineCurve"])
    program, w = forward_of(m.model), np.random.default_rng(1).normal(size=m.nv)
    x, d = values(m, program, 1), rm.Dynamics(m.model)
    _, back = Derived(m.model, program).pull(x, [w])
    q, qdot, tau, t = x[0][: m.nv], *x[1:]
    by_q = rates(lambda p: d.forward(p, qdot, tau, t=t[0]) @ w, q, 1e-3)[:, 0]
    by_qdot = rates(lambda p: d.forward(q, p, tau, t=t[0]) @ w, qdot, 1e-3)[:, 0]
    assert agree(back[0][: m.nv], by_q, 1e-8)
    assert agree(back[1], by_qdot, 1e-8)


@cache
def all_forces() -> rm.Model:
    """Every kind of force between three bodies, and one whose points lie on one body."""
    scene, handles = three_bodies(1)
    for kind in SAMPLES.values():
        scene.add_force(kind.make(*handles))
    scene.add_force(rm.Cable([handles[0], handles[1].point(0, 0.3, 0), handles[0].point(0.4, 0, 0.3)], stiffness=3.0, rest=0.1))
    return scene.model()


@pytest.mark.parametrize("which", ["inverse", "forward", "observe"])
def test_forces_between_bodies(which):
    """All of them at once, some twice on one body: their rows see several records."""
    model = all_forces()
    program = PROGRAMS[which](model)
    rng = np.random.default_rng(5)
    given = {"q": model.q0, "t": np.full(1, 0.3)} | {name: rng.normal(size=model.nv) for name in ("qdot", "qddot", "tau")}
    given["q"] = model.configurations.join(given["q"])
    check_transpose(Derived(model, program), [given[name] for name in program.inputs])


@pytest.mark.parametrize("backend", ["interpret", "llvm"])
def test_second_derivatives_by_either_order_and_symmetric(backend):
    """The tangent of the cotangent is the Hessian of a weighted sum; so is the cotangent of the tangent, by its values."""
    m = chain(7, ["Universal", "Revolute", "Prismatic"])
    program = Program("tau", (inverse_dynamics,), inverse_fields(False, m.model), ("q", "qdot", "qddot", "t"), ("tau",))
    d, x = Derived(m.model, program, backend), values(m, program, 1)
    w, n = np.random.default_rng(2).normal(size=m.nv), m.nv
    back = tangent(cotangent(d.plan))
    directions = np.eye(2 * n)
    zero = np.zeros((2 * n, n))
    along = [directions[:, :n], directions[:, n:], zero, np.zeros((2 * n, 1)), zero]
    found = d.run(back, [*[np.tile(a, (2 * n, 1)) for a in (*x, w)], *along], worlds=2 * n)
    rate = dict(zip(back.names[1], found, strict=True))
    H = np.concatenate([rate["tangent of cotangent of q"], rate["tangent of cotangent of qdot"]], axis=1)
    assert agree(H, H.T, 1e-11)
    other = cotangent(tangent(d.plan), of=("tangent of tau",), by=("q", "qdot"))
    found = d.run(other, [*[np.tile(a, (2 * n, 1)) for a in x], *along[:4], np.tile(w, (2 * n, 1))], worlds=2 * n)
    assert agree(np.concatenate(found[-2:], axis=1), H, 1e-11)


def test_names_and_parts():
    """Of some outputs by some inputs: the same numbers, and nothing else is asked for."""
    m = chain(8, ["Revolute", "Universal"])
    program = inverse_of(m.model)
    d, x = Derived(m.model, program), values(m, program, 1)
    part = cotangent(d.plan, of=("tau",), by=("qdot",))
    assert part.names == (("q", "qdot", "qddot", "t", "cotangent of tau"), ("tau", "reaction", "cotangent of qdot"))
    w = np.random.default_rng(0).normal(size=m.nv)
    _, everything = d.pull(x, [w, np.zeros(12)])
    assert disagreement(d.run(part, [*x, w])[-1], everything[1]) < 1e-14
    with pytest.raises(rm.RedmaxError, match="cotangent of tau"):
        make_runner(part, "interpret", "float64").run([*x, w.astype("float32")], [np.empty((1, 1, 3))] * 3, 1)
    with pytest.raises(rm.RedmaxError, match=r"input of program 'inverse'.*qdott"):
        cotangent(d.plan, by=("qdott",))


def test_calls_of_python_have_no_cotangent():
    model = chain(0, ["Revolute"]).model
    program = Program("asking", (inverse_dynamics, Host("a friend", lambda view: None)), inverse_fields(False, model), ("q",), ("tau",))
    with pytest.raises(rm.RedmaxError, match=r"'asking' calls Python \(a friend\), of which nobody knows the derivative"):
        cotangent(rolled_plan(model, program, "interpret"))
