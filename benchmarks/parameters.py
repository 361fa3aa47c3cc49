"""Forward dynamics whose masses, lengths and spring constants differ from world to world, in lanes, against worlds that are all alike.

Parameters are read from the memory of each world where constants are read once for all; with the same values, both must agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import redmax as rm
from benchmarks.agreement import agree
from benchmarks.cases import CASES, DOWN_Y, States
from benchmarks.engines.redmax import Redmax
from benchmarks.report import Row, Target
from benchmarks.single import some_states
from benchmarks.timing import Contestant, Effort, compete

FIGURE = "parameters by world"
TARGET = 1.15
LINKS = 20


def measure(effort: Effort) -> Iterator[Row]:
    yield against("20 springy links", springy_chain(), ("mass", "at.x", "stiffness"), "masses, lengths, springs", effort)
    yield against("humanoid", CASES["humanoid"](), ("mass", "at.z"), "masses, lengths", effort)


def springy_chain(**hinge: float) -> rm.Scene:
    """As RC20, of links of 1.3 kg and 0.9 m, with springs in the hinges: no number of these is 1. hinge: more of each hinge."""
    scene = rm.Scene(gravity=DOWN_Y)
    parent = None
    for i in range(LINKS):
        shape, at = rm.Cuboid((0.9, 0.1, 0.1), mass=1.3), (0.9, 0, 0) if i else None
        joint: dict[str, Any] = {"joint": rm.Revolute("zy"[i % 2]), "parent": parent, "at": at, "stiffness": 3.0, "rest": 0.1} | hinge
        parent = scene.add_body(shape, com=(0.45, 0, 0), **joint)
    return scene


def against(case: str, scene: rm.Scene, which: tuple[str, ...], note: str, effort: Effort) -> Row:
    states = some_states(scene)
    plain = Redmax(scene)
    links = plain.dynamics.model.links
    names = [f"{link.name}.{what}" for link in links for what in which]
    alike = {p.name: p.default[0] for p in plain.dynamics.model.with_parameters(names).parameters}
    own = contestant(rm.Dynamics(plain.dynamics.model, parameters={n: np.full(len(states), x) for n, x in alike.items()}), states)
    peer = plain.contestant(states, None, "all alike")
    for c in (own, peer):
        c.call()
    error = agree(case, own.accelerations(), peer.accelerations())
    mine, other = compete([own, peer], effort)
    return Row(FIGURE, case, mine.best, peer.name, other.best, mine.ratio(other), Target(ratio=TARGET), error, note)


def contestant(dynamics: rm.Dynamics, states: States) -> Contestant:
    """Each world with its own row of parameters."""
    runner = dynamics.runner("forward", dynamics.forward_program)
    q = dynamics.model.configurations.join(states.q)
    inputs = [*map(np.ascontiguousarray, (q, states.v, states.tau)), np.zeros(1), np.ascontiguousarray(dynamics.parameters)]
    out = np.empty((1, *states.v.shape))

    def call() -> None:
        runner.run(inputs, [out], len(states), workers=1)  # type: ignore[call-arg]

    return Contestant("redmax", call, len(states), lambda: out[0])
