"""Appearance and trails by what is seen: colours of pixels; and the same in files."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import CSS4_COLORS
from PIL import Image

import redmax as rm
from redmax.components.colours import hex_colour
from redmax.io import SceneFileError, loads
from redmax.view.looks import look_of
from redmax.view.picture import write_film
from redmax.view.picture.pictures import painter, pixels
from redmax.view.stage import stage_of
from view.flying import SIZE, flying, hue, of_hue, run, seen


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


def test_what_a_look_names_must_be_there(tmp_path):
    for look in ({"colors": {"bal": "red"}}, {"trails": ["bal"]}, {"camera": rm.Camera(follow="bal")}):
        with pytest.raises(rm.SceneError, match="Did you mean 'ball'"):
            run().picture(tmp_path / "a.png", **look)
    with pytest.raises(rm.SceneError, match="Did you mean 'theme'"):
        run().picture(tmp_path / "a.png", thema="dark")
