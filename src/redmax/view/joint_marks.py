"""Joints as small solids: a pin for each axis that a joint turns about, a rail along which it slides, a ball where it turns every way.

Their size is that of the thinner of the two bodies at the joint, within bounds: a pin looks out on both sides of it, and hides nothing.
A joint in empty space has none, as nothing would hold it. One that slides in a plane is a sheet over the places that it visits.
"""

from collections.abc import Sequence

import numpy as np

from redmax.joints.base import frame_of_axis
from redmax.model.links import Link
from redmax.view.drawing_view import DrawingView
from redmax.view.geometry.skins import Array, Triangles, ball, cylinder
from redmax.view.joint_axes import JointAxis, axes
from redmax.view.joint_view import joint_side
from redmax.view.mark_view import MarkView
from redmax.view.surface_distance import surface_distance

PIN, LOOKS_OUT, WIDEST = 0.19, 1.22, 1.6  # of the thickness: radius of a pin; of the width: its length; and the most of that
BALL, RAIL = 0.56, 0.11  # of the thickness: radii
THICKEST = 0.027  # of the size of the motion, for joints between bodies that are large, or have no shape
MATTERS = 1e-3  # of the thickness: a joint that slides less does not slide


def joint_marks(links: Sequence[Link], poses: Array, reach: float = 0.0) -> tuple[list[MarkView], list[DrawingView]]:
    """Marks of the joints, and the sheets of those that slide in a plane.

    poses: (T, links, 4, 4) of the bodies; reach: how far from its first place what slides may go, if these are not yet all
    """
    marks, sheets = [], []
    meshes = [link.shape.mesh() for link in links]
    corners = [np.asarray(vertices).reshape(-1, 3) for vertices, _ in meshes]
    most = THICKEST * size_of(corners, poses)
    for i, link in enumerate(links):
        found = axes(link)
        slides = [axis for axis in found if axis.kind == "slide"]
        near = {side: corners[k] for side, k in (("child", i), ("parent", link.parent)) if k >= 0 and len(corners[k])}
        thick = min(most, *(thickness(points) for points in near.values())) if near else most
        if not found or not thick > 0:
            continue
        if len(slides) == 2:
            sheets += plane(links, i, slides, poses, thick, corners[i], reach)
        for axis in found:
            if (axis.kind == "slide" and len(slides) == 1) or (axis.kind != "slide" and is_held(links, i, axis, meshes, poses[0], thick)):
                mesh = solid(links, i, axis, poses, thick, near, corners[i], reach)
                marks += [] if mesh is None else [mark(links, i, axis, mesh, poses)]
    return marks, sheets


def is_held(links: Sequence[Link], i: int, axis: JointAxis, meshes: Sequence[Triangles], start: Array, thick: float) -> bool:
    """Whether a surface on one side of the joint, if there is any, is so near that a mark of this thickness would touch it.

    start: (links, 4, 4) poses of the bodies at first
    """
    link = links[i]
    carrier = link.parent if axis.on == "parent" else i
    side = joint_side(links, link, axis.on) @ np.append(axis.point, 1.0)
    point = side if carrier < 0 else start[carrier] @ side
    shaped = [k for k in (i, link.parent) if k >= 0 and len(meshes[k][0])]
    return not shaped or any(surface_distance((np.linalg.inv(start[k]) @ point)[:3], *meshes[k]) < thick for k in shaped)


def size_of(corners: Sequence[Array], poses: Array) -> float:
    """Of the whole motion: the diagonal of the box around all bodies, each taken as large as it is in any direction."""
    reach = np.array([np.linalg.norm(points, axis=1).max(initial=0.0) for points in corners])[:, None]
    at = poses[:, : len(corners), :3, 3]
    return float(np.linalg.norm((at + reach).max(axis=(0, 1)) - (at - reach).min(axis=(0, 1)))) if len(corners) else 0.0


def thickness(points: Array) -> float:
    """Of a body: the mean of its two smaller extents."""
    small, middle, _ = np.sort(np.ptp(points, axis=0))
    return float(np.sqrt(small * middle)) if small > 0 else float(middle) / 4


def solid(
    links: Sequence[Link], i: int, axis: JointAxis, poses: Array, thick: float, near: dict[str, Array], own: Array, reach: float
) -> Triangles | None:
    """The mesh of an axis, along z, with its origin on the axis. near: vertices of bodies by side; own: of the one that the joint moves."""
    if axis.kind == "ball":
        return ball(BALL * thick)
    if axis.kind == "turn":
        across = [float(np.ptp(points @ in_body(links, i, axis, side))) for side, points in near.items()]
        half = LOOKS_OUT / 2 * float(np.clip(min(across, default=thick), thick, WIDEST * thick))
        return cylinder(PIN * thick, -half, half)
    along = visited(slid(links, i, poses) @ axis.direction, reach)
    if axis.on == "child" or np.ptp(along) < MATTERS * thick:
        return None
    low, high = beyond(along, own @ in_body(links, i, axis, "child") + links[i].body[:3, 3] @ axis.direction, thick)
    return cylinder(RAIL * thick, low, high)


def visited(places: Array, reach: float) -> Array:
    """(T,) places along a direction, and those that may be visited yet."""
    return np.concatenate([places, [places[0] - reach, places[0] + reach]]) if reach > 0 else places


def beyond(visited: Array, own: Array, margin: float) -> tuple[float, float]:
    """From where to where something slides: the places that its origin visits, and as far as it reaches around them, and a little more."""
    return float(visited.min() + own.min(initial=0.0) - margin), float(visited.max() + own.max(initial=0.0) + margin)


def in_body(links: Sequence[Link], i: int, axis: JointAxis, side: str) -> Array:
    """The direction of an axis in the body on one side of the joint, about as it is at the start."""
    return joint_side(links, links[i], side)[:3, :3] @ axis.direction


def mark(links: Sequence[Link], i: int, axis: JointAxis, mesh: Triangles, poses: Array) -> MarkView:
    link = links[i]
    carrier = link.parent if axis.on == "parent" else i
    E = frame_of_axis(axis.direction)
    E[:3, 3] = axis.point
    carried = poses[:, carrier] if carrier >= 0 else np.eye(4)[None]
    return MarkView(link.joint_name, type(link.joint).__name__, link.name, *mesh, joint_side(links, link, axis.on) @ E, carried, carrier)


def plane(
    links: Sequence[Link], i: int, slides: Sequence[JointAxis], poses: Array, thick: float, own: Array, reach: float
) -> list[DrawingView]:
    """A sheet that the joint's origin slides on, over all that it visits, unless a side of it moves with the body."""
    if any(axis.on != "parent" for axis in slides):
        return []
    basis = np.array([axis.direction for axis in slides])
    along = np.linalg.pinv(basis)  # coordinates along the two directions, which need not be square to each other
    body = links[i].body
    around = (own @ body[:3, :3].T + body[:3, 3]) @ along
    places = slid(links, i, poses) @ along
    u, v = (np.linspace(*beyond(visited(places[:, k], reach), around[:, k], thick), 9) for k in range(2))
    points = u[:, None, None] * basis[0] + v[None, :, None] * basis[1]
    E, link = joint_side(links, links[i], "parent"), links[i]
    carried = poses[:, link.parent] if link.parent >= 0 else np.eye(4)[None]
    return [DrawingView(link.joint_name, points @ E[:3, :3].T + E[:3, 3], carried, link.parent)]


def slid(links: Sequence[Link], i: int, poses: Array) -> Array:
    """(T, 3): where the child's side of a joint is, seen from its parent's side."""
    link = links[i]
    child = poses[:, i] @ joint_side(links, link, "child")
    parent = poses[:, link.parent] if link.parent >= 0 else np.eye(4)[None]
    return (np.linalg.inv(parent @ joint_side(links, link, "parent")) @ child)[:, :3, 3]
