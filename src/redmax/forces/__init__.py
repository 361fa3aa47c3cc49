"""Forces between bodies and within joints, one kind a file."""

from redmax.forces.actuator import Actuator
from redmax.forces.applied_wrench import AppliedWrench
from redmax.forces.base import Force, Site
from redmax.forces.body_damping import BodyDamping
from redmax.forces.bushing import Bushing
from redmax.forces.cable import Cable
from redmax.forces.fixed_tendon import FixedTendon
from redmax.forces.joint_damper import JointDamper
from redmax.forces.joint_force import JointForce
from redmax.forces.joint_limit import JointLimit
from redmax.forces.joint_spring import JointSpring
from redmax.forces.motor_limits import MotorLimits
from redmax.forces.own import force
from redmax.forces.path import PathForce
from redmax.forces.point_force import PointForce
from redmax.forces.point_spring import PointSpring
from redmax.forces.points import ConditionalPoint, MovingPoint
from redmax.forces.servo import Servo
from redmax.forces.spring_damper import SpringDamper

__all__ = [
    "Actuator", "AppliedWrench", "BodyDamping", "Bushing", "Cable", "ConditionalPoint", "FixedTendon", "Force", "JointDamper",
    "JointForce", "JointLimit", "JointSpring", "MotorLimits", "MovingPoint",
    "PathForce", "PointForce", "PointSpring", "Servo", "Site", "SpringDamper", "force",
]  # fmt: skip
