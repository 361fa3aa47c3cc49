"""redmax: articulated dynamics with every joint from a hinge to one you write as a function.

    import redmax as rm
    scene = rm.Scene()
    arm = scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Revolute("y"), com=(0.15, 0, 0))
    run = rm.simulate(scene, duration=2)
"""

from redmax import curves, lie, math, surfaces
from redmax.bodies import Body, Capsule, Composite, Cone, Cuboid, Cylinder, Ellipsoid, Extrusion, MassProperties, Mesh, Sphere, Torus
from redmax.dynamics.system import Dynamics, Observation
from redmax.errors import Interrupted, RedmaxError, RedmaxWarning, SceneError, SimulationError, TraceError
from redmax.forces import (
    Actuator,
    AppliedWrench,
    BodyDamping,
    Bushing,
    Cable,
    Force,
    JointDamper,
    JointForce,
    JointLimit,
    JointSpring,
    PathForce,
    PointForce,
    PointSpring,
    Servo,
    Site,
    SpringDamper,
    force,
)
from redmax.handles import BodyHandle, Point
from redmax.joints import (
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
    Universal,
    joint,
)
from redmax.lie import pose, rotation_about
from redmax.model import Model
from redmax.scene import Scene
from redmax.simulate import simulate
from redmax.simulation import Checkpoint, Simulation
from redmax.state import State
from redmax.trajectory import Trajectory

__version__ = "0.1.0"

__all__ = [
    "Actuator", "AppliedWrench", "Body", "BodyDamping", "BodyHandle", "Bushing", "Cable", "Capsule", "Checkpoint", "Composite",
    "CompositeJoint", "Cone", "ConstantVelocity", "Cuboid", "CurveJoint", "CurveOnCurve", "Cylinder", "Cylindrical",
    "DeformingSplineSurface", "Dynamics", "Ellipsoid", "Elliptic", "Extrusion", "Fixed", "Force", "Free", "Free2D", "Free3D", "Helical",
    "Interrupted", "Inverted", "Joint", "JointDamper", "JointForce", "JointLimit", "JointSpring", "MassProperties", "Mesh", "Model",
    "Observation", "PathForce", "Planar", "PlanarRotating", "PlanarScrew", "Point", "PointForce", "PointOnSurface", "PointSpring",
    "Prismatic", "RedmaxError", "RedmaxWarning", "Revolute", "Scene", "SceneError", "Schoenflies", "Servo", "Simulation", "SimulationError",
    "Site", "Sphere", "Spherical", "SphericalEuler", "SplineCurve", "SplineSurface", "SpringDamper", "State", "SurfaceContact", "Torus",
    "TraceError", "Trajectory", "Translational", "Universal", "curves", "force", "joint", "lie", "math", "pose", "rotation_about",
    "simulate", "surfaces",
]  # fmt: skip
