"""Poses of a body from the markers on it: the rotation and position that bring known places on the body nearest to where they were seen.

With weights w and weighted means p0 of the places p on the body and y0 of what was seen, y:

    H = sum w (p - p0) (y - y0)^T = U S V^T,      R = V diag(1, 1, det(V U^T)) U^T,      x = y0 - R p0

(Kabsch 1976; with the determinant, Umeyama 1991), which is never a reflection. Markers that were not seen have no weight.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from redmax.components.checks import finite
from redmax.design.data.markers import Markers, checked_positions
from redmax.errors import SceneError, wrong
from redmax.lie import se3
from redmax.types import Array, Given

OWNER = "poses_from_markers"
ON_A_LINE = 1e-4  # of the longest extent of the places: markers that spread less across it do not show a turn about it
ALIKE = 0.5  # of the size of the places: a cloud that is smaller than this, or larger than its inverse, is in another unit
MIRRORED = 0.25  # of the squared error: a mirror image that fits this much better is what was measured
EXACT = 1e-6  # of the size of the body: nearer than this, markers are where they should be
ROUNDS = 50  # of averaging a template


@dataclass(frozen=True)
class MarkerPoses:
    """The poses of a body, and how well its markers fit.

    poses: (N, 4, 4) of the frame in which the places on the body are given; NaN where too few markers were seen
    residuals: (N, m) how far each marker was from where the pose has it (m); NaN where it was not seen
    error: (N,) their weighted root mean squares (m)
    """

    poses: Array = field(repr=False)
    residuals: Array = field(repr=False)
    error: Array = field(repr=False)


def poses_from_markers(
    places: Mapping[str, Any] | Array, markers: Markers | Array, *, weights: Given = None, missing: bool = False
) -> MarkerPoses:
    """The poses of a body in each frame, from markers on it.

    places: where they are on the body (m): by name, {"knee": (0, 0, 0.4), ...}, of those that are looked for among `markers`; or (m, 3)
    markers: where they were seen, as `read_markers` gives them; or (N, m, 3) (m), NaN where one was not seen
    weights: (m,) or (N, m), what each counts for; 0 for nothing
    missing: whether frames with too few markers have no pose (NaN) instead of ending in an error. Three that are
        not on one line are enough.

    A mirror image of the body is no pose: markers whose left and right are exchanged end in an error that names the frame.
    """
    p, y, names = matched(places, markers)
    w = checked_weights(weights, y)
    known = (w > 0).sum(axis=1) >= 3
    known &= spread(p, w)[:, 1] > ON_A_LINE * spread(p, np.ones((1, len(p))))[0, 0]
    if not known.all() and not missing:
        i = int(np.argmin(known))
        seen = ", ".join(name for name, there in zip(names, w[i] > 0) if there) or "none"
        fix = "Leave the frame out, or take missing=True, which gives it no pose"
        raise SceneError(
            f"{OWNER}: frame {i} has too few markers for a pose, expected three that are not on one line. Seen: {seen}. {fix}.",
            owner=OWNER,
            argument="markers",
        )
    check_size(p, y, w, known)
    R, x, mirror = registered(p, np.where(w[..., None] > 0, y, 0.0), w)
    away = np.linalg.norm(np.einsum("nij,mj->nmi", R, p) + x[:, None] - y, axis=2)
    away[w == 0] = np.nan
    squared = np.nansum(w * away**2, axis=1)
    total = np.where(w.sum(axis=1) > 0, w.sum(axis=1), 1.0)
    check_mirror(squared, mirror, known & (squared > (EXACT * float(np.ptp(p, axis=0).max())) ** 2 * total))
    poses = se3.pose(R, x)
    poses[~known], away[~known] = np.nan, np.nan
    return MarkerPoses(poses, away, np.where(known, np.sqrt(squared / total), np.nan))


def marker_template(markers: Markers | Array, names: list[str] | tuple[str, ...] | None = None) -> np.ndarray:
    """(m, 3) where markers are on their body, as the mean of all frames, each moved onto the others; the origin amid them.

    markers: of one rigid body, as for `poses_from_markers`; names: of those on it, where there are others. At least one frame shows all;
    its axes are those of the template.
    """
    if isinstance(markers, Markers):
        y = markers.positions if names is None else markers.of(*names)
    else:
        y = checked_positions("marker_template", "markers", markers)
    whole = np.isfinite(y).all(axis=(1, 2))
    if not whole.any():
        seen = np.isfinite(y[..., 0]).sum(axis=0)
        rarest = int(np.argmin(seen))
        said = f"no frame shows all {y.shape[1]} markers; marker {rarest} was seen in {seen[rarest]} of {len(y)}"
        raise SceneError(f"marker_template: {said}. Leave it out, or give the places by hand.", owner="marker_template", argument="markers")
    p = y[int(np.argmax(whole))]
    p = p - p.mean(axis=0)
    for _ in range(ROUNDS):
        found = poses_from_markers(p, y, missing=True)
        there = np.isfinite(found.poses[:, 0, 0])
        back = se3.inverse(found.poses[there])
        local = np.einsum("nij,nmj->nmi", back[:, :3, :3], y[there]) + back[:, None, :3, 3]
        mean = np.nanmean(local, axis=0)
        mean -= mean.mean(axis=0)
        change, p = float(np.abs(mean - p).max()), mean
        if change < 1e-12 * float(np.abs(p).max()):
            break
    return p


def matched(places: Any, markers: Any) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Places (m, 3), what was seen (N, m, 3), and names."""
    if isinstance(places, Mapping):
        if not isinstance(markers, Markers):
            raise wrong(OWNER, "markers", markers, "Markers with names, where places have names")
        names, p = [str(name) for name in places], list(places.values())
        return checked_places(p), markers.of(*names), names
    y = markers.positions if isinstance(markers, Markers) else checked_positions(OWNER, "markers", markers)
    p = checked_places(places)
    if y.shape[1] != len(p):
        raise wrong(OWNER, "markers", y, f"{len(p)} markers in each frame, one for each place")
    return p, y, list(markers.names) if isinstance(markers, Markers) else [f"marker {i}" for i in range(len(p))]


def checked_places(places: Any) -> np.ndarray:
    p = finite(OWNER, "places", places, ((-1, 3),), "three places (m, 3) or more, that are not on one line")
    if len(p) < 3 or not np.diff(spread(p, np.ones((1, len(p))))[0, :2] * [ON_A_LINE, 1])[0] > 0:
        raise wrong(OWNER, "places", places, "three places (m, 3) or more, that are not on one line")
    return p


def checked_weights(weights: Given, y: np.ndarray) -> np.ndarray:
    """(N, m), 0 for what was not seen."""
    shape = y.shape[:2]
    valid = f"({shape[1]},) or {shape}: what each marker counts for, 0 or more"
    w = np.ones(shape) if weights is None else finite(OWNER, "weights", weights, (shape[1:], shape), valid)
    if (w < 0).any() or not (w > 0).any():
        raise wrong(OWNER, "weights", weights, valid)
    return np.where(np.isfinite(y[..., 0]), w, 0.0)


def spread(p: np.ndarray, w: np.ndarray) -> np.ndarray:
    """(N, 3) how far places reach, along and across, of those with a weight."""
    if len(p) < 3:
        return np.zeros((len(w), 3))
    seen, which = np.unique(w > 0, axis=0, return_inverse=True)  # few of all frames see other markers than those before
    there = seen.astype(float)
    count = np.maximum(there.sum(axis=1), 1.0)[:, None]
    around = (p - (there @ p / count)[:, None]) * there[..., None]
    return np.linalg.svd(around, compute_uv=False)[which.ravel(), :3]


def registered(p: np.ndarray, y: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """R (N, 3, 3), x (N, 3), and by how much a reflection would make the squared error less, (N,)."""
    share = w / np.maximum(w.sum(axis=1), 1e-300)[:, None]
    p0, y0 = share @ p, np.einsum("nm,nmi->ni", share, y)
    H = np.einsum("nm,nmi,nmj->nij", w, p - p0[:, None], y - y0[:, None])
    U, S, V = np.linalg.svd(H)
    sign = np.sign(np.linalg.det(U @ V))
    sign[sign == 0] = 1.0
    U[..., 2] *= sign[:, None]
    R = np.swapaxes(U @ V, 1, 2)
    return R, y0 - np.einsum("nij,nj->ni", R, p0), np.where(sign < 0, 4.0 * S[:, 2], 0.0)


def check_size(p: np.ndarray, y: np.ndarray, w: np.ndarray, known: np.ndarray) -> None:
    """Raise where clouds are of another size than the body."""
    if not known.any():
        return
    total = np.maximum(w.sum(axis=1), 1e-300)[:, None]
    share, seen = w / total, np.where(w[..., None] > 0, y, 0.0)
    p0, y0 = share @ p, np.einsum("nm,nmi->ni", share, seen)
    body = np.sqrt(np.einsum("nm,nmi->n", share, (p - p0[:, None]) ** 2))
    cloud = np.sqrt(np.einsum("nm,nmi->n", share, (seen - y0[:, None]) ** 2))
    ratio = np.where(known, cloud / np.where(body > 0, body, 1.0), 1.0)
    typical = float(np.median(ratio[known]))
    if not ALIKE < typical < 1 / ALIKE:
        i = int(np.flatnonzero(known)[0])
        unit = " By the look of it one of them is in millimetres." if 300 < max(typical, 1 / typical) < 3000 else ""
        said = f"frame {i} has markers {ratio[i]:.4g} times as far from each other as the places on the body"
        raise SceneError(f"{OWNER}: {said}.{unit} Give both in m, in the same order.", owner=OWNER, argument="markers")


def check_mirror(squared: np.ndarray, gain: np.ndarray, off: np.ndarray) -> None:
    """Raise where the mirror image of the body is what was seen, of frames that are off."""
    mirrored = off & (gain > 0) & (squared - gain < MIRRORED * squared)
    if mirrored.any():
        i = int(np.argmax(mirrored))
        said = f"frame {i} shows the mirror image of the places on the body, which no rotation brings there"
        fix = "Are two markers exchanged, or is one of the two in left-handed axes? Exchange them, or turn one axis round"
        raise SceneError(f"{OWNER}: {said}. {fix}.", owner=OWNER, argument="markers")
