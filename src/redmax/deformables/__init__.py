"""Deformable bodies."""
