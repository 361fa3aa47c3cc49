"""A fit in words: what a person asks first."""

from __future__ import annotations

import numpy as np

from redmax.design.curves import CurveFit
from redmax.lie import se3
from redmax.types import Array


def facts_of(fit: CurveFit, poses: Array, name: str) -> dict[str, str]:
    """By what they are of; poses: (N, 4, 4), NaN for missing ones; name: of the coordinate"""
    joint, axis = fit.joint, fit.joint.axis
    low, high = joint.range
    first, last = fit.poses(np.array([low, high]))
    V = se3.log(se3.inverse(first) @ last)
    gone = int(np.isnan(np.asarray(poses, float)).any(axis=(1, 2)).sum())
    newton = sum(step.method == "newton" for step in fit.log)
    way = "closed" if axis.cyclic else f"{np.degrees(np.linalg.norm(V[:3])):.4g}°, {1000 * np.linalg.norm(V[3:]):.4g} mm"
    return {
        "poses": f"{len(poses)}" + f", {gone} of them missing or known in part" * (gone > 0),
        "joint": f"{axis.count} control frames, order {axis.order}, {name} from {low:.6g} to {high:.6g}",
        "from end to end": way,
        "left over": f"{np.degrees(fit.angle):.4g}° and {1000 * fit.distance:.4g} mm (root mean square)",
        "objective": f"{fit.objective:.6g}" + (f", smoothing {fit.smoothing:.4g}" if fit.smoothing else ""),
        "iterations": f"{len(fit.log)}, of which {newton} by Newton's method",
        "why it stopped": fit.reason,
    }
