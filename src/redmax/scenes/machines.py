"""Machines whose parts are tied together by more than joints: a platform on six legs, ropes over pulleys, a differential, a cam in a loop."""

from math import cos, pi, sin

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry

HINGE, STEEL = rm.Revolute("y"), 1000.0


def stewart_platform() -> rm.Scene:
    """A plate on six legs that spring in and out: universal joints at the ground, ball joints at the plate, which close six loops."""
    scene, low, high, height = rm.Scene(), 0.9, 0.5, 1.0
    plate = scene.add_body(
        rm.Cylinder(high + 0.08, 0.06, density=500.0), joint=rm.Free3D(), q=(0, 0, height, 0, 0, 0), qdot=(0.4, 0.2, 0.0, 0.5, -0.4, 1.2),
        name="plate", color="goldenrod",
    )  # fmt: skip
    for k in range(6):
        around = 2 * pi * (k // 2) / 3
        foot = low * np.array([cos(around + (-0.9, 0.9)[k % 2]), sin(around + (-0.9, 0.9)[k % 2]), 0.0])
        top = high * np.array([cos(around + (-0.25, 0.25)[k % 2]), sin(around + (-0.25, 0.25)[k % 2]), 0.0])
        way = top + (0, 0, height) - foot
        length = float(np.linalg.norm(way))
        barrel = scene.add_body(
            rm.Cylinder(0.035, 0.6, density=STEEL), joint=rm.Universal(), at=rm.pose(upright(way / length), foot), com=(0, 0, 0.3),
            name=f"barrel{k + 1}", color="slategray",
        )  # fmt: skip
        piston = scene.add_body(
            rm.Cylinder(0.02, 0.6, density=STEEL), joint=rm.Prismatic("z"), parent=barrel, com=(0, 0, -0.3), q=length, stiffness=6000.0,
            name=f"piston{k + 1}", color="tomato",
        )  # fmt: skip
        scene.add_constraint(rm.PointClosure(piston.point(0, 0, 0.3), plate.point(*top), name=f"ball{k + 1}"))
    return scene.assemble(fixed=[plate]) if hasattr(scene, "assemble") else scene


def upright(z: np.ndarray) -> np.ndarray:
    """Axes whose third is along z."""
    x = np.cross((0.0, 1.0, 0.0), z)
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def atwood() -> rm.Scene:
    """Two weights on a rope that turns a wheel without slipping: they fall by (m1 - m2) g / (m1 + m2 + I / r^2)."""
    scene, radius = rm.Scene(), 0.25
    wheel = scene.add_body(rm.Cylinder(radius, 0.06, mass=2.0), joint=HINGE, body=rm.pose(rm.rotation_about("x", pi / 2), (0, 0, 0)), name="wheel")
    for name, mass, side, color in (("heavy", 3.0, 1.0, "tomato"), ("light", 2.0, -1.0, "steelblue")):
        weight = scene.add_body(
            rm.Sphere(0.06 * mass ** (1 / 3), mass=mass), joint=rm.Prismatic("z"), at=(side * radius, 0, -0.8), name=name, color=color
        )
        scene.add_constraint(rm.Coupling({weight: 1.0, wheel: side * radius}, name=f"{name} rope"))
    return scene


def hoist() -> rm.Scene:
    """A rope over a fixed and under a loose pulley, which carries twice what pulls: it goes slack when the load is thrown up."""
    scene = rm.Scene()
    load = scene.add_body(rm.Cuboid((0.3, 0.3, 0.3), mass=10.0), joint=rm.Prismatic("z"), at=(0.2, 0, -1.4), com=(0, 0, -0.3), qdot=2.5, name="load", color="goldenrod")
    weight = scene.add_body(rm.Sphere(0.12, mass=4.0), joint=rm.Prismatic("z"), at=(0.9, 0, -0.8), name="counterweight", color="tomato")
    path = [(0.0, 0.0, 0.0), rm.Pulley(load.point(0, 0, 0.3), 0.2, winding="negative"), rm.Pulley((0.65, 0, 0.3), 0.25), weight.point(0, 0, 0)]
    scene.add_constraint(rm.Rope(path, name="rope"))
    return scene


def differential() -> rm.Scene:
    """Bevel gears: the sun wheels of both axles turn with the cage, one faster and the other slower by what the planet turns."""
    scene = rm.Scene(gravity=(0, 0, 0))
    lying = rm.rotation_about("x", pi / 2)
    cage = scene.add_body(rm.Torus(0.3, 0.02, density=STEEL), joint=HINGE, body=rm.pose(lying, (0, 0, 0)), qdot=4.0, name="cage", color="slategray")
    planet = scene.add_body(
        rm.Cone(0.12, 0.12, density=STEEL), joint=rm.Revolute("x"), parent=cage, body=rm.pose(rm.rotation_about("y", -pi / 2), (0.2, 0, 0)), qdot=2.0,
        name="planet", color="goldenrod",
    )  # fmt: skip
    wheels = []
    for name, side, color, speed in (("left", 1.0, "tomato", 6.0), ("right", -1.0, "steelblue", 2.0)):
        wheels.append(
            scene.add_body(
                rm.Cylinder(0.2, 0.05, density=STEEL), joint=HINGE, body=rm.pose(lying, (0, side * 0.25, 0)), qdot=speed, name=name, color=color
            )
        )
    left, right = wheels
    crank = scene.add_body(rm.Cuboid((0.4, 0.04, 0.04), density=STEEL), parent=left, at=(0, 0.3, 0), com=(0.2, 0, 0), name="crank")
    scene.add_force(rm.SpringDamper(crank.point(0.2, 0, 0), (0.6, 0.3, 0), stiffness=60.0))
    scene.add_constraint(rm.Coupling({left: 1.0, cage: -1.0, planet: -1.0}, name="left mesh"))
    scene.add_constraint(rm.Coupling({right: 1.0, cage: -1.0, planet: 1.0}, name="right mesh"))
    return scene


def cam_loop() -> rm.Scene:
    """A link that goes around a closed curve of frames, turning on its way, is part of a loop: a crank, the cam, and a rod to the ground."""
    turned = ((pi, (-0.3, 0, 0)), (pi / 2, (0, 0, -0.06)), (0, (0.3, 0, 0)), (-pi / 2, (0, 0, 0.06)))
    ring = rm.SplineCurve([rm.pose(rm.rotation_about("y", angle), place) for angle, place in turned], cyclic=True)
    scene = rm.Scene()
    crank = scene.add_body(rm.Cuboid((0.04, 0.04, 0.5), density=STEEL), joint=HINGE, com=(0, 0, -0.25), name="crank", color="tomato")
    link = rm.Cuboid((0.5, 0.04, 0.04), density=STEEL)
    rider = scene.add_body(link, parent=crank, joint=ring, at=(0, 0, -0.5), com=(0.25, 0, 0), name="rider", color="goldenrod")
    rod = scene.add_body(link, parent=rider, joint=HINGE, at=(0.5, 0, 0), com=(0.25, 0, 0), q=2.2, name="rod", color="steelblue")
    tip = rod.point(0.25, 0, 0)
    ground = rm.Dynamics(scene).pose([0.0, 0.0, 2.2], tip)[:3, 3]
    scene.add_constraint(rm.HingeClosure(tip, ground, "y", name="ground"))
    return scene


ENTRIES = (
    Entry("stewart-platform", "Stewart platform", stewart_platform, ("universal", "prismatic", "free", "closed loop", "spring"), 4.0),
    Entry("atwood", "Atwood machine", atwood, ("revolute", "prismatic", "coupled coordinates"), 1.0),
    Entry("hoist", "Rope over pulleys", hoist, ("prismatic", "rope", "pulley"), 2.5, conservative=False),
    Entry("cam-loop", "Spline joint inside a loop", cam_loop, ("spline curve", "revolute", "closed loop"), 3.0),
    Entry("differential", "Differential gear", differential, ("revolute", "coupled coordinates", "spring"), 6.0),
)
