"""Deformables: their nodes and the joints, in one sparse system."""
