"""How the system of nodes and coordinates is solved, as stages of a program.

    [ S   C ] [ a_f ]   [ f_f ]
    [ C'  A ] [ a_r ] = [ f_r ]        S of the free nodes, C what borders it, A of the joints

By fronts: L D L' along an order that is found once (solvers/fronts.py), compiled with the rest; measured five times as fast as a library's
sparse LU for a beam of any length. By the library, called from Python, where the fronts would take too much memory. By conjugate gradients,
compiled, whose cost grows as n^(4/3) for a block in three dimensions; where the matrix is not positive definite, elimination takes over.
Rows of constraints need the factors again (rows.py), and so does contact (contact.py): beside them, it is always elimination.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from redmax.errors import SimulationError
from redmax.program.program import Branch, Host, ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.solvers.conjugate_gradients import invert, iterate
from redmax.solvers.elimination import factor
from redmax.solvers.fronts import Fronts, fronts
from redmax.solvers.multifrontal import Multifrontal
from redmax.solvers.reduced_matrix import copy, panels
from redmax.solvers.sparse_rows import SparseRows

if TYPE_CHECKING:
    from redmax.dynamics.soft.system import SoftSystem

SLIM = 70  # nodes between neighbours in a good order, up to which a body is so slender that elimination is the faster way
LARGEST = 4e6  # numbers of all fronts: 32 MB for each world
MOST = 8000  # nodes beyond which nobody asks how large the fronts would be
UNSOLVED = "unsolved"  # field of the world: whether conjugate gradients found no solution


class Target(Protocol):
    """A matrix to fill: rows of one group of unknowns, columns of another."""

    def entry(self, at: Addresses, a: int, b: int) -> tuple[int, int]:
        """Where they are, as a matrix."""
        ...

    def holds(self, a: int, b: int) -> bool:
        """Whether it has them."""
        ...

    def clear(self) -> Call:
        """Before anything is added."""
        ...


@dataclass(frozen=True, eq=False)
class ByFronts:
    """Elimination, compiled."""

    system: SoftSystem
    fronts: Fronts

    def stages(self) -> tuple[ProgramStage, ...]:
        """Fill, factor, solve."""
        m, system = self.elimination, self.system
        inward, outward = system.inward(m.x, self.fronts.start), system.outward(m.x, self.fronts.start)
        if system.model.touches:
            inward = *inward, Call(copy, lambda at: [(m.x, self.right, self.fronts.n)], (m.x, self.right))
        return m.clear(), *system.fill(m), *inward, m.factor(), *m.solve(), *outward

    @property
    def right(self) -> Data:
        """The right side, kept for contact (contact.py), in the order of elimination."""
        return Data("right side for contact", self.fronts.n)

    @cached_property
    def elimination(self) -> Multifrontal:
        """What factors and solves."""
        return Multifrontal(self.fronts, Data("x by fronts", self.fronts.n))

    def start(self, group: int) -> int:
        """Where its unknowns begin among all."""
        return self.fronts.start[group]

    def solve_lines(self, B: Data, m: int) -> tuple[ProgramStage, ...]:
        """The solutions in place of m right sides, the first lines of B, with the factors that `stages` leave."""
        return self.elimination.solve_lines(B, m)


@dataclass(frozen=True, eq=False)
class ByLibrary:
    """Elimination by a library, called from Python, which does that and nothing else."""

    system: SoftSystem
    rows: SparseRows

    def stages(self) -> tuple[ProgramStage, ...]:
        """Fill, then call."""
        return self.rows.clear(), *self.system.fill(self.rows), *self.call()

    def call(self) -> tuple[ProgramStage, ...]:
        """Of a matrix that is filled."""
        x, rows = Data("x by library", self.rows.start[-1]), self.rows
        library = Host("sparse factorisation", lambda view: factorise_and_solve(view, rows, x.name))
        return *self.system.inward(x, rows.start), library, *self.system.outward(x, rows.start)

    def start(self, group: int) -> int:
        """Where its unknowns begin among all."""
        return self.rows.start[group]

    def solve_lines(self, B: Data, m: int) -> tuple[ProgramStage, ...]:
        """The solutions in place of m right sides, the first lines of B. The library's factors are not kept: they are made anew."""
        return (Host("sparse factorisation for rows", lambda view: factorise_and_solve_lines(view, self.rows, B, m)),)


def factorise_and_solve(view: Any, rows: SparseRows, x: str) -> None:
    """Sparse LU with an order that keeps symmetry."""
    view[x] = solutions(view["S"], rows, view[x])


def factorise_and_solve_lines(view: Any, rows: SparseRows, B: Data, m: int) -> None:
    """The same of the lines of a matrix."""
    lines, n = np.array(view[B.name]).reshape(B.rows, -1), rows.start[-1]
    lines[:m, :n] = solutions(view["S"], rows, lines[:m, :n].T).T
    view[B.name] = lines.ravel()


def solutions(entries: np.ndarray, rows: SparseRows, right: np.ndarray) -> np.ndarray:
    """Of one right side, or of the columns of several."""
    from scipy.sparse import csc_array
    from scipy.sparse.linalg import splu

    if not (np.isfinite(entries).all() and np.isfinite(right).all()):
        return np.full(right.shape, np.nan)  # the run has blown up, and says so where it can name the joint
    indices, indptr = rows.pattern
    whole = csc_array((entries, indices, indptr), shape=(len(right), len(right)))  # symmetric: columns are rows
    try:
        return splu(whole, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=1e-3, options={"SymmetricMode": True}).solve(right)
    except RuntimeError:
        raise SimulationError("The system of joints and nodes is singular: dt is too large, or elements are inverted.") from None


@dataclass(frozen=True, eq=False)
class ByIteration:
    """Conjugate gradients, compiled. otherwise: stages for worlds in which they find no solution."""

    system: SoftSystem
    rows: SparseRows
    otherwise: tuple[ProgramStage, ...]

    @cached_property
    def tables(self) -> tuple[list[int], list[int], list[int], list[int]]:
        """base, first, column and border of solvers.conjugate_gradients.multiply."""
        n, joints = self.system.nodes, range(self.system.nodes, self.system.nodes + 1)
        met = [[g for g in self.rows.neighbours[i] if g < n] for i in range(n)]
        met.append([g for g in self.rows.neighbours[n] if g < n] if len(self.rows.sizes) > n else [])
        first = np.concatenate([[0], np.cumsum([len(groups) for groups in met])]).astype(int).tolist()
        border = [int(any(g in joints for g in self.rows.neighbours[i])) for i in range(n)]
        return self.rows.base[: n + 1], first, [g for groups in met for g in groups], border

    def stages(self) -> tuple[ProgramStage, ...]:
        """Fill, factor the preconditioner, iterate."""
        system, rows, H, n, m = self.system, self.rows, self.system.H.H, self.system.nodes, self.system.H.free
        size = rows.start[-1]
        x, b, r, p, y, z = (Data(f"{name} of conjugate gradients", size) for name in "xbrpyz")
        inverse, corner = Data("inverses of nodes", 9 * n), Data("factors of coordinates", m, m)

        def turns(at: Addresses) -> list[tuple[Any, ...]]:
            return [(rows.S, inverse, corner, x, r, p, y, z, at.world(UNSOLVED), n, m, 10 * size + 50, *self.tables)]

        def corners(at: Addresses) -> list[tuple[Any, ...]]:
            return [(at[H] + i * H.leading, at[corner] + i * corner.leading, m) for i in range(m)]

        return (
            rows.clear(),
            *system.fill(rows),
            *system.inward(b, rows.start),
            Call(copy, lambda at: [(b, r, size), *corners(at)], (b, r, H, corner)),
            Call(invert, lambda at: [(rows.entry(at, i, i), (at[inverse] + 9 * i, 3)) for i in range(n)], (rows.S, inverse)),
            Call(factor, lambda at: [(corner, m, *panel) for panel in panels(m)], (corner,)),
            Call(iterate, turns, (rows.S, inverse, corner, x, r, p, y, z)),
            *system.outward(x, rows.start),
            Branch(UNSOLVED, (*system.outward(b, rows.start), *self.otherwise)),  # which begins with the right side
        )


Solver = ByFronts | ByLibrary | ByIteration


def chosen_solver(name: str, system: SoftSystem) -> Solver:
    """By name, or by the shape of the mesh: measured at blocks of 600 nodes fronts and conjugate gradients take the same time."""
    direct, rows = direct_solver(system), SparseRows(system.sizes, system.edges)
    model = system.model
    if model.constraints or model.touches or name == "direct" or (name == "auto" and (isinstance(direct, ByFronts) or is_slim(system))):
        return direct
    return ByIteration(system, rows, direct.stages() if isinstance(direct, ByFronts) else direct.call())


def is_slim(system: SoftSystem) -> bool:
    """Whether elimination is the faster way, whoever does it."""
    return bandwidth(system.nodes, system.edges) <= SLIM


def direct_solver(system: SoftSystem) -> ByFronts | ByLibrary:
    """Elimination: compiled, if the fronts are not too large."""
    found = small_fronts(system)
    return ByFronts(system, found) if found else ByLibrary(system, SparseRows(system.sizes, system.edges))


def small_fronts(system: SoftSystem) -> Fronts | None:
    """The fronts, if they are not too large."""
    n, edges = system.nodes, system.edges
    if n > MOST or n * bandwidth(n, edges) ** 2 > 50 * LARGEST:
        return None
    found = fronts(system.sizes, edges, range(n, len(system.sizes)))
    return found if found.scalars <= LARGEST else None


def bandwidth(n: int, edges: np.ndarray) -> float:
    """The largest distance between neighbours among n nodes, in an order that keeps it small."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    a, b = edges[(edges < n).all(axis=1)].T
    if not len(a):
        return 0.0
    graph = csr_array((np.ones(2 * len(a)), (np.concatenate([a, b]), np.concatenate([b, a]))), shape=(n, n))
    place = np.empty(n, int)
    place[reverse_cuthill_mckee(graph, symmetric_mode=True)] = np.arange(n)
    return float(np.abs(place[a] - place[b]).max())
