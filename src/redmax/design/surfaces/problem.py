"""The objective of a surface and its two derivatives by the control values:

    F = sum_k w_k rho(d_k^T W_k d_k) + smoothing int sum_ij |d^2 phi / dq_i dq_j|_W^2 dq,    d_k = log(G(q_k)^-1 G_k)

phi_k is linear in the control values, so that the Hessian of each pose is a 6x6 times the products of its basis functions. Parameters
that are not known are at the minimum for given control values (`nearest`), and eliminated: their part is taken off the Hessian,

    H_cc - H_cq H_qq^-1 H_qc

(variable projection: Golub and Pereyra 1973; without second derivatives, the simplification of Kaufman 1975).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from redmax.design.curves.loss import Loss
from redmax.design.surfaces.bands import Bands
from redmax.design.surfaces.grid import Grid, Places
from redmax.design.surfaces.kinds import Misfit
from redmax.design.surfaces.smoothness import bending
from redmax.types import Array


@dataclass(frozen=True)
class State:
    """control: (size, 6); q: (N, dof) of the poses."""

    control: Array
    q: Array


@dataclass(frozen=True)
class Local:
    """Of each pose by its six numbers. d: (N, 6); g: (N, 6) the gradient; M: (N, 6, 6) the Hessian, or that of Gauss and Newton."""

    d: Array
    g: Array
    M: Array


@dataclass(frozen=True)
class Problem:
    """poses: (N, 4, 4) in the base's frame; W: (N, 6, 6); weights: (N,); known: whether parameters are

    points: (N,) whether only the position of a pose is known
    stiff: (6, 6), by which the six numbers of second derivatives are weighed; smoothing: 0 for none
    """

    grid: Grid
    misfit: Misfit
    poses: Array
    points: Array
    W: Array
    weights: Array
    loss: Loss
    known: bool
    smoothing: float
    stiff: Array

    def of(self, rows: Array) -> Problem:
        """That of some of the poses."""
        return replace(self, poses=self.poses[rows], points=self.points[rows], W=self.W[rows], weights=self.weights[rows])

    @cached_property
    def bands(self) -> Bands:
        return Bands(self.grid, 6)

    @cached_property
    def bend(self) -> Array:
        """(cells, K, K)."""
        return bending(self.grid)

    @cached_property
    def stiff_band(self) -> Array:
        a, b = self.bands.pairs
        blocks = 2.0 * self.smoothing * self.bend[:, a, b][..., None] * self.stiff.ravel()
        return self.bands.gathered(blocks)

    def residuals(self, state: State) -> Array:
        return self.misfit.residuals(self.grid.spline(state.control, state.q), self.poses, self.points)

    def value(self, state: State) -> float:
        d = self.residuals(state)
        total = float(self.weights @ self.loss.value(np.einsum("ni,nij,nj->n", d, self.W, d, optimize=True)))
        if self.smoothing:
            total += 0.5 * float(np.sum(state.control * self.bent(state.control)))
        return total

    def bent(self, control: Array) -> Array:
        """The gradient of the smoothing, (size, 6)."""
        near = self.bend @ control[self.grid.acting] @ (2.0 * self.smoothing * self.stiff)
        found = np.zeros_like(control)
        np.add.at(found, self.grid.acting, near)
        return found

    def local(self, phi: Array, exact: bool) -> Local:
        d, J = self.misfit.linear(phi, self.poses, self.points)
        Wd = times(self.W, d)
        s = np.sum(Wd * d, axis=1)
        slope = 2.0 * self.weights * self.loss.slope(s)
        Jt = np.swapaxes(J, 1, 2)
        c = slope[:, None] * Wd
        M = Jt @ (slope[:, None, None] * self.W) @ J
        if exact:
            along = times(Jt, Wd)
            M += (4.0 * self.weights * self.loss.bend(s))[:, None, None] * along[:, :, None] * along[:, None, :]
            M += self.misfit.curvature(phi, self.poses, self.points, c)
        return Local(d, times(Jt, c), M)

    def derivatives(self, state: State, exact: bool) -> tuple[Array, Array | None]:
        """The gradient (size, 6), and the lower band of the Hessian; none where parameters have no minimum to second order."""
        at = self.grid.at(state.q)
        b = at.weights()
        local = self.local(at.spline(state.control), exact)
        gradient = gathered(at, b, local.g, self.grid.size)
        if self.smoothing:
            gradient += self.bent(state.control)
        parts = (local.M, None) if self.known else self.eliminated(state, at, local, exact)
        if parts is None:
            return gradient, None
        band = self.bands.gathered(self.summed(at, b, *parts))
        return gradient, band + self.stiff_band if self.smoothing else band

    def gradient(self, state: State) -> Array:
        """(size, 6)."""
        at = self.grid.at(state.q)
        gradient = gathered(at, at.weights(), self.local(at.spline(state.control), False).g, self.grid.size)
        return gradient + self.bent(state.control) if self.smoothing else gradient

    def eliminated(self, state: State, at: Places, local: Local, exact: bool) -> tuple[Array, Array | None] | None:
        """M without what the parameters take off; and where derivatives are exact, the rest (N, dof, K, 6), to be squared."""
        dof, jet = state.q.shape[1], at.jet(state.control)
        along = jet.along
        A = np.swapaxes(along, 1, 2) @ local.M @ along
        if exact:
            A += jet.curved(local.g)
        held = held_back(self.grid, state.q, times(np.swapaxes(along, 1, 2), local.g))
        A[held[:, :, None] | held[:, None, :]] = 0.0
        A[:, range(dof), range(dof)] += held
        A[:, range(dof), range(dof)] += (1e-14 * np.trace(A, axis1=1, axis2=2) + ~local.M.any(axis=(1, 2)))[:, None]  # of missing poses
        try:
            back = np.linalg.inv(np.linalg.cholesky(A))  # (N, dof, dof)
        except np.linalg.LinAlgError:
            return None
        U = local.M @ along * ~held[:, None, :] @ np.swapaxes(back, 1, 2)  # (N, 6, dof)
        if not exact:
            return local.M - U @ np.swapaxes(U, 1, 2), None
        slopes = np.stack([at.weights(i) for i in range(dof)], axis=1) * ~held[..., None]
        turned = back @ slopes  # (N, dof, K)
        return local.M, at.weights()[:, None, :, None] * np.swapaxes(U, 1, 2)[:, :, None, :] + turned[..., None] * local.g[:, None, None, :]

    def summed(self, at: Places, b: Array, M: Array, taken: Array | None) -> Array:
        """(cells, pairs, 36): sums over the poses of each cell."""
        left, right = self.bands.pairs
        order = np.argsort(at.cell, kind="stable")
        found = np.zeros((int(np.prod(self.grid.cells)), len(left), 36))
        cells, first = np.unique(at.cell[order], return_index=True)
        for cell, own in zip(cells, np.split(order, first[1:]), strict=True):
            near = b[own]
            found[cell] = (near[:, left] * near[:, right]).T @ M[own].reshape(-1, 36)
            if taken is not None:
                rows = taken[own].reshape(-1, b.shape[1] * 6)
                square = (rows.T @ rows).reshape(b.shape[1], 6, b.shape[1], 6)
                found[cell] -= square[left, :, right, :].reshape(-1, 36)
        return found


def gathered(at: Places, b: Array, g: Array, size: int) -> Array:
    """(size, columns): what each control value has from all poses."""
    from scipy.sparse import csr_array

    index = at.grid.acting[at.cell]
    rows = np.arange(len(b) + 1) * b.shape[1]
    return csr_array((b.ravel(), index.ravel(), rows), shape=(len(b), size)).T @ g


def held_back(grid: Grid, q: Array, slope: Array) -> Array:
    """(N, dof): the parameters at an end of an open side that would go beyond it."""
    held = np.zeros(q.shape, bool)
    for i, side in enumerate(grid.sides):
        if not side.cyclic:
            low, high = side.range
            held[:, i] = ((q[:, i] <= low) & (slope[:, i] > 0)) | ((q[:, i] >= high) & (slope[:, i] < 0))
    return held


def times(A: Array, x: Array) -> Array:
    """A x of many matrices and vectors."""
    return (A @ x[..., None])[..., 0]
