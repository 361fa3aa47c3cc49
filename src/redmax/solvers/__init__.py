"""Solvers of linear systems, which know nothing of mechanisms: conjugate gradients, systems bordered by rows."""
