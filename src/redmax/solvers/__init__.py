"""Solvers of equations, which know nothing of mechanisms: elimination along trees and by fronts, conjugate gradients, bordering rows."""
