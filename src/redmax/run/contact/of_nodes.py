"""Contacts of nodes of deformables: which node each row is of, what nodes feel, and where the whole is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.dynamics.contact.detect import FEATURES
from redmax.model.node_contact import touching_deformables
from redmax.run.contact.records import FIRST, FORCE, KEY, POINT, SECOND, detected_pairs

if TYPE_CHECKING:
    from redmax.model.model import Model
    from redmax.run.trajectory import Trajectory


def node_numbers(model: Model) -> np.ndarray:
    """(pairs,): the node of its deformable that is one of each pair of shapes, -1 where both are rigid."""
    return np.array([max(a.node, b.node) for a, b in detected_pairs(model)], np.int64) if model.touches else np.zeros(0, np.int64)


def nodes_of(rows: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """(n,): the node of each row. numbers: `node_numbers`."""
    return numbers[(rows[:, KEY] // FEATURES).astype(int)] if len(numbers) else np.full(len(rows), -1)


def centre_of(run: Trajectory, name: str) -> np.ndarray:
    """(..., 3): the centre of mass of a body or a deformable."""
    soft = next((s for s in run.model.soft if s.name == name), None)
    if soft is None:
        return np.asarray(run.body_pose(run.model.index(name)))[..., :3, 3]
    return np.average(run.nodes(name), axis=-2, weights=soft.shape.masses)


def add_node_wrenches(run: Trajectory, found: np.ndarray) -> None:
    """What contacts exert on nodes, about each of them, into wrenches (time, ..., links, 6) of all links, in their own axes."""
    contacts: Any = run.contacts
    rows, place = contacts.all_rows
    flat = found.reshape(-1, *found.shape[-2:])
    for name in touching_deformables(run.model):
        me, soft = contacts.number(name), next(s for s in run.model.soft if s.name == name)
        sign = np.where(rows[:, SECOND] == me, 1.0, 0.0) - np.where(rows[:, FIRST] == me, 1.0, 0.0)
        own = np.flatnonzero(sign)
        node, at = nodes_of(rows[own], contacts.nodes), place[own]
        force = sign[own, None] * rows[own, FORCE : FORCE + 3]
        pose = np.asarray(run.observed.pose)[..., soft.links, :, :].reshape(len(flat), -1, 4, 4)[at, node]
        moment = np.cross(rows[own, POINT : POINT + 3] - pose[:, :3, 3], force)
        local = [np.einsum("nji,nj->ni", pose[:, :3, :3], x) for x in (moment, force)]
        np.add.at(flat, (at, soft.first + node), np.concatenate(local, axis=1))
