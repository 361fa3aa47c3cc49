"""What a force along a path does to bodies and joints at a tension of 1, from which its moment arms follow.

A tension T acts as -T dl/dx at each point of the path (forces/path.py). Gathered for each body this is the wrench -dl/dE, along
E exp(xi); a point that moves over its body with a coordinate q adds -dl/dx . dx/dq there. The moment arms are then

    r = -dl/dq = J' (-dl/dE) + (-dl/dx . dx/dq),    tau = r T
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from redmax.forces.base import Site
from redmax.forces.frames import Frame, crossed
from redmax.forces.path import PathForce


def unit_pull(force: PathForce, frames: Sequence[Frame], sites: Sequence[Site]) -> np.ndarray:
    """-dl/dE of each body, (torque; force) in its axes about its origin, then -dl/dx . dx/dq of each joint that the force reads."""
    totals = [np.zeros(6).astype(object) for _ in frames]
    pushed = [np.zeros(len(qdot)).astype(object) for _, qdot in force.coordinates]
    for anchor, site, mover, slope in zip(force.anchors, sites, force.movers, force.directions(force.segments(sites)), strict=True):
        if anchor.member < 0:
            continue
        frame = frames[anchor.member]
        moment, pull = frame.R.T @ crossed(site.x - frame.x, -slope), frame.R.T @ -slope
        totals[anchor.member] = totals[anchor.member] + np.concatenate([moment, pull])
        if mover is not None:
            way = anchor.rotation @ mover.offset(force.coordinates[mover.joint][0][mover.coordinate])[1]
            pushed[mover.joint][mover.coordinate] = pushed[mover.joint][mover.coordinate] + pull @ way
    return np.concatenate([*totals, *pushed])
