"""redmax: articulated dynamics with every joint from a hinge to one you write as a function.

    import redmax as rm
    scene = rm.Scene()
    arm = scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Revolute("y"), com=(0.15, 0, 0))
    run = rm.simulate(scene, duration=2)
"""

from redmax import lie, math
from redmax.bodies import Body, Capsule, Composite, Cone, Cuboid, Cylinder, Ellipsoid, Extrusion, MassProperties, Mesh, Sphere, Torus
from redmax.dynamics.system import Dynamics, Observation
from redmax.errors import Interrupted, RedmaxError, SceneError, SimulationError, TraceError
from redmax.handles import BodyHandle, Point
from redmax.joints import (
    Fixed,
    Free,
    Free3D,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    SphericalEuler,
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
    "Body", "BodyHandle", "Capsule", "Checkpoint", "Composite", "Cone", "Cuboid", "Cylinder", "Dynamics", "Ellipsoid", "Extrusion",
    "Fixed", "Free", "Free3D", "Interrupted", "Joint", "MassProperties", "Mesh", "Model", "Observation", "Planar", "Point", "Prismatic",
    "RedmaxError", "Revolute", "Scene", "SceneError", "Simulation", "SimulationError", "Sphere", "Spherical", "SphericalEuler",
    "State", "Torus", "TraceError", "Trajectory", "Translational", "Universal", "joint", "lie", "math", "pose", "rotation_about",
    "simulate",
]  # fmt: skip
