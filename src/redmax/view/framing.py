"""Where the camera and the ground go: found from the extreme points of the whole motion."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from redmax.view.arrow_view import ArrowView
from redmax.view.body_view import BodyView
from redmax.view.drawing_view import DrawingView
from redmax.view.geometry.sizes import LONGEST_ARROW
from redmax.view.mark_view import MarkView
from redmax.view.path_view import PathView
from redmax.view.soft_view import SoftView

GROUND_GAP = 0.04  # of the size of the motion
LOOKS = 60  # at a drawing that changes
SOFT_LOOKS = 300  # at what deforms, which may move fast and far
LOW, HIGH = np.radians(15), np.radians(31)  # of the eye above the ground
TURN = np.radians(24)  # from the broadside view, so that depth can be seen


@dataclass(frozen=True)
class Framing:
    """hull: (k, 3) extreme points of the motion; ground: height z; azimuth, elevation: direction of the eye, about z and above, rad."""

    hull: NDArray[np.float64]
    ground: float
    azimuth: float
    elevation: float

    @property
    def size(self) -> float:
        """The diagonal of the box around the motion."""
        return float(np.linalg.norm(np.ptp(self.hull, axis=0)))


def frame(bodies: Sequence[NDArray[np.float64]], drawings: Sequence[NDArray[np.float64]], ground: float | None) -> Framing:
    """Fit the points (k, 3) of each body and drawing over the whole motion; `ground` is found when it is None."""
    directions = np.vstack([np.eye(3), -np.eye(3), sphere_directions(42)])
    best, hull = np.full(len(directions), -np.inf), np.zeros((len(directions), 3))
    moments = []
    for points in [*bodies, *drawings]:
        height = directions @ points.T  # long rows: several times faster to search than long columns
        top = np.argmax(height, axis=1)
        reach = height[np.arange(len(top)), top]
        better = reach > best
        best[better], hull[better] = reach[better], points[top[better]]
        moments.append((points[:, :2].mean(axis=0), np.cov(points[:, :2].T, bias=True)))
    hull = np.unique(hull, axis=0)
    size = np.linalg.norm(np.ptp(hull, axis=0))
    height = hull[:, 2].min() - GROUND_GAP * size if ground is None else ground
    return Framing(hull, float(height), broadside_azimuth(moments) + TURN, elevation(drawings))


def motion_frame(
    times: NDArray[np.float64], bodies: Sequence[BodyView], drawings: Sequence[DrawingView], paths: Sequence[PathView],
    soft: Sequence[SoftView], arrows: Sequence[ArrowView], keep: NDArray[np.int64], ground: float | None = None,
    triads: Sequence[MarkView] = (),
) -> Framing:  # fmt: skip
    """The framing of all that is seen at the sample indices `keep`; arrows, whose length follows from it, and the axes of frames change the
    ground no more."""
    solid = [body_points(body, keep) for body in bodies]
    solid += [*(path_points(view, keep) for view in paths), *(soft_points(view, keep) for view in soft)]
    drawn = [drawing_points(view, times, keep) for view in drawings]
    framing = frame(solid, drawn, ground)
    axes = [in_world(v.vertices, (v.poses[keep] if len(v.poses) > 1 else v.poses) @ v.place) for v in triads]
    more = [*arrow_points(arrows, framing.size, keep), *axes]
    return frame([*solid, *more], drawn, framing.ground) if more else framing


def body_points(body: BodyView, frames: NDArray[np.int64]) -> NDArray[np.float64]:
    """(T k, 3): the outermost vertices of the body at the sample indices `frames`, in the world."""
    return in_world(outermost(body.vertices), body.poses[frames])


def drawing_points(view: DrawingView, times: NDArray[np.float64], frames: NDArray[np.int64]) -> NDArray[np.float64]:
    """(k, 3): the outermost points of a drawing in the world; those of one that changes are looked at a few times only."""
    if not view.moves:
        return in_world(outermost(view.at(times[:1]).reshape(-1, 3)), view.poses[frames] if len(view.poses) > 1 else view.poses)
    some = frames[np.unique(np.linspace(0, len(frames) - 1, LOOKS).astype(int))]
    poses = view.poses[some] if len(view.poses) > 1 else np.broadcast_to(view.poses, (len(some), 4, 4))
    shapes = view.at(times[some]).reshape(len(some), -1, 3)
    return np.concatenate([in_world(outermost(points), pose[None]) for points, pose in zip(shapes, poses, strict=True)])


def path_points(view: PathView, frames: NDArray[np.int64]) -> NDArray[np.float64]:
    """(k, 3): all points of a path that take part at the sample indices `frames`, or ever if none does there."""
    here = frames if len(view.points) > 1 else np.zeros(1, np.int64)
    shown = view.points[here][view.active[here]]
    return shown if len(shown) else view.points[view.active]


def arrow_points(views: Sequence[ArrowView], size: float, frames: NDArray[np.int64]) -> list[NDArray[np.float64]]:
    """(k, 3) of each arrow: its tips at the sample indices `frames`, in a scene of that size."""
    strongest = {view.kind: max(np.linalg.norm(v.vectors, axis=1).max() for v in views if v.kind == view.kind) for view in views}
    return [view.points[frames] + LONGEST_ARROW * size / (strongest[view.kind] or 1.0) * view.vectors[frames] for view in views]


def soft_points(view: SoftView, frames: NDArray[np.int64]) -> NDArray[np.float64]:
    """(k, 3): the outermost vertices of what deforms at some of the sample indices `frames`."""
    some = frames[np.unique(np.linspace(0, len(frames) - 1, SOFT_LOOKS).astype(int))] if len(view.vertices) > 1 else [0]
    return np.concatenate([outermost(view.vertices[i]) for i in some])


def outermost(points: NDArray[np.float64]) -> NDArray[np.float64]:
    return points[np.unique(np.argmax(points @ sphere_directions(160).T, axis=0))]


def in_world(points: NDArray[np.float64], poses: NDArray[np.float64]) -> NDArray[np.float64]:
    """(T k, 3): k points carried by T poses."""
    return (points @ poses[:, :3, :3].transpose(0, 2, 1) + poses[:, None, :3, 3]).reshape(-1, 3)


def sphere_directions(count: int) -> NDArray[np.float64]:
    """(count, 3) unit vectors spread evenly: a Fibonacci spiral."""
    i = np.arange(count) + 0.5
    z, angle = 1 - 2 * i / count, np.pi * (1 + 5**0.5) * i
    r = np.sqrt(1 - z * z)
    return np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)


def elevation(drawings: Sequence[NDArray[np.float64]]) -> float:
    """Low, so that heights are seen; but flat wires and sheets are looked at from farther above, from where more of them is seen."""
    if not drawings:
        return float(LOW)
    x, y, z = np.ptp(np.concatenate(drawings), axis=0)
    return float(HIGH + (LOW - HIGH) * min(z / max(x, y, z), 1.0)) if max(x, y, z) > 0 else float(LOW)


def broadside_azimuth(moments: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]]) -> float:
    """The eye looks across the longer horizontal extent of the motion; from -y when there is none."""
    means = np.array([mean for mean, _ in moments])
    spread = np.cov(means.T, bias=True) + np.mean([covariance for _, covariance in moments], axis=0)
    (small, large), axes = np.linalg.eigh(spread)
    if large < 2 * small:
        return -np.pi / 2
    x, y = axes[:, 1]
    return np.arctan2(y, x) % np.pi - np.pi / 2 if abs(x) < abs(y) else np.arctan(y / x) - np.pi / 2
