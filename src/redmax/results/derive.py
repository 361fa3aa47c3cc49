"""What a result file holds beside the states: found from them as a Trajectory finds it, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from redmax.errors import RedmaxError
from redmax.results.layout import Column, body_links, soft_group
from redmax.run.trajectory import Trajectory

BYTES = 32 * 2**20  # of poses that are looked at together


def derived(block: Trajectory, wanted: Sequence[Column]) -> Iterator[tuple[int, Trajectory, dict[str, np.ndarray]]]:
    """Parts of the block, each with its first sample's number in the block and its columns by name."""
    worlds = int(np.prod(block.q.shape[1:-1]))
    size = max(1, BYTES // (worlds * len(block.model.links) * 30 * 8))
    nearby = block.nearby
    for first in range(0, len(block), size):
        part = replace(block[first : first + size], nearby=nearby)
        yield first, part, looked(part, wanted)
        nearby = last_mapped(part)


def last_mapped(part: Trajectory) -> np.ndarray | None:
    """q_R of the last sample, from where that of the next is found."""
    return part.q_R[-1] if part.model.map is not None and "mapped" in vars(part) else part.nearby


def looked(part: Trajectory, wanted: Sequence[Column]) -> dict[str, np.ndarray]:
    """The columns of some samples; not a number where a run that breaks off has none any more."""
    groups: dict[str, list[Column]] = {}
    for column in wanted:
        if column.of:
            groups.setdefault("reactions" if column.of == "reactions" else "seen", []).append(column)
    found: dict[str, np.ndarray] = {}
    for group, members in groups.items():
        found |= tried(part, group, members)
    return found


def tried(part: Trajectory, group: str, members: Sequence[Column]) -> dict[str, np.ndarray]:
    try:
        return seen(part, group, members)
    except (RedmaxError, FloatingPointError, np.linalg.LinAlgError):
        if len(part) == 1:
            return {c.name: np.full((*part.q.shape[:-1], *c.shape), np.nan) for c in members}
        middle = len(part) // 2
        halves = [tried(part[:middle], group, members), tried(part[middle:], group, members)]
        return {c.name: np.concatenate([half[c.name] for half in halves]) for c in members}


def seen(part: Trajectory, group: str, members: Sequence[Column]) -> dict[str, np.ndarray]:
    if part.q.shape[:-1] == (1,):  # a state by itself would take other code than those of whole runs
        twice = seen(part.part(([0, 0],)), group, members)
        return {name: x[:1] for name, x in twice.items()}
    bodies: Any = body_links(part.model)
    if group == "reactions":
        return {"joints/reaction": part.reactions[..., bodies, :]}
    look = part.observed
    pose = look.pose[..., bodies, :, :]
    found = {
        "energy/kinetic": look.kinetic,
        "energy/potential": look.potential,
        "momentum": look.momentum,
        "bodies/position": pose[..., :3, 3],
        "bodies/rotation": pose[..., :3, :3],
        "bodies/twist": look.twist[..., bodies, :],
    }
    for k, soft in enumerate(part.model.soft):
        found[f"{soft_group(k)}/nodes"] = look.pose[..., soft.links, :3, 3]
    return {c.name: found[c.name] for c in members}
