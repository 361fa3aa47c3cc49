"""A sensible call of everything public, for random calls to spoil: name -> function of a `World` -> (what, arguments, named arguments)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import redmax as rm
from api.worlds import Call, World
from redmax.muscles.curves import Curves

CORNERS = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
GRID = np.array([[[x, y, 0.1 * x * y, 0.0, 0.0, 0.0] for y in range(5)] for x in range(5)], float)


def helix_frames() -> np.ndarray:
    frames = [np.eye(4) for _ in range(6)]
    for k, E in enumerate(frames):
        E[:3, 3] = (0.3 * k, 0.1 * k * k, 0.0)
    return np.array(frames)


def parts() -> dict[str, Callable[[World], Call]]:
    """Bodies, joints, curves, surfaces, forces, muscles, deformables: what scenes are made of."""
    w = rm.surfaces
    made: dict[str, Callable[[World], Call]] = {
        "Cuboid": lambda _: (rm.Cuboid, ((1, 1, 1),), {"density": 1000.0}),
        "Cuboid of mass": lambda _: (rm.Cuboid, ((1, 1, 1),), {"mass": 1.0}),
        "Sphere": lambda _: (rm.Sphere, (0.1,), {"mass": 1.0}),
        "Capsule": lambda _: (rm.Capsule, (0.1, 0.2), {"mass": 1.0}),
        "Cone": lambda _: (rm.Cone, (0.1, 0.2), {"mass": 1.0}),
        "Cylinder": lambda _: (rm.Cylinder, (0.1, 0.2), {"mass": 1.0}),
        "Ellipsoid": lambda _: (rm.Ellipsoid, ((0.1, 0.2, 0.3),), {"mass": 1.0}),
        "Torus": lambda _: (rm.Torus, (0.3, 0.1), {"mass": 1.0}),
        "Extrusion": lambda _: (rm.Extrusion, ([(0, 0), (1, 0), (0, 1)], 0.1), {"holes": None, "mass": 1.0}),
        "Mesh": lambda _: (rm.Mesh, (CORNERS, FACES), {"mass": 1.0}),
        "Composite": lambda _: (rm.Composite, ([(rm.Sphere(0.1), (0, 0, 0)), (rm.Sphere(0.1), (1, 0, 0))],), {}),
        "MassProperties": lambda _: (rm.MassProperties, (1.0, (1.0, 1.0, 1.0)), {"display": None}),
        "mesh of a shape": lambda _: (rm.Sphere(0.1).mesh, (8,), {}),
        **{name: one_axis(name) for name in ("Revolute", "Prismatic", "Cylindrical", "ConstantVelocity", "PlanarRotating", "Schoenflies")},
        **{name: nothing(name) for name in ("Fixed", "Free2D", "Free3D", "Translational", "Universal")},
        "Free": lambda _: (rm.Free, (), {"coordinates": "dual-quaternion"}),
        "Spherical": lambda _: (rm.Spherical, (), {"coordinates": "matrix"}),
        "Helical": lambda _: (rm.Helical, ("z", 0.1), {}),
        "PlanarScrew": lambda _: (rm.PlanarScrew, ("z", 0.1), {}),
        "Planar": lambda _: (rm.Planar, ("x", "y"), {}),
        "Elliptic": lambda _: (rm.Elliptic, (1.0, 0.5), {"base": None}),
        "SphericalEuler": lambda _: (rm.SphericalEuler, ("XYZ",), {"switching": True}),
        "CompositeJoint": lambda _: (rm.CompositeJoint, (rm.Revolute("z"), rm.Prismatic("x")), {}),
        "Inverted": lambda _: (rm.Inverted, (rm.Elliptic(1.0, 0.5),), {}),
        "CurveJoint": lambda _: (rm.CurveJoint, (rm.curves.Circle(1.0), "tangent"), {"up": (0, 0, 1), "spin": False}),
        "CurveOnCurve": lambda _: (
            rm.CurveOnCurve, (rm.curves.Circle(1.0), rm.curves.Circle(0.2)),
            {"spin": True, "parent_up": (0, 0, 1), "child_up": (0, 0, 1)},
        ),
        "PointOnSurface": lambda _: (rm.PointOnSurface, (w.Sphere(1.0), "tangent"), {"spin": False, "inside": False, "rolling": False}),
        "SurfaceContact": lambda _: (
            rm.SurfaceContact, (w.Sphere(1.0), w.Sphere(0.2)),
            {"spin": True, "angle": 0.0, "inside": False, "domain": None, "rolling": True},
        ),
        "BasisCurve": lambda _: (
            rm.BasisCurve, (helix_frames(), "catmull-rom"),
            {"order": 4, "stride": None, "breaks": None, "cyclic": False, "outside": "limit", "limit_stiffness": 1.0, "limit_damping": 1.0},
        ),
        "SplineCurve": lambda _: (
            rm.SplineCurve, (helix_frames(),),
            {"order": 4, "knots": None, "cyclic": False, "outside": "limit", "limit_stiffness": 1.0, "limit_damping": 1.0},
        ),
        "SplineSurface": lambda _: (
            rm.SplineSurface, (GRID,),
            {"order": 4, "knots": None, "rotation_order": "xyz", "base": None, "cyclic": False, "outside": "limit",
             "limit_stiffness": 1.0, "limit_damping": 1.0},
        ),
        "TwistSurface": lambda _: (
            rm.TwistSurface, (GRID[..., [3, 4, 5, 0, 1, 2]],),
            {"order": 4, "knots": None, "base": None, "cyclic": False, "outside": "limit", "limit_stiffness": 1.0, "limit_damping": 1.0},
        ),
        "DeformingSplineSurface": lambda _: (rm.DeformingSplineSurface, (GRID, [(0.1 * GRID, lambda t: t)]), {"order": 4}),
        "joint": lambda _: (rm.joint, (lambda q, r: rm.pose(np.eye(3), [r * q[0], 0, 0]), 1), {"domain": None, "check": True, "r": 2.0}),
        "Circle": lambda _: (rm.curves.Circle, (1.0,), {}),
        "Ellipse": lambda _: (rm.curves.Ellipse, (1.0, 0.5), {}),
        "Helix": lambda _: (rm.curves.Helix, (1.0, 0.5), {}),
        "Lissajous": lambda _: (rm.curves.Lissajous, ((1, 1, 1), (1, 2, 3)), {"phases": (0, 0, 0)}),
        "Bezier": lambda _: (rm.curves.Bezier, (CORNERS,), {}),
        "Polyline": lambda _: (rm.curves.Polyline, (CORNERS,), {"closed": False, "through": True, "degree": 3}),
        "Curve": lambda _: (rm.curves.Curve, (lambda s, r: [r * s, s * s, 0.0],), {"domain": (0, 1), "r": 2.0}),
        "curve sample": lambda _: (rm.curves.Circle(1.0).sample, (10,), {}),
        "surface Sphere": lambda _: (w.Sphere, (1.0,), {}),
        "surface Cylinder": lambda _: (w.Cylinder, (1.0,), {}),
        "surface Ellipsoid": lambda _: (w.Ellipsoid, ((1, 2, 3),), {}),
        "surface Torus": lambda _: (w.Torus, (1.0, 0.3), {}),
        "BezierPatch": lambda _: (w.BezierPatch, (GRID[:4, :4, :3],), {}),
        "Surface": lambda _: (w.Surface, (lambda u, v, r: [u, v, r * u * v],), {"domain": ((0, 1), (0, 1)), "r": 2.0}),
    }  # fmt: skip
    return made | forces() | constraints() | deformables() | looks()


def one_axis(name: str) -> Callable[[World], Call]:
    return lambda _: (getattr(rm, name), ("z",), {})


def nothing(name: str) -> Callable[[World], Call]:
    return lambda _: (getattr(rm, name), (), {})


def forces() -> dict[str, Callable[[World], Call]]:
    return {
        "SpringDamper": lambda w: (
            rm.SpringDamper, (w.a.point(0, 0, 0.1), w.b),
            {"stiffness": 1.0, "damping": 1.0, "rest": 0.1, "per": "length", "name": "s", "stiffness_kind": "exact"},
        ),
        "PointSpring": lambda w: (rm.PointSpring, (w.a, (1, 2, 3)), {"stiffness": 1.0, "damping": 1.0, "name": "s"}),
        "PointForce": lambda w: (rm.PointForce, (w.a, (1, 0, 0)), {"strength": 1.0, "counted": None, "name": "s"}),
        "AppliedWrench": lambda w: (rm.AppliedWrench, (w.a,), {"torque": (1, 0, 0), "force": lambda t: [t, 0, 0], "frame": "body"}),
        "BodyDamping": lambda w: (rm.BodyDamping, (w.a, 0.1), {"name": "s"}),
        "BodyDamping of two": lambda w: (rm.BodyDamping, (w.a,), {"angular": 0.1, "linear": 0.2}),
        "Bushing": lambda w: (
            rm.Bushing, (w.a, w.b), {"translational": 1.0, "rotational": (1, 2, 3), "translational_damping": np.eye(3), "rest": None},
        ),
        "Bushing of six": lambda w: (rm.Bushing, (w.a, w.b), {"stiffness": np.eye(6), "damping": np.ones(6)}),
        "Cable": lambda w: (rm.Cable, ([w.a, (1, 0, 1), w.b],), {"stiffness": 1.0, "damping": 0.1, "rest": 0.1, "per": "length"}),
        "Actuator": lambda w: (rm.Actuator, (w.a, lambda t, q, qdot, k: -k * q), {"potential": None, "name": "s", "k": 2.0}),
        "FixedTendon": lambda w: (rm.FixedTendon, ({w.a: 1.0, "lower": -0.5},), {"stiffness": 1.0, "damping": 0.1, "rest": (0.1, 0.2)}),
        "MotorLimits": lambda w: (rm.MotorLimits, (2.0, 3.0), {"fade": 0.5}),
        "JointFriction": lambda w: (rm.JointFriction, (w.a, 0.3), {"radius": 0.1, "height": 0.2, "sides": 4, "name": "s"}),
        "ConstraintFriction": lambda w: (
            rm.ConstraintFriction, ("closure", 0.3), {"points": [(0, 0, 0)], "normals": [(0, 0, 1)], "sides": 4, "name": "s"},
        ),
        "JointDamper": lambda w: (rm.JointDamper, (w.a, 1.0), {"name": "s"}),
        "JointLimit": lambda w: (rm.JointLimit, (w.a,), {"lower": -1.0, "upper": 1.0, "stiffness": 1.0, "damping": 1.0}),
        "JointSpring": lambda w: (rm.JointSpring, (w.a, 1.0), {"rest": 0.1}),
        "Servo": lambda w: (rm.Servo, (w.a, 0.3), {"kp": 1.0, "kd": 0.1, "limit": 3.0}),
        "force": lambda w: (rm.force, (lambda a, b, k: [k * b.x, -k * b.x],), {"bodies": [w.a, w.b], "k": 1.0, "name": "s"}),
        "force of a potential": lambda w: (rm.force, (), {"potential": lambda a, b: (a.x - b.x) @ (a.x - b.x), "bodies": [w.a, w.b]}),
        "force along a path": lambda w: (rm.force, (), {"tension": lambda length, rate: length, "path": [w.a, (1, 0, 0), w.b]}),
        "force in a joint": lambda w: (rm.force, (), {"torque": lambda t, q, qdot: -q, "joint": w.a}),
        "MovingPoint": lambda w: (rm.MovingPoint, (w.a, lambda q: [q, 0, 0]), {"joint": w.b, "coordinate": 0}),
        "ConditionalPoint": lambda w: (rm.ConditionalPoint, (w.a.point(0, 0, 0),), {"joint": w.b, "coordinate": 0, "between": (0, 1)}),
        "Muscle": lambda w: (
            rm.Muscle, ([w.a.point(0.1, 0, 0), w.b.point(0.1, 0, 0.1)],),
            {"force": 100.0, "optimal_length": 0.1, "tendon_length": 0.1, "max_velocity": 10.0, "pennation": 0.1, "damping": 0.1,
             "curves": "redmax", "activation": 0.5, "name": "m"},
        ),
        "Muscle with excitation": lambda w: (
            rm.Muscle, ([w.a.point(0.1, 0, 0), w.b.point(0.1, 0, 0.1)],),
            {"force": 100.0, "optimal_length": 0.1, "excitation": lambda t: 0.5, "dynamics": rm.ActivationDynamics(), "initial": 0.1},
        ),
        "ActivationDynamics": lambda _: (rm.ActivationDynamics, (0.01, 0.04), {"form": "linear"}),
        "Curves": lambda _: (Curves, (np.exp, np.exp, np.exp), {}),
        "body point": lambda w: (w.a.point, (0.0, 0.0, 0.0), {}),
        "pose": lambda _: (rm.pose, (np.eye(3), (0, 0, 0)), {}),
        "rotation_about": lambda _: (rm.rotation_about, ("z", 0.3), {}),
        "reconstruct": lambda _: (rm.reconstruct, (np.zeros((3, 6)), np.eye(4), "body"), {"t": [0.0, 0.1, 0.2], "steps": 2}),
    }  # fmt: skip


def constraints() -> dict[str, Callable[[World], Call]]:
    own: dict[str, Any] = {"name": "c", "gain": 5.0, "compliance": 1e-6}
    return {
        "Distance": lambda w: (rm.Distance, (w.a, (1, 0, 1)), {"length": 1.0, **own}),
        "PointClosure": lambda w: (rm.PointClosure, (w.b.point(0, 0, 0.1), (1, 0, 1)), own),
        "HingeClosure": lambda w: (rm.HingeClosure, (w.b, (1, 0, 1)), {"axis": "y", "second_axis": (0, 1, 0), **own}),
        "Closure": lambda w: (rm.Closure, (rm.Cylindrical("y"), w.b, (1, 0, 1)), {"q": (0.1, 0.2), **own}),
        "UniversalClosure": lambda w: (rm.UniversalClosure, (w.b, (1, 0, 1)), {"axis": "y", "second_axis": "x", **own}),
        "WeldClosure": lambda w: (rm.WeldClosure, (w.b, (1, 0, 1)), {"as_placed": True, **own}),
        "PointInPlane": lambda w: (rm.PointInPlane, (w.b,), {"plane": (0, 0, 1), "normal": (0, 1, 2), **own}),
        "PointOnCurve": lambda w: (rm.PointOnCurve, (w.b, rm.curves.Circle(0.5)), {"on": (0, 0, 1), **own}),
        "Pulley": lambda w: (rm.Pulley, (w.a, 0.1), {"axis": "y", "winding": "negative", "turns": 1}),
        "Rope": lambda w: (rm.Rope, ([w.b, (1, 0, 1), (0, 0, 2)],), {"length": 9.0, "slack": False, "closed": False, **own}),
        "Belt": lambda w: (rm.Belt, ([rm.Pulley(w.a, 0.1), rm.Pulley((3, 1, 0), 0.1)],), {"closed": True, **own}),
        "HardLimit": lambda w: (rm.HardLimit, (w.a,), {"lower": -1.0, "upper": [1.0], **own}),
        "Gear": lambda w: (rm.Gear, (w.a, w.b, 2.0), {"phase": 0.1, "coordinates": (0, 0), **own}),
        "ScrewCoupling": lambda w: (rm.ScrewCoupling, (w.a, w.b, 0.1), {"offset": 0.1, "coordinates": (0, 0), **own}),
        "EqualAngles": lambda w: (rm.EqualAngles, ([w.a, "lower"],), own),
        "Coupling": lambda w: (rm.Coupling, ({w.a: 1.0, "lower": -0.5},), {"offset": 0.2, **own}),
        "PrescribedPoint": lambda w: (rm.PrescribedPoint, (w.b, lambda t: [t, 0, 0]), {"relative_to": (1, 0, 0), **own}),
        "PrescribedFrame": lambda w: (rm.PrescribedFrame, (w.b, np.eye(4)), {"relative_to": None, **own}),
        "PrescribedCoordinate": lambda w: (rm.PrescribedCoordinate, (w.a, lambda t: t), {"coordinate": 0, **own}),
        "constraint": lambda w: (
            rm.constraint, (lambda a, q, k: k * a.x[2] - q[0],),
            {"bodies": [w.a], "joints": [w.b], "rows": 1, "velocities": False, "one_sided": False, "lower": None, "upper": None, "k": 2.0,
             **own},
        ),
    }  # fmt: skip


def deformables() -> dict[str, Callable[[World], Call]]:
    def cloth() -> rm.Cloth:
        return rm.Cloth((1, 1), (2, 2), density=1.0, stretch=10.0)

    soft: dict[str, Any] = {"density": 1.0, "youngs": 1e3, "poisson": 0.3}
    return {
        "Cloth": lambda _: (
            rm.Cloth, ((1, 1), (2, 2)),
            {"density": 1.0, "stretch": 10.0, "shear": 1.0, "bend": 0.1, "damping": 0.1, "at": (0, 0, 0), "rayleigh": (0, 0), "name": "c"},
        ),
        "SpringChain": lambda _: (
            rm.SpringChain, ((0, 0, 0), (1, 0, 0), 3),
            {"mass": 1.0, "stiffness": 10.0, "damping": 0.1, "length": 1.0, "rayleigh": (0, 0), "name": "c"},
        ),
        "Tetrahedra": lambda _: (
            rm.Tetrahedra, (CORNERS, [(0, 1, 2, 3)]), {**soft, "material": "neo-hookean", "rayleigh": (0, 0), "name": "t"},
        ),
        "Tetrahedra.box": lambda _: (rm.Tetrahedra.box, ((1, 1, 1), (1, 1, 1)), soft),
        "hold": lambda _: (cloth().hold, ([0, 1],), {}),
        "hold where": lambda _: (cloth().hold, (lambda x: x[:, 0] < 0.1,), {}),
        "attach": lambda w: (cloth().attach, (w.a, [0, 1]), {"at": [(0, 0, 0), (1, 0, 0)]}),
        "tie": lambda w: (cloth().tie, (w.a, [0, 1]), {"at": None}),
        "moved": lambda _: (cloth().moved, (), {"positions": np.ones((9, 3)), "velocities": None}),
        "Deformable": lambda _: (rm.Deformable, (CORNERS, [1.0] * 4, ()), {"rayleigh": (0, 0), "surface": FACES, "lines": [(0, 1)]}),
        "Spring": lambda _: (rm.deformables.Spring, (), {}),
        "Corotated": lambda _: (rm.deformables.Corotated, (), {}),
    }  # fmt: skip


def looks() -> dict[str, Callable[[World], Call]]:
    """How things are shown."""
    seen: dict[str, Any] = {"theme": "dark", "background": "white", "ground": True, "ground_height": -1.0, "ground_color": "#aabbcc"}
    return {
        "ContactMaterial": lambda _: (rm.ContactMaterial, (0.5, 0.2), {"compliance": 1e-4, "damping": 0.01, "stiff": False}),
        "Plane": lambda _: (rm.Plane, (), {}),
        "HeightField": lambda _: (rm.HeightField, ([[0.0, 0.1, 0.0], [0.1, 0.2, 0.1]],), {"size": (2.0, 1.0)}),
        "Camera": lambda w: (rm.Camera, (30.0, 15.0), {"zoom": 1.5, "follow": w.a, "orbit": 10.0}),
        "Camera with an eye": lambda _: (rm.Camera, (), {"eye": (3, 2, 1), "target": (0, 0, 0)}),
        "Camera with keys": lambda w: (rm.Camera, (), {"keys": {0: (30, 15), 2: (120, 15, 1.5)}, "follow": w.b.point(0, 0, 0.1)}),
        "Trail": lambda w: (rm.Trail, (w.b.point(0.1, 0, 0),), {"color": "tomato", "seconds": 0.5}),
        "Appearance": lambda _: (rm.Appearance, ("tomato",), {"opacity": 0.5, "material": "metal"}),
        "Look": lambda w: (
            rm.Look, (),
            {**seen, "trails": [w.a, "lower"], "camera": (30, 15, 1.5), "colors": {"upper": "tomato", "lower": rm.Appearance("gold")}},
        ),
        "Look.but": lambda _: (rm.Look().but, (), {"marks": False, "background": "transparent", "camera": rm.Camera(30, 15)}),
    }  # fmt: skip
