"""Where a run does not follow a motion that it was told: methods that follow its accelerations pass over jumps of its rate.

A function whose rate jumps has no acceleration there that a step could see, and with gain = 0 nothing brings the joint back: it goes on
with the rate that it had. So does, to a part, a joint whose motion is faster than steps can follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from redmax.dynamics.common.joint_laws import motion_rates
from redmax.model.links import Link
from redmax.trace import Graph, evaluate_numeric

if TYPE_CHECKING:
    from redmax.run.samples import Samples
    from redmax.run.simulation import Simulation

LOOKS = 64  # samples that are looked at
OFF = 0.2  # of the largest rate that was asked for


def off_motions(sim: Simulation) -> dict[int, np.ndarray]:
    """Of each joint that follows a motion and has no gain: how far its rates are from those of the motion now, (worlds, dof)."""
    links = enumerate(sim.model.links)
    told = [i for i, link in links if link.motion is not None and link.gain == 0.0 and link.motion_level != "acceleration"]
    return {} if sim.method.implicit else {i: rates_of(sim, i, sim.qdot) - rates_asked(sim.model.links[i], [sim.t])[0] for i in told}


def rates_of(sim: Simulation, i: int, qdot: np.ndarray) -> np.ndarray:
    """(worlds, dof): those of joint i."""
    own = slice(sim.model.offsets[i], sim.model.offsets[i + 1])
    return np.array(qdot[..., own]).reshape(-1, own.stop - own.start)


def motions_left(sim: Simulation, samples: Samples, before: dict[int, np.ndarray]) -> list[str]:
    """A sentence on each joint whose rates came away from those of its motion. before: how far they were off when the run began.

    Where samples go to a file, those are looked at that are still here.
    """
    first, count = samples.span
    found: list[str] = []
    if not before or count < 2:
        return found
    states = [samples.state(k) for k in np.unique(np.linspace(first, first + count - 1, LOOKS).astype(int))]
    for i, began in before.items():
        link = sim.model.links[i]
        asked = rates_asked(link, [s.t for s in states])
        away = np.array([rates_of(sim, i, s.qdot) for s in states]) - asked[:, None] - began
        away[~np.isfinite(away)] = 0.0
        k, w, c = np.unravel_index(int(np.abs(away).argmax()), away.shape)
        if abs(away[k, w, c]) > OFF * np.abs(asked).max():
            found.append(sentence(link, sim.method.name, states[k].t, asked[k, c] + away[k, w, c], asked[k, c]))
    return found


def rates_asked(link: Link, times: Sequence[float]) -> np.ndarray:
    """(times, dof): of a joint with a motion."""
    position, rate, _ = motion_rates(link.motion, Graph().input("t", 0), link.joint, link.motion_level)
    values = list(rate if link.motion_level == "position" else position)
    return np.array([evaluate_numeric(values, lambda base, index, t=t: t) for t in times])


def sentence(link: Link, method: str, t: float, own: float, asked: float) -> str:
    """What to say of one of its coordinates."""
    return (
        f"Joint {link.joint_name!r} does not follow its motion: at t = {t:g} s its rate is {own:.3g}, where the motion's is {asked:.3g}. "
        f"{method!r} follows the acceleration of a motion, which says nothing of jumps of its rate. Let the rate change over some steps, "
        f"give the body a gain, or use integrator='implicit', which follows rates."
    )
