"""Knees from flexion data: poses of the shank at angles from 0 to 120 degrees become a joint whose coordinate is the flexion.

The data are our own, for illustration, and not of a person: the condyle is an ellipse on a flat plateau. At flexion a its normal is
(-sin a, 0, -cos a), and the contact has moved backwards on the plateau by b(a), the rolled share of the arc:

    db/da = s(a) rho(a),    s = 0.15 + 0.85 / (1 + exp((a - 35 deg) / 8 deg)),    rho: the ellipse's radius of curvature

so that the knee rolls at first, and slides from 50 degrees on. The table has the plateau's origin in the condyle's frame, rounded to
0.1 mm. Beside it are what one often takes instead: the hinge that misses these poses least, and a four-bar of two crossed bars, as of
the cruciate ligaments, that comes nearer. Shanks begin alike and swing each in its way.
"""

from math import pi, radians

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry
from redmax.scenes.knee import ACROSS, tibia

LONG, HIGH = 0.034, 0.024  # half axes of the ellipse, forwards and down (m)
FLEXION = (  # degrees; x and z of the plateau's origin in the condyle's frame, mm
    (0, 0.0, -24.0),
    (15, -0.6, -25.5),
    (30, -3.8, -28.8),
    (45, -10.4, -31.2),
    (60, -18.4, -31.7),
    (75, -26.4, -30.5),
    (90, -34.0, -27.6),
    (105, -40.7, -22.9),
    (120, -46.0, -16.1),
)
AXIS, ARM = (-0.0185, 0, -0.0048), (0.0229, 0, -0.0154)  # of the nearest hinge, in the thigh; of the plateau from there, in the shank
BARS = (  # from the thigh to the shank, x and z of either end (m)
    ((-0.0178, 0.0021), (0.0067, -0.0109)),
    ((-0.0017, 0.0045), (-0.0242, -0.0112)),
)
TILT, START = radians(50), radians(12)  # the shank hangs down at this flexion, and begins at this one
STOP = 40.0  # stiffness of the ends of the range, N m/rad
NOISE, EVERY = (radians(1.2), 0.0012), 2.5  # rad and m of each component; degrees from pose to pose
THIGH, LEG = 0.36, 0.38  # m, from the condyle's centre to the hip, and from the plateau to the foot


def poses() -> tuple[np.ndarray, np.ndarray]:
    """(9, 4, 4) of the shank in the thigh, and the flexion at each (rad)."""
    return np.array([rm.pose(rm.rotation_about("y", radians(a)), (x / 1e3, 0, z / 1e3)) for a, x, z in FLEXION]), np.radians(
        [row[0] for row in FLEXION]
    )


def joint() -> rm.SplineCurve:
    """Through all of them: q is the flexion (rad), and soft springs end its range."""
    return rm.SplineCurve.through(*poses(), outside="limit", limit_stiffness=STOP)


def thigh() -> rm.Composite:
    """The condyles' ellipses around the origin, and the shaft above them."""
    angle = 2 * pi * np.arange(48) / 48
    ellipse = np.column_stack([LONG * np.cos(angle), HIGH * np.sin(angle)])
    condyles = [(rm.Extrusion(ellipse, 0.026, mass=0.15), rm.pose(ACROSS, (0, y, 0))) for y in (-0.02, 0.02)]
    head = rm.Ellipsoid((0.024, 0.034, 0.05), mass=0.2), (0, 0, 0.045)
    return rm.Composite([*condyles, head, (rm.Capsule(0.018, THIGH - 0.06, mass=1.0), (0, 0, THIGH / 2 + 0.02))])


def add_thigh(scene: rm.Scene, y: float, name: str) -> rm.BodyHandle:
    """Held where it is, lifted so far that the shank's swing is within the range of the data."""
    return scene.add_body(thigh(), at=rm.pose(rm.rotation_about("y", -TILT), (0, y, 0)), name=name, color="ivory")


def beside() -> rm.Scene:
    """By its data, by a hinge, and by a four-bar."""
    scene = rm.Scene()
    data, hinge, bars = (add_thigh(scene, y, f"thigh {word}") for y, word in ((0.0, "of data"), (0.2, "of hinge"), (0.4, "of bars")))
    scene.add_body(tibia(), parent=data, joint=joint(), q=START, name="by data", joint_name="knee", color="goldenrod")
    scene.add_body(
        tibia(), parent=hinge, joint=rm.Revolute("y"), at=AXIS, body=rm.pose(np.eye(3), ARM), q=START, name="by hinge", color="steelblue"
    )
    add_bars(scene, bars)
    return scene


def add_bars(scene: rm.Scene, thigh: rm.BodyHandle) -> None:
    """Two bars, the shank on the end of the first, and the loop closed at the end of the second."""
    E = bars_at(START)
    swing: list[float] = []
    for (x, z), end in BARS:
        way = (E @ (end[0], 0, end[1], 1))[:3] - (x, 0, z)
        swing.append(float(np.arctan2(-way[0], -way[2])))  # from straight down, about y
    handles: list[rm.BodyHandle] = []
    for k, ((x, z), _) in enumerate(BARS):
        bar, at = rm.Capsule(0.004, length(k) - 0.008, mass=0.02), ((x, (-0.012, 0.012)[k], z))
        down = (0, 0, -length(k) / 2)
        handles.append(
            scene.add_body(bar, parent=thigh, joint=rm.Revolute("y"), at=at, com=down, q=swing[k], name=f"bar {k + 1}", color="tomato")
        )
    (first, second), ends = handles, [np.array((end[0], 0, end[1])) for _, end in BARS]
    shank = scene.add_body(
        tibia(), parent=first, joint=rm.Revolute("y"), at=(0, 0.012, -length(0)), body=rm.pose(np.eye(3), -ends[0]),
        q=START - swing[0], name="by bars", color="tomato",
    )  # fmt: skip
    held = np.linalg.inv(tibia().frame) @ (*(ends[1] + (0, 0.012, 0)), 1)
    scene.add_constraint(rm.HingeClosure(second.point(0, 0, -length(1) / 2), shank.point(*held[:3].tolist()), "y", name="closure"))


def length(k: int) -> float:
    """Of a bar (m): the mean distance of its ends over the data."""
    (x, z), end = BARS[k]
    return float(np.linalg.norm((poses()[0] @ (end[0], 0, end[1], 1))[:, :3] - (x, 0, z), axis=1).mean())


def bars_at(a: float) -> np.ndarray:
    """The pose of the shank on its bars at flexion a, by Newton's method from that of the data."""
    E = joint().pose([a])
    for _ in range(20):
        ways = [(E @ (end[0], 0, end[1], 1))[:3] - (x, 0, z) for (x, z), end in BARS]
        off = [way @ way - length(k) ** 2 for k, way in enumerate(ways)]
        E[[0, 2], 3] -= np.linalg.solve(2 * np.array(ways)[:, [0, 2]], off)
    return E


def measured() -> tuple[np.ndarray, np.ndarray]:
    """Poses with noise, as a tracker has, (49, 4, 4), and the flexion at each."""
    rng, angles = np.random.default_rng(7), np.radians(np.arange(0, 120 + EVERY / 2, EVERY))
    noise = rng.normal(size=(len(angles), 6)) * np.repeat(NOISE, 3)
    return joint().pose(angles[:, None]) @ np.array([rm.lie.se3.exp(x) for x in noise], float), angles


def smoothed() -> rm.Scene:
    """Through all noisy poses, and smoothed: the weight of bending is found by cross-validation."""
    scene = rm.Scene()
    rough, smooth = (add_thigh(scene, y, f"thigh {word}") for y, word in ((0.0, "of noise"), (0.2, "of smooth")))
    fit = rm.fit_curve(*measured(), frames=25, smoothing="cross-validation")
    limit = {"outside": "limit", "limit_stiffness": STOP}
    joints = rm.SplineCurve.through(*measured(), **limit), rm.SplineCurve(fit.frames, knots=fit.knots, **limit)
    for thigh, knee, name, color in zip((rough, smooth), joints, ("noisy", "smooth"), ("tomato", "goldenrod"), strict=True):
        scene.add_body(tibia(), parent=thigh, joint=knee, q=START, name=name, joint_name=f"{name} knee", color=color)
    return scene


FEATURES = ("spline curve", "fitted joint", "revolute")
ENTRIES = (
    Entry("knee-from-flexion", "A knee from flexion data, a hinge and a four-bar", beside, (*FEATURES, "loops"), duration=3.0),
    Entry("knee-smoothed", "A knee from noisy poses, and smoothed", smoothed, ("spline curve", "fitted joint", "smoothing"), duration=3.0),
)
