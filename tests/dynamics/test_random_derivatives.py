"""Derivatives of random trees with forces, constraints and parameters of all kinds: equal to complex steps, to products, to differences."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree
from dynamics.differences import rate
from dynamics.furnished import Furnished, furnished
from mechanisms import Mechanism, chain, mechanisms
from program.complex_steps import complex_rates
from random_examples import examples
from redmax.program.kernel import PARAMETERS

seeds = st.integers(0, 2**16)
trees = mechanisms(largest=5).filter(lambda m: len(m.links) >= 3 and 3 <= m.nv < 20)


def well_held(f: Furnished) -> bool:
    """Whether what is held hard is far from a state where rows repeat each other, and there is something to differentiate."""
    hard = [c.name for c in f.model.constraints if not c.compliant]
    d, s = f.dynamics, f.state
    if not np.isfinite(d.forward(s.q, s.qdot, s.tau, t=s.t)).all():
        return False
    if not hard:
        return True
    J = np.concatenate([d.constraint_jacobian(s.q, name, t=s.t) for name in hard])
    sizes = np.linalg.svd(J @ d.inverse_inertia(s.q) @ J.T, compute_uv=False)
    return sizes[-1] > 1e-4 * max(sizes[0], 1.0)


def check(f: Furnished, seed: int, kind: str) -> None:
    """The derivative along a random direction, by products both ways and by the matrices, is that of a complex step."""
    d, s, n, rng = f.dynamics, f.state, f.model.nv, np.random.default_rng(seed)
    third = "tau" if kind == "forward" else "qddot"
    moves = {"q": rng.normal(size=n), "qdot": rng.normal(size=n), third: rng.normal(size=n)}
    w, state = rng.normal(size=n), (s.q, s.qdot, getattr(s, third))
    plan, values, changes = f.inputs(kind, moves | {"t": np.array([0.7]), PARAMETERS: f.columns})
    expected = complex_rates(plan, values, changes, 1, 1)[1][0][0, 0]
    along = moves | {"t": 0.7} | f.along
    product = getattr(d, f"{kind}_jvp")(*state, t=s.t, along=along)
    size = max(float(np.abs(expected).max()), 1.0)
    assert agree(product, expected, 1e-10, size)
    m = getattr(d, f"{kind}_derivatives")(*state, t=s.t)
    parts = [m.q @ moves["q"], m.qdot @ moves["qdot"], m[2] @ moves[third], 0.7 * m.t]
    parts += [m.parameters[name].reshape(n, -1) @ np.ravel(f.along[name]) for name in f.values]
    size = max(size, *(float(np.abs(x).max()) for x in parts))
    assert agree(sum(parts), expected, 1e-10, size)
    g = getattr(d, f"{kind}_vjp")(*state, w, t=s.t)
    pulled = [g.q @ moves["q"], g.qdot @ moves["qdot"], g[2] @ moves[third], 0.7 * g.t]
    pulled += [np.ravel(g.parameters[name]) @ np.ravel(f.along[name]) for name in f.values]
    assert abs(sum(pulled) - w @ expected) < 1e-10 * size * np.abs(w).sum()


@examples(3, 60)
@given(m=trees, seed=seeds)
def test_forward_dynamics_with_forces_constraints_and_parameters(m: Mechanism, seed: int):
    f = furnished(m, seed)
    assume(well_held(f))
    check(f, seed, "forward")


@examples(2, 40)
@given(m=trees, seed=seeds)
def test_inverse_dynamics_with_forces_and_parameters(m: Mechanism, seed: int):
    check(furnished(m, seed, constrained=False), seed, "inverse")


@examples(1, 30)
@given(m=trees, seed=seeds)
def test_inverse_dynamics_where_constraints_hold(m: Mechanism, seed: int):
    """With the multipliers that it takes there, which are found by a solution in NumPy: against differences."""
    f = furnished(m, seed, count=3)
    assume(well_held(f))
    d, s, n, rng = f.dynamics, f.state, f.model.nv, np.random.default_rng(seed)
    moves = {"qdot": rng.normal(size=n), "qddot": rng.normal(size=n)}
    other = lambda h: type(d)(f.model, "interpret", parameters=f.moved(h) or None)  # noqa: E731
    expected = rate(lambda h: other(h).inverse(s.q, s.qdot + h * moves["qdot"], s.qddot + h * moves["qddot"], t=s.t), 1e-3)
    found = d.inverse_jvp(s.q, s.qdot, s.qddot, t=s.t, along=moves | f.along)
    assert agree(found, expected, 1e-7, max(float(np.abs(expected).max()), 1.0))


def test_worlds_of_a_batch_compiled():
    """Each world has the derivatives that it has alone."""
    f = furnished(chain(3, ["Universal", "Revolute", "Prismatic"]), 3)
    s, ways = f.state, (0.0, 0.1, 0.2)
    together = rm.Dynamics(f.model, parameters={n: np.stack([f.moved(h)[n] for h in ways]) for n in f.values})
    found = together.forward_derivatives(s.q, s.qdot, s.tau, t=s.t)
    for w, h in enumerate(ways):
        alone = rm.Dynamics(f.model, "interpret", parameters=f.moved(h)).forward_derivatives(s.q, s.qdot, s.tau, t=s.t)
        for name in ("value", "q", "qdot", "tau", "t"):
            assert agree(getattr(found, name)[w], getattr(alone, name), 1e-10, 1.0), name
        for name, slope in alone.parameters.items():
            assert agree(found.parameters[name][w], slope, 1e-10, 1.0), name
