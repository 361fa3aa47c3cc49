"""Staggering: how steps solve for normal forces and friction in turns (RedMax notes Sec. 2.11, Alg. 7 and 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from redmax.components.checks import choice, flag, number, whole
from redmax.components.given import FromZero, Positive

OWNER = "Staggering"


@dataclass(frozen=True)
class Staggering:
    """Normal forces with friction as it is, then friction with normal forces as they are, until they no longer change.

    tolerance: of |d f_a|^2 / |f_a|^2, both measured by M^-1, f_a the forces that the joints transmit; iterations: at most so many turns
    contact: "bilateral" (Alg. 8): normals hold both ways, so that the joints' own equations give f_a, and each joint shares it by itself;
        "unilateral" (Alg. 7): normals only push, by a quadratic problem over all points at once: slow, for comparison
        "single" (Eq. 1.88): no turns, but one problem for normal forces that only push and friction together, which locks joints whose
            points are opposite to each other: for comparison
    regularisation: epsilon of Eq. 2.114 (1/kg), 1e-6 in the published code; with 0 normal forces do not depend on masses
    external: what constraints exert while f_a is found. "reduced": what they exert on the joints as they are; "maximal": what they would on
        bodies without joints (Eq. 2.115), as published, whose f_a then has the difference
    centripetal: whether f_a has what turning bodies take to turn, M Jdot qdot; the published code leaves it out
    add_contact_force: whether f_a is added at the end of a step as well, as Alg. 8 is printed and the published numbers were made: that
        counts -J' M Jdot qdot twice
    """

    tolerance: Positive = 1e-6
    iterations: int = 100
    contact: Literal["bilateral", "unilateral", "single"] = "bilateral"
    regularisation: FromZero = 0.0
    centripetal: bool = True
    external: Literal["reduced", "maximal"] = "reduced"
    add_contact_force: bool = False

    def __post_init__(self) -> None:
        number(OWNER, "tolerance", self.tolerance, "a number greater than 0", above=0)
        whole(OWNER, "iterations", self.iterations, 1)
        choice(OWNER, "contact", self.contact, ("bilateral", "unilateral", "single"))
        number(OWNER, "regularisation", self.regularisation, "a number from 0 up (1/kg)", least=0)
        flag(OWNER, "centripetal", self.centripetal)
        choice(OWNER, "external", self.external, ("reduced", "maximal"))
        flag(OWNER, "add_contact_force", self.add_contact_force)


USUAL = Staggering()
