"""What light bodies do under heavy ones, which is said; and materials given in other ways, or in ways that contradict each other."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from contact.worlds import G, ran


def under(load: float, dt: float = 0.002, friction: object = 0.5, **material: object) -> rm.Trajectory:
    """A box of 1 kg under one of so many, at rest."""
    scene, made = rm.Scene(), rm.ContactMaterial(0.5, **material) if material else friction  # type: ignore[arg-type]
    scene.add_ground(contact=made)
    for k, mass in enumerate((1.0, load)):
        at = (0, 0, 0.1 + 0.2 * k)
        scene.add_body(rm.Cuboid((0.2, 0.2, 0.2), mass=mass), joint=rm.Free3D(), at=at, contact=made, name=f"box {k}")
    return ran(scene, 2.0, dt=dt)


def test_depth_is_in_proportion_to_the_load_and_as_the_page_says(recwarn):
    depth = {load: -under(load).contacts[-1].gap.min() for load in (10.0, 100.0)}
    assert depth[100.0] == pytest.approx(10 * depth[10.0], rel=0.1)
    assert depth[100.0] == pytest.approx(1.3e-3, rel=0.05)
    assert -under(100.0, stiff=True).contacts[-1].gap.min() == pytest.approx(0.1 * depth[100.0], rel=0.05)
    assert -under(100.0, dt=0.001).contacts[-1].gap.min() == pytest.approx(0.25 * depth[100.0], rel=0.05)
    assert not [w for w in recwarn if "sunk" in str(w.message)]


@pytest.mark.parametrize(("load", "pair"), [(1e3, "'box 0' and 'box 1'"), (1e6, "'ground' and 'box 0'")])
def test_loads_that_sink_in_are_named(load, pair):
    with pytest.warns(rm.RedmaxWarning, match=rf"{pair} have sunk .* from 1 to 1e\+0[36] kg.* stiff=True .* half of dt"):
        run = under(load)
    assert run.contacts[-1].gap.min() < -0.01


def test_what_is_meant_to_give_way_is_not_warned_of(recwarn):
    run = under(1e3, compliance=1e-6, damping=0.1)
    assert -run.contacts[-1].gap.min() == pytest.approx(2e-6 * 1001 * G / 4, rel=0.05)  # of both surfaces, at four corners
    under(1e3, compliance=1e-5, damping=0.1)
    assert not [w for w in recwarn if "sunk" in str(w.message)]


def test_a_friction_may_be_any_number():
    expected = under(1.0)
    for given in (np.array(0.5), np.float32(0.5)):
        assert np.abs(under(1.0, friction=given).q - expected.q).max() == 0.0
    with pytest.raises(rm.SceneError, match=r"contact is array.*, expected True, a friction"):
        rm.Scene().add_ground(contact=np.array([0.5, 0.2]))  # type: ignore[arg-type]


def test_a_compliance_and_stiff_contradict_each_other():
    with pytest.raises(rm.SceneError, match=r"compliance is 0\.001 m/N.*stiff=True has no part.*Leave out one"):
        rm.ContactMaterial(compliance=1e-3, stiff=True)
