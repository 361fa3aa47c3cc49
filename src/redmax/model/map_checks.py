"""Whether a map of coordinates fits the joints of a scene: it gives the coordinates of all, and moves them independently."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from redmax.constraints.coordinate_map import CoordinateMap
from redmax.errors import SceneError
from redmax.model.links import Link

PLACES, RANK = 3, 1e-12  # where the rank of a map is looked at, and the least singular value that counts, relative to the largest


def check_map(map: CoordinateMap, links: Sequence[Link]) -> None:
    """A map gives every joint's coordinates, and where they start."""
    for link in links:
        if link.joint.nq != link.joint.dof:
            raise SceneError(
                f"Joint {link.joint_name!r} has {link.joint.nq} coordinates for {link.joint.dof} rates; a map needs as many. "
                f"Use {type(link.joint).__name__}() with exponential coordinates.",
                owner=link.joint_name,
                argument="joint",
            )
    start, n = map.coordinates(map.q), sum(link.joint.dof for link in links)
    if len(start) != n:
        raise SceneError(f"The scene's map must give the {n} coordinates of its joints. Got {len(start)}.", owner="Scene", argument="map")
    check_independent(map)
    parts = np.split(start, np.cumsum([link.joint.dof for link in links])[:-1])
    for link, part in zip(links, parts, strict=True):
        if link.motion is not None:
            raise SceneError(
                f"Joint {link.joint_name!r} has a prescribed motion, but the scene's map moves it. Leave out one of them.",
                owner=link.joint_name,
                argument="motion",
            )
        if link.joint.discrete:
            raise SceneError(
                f"Joint {link.joint_name!r} changes its coordinates during a run; a map needs a joint that does not.",
                owner=link.joint_name,
                argument="joint",
            )
        if link.q.any() and not np.allclose(link.q, part, rtol=1e-9, atol=1e-12):
            raise SceneError(
                f"Body {link.name!r} has q = {link.q.tolist()}, but the map starts it at {part.tolist()}. Leave out its q.",
                owner=link.name,
                argument="q",
            )


def check_independent(map: CoordinateMap) -> None:
    """Coordinates that move nothing, or together what fewer would, have no equations of motion; at single places a run may say so."""
    places = [map.q + 0.1 * k * np.cos(1.0 + np.arange(map.size)) for k in range(PLACES)]
    if any(has_full_rank(map.evaluate("J", q=q)) for q in places):
        return
    still = np.flatnonzero(~map.evaluate("J", q=places[-1]).any(axis=0))
    together = "The coordinates of the scene's map do not move the joints independently: some of their motions cancel"
    what = f"Coordinate {still[0]} of the scene's map moves no joint" if len(still) else together
    raise SceneError(f"{what}. Use fewer coordinates, or let each move something of its own.", owner="Scene", argument="map")


def has_full_rank(J: np.ndarray) -> bool:
    """Whether its columns are independent; of one that is not finite nobody knows."""
    if not np.isfinite(J).all():
        return True
    values = np.linalg.svd(J, compute_uv=False)
    return len(values) == J.shape[1] and bool(values[-1] > RANK * max(values[0], 1e-300))
