"""The elliptic joint against Lee & Terzopoulos Eqs. 17-20 as printed (the last row of Eq. 17 corrected), and against an ellipse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import redmax as rm
from joints.evaluated import evaluated

axes = st.tuples(st.floats(0.1, 2.0), st.floats(0.1, 2.0))


def printed(a: float, b: float, q: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """G (with H = 1), S and dS/dq of Eqs. 17, 19 and 20."""
    phi = np.arctan2(b * np.sin(q), a * np.cos(q))
    square = (a * np.cos(q)) ** 2 + (b * np.sin(q)) ** 2
    first = a * b / square
    second = -a * b / square**2 * 2 * np.sin(q) * np.cos(q) * (b * b - a * a)
    R = np.array([[np.cos(phi), -np.sin(phi), 0], [np.sin(phi), np.cos(phi), 0], [0, 0, 1]])
    G = np.eye(4)
    G[:3, :3], G[:3, 3] = R, [a * np.sin(q), -b * np.cos(q), 0]
    S = np.concatenate([[0, 0, first], R.T @ [a * np.cos(q), b * np.sin(q), 0]])
    dS = np.concatenate([[0, 0, second], R.T @ [(b * first - a) * np.sin(q), (b - a * first) * np.cos(q), 0]])
    return G, S, dS


@given(axes=axes, q=st.floats(-7, 7), v=st.floats(-3, 3))
def test_equations_17_to_20(axes, q, v):
    E, S, Sdot = evaluated(rm.Elliptic(*axes), np.array([q]), np.array([v]))
    G, S0, dS = printed(*axes, q)
    assert_allclose(E, G, atol=1e-14)
    assert_allclose(S[:, 0], S0, atol=1e-13, rtol=1e-13)
    assert_allclose(Sdot[:, 0], dS * v, atol=1e-11, rtol=1e-11)


@given(axes=axes, q=st.floats(-7, 7))
def test_it_lies_on_the_ellipse_and_along_its_tangent(axes, q):
    a, b = axes
    E = np.asarray(rm.Elliptic(a, b).transform(np.array([q])), float)
    x, y = E[:2, 3]
    assert (x / a) ** 2 + (y / b) ** 2 == pytest.approx(1.0, abs=1e-13)
    assert E[:2, 0] @ [x / a**2, y / b**2] == pytest.approx(0.0, abs=1e-12 * max(1 / a, 1 / b))  # across the gradient of the conic


def test_the_base_carries_the_ellipse():
    H = np.asarray(rm.pose(rm.rotation_about((1, 2, 3), 0.7), (0.1, -0.2, 0.3)), float)
    q, v = np.array([0.6]), np.array([1.1])
    plain, moved = (evaluated(rm.Elliptic(1.0, 0.4, base), q, v) for base in (None, H))
    assert_allclose(moved[0], H @ plain[0], atol=1e-15)
    assert_allclose(moved[1], plain[1], atol=0)
    assert_allclose(moved[2], plain[2], atol=0)


def test_it_is_the_curve_joint_on_an_ellipse():
    """Half a turn of the parameter away: (a sin q, -b cos q) is the ellipse at q - pi/2."""
    q, v = np.array([0.6]), np.array([1.1])
    E, S, Sdot = evaluated(rm.Elliptic(1.0, 0.4), q, v)
    other = evaluated(rm.CurveJoint(rm.curves.Ellipse(1.0, 0.4)), q - np.pi / 2, v)
    for own, found in zip((E, S, Sdot), other):
        assert_allclose(own, found, atol=1e-14)


@pytest.mark.parametrize("args", [(0, 1), (1, -1), (1, np.nan), (1, 1, np.eye(3)), (1, 1, 2 * np.eye(4))])
def test_what_is_no_ellipse(args):
    with pytest.raises(rm.SceneError, match="Elliptic"):
        rm.Elliptic(*args)
