"""Where things rub, place after place: the pin of a hinge, both pins of a cross, a slide, a ball, or where a constraint holds two bodies.

Points are constant in a frame of their own: that of the joint, which goes with its body, that of the cross of a universal joint, whose axes
are those of its coordinates, or that of a constraint, at its first place and in the axes of its second. Of the latter two the poses in both
bodies' joint frames, (R, p) each, are found in each step.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.contact.rubbing.points import RubbingPoints
from redmax.dynamics.rubbing.constants import constants
from redmax.model.model import Model
from redmax.model.rubbing import Rubbing
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Vector, Whole, dot


@routine
def frames_of_cross(S: Vector, joint: Vector, own: Vector, others: Vector) -> None:
    """The axes of both coordinates, and across, in the frames of body and parent. joint: the pose of the joint in its parent's."""
    for i in range(3):
        own[3 * i] = S[i]
        own[3 * i + 1] = S[6 + i]
        own[9 + i] = 0.0
        others[9 + i] = joint[9 + i]
    own[2] = S[1] * S[8] - S[2] * S[7]
    own[5] = S[2] * S[6] - S[0] * S[8]
    own[8] = S[0] * S[7] - S[1] * S[6]
    for i in range(3):
        for k in range(3):
            others[3 * i + k] = joint[3 * i] * own[k] + joint[3 * i + 1] * own[3 + k] + joint[3 * i + 2] * own[6 + k]


@routine
def turn_back(R: Vector, x: Vector, out: Vector) -> None:
    """out = R' x."""
    for i in range(3):
        out[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2]


@routine
def frames_of_site(
    Ra: Vector, xa: Vector, Rb: Vector, xb: Vector, site: Vector, own: Vector, others: Vector, z: Vector, moves: Whole
) -> None:  # fmt: skip
    """The first place, in the axes of the second, in the frames of both bodies. site: position of the one, rotation of the other."""
    for i in range(3):
        own[9 + i] = site[i]
        z[i] = xa[i] + dot(Ra[3 * i : 3 * i + 3], site[0:3])
        for k in range(3):
            others[3 * i + k] = site[3 + 3 * i + k]
            z[6 + 3 * i + k] = site[3 + 3 * i + k]
    if moves > 0:
        for i in range(3):
            z[3 + i] = z[i] - xb[i]
            for k in range(3):
                z[6 + 3 * i + k] = Rb[3 * i] * site[3 + k] + Rb[3 * i + 1] * site[6 + k] + Rb[3 * i + 2] * site[9 + k]
        turn_back(Rb, z[3:], others[9:])
    for i in range(3):
        for k in range(3):
            own[3 * i + k] = Ra[i] * z[6 + k] + Ra[3 + i] * z[9 + k] + Ra[6 + i] * z[12 + k]


@dataclass(frozen=True, eq=False)
class Place:
    """points: constant, in the place's own frame; body, other: those that it is between, by number, -1 the world"""

    rubbing: Rubbing
    points: RubbingPoints
    body: int
    other: int

    @property
    def moves(self) -> bool:
        """Whether its frame is another than that of its joint."""
        return self.rubbing.frame != "joint"

    @property
    def held(self) -> bool:
        """Whether a constraint is there, and no joint."""
        return self.rubbing.frame == "held"


@dataclass(frozen=True, eq=False)
class RubbingPlaces:
    """All of a model, joints first."""

    model: Model

    @cached_property
    def all(self) -> tuple[Place, ...]:
        """Of joints, in their order; then of constraints."""
        parents, found = self.model.tree.parent, []
        for rubbing in self.model.rubbings:
            other = parents[rubbing.body] if rubbing.held is None else rubbing.held.bodies[1]
            found += [Place(rubbing, points, rubbing.body, other) for points in rubbing.parts]
        return tuple(found)

    @cached_property
    def moving(self) -> list[int]:
        """The numbers of those whose frame is found in each step."""
        return [k for k, place in enumerate(self.all) if place.moves]

    @cached_property
    def held(self) -> list[int]:
        """The numbers of those of constraints."""
        return [k for k, place in enumerate(self.all) if place.held]

    @cached_property
    def frames(self) -> Data:
        """(R, p) of each that moves, in the frame of its body, and of the other."""
        return Data("rub frames", max(len(self.moving), 1), 24)

    @cached_property
    def sites(self) -> Data:
        """Position of the first place and rotation of the second, of constraints."""
        return Data("rub sites", max(len(self.held), 1), 12)

    def frame(self, at: Addresses, k: int, other: bool = False) -> int:
        """Of the k-th place, in the frame of its body, or of the other."""
        return at[self.frames] + self.frames.leading * self.moving.index(k) + 12 * other

    def begun(self) -> tuple[ProgramStage, ...]:
        """What is constant, once in a program."""
        sites = self.sites

        def stage(n: int, k: int) -> Call:
            held = self.all[k].rubbing.held
            assert held
            table = np.concatenate([held.position, held.rotation.ravel()])
            return Call(constants(table), lambda at: [(at[sites] + n * sites.leading,)], (sites,))

        return tuple(stage(n, k) for n, k in enumerate(self.held))

    def placed(self) -> tuple[ProgramStage, ...]:
        """Frames, once a step."""
        crosses, frames, sites, z = [k for k in self.moving if k not in self.held], self.frames, self.sites, Data("rub site", 16)

        def crossed(at: Addresses) -> list[tuple[Any, ...]]:
            bodies = [(at.field(self.all[k].body, "rub_S"), at.field(self.all[k].body, "rub_frame")) for k in crosses]
            return [(*body, self.frame(at, k), self.frame(at, k, True)) for body, k in zip(bodies, crosses, strict=True)]

        def sited(at: Addresses) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            for n, k in enumerate(self.held):
                a, b = self.all[k].body, self.all[k].other
                own = at.field(a, "rub_R"), at.field(a, "rub_x")
                other = (at.field(b, "rub_R"), at.field(b, "rub_x")) if b >= 0 else own
                frames = self.frame(at, k), self.frame(at, k, True)
                found.append((*own, *other, at[sites] + n * sites.leading, *frames, z, int(b >= 0)))
            return found

        return (
            *([Call(frames_of_cross, crossed, (frames,))] if crosses else []),
            *([Call(frames_of_site, sited, (frames, sites, z))] if self.held else []),
        )
