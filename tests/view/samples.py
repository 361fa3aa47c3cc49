"""Small motions for the tests of the viewer, and a reader of the data inside a page."""

import base64
import json
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from redmax.view import BodyView

TETRAHEDRON = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
TETRAHEDRON_FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])


def turning_poses(times: NDArray[np.float64], rate: float = 2.0, offset: float = 0.0) -> NDArray[np.float64]:
    """(T, 4, 4): turns about z at `rate` rad/s while it moves along x."""
    poses = np.tile(np.eye(4), (len(times), 1, 1))
    c, s = np.cos(rate * times), np.sin(rate * times)
    poses[:, 0, 0], poses[:, 0, 1], poses[:, 1, 0], poses[:, 1, 1] = c, -s, s, c
    poses[:, 0, 3], poses[:, 2, 3] = times, offset
    return poses


def turning_body(times: NDArray[np.float64], name: str = "body", offset: float = 0.0) -> BodyView:
    return BodyView(name, TETRAHEDRON, TETRAHEDRON_FACES, turning_poses(times, offset=offset))


def embedded_scene(path: Path) -> dict:
    """The JSON object in the page, read as a browser does: up to the first end tag."""
    match = re.search(r'<script type="application/json" id="scene">(.*?)</script', path.read_text("utf-8"), re.S)
    assert match
    return json.loads(match[1])


def decoded(text: str, dtype: str) -> NDArray:
    return np.frombuffer(base64.b64decode(text), dtype)


def short_numbers(text: str) -> list[int]:
    """Whole numbers of seven bits a byte, the lowest first; their lowest bit is the sign."""
    numbers, value, shift = [], 0, 0
    for byte in decoded(text, "u1").tolist():
        value, shift = value + ((byte & 127) << shift), shift + 7
        if byte < 128:
            numbers.append(-(value + 1) // 2 if value % 2 else value // 2)
            value = shift = 0
    return numbers


def corners_of(text: str) -> NDArray[np.int64]:
    """(m, 3): the vertex numbers of faces, of which the differences are stored."""
    return np.cumsum(short_numbers(text)).reshape(-1, 3)


def matrices(rows: NDArray) -> NDArray[np.float64]:
    """(T, 4, 4) from rows x, y, z and a quaternion w, x, y, z."""
    out = np.tile(np.eye(4), (len(rows), 1, 1))
    out[:, :3, 3] = rows[:, :3]
    for E, (w, *v) in zip(out, rows[:, 3:].astype(float), strict=True):
        x, y, z = v
        K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        E[:3, :3] = np.eye(3) + 2 * w * K + 2 * K @ K
    return out
