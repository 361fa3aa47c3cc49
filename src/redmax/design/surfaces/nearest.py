"""The parameters at which a surface comes nearest to each pose: Newton's method with damping, for all poses at once."""

from __future__ import annotations

import numpy as np

from redmax.design.surfaces.problem import Problem, held_back, times
from redmax.types import Array

TURNS, SETTLED = 40, 1e-13  # steps at most; and the part of the range that a last one is long
ROUNDING = 1e-14  # of squared distances, and of distances: what squares of numbers near 1 cannot tell


def nearest(problem: Problem, control: Array, q: Array) -> Array:
    """(N, dof), beginning at q; no pose comes farther away than it was there, but for rounding."""
    size = np.array([side.range[1] - side.range[0] for side in problem.grid.sides])
    q, damping = q.copy(), np.zeros(len(q))
    value = values(problem, control, q)
    left = np.flatnonzero(problem.weights > 0)
    for _ in range(TURNS):
        own = problem.of(left)
        step = stepped(own, control, q[left], damping[left])
        new = problem.grid.inside(q[left] + step)
        reached = values(own, control, new)
        allowed = ROUNDING * (value[left] + np.sqrt(value[left]))  # less, and Newton's steps would end where squares cannot tell
        better = reached <= value[left] + allowed
        taken = left[better]
        q[taken], value[taken] = new[better], reached[better]
        mu = damping[left]
        damping[left] = np.where(better, np.where(mu < 1e-6, 0.0, 0.1 * mu), np.maximum(10.0 * mu, 1e-3))
        left = left[(np.abs(step) > SETTLED * size).any(axis=1) & (damping[left] < 1e9)]
        if not len(left):
            break
    return q


def values(problem: Problem, control: Array, q: Array) -> Array:
    d = problem.misfit.residuals(problem.grid.spline(control, q), problem.poses, problem.points)
    return np.einsum("ni,nij,nj->n", d, problem.W, d, optimize=True)


def stepped(problem: Problem, control: Array, q: Array, damping: Array) -> Array:
    """Newton's step; where the matrix is not definite, that of Gauss and Newton. The curvature of the logarithm is left out."""
    dof = q.shape[1]
    jet = problem.grid.at(q).jet(control)
    d, J = problem.misfit.linear(jet.value, problem.poses, problem.points)
    along = jet.along
    JA, g = J @ along, times(np.swapaxes(J, 1, 2), times(problem.W, d))
    slope = times(np.swapaxes(along, 1, 2), g)
    A = np.swapaxes(JA, 1, 2) @ problem.W @ JA
    A[:, range(dof), range(dof)] += 1e-14 * np.trace(A, axis1=1, axis2=2)[:, None] + np.finfo(float).tiny
    exact = A + jet.curved(g)
    definite = np.linalg.eigvalsh(exact)[:, 0] > 1e-3 * np.linalg.eigvalsh(A)[:, 0]
    A = np.where(definite[:, None, None], exact, A)
    held = held_back(problem.grid, q, slope)
    A[held[:, :, None] | held[:, None, :]] = 0.0
    A[:, range(dof), range(dof)] = A[:, range(dof), range(dof)] * (1.0 + damping[:, None]) + held
    return -np.linalg.solve(A, np.where(held, 0.0, slope)[..., None])[..., 0]
