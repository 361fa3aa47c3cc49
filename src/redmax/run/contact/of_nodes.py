"""What rows say of their pair: its friction, and which node of a deformable is part of it; what nodes feel, and where the whole is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.dynamics.contact.detect import FEATURES
from redmax.integrators import METHODS
from redmax.model.contact_parameters import of_material
from redmax.model.node_contact import touching_deformables
from redmax.run.contact.records import FIRST, FORCE, KEY, POINT, SECOND, detected_pairs

FRICTION = "friction"

if TYPE_CHECKING:
    from redmax.model.model import Model
    from redmax.run.trajectory import Trajectory


def node_numbers(model: Model) -> np.ndarray:
    """(pairs,): the node of its deformable that is one of each pair of shapes, -1 where both are rigid."""
    return np.array([max(a.node, b.node) for a, b in detected_pairs(model)], np.int64) if model.touches else np.zeros(0, np.int64)


def pair_frictions(model: Model, given: Mapping[str, Any] | None = None) -> np.ndarray:
    """(pairs,): mu of each pair of shapes; not a number where worlds differ in it. given: values of parameters, by name"""
    own = {p.path: given[p.name] for p in model.parameters if of_material(p) and p.name in given} if given and model.touches else {}
    alike = {path: value if np.ptp(value) == 0 else np.nan for path, value in own.items()}
    frictions = {path: float(np.ravel(value)[0]) for path, value in alike.items() if path[-1] == FRICTION}
    return np.array([model.pair_friction(a, b, frictions) for a, b in detected_pairs(model)] if model.touches else [], float)


def nodes_of(rows: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """(n,): the node of each row. numbers: `node_numbers`."""
    return numbers[(rows[:, KEY] // FEATURES).astype(int)] if len(numbers) else np.full(len(rows), -1)


def centre_of(run: Trajectory, name: str) -> np.ndarray:
    """(..., 3): the centre of mass of a body or a deformable, where contacts are told: points are where the step began."""
    soft = next((s for s in run.model.soft if s.name == name), None)
    if soft is None:
        return where_told(run, slice(run.model.index(name), run.model.index(name) + 1))[..., 0, :]
    return np.average(where_told(run, soft.links), axis=-2, weights=soft.shape.masses)


def where_told(run: Trajectory, links: slice) -> np.ndarray:
    """(..., links, 3): where links are when contacts are told of: fixed steps go from there to the sample with the rates they end with."""
    pose, twist = np.asarray(run.observed.pose)[..., links, :, :], np.asarray(run.observed.twist)[..., links, :]
    ahead = 0.0 if METHODS[run.integrator].adaptive else run.dt
    return pose[..., :3, 3] - ahead * (pose[..., :3, :3] @ twist[..., 3:, None])[..., 0]


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
        moment = np.cross(rows[own, POINT : POINT + 3] - where_told(run, soft.links).reshape(len(flat), -1, 3)[at, node], force)
        local = [np.einsum("nji,nj->ni", pose[:, :3, :3], x) for x in (moment, force)]
        np.add.at(flat, (at, soft.first + node), np.concatenate(local, axis=1))
