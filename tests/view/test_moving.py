"""Packed points are where they were, whatever the packing; what takes no part never moves what does."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redmax.view import PathView, SoftView, write_html
from redmax.view.moving import bridged, moving, path_motion, stepped
from redmax.view.packing import encode
from view.samples import decoded, embedded_scene
from view.soft_samples import cloth_in_wind, grid_faces, tolerance, unpacked


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    times=st.integers(1, 400),
    count=st.integers(1, 30),
    terms=st.integers(0, 12),
    scale=st.floats(1e-3, 1e3),
)
def test_points_are_within_the_precision(seed, times, count, terms, scale):
    rng = np.random.default_rng(seed)
    points = scale * np.tensordot(rng.normal(size=(times, terms)), rng.normal(size=(terms, count, 3)), 1) + rng.normal(size=(count, 3))
    packed = moving(points)
    off = np.abs(unpacked(packed, times) - points).max()
    assert off <= tolerance(points) + 1e-6 * np.abs(points).max()
    assert len(json.dumps(packed)) <= 4 / 3 * max(3 * points.size, 4 * points[0].size) + 400  # never more than three bytes a coordinate


def test_smooth_motion_is_modes_and_noise_is_samples():
    x = np.linspace(0, 1, 50)
    t = np.linspace(0, 5, 300)[:, None]
    wave = np.stack(np.broadcast_arrays(x, 0.0, np.sin(5 * x - t)), -1)
    assert decoded(moving(wave)["weights"], "<f4").size == 2 * 300
    assert "differences" in moving(np.random.default_rng(0).normal(size=(300, 4, 3)))
    assert set(moving(np.repeat(wave[:1], 9, 0))) == {"points"}


def test_a_thrown_stone_takes_a_byte_a_coordinate():
    """Its acceleration is constant: a step or so between two pictures, however far it flies."""
    t = np.linspace(0, 10, 601)
    points = np.stack([10 * t, 0 * t, 40 * t - 9.81 / 2 * t * t], axis=1)[:, None]
    step = 0.005
    low, differences = stepped(points, step)
    assert len(differences) <= 3 * 601 + 2 * 2 * 3
    found = unpacked({"low": low, "step": step, "differences": encode(differences, "u1")}, 601)
    np.testing.assert_allclose(found, points, atol=1.000001 * step / 2, rtol=0)


@pytest.mark.parametrize("count", [3, 60])
def test_what_goes_far_stays_sharp(count):
    """A small thing that wriggles and travels fifty times its length: its own size matters, not the way."""
    t = np.linspace(0, 20, 1201)[:, None]
    x = np.linspace(0, 1, count)
    points = np.stack(np.broadcast_arrays(x + 2.5 * t, 0.1 * np.sin(6 * x - 5 * t), 0.1 * np.cos(4 * x - 7 * t)), -1)
    np.testing.assert_allclose(unpacked(moving(points), 1201), points, atol=2.1e-4, rtol=0)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), share=st.floats(0.0, 0.95))
def test_points_without_a_part_leave_the_others_as_they_are(seed, share):
    rng = np.random.default_rng(seed)
    points = 100 + np.cumsum(rng.normal(size=(60, 5, 3)), axis=0)  # far from zero, where nothing may go
    gone = rng.random((60, 5)) < share
    gone[0, 0] = False
    points[gone] = np.nan
    view = PathView("muscle", points)
    filled = bridged(view.points, view.active)
    np.testing.assert_array_equal(filled[~gone], points[~gone])
    assert filled.min() >= np.nanmin(points) - 1e-9
    assert filled.max() <= np.nanmax(points) + 1e-9  # the box of the motion is that of what is seen
    keep = np.arange(0, 60, 3)
    packed = path_motion(view, keep)
    active = decoded(packed["active"], "u1").reshape(20, 5).astype(bool) if "active" in packed else np.ones((20, 5), bool)
    np.testing.assert_array_equal(active, ~gone[keep])
    found = unpacked(packed, 20)
    np.testing.assert_allclose(found[active], points[keep][active], atol=tolerance(bridged(points[keep], active)), rtol=0)


def test_a_path_that_is_never_seen_at_the_times_shown_is_still_a_page(tmp_path):
    points = np.full((101, 3, 3), np.nan)
    points[1] = np.eye(3)
    path = write_html(tmp_path / "a.html", title="A", times=np.linspace(0, 1, 101), bodies=[], paths=[PathView("late", points)], fps=10)
    (entry,) = embedded_scene(path)["paths"]
    assert not decoded(entry["active"], "u1").any()


@pytest.mark.parametrize(("level", "share"), [(-7.0, 0.0), (-1.0, 0.0), (0.0, 0.25), (1.0, 0.5), (3.0, 1.0), (9.0, 1.0)])
def test_levels_are_shares_of_the_range(level, share):
    view = PathView("muscle", np.zeros((4, 2, 3)), level=np.full(4, level), range=(-1, 3))
    packed = path_motion(view, np.arange(4))
    assert packed["range"] == [-1.0, 3.0]
    np.testing.assert_allclose(decoded(packed["levels"], "u1") / 255, share, atol=0.5 / 255)


def test_ten_seconds_of_cloth_are_well_under_2_mb(tmp_path):
    """400 vertices at 60 frames a second, in a motion that never repeats."""
    cloth = cloth_in_wind(20, 601, 60.0)
    times = np.linspace(0, 10, 601)
    assert np.ptp(cloth[:, :, 1]) > 0.5  # it does move
    path = write_html(tmp_path / "a.html", title="A", times=times, bodies=[], soft=[SoftView("cloth", cloth, grid_faces(20, 20))])
    assert path.stat().st_size < 1.5e6
    (entry,) = embedded_scene(path)["soft"]
    np.testing.assert_allclose(unpacked(entry, 601), cloth, atol=tolerance(cloth), rtol=0)
