"""Downsampling keeps the ends, the order and the limits."""

import numpy as np
import pytest

from redmax.view.sampling import frame_indices


@pytest.mark.parametrize("count", [1, 2, 3, 61, 1001, 50_000])
@pytest.mark.parametrize("end", [1e-3, 1.0, 10.0, 1e4])
def test_first_and_last_sample_are_kept(count, end):
    times = np.linspace(0, end, count)
    kept = frame_indices(times, fps=60, max_frames=3000)
    assert (kept[0], kept[-1]) == (0, count - 1)
    assert (np.diff(kept) > 0).all()
    assert len(kept) <= min(3000, max(np.ceil(60 * end) + 1, 2), count)


def test_few_samples_are_all_kept():
    np.testing.assert_array_equal(frame_indices(np.linspace(0, 10, 101), 60, 3000), np.arange(101))


def test_uneven_samples_are_taken_evenly_in_time():
    times = np.sort(np.random.default_rng(0).uniform(0, 10, 20_000))
    kept = times[frame_indices(times, 60, 3000)]
    assert np.diff(kept).max() < 1.5 / 60
