"""Every pair of kinds, over random poses: what is reported moves with the bodies, is as far away as coal says, and stays."""

from __future__ import annotations

import numpy as np
import pytest

from contact.pairs.oracle import distance, most_apart, moved, placed, random_shapes, rotations, separation, shifted
from contact.pairs.pair_runs import meet
from redmax.contact.pairs.table import KINDS, ORDER, PAIRS

ALL = pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
MARGIN = 0.2
FORGIVEN = 1e-6  # of depths and distances, with sizes of 0.1 to 0.6


def configurations(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return random_shapes(rng, n), random_shapes(rng, n)


def gap(contacts: np.ndarray) -> float:
    return contacts[:, 6].min()


@ALL
def test_a_contact_is_near_and_its_normal_a_unit_vector(kinds):
    a, b = configurations(3000)
    for contacts in meet(kinds, a, b, MARGIN):
        assert len(contacts) <= PAIRS[kinds][1]
        assert np.allclose(np.linalg.norm(contacts[:, 3:6], axis=1), 1.0, rtol=0, atol=1e-12)
        assert (contacts[:, 6] < MARGIN).all()
        numbers = contacts[:, 7]
        assert (numbers == np.round(numbers)).all()
        assert ((numbers >= 0) & (numbers < 64)).all()
        assert len(set(numbers)) == len(numbers)


@ALL
def test_contacts_move_with_the_bodies(kinds):
    n = 500
    a, b = configurations(n, 1)
    rng = np.random.default_rng(2)
    R, x = rotations(rng, n), rng.uniform(-3, 3, (n, 3))
    before, after = meet(kinds, a, b, MARGIN), meet(kinds, moved(a, R, x), moved(b, R, x), MARGIN)
    for k in range(n):
        assert np.allclose(before[k][:, :3] @ R[k].T + x[k], after[k][:, :3], rtol=0, atol=1e-7)
        assert np.allclose(before[k][:, 3:6] @ R[k].T, after[k][:, 3:6], rtol=0, atol=1e-7)
        assert np.allclose(before[k][:, 6], after[k][:, 6], rtol=0, atol=1e-9)
        assert (before[k][:, 7] == after[k][:, 7]).all()


@ALL
def test_the_least_gap_is_the_distance_of_bodies_apart(kinds):
    a, b = configurations(500, 3)
    found = meet(kinds, a, b, MARGIN)
    apart = 0
    for k, contacts in enumerate(found):
        d = distance(kinds, a[k], b[k])
        if d > MARGIN + FORGIVEN:
            assert not len(contacts)
        elif 0 < d < MARGIN - FORGIVEN:
            apart += 1
            assert abs(gap(contacts) - d) < FORGIVEN, k
    assert apart > 20


@ALL
def test_moved_by_its_depth_along_the_normal_a_body_touches(kinds):
    """A normal that is nearly that of a face is taken for it, within 2e-3, of cuboids that overlap little within 2.5e-2: the body may still
    overlap by that much."""
    a, b = configurations(1000, 4)
    found = meet(kinds, a, b, MARGIN)
    deep = [k for k, contacts in enumerate(found) if len(contacts) and gap(contacts) < 0]
    assert len(deep) > 200
    errors = []
    for k in deep:
        contact = found[k][found[k][:, 6].argmin()]
        errors.append(abs(separation(kinds, a[k], b[k], contact[3:6]) - contact[6]))
    assert np.quantile(errors, 0.98) < FORGIVEN
    assert max(errors) < (2.5e-2 * 0.6 if kinds == ("cuboid", "cuboid") else 1e-3)


@ALL
def test_coal_says_that_it_touches_then(kinds):
    a, b = configurations(150, 5)
    for k, contacts in enumerate(meet(kinds, a, b, MARGIN)):
        if len(contacts) and gap(contacts) < 0:
            contact = contacts[contacts[:, 6].argmin()]
            along = contact[3:6]
            assert distance(kinds, a[k], shifted(b[k : k + 1], (1e-3 - contact[6]) * along)[0]) > 0, k
            assert distance(kinds, a[k], shifted(b[k : k + 1], (-1e-3 - contact[6]) * along)[0]) < 0, k


@ALL
def test_no_other_way_out_is_shorter(kinds):
    """Of 2,000 directions, and those around the best of them; two ways out of a deep overlap may be nearly as long."""
    a, b = configurations(300, 6)
    found = meet(kinds, a, b, MARGIN)
    deep = [k for k, contacts in enumerate(found) if len(contacts) and gap(contacts) < 0]
    missed = [(most_apart(kinds, a[k], b[k]) - gap(found[k])) / -gap(found[k]) for k in deep]
    assert np.mean(np.array(missed) < 1e-4) > 0.98
    assert max(missed) < 0.5


@ALL
def test_numbers_of_features_stay_when_bodies_move_a_little(kinds):
    n = 1000
    a, b = configurations(n, 6)
    rng = np.random.default_rng(7)
    turn = rotations(rng, 1)[0]
    small = np.eye(3) + 1e-6 * (turn - turn.T)
    nudged = b.copy()
    nudged[:, :9] = (small @ b[:, :9].reshape(-1, 3, 3)).reshape(-1, 9)
    nudged = shifted(nudged, rng.uniform(-1e-6, 1e-6, (n, 3)))
    before, after = meet(kinds, a, b, MARGIN), meet(kinds, a, nudged, MARGIN)
    kept = sum(list(p[:, 7]) == list(q[:, 7]) for p, q in zip(before, after, strict=True))
    assert kept >= n - 2  # a point may just come near enough, or an axis win


@ALL
def test_interpreted_is_compiled_is_in_lanes(kinds):
    a, b = configurations(300, 8)
    compiled, lanes = meet(kinds, a, b, MARGIN), meet(kinds, a, b, MARGIN, lanes=None)
    some = [k for k, contacts in enumerate(compiled) if len(contacts)][:12]
    interpreted = meet(kinds, a[some], b[some], MARGIN, "interpret")
    for one, two in [*zip(compiled, lanes, strict=True), *zip([compiled[k] for k in some], interpreted, strict=True)]:
        assert one.shape == two.shape
        assert np.allclose(one, two, rtol=0, atol=1e-9)


@ALL
def test_one_inside_the_other_has_a_normal(kinds):
    rng = np.random.default_rng(9)
    n = 300
    for spread in (0.0, 1e-16, 1e-12, 1e-3):
        R = np.concatenate([rotations(rng, n), np.tile(np.eye(3), (n, 1, 1))])
        size = rng.choice([0.1, 0.2, 0.3], (2, 2 * n, 3))
        S = R if spread < 1e-10 else R[rng.permutation(2 * n)]
        a, b = placed(R, np.zeros(3), size[0]), placed(S, rng.uniform(-spread, spread, (2 * n, 3)), size[1])
        for contacts in meet(kinds, a, b, MARGIN):
            assert len(contacts)
            assert np.isfinite(contacts).all()
            assert np.allclose(np.linalg.norm(contacts[:, 3:6], axis=1), 1.0)
            assert gap(contacts) < 0


@ALL
def test_aligned_shapes_of_equal_sizes(kinds):
    """Where faces, edges and axes are parallel, borders coincide and gaps are zero."""
    rng = np.random.default_rng(10)
    n, c = 400, np.sqrt(0.5)
    turns = np.array([np.eye(3), [[0, 0, 1], [1, 0, 0], [0, 1, 0]], [[0, -1, 0], [1, 0, 0], [0, 0, 1]], [[c, -c, 0], [c, c, 0], [0, 0, 1]]])
    a, b = (placed(turns[rng.integers(4, size=n)], 0.1 * rng.integers(-3, 4, (n, 3)), rng.choice([0.1, 0.2], (n, 3))) for _ in range(2))
    for k, contacts in enumerate(meet(kinds, a, b, MARGIN)):
        assert np.isfinite(contacts).all()
        d = distance(kinds, a[k], b[k])
        if 1e-9 < d < MARGIN - 1e-9:
            assert abs(gap(contacts) - d) < FORGIVEN
        elif d < MARGIN - 1e-9:
            assert gap(contacts) <= 1e-9
            contact = contacts[contacts[:, 6].argmin()]
            assert abs(separation(kinds, a[k], b[k], contact[3:6]) - contact[6]) < FORGIVEN


@ALL
def test_single_precision(kinds):
    a, b = configurations(500, 11)
    double, single = meet(kinds, a, b, MARGIN), meet(kinds, a, b, MARGIN, dtype="float32")
    far = [abs(gap(p) - gap(q)) for p, q in zip(double, single, strict=True) if len(p) and len(q)]
    assert np.mean(np.array(far) < 1e-4) > 0.98


def test_kinds_come_in_order():
    assert all(ORDER.index(first) <= ORDER.index(second) for first, second in PAIRS)
    assert set(PAIRS) == {(p, q) for i, p in enumerate(KINDS) for q in KINDS[i:] if q != "plane"} | {("plane", "ellipsoid")}
