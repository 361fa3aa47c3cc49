"""Frames by name: which names they may have, how they are found, in scene files, copies and pickles, and where points are taken."""

from __future__ import annotations

import copy
import pickle
from textwrap import dedent

import numpy as np
import pytest

import redmax as rm
from redmax.io import SceneFileError, loads

BAR = rm.Cuboid((0.4, 0.05, 0.05), mass=1)
TURNED = rm.pose(rm.rotation_about("y", 0.3), (0.1, 0.2, 0.3))


def arm() -> tuple[rm.Scene, rm.BodyHandle]:
    scene = rm.Scene()
    body = scene.add_body(BAR, joint=rm.Revolute("y"), com=(0.2, 0, 0), name="arm", joint_name="shoulder", q=0.4)
    scene.add_frame("tool", body, TURNED)
    scene.add_frame("grip", "arm", (0.1, 0, 0), relative_to="joint")
    return scene, body


WRONG = {
    "the name of a body": (lambda s, b: s.add_frame("arm", b), "already a body named 'arm'"),
    "the name of a joint": (lambda s, b: s.add_frame("shoulder", b), "already a joint named 'shoulder'"),
    "a name twice": (lambda s, b: s.add_frame("tool", b), "already a frame named 'tool'"),
    "a body with its name": (lambda s, b: s.add_body(BAR, name="tool"), "already a frame named 'tool'. Give the body another"),
    "a joint with its name": (lambda s, b: s.add_body(BAR, joint_name="tool"), "already a frame named 'tool'. Give the joint another"),
    "no name": (lambda s, b: s.add_frame(None, b), "name of a frame is a nonempty text"),
    "no body": (lambda s, b: s.add_frame("x", "leg"), "no body 'leg'. Known: 'arm'"),
    "no pose": (lambda s, b: s.add_frame("x", b, (1, 2)), r"The frame 'x': pose is \(1, 2\), expected a translation"),
    "no rigid pose": (lambda s, b: s.add_frame("x", b, 2 * np.eye(4)), "The frame 'x': pose has a rotation block"),
    "relative to what": (lambda s, b: s.add_frame("x", b, relative_to="world"), "relative_to is 'world'. Valid: 'body', 'joint'"),
    "near": (lambda s, b: s.find_frame("tol"), "no frame 'tol'. Did you mean 'tool'"),
    "a place": (lambda s, b: s.add_force(rm.SpringDamper(b.joint_frame, (0, 0, 1), stiffness=1)), "only the scene knows"),
}
ASKED = {
    "near": (lambda d: d.pose([0.0], "tol"), "no frame, body or joint 'tol'. Did you mean 'tool'"),
    "all": (lambda d: d.pose([0.0], "x"), "Known: 'tool', 'grip', 'arm', 'shoulder'"),
    "no name": (lambda d: d.twist([0.0], [0.0], 3), r"A frame is named by .* Got 3"),
    "kind": (lambda d: d.twist([0.0], [0.0], "tool", "world"), "kind is 'world'. Valid: 'body', 'spatial', 'hybrid', 'mixed'"),
    "classical": (lambda d: d.acceleration([0.0], [0.0], [0.0], "tool", classical="yes"), "classical is 'yes', expected True or False"),
    "sparse": (lambda d: d.jacobian([0.0], of="tool", sparse=True), "one frame is dense"),
    "of all": (lambda d: d.jacobian([0.0], kind="hybird"), "hybrid"),
    "q": (lambda d: d.pose([0.0, 1.0], "tool"), r"q must have shape \(..., 1\)"),
}


@pytest.mark.parametrize("case", WRONG)
def test_names_and_poses_that_are_refused(case):
    call, said = WRONG[case]
    with pytest.raises(rm.SceneError, match=said):
        call(*arm())


@pytest.mark.parametrize("case", ASKED)
def test_what_cannot_be_asked_for(case):
    call, said = ASKED[case]
    with pytest.raises(rm.SceneError, match=said):
        call(rm.Dynamics(arm()[0], "interpret"))


def test_copies_pickles_and_files_have_the_frames(tmp_path):
    scene, _ = arm()
    scene.add_force(rm.SpringDamper(scene.find_frame("tool"), (0, 0, 1), stiffness=10))
    scene.add_force(rm.Cable([(0, 0, 1), scene.find_frame("grip"), scene.find_frame("tool")], stiffness=10))
    scene.add_wrench(scene.find_frame("grip"), force=(0, 0, 1))
    scene.save(tmp_path / "arm.yaml")
    expected = rm.simulate(scene, 0.1, 0.01)
    for other in (copy.copy(scene), pickle.loads(pickle.dumps(scene)), rm.Scene.load(tmp_path / "arm.yaml")):
        assert other.frames == scene.frames
        run = rm.simulate(other, 0.1, 0.01)
        assert run.q.tobytes() == expected.q.tobytes()
        assert run.pose("tool").tobytes() == expected.pose(scene.find_frame("tool")).tobytes()
    again = pickle.loads(pickle.dumps(expected))
    assert again.acceleration("grip").tobytes() == expected.acceleration("grip").tobytes()


FILE = """
    redmax: 1
    parameters: {reach: 0.3}
    bodies:
      - {name: arm, shape: {Sphere: {radius: 0.1}}, joint: {Revolute: {axis: y}}, com: [0.2, 0, 0]}
    frames:
      - {name: tool, body: arm, pose: [reach, 0, 2*reach]}
      - {name: grip, body: arm, relative_to: joint}
    forces:
      - SpringDamper: {a: [0, 0, 1], b: tool, stiffness: 10}
"""


def test_frames_by_hand_and_where_places_are_named():
    scene = loads(dedent(FILE))
    assert np.array_equal(scene.find_frame("tool").matrix[:3, 3], [0.3, 0, 0.6])
    other = rm.Scene()
    body = other.add_body(rm.Sphere(0.1), joint=rm.Revolute("y"), com=(0.2, 0, 0), name="arm")
    other.add_force(rm.SpringDamper((0, 0, 1), body.point(0.3, 0, 0.6), stiffness=10))
    a, b = (rm.simulate(s, 0.1, 0.01) for s in (scene, other))
    assert a.q.tobytes() == b.q.tobytes()
    assert np.allclose(a.pose("grip")[0], np.eye(4))


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("body: arm, pose", "body: amr, pose", 7, "no body 'amr'. Did you mean 'arm'"),
        ("[reach, 0, 2*reach]", "[reach, 0]", 7, "expected a translation"),
        ("name: grip", "name: arm", 8, "already a body named 'arm'"),
        ("relative_to: joint", "relative_to: world", 8, "Valid: body, joint"),
        ("name: grip, ", "", 8, "a frame needs 'name'"),
        ("pose: [", "place: [", 7, "place"),
    ],
)
def test_mistakes_in_files_have_their_line(old, new, line, said):
    with pytest.raises(SceneFileError) as error:
        loads(dedent(FILE).replace(old, new, 1))
    assert error.value.problems[0].line == line, error.value
    assert said in str(error.value)


def test_a_prefix_goes_before_the_names_of_frames(tmp_path):
    (tmp_path / "part.yaml").write_text(dedent(FILE))
    (tmp_path / "whole.yaml").write_text(
        dedent("""
        redmax: 1
        include: [{file: part.yaml, prefix: left_}, {file: part.yaml, prefix: right_}]
    """)
    )
    scene = rm.Scene.load(tmp_path / "whole.yaml")
    assert [(f.name, f.body.name) for f in scene.frames] == [
        ("left_tool", "left_arm"), ("left_grip", "left_arm"), ("right_tool", "right_arm"), ("right_grip", "right_arm"),
    ]  # fmt: skip
    assert [f.bodies[0].name for f in scene.forces] == ["left_arm", "right_arm"]


def test_a_force_at_a_frame_has_its_place_as_a_parameter():
    """As one at a point has, in the body frame."""
    runs = []
    for at_frame in (True, False):
        scene, body = arm()
        place = scene.find_frame("tool") if at_frame else body.point(*TURNED[:3, 3])
        scene.add_force(rm.SpringDamper((0, 0, 1), place, stiffness=10, name="spring"))
        runs.append(rm.simulate(scene, 0.1, 0.01, parameters={"spring.b": [[0.1, 0.2, 0.3], [0.2, 0, 0]]}))
    assert runs[0].q.tobytes() == runs[1].q.tobytes()
    assert abs(runs[0].q[-1, 0] - runs[0].q[-1, 1]) > 1e-4
