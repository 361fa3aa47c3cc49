"""The bridge to SciPy: vectors in and out, gradients and Hessians against differences, and problems that SciPy solves with them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize, root

import redmax as rm
from bridges.bars import NAMES, state, two_bars, values
from redmax.bridges import scipy as bridge

SCENE = two_bars(stiffness=3.0)


def test_values_are_those_of_the_library():
    q, qdot, tau = state(1, 4)
    f = bridge.forward_dynamics(SCENE, NAMES)
    assert np.allclose(f(q, qdot, tau[0]), rm.Dynamics(SCENE).forward(q, qdot, tau[0]), rtol=1e-13)
    expected = rm.Dynamics(SCENE, parameters=values()).forward(q, qdot, tau)
    assert np.allclose(f(q, qdot, tau, parameters=values()), expected, rtol=1e-13)


def test_where_a_mechanism_hangs_still():
    """Springs and gravity in balance: the root of what torques are needed there."""
    f = bridge.inverse_dynamics(two_bars(stiffness=5.0))
    rest = f.equations(["q"], qdot=np.zeros(3))
    found = root(rest.value, rest.start + 0.1, jac=rest.jacobian)
    assert found.success
    assert np.abs(rm.Dynamics(two_bars(stiffness=5.0)).forward(found.x, np.zeros(3))).max() < 1e-8
    assert np.allclose(rest.jacobian(found.x), approx_fprime(found.x, rest.value), atol=1e-5)


def test_gradients_and_products_with_hessians():
    f, (q, qdot, qddot) = bridge.inverse_dynamics(SCENE, NAMES), state(2)
    cost = f.objective(lambda tau, q: tau @ tau + 0.1 * q[0] ** 4, ["gravity", "q", *NAMES[:2]], q=q, qdot=qdot, qddot=qddot)
    x = cost.start + 0.01
    assert len(x) == 3 + 3 + 1 + 9
    rng, h = np.random.default_rng(3), 1e-5
    p = rng.normal(size=len(x))
    p[-9:] = (p[-9:].reshape(3, 3) + p[-9:].reshape(3, 3).T).ravel()
    up, down = (cost.value_and_gradient(x + s * h * p) for s in (1, -1))
    assert np.isclose(cost.value_and_gradient(x)[1] @ p, (up[0] - down[0]) / (2 * h), rtol=1e-7)
    product = cost.hessp(x, p)
    assert np.abs(product - (up[1] - down[1]) / (2 * h)).max() < 1e-6 * np.abs(product).max()
    other = rng.normal(size=len(x))
    assert np.isclose(other @ product, p @ cost.hessp(x, other), rtol=1e-11)


def test_a_step_towards_a_place():
    f = bridge.step(SCENE, 0.05, "implicit")
    cost = f.objective(lambda q, qdot, tau: 1e4 * (q - 0.01) @ (q - 0.01) + 1e-3 * tau @ tau, ["tau"], q=np.zeros(3), qdot=np.zeros(3))
    found = minimize(cost.value_and_gradient, cost.start, jac=True, hessp=cost.hessp, method="trust-ncg", options={"gtol": 1e-9})
    assert found.success
    assert np.allclose(f(np.zeros(3), np.zeros(3), found.x)[0], 0.01, atol=2e-4)


def test_wrong_calls_are_said():
    f = bridge.forward_dynamics(SCENE)
    with pytest.raises(rm.SceneError, match='by is a list of operands'):
        f.equations("q")
    with pytest.raises(rm.SceneError, match="x is a vector of 3 numbers, tau"):
        f.equations(["tau"], q=np.zeros(3)).value(np.zeros(2))
    with pytest.raises(rm.SceneError, match="The function '<lambda>' of a bridge must return the cost, one number"):
        f.objective(lambda qddot: qddot, ["tau"])
