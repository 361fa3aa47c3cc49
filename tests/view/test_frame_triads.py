"""Frames that are seen: their axes as arrows, their trails, cameras that follow them; in pictures, pages and files."""

import json
import re

import numpy as np
import pytest
from PIL import Image

import redmax as rm
from redmax.view.looks import look_of, trail_views
from redmax.view.stage import stage_of
from view.flying import SIZE, of_hue


def test_frames_leave_trails_and_are_followed(tmp_path):
    scene = rm.Scene()
    arm = scene.add_body(rm.Cuboid((0.5, 0.05, 0.05)), joint=rm.Revolute("y"), com=(0.25, 0, 0), name="arm")
    tool = scene.add_frame("tool", arm, (0.5, 0, 0), relative_to="joint")
    scene.look = rm.Look(trails=["tool", tool], camera=rm.Camera(follow="tool"))
    scene.save(tmp_path / "a.yaml")
    run = rm.simulate(rm.Scene.load(tmp_path / "a.yaml"), 0.2)
    for view in trail_views(run.model, run.model.scene.look, np.asarray(run.observed.pose), ["#ffffff"]):
        np.testing.assert_allclose(view.points, run.pose("tool")[:, :3, 3], atol=1e-12)
    with pytest.raises(rm.SceneError, match=r"camera=rm.Camera\(follow=...\)"):
        run.picture(tmp_path / "a.png", follow="tool")


def framed() -> tuple[rm.Scene, rm.Trajectory]:
    scene = rm.Scene(title="framed")
    arm = scene.add_body(rm.Cuboid((0.5, 0.1, 0.1)), joint=rm.Spherical(), com=(0.25, 0, 0), qdot=(1, 2, 3), name="arm", joint_name="hinge")
    scene.add_frame("tool", arm, rm.pose(rm.rotation_about("y", 0.7), (0.3, 0.1, 0.2)))
    scene.add_frame("root", arm, (0, 0, 0.1), relative_to="joint")
    return scene, rm.simulate(scene, 0.4, 0.1, integrator="rk4")


def test_frames_are_three_arrows_along_their_axes_wherever_the_body_goes():
    """Tips and feet in the world, against the poses that the run reports."""
    run = framed()[1]
    assert not stage_of(run).frames
    for look, names in ((True, ["tool", "root"]), (["arm", "hinge.joint", "tool"], ["arm", "hinge.joint", "tool"])):
        stage = stage_of(run, look_of(run.model, {"frames": look, "marks": False}))
        assert [(v.name, v.kind) for v in stage.frames] == [(name, f"{axis} axis") for name in names for axis in "xyz"]
        for view in stage.frames:
            k, E = "xyz".index(view.kind[0]), run.pose(view.name)
            tip = view.vertices[view.vertices[:, 2].argmax()]
            world = (view.poses @ view.place @ np.append(tip, 1.0))[:, :3]
            np.testing.assert_allclose(world, E[:, :3, 3] + tip[2] * E[:, :3, k], atol=1e-12)
            assert 0.03 < tip[2] < 0.1
            assert view.vertices[:, 2].min() == 0.0


def test_frames_are_seen_in_pictures_and_pages_and_said_in_files(tmp_path):
    scene, run = framed()
    usual = {"size": SIZE, "ground": False, "background": "white", "colors": {"arm": "white"}, "marks": False, "camera": (-60, 20)}
    plain, shown = (np.asarray(Image.open(run.picture(tmp_path / f"{f}.png", frames=f, **usual))) for f in (False, True))
    for colour in ("#d9534f", "#4fa35a", "#4a86d0"):
        assert of_hue(shown, colour).sum() > 5 + of_hue(plain, colour).sum(), colour
    scene.look = rm.Look(frames=["tool"], theme="dark", background="white")
    scene.save(tmp_path / "a.yaml")
    assert rm.Scene.load(tmp_path / "a.yaml").look == scene.look
    page = run.html(tmp_path / "a.html", look=scene.look).read_text()
    data = json.loads(re.search(r'type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    assert [(f["name"], f["kind"]) for f in data["frames"]] == [("tool", f"{axis} axis") for axis in "xyz"]
    assert (data["look"]["theme"], data["background"]) == ("dark", "#ffffff")
    for wrong, said in (("tool", "True or False, or a list of names"), (["tol"], "no frame, body or joint 'tol'. Did you mean 'tool'")):
        with pytest.raises(rm.SceneError, match=said) as found:
            run.picture(tmp_path / "b.png", frames=wrong)
        assert found.value.argument == "frames"


def test_frames_along_a_motion_are_where_the_joint_comes_to(tmp_path):
    """On a surface whose parent moves, and on a curve in the world: 7 x 7 and 13, smaller than what is between them."""
    x, y = np.meshgrid(np.arange(6.0), np.arange(5.0), indexing="ij")
    values = np.stack([x, y, 0.1 * x * y, 0.1 * x, 0 * x, 0.2 * y], axis=-1)
    rail = np.array([rm.pose(np.eye(3), (a, 0, 0.1 * a * a)) for a in range(6)])
    scene = rm.Scene()
    cart = scene.add_body(rm.Cuboid((1, 1, 1)), joint=rm.SplineCurve(rail), q=1.0, at=(0, 0, 1), name="cart")
    ball = scene.add_body(
        rm.Sphere(0.1), joint=rm.SplineSurface(values), parent=cart, at=(0, 0, 2), com=(0, 0, 1), q=(1.0, 0.5), name="ball"
    )
    run = rm.simulate(scene, 0.2, 0.1, integrator="rk4")
    stage = stage_of(run, look_of(run.model, {"frames": ["ball.motion", "cart.motion"]}))
    assert len(stage.frames) == 3 * (49 + 13)
    on_cart = [v for v in stage.frames if v.carrier == 0 and v.kind == "z axis"]
    in_world = [v for v in stage.frames if v.carrier == -1 and v.kind == "z axis"]
    assert (len(on_cart), len(in_world)) == (49, 13)
    corner = rm.pose(np.eye(3), (0, 0, 2)) @ np.asarray(scene.links[ball.index].joint.pose((0.0, 0.0)))
    np.testing.assert_allclose(on_cart[0].place, np.linalg.inv(scene.links[cart.index].body) @ corner, atol=1e-5)
    np.testing.assert_allclose(on_cart[0].poses, run.pose("cart"))
    np.testing.assert_allclose(in_world[0].place, rm.pose(np.eye(3), (0, 0, 1)) @ scene.links[0].joint.pose((0.0,)), atol=1e-5)
    between = np.linalg.norm(on_cart[1].place[:3, 3] - on_cart[0].place[:3, 3])
    assert on_cart[0].vertices[:, 2].max() < between
    assert run.picture(tmp_path / "a.png", size=SIZE, frames=["cart.motion"]).stat().st_size > 0
    assert '"z axis"' in run.html(tmp_path / "a.html", look=rm.Look(frames=["cart.motion"])).read_text()


def test_joints_without_a_range_have_no_frames_along_it():
    scene, run = framed()
    with pytest.raises(rm.SceneError, match=r"The joint of 'hinge' has no frames to show along its motion: .*Show 'hinge.joint' instead"):
        run.picture("never.png", frames=["hinge.motion"])
    assert look_of(scene.model(), {"frames": ["hinge.joint"]}).frames == ("hinge.joint",)
