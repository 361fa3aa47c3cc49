"""Units of coordinates, which follow from what they do: rad of one that turns, the unit of length of one that slides."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from redmax.model.links import Link
from redmax.model.model import Model

STEP = 1e-6  # of the central differences that tell a turn from a slide


def coordinate_units(model: Model) -> list[str]:
    """(nq,): "rad" of a coordinate that is an angle, the unit of length of one that is a length, "1" where it is neither."""
    return [unit for link in model.links for unit in units_of_link(model, link)]


def units_of_rates(model: Model) -> list[str]:
    """(nv,): the units of what the rates are of; of an element of a group, of the directions of its twist."""
    return [unit for link in model.links for unit in units_of_velocities(model, link)]


def units_of_torques(model: Model) -> list[str]:
    """(nv,): of what does work along the rates: a torque along an angle, a force along a length, energy where it is neither."""
    units = {"rad": model.units.torque, model.units.length: model.units.force}
    return [units.get(unit, model.units.energy) for unit in units_of_rates(model)]


def units_of_link(model: Model, link: Link) -> Iterator[str]:
    """Of the coordinates of a joint; hidden states of forces, such as activations, are plain numbers."""
    return iter(["1"] * link.joint.nq) if is_hidden(model, link) else units_of_joint(link, model.units.length)


def units_of_velocities(model: Model, link: Link) -> Iterator[str]:
    """Of what the rates of a joint are of, likewise."""
    return iter(["1"] * link.joint.dof) if is_hidden(model, link) else units_of_directions(link, model.units.length)


def is_hidden(model: Model, link: Link) -> bool:
    return any(link is hidden for hidden in model.hidden)


def units_of_joint(link: Link, length: str) -> Iterator[str]:
    """Of each coordinate."""
    return (unit_of(link, k, length, lambda q, step: q + step, link.joint.nq) for k in range(link.joint.nq))


def units_of_directions(link: Link, length: str) -> Iterator[str]:
    """Of each velocity, what it is the rate of."""
    joint = link.joint
    if joint.nq == joint.dof:
        return units_of_joint(link, length)
    return (unit_of(link, k, length, lambda q, step: np.asarray(joint.retract(q, step), float), joint.dof) for k in range(joint.dof))


def unit_of(link: Link, k: int, length: str, moved: Callable[[np.ndarray, np.ndarray], np.ndarray], n: int) -> str:
    """Of the k-th of n numbers, by which coordinates are moved."""
    step = np.zeros(n)
    step[k] = STEP
    kinds = {kind_of(link, *(moved(q, x) for x in (-step, step))) for q in (link.joint.home, link.q)}
    return "rad" if "turn" in kinds else length if "slide" in kinds else "1"


def kind_of(link: Link, first: np.ndarray, second: np.ndarray) -> str:
    """Whether coordinates on both sides, two steps apart, turn the child by a radian each, or slide it by a unit of length."""
    try:
        with np.errstate(all="ignore"):
            before, after = (np.asarray(link.joint.at("transform", np.array([*x, *link.joint.start]), 0.0), float) for x in (first, second))
    except Exception:  # a motion of the user's, which need not be defined there
        return ""
    E = before[:3, :3].T @ after[:3, :3]
    turn = np.linalg.norm([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]]) / (4 * STEP)
    slide = np.linalg.norm(after[:3, 3] - before[:3, 3]) / (2 * STEP)
    if abs(turn - 1) < 1e-6:
        return "turn"
    return "slide" if turn < 1e-6 and abs(slide - 1) < 1e-6 else ""
