"""Numbers that are valid and probably not meant: lengths in millimetres where gravity is in m/s^2, springs stiffer than anything is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.errors import warn
from redmax.forces.base import Force
from redmax.forces.joint_force import JointForce
from redmax.model.links import Link

LONG = 100.0  # in units of length; of a body whose gravity is that of m/s^2
EARTH = (9.0, 10.5)  # gravity, m/s^2
STIFF = 1e18  # N/m, N m/rad and what goes with them; of steel 1e12 is much
NAMES = ("stiffness", "damping", "kp", "kd")


def hint_at_units(link: Link, links: Sequence[Link], gravity: np.ndarray, length: str) -> None:
    """Of a body that was added to these links, warn if it seems to be measured in other units than gravity; once in a scene."""
    if is_long(link) and EARTH[0] < np.linalg.norm(gravity) < EARTH[1] and not any(map(is_long, links)):
        size = f"Body {link.name!r} is about {extent(link):.4g} {length} long, and gravity is {np.linalg.norm(gravity):.4g} {length}/s^2"
        fix = "Give lengths in m, or all numbers in mm: Scene(gravity=(0, 0, -9810), units='mm kg s')"
        warn(f"{size}: are its lengths in millimetres? {fix}.")


def is_long(link: Link) -> bool:
    """Whether a body is longer than what one builds in metres."""
    inertia = link.shape.inertia
    return 12 * max(inertia[0, 0], inertia[1, 1], inertia[2, 2]) > LONG**2 * link.shape.mass


def extent(link: Link) -> float:
    """The length of the rod with this mass and inertia, I = m l^2 / 12."""
    return float(np.sqrt(12 * np.diag(link.shape.inertia).max() / link.shape.mass))


def hint_at_stiffness(owner: str, values: dict[str, Any]) -> None:
    """Warn of numbers that are stiffer than anything."""
    for name, value in values.items():
        if np.size(value) and np.max(value) > STIFF:
            what = f"{owner}: {name} is {np.max(value):.4g}, stiffer than anything is: forces overflow, or all other digits are lost"
            warn(f"{what}. For a rigid connection use a joint such as Fixed; otherwise about 1e9 is stiff, with integrator='implicit'.")


def hint_at_link(link: Link, links: Sequence[Link], gravity: np.ndarray, length: str) -> None:
    """All of a body and its joint."""
    hint_at_units(link, links, gravity, length)
    if max([*link.stiffness.tolist(), *link.damping.tolist()], default=0.0) > STIFF:
        hint_at_stiffness(f"Body {link.name!r}", {"stiffness": link.stiffness, "damping": link.damping})


def hint_at_force(force: Force | JointForce) -> None:
    """All of a force."""
    hint_at_stiffness(
        force.label, {name: getattr(force, name) for name in NAMES if isinstance(getattr(force, name, None), float | np.ndarray)}
    )
