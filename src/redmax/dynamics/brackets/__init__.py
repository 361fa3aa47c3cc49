"""Derivatives of Jacobians, and all that follows from them, by brackets of twists."""
