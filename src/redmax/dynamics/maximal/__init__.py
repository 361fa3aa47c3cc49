"""Maximal coordinates: every body moves by itself, joints are constraints."""
