"""Which samples of a run to show: enough for smooth motion, few enough for a small file."""

import numpy as np
from numpy.typing import NDArray

FPS, MAX_FRAMES = 60.0, 3000  # of a page: samples per simulated second, and in all
LOOKS = 240  # at a run, to find where it goes


def frame_indices(times: NDArray[np.float64], fps: float = FPS, max_frames: int = MAX_FRAMES) -> NDArray[np.int64]:
    """Increasing indices into `times` (T,): the samples nearest to evenly spaced instants, first and last included."""
    wanted = np.ceil((times[-1] - times[0]) * fps) + 1 if len(times) > 1 else 1
    count = int(min(len(times), max_frames, max(wanted, 2)))
    if count == len(times):
        return np.arange(len(times))
    instants = np.linspace(times[0], times[-1], count)
    after = np.clip(np.searchsorted(times, instants), 1, len(times) - 1)
    nearest = np.where(instants - times[after - 1] <= times[after] - instants, after - 1, after)
    nearest[0], nearest[-1] = 0, len(times) - 1
    return np.unique(nearest)
