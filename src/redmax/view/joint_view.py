"""The curves and surfaces of joints as views, each in the frame of the body that carries it.

A joint's parent side is at P at, its child side at B body^-1, with B the pose of its body, P = B_p body_p^-1 the parent's joint frame.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from redmax.joints.swept import drawings
from redmax.model.links import Link
from redmax.view.drawing_view import DrawingView

SAME = 1e-6  # of its size: drawings closer than this are one, such as the wire of several beads


def joint_views(links: Sequence[Link], poses: NDArray[np.float64], times: NDArray[np.float64]) -> list[DrawingView]:
    """What the joints look like. poses: (T, links, 4, 4) of the bodies at times (T,)."""
    views: list[DrawingView] = []
    seen: set[tuple[int, bytes]] = set()
    for i, link in enumerate(links):
        for drawing in drawings(link.joint):
            carrier = link.parent if drawing.on == "parent" else i
            points = drawing.placed(joint_side(links, link, drawing.on)).points
            view = DrawingView(link.joint_name, points, poses[:, carrier] if carrier >= 0 else np.eye(4)[None], carrier)
            key = carrier, fingerprint(view, times)
            if key not in seen:
                seen.add(key)
                views.append(view)
    return views


def joint_side(links: Sequence[Link], link: Link, on: str) -> NDArray[np.float64]:
    """The joint's frame on that side, in the body frame of what carries it."""
    if on == "child":
        return np.linalg.inv(link.body)
    return np.linalg.inv(links[link.parent].body) @ link.at if link.parent >= 0 else link.at


def fingerprint(view: DrawingView, times: NDArray[np.float64]) -> bytes:
    """Equal for drawings that look the same."""
    points = view.at(times[[0, len(times) // 3, len(times) // 2]])
    size = float(np.ptp(points, axis=tuple(range(points.ndim - 1))).max())
    return np.rint(points / (SAME * size)).astype(np.int64).tobytes() + str(points.shape).encode()
