"""Points lie where both shapes are, also where faces, edges and axes are nearly parallel and many directions are nearly the best."""

from __future__ import annotations

import numpy as np
import pytest

from contact.pairs.oracle import placed, random_shapes, reach
from contact.pairs.pair_runs import meet
from redmax.contact.pairs.table import PAIRS

COUNT, SIZE = 4000, 0.6  # at most


def turned_by(rng: np.random.Generator, angles: np.ndarray) -> np.ndarray:
    """(n, 3, 3): by so much (rad), to the second order, about some axis."""
    x, y, z = rng.normal(size=(3, len(angles)))
    W = np.zeros((len(angles), 3, 3))
    W[:, 0, 1], W[:, 0, 2], W[:, 1, 2] = -z, y, -x
    W = (W - W.transpose(0, 2, 1)) * (angles / np.sqrt(x * x + y * y + z * z))[:, None, None]
    half = np.eye(3) - W / 2
    return np.linalg.solve(half, np.eye(3) + W / 2)


def nearly_parallel(kinds: tuple[str, str]) -> tuple[np.ndarray, np.ndarray]:
    """Each pair overlaps a little along an axis of a, to which an axis of b is parallel but for 1e-4 to 0.3 rad."""
    rng = np.random.default_rng(12)
    a, b, axis = random_shapes(rng, COUNT, 0.0), random_shapes(rng, COUNT, 0.0), rng.integers(3, size=COUNT)
    R = a[:, :9].reshape(-1, 3, 3)
    axis = np.full(COUNT, 2) if kinds[0] == "plane" else axis
    n, spin = R[np.arange(COUNT), :, axis], rng.uniform(0, 2 * np.pi, COUNT)
    N = np.cross(n[:, None, :], np.eye(3)).transpose(0, 2, 1)
    about = np.eye(3) + np.sin(spin)[:, None, None] * N + (1 - np.cos(spin))[:, None, None] * (N @ N)
    other = np.stack([np.roll(np.eye(3), k, axis=1) for k in rng.integers(3, size=COUNT)])
    turns = turned_by(rng, 10 ** rng.uniform(-4, -0.5, COUNT)) @ about @ R @ other
    size = b[:, 12:]
    far = [reach(kinds[1], s, m) + (0.0 if kinds[0] == "plane" else reach(kinds[0], t, m)) for t, s, m in zip(a, placed(turns, 0, size), n)]
    depth, beside = 10 ** rng.uniform(-4, -1.5, COUNT), rng.uniform(-SIZE, SIZE, (COUNT, 3))
    beside -= (beside * n).sum(axis=1, keepdims=True) * n
    return a, placed(turns, (np.array(far) - depth)[:, None] * n + beside, size)


def beyond(kind: str, shape: np.ndarray, x: np.ndarray) -> float:
    """How far a point is outside of a shape."""
    p, (r, h, d) = shape[:9].reshape(3, 3).T @ (x - shape[9:12]), shape[12:]
    if kind == "plane":
        return max(p[2], 0.0)
    if kind == "ellipsoid":  # at most that far
        return max(np.linalg.norm(p) * (1 - 1 / max(np.linalg.norm(p / shape[12:]), 1e-9)), 0.0)
    if kind == "cylinder":
        return float(np.hypot(max(np.hypot(p[0], p[1]) - r, 0.0), max(abs(p[2]) - h, 0.0)))
    if kind == "cuboid":
        return float(np.linalg.norm(np.maximum(abs(p) - (r, h, d), 0.0)))
    core = max(abs(p[2]) - h, 0.0) if kind == "capsule" else p[2]
    return max(float(np.linalg.norm([p[0], p[1], core])) - r, 0.0)


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_points_of_nearly_parallel_shapes_are_on_both(kinds):
    """But for how far these are apart there, and faces that count as a little larger."""
    a, b = nearly_parallel(kinds)
    found, count = meet(kinds, a, b, 1e-2), 0
    for k, contacts in enumerate(found):
        for contact in contacts:
            count += 1
            farther = max(beyond(kinds[0], a[k], contact[:3]), beyond(kinds[1], b[k], contact[:3])) - abs(contact[6])
            assert farther < 1e-2 * SIZE, (k, contact)
    assert count > 100
