"""redmax: articulated dynamics with every joint from a hinge to one you write as a function.

import redmax as rm
scene = rm.Scene()
arm = scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Revolute("y"), com=(0.15, 0, 0))
run = rm.simulate(scene, duration=2)
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what editors and type checkers see; the modules are imported when one of their names is asked for first
    from redmax import curves, deformables, lie, math, muscles, surfaces
    from redmax.bodies import Body, Capsule, Composite, Cone, Cuboid, Cylinder, Ellipsoid, Extrusion, MassProperties, Mesh, Sphere, Torus
    from redmax.components.appearance import Appearance
    from redmax.components.handles import BodyHandle, FrameHandle, Point
    from redmax.constraints import (
        BallClosure,
        Belt,
        Closure,
        Constraint,
        Coupling,
        Distance,
        EqualAngles,
        Gear,
        HardLimit,
        HingeClosure,
        PointClosure,
        PointInPlane,
        PointOnCurve,
        PrescribedCoordinate,
        PrescribedFrame,
        PrescribedPoint,
        Pulley,
        Rope,
        ScrewCoupling,
        UniversalClosure,
        WeldClosure,
        constraint,
    )
    from redmax.contact import ConstraintFriction, HeightField, JointFriction
    from redmax.contact.material import ContactMaterial
    from redmax.contact.obstacle import Obstacle, Plane
    from redmax.deformables import Cloth, Deformable, SpringChain, Tetrahedra
    from redmax.design import (
        Activations,
        Cauchy,
        CurveFit,
        Gradient,
        Huber,
        MarkerPoses,
        Markers,
        MeasuredPoses,
        Moment,
        Motion,
        MotionTable,
        MotionTorques,
        RunGradient,
        SmoothedMotion,
        StepLinearization,
        SurfaceFit,
        Tracked,
        Tukey,
        fit_curve,
        fit_surface,
        frame_rows,
        gradient,
        inverse_dynamics,
        linearize,
        marker_template,
        natural_knots,
        pose_distances,
        poses_from_markers,
        read_markers,
        read_motion,
        read_poses,
        smoothed_motion,
        static_optimisation,
        track,
        unit_speed,
        write_markers,
        write_motion,
        write_poses,
    )
    from redmax.design.reach import InverseKinematics, Reached
    from redmax.design.targets import (
        CenterOfMassTarget,
        FrameTarget,
        LookAtTarget,
        MarkerTarget,
        OrientationTarget,
        PositionTarget,
        PostureTarget,
        Target,
    )
    from redmax.dynamics.constraints import ConstraintStates
    from redmax.dynamics.dynamics import Centroidal, Dynamics, Observation
    from redmax.errors import Interrupted, RedmaxError, RedmaxWarning, SceneError, SimulationError, TraceError
    from redmax.forces import (
        Actuator,
        AppliedWrench,
        BodyDamping,
        Bushing,
        Cable,
        ConditionalPoint,
        FixedTendon,
        Force,
        JointDamper,
        JointForce,
        JointLimit,
        JointSpring,
        MotorLimits,
        MovingPoint,
        PathForce,
        PointForce,
        PointSpring,
        Servo,
        Site,
        SpringDamper,
        force,
    )
    from redmax.integrators.absolute.euler_poincare import EulerPoincare
    from redmax.joints import (
        BasisCurve,
        CompositeJoint,
        ConstantVelocity,
        CurveJoint,
        CurveOnCurve,
        Cylindrical,
        DeformingSplineSurface,
        Elliptic,
        Fixed,
        Free,
        Free2D,
        Free3D,
        Helical,
        Inverted,
        Joint,
        Planar,
        PlanarRotating,
        PlanarScrew,
        PointOnSurface,
        Prismatic,
        Revolute,
        Schoenflies,
        Spherical,
        SphericalEuler,
        SplineCurve,
        SplineSurface,
        SurfaceContact,
        Translational,
        TwistSurface,
        Universal,
        joint,
    )
    from redmax.lie import pose, reconstruct, rotation_about
    from redmax.model.cameras import Camera
    from redmax.model.look import Look, Trail
    from redmax.model.model import Model
    from redmax.model.scene import Scene
    from redmax.model.state import State
    from redmax.muscles import ActivationDynamics, Muscle
    from redmax.results import load
    from redmax.run.assembled_scene import Assembly
    from redmax.run.constraint_histories import ConstraintHistory
    from redmax.run.contact.history import Contact, Contacts, ContactSample
    from redmax.run.driving import Torques
    from redmax.run.force_history import ForceHistory
    from redmax.run.simulate import simulate
    from redmax.run.simulation import Checkpoint, Simulation
    from redmax.run.trajectory import Trajectory
    from redmax.view.fit_report import fit_report
    from redmax.view.live.watch import watch

__version__ = "0.1.0"

__all__ = [
    "ActivationDynamics", "Activations", "Actuator", "Appearance", "AppliedWrench", "Assembly", "BallClosure", "BasisCurve", "Belt", "Body",
    "BodyDamping", "BodyHandle", "Bushing", "Cable", "Camera", "Capsule", "Cauchy", "CenterOfMassTarget", "Centroidal", "Checkpoint",
    "Closure", "Cloth", "Composite", "CompositeJoint", "ConditionalPoint", "Cone", "ConstantVelocity", "Constraint", "ConstraintFriction",
    "ConstraintHistory", "ConstraintStates", "Contact", "ContactMaterial", "ContactSample", "Contacts", "Coupling", "Cuboid", "CurveFit",
    "CurveJoint", "CurveOnCurve", "Cylinder", "Cylindrical", "Deformable", "DeformingSplineSurface", "Distance", "Dynamics", "Ellipsoid",
    "Elliptic", "EqualAngles", "EulerPoincare", "Extrusion", "Fixed", "FixedTendon", "Force", "ForceHistory", "FrameHandle", "FrameTarget",
    "Free", "Free2D", "Free3D", "Gear", "Gradient", "HardLimit", "HeightField", "Helical", "HingeClosure", "Huber", "Interrupted",
    "InverseKinematics", "Inverted", "Joint", "JointDamper", "JointForce", "JointFriction", "JointLimit", "JointSpring", "Look",
    "LookAtTarget", "MarkerPoses", "MarkerTarget", "Markers", "MassProperties", "MeasuredPoses", "Mesh", "Model", "Moment", "Motion",
    "MotionTable", "MotionTorques", "MotorLimits", "MovingPoint", "Muscle", "Observation", "Obstacle", "OrientationTarget", "PathForce",
    "Planar", "PlanarRotating", "PlanarScrew", "Plane", "Point", "PointClosure", "PointForce", "PointInPlane", "PointOnCurve",
    "PointOnSurface", "PointSpring", "PositionTarget", "PostureTarget", "PrescribedCoordinate", "PrescribedFrame", "PrescribedPoint",
    "Prismatic", "Pulley", "Reached", "RedmaxError", "RedmaxWarning", "Revolute", "Rope", "RunGradient", "Scene", "SceneError",
    "Schoenflies", "ScrewCoupling", "Servo", "Simulation", "SimulationError", "Site", "SmoothedMotion", "Sphere", "Spherical",
    "SphericalEuler", "SplineCurve", "SplineSurface", "SpringChain", "SpringDamper", "State", "StepLinearization", "SurfaceContact",
    "SurfaceFit", "Target", "Tetrahedra", "Torques", "Torus", "TraceError", "Tracked", "Trail", "Trajectory", "Translational", "Tukey",
    "TwistSurface", "Universal", "UniversalClosure", "WeldClosure", "constraint", "curves", "deformables", "fit_curve", "fit_report",
    "fit_surface", "force", "frame_rows", "gradient", "inverse_dynamics", "joint", "lie", "linearize", "load", "marker_template", "math",
    "muscles", "natural_knots", "pose", "pose_distances", "poses_from_markers", "read_markers", "read_motion", "read_poses", "reconstruct",
    "rotation_about", "simulate", "smoothed_motion", "static_optimisation", "surfaces", "track", "unit_speed", "watch", "write_markers",
    "write_motion", "write_poses",
]  # fmt: skip

FAMILIES = ("bodies", "joints", "forces", "muscles", "deformables", "constraints", "contact", "design")  # looked through
HOMES = {
    "components.appearance": ("Appearance",),
    "components.handles": ("BodyHandle", "FrameHandle", "Point"),
    "contact.material": ("ContactMaterial",),
    "contact.obstacle": ("Obstacle", "Plane"),
    "dynamics.constraints": ("ConstraintStates",),
    "dynamics.dynamics": ("Centroidal", "Dynamics", "Observation"),
    "integrators.absolute.euler_poincare": ("EulerPoincare",),
    "errors": ("Interrupted", "RedmaxError", "RedmaxWarning", "SceneError", "SimulationError", "TraceError"),
    "lie": ("pose", "reconstruct", "rotation_about"),
    "model.cameras": ("Camera",),
    "model.look": ("Look", "Trail"),
    "model.model": ("Model",),
    "model.scene": ("Scene",),
    "model.state": ("State",),
    "results": ("load",),
    "run.contact.history": ("Contact", "ContactSample", "Contacts"),
    "run.driving": ("Torques",),
    "run.assembled_scene": ("Assembly",),
    "run.constraint_histories": ("ConstraintHistory",),
    "run.force_history": ("ForceHistory",),
    "run.simulate": ("simulate",),
    "run.simulation": ("Checkpoint", "Simulation"),
    "run.trajectory": ("Trajectory",),
    "view.fit_report": ("fit_report",),
    "view.live.watch": ("watch",),
}  # where the others are
MODULES = ("curves", "deformables", "lie", "math", "muscles", "surfaces")  # themselves, whatever a family has of the same name


def home(name: str) -> str:
    """The module of the package that has a public name; "" where the name is that of a module."""
    found = next((module for module, names in HOMES.items() if name in names), "")
    if found or name not in __all__ or name in MODULES:
        return found
    return next((family for family in FAMILIES if name in import_module(f"redmax.{family}").__all__), "")


def asked_for(name: str) -> object:
    """A public name, or a module of the package, when it is first asked for (PEP 562): the import itself takes no time."""
    module = f"redmax.{where}" if (where := home(name)) else f"redmax.{name}"
    try:
        found = import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise  # a package that this one needs
        raise AttributeError(missing(name)) from None
    globals()[name] = value = getattr(found, name) if where else found
    return value


def missing(name: str) -> str:
    """The sentence for a name that is not there."""
    from redmax.errors import near_names

    near = " or ".join(map(repr, near_names(name, __all__)))
    return f"module 'redmax' has no attribute {name!r}.{f' Did you mean {near}?' * bool(near)}"


if not TYPE_CHECKING:  # for type checkers, the names are those above and no others

    def __getattr__(name):
        if name.startswith("_"):  # which others ask of every module
            raise AttributeError(f"module 'redmax' has no attribute {name!r}.")
        return asked_for(name)

    def __dir__():
        return sorted({*globals(), *__all__})
