"""Checks of the motion of a joint when it is made."""

from redmax.joints.checks.box import checked_domain
from redmax.joints.checks.check import check_joint

__all__ = ["check_joint", "checked_domain"]
