"""Control frames and control values of splines, and where a joint carries its body."""

from __future__ import annotations

import numpy as np

import redmax as rm
from redmax.lie import se3


def random_frames(rng: np.random.Generator, count: int) -> np.ndarray:
    """Each turned by up to 2 rad and moved from the one before."""
    frames = [se3.exp(rng.normal(size=6))]
    for _ in range(count - 1):
        w = rng.normal(size=3)
        z = np.concatenate([w / np.linalg.norm(w) * rng.uniform(0.0, 2.0), rng.normal(size=3)])
        frames.append(frames[-1] @ se3.exp(z))
    return np.array(frames)


def pose(joint: rm.Joint, q: float) -> np.ndarray:
    return np.asarray(joint.transform(np.array([q])), float)


def bowl() -> np.ndarray:
    """A paraboloid, larger than what a body that starts at rest on it reaches."""
    x, y = np.meshgrid(np.arange(8) - 3.5, np.arange(9) - 4.0, indexing="ij")
    return np.stack([x, y, 0.15 * (x * x + y * y), 0.1 * x, -0.1 * y, 0.05 * x * y], axis=-1)
