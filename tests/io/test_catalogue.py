"""Every scene of the catalogue, saved and loaded, is the same scene: its constants, its names, and its motion to the last bit.

What is compiled for a scene, whatever the dynamics and the integrator, comes of the texts and the constants that are compared here, so that
scenes in which these are equal move the same; some of each family are run to show it.
"""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from redmax.components.data_and_structure import Described
from redmax.io import loads
from redmax.io.recorded import Recorded
from redmax.io.save import scene_data
from redmax.io.yaml_text import dumped
from redmax.program.group import keys_of
from redmax.run.start import initial_state
from redmax.scenes import CATALOGUE, find
from redmax.trace import Table, listing

STEPS = 5
RUN = ("arm", "prescribed-twist-and-joint", "coupled-chain", "joint-torque", "pulled-chain")
RUN_LONG = ("banner", "deforming-surface", "helix")
LIKE_ANOTHER = ("globe", "beads", "letters")  # whose kinds are all in spinning-beads, letters-sliding and scapula
ENTRIES = [pytest.param(e, id=e.name, marks=[pytest.mark.long] * (e.name in LIKE_ANOTHER)) for e in CATALOGUE]


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


def same_program(a, b) -> bool:
    """Whether all that kernels are made of is equal: motions, functions and forces as texts of traces, and the numbers in them."""
    kernels = [(keys_of(m.kernels_of[0]), [x.tobytes() for x in m.kernels_of[1]]) for m in (a, b)]
    acting = [[(x.law.text, x.members.tolist(), x.constants.tobytes()) for x in m.acting] for m in (a, b)]
    maps = [
        None if m.map is None else (listing(dict(enumerate_names(m.map.position))), m.map.q.tobytes(), m.map.qdot.tobytes()) for m in (a, b)
    ]
    twists = [[(t.body, t.rows, listing(dict(enumerate_names(t.traced_rate)))) for t in m.twists] for m in (a, b)]
    states = [initial_state(m) for m in (a, b)]
    begins = [(s.q.tobytes(), s.qdot.tobytes(), s.chart) for s in states]
    return all(x == y for x, y in (kernels, acting, maps, twists, begins)) and a.tree.parent == b.tree.parent


def enumerate_names(values):
    return ((f"r{i}", x) for i, x in enumerate(values))


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_saved_scene_is_the_same_scene(entry, saved):
    scene, text = entry.scene(), saved(entry)
    again = loads(text)
    a, b = scene.model(), again.model()
    assert (scene.title, scene.units, scene.defaults) == (again.title, again.units, again.defaults)
    assert [x.name for x in scene.forces] == [x.name for x in again.forces]
    assert [x.name for x in scene.deformables] == [x.name for x in again.deformables]
    assert [len(part) for part in (a.bodies, a.hidden, a.nodes)] == [len(part) for part in (b.bodies, b.hidden, b.nodes)]
    for x, y in zip(a.links, b.links, strict=True):
        assert (x.name, x.joint_name, x.parent, x.motion_level) == (y.name, y.joint_name, y.parent, y.motion_level)
        for what in ("at", "body", "q", "qdot", "stiffness", "damping", "rest", "gain", "velocity_gain"):
            assert same(getattr(x, what), getattr(y, what)), (x.name, what)
        assert same(x.shape.mass_matrix, y.shape.mass_matrix)
        assert same(x.joint, y.joint), x.joint_name
    for f, g in zip((*a.forces, *a.joint_forces), (*b.forces, *b.joint_forces), strict=True):
        assert same(f, g), f.name
    assert same(a.gravity, b.gravity)
    assert same_program(a, b)
    if len(text) < 100_000:  # the long ones hold arrays, which are written as they were read
        assert dumped(scene_data(again)) == text


def test_scenes_that_differ_in_a_number_or_a_function_are_not_the_same():
    text = "redmax: 1\nbodies:\n  - {shape: {Sphere: {radius: 1}}, joint: Revolute, com: [1, 0, 0], torque: 2*t}\n"
    one, same_one, number, function = (
        loads(text.replace(*c)).model() for c in (("", ""), ("", ""), ("radius: 1", "radius: 1.0000000000000002"), ("2*t", "3*t"))
    )
    assert same_program(one, same_one)
    assert not same_program(one, number)
    assert not same_program(one, function)


@pytest.mark.parametrize("name", [*RUN, *(pytest.param(name, marks=pytest.mark.long) for name in RUN_LONG)])
def test_a_saved_scene_moves_the_same(name, tmp_path):
    entry = find(name)
    scene = entry.scene()
    scene.save(tmp_path / "scene.yaml")
    again = rm.Scene.load(tmp_path / "scene.yaml")
    options = {"duration": STEPS * entry.dt, "dt": entry.dt, "integrator": entry.integrator, "dynamics": entry.dynamics}
    a, b = rm.simulate(scene, **options), rm.simulate(again, **options)
    assert np.isfinite(a.q).all()
    assert a.q.tobytes() == b.q.tobytes()
    assert a.qdot.tobytes() == b.qdot.tobytes()
