"""Elastic materials on linear tetrahedra: F = Ds B is constant in each, Ds the edges from node 0, B the inverse of Ds at rest.

    energy V W(F),    forces -V P B' on nodes 1, 2, 3 (P = dW/dF), minus their sum on node 0

with V the volume at rest. Both materials agree with linear elasticity at small strain for Young's modulus E and Poisson's ratio nu:
mu = E / (2 (1 + nu)), lambda = E nu / ((1 + nu)(1 - 2 nu)). Data of an element: B by rows (9, 1/m), V mu and V lambda (J), mu and
lambda being the material's own.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.deformables.definite import between_nodes, choose, linear, mirrored
from redmax.deformables.elements import Law
from redmax.deformables.polar import differentiable, rotation, turned
from redmax.lie.three import Matrix, cross, dot, product, rows, split, symmetric, transpose
from redmax.math import array, log, maximum, sqrt
from redmax.trace import jacobian
from redmax.types import Array, ValueOrArray


class Material(Law):
    """The density W of an isotropic material and its stress P."""

    nodes = 4
    numbers = 11

    @staticmethod
    @abstractmethod
    def own(mu: ValueOrArray, lam: ValueOrArray) -> tuple[Any, Any]:
        """The material's own parameters from Lame's."""

    @staticmethod
    @abstractmethod
    def nominal(mu: ValueOrArray, lam: ValueOrArray) -> tuple[Any, Any]:
        """Lame's parameters from the material's own."""

    @abstractmethod
    def density(self, F: Matrix, mu: ValueOrArray, lam: ValueOrArray) -> Any:
        """W()."""

    @abstractmethod
    def stress(self, F: Matrix, mu: ValueOrArray, lam: ValueOrArray) -> list[list[Any]]:
        """P (3, 3) = dW/dF."""

    def slope(self, F: Matrix, mu: ValueOrArray, lam: ValueOrArray) -> list[list[Any]]:
        """dP/dF (9, 9), over traced F."""
        return jacobian(np.array(self.stress(F, mu, lam), object).ravel(), [f for row in F for f in row]).tolist()

    def convex(self, F: Matrix, mu: ValueOrArray, lam: ValueOrArray) -> list[list[Any]]:
        """What implicit steps take for dP/dF (9, 9) where that is indefinite: linear elasticity in axes that turn with the element."""
        return linear(rotation(F)[0], *self.nominal(mu, lam))

    def energy(self, x: Array, data: Array) -> Any:
        B, mu, lam = parameters(data)
        return self.density(deformation_gradient(x, B), mu, lam)

    def forces(self, x: Array, data: Array) -> Any:
        B, mu, lam = parameters(data)
        return nodal(self.stress(deformation_gradient(x, B), mu, lam), B)

    def viscous(self, x: Array, v: Array, data: Array) -> Any:
        """Kelvin and Voigt on the Green strain: P = F (2 mu Edot + lambda tr(Edot) 1), Edot = sym(F'Fdot), with Lame's parameters.

        Its power, -V (2 mu |Edot|^2 + lambda tr(Edot)^2), is never positive, and zero for a rigid motion, whatever F.
        """
        B, *own = parameters(data)
        mu, lam = self.nominal(*own)
        F, rate = deformation_gradient(x, B), deformation_gradient(v, B)
        E = product(transpose(F), rate)
        trace = lam * (E[0][0] + E[1][1] + E[2][2])
        S = symmetric(lambda i, j: mu * (E[i][j] + E[j][i]) + trace if i == j else mu * (E[i][j] + E[j][i]))
        return nodal(product(F, S), B)

    def stiffness(self, x: Array, data: Array) -> Any:
        """The exact one where it is definite, else that of linear elasticity in axes that turn with the element (definite.py)."""
        B, *own = parameters(data)
        F = deformation_gradient(x, B)
        return -between_nodes(choose(self.slope(F, *own), self.convex(F, *own)), B)

    def viscosity(self, x: Array, v: Array, data: Array) -> Any:
        B, *own = parameters(data)
        return between_nodes(linear(deformation_gradient(x, B), *self.nominal(*own)), B)


@dataclass(frozen=True)
class Corotated(Material):
    """W = mu |F - R|^2 + lambda/2 tr(R'F - 1)^2, R the rotation of F: linear elasticity in axes that turn with the element.

    The gradient of the energy is exact (R is its best rotation, so that dR does not count), and so is that of the forces, which knows dR.
    """

    @staticmethod
    def own(mu: ValueOrArray, lam: ValueOrArray) -> tuple[Any, Any]:
        return mu, lam

    nominal = own

    def density(self, F: Matrix, mu: ValueOrArray, lam: ValueOrArray) -> Any:
        _, A = differentiable(F)
        trace = A[0][0] + A[1][1] + A[2][2] - 3.0
        off = [A[i][j] - 1.0 if i == j else A[i][j] for i in range(3) for j in range(3)]
        return mu * (dot(off[:3], off[:3]) + dot(off[3:6], off[3:6]) + dot(off[6:], off[6:])) + 0.5 * lam * trace * trace

    def stress(self, F: Matrix, mu: ValueOrArray, lam: ValueOrArray) -> list[list[Any]]:
        R, A = differentiable(F)
        twice = 2.0 * mu
        c = lam * (A[0][0] + A[1][1] + A[2][2] - 3.0) - twice
        return [[twice * f + c * r for f, r in zip(*pair)] for pair in zip(F, R)]

    def slope(self, F: Matrix, mu: ValueOrArray, lam: ValueOrArray) -> list[list[Any]]:
        """2 mu dF + lambda tr(R'dF) R + c dR: written down, so that gradients of implicit steps have its own derivative (polar.py)."""
        R, _ = differentiable(F)
        twice = 2.0 * mu
        c = lam * (sum((dot(r, f) for r, f in zip(R[1:], F[1:])), dot(R[0], F[0])) - 3.0) - twice
        turns = turned(F, R)

        def entry(r: int, s: int) -> Any:
            (i, a), (j, b) = divmod(r, 3), divmod(s, 3)
            found = lam * (R[i][a] * R[j][b]) + c * turns[j][b][i][a]
            return found + twice if r == s else found

        return mirrored(entry)


@dataclass(frozen=True)
class StableNeoHookean(Material):
    """Smith, de Goes and Kim 2018, with the logarithm: finite for every F, at rest only where F is a rotation, and not drawn to a point.

    W = mu/2 (|F|^2 - 3) - mu/2 log((|F|^2 + 1)/4) + lambda/2 (J - 1)^2 - 3/4 mu (J - 1),    J = det F

    This is theirs up to a constant: lambda/2 (J - alpha)^2 with alpha = 1 + 3/4 mu/lambda, expanded about J = 1.
    """

    @staticmethod
    def own(mu: ValueOrArray, lam: ValueOrArray) -> tuple[Any, Any]:
        return 4.0 / 3.0 * mu, lam + 5.0 / 6.0 * mu

    @staticmethod
    def nominal(mu: ValueOrArray, lam: ValueOrArray) -> tuple[Any, Any]:
        return 0.75 * mu, lam - 0.625 * mu

    def density(self, F: Matrix, mu: ValueOrArray, lam: ValueOrArray) -> Any:
        a, b, c = transpose(F)
        square = dot(a, a) + dot(b, b) + dot(c, c)
        J1 = dot(a, cross(b, c)) - 1.0
        return mu * (0.5 * (square - 3.0) - 0.5 * log((square + 1.0) / 4.0) - 0.75 * J1) + 0.5 * lam * J1 * J1

    def stress(self, F: Matrix, mu: ValueOrArray, lam: ValueOrArray) -> list[list[Any]]:
        cofactors, along, pressure = self.slopes(F, mu, lam)
        return [[along * f + pressure * k for f, k in zip(*pair)] for pair in zip(F, cofactors)]

    def convex(self, F: Matrix, mu: ValueOrArray, lam: ValueOrArray) -> list[list[Any]]:
        """lambda cof cof' of the exact one, which grows with the fourth power of F, is kept, and p d^2J, p = lambda (J - 1) - 3/4 mu, of
        either sign, goes into the shear modulus by its size: 2 mu' = mu (1 - 1/(|F|^2 + 1)) + |p| |F|/sqrt(3), at rest Lame's 2 mu.

        A mirrored block explodes in a few steps without it.
        """
        cofactors, along, pressure = self.slopes(F, mu, lam)
        stretch = sqrt((dot(F[0], F[0]) + dot(F[1], F[1]) + dot(F[2], F[2])) / 3.0)
        shear = linear(rotation(F)[0], 0.5 * (along + maximum(pressure, 0.0 - pressure) * stretch), 0.0)
        k = [x for row in cofactors for x in row]
        return mirrored(lambda i, j: shear[i][j] + lam * (k[i] * k[j]))

    @staticmethod
    def slopes(F: Matrix, mu: ValueOrArray, lam: ValueOrArray) -> tuple[list[list[Any]], Any, Any]:
        """cof F, and the factors of F and of cof F in the stress."""
        a, b, c = transpose(F)
        cofactors = transpose([cross(b, c), cross(c, a), cross(a, b)])
        square = dot(a, a) + dot(b, b) + dot(c, c)
        J = dot(F[0], cofactors[0])
        return cofactors, mu - mu / (square + 1.0), lam * (J - 1.0) - 0.75 * mu


MATERIALS: dict[str, Material] = {"neo-hookean": StableNeoHookean(), "corotated": Corotated()}


def parameters(data: Any) -> tuple[list[list[Any]], Any, Any]:
    """B (3, 3), V mu, V lambda."""
    d = split(data)
    return [d[0:3], d[3:6], d[6:9]], d[9], d[10]


def deformation_gradient(x: Any, B: Matrix) -> list[list[Any]]:
    """F (3, 3) = Ds B."""
    x0, *others = rows(x)
    Ds = transpose([[b - a for a, b in zip(x0, node)] for node in others])
    columns = transpose(B)
    return [[dot(row, column) for column in columns] for row in Ds]


def nodal(P: Matrix, B: Matrix) -> Any:
    """Forces (4, 3) of the stress V P."""
    f = [[0.0 - dot(p, b) for p in P] for b in B]
    return array([[0.0 - (f[0][i] + f[1][i] + f[2][i]) for i in range(3)], *f])


def lame(youngs: Any, poisson: Any) -> tuple[Any, Any]:
    """mu and lambda (Pa)."""
    return youngs / (2.0 * (1.0 + poisson)), youngs * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))
