"""Muscle: a Hill-type muscle along a path of points (RedMax notes Secs. 1.9.4 and 1.9.5), activated by a number, a function or dynamics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any, Self

from redmax.components.given import Angle, Fraction, FractionOfTime, FromZero, Length, Positive, Range, StiffnessKind, Unit
from redmax.errors import SceneError, called, wrong
from redmax.forces.base import Site
from redmax.forces.path import PathForce
from redmax.forces.points import PathPoint
from redmax.math import maximum, minimum
from redmax.muscles.activation import ActivationDynamics
from redmax.muscles.curves.base import Curves
from redmax.muscles.excitation import checked_activation, checked_excitation
from redmax.muscles.hill import Hill
from redmax.types import ValueOrArray


class Muscle(PathForce):
    """Pulls along a path with the tension of a `Hill` law.

    path: points from origin to insertion: points of bodies, of the world, MovingPoint, ConditionalPoint
    force, optimal_length, tendon_length, max_velocity, pennation, damping, curves: see `Hill`
    activation: from 0 to 1, a number or a function of time; or give
    excitation: from 0 to 1, a number or a function of time, that the activation follows by `dynamics`, starting at `initial`
    A function that leaves the range from 0 to 1 is cut off there.
    """

    own = (*PathForce.own, "initial", "excitation", "given")  # these are of the hidden state, not of the tension
    given: Any = None  # an activation that is asked about, instead of its own

    held = ("path",)

    def __init__(
        self,
        path: Sequence[PathPoint],
        *,
        force: Annotated[Positive, Unit("N")],
        optimal_length: Length,
        tendon_length: Annotated[FromZero, Unit("m")] = 0.0,
        max_velocity: Positive = 10.0,
        pennation: Annotated[Angle, Range(least=0)] = 0.0,
        damping: FromZero = 0.0,
        curves: str | Curves = "redmax",
        activation: FractionOfTime | None = None,
        excitation: FractionOfTime | None = None,
        dynamics: ActivationDynamics | None = None,
        initial: Fraction | None = None,
        name: str | None = None,
        stiffness_kind: StiffnessKind = "definite",
    ) -> None:
        self.hold(path, name, stiffness_kind)
        owner = self.label
        self.hill = Hill(
            force, optimal_length, tendon_length, max_velocity, pennation, damping, curves, name=name if isinstance(name, str) else ""
        )
        if activation is not None and excitation is not None:
            raise SceneError(
                f"{owner} has both an activation and an excitation. Give one: the activation follows an excitation by itself.",
                owner=owner,
                argument="activation",
            )
        if not isinstance(dynamics, ActivationDynamics | None):
            raise wrong(owner, "dynamics", dynamics, "redmax.ActivationDynamics(rise=..., fall=...)")
        self.dynamics = None if excitation is None else dynamics or ActivationDynamics()
        if excitation is None and (dynamics is not None or initial is not None):
            raise SceneError(
                f"{owner} has activation dynamics but no excitation. Give excitation=, a number or a function of time.",
                owner=owner,
                argument="dynamics" if initial is None else "initial",
            )
        self.drive = checked_excitation(owner, 0.0 if activation is None else activation, "activation") if excitation is None else None
        self.excitation = None if excitation is None else checked_excitation(owner, excitation)
        start = checked_activation(owner, 0.0 if initial is None else initial, "initial")
        self.initial: tuple[float, ...] = () if excitation is None else (start,)

    @property
    def label(self) -> str:
        name = getattr(self, "name", None)
        return called("Muscle", name) if isinstance(name, str) and name else "Muscle"

    def settled(self, sites: Sequence[Site]) -> Self:
        replace(self.hill, name=self.name or "").check_path_length(float(self.length_and_rate(sites)[0]))
        return self

    def hidden(self) -> list[tuple[str, float, Callable[[Any, Any], Any]]]:
        """The activation as a state, where it has dynamics: its name, where it starts, and its rate (t, a)."""
        if self.dynamics is None:
            return []
        dynamics, u = self.dynamics, self.excitation
        return [("activation", self.initial[0], lambda t, a: dynamics.rate(within(u, t), a))]

    def level(self, t: ValueOrArray) -> Any:
        """The activation."""
        if self.given is not None:
            return self.given
        if self.dynamics is not None:
            return self.states[0]
        return within(self.drive, t)

    def excited(self, t: ValueOrArray) -> Any:
        """The excitation, of a muscle whose activation follows one."""
        return within(self.excitation, t)

    def tension(self, length: ValueOrArray, rate: ValueOrArray, t: ValueOrArray) -> Any:
        return self.hill.tension(length, rate, self.level(t))

    def stored(self, length: ValueOrArray, t: ValueOrArray) -> Any:
        return self.hill.potential(length)


def within(value: Any, t: Any) -> Any:
    """A number, or a function of time cut off at 0 and 1: beyond these a muscle would push, or be stronger than it is."""
    if not callable(value):
        return value
    level: Any = value(t)
    return minimum(maximum(level, 0.0), 1.0)
