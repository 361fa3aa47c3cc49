"""Pairs with a law of their own, groups that pass through each other, and neighbours that touch because the scene says so."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from contact.worlds import DT, G, ran
from redmax.io import SceneFileError, loads

BOX = rm.Cuboid((0.2, 0.2, 0.2), mass=1.0)


def sliding(group: bool = False) -> rm.Scene:
    """Three boxes that slide side by side on one ground, of which the second and the third have a friction of their own with it."""
    scene = rm.Scene()
    scene.add_obstacle(rm.Plane(), contact=0.8, name="ground", group=9)
    for k in range(3):
        forward = (2, 0, 0, 0, 0, 0)
        scene.add_body(BOX, joint=rm.Free3D(), at=(0, 0.5 * k, 0.1), qdot=forward, contact=0.8, contact_group=k, name=f"box {k}")
    if group:
        scene.set_contact(9, 1, 0.2)
        scene.set_contact(2, 9, rm.ContactMaterial(friction=0.4, stiff=True))
    else:
        scene.set_contact("box 1", "ground", 0.2)
        scene.set_contact("ground", scene.find("box 2"), rm.ContactMaterial(friction=0.4, stiff=True))
    return scene


@pytest.mark.parametrize("group", [False, True])
def test_each_pair_has_its_own_friction(group):
    run = ran(sliding(group), 0.1)
    for k, friction in enumerate((0.8, 0.2, 0.4)):
        assert run.qdot[-1, 6 * k] == pytest.approx(2 - friction * G * 0.1, abs=1e-6)


def test_a_law_of_names_counts_before_one_of_groups():
    scene = sliding(group=True)
    scene.set_contact("box 1", "ground", 0.1)
    assert ran(scene, 0.1).qdot[-1, 6] == pytest.approx(2 - 0.1 * G * 0.1, abs=1e-6)


def test_a_pair_that_bounces_by_a_law_of_its_own():
    scene = rm.Scene()
    scene.add_ground(contact=0.5)
    for name, x in (("falls", 0.0), ("bounces", 1.0)):
        scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Translational(), at=(x, 0, 0.5), contact=0.5, name=name)
    scene.set_contact("bounces", "ground", rm.ContactMaterial(restitution=0.7))
    run = ran(scene, 0.6, 0.0005)
    height = run.q[:, [2, 5]] + 0.4
    after = run.t > np.sqrt(2 * 0.4 / G) + 0.01
    assert height[after, 0].max() < 1e-3
    assert height[after, 1].max() == pytest.approx(0.49 * 0.4, abs=2e-3)


def folding(asked: bool) -> rm.Scene:
    """Two links on hinges, of which the lower folds up onto the upper."""
    scene = rm.Scene(gravity=(0, 0, 0))
    link = rm.Cuboid((0.4, 0.05, 0.05), mass=1.0)
    upper = scene.add_body(link, joint=rm.Revolute("y"), com=(0.2, 0, 0), contact=True, contact_group=3, name="upper")
    scene.add_body(
        link, joint=rm.Revolute("y"), parent=upper, at=(0.5, 0, 0), com=(-0.2, 0, 0), q=0.5, qdot=-2.0, contact=True, contact_group=3,
        name="lower",
    )  # fmt: skip
    if asked:
        scene.set_contact("upper", "lower", 0.0)
    return scene


def test_neighbours_touch_when_asked():
    passing, touching = (rm.simulate(folding(asked), 0.6, DT, integrator="euler") for asked in (False, True))
    assert passing.q[-1, 1] < -0.1
    assert touching.contacts.pairs == (("upper", "lower"),)
    assert touching.q[:, 1].min() > 0.1  # 0.05 of height, at a corner 0.4 from the hinge
    spin = sum(about_y(touching, name) for name in ("upper", "lower"))
    assert np.abs(spin - spin[0]).max() < 0.01 * abs(spin[0])  # what they exert on each other turns neither about the fixed hinge


def about_y(run: rm.Trajectory, name: str) -> np.ndarray:
    """(time,): angular momentum about the y axis."""
    x, V = run.pose(name)[:, :3, 3], run.twist(name, "hybrid")
    return np.cross(x, V[:, 3:])[:, 1] + (0.4**2 + 0.05**2) / 12 * V[:, 1]


def test_the_last_word_counts_and_groups_pass():
    scene = sliding()
    assert len(scene.model().contact_pairs) == 6
    scene.ignore_contact(1, 2)
    assert len(scene.model().contact_pairs) == 5
    scene.set_contact("box 1", "box 2", True)
    assert len(scene.model().contact_pairs) == 6
    scene.ignore_contact("box 2", "box 1")
    assert len(scene.model().contact_pairs) == 5
    assert frozenset(("box 1", "box 2")) not in scene.contact_laws
    scene.ignore_contact(9, 1)
    assert len(scene.model().contact_pairs) == 5  # names come first
    scene.ignore_contact("box 1", "ground")
    assert len(scene.model().contact_pairs) == 4


def test_what_is_saved_is_loaded(tmp_path):
    made = sliding(group=True)
    made.set_contact("box 0", "ground", rm.ContactMaterial(friction=0.3, restitution=0.2, torsional=0.01, rolling=0.002))
    made.ignore_contact(1, 2)
    made.save(tmp_path / "a.yaml")
    again = rm.Scene.load(tmp_path / "a.yaml")
    assert again.contact_laws == made.contact_laws
    assert again.apart == made.apart
    again.save(tmp_path / "b.yaml")
    assert (tmp_path / "a.yaml").read_text() == (tmp_path / "b.yaml").read_text()


FILE = "redmax: 1\nbodies:\n  - {name: box, shape: {Cuboid: {size: [1, 1, 1]}}, joint: Free3D, contact: true}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("set_contact:\n  - {first: box, second: h, contact: 0.1}", "there is no body or obstacle 'h'"),
        ("set_contact:\n  - {first: box, second: g, contact: -1}", "friction is -1"),
        ("set_contact:\n  - {first: box, second: g}", "contact"),
        ("set_contact:\n  - {first: box, second: 2, contact: 1}", "two groups"),
        ("set_contact:\n  - {first: box, secnd: g, contact: 1}", "Did you mean 'second'"),
    ],
)
def test_mistakes_in_files_have_a_line_and_a_sentence(text, said):
    with pytest.raises(SceneFileError, match=said) as told:
        loads(FILE + "obstacles: [{shape: Plane, name: g}]\n" + text)
    assert told.value.problems[0].line == 6


def test_what_cannot_be_is_said():
    scene = sliding()
    for first, second, contact, said in (
        ("box 0", "box 0", True, "Got 'box 0' twice"),
        ("box 0", 1, True, "or the numbers of two groups"),
        (0, 1, True, "none of them 0"),
        ("box 0", "nothing", True, "There is no body, obstacle or deformable 'nothing'. Known: .*'ground'"),
        ("box 0", "groud", True, "There is no body, obstacle or deformable 'groud'. Did you mean 'ground'"),
        ("box 0", "box 1", "glue", "expected True, a friction such as 0.6"),
        ("box 0", "box 1", rm.ContactMaterial, "expected True, a friction such as 0.6"),
        ("box 0", "box 1", -0.5, r"set_contact: friction is -0\.5, expected a number from 0 up"),
    ):
        with pytest.raises(rm.SceneError, match=said):
            scene.set_contact(first, second, contact)
    scene.add_body(rm.Sphere(0.1), joint=rm.Free3D(), name="ghost")
    with pytest.raises(rm.SceneError, match=r"'ghost' touches nothing\. Give it contact=True"):
        scene.set_contact("ghost", "ground", True)
    scene.add_body(rm.Sphere(0.1), parent="box 0", contact=True, name="knob")
    scene.set_contact("knob", "box 0", True)
    with pytest.raises(rm.SceneError, match="'box 0' and 'knob' never move against each other"):
        rm.simulate(scene, 0.1, DT)
    for name in ("torsional", "rolling"):
        with pytest.raises(rm.SceneError, match=f"{name} is -1, expected a number from 0 up"):
            rm.ContactMaterial(**{name: -1})
