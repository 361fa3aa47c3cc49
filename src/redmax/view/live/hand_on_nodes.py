"""A hand on a deformable: it takes hold of the node nearest to where it was grabbed and, by their masses, of those close to that.

    f = k (target - x) - c v at the grabbed node, f_i = f m_i / M at node i of those that are held, M = sum of m_i, k = M w^2, c = 2 M w

so that each of them is pulled as a body of its mass would be (hand.py), and a cloth of many light nodes can still be lifted.
"""

from __future__ import annotations

import numpy as np

from redmax.errors import SceneError
from redmax.model.model import Model
from redmax.run.simulation import Simulation
from redmax.view.live.hand import LONGEST, Hand, Vector, quickness

CLOSE, FEWEST = 0.07, 9  # others are taken along that are so near, of the size of the scene, and of coarse nets at least so many in all


def nodes_of(model: Model, soft: int) -> range:
    """The numbers of the links that are the nodes of a deformable, by its number."""
    return range(len(model.links))[model.soft[soft].links]


def is_node(model: Model, link: int) -> bool:
    """Whether a link, by its number, is a node of a deformable."""
    return any(link in nodes_of(model, k) for k in range(len(model.soft)))


def nearest_node(model: Model, soft: int, poses: Vector, place: Vector) -> int:
    """The number of the link of a deformable, by its number, that is nearest to a place (3,). poses: (links, 4, 4)."""
    links = list(nodes_of(model, soft))
    return int(links[int(np.linalg.norm(poses[links, :3, 3] - place, axis=1).argmin())])


def grab_node(sim: Simulation, link: int, target: Vector, size: float) -> Hand:
    """A hand that takes hold of a node, and of those near it, and pulls it to a place in the world (3,). size: of the scene."""
    model = sim.model
    soft = next(k for k in range(len(model.soft)) if link in nodes_of(model, k))
    if not model.links[link].joint.dof:
        raise SceneError(f"This node of {model.soft[soft].name!r} is held where it is. Pull it elsewhere.")
    place = sim.engine.observe(sim.q[0], sim.qdot[0], sim.t).pose[:, :3, 3]
    free = np.array([i for i in nodes_of(model, soft) if model.links[i].joint.dof])
    away = np.linalg.norm(place[free] - place[link], axis=1)
    near = free[away <= max(CLOSE * size, np.sort(away)[:FEWEST][-1])].tolist()
    masses = np.array([model.links[i].shape.mass for i in near])
    mass, w = float(masses.sum()), quickness(sim, size)
    shares = tuple(zip(map(int, near), (masses / mass).tolist(), strict=True))
    at = np.asarray(target, float)
    return Hand(link, np.zeros(3), at, mass * w**2, 2.0 * mass * w, LONGEST * size, np.zeros((3, 3)), shares)
