"""Bridges: dynamics and steps as functions of other libraries, with their derivatives. One file each: jax, torch, casadi, scipy.

Each has the same functions in the same order: `forward_dynamics`, `inverse_dynamics`, `step`, and `objective` of a whole run, which is a
function of vectors for SciPy already. A bridge is imported by its own name, as in `from redmax.bridges import jax as bridge`, and needs the
extra of that name.
"""
