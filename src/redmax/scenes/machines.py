"""Machines whose parts are tied by more than joints: a platform on six legs, ropes over pulleys, a differential, a cam in a loop."""

from math import cos, pi, sin

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry
from redmax.scenes.closed_curves import evenly, frames_along, tangent_frames, tube

HINGE, STEEL = rm.Revolute("y"), 1000.0
LYING = rm.rotation_about("x", pi / 2)  # what stands along z, along y


def stewart_platform() -> rm.Scene:
    """A plate on six legs that spring in and out: universal joints at the ground, ball joints at the plate, which close six loops."""
    scene, low, high, height = rm.Scene(), 0.9, 0.5, 1.0
    moving, turning = np.array([0.9, 0.4, 0.5]), np.array([0.9, -0.7, 2.5])
    plate = scene.add_body(
        rm.Cylinder(high + 0.08, 0.06, density=500.0), joint=rm.Free3D(), q=(0, 0, height, 0, 0, 0), qdot=(*moving, *turning),
        name="plate", color="goldenrod",
    )  # fmt: skip
    for k in range(6):
        around = 2 * pi * (k // 2) / 3
        foot = low * np.array([cos(around + (-0.9, 0.9)[k % 2]), sin(around + (-0.9, 0.9)[k % 2]), 0.0])
        top = high * np.array([cos(around + (-0.25, 0.25)[k % 2]), sin(around + (-0.25, 0.25)[k % 2]), 0.0])
        way = top + (0, 0, height) - foot
        length = float(np.linalg.norm(way))
        R = upright(way / length)
        x, y, z = R.T @ (moving + np.cross(turning, top))  # of the end of the leg, in its axes
        barrel = scene.add_body(
            rm.Cylinder(0.035, 0.6, density=STEEL), joint=rm.Universal(), at=rm.pose(R, foot), com=(0, 0, 0.3),
            qdot=(-y / length, x / length), name=f"barrel{k + 1}", color="slategray",
        )  # fmt: skip
        piston = scene.add_body(
            rm.Cylinder(0.02, 0.6, density=STEEL), joint=rm.Prismatic("z"), parent=barrel, com=(0, 0, -0.3), q=length, qdot=z,
            stiffness=2500.0, name=f"piston{k + 1}", color="tomato",
        )  # fmt: skip
        scene.add_constraint(rm.PointClosure(piston.point(0, 0, 0.3), plate.point(*top), name=f"ball{k + 1}"))
    return scene


def upright(z: np.ndarray) -> np.ndarray:
    """Axes whose third is along z."""
    x = np.cross((0.0, 1.0, 0.0), z)
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def atwood() -> rm.Scene:
    """Two weights on a rope that turns a wheel without slipping: they fall by (m1 - m2) g / (m1 + m2 + I / r^2)."""
    scene, radius = rm.Scene(), 0.25
    wheel = scene.add_body(
        rm.Cylinder(radius, 0.06, mass=2.0), joint=HINGE, body=rm.pose(LYING, (0, 0, 0)), name="wheel", color="goldenrod"
    )
    weights = [
        scene.add_body(
            rm.Sphere(0.06 * mass ** (1 / 3), mass=mass), joint=rm.Prismatic("z"), at=(side * radius, 0, -1.1), name=name, color=color
        )
        for name, mass, side, color in (("heavy", 3.0, 1.0, "tomato"), ("light", 2.0, -1.0, "steelblue"))
    ]
    scene.add_constraint(rm.Rope([weights[0], rm.Pulley((0, 0, 0), radius, winding="negative"), weights[1]], slack=False, name="rope"))
    scene.add_constraint(rm.Coupling({"heavy": 1.0, wheel: radius}, name="no slip"))
    return scene


def hoist() -> rm.Scene:
    """A rope over a fixed and under a loose pulley, which carries twice what pulls: it goes slack when the load is thrown up."""
    scene = rm.Scene()
    box, low, high = rm.Cuboid((0.3, 0.3, 0.3), mass=9.0), 0.2, 0.25
    load = scene.add_body(box, joint=rm.Prismatic("z"), at=(0.2, 0, -1.4), com=(0, 0, -0.4), qdot=2.5, name="load", color="goldenrod")
    scene.add_body(rm.Cylinder(low, 0.05, mass=1.0), parent=load, body=rm.pose(LYING, (0, 0, 0)), name="loose pulley", color="slategray")
    scene.add_body(rm.Cylinder(high, 0.05, mass=1.0), body=rm.pose(LYING, (0.65, 0, 0.3)), name="fixed pulley", color="slategray")
    weight = scene.add_body(rm.Sphere(0.12, mass=4.0), joint=rm.Prismatic("z"), at=(0.9, 0, -0.8), name="counterweight", color="tomato")
    under, over = rm.Pulley(load.point(0, 0, 0.4), low, winding="negative"), rm.Pulley((0.65, 0, 0.3), high)
    scene.add_constraint(rm.Rope([(0.0, 0.0, 0.0), under, over, weight], name="rope"))
    return scene


def differential() -> rm.Scene:
    """Bevel gears: the sun wheels of both axles turn with the cage, one faster and the other slower by what the planet turns."""
    scene = rm.Scene(gravity=(0, 0, 0))
    size = 0.16  # of the gears, whose tips all are in the middle
    gear, shaft = rm.Cone(size, size, density=STEEL), rm.Cylinder(0.025, 0.15, density=STEEL)
    ring = rm.Composite(
        [(rm.Torus(0.3, 0.02, density=STEEL), rm.pose(LYING, (0, 0, 0))), (shaft, rm.pose(rm.rotation_about("y", pi / 2), (0.22, 0, 0)))]
    )
    cage = scene.add_body(ring, joint=HINGE, qdot=4.0, name="cage", color="slategray")
    planet = scene.add_body(
        gear, joint=rm.Revolute("x"), parent=cage, body=rm.pose(rm.rotation_about("y", -pi / 2), (0.75 * size, 0, 0)), qdot=2.0,
        name="planet", color="goldenrod",
    )  # fmt: skip
    left, right = (
        scene.add_body(
            rm.Composite([
                (gear, rm.pose(LYING if side > 0 else LYING.T, (0, side * 0.75 * size, 0))), (shaft, rm.pose(LYING, (0, side * 0.22, 0))),
            ]),
            joint=HINGE, qdot=speed, name=name, color=color,
        )
        for name, side, color, speed in (("left", 1.0, "tomato", 6.0), ("right", -1.0, "steelblue", 2.0))
    )  # fmt: skip
    crank = scene.add_body(rm.Cuboid((0.4, 0.04, 0.04), density=STEEL), parent=left, at=(0, 0.3, 0), com=(0.2, 0, 0), name="crank")
    scene.add_force(rm.SpringDamper(crank.point(0.2, 0, 0), (0.6, 0.3, 0), stiffness=60.0))
    scene.add_constraint(rm.Coupling({left: 1.0, cage: -1.0, planet: -1.0}, name="left mesh"))
    scene.add_constraint(rm.Coupling({right: 1.0, cage: -1.0, planet: 1.0}, name="right mesh"))
    return scene


LOBES, GROOVE, DEPTH, FRAMES = 3, 0.3, 0.22, 60  # of the cam: r = GROOVE (1 + DEPTH cos(LOBES phi)), in m, and how many frames it takes


def groove() -> rm.SplineCurve:
    """Around the axle in the plane of x and z; q = 0 is at the top."""
    phi = 2 * pi * np.arange(3000) / 3000
    r = GROOVE * (1 + DEPTH * np.cos(LOBES * phi))
    around = evenly(np.stack([-r * np.sin(phi), 0 * phi, r * np.cos(phi)], axis=-1), FRAMES)
    return rm.SplineCurve(np.roll(tangent_frames(around, up=np.array([0, -1.0, 0])), 2, axis=0), order=6, cyclic=True)


def cam_loop() -> rm.Scene:
    """A pin follows the groove of a cam that turns; a rod that slides up and down is hinged to the pin, and closes the loop."""
    scene, curve, speed = rm.Scene(), groove(), 9.0
    rim = rm.Mesh(*tube(frames_along(curve, 300), 0.016), mass=3.0)
    hub = rm.Cylinder(0.6 * GROOVE, 0.03, mass=3.0)
    cam = scene.add_body(
        rm.Composite([(rim, (0, 0, 0)), (hub, rm.pose(LYING, (0, 0, 0)))]), joint=HINGE, qdot=speed, name="cam", color="goldenrod"
    )
    E, S = curve.transform(np.zeros(1)), np.asarray(curve.jacobian(np.zeros(1)), float)[3:].ravel()
    top, along = E[:3, 3], E[:3, :3] @ S  # where the pin is, and how it moves with q
    riding = -speed * top[2] / along[0]  # so that it goes neither left nor right
    pin = scene.add_body(rm.Sphere(0.035, mass=0.2), parent=cam, joint=curve, qdot=riding, name="pin", color="tomato")
    rod = scene.add_body(
        rm.Cuboid((0.03, 0.03, 0.5), mass=1.0), joint=rm.Prismatic("z"), at=top, com=(0, 0, 0.25), qdot=riding * along[2] - speed * top[0],
        name="rod", color="steelblue",
    )  # fmt: skip
    scene.add_body(rm.Cylinder(0.12, 0.08, mass=1.5), parent=rod, at=(0, 0, 0.5), name="weight", color="steelblue")
    scene.add_constraint(rm.HingeClosure(pin, rod.point(0, 0, -0.25), "z", second_axis=(0, -1, 0), name="hinge"))
    return scene


ENTRIES = (
    Entry("stewart-platform", "Stewart platform", stewart_platform, ("universal", "prismatic", "free", "closed loop", "spring"), 4.0),
    Entry("atwood", "Atwood machine", atwood, ("revolute", "prismatic", "coupled coordinates"), 1.0),
    Entry("hoist", "Rope over pulleys", hoist, ("prismatic", "rope", "pulley"), 2.5, conservative=False),
    Entry(
        "cam-loop", "Cam and follower: a spline joint in a loop", cam_loop, ("spline curve", "revolute", "prismatic", "closed loop"), 3.0
    ),
    Entry("differential", "Differential gear", differential, ("revolute", "coupled coordinates", "spring"), 6.0),
)
