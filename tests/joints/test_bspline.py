"""Basis functions as polynomials: against SciPy's, the papers' matrix, and what every B-spline basis satisfies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.interpolate import BSpline

import redmax as rm
from random_examples import examples
from redmax.joints import bspline

# RedMax supplement Eq. 53, rows are basis functions, columns powers of u
CUBIC = np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6


@st.composite
def knot_vectors(draw: st.DrawFn) -> tuple[np.ndarray, int]:
    """Any order from 4 to 7; clamped or not; knots inside up to order - 3 times."""
    k = draw(st.integers(4, 7))
    gaps = draw(st.lists(st.floats(0.05, 2.0), min_size=2, max_size=6))
    inside = np.cumsum(gaps)
    times = [draw(st.integers(1, k - 3)) for _ in inside[:-1]]
    ends = draw(st.booleans())
    before = draw(st.lists(st.floats(0.1, 1.0), min_size=k - 1, max_size=k - 1))
    low = np.zeros(k) if ends else np.concatenate([-np.cumsum(before)[::-1], [0.0]])
    high = np.full(k, inside[-1]) if ends else inside[-1] + np.arange(k) * 0.7
    return np.concatenate([low, np.repeat(inside[:-1], times), high]), k


def places(t: np.ndarray, k: int) -> list[tuple[int, float]]:
    """(piece, u) at both ends of every piece that is not empty, and inside."""
    found = []
    for j in range(len(t) - 2 * k + 1):
        begin, end = t[j + k - 1], t[j + k]
        found += [(j, f * (end - begin)) for f in (0.0, 0.3, 0.77, 1.0)] if end > begin else []
    return found


@examples(12, 100)
@given(knot_vectors())
def test_pieces_are_scipys_basis_functions(knots):
    t, k = knots
    N, every = bspline.polynomials(t, k), BSpline(t, np.eye(len(t) - k), k - 1)
    for j, u in places(t, k):
        ends = t[j + k - 1 : j + k + 1]
        x = np.clip(ends[0] + u, *np.nextafter(ends, ends[::-1]))  # beside a knot, on the side of the piece
        for d in range(3):
            expected = every(x, nu=d)
            assert_allclose([bspline.value(c, u, d) for c in N[j]], expected[j : j + k], rtol=0, atol=1e-9 * np.abs(expected).max())
            assert_allclose(np.delete(expected, range(j, j + k)), 0.0, atol=1e-9 * np.abs(expected).max())


@examples(12, 100)
@given(knot_vectors())
def test_partition_of_unity(knots):
    t, k = knots
    N = bspline.polynomials(t, k)
    for j, u in places(t, k):
        for d in range(3):
            values = np.array([bspline.value(c, u, d) for c in N[j]])
            assert values.sum() == pytest.approx(float(d == 0), abs=1e-10 * np.abs(values).max())
            assert d > 0 or values.min() > -1e-13


@examples(12, 100)
@given(knot_vectors())
def test_slopes_of_cumulative_functions(knots):
    """dB~_j,k/dq = (k - 1) / (t_{j+k-1} - t_j) N_j,k-1 (Lee & Terzopoulos Eq. 23)."""
    t, k = knots
    B, lower = bspline.cumulative(bspline.polynomials(t, k)), bspline.polynomials(t[1:-1], k - 1)
    for j, u in places(t, k):
        for i in range(1, k):
            slope = (k - 1) / (t[j + i + k - 1] - t[j + i]) * bspline.value(lower[j, i - 1], u)
            assert bspline.value(B[j, i - 1], u, 1) == pytest.approx(slope, rel=1e-9, abs=1e-11)


def test_uniform_cubics_are_the_papers_matrix():
    assert_allclose(bspline.uniform_polynomials(4), CUBIC, atol=1e-16)
    assert_allclose(bspline.polynomials(np.arange(11.0), 4), [CUBIC] * 4, atol=1e-15)


def test_cumulative_functions_run_from_nothing_to_one():
    """B~_1 ends at 1 and the last one begins at 0, each with all derivatives that the neighbouring pieces share."""
    for k in (4, 5, 8):
        B = bspline.cumulative(bspline.uniform_polynomials(k))
        for d in range(k - 1):
            assert bspline.value(B[0], 1.0, d) == pytest.approx(float(d == 0), abs=1e-12)
            assert bspline.value(B[-1], 0.0, d) == 0.0
            for i in range(1, k - 1):  # B~_{i+1} at the end of a piece is B~_i at the beginning of the next one
                assert bspline.value(B[i], 1.0, d) == pytest.approx(bspline.value(B[i - 1], 0.0, d), abs=1e-12)


FRAMES = np.tile(np.eye(4), (6, 1, 1))
FRAMES[:, 0, 3] = np.arange(6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": 3}, "order is 3, expected a whole number of 4"),
        ({"order": 4.0}, "order is 4.0"),
        ({"order": True}, "order is True"),
        ({"order": 7}, "there are 6 control values, expected 7 or more"),
        ({"knots": np.arange(9.0)}, "knots is .*, expected 10 ascending numbers"),
        ({"knots": [*range(9), np.nan]}, "expected 10 ascending"),
        ({"knots": [0, 1, 2, 3, 5, 4, 6, 7, 8, 9]}, "knots 4 and 5 are 5 and 4"),
        ({"knots": [0, 1, 2, 3, 4, 4, 6, 7, 8, 9]}, "the knot 4 occurs 2 times; with order 4 .* may occur 1 times"),
        ({"knots": [0, 1, 2, 3, 3, 5, 6, 7, 8, 9]}, "no room beside 3"),
        ({"knots": [0, 1, 2, 3, 4, 6, 6, 7, 8, 9]}, "no room beside 6"),
        ({"knots": [1.0] * 10}, "no room beside 1"),
        ({"order": 5, "knots": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}, None),
        ({"cyclic": True, "knots": np.arange(10.0)}, "expected 7 ascending numbers: where each of the 6 pieces"),
        ({"cyclic": True, "outside": "limit"}, "a cyclic spline has no outside"),
        ({"outside": "stop"}, "outside is 'stop', expected 'error' or 'limit'"),
        ({"outside": "limit"}, "needs limit_stiffness"),
        ({"outside": "limit", "limit_stiffness": -1.0}, "limit_stiffness is -1.0, expected .* not negative"),
        ({"limit_damping": 1.0}, "go with outside='limit'"),
    ],
)
def test_what_cannot_be_a_spline(options, message):
    if message is None:
        rm.SplineCurve(FRAMES, **options)
        return
    with pytest.raises(rm.SceneError, match=message):
        rm.SplineCurve(FRAMES, **options)
