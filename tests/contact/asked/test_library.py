"""Pairs that coal is asked for, over random poses, against support functions: how far apart, along which normal, and how many points."""

from __future__ import annotations

import coal
import numpy as np
import pytest
from scipy.spatial import ConvexHull

from contact.asked.shapes import PAIRS, apart, as_mesh, extent, most_apart, placed, random_placed
from redmax import Ellipsoid, rotation_about
from redmax.contact.asked.choose import MOST, numbered, spread, without_doubles
from redmax.contact.asked.library import Library
from redmax.contact.asked.placed import Points

MARGIN = 0.05


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_gaps_are_how_far_shapes_are_apart(kinds):
    """A normal that is nearly that of a face is taken for it, within 2e-3; of deep overlaps another way out may be nearly as short."""
    rng, library, errors, missed = np.random.default_rng(3), Library(coal), [], []
    for _ in range(40):
        a, b = (random_placed(kind, rng, 0.3) for kind in kinds)
        found, best = library.meet(a, b, MARGIN), most_apart(a, b)
        if not len(found):
            assert best > MARGIN - 1e-6
            continue
        k = found.gap.argmin()
        n, half = found.normal[k], 0.5 * found.gap[k] * found.normal[k]
        assert np.linalg.norm(n) == pytest.approx(1, abs=1e-12)
        on_a, on_b = n @ (found.point[k] - half - a.x) - extent(a, n), -n @ (found.point[k] + half - b.x) - extent(b, -n)
        errors.append(max(abs(found.gap[k] - apart(a, b, n)), abs(on_a), abs(on_b)))
        missed.append(best - found.gap[k])
    assert len(errors) > 22
    assert np.quantile(errors, 0.9) < 1e-6
    assert max(errors) < 5e-3
    assert np.quantile(missed, 0.8) < 1e-5


@pytest.mark.parametrize("kind", ["sphere", "ellipsoid"])
def test_round_shapes_meet_to_the_last_digits(kind):
    """No direction near that normal has them farther apart; and a sphere touches an ellipsoid along the normal of that."""
    rng, library, found = np.random.default_rng(4), Library(coal), 0
    for _ in range(40):
        a, b = random_placed(kind, rng, 0.3), random_placed("ellipsoid", rng, 0.3)
        met = library.meet(a, b, MARGIN)
        if not len(met):
            continue
        found += 1
        n, gap = met.normal[0], met.gap[0]
        assert abs(apart(a, b, n) - gap) < 1e-14
        tried = n + 1e-4 * rng.normal(size=(20, 3))
        assert (apart(a, b, tried / np.linalg.norm(tried, axis=1)[:, None]) <= gap + 1e-14).all()
        on = b.local(met.point[0] + 0.5 * gap * n)
        assert ((on / b.shape.size) ** 2).sum() == pytest.approx(1, abs=1e-9)
        normal = on / b.shape.size**2
        assert -normal / np.linalg.norm(normal) @ b.R.T == pytest.approx(n, abs=1e-8)
    assert found > 22


def test_resting_faces_have_their_corners():
    library = Library(coal)
    a, b = placed(as_mesh(), np.eye(3), (0, 0, 0)), placed(as_mesh(), rotation_about("z", 0.3), (0.03, 0, 0.2))
    found = library.meet(a, b, MARGIN)
    assert 3 <= len(found) <= 8
    assert found.gap == pytest.approx(np.zeros(len(found)), abs=1e-12)
    assert (found.normal == [0, 0, 1]).all()
    inside = np.abs(found.point[:, :2]).max(axis=1)
    assert inside == pytest.approx(np.full(len(found), 0.1), abs=1e-9) or inside.max() <= 0.1 + 1e-9
    tilted = library.meet(a, placed(as_mesh(), rotation_about("y", 1e-3), (0.0, 0, 0.2002)), MARGIN)
    low = tilted.gap[tilted.point[:, 0] > 0.09]
    high = tilted.gap[tilted.point[:, 0] < -0.09]
    assert high - low == pytest.approx(np.full(2, 2e-4), rel=1e-2)  # each corner has a gap of its own
    assert len(library.meet(a, placed(Ellipsoid((0.1, 0.2, 0.3)), np.eye(3), (0.05, 0.02, 0.39)), MARGIN)) == 1


def test_at_most_eight_points_that_are_spread():
    rng = np.random.default_rng(0)
    where = np.concatenate([rng.uniform(-1, 1, (60, 3)), [[1, 1, 0], [-1, -1, 0], [1, -1, 0], [-1, 1, 0]]]) * [1, 1, 0]
    gap = rng.uniform(0, 1, 64)
    found = spread(Points(where, np.tile([0.0, 0, 1], (64, 1)), gap))
    assert len(found) == MOST
    assert gap.min() in found.gap
    assert ConvexHull(found.point[:, :2]).volume > 0.9 * ConvexHull(where[:, :2]).volume
    doubled = Points(np.array([[0, 0, 0], [1e-6, 0, 0], [1.0, 0, 0]]), np.tile([0.0, 0, 1], (3, 1)), np.array([0.0, -1e-3, 0.0]))
    assert without_doubles(doubled, 1.0).gap.tolist() == [-1e-3, 0.0]


def test_points_keep_their_numbers():
    before = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    moved = np.array([[1.01, 0, 0], [0.01, 0, 0], [5.0, 0, 0]])
    assert numbered(moved, before, np.array([4.0, 0.0, 7.0]), 0.1).tolist() == [0, 4, 1]
    assert numbered(moved, np.zeros((0, 3)), np.zeros(0), 0.1).tolist() == [0, 1, 2]
