"""Inverse kinematics: configurations that reach targets, within bounds, with loops closed."""

from redmax.design.reach.inverse_kinematics import InverseKinematics
from redmax.design.reach.reached import Reached

__all__ = ["InverseKinematics", "Reached"]
