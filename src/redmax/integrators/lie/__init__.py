"""Integrators that step along the groups of joints and bodies: one method a file."""
