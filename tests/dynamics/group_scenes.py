"""Scenes with ball joints and a body that flies, written in any way, always in the same place with the same twists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import redmax as rm

BAR = rm.Cuboid((0.1, 0.2, 0.4), density=300)
BELOW = (0.0, 0.0, -0.4)  # of a bar's joint: where the next is
SPIN = (1.0, -2.0, 1.5)
sin, cos = rm.math.sin, rm.math.cos


def ball(form: str) -> rm.Spherical:
    """Written so, or as a quaternion where only a body that flies can be."""
    return rm.Spherical(form if form in ("exp", "matrix") else "quaternion")  # type: ignore[arg-type]


def here(form: str) -> np.ndarray:
    """Where a ball joint is not turned."""
    return ball(form).home


def bar(
    scene: rm.Scene, form: str, parent: Any = None, turn: Any = (1, 0.1, -0.3, 0.1), spin: Any = SPIN, **options: Any
) -> rm.BodyHandle:
    """A bar that hangs on a ball joint."""
    joint, name = ball(form), f"bar{len(scene.links)}"
    q = joint.coordinates(turn)
    at = BELOW if parent else None
    return scene.add_body(
        BAR, joint=joint, parent=parent, at=at, com=(0, 0, -0.2), q=q, qdot=joint.rates(q, spin), name=name, **options
    )  # fmt: skip


def base(scene: rm.Scene, form: str) -> rm.BodyHandle:
    """A body that flies."""
    joint = rm.Free(form)  # type: ignore[arg-type]
    q = joint.coordinates((0.9, 0.1, -0.2, 0.3), (0.1, 0.2, 0.3))
    rates = joint.rates(q, (0.5, 1.0, -0.7, 0.3, 0.2, -0.4))
    return scene.add_body(rm.Cuboid((0.3, 0.2, 0.5), density=100), joint=joint, q=q, qdot=rates, name="base")


def bare(scene: rm.Scene, form: str) -> None:
    bar(scene, form, base(scene, form))


def sprung(scene: rm.Scene, form: str) -> None:
    """Springs along the rotation vector, which are the same in exponential coordinates if they are as stiff in all directions."""
    own: dict[str, Any] = {"damping": 0.5, "acts_on": "twist", "armature": 0.02, "rest": here(form)}
    first = bar(scene, form, stiffness=20.0, **own)
    bar(scene, form, first, spin=(0.3, -0.6, 0.5))
    scene.add_force(rm.JointSpring("bar1", 5.0, rest=here(form)))


def forces(scene: rm.Scene, form: str) -> None:
    a = base(scene, form)
    b = bar(scene, form, a)
    scene.add_force(rm.SpringDamper(a.point(0, 0, 0.1), b.point(0, 0, -0.1), stiffness=50, damping=1))
    scene.add_force(rm.Bushing(a, b, translational=8, rotational=5, translational_damping=0.2))
    scene.add_force(rm.BodyDamping(b, 0.1))
    scene.add_force(rm.JointDamper("bar1", 0.3, acts_on="twist"))


def torques(scene: rm.Scene, form: str) -> None:
    b = bar(scene, form, base(scene, form), torque=lambda t, q, w: [0.3 * sin(5 * t), -0.1 * w[1], 0.2], acts_on="twist")
    scene.add_wrench(b, torque=lambda t: [0.1 * t, 0, 0.2], force=lambda t: [1.0, 0, sin(t)])


def pulled(scene: rm.Scene, form: str) -> None:
    a = base(scene, form)
    way = [a.point(0.1, 0, 0.1), a.point(0.1, 0, -0.1), bar(scene, form, a).point(0.05, 0, 0)]
    scene.add_force(rm.Cable(way, stiffness=100, rest=0.2, damping=1))
    scene.add_force(rm.Muscle(way[::-1], force=30, optimal_length=0.5, activation=0.4))


def hung(scene: rm.Scene, form: str) -> None:
    """A loop: three bars between two points."""
    last, E = None, np.eye(4)
    for turn in (0.2, -0.5, -0.3):
        last = bar(scene, form, last, turn=(1, 0, turn, 0), spin=(0, 0, 0))
        E = E @ ball("quaternion").pose(ball("quaternion").coordinates((1, 0, turn, 0))) @ rm.pose(np.eye(3), BELOW)
    assert last is not None
    scene.add_constraint(rm.PointClosure(last.point(0, 0, -0.2), E[:3, 3]))


def led(scene: rm.Scene, form: str) -> None:
    """A prescribed motion: about one axis, so that all ways to write it are short."""
    a = base(scene, form)
    ways: dict[str, Callable[[Any], list[Any]]] = {
        "exp": lambda t: [0, 0.5 * sin(3 * t), 0],
        "quaternion": lambda t: [cos(0.25 * sin(3 * t)), 0, sin(0.25 * sin(3 * t)), 0],
        "matrix": lambda t: [cos(x := 0.5 * sin(3 * t)), 0, sin(x), 0, 1, 0, 0 - sin(x), 0, cos(x)],
    }
    joint = ball(form)
    scene.add_body(BAR, joint=joint, parent=a, at=BELOW, com=(0, 0, -0.2), motion=ways[joint.form], name="led")


def turned(scene: rm.Scene, form: str) -> None:
    """A row of a body's twist that is given."""
    b = bar(scene, form, bar(scene, form), spin=(0, 0, 0))
    begins = float((ball(form).pose(scene.links[1].q)[:3, :3].T @ np.array(SPIN))[1])
    scene.prescribe_twist(b, [1], lambda t, R: [begins + sin(t)])


def within(scene: rm.Scene, form: str) -> None:
    """Beside other motions in one joint, and seen from the child."""
    joint, start = ball(form), ball(form).coordinates((1, 0.1, 0.2, 0.3))
    both, other = rm.CompositeJoint(rm.Revolute("x"), (0, 0, -0.3), joint), rm.Inverted(joint)
    rates = joint.rates(start, (1, 2, -1))
    first = scene.add_body(BAR, joint=both, com=(0, 0, -0.2), q=[0.3, *start], qdot=[0.5, *rates], name="first")
    scene.add_body(BAR, joint=other, parent=first, at=BELOW, com=(0, 0, -0.2), q=start, qdot=0.3 * rates, name="second")


def attached(scene: rm.Scene, form: str) -> None:
    chain = rm.SpringChain((0.15, 0, 0.6), (0.15, 0, 0.1), 3, mass=0.3, stiffness=5)
    scene.add_deformable(chain.hold(0).attach(bar(scene, form, base(scene, form)), 2, at=(0, 0, 0)))


FEATURES = (bare, sprung, forces, torques, pulled, hung, led, turned, within, attached)


def built(feature: Callable[[rm.Scene, str], None], form: str) -> rm.Scene:
    scene = rm.Scene()
    feature(scene, form)
    return scene


def box_on_ground(form: str, sliding: bool = False) -> rm.Scene:
    """A box that falls onto a plane, tumbling; or one that slides on it."""
    scene, joint = rm.Scene(), rm.Free(form)  # type: ignore[arg-type]
    scene.add_obstacle(rm.Plane(), contact=0.4)
    q = joint.coordinates((1, 0, 0, 0.3) if sliding else (1, 0.2, 0.1, 0), (0, 0, 0.25 if sliding else 0.35))
    rates = joint.rates(q, (0, 0, 0, 1.0, 0.5, 0) if sliding else (0.5, 1, -0.7, 0.3, 0.2, -0.4))
    scene.add_body(rm.Cuboid((0.3, 0.2, 0.5), density=100), joint=joint, q=q, qdot=rates, name="box", contact=0.4)
    return scene


def rubbing(form: str) -> rm.Scene:
    scene = rm.Scene()
    scene.add_force(rm.JointFriction(bar(scene, form, spin=(2, 1, 3)), 0.3, radius=0.03))
    return scene
