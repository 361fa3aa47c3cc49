"""Runs: `simulate`, Simulation, the Trajectory that comes of it, and what can be read off that."""
