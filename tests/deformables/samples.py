"""Random tetrahedra in random states of strain."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from redmax.deformables import Law, Material, Tetrahedra

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], float)
# Stretches of F: at rest, moderate, strong, flat, and inverted ones.
STRETCHES = [
    (1.0, 1.0, 1.0), (1.1, 1.0, 0.95), (2.0, 1.0, 0.5), (4.0, 0.7, 0.3), (1.0, 1.0, 0.0),
    (1.3, 0.8, -0.2), (1.0, 0.9, -0.5), (1.5, 1.2, -0.9),
]  # fmt: skip


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    return Rotation.random(rng=rng).as_matrix()


def strained(rng: np.random.Generator, stretches: tuple[float, float, float]) -> np.ndarray:
    """F with the given stretches (the last may be negative) along random axes, and a random rotation."""
    return random_rotation(rng) @ np.diag(stretches) @ random_rotation(rng).T


def random_tet(rng: np.random.Generator, material: str | Material, youngs: float = 1.0, poisson: float = 0.3) -> Tetrahedra:
    """One tetrahedron, not far from a corner of a cube."""
    nodes = CORNERS + rng.uniform(-0.15, 0.15, (4, 3))
    return Tetrahedra(nodes, [(0, 1, 2, 3)], density=1.0, youngs=youngs, poisson=poisson, material=material)


def deformed(rng: np.random.Generator, body: Tetrahedra, stretches: tuple[float, float, float]) -> np.ndarray:
    return body.nodes @ strained(rng, stretches).T + rng.uniform(-1, 1, 3)


def table(rng: np.random.Generator, material: str | Material, states: list, poisson: float = 0.3) -> tuple[Law, np.ndarray, np.ndarray]:
    """Law, data (n, d) and places (n, 4, 3) of a tetrahedron in each of these states, to be evaluated all at once."""
    bodies = [random_tet(rng, material, poisson=poisson) for _ in states]
    x = np.array([deformed(rng, body, stretches) for body, stretches in zip(bodies, states, strict=True)])
    return bodies[0].elements[0].law, np.array([body.elements[0].data[0] for body in bodies]), x


def irregular_box(seed: int, cells: tuple[int, int, int] = (2, 2, 2), **options) -> tuple[Tetrahedra, np.ndarray]:
    """A box whose inner nodes are shifted at random, and the mask of these nodes."""
    rng = np.random.default_rng(seed)
    regular = Tetrahedra.box((1.0, 1.2, 0.9), cells, density=1000.0, youngs=1e5, poisson=0.3)
    inner = np.ones(len(regular.nodes), bool)
    inner[np.unique(regular.surface)] = False
    nodes = regular.nodes + inner[:, None] * rng.uniform(-0.06, 0.06, regular.nodes.shape)
    return Tetrahedra(nodes, regular.tets, **({"density": 1000.0, "youngs": 1e5, "poisson": 0.3} | options)), inner
