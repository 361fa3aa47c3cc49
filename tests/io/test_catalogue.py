"""Every scene of the catalogue, saved and loaded, is the same scene: its constants, its names, and its motion to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from redmax.described import Described
from redmax.io.save import scene_data
from redmax.io.traces import Recorded
from redmax.io.yaml_text import dumped
from redmax.scenes import CATALOGUE
from redmax.trace import Table

STEPS = 5


def same(a, b) -> bool:
    """Equal to the last bit; functions are compared by what they do, in the runs below."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.shape(a) == np.shape(b) and np.asarray(a).tobytes() == np.asarray(b).tobytes()
    if isinstance(a, Table):
        return a.values == b.values and a.shape == b.shape
    if type(a) in (list, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, Described):
        kept = [{k: v for k, v in vars(x).items() if k != "made"} for x in (a, b)]
        return type(a) is type(b) and kept[0].keys() == kept[1].keys() and all(same(kept[0][k], kept[1][k]) for k in kept[0])
    if callable(a) and isinstance(b, Recorded):
        return True
    return a == b or callable(a) == callable(b) is True


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda e: e.name)
def test_a_saved_scene_is_the_same_scene(entry, tmp_path):
    scene = entry.scene()
    scene.save(tmp_path / "scene.yaml")
    again = rm.Scene.load(tmp_path / "scene.yaml")
    a, b = scene.model(), again.model()
    assert (scene.title, scene.units) == (again.title, again.units)
    assert [x.name for x in scene.forces] == [x.name for x in again.forces]
    assert [x.name for x in scene.deformables] == [x.name for x in again.deformables]
    for x, y in zip(a.links, b.links, strict=True):
        assert (x.name, x.joint_name, x.parent, x.kind, x.motion_level) == (y.name, y.joint_name, y.parent, y.kind, y.motion_level)
        for what in ("at", "body", "q", "qdot", "stiffness", "damping", "rest", "gain", "velocity_gain"):
            assert same(getattr(x, what), getattr(y, what)), (x.name, what)
        assert same(x.shape.mass_matrix, y.shape.mass_matrix)
        assert same(x.joint, y.joint), x.joint_name
    for f, g in zip((*a.forces, *a.joint_forces), (*b.forces, *b.joint_forces), strict=True):
        assert same(f, g), f.name
    assert same(a.gravity, b.gravity)
    assert dumped(scene_data(scene)) == dumped(scene_data(again))


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda e: e.name)
def test_a_saved_scene_moves_the_same(entry, tmp_path):
    scene = entry.scene()
    scene.save(tmp_path / "scene.yaml")
    again = rm.Scene.load(tmp_path / "scene.yaml")
    options = {"duration": STEPS * entry.dt, "dt": entry.dt, "integrator": entry.integrator, "dynamics": entry.dynamics}
    a, b = rm.simulate(scene, **options), rm.simulate(again, **options)
    assert np.isfinite(a.q).all()
    assert a.q.tobytes() == b.q.tobytes()
    assert a.qdot.tobytes() == b.qdot.tobytes()
