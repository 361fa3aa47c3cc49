"""How far a line through a point goes on inside of a convex shape: in closed form for all kinds."""

from __future__ import annotations

import numpy as np

from redmax.contact.asked.placed import Placed
from redmax.contact.polytope import Polytope, cuboid
from redmax.contact.shape import ContactShape

FLAT = 1e-9  # the cosine of a face along the line


def polytope_of(shape: ContactShape) -> Polytope | None:
    """Of what has flat faces."""
    return shape.solid if shape.kind == "mesh" else cuboid(shape.size) if shape.kind == "cuboid" else None


def way_out(body: Placed, faces: Polytope | None, points: np.ndarray, n: np.ndarray) -> np.ndarray:
    """(k,): t, where points (k, 3) + t n leave the shape; what does not meet it leaves where it would if the shape were a little wider."""
    p, d = body.local(points), n @ body.R
    if faces is not None:
        slope = faces.normals @ d
        ahead = slope > FLAT
        return ((faces.offsets[ahead] - p @ faces.normals[ahead].T) / slope[ahead]).min(axis=1)
    kind, size = body.shape.kind, body.shape.size
    if kind in ("sphere", "ellipsoid"):
        radii = size if kind == "ellipsoid" else np.full(3, size[0])
        return round_way_out(p / radii, d / radii)
    r, h = size[:2]
    around = round_way_out(p[:, :2] / r, d[:2] / r) if d[:2] @ d[:2] > FLAT**2 else np.full(len(p), np.inf)
    if kind == "cylinder":
        cap = (h - np.sign(d[2]) * p[:, 2]) / abs(d[2]) if abs(d[2]) > FLAT else np.full(len(p), np.inf)
        return np.minimum(around, cap)
    middle = np.clip(p[:, 2] + np.where(np.isfinite(around), around, 0.0) * d[2], -h, h)
    end = np.where(np.isfinite(around), middle, h * np.sign(d[2]))
    return round_way_out((p - end[:, None] * [0.0, 0.0, 1.0]) / r, d / r)


def round_way_out(p: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Of the unit ball or disc."""
    square, along = d @ d, p @ d
    return (np.sqrt(np.maximum(along**2 - square * ((p * p).sum(axis=1) - 1), 0.0)) - along) / square
