"""Cameras by what is seen: where bodies are in pictures, and the same in the page's script."""

import numpy as np
import pytest

import redmax as rm
from redmax.view.contents import camera_fields
from redmax.view.looks import look_of
from redmax.view.picture.pictures import painter
from redmax.view.stage import stage_of
from view.flying import SIZE, of_hue, run, seen
from view.player import played


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
