"""The momentum of each body: Pi = M V in the frame of its joint, (angular about the world's origin; linear) in world axes, Ad(E)^-T Pi.

(Mueller and Terze, Geometric methods and formulations, Sec. 3.1: the spatial momentum screw, which nothing changes but what acts from
outside.)
"""

from __future__ import annotations

import numpy as np

from redmax.dynamics.common.kinematics import motion
from redmax.lie import Adjoint
from redmax.program.fields import Fields
from redmax.program.program import Program
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import forward, recursion


@forward
def carry_momentum(j: JointView, p: ParentView, w: WorldView) -> None:
    X, m = motion(j, j.qdot, w)
    j.V = (X @ p.V) + m.twist(j.qdot)
    Rp = np.asarray(p.R, object).reshape(3, 3)
    R, x = Rp @ X.R, p.x + Rp @ np.asarray(X.p, object)
    j.R, j.x = R.ravel(), x
    j.screw = Adjoint(R, x).T @ (j.M @ j.V) if j.counted else np.zeros(6)


MOMENTA = Program(
    "momenta of bodies",
    (recursion(carry_momentum, name="momenta of bodies"),),
    Fields(down={"V": 6, "R": 9, "x": 3}, state={"q": "q", "qdot": "v", "screw": 6}, world={"t": 1}),
    ("q", "qdot", "t"),
    ("screw",),
)
