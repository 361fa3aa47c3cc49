"""Contact: which shapes touch, of what material, and where they meet; and joints that rub. Solved in solvers/contact."""

from redmax.contact.height_field import HeightField
from redmax.contact.rubbing import ConstraintFriction, JointFriction

__all__ = ["ConstraintFriction", "HeightField", "JointFriction"]
