"""What obstacles look like, and what contacts exert: shapes that stand still, planes as the ground or as slabs, and arrows.

A plane that looks up is the ground itself, at its height; one that is tilted is a slab under where bodies move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from redmax.bodies import Cuboid
from redmax.contact.height_field import HeightField
from redmax.contact.obstacle import Obstacle, Plane
from redmax.model.look import Look
from redmax.run.contact.of_nodes import nodes_of
from redmax.run.contact.records import FIRST, FORCE, KEY, POINT, SECOND
from redmax.view.arrow_view import ArrowView
from redmax.view.body_view import BodyView
from redmax.view.contact_view import cut_forces, usual_force

if TYPE_CHECKING:
    from redmax.model.model import Model
    from redmax.run.trajectory import Trajectory

Array = NDArray[np.float64]
COLOUR = "#aab2bd"  # of obstacles that have none of their own
UPRIGHT = 1e-9  # of the normal of a plane, beside z
THICK, WIDE = 0.01, 0.75  # of a slab: of the size of the motion, and how far it goes beyond the middle
MOST = 160  # arrows of contacts


def ground_height(model: Model) -> float | None:
    """Where the ground is, if planes look up: the highest of them."""
    found = [o.pose[2, 3] for o in model.obstacles if isinstance(o.shape, Plane) and o.pose[2, 2] > 1 - UPRIGHT]
    return float(max(found)) if found else None


def obstacle_meshes(model: Model, poses: Array) -> list[tuple[Obstacle, Array, NDArray[np.int64], Array]]:
    """Of each that is drawn: vertices (n, 3), faces (m, 3), and its pose (4, 4). poses: (T, links, 4, 4) of the bodies."""
    found: list[tuple[Obstacle, Array, NDArray[np.int64], Array]] = []
    for o in model.obstacles:
        if isinstance(o.shape, HeightField):
            found.append((o, *o.shape.mesh(), o.pose))
        elif not isinstance(o.shape, Plane):
            vertices, faces = o.shape.mesh()
            found.append((o, np.asarray(vertices, float), np.asarray(faces, np.int64), o.pose @ o.shape.frame))
        elif not o.pose[2, 2] > 1 - UPRIGHT:
            found.append((o, *slab(model, o.pose, poses)))
    return found


def slab(model: Model, pose: Array, poses: Array) -> tuple[Array, NDArray[np.int64], Array]:
    """A thin plate whose upper side is the plane, under all places where bodies are."""
    places = poses[:, : len(model.bodies), :3, 3].reshape(-1, 3)
    reach = max((float(np.abs(np.asarray(link.shape.mesh()[0], float)).max(initial=0.0)) for link in model.bodies), default=0.0)
    seen = (places - pose[:3, 3]) @ pose[:3, :3]
    low, high = seen.min(axis=0)[:2] - 2 * reach, seen.max(axis=0)[:2] + 2 * reach
    size = float(np.linalg.norm(high - low))
    vertices, faces = Cuboid((*(high - low + WIDE * size), THICK * size)).mesh()
    E = pose.copy()
    E[:3, 3] = pose[:3, 3] + pose[:3, :3] @ np.array([*(low + high) / 2, -THICK * size / 2])
    return np.asarray(vertices, float), np.asarray(faces, np.int64), E


def obstacle_views(model: Model, look: Look, poses: Array) -> list[BodyView]:
    """In pages and pictures: as bodies that do not move."""
    found: list[BodyView] = []
    for o, vertices, faces, E in obstacle_meshes(model, poses):
        seen, still = look.appearance(o.name, o.appearance), np.broadcast_to(E, (len(poses), 4, 4)).copy()
        found.append(BodyView(o.name, vertices, faces, still, seen.hex or COLOUR, opacity=seen.opacity, material=seen.material))
    return found


def contact_arrows(run: Trajectory, look: Look) -> list[ArrowView]:
    """What contacts exert on the second of their bodies, where a look shows reactions: an arrow for each point that stays the same."""
    if look.reactions is not True or run.contact_count is None:
        return []
    rows, place = run.contacts.all_rows
    strength = np.linalg.norm(rows[:, FORCE : FORCE + 3], axis=1)
    if not strength.any():
        return []
    _, number = np.unique(rows[:, KEY], return_inverse=True)
    strongest = np.argsort(-np.bincount(number, strength))[:MOST]
    forces = cut_forces(rows, usual_force(rows))
    names, found = run.contacts.names, list[ArrowView]()
    for k in strongest.tolist():
        own = np.flatnonzero(number == k)
        first, second = (int(rows[own[0], column]) for column in (FIRST, SECOND))
        points, vectors = carried(run, rows[own[0]]), np.zeros((len(run.t), 3))  # within, where it does not touch
        points[place[own]] = rows[own, POINT : POINT + 3]
        vectors[place[own]] = forces[own]
        found.append(ArrowView(f"{names[first]} on {names[second]}", points, vectors))
    return found


def carried(run: Trajectory, row: np.ndarray) -> Array:
    """(time, 3): where the node, or a body, of a contact is."""
    node, names = int(nodes_of(row[None], run.contacts.nodes)[0]), run.contacts.names
    owners = [int(row[SECOND]), int(row[FIRST])]
    if node >= 0:
        name = next(names[k] for k in owners if k >= len(names) - len(run.model.soft))
        return np.array(run.nodes(name)[:, node], float)
    return np.array(run.body_pose(next(k for k in owners if k < len(run.model.bodies)))[:, :3, 3], float)
