"""A handle is of the scene whose add_body returned it, and of copies of that scene; every other scene refuses it, whatever its name."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

import redmax as rm

BAR = rm.Cuboid((0.3, 0.05, 0.05))
CHAIN = rm.SpringChain((0, 0, 0), (0, 0, -0.3), 3, mass=0.6, stiffness=40)


def made(*names: str) -> tuple[rm.Scene, list[rm.BodyHandle]]:
    scene = rm.Scene()
    return scene, [scene.add_body(BAR, joint=rm.Revolute("y"), com=(0.15, 0, 0), name=name) for name in names]


USES = {
    "find": lambda scene, body: scene.find(body),
    "find_joint": lambda scene, body: scene.find_joint(body),
    "frame": lambda scene, body: scene.add_frame(f"on {body.name} {len(scene.frames)}", body),
    "frame of a body": lambda scene, body: rm.Dynamics(scene, "interpret").pose(np.zeros(len(scene.links)), body),
    "frame of a point": lambda scene, body: rm.Dynamics(scene, "interpret").pose(np.zeros(len(scene.links)), body.point(0, 0, 0)),
    "joint frame": lambda scene, body: rm.Dynamics(scene, "interpret").pose(np.zeros(len(scene.links)), body.joint_frame),
    "force at a frame": lambda scene, body: scene.add_force(rm.SpringDamper(body.frame((1, 0, 0)), (0, 0, 1), stiffness=10)),
    "parent": lambda scene, body: scene.add_body(BAR, parent=body, joint=rm.Revolute("y"), com=(0.15, 0, 0)),
    "wrench": lambda scene, body: scene.add_wrench(body.point(0.1, 0, 0), force=(0, 0, 1)),
    "force": lambda scene, body: scene.add_force(rm.SpringDamper(body.point(0, 0, 0), (0, 0, 1), stiffness=10)),
    "constraint": lambda scene, body: scene.add_constraint(rm.Distance(body.point(0, 0, 0), (0, 0, 1))),
    "constraint of joints": lambda scene, body: scene.add_constraint(rm.HardLimit(body, -1, 1)),
    "force within a joint": lambda scene, body: scene.add_force(rm.JointSpring(body, stiffness=10)),
    "twist": lambda scene, body: scene.prescribe_twist(body, [1], [0.1]),
    "attached": lambda scene, body: scene.add_deformable(CHAIN.attach(body, 0)),
    "tied": lambda scene, body: scene.add_deformable(CHAIN.tie(body, 0)),
}


@pytest.mark.parametrize("use", USES)
def test_handles_of_another_scene_are_refused(use: str) -> None:
    _, (_, hand) = made("arm", "hand")
    for names in (("arm", "hand"), ("hand", "arm"), ("hand",)):  # of the same name, there or elsewhere
        scene, _ = made(*names)
        with pytest.raises(rm.SceneError, match="Body 'hand' is one of another scene"):
            USES[use](scene, hand)


@pytest.mark.parametrize("use", USES)
def test_handles_go_on_in_copies(use: str) -> None:
    scene, (_, hand) = made("arm", "hand")
    for copied in (scene.copy(), copy.copy(scene), copy.deepcopy(scene), replace(scene, title="again"), scene.model().scene):
        USES[use](copied, hand)
        USES[use](copied, copy.deepcopy(hand))
    again, same = pickle.loads(pickle.dumps((scene, hand)))
    USES[use](again, same)
    USES[use](again, hand)


def test_a_handle_that_only_has_a_name_is_found_by_it() -> None:
    scene, (_, hand) = made("arm", "hand")
    named = rm.BodyHandle("hand", 7, "hand")
    assert scene.find(named) == hand
    soft = scene.add_deformable(CHAIN.attach(named, 0))
    assert soft.attachments[0].body == hand
    assert scene.model().links[2].parent == hand.index


def test_springs_need_as_many_coordinates_as_velocities() -> None:
    class Turning(rm.Joint):
        """About z, by the cosine and sine of an angle."""

        dof, nq, start = 1, 2, ()  # type: ignore[assignment]

        def transform(self, q):
            return rm.pose(rm.math.array([[q[0], -q[1], 0.0], [q[1], q[0], 0.0], [0.0, 0.0, 1.0]]), rm.math.array([0.0, 0.0, 0.0]))

    with pytest.raises(rm.SceneError, match=r"stiffness of body 'wheel' is .* has 2 coordinates for 1 velocities"):
        rm.Scene().add_body(BAR, joint=Turning(), name="wheel", stiffness=3.0, check_joint=False)
