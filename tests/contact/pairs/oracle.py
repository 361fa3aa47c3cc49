"""Random shapes, and coal, which knows how far two of them are apart."""

from __future__ import annotations

import coal
import numpy as np

ROUND = {"sphere", "capsule"}
WIDE = 50.0  # half extents of the cuboid that stands for a plane


def rotations(rng: np.random.Generator, n: int) -> np.ndarray:
    """(n, 3, 3)."""
    q = rng.normal(size=(n, 4))
    w, x, y, z = (q / np.linalg.norm(q, axis=1)[:, None]).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def placed(R: np.ndarray, x: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Shapes (n, 15)."""
    x, size = np.broadcast_to(x, (len(R), 3)), np.broadcast_to(size, (len(R), 3))
    return np.concatenate([R.reshape(len(R), 9), x, size], axis=1)


def random_shapes(rng: np.random.Generator, n: int, spread: float = 0.7) -> np.ndarray:
    """Somewhere about the origin, turned somehow; sizes 0.1 to 0.6."""
    return placed(rotations(rng, n), rng.uniform(-spread, spread, (n, 3)), rng.uniform(0.1, 0.6, (n, 3)))


def moved(shapes: np.ndarray, R: np.ndarray, x: np.ndarray) -> np.ndarray:
    """All of them, by one rigid motion or one of each."""
    out = shapes.copy()
    out[:, :9] = (R @ shapes[:, :9].reshape(-1, 3, 3)).reshape(-1, 9)
    out[:, 9:12] = np.einsum("...ij,...j->...i", R, shapes[:, 9:12]) + x
    return out


def shifted(shapes: np.ndarray, by: np.ndarray) -> np.ndarray:
    out = shapes.copy()
    out[:, 9:12] += by
    return out


def as_coal(kind: str, shape: np.ndarray) -> tuple[coal.CollisionGeometry, coal.Transform3s]:
    R, x, (r, h, d) = shape[:9].reshape(3, 3), shape[9:12], shape[12:]
    if kind == "plane":
        return coal.Box(2 * WIDE, 2 * WIDE, 2 * WIDE), coal.Transform3s(R, x - WIDE * R[:, 2])
    make = {"sphere": lambda: coal.Sphere(r), "capsule": lambda: coal.Capsule(r, 2 * h), "cylinder": lambda: coal.Cylinder(r, 2 * h)}
    return make.get(kind, lambda: coal.Box(2 * r, 2 * h, 2 * d))(), coal.Transform3s(R, x)


def distance(kinds: tuple[str, str], a: np.ndarray, b: np.ndarray) -> float:
    """Negative where they overlap."""
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance = True
    request.gjk_tolerance, request.gjk_max_iterations = 1e-12, 1000
    request.epa_tolerance, request.epa_max_iterations = 1e-10, 1000
    return coal.distance(*as_coal(kinds[0], a), *as_coal(kinds[1], b), request, result)
