"""Bodies that turn by more than half a turn in one step of Euler's methods, and the sentence that says so.

Such a step no longer knows which way round a body goes: where it strikes something on the way is not found, and of what tumbles some
angular momentum may be lost (dynamics/common/flight.py). Runs in which energy is gained without end come by here as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.errors import warn
from redmax.joints.base import Joint
from redmax.joints.free import Free, Free3D
from redmax.joints.spherical import Spherical

if TYPE_CHECKING:
    from redmax.model.links import Link
    from redmax.run.simulation import Simulation

METHODS = ("euler", "implicit", "forward-euler")
FEW = 0.1  # of a turn in a step, for what is advised


def turning(joint: Joint) -> slice | None:
    """The velocities of a joint that turns its body any way which are at least as large as its angular velocity."""
    if isinstance(joint, Free3D):
        return slice(3, 6)
    return slice(0, 3) if isinstance(joint, Free | Spherical) else None


def turns_freely(sim: Simulation) -> bool:
    """Whether there is something to look at."""
    return sim.method.name in METHODS and any(turning(link.joint) is not None for link in sim.model.links)


def half_turns(sim: Simulation, q: np.ndarray, qdot: np.ndarray, t: np.ndarray) -> dict[str, str]:
    """joint -> what to say of it, for each that turned by more than half a turn in a step before one of these samples (time, worlds, n)."""
    found: dict[str, str] = {}
    for i, link in enumerate(sim.model.links):
        own = turning(link.joint)
        if own is None:
            continue
        rates = qdot[..., sim.model.offsets[i] : sim.model.offsets[i] + link.joint.dof]
        with np.errstate(all="ignore"):
            fast = np.argwhere(np.linalg.norm(rates[..., own], axis=-1) * sim.dt > np.pi)  # what is no number is none of them
        for k, world in fast:
            speed = spin(link.joint, q[k, world, sim.model.q_slice(link.joint_name)], rates[k, world])
            if np.pi < speed * sim.dt < np.inf:
                found[link.joint_name] = sentence(sim, link, float(t[k]), speed)
                break
    return found


def spin(joint: Any, q: np.ndarray, qdot: np.ndarray) -> float:
    """rad/s."""
    with np.errstate(all="ignore"):
        return float(np.linalg.norm((np.asarray(joint.jacobian(q), float) @ qdot)[:3]))


def sentence(sim: Simulation, link: Link, t: float, speed: float) -> str:
    what = f"{link.name!r} turns by more than half a turn in one step of dt = {sim.dt:g}: at {speed:.3g} rad/s at t = {t:.6g} s"
    why = "Where it goes meanwhile, and what it strikes, is a guess, and momentum may be lost"
    return f"{what}. {why}. Take dt={2 * np.pi * FEW / speed:.1g} or less, or look for what makes it spin so."


def warn_of_half_turns(turns: Mapping[str, str]) -> None:
    for text in turns.values():
        warn(text)
