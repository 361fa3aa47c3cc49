"""Twists that no joint can follow: rows along which nothing moves the body, where the scene begins and near it, and a target that moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from redmax.constraints.prescribed_twist import PrescribedTwist
from redmax.errors import SceneError
from redmax.joints.motion import checked_pose, jacobian_of
from redmax.lie import Ad
from redmax.model.links import Link, stepped

NAMES = ("angular x", "angular y", "angular z", "linear x", "linear y", "linear z")
TIMES = (0.0, 0.13, 0.7, 1.9, 4.1)  # s, at which targets are looked at
NOTHING = 1e-12
Poses = Callable[[Sequence[Link]], list[np.ndarray]]


def check_twists(twists: Sequence[PrescribedTwist], links: Sequence[Link], poses: Poses) -> None:
    """Raise for the first row that asks for what no joint can do. poses: of all bodies, from links"""
    rng = np.random.default_rng(0)
    near = [links, *[[replace(link, q=stepped(link, 0.1 * rng.uniform(-1, 1, link.joint.dof))) for link in links] for _ in range(2)]]
    for twist in twists:
        found = [(moved, poses(moved)) for moved in near]
        size = np.max([np.abs(rows_moved(twist.body, moved, E)).max(axis=1, initial=0.0) for moved, E in found], axis=0)
        targets = np.array([twist.target(t, E[twist.body][:3, :3]) for t in TIMES for _, E in found])
        for k, row in enumerate(twist.rows):
            if size[row] <= NOTHING and np.abs(targets[:, k]).max() > NOTHING:
                what = f"The twist of {twist.name!r} is prescribed along row {row} ({NAMES[row]}), to {targets[0, k]:.4g} at t = 0 s"
                why = "along which no joint that is free moves the body"
                raise SceneError(f"{what}, {why}. Prescribe other rows, or give it a joint that can.", owner=twist.name, argument="rows")


def rows_moved(body: int, links: Sequence[Link], poses: Sequence[np.ndarray]) -> np.ndarray:
    """J of a body, (6, rates of the joints above it that are free), in its axes."""
    columns, j = [np.zeros((6, 0))], body
    while j >= 0:
        link = links[j]
        if link.motion is None and link.joint.dof:
            q = np.concatenate([link.q, link.joint.start])
            S = np.asarray(jacobian_of(link.joint, checked_pose(link.joint, link.joint.at("transform", q, 0.0)), q, 0.0), float)
            frame = poses[j] @ np.linalg.inv(link.body)
            columns.append(Ad(np.linalg.inv(poses[body]) @ frame) @ S)
        j = link.parent
    return np.concatenate(columns, axis=1)
