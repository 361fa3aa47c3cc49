"""Contact in scene files: what is saved is loaded, and mistakes are sentences with their lines."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import redmax as rm
from redmax.io import SceneFileError, loads

BODY = "bodies:\n  - {name: box, shape: {Cuboid: {size: [1, 1, 1]}}, joint: Free3D, contact: true}\n"


def scene() -> rm.Scene:
    found = rm.Scene(title="all of it")
    found.add_ground(0.1, contact=0.5)
    found.add_obstacle(rm.Plane(), at=rm.pose(rm.rotation_about("y", 0.3), (2, 0, 0)), name="ramp", contact=rm.ContactMaterial(0.3, 0.5))
    found.add_obstacle(rm.Cuboid((0.1, 1, 1)), at=(0.5, 0, 0.5), name="wall", color="tomato", opacity=0.5, material="metal", group=2)
    materials = (True, 0.4, rm.ContactMaterial(compliance=1e-4, damping=0.01), rm.ContactMaterial(0.2, stiff=True), None)
    for k, contact in enumerate(materials):
        found.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Free3D(), at=(0.3 * k, 0, 1), contact=contact, contact_group=k, name=f"ball{k}")
    found.ignore_contact("ball0", "wall")
    return found


def test_what_is_saved_is_loaded(tmp_path):
    made = scene()
    made.save(tmp_path / "a.yaml")
    for again in (rm.Scene.load(tmp_path / "a.yaml"), pickle.loads(pickle.dumps(made))):
        again.save(tmp_path / "b.yaml")
        assert (tmp_path / "a.yaml").read_text() == (tmp_path / "b.yaml").read_text()
        assert [link.contact for link in again.links] == [link.contact for link in made.links]
        assert [link.contact_group for link in again.links] == [0, 1, 2, 3, 4]
        assert again.apart == made.apart
        for o, p in zip(again.obstacles, made.obstacles, strict=True):
            assert (o.name, o.contact, o.group, o.appearance, type(o.shape)) == (p.name, p.contact, p.group, p.appearance, type(p.shape))
            assert np.array_equal(o.pose, p.pose)
        assert len(again.model().contact_pairs) == len(made.model().contact_pairs)


def test_expressions_and_prefixes(tmp_path):
    (tmp_path / "part.yaml").write_text(BODY + "obstacles: [{name: wall, shape: Plane, contact: mu / 2}]\nparameters: {mu: 0.5}\n"
                                        "ignore_contact: [[box, wall]]\n")  # fmt: skip
    (tmp_path / "whole.yaml").write_text("redmax: 1\ninclude: [{file: part.yaml, prefix: left-, parameters: {mu: 0.8}}]\n")
    found = rm.Scene.load(tmp_path / "whole.yaml")
    assert (found.obstacles[0].name, found.obstacles[0].contact.friction) == ("left-wall", 0.4)
    assert found.apart == [frozenset(("left-box", "left-wall"))]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (BODY.replace("true", "{friction: -1}"), 3, "friction is -1, expected a number from 0 up"),
        (BODY.replace("true", "{fricton: 1}"), 3, "Did you mean 'friction'"),
        (BODY.replace("true", "soft"), 3, "there is no 'soft' here"),
        (BODY.replace("Cuboid: {size: [1, 1, 1]}", "Cone: {radius: 1, height: 2}"), 3, "its shape is of kind Cone"),
        (BODY + "obstacles:\n  - {shape: Plan}", 5, "Did you mean 'Plane'"),
        (BODY + "obstacles:\n  - {shape: {Plane: {size: 1}}}", 5, "a Plane takes no arguments"),
        (BODY + "obstacles:\n  - {shap: Plane}", 5, "Did you mean 'shape'"),
        (BODY + "obstacles: [{name: g, shape: Plane}]\nignore_contact:\n  - [box, h]", 6, "there is no body or obstacle 'h'"),
        (BODY + "obstacles: [{name: g, shape: Plane}]\nignore_contact:\n  - [box]", 6, "expected two names"),
        (BODY + "obstacles: [{name: g, shape: Plane}]\nignore_contact:\n  - [box, box]", 6, "Got 'box' twice"),
        (BODY + "obstacles: [{name: g, shape: Plane}]\nrun: {integrator: rk4}", 5, "Take 'implicit'"),
    ],
)
def test_mistakes_have_a_line_and_a_sentence(text, line, said):
    with pytest.raises(SceneFileError, match=said) as told:
        loads("redmax: 1\n" + text)
    assert told.value.problems[0].line == line
