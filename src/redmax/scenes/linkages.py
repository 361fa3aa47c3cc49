"""Linkages whose loops are closed by hinges: four bars, crank and slider, Jansen's leg, Bennett's four screws of no pitch, and a lift.

All are exact: a closure is as rigid as a joint. In a plane, three of the five rows of a hinge repeat what the joints do already, and of
Bennett's linkage all but two do for reasons of its own (it moves although counting says that it cannot).
"""

from math import asin, atan, atan2, cos, hypot, pi, sin, sqrt, tan

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry

STEEL, HINGE = 1000.0, rm.Revolute("y")
THICK = 0.03  # m


def bar(length: float, density: float = STEEL) -> rm.Cuboid:
    return rm.Cuboid((length, THICK, THICK), density=density)


def end_of(body: rm.BodyHandle, length: float) -> rm.Point:
    """The far end of a bar that begins at its joint."""
    return body.point(length / 2, 0, 0)


def four_bar() -> rm.Scene:
    """A crank that turns around and a rocker that does not (Grashof: 0.25 + 0.9 < 0.7 + 0.6)."""
    scene, crank_length, coupler_length, rocker_length, pivot = rm.Scene(), 0.25, 0.7, 0.6, np.array([0.9, 0.0])
    start, speed = pi / 3, 12.0
    tip = crank_length * np.array([cos(start), sin(start)])
    joint = meeting(tip, coupler_length, pivot, rocker_length)
    crank = scene.add_body(
        bar(crank_length), joint=HINGE, com=(crank_length / 2, 0, 0), q=-start, qdot=-speed, name="crank", color="tomato"
    )
    lean, (turning, rocking) = -atan2(*(joint - tip)[::-1]), rates(speed * across(tip), across(joint - tip), -across(joint - pivot))
    coupler = scene.add_body(
        bar(coupler_length), joint=HINGE, parent=crank, at=(crank_length, 0, 0), com=(coupler_length / 2, 0, 0), q=lean + start,
        qdot=speed - turning, name="coupler", color="goldenrod",
    )  # fmt: skip
    rocker = scene.add_body(
        bar(rocker_length), joint=HINGE, at=(*pivot, 0), com=(rocker_length / 2, 0, 0), q=-atan2(*(joint - pivot)[::-1]),
        qdot=-rocking, name="rocker", color="steelblue",
    )  # fmt: skip
    scene.add_constraint(rm.HingeClosure(end_of(coupler, coupler_length), end_of(rocker, rocker_length), "y", name="closure"))
    return scene


def meeting(a: np.ndarray, from_a: float, b: np.ndarray, from_b: float, side: float = 1.0) -> np.ndarray:
    """Where circles about a and b meet: on the left of the way from a to b, or on the right (side -1)."""
    way = b - a
    distance = hypot(*way)
    along = (from_a**2 - from_b**2 + distance**2) / (2 * distance)
    aside = side * sqrt(from_a**2 - along**2)
    return a + (along * way + aside * across(way)) / distance


def across(way: np.ndarray) -> np.ndarray:
    """How the end of a bar moves as it turns at unit speed."""
    return np.array([-way[1], way[0]])


def rates(given: np.ndarray, *ways: np.ndarray) -> np.ndarray:
    """How fast to go along two ways in a plane so that, with a given velocity, nothing moves: the rates of a loop that stays closed."""
    return np.linalg.solve(np.column_stack(ways), -given)


def slider_crank() -> rm.Scene:
    """The rod ends on a hinge of the slider, which a rail guides."""
    scene, crank_length, rod_length, start, speed = rm.Scene(gravity=(0, 0, 0)), 0.2, 0.6, 0.6, 12.0
    rod_angle = asin(crank_length * sin(start) / rod_length)
    tip = crank_length * np.array([cos(start), sin(start)])
    pin = np.array([tip[0] + rod_length * cos(rod_angle), 0.0])
    turning, sliding = rates(speed * across(tip), across(pin - tip), np.array([-1.0, 0.0]))
    crank = scene.add_body(
        bar(crank_length), joint=HINGE, com=(crank_length / 2, 0, 0), q=-start, qdot=-speed, name="crank", color="tomato"
    )
    rod = scene.add_body(
        bar(rod_length), joint=HINGE, parent=crank, at=(crank_length, 0, 0), com=(rod_length / 2, 0, 0), q=start + rod_angle,
        qdot=speed - turning, name="rod",
    )  # fmt: skip
    slider = scene.add_body(
        rm.Cuboid((0.16, 0.1, 0.1), density=STEEL), joint=rm.Prismatic("x"), q=pin[0], qdot=sliding, name="slider", color="steelblue",
        opacity=0.7,
    )  # fmt: skip
    scene.add_constraint(rm.HingeClosure(end_of(rod, rod_length), slider, "y", name="pin"))
    return scene


LEG = {  # lengths of Theo Jansen's leg, in cm
    "a": 38.0, "b": 41.5, "c": 39.3, "d": 40.1, "e": 55.8, "f": 39.4, "g": 36.7, "h": 65.7, "i": 49.0, "j": 50.0, "k": 61.9, "l": 7.8,
    "m": 15.0,
}  # fmt: skip


def jansen_leg() -> rm.Scene:
    """Two triangles and five bars that make a walking foot of a turning crank."""
    scene = rm.Scene(gravity=(0, 0, 0))
    n = {name: value / 100 for name, value in LEG.items()}
    A, B, P = np.zeros(2), np.array([-n["a"], -n["l"]]), np.array([n["m"], 0.0])
    Q = meeting(P, n["j"], B, n["b"], -1)
    R = meeting(Q, n["e"], B, n["d"], -1)
    S = meeting(P, n["k"], B, n["c"])
    T = meeting(R, n["f"], S, n["g"], -1)
    F = meeting(T, n["h"], S, n["i"], -1)

    def link(name: str, first: np.ndarray, corners: list[np.ndarray], parent: rm.BodyHandle | None, at: np.ndarray, **options: object):
        """A body with its joint at one place and rods to others, all where the leg begins: x and z of the scene are those of the joint."""
        rods = [rod(np.zeros(2), corner - first) for corner in corners]
        rods += [rod(corners[0] - first, corners[1] - first)] if len(corners) > 1 else []
        shape = rods[0][0] if len(rods) == 1 else rm.Composite([(shape, pose) for shape, pose in rods])
        body = {"body": rods[0][1]} if len(rods) == 1 else {}
        where = (*(first - at)[:1], 0.0, *(first - at)[1:])
        return scene.add_body(shape, joint=HINGE, parent=parent, at=where, name=name, **body, **options)  # type: ignore[arg-type]

    crank = link("crank", A, [P], None, A, motion=lambda t: [3.0 * t], color="tomato")
    upper_rod = link("upper rod", P, [Q], crank, A)
    lower_rod = link("lower rod", P, [S], crank, A)
    upper = link("upper triangle", B, [Q, R], None, A, color="goldenrod")
    arm = link("arm", B, [S], None, A)
    back = link("back rod", R, [T], upper, B)
    foot = link("foot", S, [T, F], arm, B, color="steelblue")
    for name, one, first, two, second, place in (
        ("upper pin", upper_rod, P, upper, B, Q), ("lower pin", lower_rod, P, arm, B, S), ("foot pin", back, R, foot, S, T),
    ):  # fmt: skip
        scene.add_constraint(rm.HingeClosure(on(scene, one, place - first), on(scene, two, place - second), "y", name=name))
    x, z = F - S
    toe = scene.add_frame("toe", foot, (x, 0, z), relative_to="joint")
    scene.look = rm.Look(trails=[rm.Trail(toe)])
    return scene


def rod(start: np.ndarray, end: np.ndarray) -> tuple[rm.Body, np.ndarray]:
    """A bar between two places of a plane, and its pose."""
    way, middle = end - start, (start + end) / 2
    return bar(float(hypot(*way))), rm.pose(rm.rotation_about("y", -atan2(way[1], way[0])), (middle[0], 0.0, middle[1]))


def on(scene: rm.Scene, body: rm.BodyHandle, place: np.ndarray) -> tuple[rm.BodyHandle, np.ndarray]:
    """A place of the joint frame, with its axes, as one of the body frame."""
    return body, np.linalg.inv(scene.links[body.index].body) @ rm.pose(np.eye(3), (place[0], 0.0, place[1]))


def bennett() -> rm.Scene:
    """Four hinges whose axes neither meet nor are parallel: a_i along x, twisted by alpha_i, with a_1 / sin alpha_1 = a_2 / sin alpha_2."""
    scene, alpha = rm.Scene(), pi / 3
    lengths, twists = (1.0, 0.8, 1.0, 0.8), (alpha, asin(0.8 * sin(alpha)), alpha, asin(0.8 * sin(alpha)))
    beta = twists[1]
    K = sin((beta + alpha) / 2) / sin((beta - alpha) / 2)
    one, rate = 1.0, 0.5
    two = 2 * atan(K / tan(one / 2))
    slope = -sin(two) / sin(one)  # of theta_2 by theta_1: of tan(theta_1 / 2) tan(theta_2 / 2) = K
    after = [rm.pose(rm.rotation_about("x", twist), (length, 0, 0)) for length, twist in zip(lengths, twists, strict=True)]
    ground = np.linalg.inv(after[3])  # the fourth joint, seen from the first
    scene.add_body(
        rm.Cuboid((lengths[3], 0.05, 0.05), density=1000), at=ground, com=(lengths[3] / 2, 0, 0), name="ground", color="slategray"
    )
    body, turns = None, ((one, rate), (two, slope * rate), (-one, -rate))
    for i, (angle, speed) in enumerate(turns):
        body = scene.add_body(
            rm.Cuboid((lengths[i], 0.05, 0.05), density=1000), joint=rm.Revolute("z"), parent=body, at=after[i - 1] if i else None,
            com=(lengths[i] / 2, 0, 0), q=angle, qdot=speed, name=f"link{i + 1}", color=("tomato", "goldenrod", "steelblue")[i],
        )  # fmt: skip
    assert body
    last = np.linalg.inv(scene.links[body.index].body) @ after[2]
    scene.add_constraint(rm.HingeClosure((body, last), ground, "z", name="closure"))
    return scene


STAGES, ARM, OPEN = 20, 0.5, 0.55  # of the lift; m; rad


def scissor_lift() -> rm.Scene:
    """Crossed arms, twenty stages of them, that close twenty loops: the lowest stage stands on a hinge and on a slide with a spring."""
    scene = rm.Scene()
    upper_right, falling = None, None
    for k in range(STAGES):
        rising = scene.add_body(
            bar(ARM, 300.0), joint=HINGE, parent=falling, at=None if falling is None else (-ARM / 2, 0, 0), com=(ARM / 2, 0, 0),
            q=-OPEN if falling is None else -2 * OPEN, name=f"rising{k + 1}", color="goldenrod",
        )  # fmt: skip
        falling = scene.add_body(
            bar(ARM, 300.0), joint=HINGE, parent=rising, at=(ARM / 2, 0, 0), q=2 * OPEN, name=f"falling{k + 1}", color="steelblue"
        )
        lower_right = falling.point(ARM / 2, 0, 0)
        if upper_right is None:
            scene.add_constraint(rm.PointInPlane(lower_right, (0, 0, 0), "z", name="floor"))
            scene.add_force(rm.SpringDamper(lower_right, (-0.2, 0, 0), stiffness=9000.0, rest=0.2 + ARM * cos(OPEN)))
        else:
            scene.add_constraint(rm.PointClosure(lower_right, upper_right, name=f"closure{k + 1}"))
        upper_right = end_of(rising, ARM)
    return scene


ENTRIES = (
    Entry("four-bar", "Four-bar linkage", four_bar, ("revolute", "closed loop"), 3.0),
    Entry("slider-crank", "Crank and slider", slider_crank, ("revolute", "prismatic", "closed loop"), 3.0),
    Entry("jansen-leg", "Jansen's leg", jansen_leg, ("revolute", "closed loop", "prescribed motion"), 4.2, conservative=False),
    Entry("bennett", "Bennett linkage", bennett, ("revolute", "closed loop"), 5.0),
    Entry("scissor-lift", "Scissor lift of twenty loops", scissor_lift, ("revolute", "closed loop", "spring"), 2.0),
)
