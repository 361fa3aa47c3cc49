"""Shapes of all kinds at random places, and how far they are apart along a direction, by their support functions."""

from __future__ import annotations

import numpy as np

import redmax as rm
from contact.pairs.oracle import reach, rotations
from redmax.bodies.surfaces import box
from redmax.contact.asked.placed import Placed
from redmax.contact.material import ContactMaterial
from redmax.contact.shape import ContactShape, shapes_of

CONVEX = ("sphere", "capsule", "cylinder", "cuboid", "ellipsoid", "mesh")
PAIRS = [(a, b) for b in ("ellipsoid", "mesh") for a in CONVEX[: CONVEX.index(b) + 1]]


def as_mesh(size: tuple[float, ...] = (0.2, 0.2, 0.2), mass: float = 1.0) -> rm.Mesh:
    """A cuboid of triangles."""
    return rm.Mesh(*box(size), mass=mass)


def random_body(kind: str, rng: np.random.Generator) -> rm.Body:
    """Of sizes 0.1 to 0.4."""
    r, h, d = rng.uniform(0.1, 0.4, 3).tolist()
    made = {
        "sphere": lambda: rm.Sphere(r), "capsule": lambda: rm.Capsule(r, h), "cylinder": lambda: rm.Cylinder(r, h),
        "cuboid": lambda: rm.Cuboid((r, h, d)), "ellipsoid": lambda: rm.Ellipsoid((r, h, d)),
        "mesh": lambda: rm.Mesh.hull(rng.normal(size=(16, 3)) * (r, h, d)),
    }  # fmt: skip
    return made[kind]()


def shape_of(body: rm.Body) -> ContactShape:
    (found,) = shapes_of("it", 0, body, np.eye(4), ContactMaterial(), 0)
    return found


def placed(body: rm.Body, R: np.ndarray, x: np.ndarray) -> Placed:
    return Placed(shape_of(body), R, np.asarray(x, float), 0.0)


def random_placed(kind: str, rng: np.random.Generator, spread: float = 0.6) -> Placed:
    return placed(random_body(kind, rng), rotations(rng, 1)[0], rng.uniform(-spread, spread, 3))


def extent(of: Placed, n: np.ndarray) -> np.ndarray:
    """How far it reaches from its centre along directions (..., 3)."""
    if of.shape.kind == "mesh":
        return (n @ of.R @ of.shape.solid.vertices.T).max(axis=-1)
    return reach(of.shape.kind, np.concatenate([of.R.ravel(), of.x, of.shape.size]), n)


def apart(a: Placed, b: Placed, n: np.ndarray) -> np.ndarray:
    """How far along directions (..., 3)."""
    return n @ (b.x - a.x) - extent(a, n) - extent(b, -n)


def most_apart(a: Placed, b: Placed, count: int = 1000) -> float:
    """Over directions all around, and closer and closer around the best."""
    rng = np.random.default_rng(0)
    tried = rng.normal(size=(count, 3))
    best, width, n = -np.inf, 0.1, tried[0]
    for _ in range(14):
        tried /= np.linalg.norm(tried, axis=1)[:, None]
        found = apart(a, b, tried)
        if found.max() > best:
            best, n = float(found.max()), tried[found.argmax()]
        tried, width = n + width * rng.normal(size=(100, 3)), 0.5 * width
    return best
