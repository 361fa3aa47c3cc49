"""The live page of inverse kinematics: targets that a hand drags, and a mechanism that follows."""
