"""Holding, attaching and moving nodes: each returns a changed copy, whichever way the nodes are named."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from redmax.components.handles import BodyHandle
from redmax.deformables import Attachment, Cloth, SpringChain, Tetrahedra
from redmax.errors import SceneError

ARM, HAND = BodyHandle("arm", 0, "shoulder"), BodyHandle("hand", 1, "wrist")


@pytest.fixture
def chain() -> SpringChain:
    return SpringChain((0, 0, 0), (1, 0, 0), 5, mass=1.0, stiffness=10.0)


@pytest.mark.parametrize(
    "which",
    [[3, 4], (3, -1), np.array([3, 4]), np.array([0, 0, 0, 1, 1], bool), [False, False, False, True, True], lambda x: x[:, 0] > 0.6],
)
def test_every_way_to_name_nodes(chain, which):
    held = chain.hold(which)
    assert sorted(held.attachments) == [3, 4]
    assert held.free.tolist() == [0, 1, 2]
    assert type(held) is SpringChain
    assert not chain.attachments  # a new object


def test_hold_and_attach(chain):
    tied = chain.hold(0).attach(ARM, [2, 3]).attach(HAND, -1, at=(0.1, 0.2, 0.3))
    assert tied.attachments == {0: Attachment(), 2: Attachment(ARM), 3: Attachment(ARM), 4: Attachment(HAND, (0.1, 0.2, 0.3))}
    assert tied.free.tolist() == [1]
    several = chain.attach(ARM, [0, 4], at=[(1, 2, 3), (4, 5, 6)])
    assert several.attachments[4].point == (4.0, 5.0, 6.0)


def test_all_nodes_may_be_kept(chain):
    assert not len(chain.hold(lambda x: x[:, 0] > -1).free)


def test_moved_starts_elsewhere_and_rests_where_it_did(chain):
    at, v = chain.nodes + [0, 0, 1], np.ones((5, 3))
    moved = chain.hold(0).moved(at).moved(velocities=v)
    assert np.array_equal(moved.positions, at)
    assert np.array_equal(moved.velocities, v)
    assert np.array_equal(moved.nodes, chain.nodes)
    assert np.array_equal(chain.positions, chain.nodes)
    assert not chain.velocities.any()
    assert 0 in moved.attachments


def test_predicates_see_positions_at_rest(chain):
    turned = chain.moved(chain.nodes[::-1])
    assert sorted(turned.hold(lambda x: x[:, 0] < 0.1).attachments) == [0]


def test_nothing_can_be_changed_in_place(chain):
    with pytest.raises(FrozenInstanceError):
        chain.name = "other"
    for array in (chain.nodes, chain.masses, chain.positions, chain.elements[0].data, chain.elements[0].nodes, chain.lines):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    given = np.zeros((5, 3))
    moved = chain.moved(given)
    given[:] = 9.0
    assert not moved.positions.any()


@pytest.mark.parametrize(
    "body",
    [
        SpringChain((0, 0, 0), (1, 0, 0), 5, mass=1.0, stiffness=10.0, name="rope"),
        Cloth((1, 1), (2, 2), density=0.1, stretch=10.0, name="rope"),
        Tetrahedra.box((1, 1, 1), (1, 1, 1), density=1.0, youngs=1e4, poisson=0.3, name="rope"),
    ],
)
def test_copies_through_pickle_and_text(body):
    tied = body.attach(ARM, 1).hold(0)
    again = pickle.loads(pickle.dumps(tied))
    assert again.attachments == tied.attachments
    assert np.array_equal(again.nodes, tied.nodes)
    assert again.elements[0].law == tied.elements[0].law
    assert f"'rope', {len(body.nodes)} nodes, 2 of them kept" in repr(tied)


@pytest.mark.parametrize(
    ("do", "says"),
    [
        (lambda c: c.hold(5), r"nodes is 5, expected node numbers from -5 to 4"),
        (lambda c: c.hold([0, -6]), r"nodes is \[0, -6\]"),
        (lambda c: c.hold([True, False]), "a mask of 5 truth values"),
        (lambda c: c.hold(lambda x: x[:2, 0] > 0), "from <lambda>, expected"),
        (lambda c: c.hold(lambda x: x[:, 0] > 7), "selects none of the 5 nodes"),
        (lambda c: c.hold([]), "nodes is"),
        (lambda c: c.hold([1, 1]), "each node once"),
        (lambda c: c.hold([1, -4]), "each node once"),
        (lambda c: c.hold(0.5), "nodes is 0.5"),
        (lambda c: c.hold("first"), "nodes is 'first'"),
        (lambda c: c.hold([[0], [1, 2]]), "nodes is"),
        (lambda c: c.hold(0).hold([0, 1]), "node 0 is kept by the world already"),
        (lambda c: c.attach(ARM, 1).attach(HAND, 1), "node 1 is kept by the body 'arm' already"),
        (lambda c: c.attach("arm", 1), "body is 'arm', expected what Scene.add_body returned"),
        (lambda c: c.attach(ARM, 1, at=(1, 2)), "at is"),
        (lambda c: c.attach(ARM, [1, 2], at=(1, 2, 3)), "for each of 2 nodes"),
        (lambda c: c.attach(ARM, 1, at=(1, 2, np.nan)), "at is"),
        (lambda c: c.moved(np.zeros((4, 3))), r"a \(5, 3\) array"),
        (lambda c: c.moved(velocities=np.full((5, 3), np.inf)), "velocities is"),
    ],
)
def test_bad_attachments(chain, do, says):
    with pytest.raises(SceneError, match=says):
        do(chain)
