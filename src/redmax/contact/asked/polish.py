"""The normal of two round shapes to the last digits: the direction in which they are farthest apart. coal has it to about 1e-3.

s(n) = n . (x_b - x_a) - h_a(n) - h_b(-n),  h the support function: Newton's method on the unit sphere, from what coal found
"""

from __future__ import annotations

import numpy as np

from redmax.contact.asked.placed import Placed

TURNS, ENOUGH = 6, 1e-12  # steps; of a radius: how far apart supports may be across the normal
SINGULAR, FAR = 1e-14, 0.1  # of a squared radius; a step that leads elsewhere


def tangents(n: np.ndarray) -> np.ndarray:
    """(2, 3): unit vectors across n."""
    other = np.eye(3)[int(np.abs(n).argmin())]
    first = np.cross(n, other)
    first /= np.sqrt(first @ first)
    return np.array([first, np.cross(n, first)])


def support(b: Placed, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The farthest point (3,) of what is round along n, from its centre, and how it moves with n, (3, 3)."""
    r, h = b.shape.size[:2]
    if b.shape.kind == "ellipsoid":
        A = (b.R * b.shape.size**2) @ b.R.T
        p = A @ n
        length = np.sqrt(n @ p)
        return p / length, (A - np.outer(p, p) / length**2) / length
    axis = b.R[:, 2]
    along = axis @ n
    if b.shape.kind == "cylinder":
        beside = n - along * axis
        length = max(float(np.linalg.norm(beside)), 1e-12)
        u = beside / length
        return np.copysign(h, along) * axis + r * u, r / length * (np.eye(3) - np.outer(axis, axis) - np.outer(u, u))
    end = np.copysign(h, along) * axis if b.shape.kind == "capsule" else np.zeros(3)
    return end + r * n, r * (np.eye(3) - np.outer(n, n))


def polished(n: np.ndarray, a: Placed, b: Placed) -> tuple[np.ndarray, np.ndarray, float] | None:
    """(normal, point midway, gap) near a normal n; None where no steps lead there, as on the edge of a cylinder."""
    size = min(a.shape.radius, b.shape.radius)
    for _ in range(TURNS):
        (p, P), (q, Q) = support(a, n), support(b, -n)
        apart = b.x + q - a.x - p  # the slope of s
        gap = float(n @ apart)
        along = apart - gap * n
        if np.abs(along).max() < ENOUGH * size:
            return n, a.x + p + 0.5 * apart, gap
        across = tangents(n)
        H = across @ (P + Q) @ across.T + gap * np.eye(2)
        if abs(H[0, 0] * H[1, 1] - H[0, 1] * H[1, 0]) < SINGULAR * size**2:
            return None
        step = np.linalg.solve(H, across @ along) @ across
        if np.abs(step).max() > FAR:
            return None
        n = (n + step) / np.sqrt(1.0 + step @ step)
    return None
