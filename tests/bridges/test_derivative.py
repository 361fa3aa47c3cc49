"""What crosses bridges, whatever the library: functions are those of the library itself, and their family of derivatives is closed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from bridges.bars import two_bars
from mechanisms import mechanisms
from random_examples import examples
from redmax.bridges import functions
from redmax.bridges.derivative import Derivative
from redmax.bridges.function import Function
from redmax.bridges.sparsity import dependence
from redmax.scenes import find

STATE = ("q", "qdot")


def operands(f: Function, names: tuple[str, ...], seed: int, near: np.ndarray | None = None) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=f.inputs[n].size) if n != "q" or near is None else near + 0.1 * rng.normal(size=near.shape) for n in names]


def joined(parts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.ravel(p) for p in parts])


@examples(3, 60)
@given(m=mechanisms(largest=3).filter(lambda m: m.nv > 0 and not len(m.model.configurations.charts)), seed=st.integers(0, 99))
def test_functions_are_those_of_the_library(m, seed):
    s, dynamics = m.state(seed), rm.Dynamics(m.model)
    clock = np.array([s.t])
    forward, inverse = functions.forward_dynamics(m.model), functions.inverse_dynamics(m.model)
    qddot = Derivative(forward, (*STATE, "tau", "t")).call(s.q, s.qdot, s.tau, clock)[0]
    assert np.allclose(qddot[0], dynamics.forward(s.q, s.qdot, s.tau, t=s.t), rtol=1e-12)
    tau = Derivative(inverse, (*STATE, "qddot", "t")).call(s.q, s.qdot, qddot[0], clock)[0]
    assert np.allclose(tau[0], dynamics.inverse(s.q, s.qdot, qddot[0], t=s.t), rtol=1e-12)


MADE = [
    ("forward", lambda: functions.forward_dynamics(two_bars(), ["upper.mass", "gravity", "lower.inertia"])),
    ("inverse", lambda: functions.inverse_dynamics(two_bars(), ["upper.mass"])),
    ("implicit", lambda: functions.step(two_bars(stiffness=3.0), 0.01, "implicit", parameters=["upper.stiffness"])),
]


@pytest.mark.parametrize("make", [make for _, make in MADE], ids=[name for name, _ in MADE])
def test_the_family_of_derivatives_is_closed(make):
    """Pushes are differences of values, pulls are pushes transposed; the same of their derivatives, each held to the one before."""
    f = make()
    names = tuple(f.inputs)
    x = [o.default + 0.1 * d for o, d in zip(f.inputs.values(), operands(f, names, 1), strict=True)]
    d, e = operands(f, names, 2), operands(f, names, 3)
    value, h = Derivative(f, names), 1e-6
    push = value.moved(names)
    w = [np.random.default_rng(4).normal(size=n) for n in f.outputs.values()]
    near = [[a + s * h * b for a, b in zip(x, d, strict=True)] for s in (1, -1)]

    def rate(which: Derivative, *more: np.ndarray) -> np.ndarray:
        up, down = (joined(which.call(*there, *more)) for there in near)
        return (up - down) / (2 * h)

    dy = joined(push.call(*x, *d))
    assert np.abs(dy - rate(value)).max() < 1e-7 * np.abs(dy).max()
    pull, order = push.transposed(2)
    assert order == (0, -1)
    back = joined(pull.call(*x, *w))
    assert np.isclose(back @ joined(d), joined(w) @ dy, rtol=1e-12)
    assert pull.transposed(1) == (push, (0, -1))

    twice = joined(push.moved(names).call(*x, *e, *d))
    assert np.abs(twice - rate(push, *e)).max() < 1e-7 * np.abs(twice).max()
    assert np.allclose(twice, joined(push.moved(names).call(*x, *d, *e)), rtol=1e-9)
    curved = pull.moved(names)
    bent = joined(curved.call(*x, *w, *d))
    assert np.abs(bent - rate(pull, *w)).max() < 1e-7 * np.abs(bent).max()
    assert np.isclose(joined(w) @ twice, bent @ joined(e), rtol=1e-9)
    for n in (1, 2):  # transposed in w, and in the direction
        transposed, order = curved.transposed(n)
        parts = [x, w, d, e if n == 2 else None]
        cotangents = e
        given = [a for k in order for a in (cotangents if k < 0 else parts[k])]
        there = joined([w, d][n - 1])
        assert np.isclose(joined(transposed.call(*given)) @ there, joined(cotangents) @ bent, rtol=1e-9)


def test_a_push_along_few_operands_is_one_along_all_with_zeros():
    f = functions.forward_dynamics(two_bars())
    names = (*STATE, "tau")
    x, d = operands(f, names, 1), operands(f, ("q",), 2)
    few, zero = Derivative(f, names).moved(("q",)).call(*x, *d), np.zeros(3)
    assert np.array_equal(few[0], Derivative(f, names).moved(names).call(*x, *d, zero, zero)[0])


@pytest.mark.parametrize("name", ["branching", "humanoid", "coupled"])
def test_zeros_of_derivatives_are_those_of_every_state(name):
    """Where a pattern has none, no state has any; where it has one, some state does."""
    model = (two_bars(coupled=True) if name == "coupled" else find(name).scene()).model()
    f = functions.inverse_dynamics(model)
    names, pattern, n = (*STATE, "qddot"), dependence(f), model.nv
    q0 = model.configurations.join(model.q0)
    x = operands(f, names, 1, q0)
    for moved in names:
        size = f.inputs[moved].size
        slopes = Derivative(f, names).moved((moved,)).call(*x, np.eye(size), worlds=size)[0].T
        assert not slopes[~pattern["tau", moved]].any()
        assert pattern["tau", moved].shape == (n, size)
        assert (slopes != 0).sum() > 0.5 * pattern["tau", moved].sum()
    assert not pattern["tau", "t"].any()


def test_a_neighbour_is_not_felt():
    """Two bodies that hang on one: neither's torque depends on where the other is."""
    f = functions.inverse_dynamics(find("branching").scene())
    by_q = dependence(f)["tau", "q"]
    assert np.array_equal(~by_q, ~by_q.T)
    assert (~by_q).sum() == 2


def test_what_cannot_cross_is_said():
    with pytest.raises(rm.RedmaxError, match=r"inverse dynamics of this scene cannot.*constraints \('.*'\) hold the scene"):
        functions.inverse_dynamics("four-bar")
    with pytest.raises(rm.RedmaxError, match="A step of a scene with contact is computed in doubles"):
        functions.step("tippe-top", 0.01, dtype="float32")
    with pytest.raises(rm.RedmaxError, match=r"One step of 'adaptive' is no function of q, qdot.*Valid: forward-euler, euler, rk4"):
        functions.step("branching", 0.01, "adaptive")
    with pytest.raises(rm.RedmaxError, match=r"'upper.size' cannot cross a bridge: what programs take for it is computed outside"):
        functions.forward_dynamics(two_bars(), ["upper.size"])
    with pytest.raises(rm.SceneError, match=r"no parameter 'upper.weight'"):
        functions.forward_dynamics(two_bars(), ["upper.weight"])


@pytest.mark.parametrize(("name", "integrator"), [("four-bar", "implicit"), ("spherical-chain", "rk4")])
def test_a_step_is_one_of_a_simulation(name, integrator):
    """Also with rows that hold a loop closed, and with charts."""
    model = find(name).scene().model()
    sim = rm.Simulation(model, dt=1e-3, integrator=integrator)
    sim.step(2)
    f = functions.step(model, 1e-3, integrator)
    q, qdot = Derivative(f, (*STATE, "t")).call(sim.q[0].copy(), sim.qdot[0].copy(), np.array([sim.t]))
    sim.step(1)
    assert np.array_equal(q[0], sim.q[0])
    assert np.array_equal(qdot[0], sim.qdot[0])
