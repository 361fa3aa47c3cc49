"""Routines: loops over vectors and matrices in a world's memory, written once as Python functions, run by NumPy or compiled."""
