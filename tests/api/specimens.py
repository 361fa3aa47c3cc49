"""A sensible call of everything public, for random calls to spoil: name -> function of a `World` -> (what, arguments, named arguments)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import redmax as rm
from redmax.muscles.curves import Curves

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
CORNERS = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
GRID = np.array([[[x, y, 0.1 * x * y, 0.0, 0.0, 0.0] for y in range(5)] for x in range(5)], float)


def helix_frames() -> np.ndarray:
    frames = [np.eye(4) for _ in range(6)]
    for k, E in enumerate(frames):
        E[:3, 3] = (0.3 * k, 0.1 * k * k, 0.0)
    return np.array(frames)


@dataclass
class World:
    """What calls refer to: a scene with two bodies, another scene, what was made of them, a folder to write to."""

    folder: Path

    @cached_property
    def scene(self) -> rm.Scene:
        scene = rm.Scene()
        upper = scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Revolute("y"), com=(0.15, 0, 0), name="upper")
        scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Revolute("y"), at=(0.3, 0, 0), com=(0.15, 0, 0), parent=upper, name="lower")
        return scene

    @cached_property
    def a(self) -> rm.BodyHandle:
        return self.scene.find("upper")

    @cached_property
    def b(self) -> rm.BodyHandle:
        return self.scene.find("lower")


@dataclass
class Fixture:
    """What is expensive and never changes: a model, its dynamics, a run, a simulation."""

    folder: Path

    @cached_property
    def model(self) -> rm.Model:
        return World(self.folder).scene.model()

    @cached_property
    def dynamics(self) -> rm.Dynamics:
        return rm.Dynamics(self.model)

    @cached_property
    def run(self) -> rm.Trajectory:
        return rm.simulate(self.model, 0.02, 0.01, integrator="euler")

    @cached_property
    def batch(self) -> rm.Trajectory:
        return rm.simulate(self.model, 0.02, 0.01, integrator="euler", initial=rm.State(0.0, np.zeros((3, 2)), np.zeros(2)))

    @cached_property
    def simulation(self) -> rm.Simulation:
        return rm.Simulation(self.model, dt=0.01, integrator="euler")

    @cached_property
    def file(self) -> Path:
        path = self.folder / "scene.yaml"
        World(self.folder).scene.save(path)
        return path

    @cached_property
    def result(self) -> Path:
        path = self.folder / "run.h5"
        self.run.save(path)
        return path


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
        **{name: nothing(name) for name in ("Fixed", "Free", "Free2D", "Free3D", "Spherical", "Translational", "Universal")},
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
        "PointOnSurface": lambda _: (rm.PointOnSurface, (w.Sphere(1.0), "tangent"), {"spin": False, "inside": False}),
        "SurfaceContact": lambda _: (
            rm.SurfaceContact, (w.Sphere(1.0), w.Sphere(0.2)), {"spin": True, "angle": 0.0, "inside": False, "domain": None},
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
    return made | forces() | deformables()


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


def of_scenes() -> dict[str, Callable[[World], Call]]:
    """Methods of a scene."""
    sphere, cloth = rm.Sphere(0.1), rm.Cloth((1, 1), (2, 2), density=1.0, stretch=10.0)
    return {
        "Scene": lambda _: (rm.Scene, (), {"gravity": (0, 0, -9.81), "title": "t", "units": "m kg s"}),
        "add_body": lambda w: (
            w.scene.add_body, (sphere,),
            {"joint": rm.Revolute("z"), "parent": w.a, "at": (0, 0, 0), "com": (0.1, 0, 0), "name": "n", "joint_name": "j", "q": 0.1,
             "qdot": 0.1, "stiffness": 1.0, "damping": 1.0, "rest": 0.1, "torque": 1.0},
        ),
        "add_body on a motion": lambda w: (
            w.scene.add_body, (sphere,),
            {"joint": rm.Revolute("z"), "body": np.eye(4), "motion": lambda t: [t], "gain": 1.0, "velocity_gain": 1.0, "on_motion": True,
             "motion_level": "position", "check_joint": True, "torque": None},
        ),
        "add_body with a torque": lambda w: (
            w.scene.add_body, (sphere,), {"joint": rm.Revolute("z"), "com": (1, 0, 0), "torque": lambda t, q, qdot: -q},
        ),
        "add_frame": lambda w: (w.scene.add_frame, ("tool", w.a), {"pose": (1, 0, 0), "relative_to": "joint"}),
        "find_frame": lambda w: (w.scene.find_frame, (w.scene.add_frame("tool", w.a).name,), {}),
        "frame": lambda w: (w.a.frame, (np.eye(4),), {"relative_to": "body"}),
        "add_wrench at a frame": lambda w: (w.scene.add_wrench, (w.a.frame((1, 0, 0)),), {}),
        "add_wrench": lambda w: (w.scene.add_wrench, (w.a,), {"torque": (1, 0, 0), "force": lambda t: (t, 0, 0), "frame": "world"}),
        "add_force": lambda w: (w.scene.add_force, (rm.PointSpring(w.a, (0, 0, 0), stiffness=1.0),), {}),
        "add_deformable": lambda w: (w.scene.add_deformable, (cloth,), {}),
        "prescribe_twist": lambda w: (w.scene.prescribe_twist, (w.a, [1], lambda t, R: [t]), {"acceleration": None}),
        "prescribe_twist to numbers": lambda w: (w.scene.prescribe_twist, (w.a, 1, 1.0), {}),
        "set_map": lambda w: (w.scene.set_map, (lambda q: [q[0], q[0]],), {"coordinates": 1, "q": 0.1, "qdot": 0.1}),
        "set_map to a matrix": lambda w: (w.scene.set_map, ([[1.0], [2.0]],), {"coordinates": 1, "q": [0.1], "qdot": None}),
        "find": lambda w: (w.scene.find, ("upper",), {}),
        "find_joint": lambda w: (w.scene.find_joint, ("upper",), {}),
        "Scene.save": lambda w: (w.scene.save, (w.folder / "saved.yaml",), {}),
        "scene picture": lambda w: (w.scene.picture, (w.folder / "p.png",), {"size": (40, 30), "camera": (10, 20), "theme": "dark"}),
    }  # fmt: skip


def of_runs(f: Fixture) -> dict[str, Callable[[World], Call]]:
    """Running, and what runs, simulations and dynamics are asked for."""
    q, zero = np.zeros(2), np.zeros(2)
    run, batch, sim, dyn, model, out = f.run, f.batch, f.simulation, f.dynamics, f.model, f.folder
    state = rm.State(0.0, q, zero)
    return {
        "simulate": lambda _: (
            rm.simulate, (model, 0.02, 0.01),
            {"integrator": "euler", "dynamics": "recursive", "every": 1, "controller": None, "initial": state, "progress": None,
             "rtol": 1e-8, "solver": "auto", "stabilisation": "baumgarte", "halvings": 0, "backend": "llvm", "dtype": "float64"},
        ),
        "simulate to a file": lambda _: (
            rm.simulate, (model, 0.02, 0.01), {"integrator": "euler", "out": out / "out.h5", "store": ("energy",)},
        ),
        "simulate with a controller": lambda _: (
            rm.simulate, (model, 0.02, 0.01), {"integrator": "euler", "controller": lambda t, q, qdot: -q},
        ),
        "Simulation": lambda _: (
            rm.Simulation, (model,),
            {"dt": 0.01, "integrator": "euler", "dynamics": None, "initial": state, "controller": lambda t, q, qdot: -q, "rtol": 1e-6},
        ),
        "step": lambda _: (sim.step, (1,), {"tau": [0.0, 0.0]}),
        "reset": lambda _: (sim.reset, (state,), {}),
        "restore": lambda _: (sim.restore, (sim.checkpoint(),), {}),
        "State": lambda _: (sim.reset, (rm.State(0.0, q, zero, {}),), {}),
        "Dynamics": lambda _: (rm.Dynamics, (model, "llvm", "float64"), {}),
        "forward": lambda _: (dyn.forward, (q, zero), {"tau": zero, "wrench": None, "t": 0.0}),
        "forward with wrench": lambda _: (dyn.forward, (q, zero), {"tau": zero, "wrench": np.zeros((2, 6)), "t": 0.0}),
        "hybrid": lambda _: (dyn.hybrid, (q, zero), {"tau": zero, "qddot": zero, "t": 0.0}),
        "inverse": lambda _: (dyn.inverse, (q, zero, zero), {"t": 0.0}),
        "reactions of dynamics": lambda _: (dyn.reactions, (q, zero, zero), {"t": 0.0}),
        "inertia": lambda _: (dyn.inertia, (q,), {"t": 0.0}),
        "inverse_inertia": lambda _: (dyn.inverse_inertia, (q,), {"t": 0.0}),
        "inertia_product": lambda _: (dyn.inertia_product, (q, zero), {"joint_terms": zero, "body_terms": np.zeros((2, 6, 6))}),
        "inverse_inertia_product": lambda _: (dyn.inverse_inertia_product, (q, zero), {"joint_terms": None, "t": 0.0}),
        "jacobian": lambda _: (dyn.jacobian, (q,), {"qdot": zero, "sparse": False, "t": 0.0}),
        "pose": lambda _: (dyn.pose, (q, "upper"), {"t": 0.0}),
        "twist": lambda _: (dyn.twist, (q, zero, "upper"), {"kind": "hybrid", "t": 0.0}),
        "acceleration": lambda _: (dyn.acceleration, (q, zero, zero, "upper"), {"kind": "mixed", "classical": True, "t": 0.0}),
        "jacobian of a frame": lambda _: (dyn.jacobian, (q,), {"qdot": zero, "t": 0.0, "of": "upper.joint", "kind": "spatial"}),
        "jacobian_product": lambda _: (dyn.jacobian_product, (q, zero, zero), {"t": 0.0}),
        "jacobian_transposed_product": lambda _: (dyn.jacobian_transposed_product, (q, np.zeros((2, 6))), {"t": 0.0}),
        "drift": lambda _: (dyn.drift, (q, zero), {"t": 0.0}),
        "observe": lambda _: (dyn.observe, (q, zero), {"t": 0.0}),
        "centroidal": lambda _: (dyn.centroidal, (q, zero, zero), {"t": 0.0, "body": model.body_names[0]}),
        "total_mass": lambda _: (dyn.total_mass, (), {"body": model.body_names[0]}),
        "center_of_mass_jacobian": lambda _: (dyn.center_of_mass_jacobian, (q, zero), {"t": 0.0, "body": None}),
        "gravity_forces": lambda _: (dyn.gravity_forces, (q,), {"t": 0.0}),
        "coriolis_matrix": lambda _: (dyn.coriolis_matrix, (q, zero), {"t": 0.0}),
        "nonlinear_effects": lambda _: (dyn.nonlinear_effects, (q, zero), {"t": 0.0}),
        "index": lambda _: (model.index, ("upper",), {}),
        "q_slice": lambda _: (model.q_slice, ("upper",), {}),
        "v_slice": lambda _: (model.v_slice, ("upper",), {}),
        "joint_of": lambda _: (model.joint_of, (0,), {}),
        "with_prescribed": lambda _: (model.with_prescribed, (["upper"],), {}),
        "run.pose": lambda _: (run.pose, ("upper",), {}),
        "run.twist": lambda _: (run.twist, ("upper",), {"kind": "hybrid"}),
        "run.acceleration": lambda _: (run.acceleration, ("upper",), {"kind": "body", "classical": False}),
        "run.jacobian": lambda _: (run.jacobian, ("upper",), {"kind": "body"}),
        "run.reaction": lambda _: (run.reaction, ("upper",), {}),
        "run.coordinates": lambda _: (run.coordinates, ("upper",), {}),
        "run.chart": lambda _: (run.chart, ("upper",), {}),
        "run.prescribed_wrench": lambda _: (run.prescribed_wrench, ("upper",), {}),
        "run.state": lambda _: (run.state, (1,), {}),
        "run.world": lambda _: (batch.world, (0,), {}),
        "run[...]": lambda _: (run.__getitem__, (slice(0, 2),), {}),
        "run.force": lambda _: (run.force, ("x",), {}),
        "run.nodes": lambda _: (run.nodes, ("x",), {}),
        "run.plot": lambda _: (run.plot, (out / "e.png",), {"what": "energy", "joints": None}),
        "run.html": lambda _: (run.html, (out / "r.html",), {}),
        "run.picture": lambda _: (run.picture, (out / "r.png",), {"t": 0.01, "size": (40, 30), "camera": (10, 20), "fit": "run"}),
        "run.film": lambda _: (
            run.film, (out / "r.gif",), {"size": (40, 30), "fps": 10.0, "speed": 1.0, "start": 0.0, "end": 0.02, "marks": False},
        ),
        "run.save": lambda _: (run.save, (out / "saved.h5",), {"store": ("energy",)}),
        "run.to_csv": lambda _: (run.to_csv, (out / "r.csv",), {"what": ("q",)}),
        "run.to_pandas": lambda _: (run.to_pandas, (), {"what": ("q",)}),
        "load": lambda _: (rm.load, (f.result,), {"scene": None}),
        "Scene.load": lambda _: (rm.Scene.load, (f.file,), {"parameters": {}}),
    }  # fmt: skip
