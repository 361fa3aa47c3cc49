"""A fit in words: what a person asks first."""

from __future__ import annotations

import numpy as np

from redmax.design.curves import CurveFit
from redmax.lie import so3
from redmax.types import Array


def facts_of(fit: CurveFit, poses: Array, name: str) -> dict[str, str]:
    """By what they are of; poses: (N, 4, 4), NaN for missing ones; name: of the coordinate"""
    joint, axis = fit.joint, fit.joint.axis
    low, high = joint.range
    first, last = fit.poses(np.array([low, high]))
    turn = np.linalg.norm(so3.log(first[:3, :3].T @ last[:3, :3]))
    far = np.linalg.norm(last[:3, 3] - first[:3, 3])
    gone = int(np.isnan(np.asarray(poses, float)).any(axis=(1, 2)).sum())
    newton = sum(step.method == "newton" for step in fit.log)
    way = "closed" if axis.cyclic else f"turned by {np.degrees(turn):.4g}°, {1000 * far:.4g} mm away"
    return {
        "poses": f"{len(poses)}" + f", {gone} of them missing or known in part" * (gone > 0),
        "joint": f"{axis.count} control frames, order {axis.order}, {name} from {low:.6g} to {high:.6g}",
        "from end to end": way,
        "left over": f"{np.degrees(fit.angle):.4g}° and {1000 * fit.distance:.4g} mm (root mean square)",
        "objective": f"{fit.objective:.6g}" + (f", smoothing {fit.smoothing:.4g}" if fit.smoothing else ""),
        "iterations": f"{len(fit.log)}, of which {newton} by Newton's method",
        "why it stopped": fit.reason,
    }
