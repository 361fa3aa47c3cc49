"""Scenes with constraints of all sorts that rows can be, for tests of what is told of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import redmax as rm
from redmax.constraints.base import Constraint
from redmax.constraints.distance import Distance
from redmax.constraints.point import PointClosure

BAR = rm.Cuboid((0.4, 0.06, 0.08), mass=1.3)


class Leading(Constraint):
    """A coordinate of one joint leads another, as time goes on and a point of a body turns."""

    size = 2
    oriented = True
    held = ("place",)

    def __init__(self, place: Any, leader: Any, led: Any, name: str | None = None) -> None:
        self.hold((place,), name, joints=(leader, led))

    def gap(self, sites: Sequence[Any], t: Any) -> Any:
        (a, _), (b, _) = self.coordinates
        return [b[0] - 2.0 * a[0] * a[0] - 0.3 * rm.math.sin(t), sites[0].R[2, 0] + 0.2 * t + b[0] * sites[0].x[0]]


def tangle(motion: Any = None) -> rm.Scene:
    """A loop in space that is pulled at, with a joint that is prescribed where `motion` says how."""
    scene = rm.Scene()
    a = scene.add_body(BAR, joint=rm.Universal(), com=(0.2, 0, 0), q=(0.3, -0.2), name="a", stiffness=2.0)
    b = scene.add_body(BAR, parent=a, joint=rm.Revolute("y"), at=(0.4, 0, 0), com=(0.2, 0, 0.05), q=0.8, name="b", damping=0.1)
    c = scene.add_body(BAR, parent=b, joint=rm.Revolute((0.2, 1, 0.1)), at=(0.4, 0, 0), com=(0.2, 0, 0), q=0.7, name="c")
    d = scene.add_body(BAR, joint=rm.Free(), q=(0.2, 0.1, -0.3, 0.5, 0.6, 0.1), name="d")
    e = scene.add_body(BAR, parent=d, joint=rm.Prismatic("x"), q=0.2, name="e", **({"motion": motion} if motion else {}))
    scene.add_constraint(PointClosure(c.point(0.2, 0, 0), e.point(0.1, 0.05, 0), name="loop"))
    scene.add_constraint(Distance(d.point(-0.2, 0, 0.1), (0.1, 1.0, 0.2), name="stay"))
    scene.add_constraint(Leading(d, b, e, name="leading"))
    return scene


class Cord(Distance):
    """Two points no farther from each other than its length."""

    one_sided = True

    def gap(self, sites: Sequence[Any], t: Any) -> Any:
        return [-super().gap(sites, t)[0]]


def closed(scene: rm.Scene) -> rm.State:
    """Near where a scene begins, a state whose loops are closed and stay so: by Newton's method on gaps and their Jacobian."""
    dynamics = rm.Dynamics(scene)
    q = dynamics.model.q0.copy()
    free = ~np.repeat(dynamics.model.prescribed, np.diff(dynamics.model.offsets))
    qdot = np.where(free, 0.0, dynamics.model.qdot0)
    for _ in range(30):
        q[free] -= np.linalg.lstsq(dynamics.constraint_jacobian(q)[:, free], dynamics.constraint_gap(q), rcond=1e-9)[0]
    qdot[free] -= np.linalg.lstsq(dynamics.constraint_jacobian(q)[:, free], dynamics.constraint_rate(q, qdot), rcond=1e-9)[0]
    assert max(abs(dynamics.constraint_gap(q)).max(), abs(dynamics.constraint_rate(q, qdot)).max()) < 1e-12
    return rm.State(0.0, q, qdot)


def parallelogram() -> rm.Scene:
    """A planar one in space, whose closure has a row that repeats the hinges'."""
    scene = rm.Scene()
    crank = scene.add_body(BAR, joint=rm.Revolute("y"), com=(0.2, 0, 0), q=-1.2, qdot=2.0, name="crank")
    bar = scene.add_body(BAR, parent=crank, joint=rm.Revolute("y"), at=(0.4, 0, 0), com=(0.2, 0, 0), q=1.2, qdot=-2.0, name="bar")
    rocker = scene.add_body(BAR, joint=rm.Revolute("y"), at=(0.4, 0, 0), com=(0.2, 0, 0), q=-1.2, qdot=2.0, name="rocker")
    scene.add_constraint(PointClosure(bar.point(0.2, 0, 0), rocker.point(0.2, 0, 0), name="loop"))
    return scene
