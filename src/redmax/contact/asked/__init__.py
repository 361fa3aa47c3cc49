"""Pairs of shapes for which no routine is compiled: points where they meet, found from Python by the package coal, or with NumPy.

Ellipsoids and convex meshes are asked of coal, which gives the normal and the patch in which they meet; how far apart they are in each
corner of the patch follows from their surfaces. Meshes over planes are the corners that are near. All are found before each step.
"""
