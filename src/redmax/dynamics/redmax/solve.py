"""The reduced system of RedMax, solved by conjugate gradients with O(n) products and RedMax notes Alg. 10 as the preconditioner.

    A y = x,   A = J^T M J + J^T blkdiag(P_m) J + P_r + off-tree terms,   over the joints that are not prescribed

Without off-tree terms the preconditioner is A^-1, and one iteration does, or two by rounding. Off-tree terms are what breaks the tree
structure (springs between bodies, loops): any symmetric matrix, positive semidefinite, or a function that multiplies with one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.common import terms as given_terms
from redmax.dynamics.common.bound import Bound
from redmax.dynamics.recursive.solve import product_program
from redmax.dynamics.redmax.matrix_free import AlongTree, InPython, Solver
from redmax.model.model import Model
from redmax.program.kernel import PARAMETERS
from redmax.solvers.conjugate_gradients import TOLERANCE, Product, Solution, conjugate_gradients

NAMES = ("auto", "direct", "cg")


class ReducedSystem:
    """Products with A and with its preconditioner, compiled when first asked for."""

    def __init__(self, model: Model, backend: str = "llvm") -> None:
        self.model, self.backend = model, backend
        self.free = ~np.repeat(model.prescribed, [link.joint.dof for link in model.links])
        self.held = not self.free.all()
        self.compiled: dict[tuple[bool, tuple[str, ...]], Bound] = {}
        self.own: dict[str, np.ndarray] = {}  # the parameters of the world that is solved, where a model has some

    def product(self, inverse: bool, q: np.ndarray, t: float, terms: dict[str, np.ndarray]) -> Bound:
        """A function x -> A x, or A^-1 x, at q with these terms."""
        key = inverse, tuple(terms)
        if key not in self.compiled:
            self.compiled[key] = Bound(self.model, product_program(inverse, key[1], self.held and inverse), self.backend)
        bound = self.compiled[key]
        for name, value in {"q": q, "t": t, **terms, **self.own}.items():
            bound.inputs[name][:] = value
        return bound

    def solve(
        self,
        q: Any,
        x: Any,
        joint_terms: Any = None,
        body_terms: Any = None,
        off_tree: Product | np.ndarray | None = None,
        tolerance: float = TOLERANCE,
        t: float = 0.0,
    ) -> Solution:
        """A^-1 x at q, with zeros for prescribed joints. q: (nq,); x: (nv,); the terms are those of Dynamics.inverse_inertia_product.

        off_tree: a symmetric positive semidefinite (nv, nv), or a function x -> (nv,) that multiplies with one
        """
        packed: dict[str, np.ndarray] = {}
        if joint_terms is not None:
            packed["joint_terms"] = given_terms.joint_terms(self.model, joint_terms)
        if body_terms is not None:
            packed["body_terms"] = given_terms.body_terms(self.model, body_terms).ravel()
        configuration = np.asarray(q, float)
        if configuration.shape == (self.model.nq,):
            configuration = self.model.configurations.join(configuration)
        return self.solve_packed(configuration, np.asarray(x, float), packed, off_tree, tolerance, t)

    def solve_packed(
        self,
        q: np.ndarray,
        x: np.ndarray,
        terms: dict[str, np.ndarray],
        off_tree: Product | np.ndarray | None = None,
        tolerance: float = TOLERANCE,
        t: float = 0.0,
    ) -> Solution:
        """As `solve`, with the terms as the kernels read them."""
        tree, inverse = self.product(False, q, t, terms), self.product(True, q, t, terms)

        def A(p: np.ndarray) -> np.ndarray:
            result = tree(p)
            if off_tree is not None:
                result = result + (off_tree(p) if callable(off_tree) else off_tree @ p)
            return self.of_free(result)

        return conjugate_gradients(A, self.of_free(x), inverse, tolerance)

    def of_free(self, x: np.ndarray) -> np.ndarray:
        """x with zeros for prescribed joints."""
        return np.where(self.free, x, 0.0) if self.held else x


class IterativeSolver:
    """What a matrix-free program calls for its accelerations."""

    def __init__(self, model: Model, backend: str) -> None:
        self.system = ReducedSystem(model, backend)
        self.iterations = 0  # of the last solution

    def __call__(self, view: Any) -> None:
        system = self.system
        q, given, bias, block = (np.asarray(view[name], float) for name in ("q", "given", "bias", "joint_terms"))
        terms = {"joint_terms": block} if block.any() else {}
        system.own = {PARAMETERS: view[PARAMETERS]} if system.model.parameters else {}
        t = float(view["t"][0])
        found = self.accelerations(q, t, given - bias, terms)
        view["qddot"] = np.where(system.free, found, given)
        if system.held:
            forces = system.product(False, q, t, {})(found) + bias - view["passive"]
            view["tau"] = np.where(system.free, view["tau"], forces)

    def accelerations(self, q: np.ndarray, t: float, force: np.ndarray, terms: dict[str, np.ndarray]) -> np.ndarray:
        if not (np.isfinite(q).all() and np.isfinite(force).all()):
            return np.full(len(force), np.nan)  # the run has blown up, and says so where it can name the joint
        solution = self.system.solve_packed(q, force, terms, t=t)
        self.iterations = solution.iterations
        return solution.x


def matrix_free_solver(name: str, model: Model, backend: str, implicit: bool = False) -> Solver | None:
    """What solves the reduced system of redmax dynamics without its matrix; None where the dense solver is to be used.

    "auto" goes along the tree wherever that is exact: measured 1 us a step against 2 us of the dense solver at 10 degrees of freedom, 2.7
    against 7.5 us at 20, 12 against 260 us at 100.
    """
    dense = bool(model.twists) or model.map is not None or (implicit and bool(model.acting))
    if name == "direct" or dense:
        return None
    return InPython(IterativeSolver(model, backend)) if name == "cg" else AlongTree(any(model.prescribed))
