"""redmax: articulated dynamics with every joint from a hinge to one you write as a function.

import redmax as rm
scene = rm.Scene()
arm = scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Revolute("y"), com=(0.15, 0, 0))
run = rm.simulate(scene, duration=2)
"""

from redmax import curves, deformables, lie, math, muscles, surfaces
from redmax.bodies import Body, Capsule, Composite, Cone, Cuboid, Cylinder, Ellipsoid, Extrusion, MassProperties, Mesh, Sphere, Torus
from redmax.components.handles import BodyHandle, Point
from redmax.deformables import Cloth, Deformable, SpringChain, Tetrahedra
from redmax.dynamics.dynamics import Dynamics, Observation
from redmax.errors import Interrupted, RedmaxError, RedmaxWarning, SceneError, SimulationError, TraceError
from redmax.forces import (
    Actuator,
    AppliedWrench,
    BodyDamping,
    Bushing,
    Cable,
    ConditionalPoint,
    Force,
    JointDamper,
    JointForce,
    JointLimit,
    JointSpring,
    MovingPoint,
    PathForce,
    PointForce,
    PointSpring,
    Servo,
    Site,
    SpringDamper,
    force,
)
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
from redmax.model.model import Model
from redmax.model.scene import Scene
from redmax.model.state import State
from redmax.muscles import ActivationDynamics, Muscle
from redmax.results import load
from redmax.run.force_history import ForceHistory
from redmax.run.simulate import simulate
from redmax.run.simulation import Checkpoint, Simulation
from redmax.run.trajectory import Trajectory

__version__ = "0.1.0"

__all__ = [
    "ActivationDynamics", "Actuator", "AppliedWrench", "Body", "BodyDamping", "BodyHandle", "Bushing", "Cable", "Capsule", "Checkpoint",
    "Cloth", "Composite", "CompositeJoint", "ConditionalPoint", "Cone", "ConstantVelocity", "Cuboid", "CurveJoint", "CurveOnCurve",
    "Cylinder", "Cylindrical", "Deformable", "DeformingSplineSurface", "Dynamics", "Ellipsoid", "Elliptic", "Extrusion", "Fixed", "Force",
    "ForceHistory", "Free", "Free2D", "Free3D", "Helical", "Interrupted", "Inverted", "Joint", "JointDamper", "JointForce", "JointLimit",
    "JointSpring", "MassProperties", "Mesh", "Model", "MovingPoint", "Muscle", "Observation", "PathForce", "Planar", "PlanarRotating",
    "PlanarScrew", "Point", "PointForce", "PointOnSurface", "PointSpring", "Prismatic", "RedmaxError", "RedmaxWarning", "Revolute",
    "Scene", "SceneError", "Schoenflies", "Servo", "Simulation", "SimulationError", "Site", "Sphere", "Spherical", "SphericalEuler",
    "SplineCurve", "SplineSurface", "SpringChain", "SpringDamper", "State", "SurfaceContact", "Tetrahedra", "Torus", "TraceError",
    "Trajectory", "Translational", "Universal", "curves", "deformables", "force", "joint", "lie", "load", "math", "muscles", "pose",
    "rotation_about", "simulate", "surfaces",
]  # fmt: skip
