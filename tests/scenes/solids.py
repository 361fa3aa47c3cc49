"""Bodies by their implicit equations: what scenes of touching bodies are checked against, without the parameters of any surface."""

from __future__ import annotations

import numpy as np

import redmax as rm


def depth(shape: rm.Body, p: np.ndarray) -> np.ndarray:
    """(...,): how deep points p (..., 3), in the body's frame, lie in the body (m); negative outside. To first order, for ellipsoids."""
    if isinstance(shape, rm.Sphere):
        return shape.radius - np.linalg.norm(p, axis=-1)
    if isinstance(shape, rm.Torus):
        return shape.minor - np.hypot(np.hypot(p[..., 0], p[..., 1]) - shape.major, p[..., 2])
    if isinstance(shape, rm.Ellipsoid):
        f, slope = np.linalg.norm(p / shape.radii, axis=-1), np.linalg.norm(p / np.square(shape.radii), axis=-1)
        return (1 - f) * f / np.maximum(slope, 1e-9)
    raise NotImplementedError(type(shape).__name__)


def outward(shape: rm.Body, p: np.ndarray, h: float = 1e-6) -> np.ndarray:
    """(..., 3): the normal of the body's boundary near p, by central differences of `depth`."""
    steps = h * np.eye(3)
    gradient = np.stack([depth(shape, p - s) - depth(shape, p + s) for s in steps], axis=-1) / (2 * h)
    return gradient / np.linalg.norm(gradient, axis=-1, keepdims=True)


def into(E: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Points p (..., n, 3) of the world in the frame E (..., 4, 4)."""
    return (p - E[..., None, :3, 3]) @ E[..., :3, :3]


def world(E: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Points p (..., n, 3) of the frame E (..., 4, 4) in the world."""
    return p @ np.swapaxes(E[..., :3, :3], -1, -2) + E[..., None, :3, 3]


def links(E: np.ndarray, F: np.ndarray, radius: float, samples: int = 720) -> np.ndarray:
    """(...,): how often the circle about z of F goes through that of E, counted with signs: their linking number."""
    angle = 2 * np.pi * np.arange(samples + 1) / samples
    circle = radius * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)
    x, y, z = np.moveaxis(into(E, world(F, circle)), -1, 0)
    inside = np.hypot(x, y) < radius
    return (np.diff(np.sign(z), axis=-1) / 2 * inside[..., 1:]).sum(axis=-1)
