"""Contact: joints that rub."""

from redmax.contact.rubbing import JointFriction

__all__ = ["JointFriction"]
