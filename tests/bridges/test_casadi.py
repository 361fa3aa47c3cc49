"""The bridge to CasADi: values, Jacobians, gradients and Hessians, against differences; sparsity; and a problem that it solves."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import redmax as rm
from bridges.bars import NAMES, run_of_bars, state, two_bars, values
from redmax.bridges import casadi as bridge

SCENE = two_bars(stiffness=3.0)
MADE = {
    "forward": lambda: bridge.forward_dynamics(SCENE),
    "inverse": lambda: bridge.inverse_dynamics(SCENE),
    "step": lambda: bridge.step(SCENE, 0.05, "implicit"),
}


def differences(f: ca.Function, x: np.ndarray, h: float = 1e-5) -> np.ndarray:
    unit = h * np.eye(len(x))
    return np.array([(f(x + e).full().ravel() - f(x - e).full().ravel()) / (2 * h) for e in unit]).T


@pytest.mark.parametrize("made", MADE)
def test_derivatives(made):
    f, x, start = MADE[made](), ca.MX.sym("x", 9), np.concatenate(state(1))
    y = f(*ca.vertsplit(x, 3))
    y = ca.vertcat(*y) if isinstance(y, tuple) else y
    value = ca.Function("value", [x], [y])
    jacobian = ca.Function("jacobian", [x], [ca.jacobian(y, x)])(start).full()
    assert np.abs(jacobian - differences(value, start)).max() < 1e-7 * np.abs(jacobian).max()
    w = np.arange(1.0, y.numel() + 1)
    found = value(start).full().ravel()
    size = np.abs(found).max()
    cost = ca.sumsqr(ca.sin(y / size) * w)
    gradient = ca.Function("gradient", [x], [ca.gradient(cost, x)])
    slope = gradient(start).full().ravel()
    assert np.allclose(slope, (w**2 * np.sin(2 * found / size) / size) @ jacobian, rtol=1e-9, atol=1e-12)
    hessian = ca.Function("hessian", [x], [ca.hessian(cost, x)[0]])(start).full()
    assert np.abs(hessian - differences(gradient, start)).max() < 1e-6 * np.abs(hessian).max()
    d = ca.MX.sym("d", 9)
    along = np.random.default_rng(2).normal(size=9)
    assert np.allclose(ca.Function("along", [x, d], [ca.jtimes(y, x, d)])(start, along).full().ravel(), jacobian @ along, rtol=1e-10)


def test_values_and_parameters():
    q, qdot, tau = state(3)
    f = bridge.forward_dynamics(SCENE, NAMES)
    expected = rm.Dynamics(SCENE, parameters=values()).forward(q, qdot, tau)
    assert np.allclose(f(q, qdot, tau, parameters=values()).full().ravel(), expected, rtol=1e-13)
    inertia = ca.MX.sym("inertia", 3, 3)
    y = f(q, qdot, tau, parameters={"upper.inertia": inertia, "upper.mass": 1.3, "gravity": values()["gravity"]})
    slope = ca.Function("slope", [inertia], [ca.gradient(ca.sum1(y), inertia)])(values()["upper.inertia"]).full()
    assert np.array_equal(slope, slope.T)
    assert f.function("tau", "q", "qdot").name_in() == ["q", "qdot", "tau"]


def test_memory_is_read_and_filled_where_it_lies():
    q, qdot, tau = state(4)
    function, found = MADE["forward"]().function("q", "qdot", "tau"), np.zeros(3)
    buffer, evaluate = function.buffer()
    for n, x in enumerate((q, qdot, tau)):
        buffer.set_arg(n, memoryview(x))
    buffer.set_res(0, memoryview(found))
    for shift in (0.0, 0.1):
        q += shift
        evaluate()
        assert np.array_equal(found, rm.Dynamics(SCENE).forward(q, qdot, tau))


def test_jacobians_are_as_sparse_as_the_tree():
    scene, bar = rm.Scene(), rm.Cuboid((0.4, 0.05, 0.05), mass=1.0)
    root = scene.add_body(bar, joint=rm.Revolute("y"), com=(0.2, 0, 0))
    for k in range(3):
        scene.add_body(bar, joint=rm.Revolute("z"), parent=root, at=(0.4, 0.1 * k, 0), com=(0.2, 0, 0))
    f, x = bridge.inverse_dynamics(scene), ca.MX.sym("x", 4)
    q, qdot, qddot = (np.random.default_rng(5).normal(size=4) for _ in range(3))
    jacobian = ca.jacobian(f(q, qdot, x), x)
    assert jacobian.nnz() < 16 - 5
    inertia = ca.Function("inertia", [x], [jacobian])(qddot)
    assert np.allclose(inertia.full(), rm.Dynamics(scene).inertia(q), rtol=1e-12, atol=1e-12)


def test_a_swing_by_ipopt():
    """Ten steps of a pendulum, from rest to rest elsewhere, with exact Hessians: the states it finds are those of a run."""
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.4, 0.05, 0.05), mass=1.0), joint=rm.Revolute("y"), com=(0.2, 0, 0))
    f, steps = bridge.step(scene, 0.05, "implicit"), 10
    opti = ca.Opti()
    q, qdot, tau = opti.variable(1, steps + 1), opti.variable(1, steps + 1), opti.variable(1, steps)
    for k in range(steps):
        after = f(q[:, k], qdot[:, k], tau[:, k])
        opti.subject_to(q[:, k + 1] == after[0])
        opti.subject_to(qdot[:, k + 1] == after[1])
    opti.subject_to([q[0] == 0, qdot[0] == 0, q[-1] == 0.5, qdot[-1] == 0])
    opti.minimize(ca.sumsqr(tau))
    opti.solver("ipopt", {"print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes"})
    found = opti.solve()
    assert found.stats()["iter_count"] < 15
    torques = found.value(tau)[:, None]
    run = rm.simulate(scene, 0.5, 0.05, integrator="implicit", controls=torques)
    assert np.isclose(run.q[-1, 0], 0.5, atol=1e-9)


def test_an_objective_of_a_run():
    g = run_of_bars()
    f, tau, mass = bridge.objective(g), ca.MX.sym("tau", 3, 10), ca.MX.sym("mass")
    value = f(tau=tau, parameters={"upper.mass": mass})
    found = ca.Function("found", [tau, mass], [value, ca.gradient(value, tau), ca.gradient(value, mass)])
    torques = np.random.default_rng(11).normal(size=(10, 3))
    expected = g(tau=torques, parameters={"upper.mass": 1.2})
    value, by_tau, by_mass = (x.full() for x in found(torques.T, 1.2))
    assert np.isclose(value, expected.value, rtol=1e-13)
    assert np.allclose(by_tau.T, expected.by["tau"], rtol=1e-12)
    assert np.isclose(by_mass, expected.by["upper.mass"], rtol=1e-12)


def test_slopes_of_a_run_are_written_where_casadi_has_them(monkeypatch):
    """Torques of every step, and what the run begins with: the run itself fills this memory, step by step."""
    g, rooms = run_of_bars(), dict[str, np.ndarray]()
    real = g._run.backwards

    def seen(path, at_end, weigh, given):
        rooms.update(given)
        return real(path, at_end, weigh, given)

    monkeypatch.setattr(g._run, "backwards", seen)
    f = bridge.objective(g).function("qdot", "tau")
    slopes = f.get_jacobian("slopes", [], [], {})
    qdot, tau = np.random.default_rng(0).normal(size=3), np.random.default_rng(1).normal(size=(10, 3))
    there = [np.full(3, np.nan), np.full(30, np.nan)]
    assert slopes.eval_buffer([memoryview(qdot), memoryview(tau.ravel()), None], [memoryview(x) for x in there]) == 0
    for name, room in zip(("qdot", "tau"), there, strict=True):
        assert np.shares_memory(rooms[name], room)
    expected = g(qdot=qdot, tau=tau)
    assert np.array_equal(there[0], expected.by["qdot"])
    assert np.array_equal(there[1].reshape(10, 3), expected.by["tau"])
    only = np.full(30, np.nan)
    slopes.eval_buffer([None, memoryview(tau.ravel()), None], [None, memoryview(only)])  # nothing is zeros, or nobody's
    assert np.array_equal(only.reshape(10, 3), g(qdot=np.zeros(3), tau=tau).by["tau"])


def test_an_objective_of_a_run_has_no_hessian_and_says_so(capfd):
    """CasADi prints what its callbacks raise, and raises an error of its own."""
    f, tau = bridge.objective(run_of_bars()), ca.MX.sym("tau", 3, 10)
    with pytest.raises(RuntimeError, match="get_jacobian"):
        ca.hessian(f(tau=tau), tau)
    assert "no Hessian for CasADi. Give IPOPT" in "".join(capfd.readouterr())


def test_wrong_calls_are_said():
    f, (q, qdot, _) = MADE["forward"](), state(1)
    with pytest.raises(rm.SceneError, match=r"q must have shape \(3, 1\) for this model. Got \(2, 1\)."):
        f(q[:2], qdot)
    with pytest.raises(rm.SceneError, match="has no operand 'mass'"):
        f.function("q", "mass")
