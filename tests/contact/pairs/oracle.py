"""Random shapes, coal, which knows how far two of them are apart, and their support functions, which know it along a direction."""

from __future__ import annotations

import coal
import numpy as np

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
    make["ellipsoid"] = lambda: coal.Ellipsoid(r, h, d)
    return make.get(kind, lambda: coal.Box(2 * r, 2 * h, 2 * d))(), coal.Transform3s(R, x)


def distance(kinds: tuple[str, str], a: np.ndarray, b: np.ndarray) -> float:
    """Negative where they overlap."""
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance = True
    request.gjk_tolerance, request.gjk_max_iterations = 1e-12, 1000
    request.epa_tolerance, request.epa_max_iterations = 1e-10, 1000
    return coal.distance(*as_coal(kinds[0], a), *as_coal(kinds[1], b), request, result)


def reach(kind: str, shape: np.ndarray, n: np.ndarray) -> np.ndarray:
    """How far a shape reaches from its centre along directions (..., 3)."""
    x, y, z = np.moveaxis(np.abs(n @ shape[:9].reshape(3, 3)), -1, 0)
    r, h, d = shape[12:]
    found = {"sphere": r + 0 * x, "capsule": r + h * z, "cylinder": r * np.hypot(x, y) + h * z, "cuboid": r * x + h * y + d * z}
    return found[kind] if kind in found else np.sqrt((r * x) ** 2 + (h * y) ** 2 + (d * z) ** 2)


def separation(kinds: tuple[str, str], a: np.ndarray, b: np.ndarray, n: np.ndarray) -> np.ndarray:
    """How far two shapes are apart along directions (..., 3); along its normal alone, for a plane."""
    if kinds[0] == "plane":
        along = np.isclose(n @ a[[2, 5, 8]], 1.0, rtol=0, atol=1e-12)
        return np.where(along, n @ (b[9:12] - a[9:12]) - reach(kinds[1], b, n), -np.inf)
    return n @ (b[9:12] - a[9:12]) - reach(kinds[0], a, n) - reach(kinds[1], b, n)


def most_apart(kinds: tuple[str, str], a: np.ndarray, b: np.ndarray, count: int = 2000) -> float:
    """Over directions all around, and closer and closer around the best."""
    k = np.arange(count) + 0.5
    up, around = 1 - 2 * k / count, np.pi * (1 + 5**0.5) * k
    flat = np.sqrt(1 - up * up)
    tried = np.stack([np.cos(around) * flat, np.sin(around) * flat, up], axis=1)
    tried = np.concatenate([tried, a[[2, 5, 8]][None]])
    rng, width, best, n = np.random.default_rng(0), 0.05, -np.inf, tried[0]
    for _ in range(12):
        found = separation(kinds, a, b, tried)
        if found.max() > best:
            best, n = found.max(), tried[found.argmax()]
        tried = n + width * rng.normal(size=(150, 3))
        tried /= np.linalg.norm(tried, axis=1)[:, None]
        width *= 0.5
    return best
