"""The curves and surfaces of joints are where the joints move: the origin of each child lies on them, at every time."""

import numpy as np
import pytest

import redmax as rm
from redmax.joints.drawing import Drawing
from redmax.math import array, cos, sin
from redmax.view import joint_views
from redmax.view.joint_view import DrawingView
from view.samples import embedded_scene


class Parabola(rm.Joint):
    dof, domain = 1, ((-2.0, 2.0),)

    def transform(self, q):
        return rm.pose(rm.rotation_about("y", 0.3 * q[0]), array([q[0], 0.0, 0.3 * q[0] * q[0]]))


class Inverse(Parabola):
    """The same with the curve on the child: the pose of the parent in the child moves along it."""

    def transform(self, q):
        return rm.lie.se3.inverse(super().transform(q))

    def drawing(self):
        s = np.linspace(-2, 2, 400)
        return [Drawing(np.stack([s, 0 * s, 0.3 * s * s], axis=1), on="child")]


class Wave(rm.Joint):
    dof, domain = 2, ((-2.0, 2.0), (-2.0, 2.0))

    def transform(self, q, t):
        return rm.pose(np.eye(3), array([q[0], q[1], 0.2 * sin(2 * q[0] - t) * cos(q[1])]))


def tilted(*place: float) -> np.ndarray:
    return rm.pose(rm.rotation_about((1.0, 2.0, 3.0), 0.7), np.array(place))


@pytest.fixture(scope="module")
def run() -> rm.Trajectory:
    scene = rm.Scene(gravity=(0, 0, -1))
    box = rm.Cuboid((0.2, 0.1, 0.3))
    arm = scene.add_body(box, joint=rm.Revolute("y"), at=tilted(0, 0, 1), body=tilted(0.3, 0, 0), qdot=1.0, name="arm")
    scene.add_body(box, parent=arm, joint=Parabola(), at=tilted(0.2, 0.1, 0), body=tilted(0, 0.2, 0), q=0.5, name="slider")
    scene.add_body(box, parent=arm, joint=Inverse(), at=tilted(-0.2, 0, 0.4), com=(0, 0.1, 0.1), q=0.2, name="rail")
    scene.add_body(box, joint=Parabola(), at=tilted(1, 0, 0), q=-0.5, name="alone")
    scene.add_body(box, parent="alone", joint=Wave(), at=tilted(0, 0, 0.2), com=(0, 0, 0.3), q=(0.3, 0.1), name="surfer")
    return rm.simulate(scene, duration=0.5, dt=0.05)


def joint_frames(run: rm.Trajectory) -> list[np.ndarray]:
    """(T, 4, 4) of each joint's moving frame in the world."""
    return [run.pose(link.name) @ np.linalg.inv(link.body) for link in run.model.links]


def distance(run: rm.Trajectory, view: DrawingView, points: np.ndarray) -> float:
    """The largest distance over time of points (T, 3) from the nearest of the drawn points."""
    drawn = np.broadcast_to(view.at(run.t).reshape(-1, view.at(run.t)[0].size // 3, 3), (len(run.t), view.at(run.t)[0].size // 3, 3))
    poses = np.broadcast_to(view.poses, (len(run.t), 4, 4))
    world = drawn @ poses[:, :3, :3].transpose(0, 2, 1) + poses[:, None, :3, 3]
    return float(np.linalg.norm(world - points[:, None], axis=2).min(axis=1).max())


def test_each_child_is_on_the_curve_or_surface_of_its_joint(run):
    slider, rail, alone, surfer = joint_views(run.model.links, run.observed.pose, run.t)
    frames = joint_frames(run)
    assert [view.name for view in (slider, rail, alone, surfer)] == ["slider", "rail", "alone", "surfer"]
    assert distance(run, slider, frames[1][:, :3, 3]) < 0.03  # half a step between drawn points
    assert distance(run, alone, frames[3][:, :3, 3]) < 0.03
    assert distance(run, surfer, frames[4][:, :3, 3]) < 0.08
    joint_of_the_parent = frames[0] @ run.model.links[2].at
    assert distance(run, rail, joint_of_the_parent[:, :3, 3]) < 0.03
    assert np.ptp(joint_of_the_parent[:, :3, 3], axis=0).max() > 0.1  # and it does move


def test_what_is_fixed_to_the_world_never_moves(run):
    moves = {view.name: len(view.poses) > 1 for view in joint_views(run.model.links, run.observed.pose, run.t)}
    assert moves == {"slider": True, "rail": True, "alone": False, "surfer": True}


def test_beads_on_one_wire_share_it():
    scene = rm.Scene()
    for k in range(4):
        scene.add_body(rm.Sphere(0.1), joint=Parabola(), q=0.3 * k)
    scene.add_body(rm.Sphere(0.1), joint=Parabola(), at=(0, 0, 1))
    for at in ((0, 0, 0), (0, 0, 0), (0, 0, 1)):
        scene.add_body(rm.Sphere(0.1), joint=Wave(), at=at)
    run = rm.simulate(scene, duration=0.1, dt=0.05)
    views = joint_views(run.model.links, run.observed.pose, run.t)
    assert [view.name for view in views] == ["body1", "body5", "body6", "body8"]


def test_a_page_holds_what_the_joints_look_like(run, tmp_path):
    scene = embedded_scene(run.html(tmp_path / "a.html"))
    assert [len(drawing["shape"]) for drawing in scene["drawings"]] == [1, 1, 1, 2]
    assert ["modes" in drawing for drawing in scene["drawings"]] == [False, False, False, True]
    assert len(scene["tracks"]) == 6  # five bodies and the world


def test_a_massless_body_with_a_shape_is_scenery(tmp_path):
    scene = rm.Scene()
    scene.add_body(rm.MassProperties(0, (0, 0, 0), display=rm.Sphere(0.5)), at=(0, 0, 3), name="globe")
    scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("y"), com=(0, 0, -1), q=0.5, name="bob")
    run = rm.simulate(scene, duration=0.1, dt=0.05)
    assert len(embedded_scene(run.html(tmp_path / "a.html"))["bodies"]) == 2
    alone = rm.Scene()
    alone.add_body(rm.Sphere(0.1), joint=rm.Revolute("y"), com=(0, 0, -1), q=0.5, name="bob")
    np.testing.assert_array_equal(run.energy.total, rm.simulate(alone, duration=0.1, dt=0.05).energy.total)
