"""Dynamics: one algorithm a file, in the papers' symbols."""
