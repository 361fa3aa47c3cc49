"""A spline joint that passes through every pose it is given."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.design.curves import given
from redmax.design.curves.loss import Squares
from redmax.design.curves.result import CurveFit
from redmax.design.curves.solve import Problem, solved
from redmax.errors import SceneError

OWNER = "SplineCurve.through"
EXACT, CLOSE = 1e-16, 1e-11  # of gradients: as near as it gets; residuals (rad, m) of poses that are met


def through(poses: Any, parameters: Any, order: int, cyclic: bool, period: float | None, looks: bool = True) -> CurveFit:
    """As many frames as poses, and knots for which they can all be met. looks: whether to warn of what looks like a mistake"""
    found = given.data(OWNER, poses, parameters, None, repeated=False, looks=looks)
    shape = given.shape(OWNER, found.q, None, order, None, cyclic, period)
    fit = solved(Problem(found, np.eye(6), Squares(), EXACT, iterations=100, exact=False), shape, None)
    far = np.abs(np.nan_to_num(fit.residuals)).max(axis=1)
    if far.max() > CLOSE * (1.0 + np.abs(found.poses[:, :3, 3]).max()):
        i = int(np.argmax(far))
        why = f"no curve with a frame for each pose was found: pose {i} is missed by {far[i]:.1e} (rad, m)"
        fix = "Poses that follow each other must be well below half a turn apart; put others between them, or fit fewer frames"
        raise SceneError(f"{OWNER}: {why}. {fix} with rm.fit_curve.", owner=OWNER, argument="poses")
    return fit
