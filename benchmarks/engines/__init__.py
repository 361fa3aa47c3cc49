"""One engine a file: each takes a scene and offers `contestant(states, ...)`, a loop over the states in compiled code."""
