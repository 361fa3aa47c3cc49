"""Activation dynamics: step responses against closed forms and implicit solutions, and how the rate behaves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from random_examples import examples
from redmax.muscles import ActivationDynamics, checked_activation, checked_excitation
from redmax.trace import Graph, evaluate_numeric

levels = st.floats(0, 1)
forms = pytest.mark.parametrize("form", ["linear", "thelen"])


def response(dynamics: ActivationDynamics, u: float, a0: float, t: np.ndarray) -> np.ndarray:
    return solve_ivp(lambda _, a: dynamics.rate(u, a), (0, t[-1]), [a0], "DOP853", t, rtol=1e-11, atol=1e-13).y[0]


@pytest.mark.parametrize(("u", "a0", "tau"), [(1.0, 0.0, 0.01), (0.6, 0.1, 0.01), (0.0, 1.0, 0.04), (0.3, 0.8, 0.04)])
def test_linear_step_response_is_exponential(u, a0, tau):
    t = np.linspace(0, 0.1, 20)
    assert_allclose(response(ActivationDynamics(), u, a0, t), u + (a0 - u) * np.exp(-t / tau), atol=1e-9)


def test_thelen_step_responses_solve_their_separated_equations():
    """Rising: integral of rise (0.5 + 1.5 a) / (u - a) da = t;  falling to 0: integral of -fall / ((0.5 + 1.5 a) a) da = t."""
    dynamics = ActivationDynamics(rise=0.012, fall=0.05, form="thelen")
    t = np.linspace(0, 0.06, 15)
    u, a0 = 0.9, 0.05
    a = response(dynamics, u, a0, t)
    assert_allclose(0.012 * ((0.5 + 1.5 * u) * np.log((u - a0) / (u - a)) - 1.5 * (a - a0)), t, atol=1e-9)
    a = response(dynamics, 0.0, 0.95, t)
    primitive = [2 * np.log(x / (0.5 + 1.5 * x)) for x in (0.95, a)]
    assert_allclose(0.05 * (primitive[0] - primitive[1]), t, atol=1e-9)


@forms
@examples(12, 100)
@given(u=levels, a=levels)
def test_activation_goes_towards_excitation(form, u, a):
    r = ActivationDynamics(form=form).rate(u, a)
    assert np.sign(r) == np.sign(u - a)


@forms
@examples(12, 100)
@given(a=levels)
def test_rate_is_continuous_where_rising_becomes_falling(form, a):
    d = ActivationDynamics(form=form)
    assert d.rate(a, a) == 0
    assert abs(d.rate(a + 1e-9, a)) < 1e-6
    assert abs(d.rate(a - 1e-9, a)) < 1e-6


def test_time_constants_at_both_ends():
    """Thelen: a resting muscle rises at half the time constant, a fully active one falls at half."""
    d = ActivationDynamics(form="thelen")
    assert_allclose(d.rate(1.0, 0.0), 1 / 0.005)
    assert_allclose(d.rate(0.0, 1.0), -1 / 0.02)
    assert_allclose(ActivationDynamics().rate(1.0, 0.0), 1 / 0.01)
    assert_allclose(ActivationDynamics().rate(0.0, 1.0), -1 / 0.04)


@forms
def test_traced_with_traced_data_agrees_with_floats(form):
    d = ActivationDynamics(0.015, 0.06, form)
    assert sorted(d.data()) == ["fall", "rise"]
    assert d.structure() == ActivationDynamics(form=form).structure()
    graph = Graph()
    u, a, rise, fall = graph.inputs("x", 4)
    traced = d.with_data({"rise": rise, "fall": fall}).rate(u, a)
    for at in ((0.2, 0.7), (0.7, 0.2), (0.4, 0.4)):
        place = (*at, 0.015, 0.06)
        assert_allclose(float(evaluate_numeric([traced], lambda _, i: place[i])[0]), d.rate(*at), rtol=1e-14)  # noqa: B023
    many = d.rate(np.array([0.2, 0.7]), np.array([0.7, 0.2]))
    assert_allclose(many, [d.rate(0.2, 0.7), d.rate(0.7, 0.2)], rtol=1e-14)


def test_excitations():
    assert checked_activation("biceps", 1) == 1.0
    assert checked_excitation("biceps", 0.5) == 0.5

    def pulse(t):
        return 0.5 + 0.5 * np.sin(t)

    assert checked_excitation("biceps", pulse) is pulse
