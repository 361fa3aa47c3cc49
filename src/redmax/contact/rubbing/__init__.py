"""Joints that rub: where their parts touch, and how the friction there is solved for (RedMax notes Sec. 2.11)."""

from redmax.contact.rubbing.constraint_friction import ConstraintFriction
from redmax.contact.rubbing.joint_friction import JointFriction
from redmax.contact.rubbing.staggering import Staggering

__all__ = ["ConstraintFriction", "JointFriction", "Staggering"]
