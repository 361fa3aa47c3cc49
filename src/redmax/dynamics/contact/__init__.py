"""Contact in a step: bodies in the world, pairs of shapes that meet, rows, and the solver on them, as stages of a program."""
