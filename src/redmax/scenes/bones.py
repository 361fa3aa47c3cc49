"""Bones for scenes with muscles: slim, so that muscles are seen outside of them, but as heavy as the limbs they stand for."""

from typing import Any

import numpy as np

import redmax as rm
from redmax.math import maximum, minimum


def bone(length: float, radius: float, ends: tuple[float, float], mass: float) -> rm.Composite:
    """From the origin down to -length: a shaft with a ball at either end. ends: radii of the balls (m); mass: of all (kg)."""
    shaft = rm.Capsule(radius, length, mass=0.8 * mass), (0, 0, -length / 2)
    return rm.Composite([shaft, *[(rm.Sphere(r, mass=0.1 * mass), (0, 0, z)) for r, z in zip(ends, (0, -length), strict=True)]])


def local(scene: rm.Scene, body: rm.BodyHandle, x: Any, y: Any, z: Any) -> np.ndarray:
    """(3,) in the body's frame, of a place in its joint's frame (m), in which bones are described."""
    E = np.linalg.inv(scene.links[body.index].body)
    return E[:3, :3] @ np.array([x, y, z]) + E[:3, 3]


def on(scene: rm.Scene, body: rm.BodyHandle, x: float, z: float, y: float = 0.0) -> rm.Point:
    """The point of a body that is so far in front of (x), above (z) and beside (y) the origin of its joint (m)."""
    return body.point(*local(scene, body, x, y, z).tolist())


def ramp(t: Any, start: float, end: float) -> Any:
    """From 0 before start to 1 after end (s); its slope does not jump."""
    x = minimum(maximum((t - start) / (end - start), 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)
