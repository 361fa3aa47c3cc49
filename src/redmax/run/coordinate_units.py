"""Units of coordinates, which follow from what they do: rad of one that turns, the unit of length of one that slides."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from redmax.model.links import Link
from redmax.model.model import Model

STEP = 1e-6  # of the central differences that tell a turn from a slide


def coordinate_units(model: Model) -> list[str]:
    """(nq,): "rad" of a coordinate that is an angle, the unit of length of one that is a length, "1" where it is neither."""
    return [unit for link in model.links for unit in units_of_link(model, link)]


def units_of_rates(model: Model) -> list[str]:
    """(nv,): the units of what the rates are of; "1" where a joint has other coordinates than rates."""
    same = [link.joint.nq == link.joint.dof for link in model.links]
    return [
        unit
        for link, own in zip(model.links, same, strict=True)
        for unit in (units_of_link(model, link) if own else ["1"] * link.joint.dof)
    ]


def units_of_torques(model: Model) -> list[str]:
    """(nv,): of what does work along the rates: a torque along an angle, a force along a length, energy where it is neither."""
    units = {"rad": model.units.torque, model.units.length: model.units.force}
    return [units.get(unit, model.units.energy) for unit in units_of_rates(model)]


def units_of_link(model: Model, link: Link) -> Iterator[str]:
    """Of the coordinates of a joint; hidden states of forces, such as activations, are plain numbers."""
    return iter(["1"] * link.joint.nq) if any(link is hidden for hidden in model.hidden) else units_of_joint(link, model.units.length)


def units_of_joint(link: Link, length: str) -> Iterator[str]:
    joint = link.joint
    for k in range(joint.nq):
        kinds = {kind_of(link, q, k) for q in (np.zeros(joint.nq), link.q)} if joint.nq == joint.dof else set()
        yield "rad" if "turn" in kinds else length if "slide" in kinds else "1"


def kind_of(link: Link, q: np.ndarray, k: int) -> str:
    """Whether a unit of the coordinate turns the child by one radian, or slides it by one unit of length."""
    step = np.zeros(len(q))
    step[k] = STEP
    try:
        with np.errstate(all="ignore"):
            before, after = (
                np.asarray(link.joint.at("transform", np.array([*x, *link.joint.start]), 0.0), float) for x in (q - step, q + step)
            )
    except Exception:  # a motion of the user's, which need not be defined there
        return ""
    E = before[:3, :3].T @ after[:3, :3]
    turn = np.linalg.norm([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]]) / (4 * STEP)
    slide = np.linalg.norm(after[:3, 3] - before[:3, 3]) / (2 * STEP)
    if abs(turn - 1) < 1e-6:
        return "turn"
    return "slide" if turn < 1e-6 and abs(slide - 1) < 1e-6 else ""
