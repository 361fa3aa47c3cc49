"""Pictures and films as files: what other programs read from them, and sentences for what cannot be written."""

import io
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image

import redmax as rm
from redmax.errors import RedmaxError
from redmax.view import DrawingView, stage_of
from redmax.view.picture import frame_times, pixels, write_film
from redmax.view.picture.png import png
from redmax.view.stage import stage_at
from view.picture.stages import RED, box, is_red, stage

SMALL = (96, 64)


@pytest.fixture(scope="module")
def run() -> rm.Trajectory:
    scene = rm.Scene(title="Pendulum")
    scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Revolute("y"), com=(0.15, 0, 0), name="bar")
    return rm.simulate(scene, duration=1, dt=0.02)


@pytest.fixture(scope="module")
def long_run(run) -> rm.Trajectory:
    return rm.simulate(run.model, duration=20, dt=0.001, integrator="rk4")


@given(arrays(np.uint8, st.tuples(st.integers(1, 9), st.integers(1, 9), st.just(3))))
@settings(max_examples=40, deadline=None)
def test_png_files_hold_their_pixels(image):
    np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(png(image)))), image)


def test_a_picture_is_written_as_its_pixels(run, tmp_path):
    path = run.picture(tmp_path / "a.png", t=0.31, size=SMALL)
    np.testing.assert_array_equal(np.asarray(Image.open(path)), pixels(stage_of(run), t=0.31, size=SMALL))
    for name in ("a.jpg", "a.webp"):
        seen = np.asarray(Image.open(run.picture(tmp_path / name, t=0.31, size=SMALL)).convert("RGB")).astype(int)
        assert np.abs(seen - np.asarray(Image.open(path))).mean() < 4


def test_a_picture_shows_the_end_unless_told_otherwise(run):
    shown = stage_of(run)
    np.testing.assert_array_equal(pixels(shown, size=SMALL), pixels(shown, t=run.t[-1], size=SMALL))
    assert (pixels(shown, size=SMALL) != pixels(shown, t=0.0, size=SMALL)).any()


def test_camera_fit_and_theme_change_what_is_seen(run):
    shown = stage_of(run)
    usual = pixels(shown, t=0.2, size=SMALL)
    for look in (
        {"camera": (20, 50)},
        {"camera": (20, -15)},
        {"camera": (0, 90)},
        {"camera": (20, 50, 2)},
        {"fit": "moment"},
        {"theme": "dark"},
        {"marks": False},
    ):
        assert (pixels(shown, t=0.2, size=SMALL, **look) != usual).any(), look


def test_a_scene_shows_its_initial_pose(tmp_path):
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Revolute("y"), com=(0.15, 0, 0), q=[0.4])
    path = scene.picture(tmp_path / "scene.png", size=SMALL, camera=(-60, 20))
    run = rm.simulate(scene, duration=1e-6, dt=1e-6)
    still = pixels(stage_of(run), t=0.0, size=SMALL, camera=(-60, 20)).astype(int)
    assert np.abs(np.asarray(Image.open(path)) - still).mean() < 0.1


WRONG = [
    ({"path": "a.tiff"}, "suffix '.tiff', expected .png"),
    ({"path": "nowhere/a.png"}, "Choose another place"),
    ({"t": 2.0}, r"Got t = 2.0, expected a time of the run: 0 to 1 s"),
    ({"t": float("nan")}, "Got t = nan"),
    ({"t": "end"}, "Got t = 'end'"),
    ({"size": (10, 600)}, "each a whole number from 16 to 4096"),
    ({"size": (960.5, 600)}, "each a whole number"),
    ({"size": 960}, "expected width and height"),
    ({"camera": (1,)}, "expected azimuth and elevation"),
    ({"camera": (0, 95)}, "from -90 to 90"),
    ({"camera": (0, 5, 0)}, "how many times closer"),
    ({"camera": "top"}, "expected azimuth and elevation"),
    ({"theme": "blue"}, "no theme 'blue'. Valid: 'light', 'dark'"),
    ({"fit": "all"}, "expected 'run'"),
]


@pytest.mark.parametrize(("wrong", "sentence"), WRONG)
def test_wrong_pictures_are_refused_in_a_sentence(run, tmp_path, wrong, sentence):
    given = {"path": "a.png", "size": SMALL} | wrong
    with pytest.raises(RedmaxError, match=sentence):
        run.picture(tmp_path / given.pop("path"), **given)
    assert not list(tmp_path.iterdir())


def test_a_batch_and_an_empty_stage_have_no_picture(tmp_path):
    with pytest.raises(RedmaxError, match="nothing to see in 'test'"):
        pixels(stage())
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Revolute("y"), com=(0.15, 0, 0))
    batch = rm.simulate(scene, duration=0.1, dt=0.1, initial=rm.State(0.0, np.zeros((2, 1)), np.zeros((2, 1))))
    for what in (batch.picture, batch.film):
        with pytest.raises(RedmaxError, match=r"run\.world\(i\)"):
            what(tmp_path / "a.png")


def test_other_formats_say_what_they_need(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(RedmaxError, match=r"Pillow: pip install 'redmax\[plot\]'"):
        run.picture(tmp_path / "a.jpg", size=SMALL)
    run.picture(tmp_path / "a.png", size=SMALL)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(RedmaxError, match=r"imageio-ffmpeg: pip install 'redmax\[video\]'"):
        run.film(tmp_path / "a.mp4", size=SMALL)


def test_an_mp4_film_has_the_pictures_of_the_run(run, tmp_path):
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    said = []
    path = run.film(tmp_path / "a.mp4", size=SMALL, fps=10, speed=0.5, progress=lambda done, count: said.append((done, count)))
    reader = imageio_ffmpeg.read_frames(str(path))
    facts = next(reader)
    frames = [np.frombuffer(frame, np.uint8).reshape(SMALL[1], SMALL[0], 3) for frame in reader]
    assert facts["size"] == SMALL
    assert facts["codec"] == "h264"
    assert facts["pix_fmt"].startswith("yuv420p")
    assert facts["fps"] == 10
    assert len(frames) == 21  # one second at half speed, both ends included
    assert said == [(k, 21) for k in range(1, 22)]
    for k in (0, 10, 20):
        wanted = pixels(stage_of(run), t=0.05 * k, size=SMALL).astype(int)
        assert np.abs(frames[k] - wanted).mean() < 3
    other = pixels(stage_of(run), t=0.5, size=SMALL).astype(int)
    assert np.abs(frames[0] - other).mean() > 1.2 * np.abs(frames[10] - other).mean()
    data = path.read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")  # plays while it loads


@pytest.mark.parametrize("suffix", [".gif", ".webp"])
def test_other_films_move_too(run, tmp_path, suffix):
    pytest.importorskip("imageio_ffmpeg")
    path = run.film(tmp_path / f"a{suffix}", size=SMALL, fps=10, start=0.2, end=0.6)
    with Image.open(path) as film:
        assert film.size == SMALL
        assert film.n_frames == 5
        assert film.info["loop"] == 0
        film.seek(4)
        last = np.asarray(film.convert("RGB")).astype(int)
    wanted = pixels(stage_of(run), t=0.6, size=SMALL).astype(int)
    assert np.abs(last - wanted).mean() < 6


def test_a_film_has_as_many_pictures_as_its_time_needs(run):
    shown = stage_of(run)
    np.testing.assert_allclose(frame_times(shown.times, 4, 1, None, None), [0, 0.25, 0.5, 0.75, 1.0])
    np.testing.assert_allclose(frame_times(shown.times, 3, 1, 0.0, 0.9), [0, 1 / 3, 2 / 3])
    np.testing.assert_allclose(frame_times(shown.times, 30, 0.1, 0.5, 0.5), [0.5])


WRONG_FILMS = [
    ({"path": "a.avi"}, "suffix '.avi', expected .mp4, .webp, .gif"),
    ({"path": "nowhere/a.mp4"}, "there is no folder"),
    ({"size": (95, 64)}, "even width and height, which H.264 needs: 94 x 64"),
    ({"fps": 0}, "fps = 0, expected a positive number"),
    ({"speed": -1}, "speed = -1, expected a positive number"),
    ({"speed": 1e-6}, "at most 20,000"),
    ({"start": 0.5, "end": 0.2}, "in this order"),
    ({"end": 3.0}, "expected times of the run, 0 to 1 s"),
    ({"theme": "blue"}, "no theme"),
]


@pytest.mark.parametrize(("wrong", "sentence"), WRONG_FILMS)
def test_wrong_films_are_refused_in_a_sentence(run, tmp_path, wrong, sentence):
    given = {"path": "a.mp4", "size": SMALL} | wrong
    with pytest.raises(RedmaxError, match=sentence):
        run.film(tmp_path / given.pop("path"), **given)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("t", [0.0, 1.2345678, np.float32(7.7), 20, None])
def test_a_picture_of_a_long_run_reads_few_samples_and_is_the_same(long_run, tmp_path, t):
    path = long_run.picture(tmp_path / "a.png", t=t, size=SMALL)
    np.testing.assert_array_equal(np.asarray(Image.open(path)), pixels(stage_of(long_run), t=t, size=SMALL))
    assert len(stage_at(long_run, [0.0 if t is None else t]).times) < 250


def test_a_film_of_a_long_run_has_the_same_pictures(long_run, tmp_path):
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    path = long_run.film(tmp_path / "a.mp4", size=SMALL, fps=10, start=3.01234, end=3.5)
    whole = write_film(tmp_path / "b.mp4", stage_of(long_run), size=SMALL, fps=10, start=3.01234, end=3.5)
    films = [list(imageio_ffmpeg.read_frames(str(p)))[1:] for p in (path, whole)]
    assert len(films[0]) == 5
    assert films[0] == films[1]


def test_an_interrupted_film_leaves_nothing(run, tmp_path):
    pytest.importorskip("imageio_ffmpeg")

    def stop(done, count):
        raise KeyboardInterrupt

    for name in ("a.mp4", "a.gif", "a.webp"):
        with pytest.raises(KeyboardInterrupt):
            run.film(tmp_path / name, size=SMALL, progress=stop)
    assert not list(tmp_path.iterdir())


def test_what_ffmpeg_says_is_passed_on(tmp_path):
    pytest.importorskip("imageio_ffmpeg")
    from redmax.view.picture.film import encode, ffmpeg_program

    with pytest.raises(RedmaxError, match="ffmpeg says"):
        encode((ffmpeg_program(), "-i", str(tmp_path / "missing.mkv")), (), tmp_path / "a.mp4")


def test_a_close_picture_of_the_bodies_leaves_out_where_they_run():
    y = np.linspace(-9, 9, 5)
    rail = DrawingView("rail", np.stack([0 * y, y, 0 * y], axis=1), np.eye(4)[None])
    shown = stage([box((0, 0, 0), (1, 1, 1), RED)], drawings=[rail])
    far, near = (is_red(pixels(shown, size=SMALL, fit=fit)).mean() for fit in ("moment", "bodies"))
    assert near > 0.2
    assert near > 10 * far
