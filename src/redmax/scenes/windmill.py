"""WM: a windmill whose sails are bodies that slide on each other (Si & Guenter Fig. 2 and Table 1: 73 degrees of freedom).

The hub turns on a hinge. Six sails of three bodies each touch it and one another in single points, which may move over both surfaces:
ball on ball, ball on egg, ring on ball, ring on egg, and ring in ring. Springs along these four coordinates hold the sails out. They sway
as they turn, because the weight pulls on each from another side all the time, and also to and fro, because the axle is tilted. Nothing
rubs, so the energy stays.
"""

from math import pi

import redmax as rm
from redmax.scenes.base import Entry

HUB, HEIGHT = 0.22, 1.6  # m: the radius of the hub, and its height above the ground
BALSA = 160.0  # kg/m^3
SPIN = -2.4  # rad/s
AXLE = rm.rotation_about("x", pi / 2 - 0.12)  # tilted up, so that the sails pass clear of the tower

Part = tuple[rm.Body, rm.surfaces.ParametricSurface]


def ball(radius: float) -> Part:
    return rm.Sphere(radius, density=BALSA), rm.surfaces.Sphere(radius)


def egg(a: float, b: float, c: float) -> Part:
    return rm.Ellipsoid((a, b, c), density=BALSA), rm.surfaces.Ellipsoid((a, b, c))


def ring(major: float, minor: float) -> Part:
    return rm.Torus(major, minor, density=BALSA), rm.surfaces.Torus(major, minor)


TIP_TO_TIP, THROUGH = ((0, 0, pi, 0), pi), ((0, pi, pi, pi), pi / 2)  # (u1, v1, u2, v2) with x outwards, and the angle of the contact
SAILS = (  # from the hub outwards: the body, how it touches the one before, and how stiff that is in the plane of the sails (N m/rad)
    ((ball(0.15), TIP_TO_TIP, 260), (ring(0.19, 0.036), TIP_TO_TIP, 100), (ring(0.155, 0.033), THROUGH, 32)),
    ((egg(0.2, 0.11, 0.1), TIP_TO_TIP, 260), (ring(0.12, 0.033), TIP_TO_TIP, 80), (egg(0.17, 0.09, 0.08), TIP_TO_TIP, 26)),
)
ACROSS = 0.5  # of that stiffness, out of the plane
STRAY = 1.0  # rad: no contact goes farther from where it begins; an egg inside a ring could nestle against it


def build() -> rm.Scene:
    scene = rm.Scene()
    scene.add_body(tower(), name="tower")
    shape, surface = ball(HUB)
    hub = scene.add_body(shape, joint=rm.Revolute("z"), at=rm.pose(AXLE, (0, 0, 0)), qdot=SPIN, name="hub")
    ends = [(hub, surface)] * 6
    for k in range(3):  # all sails grow at once, so that the colours follow the distance from the hub
        for i, (parent, surface) in enumerate(ends):
            (shape, own), (q, angle), stiffness = SAILS[i % 2][k]
            at = rm.pose(rm.rotation_about("z", i * pi / 3 + 0.2), (0, 0, 0)) if k == 0 else None
            joint = rm.SurfaceContact(surface, own, angle=angle, domain=[(x - STRAY, x + STRAY) for x in q])
            springs = [stiffness, ACROSS * stiffness] * 2
            body = scene.add_body(shape, parent=parent, joint=joint, at=at, q=q, stiffness=springs, name=f"sail{i + 1}-{k + 1}")
            ends[i] = body, own
    return scene


def tower() -> rm.Composite:
    """Behind the sails, with the hub at the origin. It does not move, so that its mass is of no account."""
    cone, height = rm.Cone(0.36, HEIGHT + 0.1, mass=0.01), HEIGHT + 0.1
    axle = rm.Capsule(0.12, 0.36, mass=0.01), rm.pose(AXLE, AXLE @ (0, 0, -0.36))
    return rm.Composite([(cone, (0, 0.5, height / 4 - HEIGHT)), axle])


KINDS = ("sphere on sphere", "sphere on ellipsoid", "sphere on torus", "torus on torus", "torus on ellipsoid")
FEATURES = ("surface contact", *KINDS, "revolute", "stiffness", "tree", "73 degrees of freedom")
ENTRIES = (Entry("windmill", "Windmill of balls, eggs and rings (WM)", build, FEATURES, duration=10.0, dt=0.005),)
