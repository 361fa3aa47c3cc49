"""Joints that leave their group during a run: a prescribed motion that gives no configuration, or a joint that does not stay on it.

A step goes along the group, from an element to another one. A motion that leaves it would be followed by its rates alone, to some other
place than the one it names; so the run ends there, in a sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.arguments import brief
from redmax.backends.apart import WorldsFailed
from redmax.model.given_functions import sized
from redmax.model.links import OFF, Link
from redmax.trace import Graph
from redmax.trace.evaluate import evaluate_numeric

if TYPE_CHECKING:
    from redmax.run.portion import Start
    from redmax.run.simulation import Simulation

BETWEEN = 10  # times, at most, at which a motion is looked at from one sample to the next
ROUNDINGS = 1000.0  # of short floats, which configurations may be off by


def keep_to_groups(sim: Simulation, begin: Start, stride: int, q: np.ndarray) -> None:
    """Raise WorldsFailed if the samples q (samples, worlds, n) or the motions that lead there leave a group: those that do are blanked."""
    reasons: dict[int, str] = {}
    allowed = max(OFF, ROUNDINGS * float(np.finfo(sim.dtype).eps))
    for link, part in zip(sim.model.links, sim.model.configurations.parts(), strict=True):
        if link.joint.nq == link.joint.dof:
            continue
        good, said = motion_leaves(sim, link, begin, stride, len(q))
        if said:
            q[good:] = np.nan
            reasons |= dict.fromkeys(range(q.shape[1]), said)
        placed = q[..., part][..., : link.joint.nq]
        with np.errstate(invalid="ignore"):  # samples of worlds that broke off are no numbers
            if (link.joint.off(placed[-1]) <= allowed).all():  # nothing leads back to a group
                continue
            off = link.joint.off(placed)
        for world in np.flatnonzero((off > allowed).any(axis=0)).tolist():
            first = int((off[:, world] > allowed).argmax())
            t, last = (begin.t + (first + k) * stride * sim.dt for k in (1, 0))
            what = f"Joint {link.joint_name!r} has left its group at t = {t:.6g} s"
            reasons[world] = sentence(link, last, what, placed[first, world], off[first, world])
            q[first:, world] = np.nan
    if reasons:
        raise WorldsFailed(reasons)


def motion_leaves(sim: Simulation, link: Link, begin: Start, stride: int, samples: int) -> tuple[int, str]:
    """How many samples come before a motion is off its group, and what to say of it; "" if it stays."""
    if link.motion is None or link.motion_level != "position":
        return samples, ""
    between = min(stride, BETWEEN)
    t = begin.t + np.arange(samples * between + 1) * (stride * sim.dt / between)
    values = motion_at(sized(link.motion, link, "motion"), t)
    off = link.joint.off(values)
    left = np.flatnonzero(~(off <= OFF))
    if not len(left):
        return samples, ""
    k, good = int(left[0]), max(int(left[0]) - 1, 0) // between
    what = f"The motion of joint {link.joint_name!r} is off its group at t = {t[k]:.6g} s"
    return good, sentence(link, float(begin.t + good * stride * sim.dt), what, values[k], off[k])


def sentence(link: Link, last: float, what: str, found: np.ndarray, off: float) -> str:
    must = f"it must be {link.joint.valid}, to {OFF:g}. Got {brief(found)}, which is off by {off:.2g}"
    fix = "Its retract must stay there"
    if link.motion is not None:
        fix = "Divide the quaternion by its length" if "length 1" in must else "redmax.lie.so3.exp of a rotation vector is always one"
    return f"The run broke off at t = {last:.6g} s. {what}: {must}. {fix}."


def motion_at(motion: Callable[[Any], Any], t: np.ndarray) -> np.ndarray:
    """(times, nq): what it gives."""
    found = evaluate_numeric(traced(motion), lambda name, index: t)
    return np.stack([np.broadcast_to(np.asarray(x, float), t.shape) for x in found], axis=-1)


@lru_cache(maxsize=256)
def traced(motion: Callable[[Any], Any]) -> tuple[Any, ...]:
    return tuple(motion(Graph().input("t", 0)))
