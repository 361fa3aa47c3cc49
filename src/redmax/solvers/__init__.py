"""Solvers of the systems that dynamics, contact and constraints pose."""
