"""Forward dynamics on random mechanisms, against dense Newton-Euler and the square factorisation; backends, lanes, threads, precision."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree, disagreement
from dynamics.newton_euler import oracle
from dynamics.square_factorisation import forward_dynamics
from mechanisms import STYLES, Mechanism, assemble, chain, every_kind, identical, mechanisms
from random_examples import LONG, examples

seeds = st.integers(0, 2**16)
# Every kind is compiled by each function alone, above and in its own file.
SOME = ("Revolute", "Universal", "Fixed", "Spherical", "SplineCurve", "torus", "SurfaceContact", "Free")


@cache
def compiled(seed: int = 1, style: str | None = None) -> tuple[Mechanism, rm.Dynamics]:
    """A mechanism with every kind of joint in all styles, the one that other files compile too."""
    m = every_kind(seed, style)
    return m, rm.Dynamics(m.model)


@cache
def worlds() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, qdot, tau of 65 states of the compiled mechanism: eight times eight lanes and one more."""
    return compiled()[0].states(65)


@examples(3, 30)
@given(m=mechanisms(largest=10), seed=seeds)
def test_recursive_equals_newton_euler(m, seed):
    s = m.state(seed)
    o = oracle(m, s.q, s.qdot)
    d = rm.Dynamics(m.model, backend="interpret")
    assert agree(d.forward(s.q, s.qdot, s.tau, s.wrench, s.t), o.forward(s.tau, s.wrench, s.t), 1e-9)
    assert agree(d.forward(s.q, s.qdot), o.forward(np.zeros(m.nv)), 1e-9, floor=1.0)  # some are in balance


@pytest.mark.parametrize(
    ("seed", "style", "backend"),
    [
        (1, None, "llvm"),
        *[pytest.param(1, style, "interpret", marks=pytest.mark.long) for style in ("none", "general")],
        *[pytest.param(1, style, "llvm", marks=pytest.mark.long) for style in STYLES],
        pytest.param(2, None, "llvm", marks=pytest.mark.long),
    ],
)
def test_every_kind_of_joint_equals_newton_euler(seed, style, backend):
    m = every_kind(seed, style)
    d = rm.Dynamics(m.model, backend)
    s = m.state(seed)
    o = oracle(m, s.q, s.qdot)
    assert agree(d.forward(s.q, s.qdot, s.tau, t=s.t), o.forward(s.tau, None, s.t), 1e-9)
    assert agree(d.forward(s.q, s.qdot, s.tau, s.wrench, s.t), o.forward(s.tau, s.wrench, s.t), 1e-9)


def test_a_chain_of_twelve_with_mass_ratios_to_a_thousand():
    kinds = ["Spherical", "Revolute", "Helical", "Universal", "Revolute", "torus"]
    kinds += ["Revolute", "Elliptic", "Prismatic", "paraboloid", "Free", "Revolute"]
    m = chain(8, kinds)
    masses = [link.shape.mass for link in m.links]
    assert 100 < max(masses) / min(masses) <= 1000
    s = m.state(4)
    o = oracle(m, s.q, s.qdot)
    result = rm.Dynamics(m.model, backend="interpret").forward(s.q, s.qdot, s.tau, s.wrench, s.t)
    assert agree(result, o.forward(s.tau, s.wrench, s.t), 1e-9)
    assert agree(result, forward_dynamics(o, s.tau, s.wrench, s.t), 1e-9)


@pytest.mark.parametrize(
    ("kind", "style"), [("Revolute", "none"), ("Revolute", "general"), ("Spherical", "quarter"), ("paraboloid", "shift")]
)
def test_identical_links(kind, style):
    """In a chain with a branch: they share kernels and constants, and differ in where they are."""
    m = identical(1, kind, style, [-1, 0, 1, 2, 1, 4, -1])
    s = m.state(2)
    d = rm.Dynamics(m.model)
    assert agree(d.forward(s.q, s.qdot, s.tau, t=s.t), oracle(m, s.q, s.qdot).forward(s.tau, None, s.t), 1e-10)


@pytest.mark.long  # the oracles are compared with each other, and this with the other one
@examples(4, 15)
@given(m=mechanisms(largest=8), seed=seeds)
def test_recursive_equals_the_square_factorisation(m, seed):
    s = m.state(seed)
    expected = forward_dynamics(oracle(m, s.q, s.qdot), s.tau, s.wrench, s.t)
    assert agree(rm.Dynamics(m.model, backend="interpret").forward(s.q, s.qdot, s.tau, s.wrench, s.t), expected, 1e-9)


@examples(2, 12)
@given(m=mechanisms(largest=6), seed=seeds)
def test_compiled_equals_interpreted(m, seed):
    s = m.state(seed)
    compiled, interpreted = rm.Dynamics(m.model), rm.Dynamics(m.model, backend="interpret")
    a, b = (d.forward(s.q, s.qdot, s.tau, s.wrench, s.t) for d in (compiled, interpreted))
    assert agree(a, b, 1e-11)  # rounding, times the condition of the inertia
    a, b = (d.inverse(s.q, s.qdot, s.qddot, s.wrench, s.t) for d in (compiled, interpreted))
    assert agree(a, b, 1e-12)


@pytest.mark.parametrize("style", [None, pytest.param("general", marks=pytest.mark.long)])
def test_compiled_equals_interpreted_for_everything(style):
    m = every_kind(1, style) if LONG else every_kind(1, kinds=SOME)
    d, i = rm.Dynamics(m.model), rm.Dynamics(m.model, backend="interpret")
    s = m.state(7)
    # what M^-1 takes part in: rounding, times the condition of the inertia
    assert agree(d.forward(s.q, s.qdot, s.tau, t=s.t), i.forward(s.q, s.qdot, s.tau, t=s.t), 1e-11)
    for name in ("inverse", "reactions"):
        args = (s.q, s.qdot, s.qddot, s.wrench, s.t)
        assert agree(getattr(d, name)(*args), getattr(i, name)(*args), 1e-12), name
    for a, b in zip(d.hybrid(s.q, s.qdot, s.tau, s.qddot, s.wrench, s.t), i.hybrid(s.q, s.qdot, s.tau, s.qddot, s.wrench, s.t)):
        assert agree(a, b, 1e-11)
    for name, tolerance in (("inertia", 1e-12), ("inverse_inertia", 1e-11)):
        assert agree(getattr(d, name)(s.q), getattr(i, name)(s.q), tolerance), name
        product = name + "_product"
        assert agree(getattr(d, product)(s.q, s.tau), getattr(i, product)(s.q, s.tau), tolerance), product
    a, b = d.observe(s.q, s.qdot), i.observe(s.q, s.qdot)
    for name in ("kinetic", "potential", "momentum", "pose", "twist"):
        assert agree(getattr(a, name), getattr(b, name), 1e-12), name


def test_a_batch_is_its_worlds_one_by_one():
    m, d = compiled()
    single = np.array([d.forward(*world) for world in zip(*worlds())])
    for count in (1, 2, 7, 8, 9, 65):
        q, qdot, tau = (x[:count] for x in worlds())
        assert max(map(disagreement, d.forward(q, qdot, tau), single)) < 1e-12, count
        taus = d.inverse(q, qdot, tau)
        assert taus.shape == (count, m.nv)
        assert max(map(disagreement, d.forward(q, qdot, taus), tau)) < 1e-9, count


def test_leading_axes_and_shared_arrays_broadcast():
    m, d = compiled()
    q, qdot, tau = (x[:6] for x in worlds())
    grid = d.forward(q.reshape(3, 2, -1), qdot.reshape(3, 2, -1), tau[0])
    assert grid.shape == (3, 2, m.nv)
    assert agree(grid[2, 1], d.forward(q[5], qdot[5], tau[0]), 1e-12)
    column = d.forward(q[:3, None], qdot[None, :2], None)
    assert column.shape == (3, 2, m.nv)
    assert agree(column[2, 1], d.forward(q[2], qdot[1], np.zeros(m.nv)), 1e-12)
    assert d.forward(q[:0], qdot[:0], tau[:0]).shape == (0, m.nv)


def test_every_world_may_have_its_own_time():
    """Torque functions and wrenches of the scene depend on it."""
    _, d = compiled()
    q, qdot, tau = (x[:9] for x in worlds())
    t = np.linspace(0.0, 2.0, 9)
    assert agree(d.forward(q, qdot, tau, t=t)[5], d.forward(q[5], qdot[5], tau[5], t=t[5]), 1e-12)
    assert not agree(d.forward(q, qdot, tau, t=t)[5], d.forward(q[5], qdot[5], tau[5], t=0.0), 1e-3)
    assert agree(d.inverse(q[0], qdot[0], tau[0], t=t)[7], d.inverse(q[0], qdot[0], tau[0], t=t[7]), 1e-12)
    assert np.array_equal(d.forward(q[0], qdot[0], tau[0], t=1), d.forward(q[0], qdot[0], tau[0], t=1.0))


def test_any_number_of_threads_gives_the_same_bits(monkeypatch):
    _, d = compiled()
    q, qdot, tau = worlds()
    results = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("REDMAX_THREADS", threads)
        results.append(d.forward(q, qdot, tau))
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0], results[2])


def test_one_state_leaves_no_trace_in_the_next():
    """A reused workspace: the second call of the same state gives the same bits, whatever ran in between."""
    m, d = compiled()
    (q, p), (qdot, pdot), (tau, sigma) = (x[:2] for x in worlds())
    first = d.forward(q, qdot, tau)
    d.forward(p, pdot, sigma, t=3.0)
    with pytest.raises(rm.SceneError):
        d.forward(q, np.full(m.nv, np.nan), tau)
    assert np.array_equal(d.forward(q, qdot, tau), first)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
def test_single_precision_agrees_to_four_digits(seed):
    m = assemble(seed, [("Free", "general", -1), ("Revolute", "shift", 0), ("Spherical", "quarter", 0), ("Helical", "general", 2)])
    single, double = rm.Dynamics(m.model, dtype="float32"), rm.Dynamics(m.model)
    q, qdot, tau = m.states(9)
    result = single.forward(q, qdot, tau)
    assert result.dtype == np.float32
    assert max(map(disagreement, result, double.forward(q, qdot, tau))) < 1e-4
    assert max(map(disagreement, result, [single.forward(*world) for world in zip(q, qdot, tau)])) < 1e-4
