"""Bodies that `Free` carries far from its frame: digits are lost there, and the sentence that says so.

`Free` turns first and then moves along the turned axes, so that a body at distance d has rates of size omega d even where its centre rests,
and its inertia in these coordinates, S' M S, has entries m d^2 beside those of the body, m s^2 with s its size. Roundings of the first
cover the second: accelerations lose a part eps (d / s)^2, which no step of `adaptive` can be better than. Steps of a fixed length h err
in these rates by parts (omega h)^p of omega d, p their order, which may be many sizes of the body. `Free3D` moves first; and of an element
of a group rates do not grow with the distance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from redmax.errors import warn
from redmax.joints.free import Free

if TYPE_CHECKING:
    from redmax.model.links import Link
    from redmax.run.simulation import Simulation

FIXED = 1e-9  # what fixed steps may lose without a word
LEAST = 1e3  # roundings, of short floats above all
ASTRAY = 0.25  # sizes of the body that it may go astray while it turns by a radian; Newton's method of bdf1 and bdf2 fails near there
ACROSS = 3.0  # radii of gyration: about the size of a body


def warn_of_distance(sim: Simulation) -> bool:
    """Whether the state is one in which a joint loses more digits than the run asks for; then it has been said."""
    for i, link in enumerate(sim.model.bodies):
        if isinstance(link.joint, Free) and link.joint.element is None and link.shape.mass > 0:
            place = sim.q[:, sim.model.configurations.parts()[i]][:, 3:6]
            far, size = distance(place), body_size(link)
            if size > 0 and (lost(sim, far / size) > allowed(sim) or strayed(sim, i, far / size) > ASTRAY):
                warn(sentence(sim, link, far, size))
                return True
    return False


def distance(place: np.ndarray) -> float:
    """The largest of some worlds, without those that are no numbers."""
    lengths = np.linalg.norm(place.astype(float), axis=1)
    return float(lengths[np.isfinite(lengths)].max(initial=0.0))


def body_size(link: Link) -> float:
    return ACROSS * float(np.sqrt(np.linalg.eigvalsh(link.shape.inertia)[-1] / link.shape.mass))


def lost(sim: Simulation, ratio: float) -> float:
    """The part of accelerations that is lost."""
    return float(np.finfo(sim.dtype).eps) * ratio**2


def allowed(sim: Simulation) -> float:
    """What may be lost before it is felt: of `adaptive`, as much as the error of one step, of many."""
    return max(0.01 * sim.rtol if sim.method.adaptive else FIXED, LEAST * float(np.finfo(sim.dtype).eps))


def strayed(sim: Simulation, i: int, ratio: float) -> float:
    """About how far a body goes astray while it turns by one radian, in its sizes: with steps of a fixed length."""
    turning = np.linalg.norm(sim.qdot[:, sim.model.offsets[i] : sim.model.offsets[i] + 3].astype(float), axis=1)
    angle = sim.dt * float(turning[np.isfinite(turning)].max(initial=0.0))
    return 0.0 if sim.method.adaptive else angle**sim.method.order * ratio


def sentence(sim: Simulation, link: Link, far: float, size: float) -> str:
    unit, digits = sim.model.units.length, round(2 * np.log10(far / size))
    where = f"carries {link.name!r} {far:.3g} {unit} from its frame, {far / size:.2g} times the size of the body"
    lose = f"accelerations lose about {digits} digits there"
    felt = "and adaptive steps become many" if sim.method.adaptive else "and steps of a fixed length err by parts of the distance"
    what = f"It turns before it moves: {lose}, {felt}"
    return f"Free, the joint {link.joint_name!r}, {where}. {what}. Use Free3D, which moves before it turns, or begin nearer with at=."
