"""The approximations that Lee and Terzopoulos print: of first order, and where they lead."""

from __future__ import annotations

import numpy as np

import redmax as rm
from design.test_curve_derivatives import slope
from design.test_fit_curve import noisy
from redmax.design.curves import printed
from redmax.design.curves.chains import chain
from redmax.design.curves.knots import uniform
from redmax.design.curves.smoothing import Motion, bending
from redmax.design.curves.spans import make_spans
from redmax.design.curves.windows import places, windows
from redmax.lie import se3

RNG = np.random.default_rng(2)
SPANS = make_spans("test", 8, 4, uniform(8, 4, False, 0.0, 5.0), False)
SHAPE = RNG.normal(size=(7, 6))


def frames(size: float) -> np.ndarray:
    """Frames one after the other, the nearer the smaller."""
    C = [np.eye(4)]
    for z in se3.exp(size * SHAPE):
        C.append(C[-1] @ z)
    return np.array(C)


def relative_errors(error) -> np.ndarray:
    return np.array([error(frames(size)) for size in (0.4, 0.2, 0.1, 0.05)])


def test_poses_move_as_printed_to_first_order():
    def error(C: np.ndarray) -> float:
        bound = chain(SPANS, C)
        window = windows(bound.starts, bound.twists, places(SPANS, np.linspace(0, 5, 30))[0])
        exact = printed.exact_pose_columns(bound, window)
        return float(np.linalg.norm(printed.pose_columns(SPANS, window) - exact) / np.linalg.norm(exact))

    found = relative_errors(error)
    assert 0.01 < found[0] < 0.5
    np.testing.assert_allclose(found[1:-1] / found[2:], 2.0, atol=0.15)


def test_joint_hessians_move_as_printed_to_first_order():
    """Against the exact motion, by differences."""
    u = RNG.normal(size=(8, 6))

    def error(C: np.ndarray) -> float:
        bends = bending(SPANS, np.eye(6))

        def hessians(h: float) -> np.ndarray:
            bound = chain(SPANS, C @ se3.exp(h * u))
            return Motion(bends, windows(bound.starts, bound.twists, bends.at)).hessian

        exact = slope(hessians)
        columns = printed.hessian_columns(SPANS, chain(SPANS, C), bends.at)
        own = (columns @ u[SPANS.frames[bends.at.piece]].reshape(-1, 24, 1))[..., 0]
        return float(np.linalg.norm(own - exact) / np.linalg.norm(exact))

    found = relative_errors(error)
    np.testing.assert_allclose(found[1:-1] / found[2:], 2.0, atol=0.3)


def test_the_printed_iteration_ends_beside_the_least_squares():
    """Linearly, and where residuals stay above the optimum; the steps of this package end in it."""
    poses, q = noisy(60, 0.1)
    fit = rm.fit_curve(poses, q, frames=7)
    spans = fit.spans
    C, moved = fit.frames @ se3.exp(0.05 * RNG.normal(size=(7, 6))), []
    for _ in range(25):
        new = printed.iterate(spans, C, q, poses)
        moved.append(np.abs(se3.log(se3.inverse(C) @ new)).max())
        C = new
    rates = np.array(moved[2:8]) / np.array(moved[1:7])
    assert ((rates > 1e-3) & (rates < 0.6)).all()
    there = rm.fit_curve(poses, q, frames=7, initial=C, iterations=0)
    assert moved[-1] < 1e-12
    assert fit.objective * (1 + 1e-9) < there.objective < fit.objective * 1.01
    assert np.abs(there.gradient).max() > 1e-4 > 1e-8 > np.abs(fit.gradient).max()


def test_printed_knots_are_the_way_along_the_frames():
    C = frames(0.1)
    assert printed.knots_of_frames(C)[-1] == np.sum(rm.pose_distances(C[:-1], C[1:]))
