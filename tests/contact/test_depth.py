"""How deep contacts are at rest, against MuJoCo's elliptic cones as they are set by default, in the same scenes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import redmax as rm
from contact.worlds import DT, ran
from redmax.scenes.falling_chain import build as chain
from redmax.scenes.stacks import pile, stack

pytest.importorskip("mujoco")


@pytest.mark.parametrize(("build", "duration"), [(stack, 1.0), (chain, 4.0), (pile, 4.0)], ids=["stack", "chain", "pile"])
def test_contacts_are_at_most_a_third_as_deep_at_rest(build: Callable[[], rm.Scene], duration: float):
    import mujoco
    from benchmarks.engines.mujoco_contact import Touching

    scene = build()
    other = Touching(scene, DT, "elliptic")
    for _ in range(round(duration / DT)):
        mujoco.mj_step(other.model, other.data)
    run = ran(scene, duration, every=50)
    assert np.abs(run.qdot[-1]).max() < 1e-6
    assert 0 < -3 * run.contacts[-1].gap.min() < -min(contact.dist for contact in other.data.contact)
