"""Laws of a user that return what is no force, or are no law, are named in a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import redmax as rm
from redmax.deformables import Deformable, Elements, Law, Spring

PAIR, ONE = np.array([[0, 1]]), np.array([[1.0]])


class Returning(Law):
    """A law whose forces are whatever it was given."""

    nodes, numbers = 2, 1

    def __init__(self, found: Any) -> None:
        self.found = found

    def energy(self, x: Any, data: Any) -> Any:
        return data[0] * ((x[1] - x[0]) @ (x[1] - x[0]))

    def forces(self, x: Any, data: Any) -> Any:
        return self.found


@pytest.mark.parametrize(("found", "got"), [(None, "Got None"), (np.zeros((3, 3)), r"Got shape \(3, 3\)"), (1.0, r"Got shape \(\)")])
def test_forces_are_three_numbers_for_each_node(found, got):
    scene = rm.Scene()
    pair = Deformable(np.eye(3)[:2].copy(), np.ones(2), (Elements(Returning(found), PAIR, ONE),), name="pair")
    scene.add_deformable(pair.hold(0))
    with pytest.raises(rm.SceneError, match=rf"Returning.forces must return an array of shape \(2, 3\).*{got}"):
        rm.simulate(scene, 0.02, 0.01, integrator="euler", progress=False)


@pytest.mark.parametrize("law", ["spring", Spring, None])
def test_elements_need_a_law(law):
    with pytest.raises(rm.SceneError, match="expected a law such as"):
        Elements(law, PAIR, ONE)
