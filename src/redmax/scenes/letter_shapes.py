"""Outlines of a few capital letters, 1 high, with strokes that end round: lines and arcs, counterclockwise, and holes.

A letter hangs from a place near its `top` and carries the next one near its `bottom`.
"""

from dataclasses import dataclass
from math import pi

import numpy as np

from redmax.scenes.closed_curves import evenly

HALF = 0.11  # of the width of a stroke
SOFT = 0.018  # the width over which corners are rounded
FINE = 900  # points of an outline


@dataclass(frozen=True, eq=False)
class Shape:
    """outline: (n, 2), counterclockwise; hole: (m, 2) or None; top, bottom: points (2,) on the outline."""

    outline: np.ndarray
    hole: np.ndarray | None
    top: tuple[float, float]
    bottom: tuple[float, float]


def arc(x: float, y: float, radius: float, first: float, last: float) -> np.ndarray:
    """Points of a circle from one angle to another (degrees), (n, 2)."""
    angle = np.radians(np.linspace(first, last, 25))
    return np.stack([x + radius * np.cos(angle), y + radius * np.sin(angle)], axis=-1)


def path(*parts: np.ndarray | tuple[float, float]) -> np.ndarray:
    return np.concatenate([np.atleast_2d(part) for part in parts])


def stroke(*parts: np.ndarray | tuple[float, float]) -> np.ndarray:
    """What a round brush leaves along a path without branches."""
    line = path(*parts)
    line = line[np.concatenate([[True], np.linalg.norm(np.diff(line, axis=0), axis=1) > 1e-9])]
    ahead = np.gradient(line, axis=0)
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    right = HALF * np.stack([ahead[:, 1], -ahead[:, 0]], axis=-1)
    heading = np.degrees(np.arctan2(ahead[:, 1], ahead[:, 0]))
    end = line[-1] + arc(0, 0, HALF, heading[-1] - 90, heading[-1] + 90)
    start = line[0] + arc(0, 0, HALF, heading[0] + 90, heading[0] + 270)
    return path(line + right, end, (line - right)[::-1], start)


def rounded(corners: np.ndarray) -> np.ndarray:
    """Evenly spaced points of the outline, each the mean of its neighbours with the weights of a bell curve."""
    points = evenly(corners, FINE)
    length = np.linalg.norm(np.roll(points, -1, axis=0) - points, axis=1).sum()
    frequency = 2 * pi * np.fft.fftfreq(FINE, length / FINE)
    return np.fft.ifft(np.fft.fft(points, axis=0) * np.exp(-0.5 * (SOFT * frequency[:, None]) ** 2), axis=0).real


def shape(corners: np.ndarray, top: float = 0.0, bottom: float = 0.0, hole: np.ndarray | None = None) -> Shape:
    """top, bottom: the x of the places where it hangs and where it carries."""
    return Shape(rounded(corners), hole, (top, 1.0), (bottom, 0.0))


def letters() -> dict[str, Shape]:
    low, high = HALF, 1 - HALF
    stem = arc(-0.16, low, HALF, 180, 360)
    left = arc(-0.16, high, HALF, 90, 180)
    counter = path(arc(0.03, 0.69, 0.1, -90, 90), (-0.05, 0.79), (-0.05, 0.59))
    S = stroke(arc(0, 0.695, 0.195, 35, 270), arc(0, 0.305, 0.195, 90, -145))
    G = stroke(arc(0, 0.67, 0.22, 40, 180), arc(0, 0.33, 0.22, 180, 360), arc(0.09, 0.33, 0.13, 0, 90), (0.03, 0.46))
    R = path(stem, (-0.05, 0.285), arc(0.26, low, HALF, 220, 400), arc(0.03, 0.69, 0.31, -66, 90), left)
    P = path(stem, (-0.05, 0.38), arc(0.03, 0.69, 0.31, -90, 90), left)
    A = path(arc(-0.3, low, HALF, 159, 339), (-0.12, 0.27), (0.12, 0.27), arc(0.3, low, HALF, 201, 381), arc(0, high, HALF, 21, 159))
    legs = [arc(x, low, HALF, 180, 360) for x in (-0.19, 0.19)]
    arms = [arc(x, high, HALF, 0, 180) for x in (0.19, -0.19)]
    H = path(legs[0], (-0.08, 0.4), (0.08, 0.4), legs[1], arms[0], (0.08, 0.6), (-0.08, 0.6), arms[1])
    return {
        "S": shape(S),
        "I": shape(stroke((0, high), (0, low))),
        "G": shape(G),
        "R": shape(R, top=-0.1, bottom=-0.16, hole=counter),
        "A": shape(A, bottom=-0.3, hole=path((-0.06, 0.42), (0.06, 0.42), (0, 0.56))),
        "P": shape(P, top=-0.1, bottom=-0.16, hole=counter),
        "H": shape(H, top=-0.19),
    }
