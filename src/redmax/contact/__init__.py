"""Contact: joints that rub."""

from redmax.contact.rubbing import JointFriction, Staggering

__all__ = ["JointFriction", "Staggering"]
