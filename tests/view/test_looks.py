"""Appearance, cameras and trails by what is seen: colours of pixels, where bodies are in pictures, and the same in the page's script."""

import colorsys
import copy
import json
import pickle
import re
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import CSS4_COLORS
from PIL import Image

import redmax as rm
from redmax.components.colours import hex_colour
from redmax.io import SceneFileError, loads
from redmax.view.contents import camera_fields
from redmax.view.looks import look_of, trail_views
from redmax.view.picture import write_film
from redmax.view.picture.pictures import painter, pixels
from redmax.view.stage import stage_of
from view.player import played

SIZE = (200, 120)


def flying() -> rm.Scene:
    """A ball that is thrown far, with a bar on it; and a block that stays behind."""
    scene = rm.Scene(title="flying")
    ball = scene.add_body(rm.Sphere(0.2), joint=rm.Free3D(), qdot=[6, 2, 5, 0, 1, 0], name="ball", color="tomato")
    scene.add_body(rm.Cuboid((0.5, 0.05, 0.05)), parent=ball, joint=rm.Revolute("z"), com=(0.3, 0, 0), name="bar", color="gray")
    scene.add_body(rm.Cuboid((0.6, 0.6, 0.6)), at=(0, 1.5, 0), name="block", color="#2040d0")
    return scene


@cache
def run() -> rm.Trajectory:
    return rm.simulate(flying(), 1.0, 0.02)


def seen(t: float = 1.0, size: tuple[int, int] = SIZE, **look) -> np.ndarray:
    return pixels(stage_of(run(), look_of(run().model, look)), t=t, size=size)


def hue(rgb) -> float:
    return colorsys.rgb_to_hsv(*(np.asarray(rgb, float)[:3] / 255))[0] * 360


def of_hue(picture: np.ndarray, colour: str) -> np.ndarray:
    """Which pixels have about the hue of a colour, and are no grey."""
    wanted = hue([int(hex_colour(colour, "test")[i : i + 2], 16) for i in (1, 3, 5)])
    hsv = np.array([colorsys.rgb_to_hsv(*rgb) for rgb in picture[..., :3].reshape(-1, 3) / 255])
    near = np.abs((hsv[:, 0] * 360 - wanted + 180) % 360 - 180) < 8
    return (near & (hsv[:, 1] > 0.35)).reshape(picture.shape[:2])


def test_names_of_colours_are_those_of_css():
    assert {name: hex_colour(name, "x") for name in CSS4_COLORS} == {name: value.lower() for name, value in CSS4_COLORS.items()}


@pytest.mark.parametrize("given", ["tomato", "#FF6347", "Tomato", (1, 99 / 255, 71 / 255), np.array([255, 99, 71]) / 255])
def test_a_colour_has_several_forms(given):
    assert rm.Appearance(given).color == "#ff6347"


def test_a_colour_keeps_its_name_in_files_and_copies(tmp_path):
    scene = rm.Scene(look=rm.Look(background="White", ground_color="#abc", colors={"arm": "gold"}, trails=[rm.Trail("arm", color="navy")]))
    scene.add_body(rm.Sphere(1, mass=1), color="tomato", name="arm")
    scene.add_deformable(rm.Cloth((1, 1), (2, 2), density=1, stretch=9).painted("teal"))
    text = ""
    for again in (scene, copy.copy(scene), pickle.loads(pickle.dumps(scene))):
        again.save(tmp_path / "a.yaml")
        text = (tmp_path / "a.yaml").read_text()
        assert all(word in text for word in ("tomato", "White", "gold", "navy", "teal", "#aabbcc"))
    read = rm.Scene.load(tmp_path / "a.yaml")
    read.save(tmp_path / "b.yaml")
    assert (tmp_path / "b.yaml").read_text() == text
    assert read.links[0].appearance == rm.Appearance("#ff6347")
    assert repr(read.links[0].appearance).startswith("Appearance(color='tomato'")
    pale = pickle.loads(pickle.dumps(rm.Appearance("tomato")))
    assert (pale.color, pale.hex, hash(pale)) == ("#ff6347", "#ff6347", hash(rm.Appearance("#ff6347")))


@pytest.mark.parametrize(
    ("given", "said"), [("tomatoe", r"Did you mean 'tomato'\?$"), ((255, 99, 71), "divide"), ("#12", "#rrggbb"), (7, "is 7")]
)
def test_what_is_no_colour_is_refused_in_a_sentence(given, said):
    with pytest.raises(rm.SceneError, match=said) as found:
        rm.Scene().add_body(rm.Sphere(1), color=given, name="arm")
    assert (found.value.owner, found.value.argument) == ("arm", "color")


def test_a_tomato_body_is_tomato_and_any_other_if_somebody_says_so():
    camera = rm.Camera(follow="ball", azimuth=-90, elevation=10, zoom=1.5)
    middle = seen(camera=camera)[SIZE[1] // 2, SIZE[0] // 2]
    assert hue(middle) == pytest.approx(hue((255, 99, 71)), abs=4)
    green = seen(camera=camera, colors={"ball": "limegreen"})[SIZE[1] // 2, SIZE[0] // 2]
    assert hue(green) == pytest.approx(hue((50, 205, 50)), abs=6)


def test_a_transparent_background_has_no_opacity_and_bodies_all_of_it(tmp_path):
    camera = rm.Camera(follow="ball")
    clear, usual = seen(camera=camera, background="transparent"), seen(camera=camera, ground=False)
    assert clear.shape == (*SIZE[::-1], 4)
    assert (clear[0, :, 3] == 0).all()
    assert clear[SIZE[1] // 2, SIZE[0] // 2, 3] == 255
    solid = clear[..., 3] == 255
    np.testing.assert_array_equal(clear[solid][:, :3], usual[solid])
    path = run().picture(tmp_path / "a.png", size=SIZE, camera=camera, background="transparent")
    np.testing.assert_array_equal(np.asarray(Image.open(path)), clear)
    with pytest.raises(rm.RedmaxError, match=r"write \.png or \.webp"):
        run().picture(tmp_path / "a.jpg", background="transparent")
    with pytest.raises(rm.RedmaxError, match=r"write \.webp or \.gif"):
        run().film(tmp_path / "a.mp4", background="transparent")


def test_ground_and_background_are_as_somebody_says():
    white = seen(background="white", ground=False)
    assert (white[:4] == 255).all()
    painted = seen(ground_color="green", camera=(-60, 40))
    assert of_hue(painted, "green").mean() > 0.2
    high = painter(stage_of(run(), look_of(run().model, {"ground_height": -7.5})), size=SIZE)
    assert high.framing.ground == -7.5


@pytest.mark.parametrize("t", [0.0, 0.37, 1.0])
def test_a_camera_that_follows_keeps_the_body_in_the_middle(t):
    picture = seen(t, camera=rm.Camera(follow=run().model.scene.find("ball").point(0, 0, 0), zoom=1.5))
    rows, columns = np.nonzero(of_hue(picture, "tomato"))
    assert len(rows) > 60
    assert (columns.min() + columns.max() + 1) / 2 == pytest.approx(SIZE[0] / 2, abs=2)
    assert (rows.min() + rows.max() + 1) / 2 == pytest.approx(SIZE[1] / 2, abs=2)


def test_a_camera_that_goes_around_stays_as_far():
    found = painter(stage_of(run(), look_of(run().model, {"camera": rm.Camera(-90, 20, orbit=90)})), size=SIZE)
    cameras = [found.sight_at(t).camera for t in (0.0, 0.5, 1.0)]
    away = np.array([c.eye - c.target for c in cameras])
    np.testing.assert_allclose(np.linalg.norm(away, axis=1), np.linalg.norm(away[0]))
    np.testing.assert_allclose(np.degrees(np.arctan2(away[:, 1], away[:, 0])), [-90, -45, 0], atol=1e-9)


def test_key_frames_are_passed_through_and_in_between_nothing_overshoots():
    keys = {
        0.0: rm.Camera(0, 10, target=(0, 0, 0)),
        0.5: rm.Camera(90, 10, 2.0, target=(1, 0, 0)),
        1.0: rm.Camera(90, 30, target=(1, 0, 2)),
    }
    found = painter(stage_of(run(), look_of(run().model, {"camera": rm.Camera(keys=keys)})), size=SIZE)
    at = {t: found.sight_at(t).camera for t in np.linspace(0, 1, 21)}
    near = [np.linalg.norm(c.eye - c.target) for c in at.values()]
    for t, key in keys.items():
        camera = at[t]
        x, y, z = camera.eye - camera.target
        np.testing.assert_allclose(np.degrees([np.arctan2(y, x), np.arctan2(z, np.hypot(x, y))]), [key.azimuth, key.elevation], atol=1e-9)
        np.testing.assert_allclose(camera.target, key.target, atol=1e-12)
    assert near[0] / near[10] == pytest.approx(2.0)
    assert (np.diff(near)[:10] < 0).all()
    assert (np.diff(near)[10:] > 0).all()


CAMERAS = [rm.Camera(follow="bar", orbit=40), rm.Camera(keys={0: (0, 10), 1: (80, 30, 2)}), rm.Camera(eye=(9, 1, 2), target=(1, 0, 0))]


@pytest.mark.parametrize("camera", CAMERAS)
def test_the_page_has_the_camera_where_pictures_have_it(camera):
    found = painter(stage_of(run(), look_of(run().model, {"camera": camera})), size=(400, 400))
    times = np.array([0.0, 0.3, 1.0])
    assert found.path is not None
    rows = np.array([found.path.moves(float(t)) for t in times]) if found.path.moving else np.zeros(0)
    fields = camera_fields(found.path, times) | {"moves": rows.ravel().tolist()}
    script = """(() => {
      const camera = new Camera({ ...data, moves: new Float64Array(data.moves) }, { radius: 50, size: 5 });
      camera.setScreen(400, 400, {});
      return [0, 1, 2].map((k) => (camera.follow([k, 0]), { eye: camera.eye, back: camera.axes.back }));
    })()"""
    shown = played(["vector", "matrix", "scene", "camera"], script, fields)
    for t, place in zip(times, shown, strict=True):
        picture = found.sight_at(float(t)).camera
        np.testing.assert_allclose(place["back"], picture.axes[2], atol=1e-6)
        far = np.linalg.norm(picture.eye - picture.target)
        np.testing.assert_allclose(place["eye"], picture.eye, atol=0.06 * far)  # margins differ by two hundredths


def test_a_trail_is_where_the_point_was_and_not_where_it_will_be():
    look = {"trails": [rm.Trail("ball", color="#00b000")], "camera": (-90, 10), "colors": {"ball": "white"}}
    found = painter(stage_of(run(), look_of(run().model, look)), size=(400, 240))
    for t in (0.6, 1.0):
        picture = of_hue(found.paint(t), "#00b000")
        places, _ = found.camera.project(run().pose("ball")[:, :3, 3])
        x, y = np.clip(places.astype(int).T, 1, [[398], [238]])
        hit = np.array([picture[b - 1 : b + 2, a - 1 : a + 2].any() for a, b in zip(x, y, strict=True)])
        past, future = run().t < t - 0.1, run().t > t + 0.1
        assert hit[past].mean() > 0.9
        assert not hit[future].any()
    short = painter(stage_of(run(), look_of(run().model, look | {"trails": [rm.Trail("ball", "#00b000", seconds=0.2)]})), size=(400, 240))
    assert of_hue(short.paint(1.0), "#00b000").sum() < 0.5 * of_hue(found.paint(1.0), "#00b000").sum()


def ball_picture(**look) -> np.ndarray:
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.5), color="#b03030", **look)
    scene.add_body(rm.Cuboid((0.1, 3, 3)), at=(0, 2, 0), color="#2040d0")
    return pixels(stage_of(rm.simulate(scene, 0.01, 0.01)), size=SIZE, camera=(-90, 5), ground=False).astype(int)


def test_materials_differ_in_their_highlights():
    pictures = {name: ball_picture(material=name) for name in ("matte", "plastic", "glossy", "metal")}
    red = {name: of_hue(pictures[name], "#b03030") for name in ("matte", "metal")}
    peaks = {name: picture[red["matte"]][:, 1].max() for name, picture in pictures.items()}
    assert peaks["matte"] < peaks["plastic"] < peaks["glossy"]
    assert peaks["metal"] < peaks["plastic"]  # its highlight is red
    assert red["metal"].sum() >= 0.8 * red["matte"].sum()
    with pytest.raises(rm.SceneError, match="Valid: 'plastic'"):
        ball_picture(material="wood")
    for name in ("matte", "glossy", "metal"):  # what hardly shows through has the light of what is solid, but for the darker octants
        solid, clear = (picture[red["matte"]] for picture in (pictures[name], ball_picture(material=name, opacity=0.999)))
        assert np.percentile(np.abs(solid - clear).max(axis=1), 40) < 4
        assert abs(solid[:, 1].max() - clear[:, 1].max()) < 10


def test_what_is_behind_shows_through_by_as_much_as_is_missing():
    solid, half, thin, gone = (ball_picture(opacity=o)[SIZE[1] // 2, SIZE[0] // 2] for o in (1.0, 0.6, 0.2, 0.0))
    assert (np.diff([p[0] - p[2] for p in (solid, half, thin, gone)]) < -20).all()
    assert gone[2] > gone[0] + 40  # the blue wall behind it


def test_frames_painted_side_by_side_are_those_painted_alone(tmp_path, monkeypatch):
    frames = []
    monkeypatch.setattr("redmax.view.picture.film.write_frames", lambda path, found, *more, **named: frames.extend(found))
    told = []
    stage = stage_of(run(), look_of(run().model, {"camera": rm.Camera(follow="ball", orbit=30), "trails": ["ball"]}))
    write_film(tmp_path / "a.mp4", stage, size=SIZE, fps=8, progress=lambda done, count: told.append((done, count)))
    alone = painter(stage, size=SIZE)
    assert len(frames) == 9
    assert told == [(k + 1, 9) for k in range(9)]
    for k in (0, 5, 8):
        np.testing.assert_array_equal(frames[k], alone.paint(k / 8))


places = st.sampled_from(["ball", "bar", {"body": "bar", "point": (0.1, 0.0, 0.2)}])
colours = st.sampled_from(["tomato", "#123456", (0.25, 0.5, 1.0)])
angles = st.floats(-80, 80).map(lambda x: round(x, 2))
cameras = st.one_of(
    st.none(), st.tuples(angles, angles), st.builds(lambda a, e, w: rm.Camera(a, e, orbit=w), angles, angles, angles),
    st.builds(lambda a, e: rm.Camera(keys={0: (a, e), 1.5: rm.Camera(e, a, 2.0, target=(1, 2, 3))}), angles, angles),
    st.builds(lambda place: rm.Camera(follow=place), st.sampled_from(["ball", "bar"])),
)  # fmt: skip


@given(
    theme=st.sampled_from([None, "light", "dark"]), background=st.sampled_from([None, "transparent", "white"]),
    ground=st.sampled_from([None, True, False]), ground_height=st.none() | angles, ground_color=st.none() | colours, camera=cameras,
    marks=st.booleans(), colors=st.dictionaries(st.sampled_from(["ball", "bar", "block"]), colours), trails=st.lists(places, max_size=2),
)  # fmt: skip
@settings(max_examples=25, deadline=None)
def test_a_look_is_the_same_in_a_file_and_in_a_pickle(trails, **fields):
    scene = flying()
    made = [scene.find("bar").point(*t["point"]) if isinstance(t, dict) else t for t in trails]
    scene.look = rm.Look(trails=made, **fields)
    assert pickle.loads(pickle.dumps(scene)).look == scene.look


HEAD = "redmax: 1\nbodies:\n  - {name: arm, shape: {Sphere: {radius: 1}}, color: tomato, opacity: 0.5, material: metal}\n"


def test_a_file_says_how_things_look():
    scene = loads(
        HEAD + "look: {trails: [{of: {body: arm, point: [0, 0, 1]}, seconds: 2}], camera: [30, 15], colors: {arm: {opacity: 0.25}}}\n"
    )
    assert scene.links[0].appearance == rm.Appearance("tomato", 0.5, "metal")
    trail = rm.Trail(scene.find("arm").point(0, 0, 1), seconds=2)
    assert scene.look == rm.Look(trails=[trail], camera=(30, 15), colors={"arm": rm.Appearance(opacity=0.25)})


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("look: {trails: [hand]}", "text:4: there is no body 'hand'"),
        ("look: {colors: {arn: red}}", "Did you mean 'arm'"),
        ("look:\n  camera: {follow: arm,\n    orbitt: 3}", "text:6: camera has no 'orbitt'. Did you mean 'orbit'"),
        ("look: {theme: blue}", "text:4: theme of look is 'blue'. Valid: light, dark"),
        ("look: {background: whitee}", "Did you mean 'white'"),
        ("look:\n  camera:\n    keys: [{t: 1, azimuth: 0}, {t: 0, azimuth: 3}]", "a later time after an earlier one"),
    ],
)
def test_mistakes_in_a_look_are_found_in_their_line(section, said):
    with pytest.raises(SceneFileError) as found:
        loads(HEAD + section + "\n")
    assert said in str(found.value)


@pytest.mark.parametrize(
    ("camera", "said"),
    [
        ({"eye": (1, 0, 0)}, "needs a target"), ({"azimuth": 0, "eye": (1, 0, 0), "target": (0, 0, 0)}, "Leave one"),
        ({"elevation": 95}, "from -90 to 90"), ({"follow": 3}, "a point of a body"),
        ({"keys": {0: rm.Camera(follow="a")}}, "a key frame stays"),
        ({"keys": {0: (1, 2, 3, 4)}}, "expected azimuth"), ({"keys": 5}, "expected {time: camera}"), ({"zoom": 0}, "a positive number"),
    ],
)  # fmt: skip
def test_cameras_that_cannot_be_are_refused_in_a_sentence(camera, said):
    with pytest.raises(rm.SceneError, match=said):
        rm.Camera(**camera)


def test_what_a_look_names_must_be_there(tmp_path):
    for look in ({"colors": {"bal": "red"}}, {"trails": ["bal"]}, {"camera": rm.Camera(follow="bal")}):
        with pytest.raises(rm.SceneError, match="Did you mean 'ball'"):
            run().picture(tmp_path / "a.png", **look)
    with pytest.raises(rm.SceneError, match="Did you mean 'theme'"):
        run().picture(tmp_path / "a.png", thema="dark")


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
