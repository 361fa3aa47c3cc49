"""Sets of curves: by name and of a user's own; traced, called and called with many alike."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad

from muscles.slopes import slope
from redmax.errors import SceneError
from redmax.math import exp, where
from redmax.muscles import Curves
from redmax.muscles.curves import NAMES, curves_of
from redmax.trace import Graph, evaluate_numeric, jvp

PARTS = ("active_length", "velocity", "passive_length", "passive_energy")
each = pytest.mark.parametrize(("name", "part"), [(n, p) for n in NAMES for p in PARTS])


def curves_by_name(name: str) -> Curves:
    return curves_of("test", name)


@each
def test_traced_called_and_called_with_many_agree(name, part):
    curve = getattr(curves_by_name(name), part)
    x = np.linspace(-1.3, 2.5, 77)
    graph = Graph()
    variable = graph.input("x", 0)
    value = curve(2.0 * variable)
    rate = jvp([value], {variable: 1.0})[0]
    found = np.array([[float(e) for e in evaluate_numeric([value, rate], lambda _, i, v=v: v / 2)] for v in x])
    assert_allclose(found[:, 0], [curve(float(v)) for v in x], atol=1e-14)
    assert_allclose(curve(x), found[:, 0], atol=1e-14)
    assert_allclose(2 * slope(curve, x), found[:, 1], atol=1e-12)


@each
def test_slopes_are_rates(name, part):
    curve = getattr(curves_by_name(name), part)
    knots = getattr(curve, "knots", np.zeros(0))
    h = 1e-6
    x = np.array([v for v in np.linspace(-0.95, 2.2, 150) if np.abs(knots - v).min(initial=1) > 2 * h])
    differences = (curve(x + h) - curve(x - h)) / (2 * h)
    assert_allclose(slope(curve, x), differences, atol=1e-7 * (1 + np.abs(differences).max()))


@pytest.mark.parametrize("name", NAMES)
def test_what_all_curves_share(name):
    curves = curves_by_name(name)
    assert_allclose(curves.active_length(1.0), 1, atol=1e-5)
    assert_allclose(curves.velocity(0.0), 1, atol=1e-14)
    assert_allclose(curves.velocity(-1.0), 0, atol=1e-14)
    assert curves.velocity(0.5) > 1
    assert abs(curves.passive_length(1.0)) < 0.02
    x = np.linspace(0.6, 1.6, 300)
    assert_allclose(slope(curves.energy, x), curves.passive_length(x), atol=1e-11)


def test_energy_of_own_curves_by_quadrature():
    def passive(x):
        return where(x > 1.0, exp(3.0 * (x - 1.0)) - 1.0, 0.0)

    own = Curves(lambda x: exp(-((x - 1) ** 2) / 0.2), lambda v: 1.0 + v, passive)
    for x in (0.6, 1.0, 1.2, 1.9):
        assert_allclose(own.energy(x), quad(passive, 1, x, epsabs=1e-14)[0], atol=1e-13)
        assert_allclose(slope(own.energy, x), passive(x), atol=1e-12)
    given = Curves(own.active_length, own.velocity, passive, lambda x: 7.0 * x)
    assert given.energy(2.0) == 14


def test_the_same_name_is_the_same_curves():
    """What makes muscles share kernels."""
    for name in NAMES:
        assert curves_by_name(name) is curves_by_name(name)
        assert hash(curves_by_name(name)) == hash(curves_by_name(name))
        assert name in repr(curves_by_name(name))


def test_bad_curves_are_refused():
    def good(x):
        return 1.0 * x

    with pytest.raises(SceneError, match=r"biceps: curves is 'milard', expected one of .*Did you mean 'millard'"):
        curves_of("biceps", "milard")
    with pytest.raises(SceneError, match="expected one of 'redmax'"):
        curves_of("biceps", 3)
    with pytest.raises(SceneError, match=r"velocity is 1.0, expected a function"):
        Curves(good, 1.0, good)  # type: ignore[arg-type]
    with pytest.raises(SceneError, match="passive_length gives nan at 0, expected one finite number"):
        Curves(good, good, lambda x: x * np.nan)
    with pytest.raises(SceneError, match=r"active_length gives .* at 0, expected one finite number"):
        Curves(lambda x: [x, x], good, good)
