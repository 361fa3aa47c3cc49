"""The tension of a Hill-type muscle with a rigid tendon (RedMax notes Eq. 1.38, 1.47-1.49), with pennation.

    f = f_opt (a f_L(l~) f_V(v~) + f_P(l~) + d v~) cos(alpha),    l~ = l / l_opt,    v~ = v / (l_opt v_max)

The fibres lie at an angle alpha to the tendon and keep their height h = l_opt sin(alpha_opt) (Millard et al. 2013), so that with
x = l_MT - l_T, the part of the path that is not tendon,

    l = sqrt(x^2 + h^2),    cos(alpha) = x / l,    v = l_MT' cos(alpha)

For alpha_opt = 0 this is the law of the notes: l = x, cos(alpha) = 1. The fibre damping d is not in the notes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from math import pi
from typing import Any

import numpy as np

from redmax.components.checks import finite, number, positive
from redmax.components.data_and_structure import Described
from redmax.errors import SceneError, called, wrong
from redmax.math import maximum, sin, sqrt
from redmax.muscles.curves import Curves, curves_of
from redmax.muscles.fibres import Fibres, fibres_of
from redmax.types import ValueOrArray

SOME = 0.01  # of the largest active force: less counts as none
SAMPLES = 200
LONGEST = 3.0  # normalised fibre length up to which an active range is looked for


@dataclass(frozen=True, eq=False, repr=False)
class Hill(Described):
    """The law of a muscle with a rigid tendon: the tension from path length, its rate, and activation.

    force: f_opt, isometric at optimal length and full activation (N);  optimal_length: l_opt of the fibres (m);
    tendon_length: l_T (m);  max_velocity: v_max (optimal lengths per second);  pennation: alpha_opt, at optimal length (rad);
    damping: d, the force at the velocity v_max over f_opt;  curves: "redmax", "millard", "degroote-fregly" or your own `Curves`;
    name: of the muscle, for messages. Muscles that differ only in numbers and names share their compiled kernels.

    Where the path is shorter than the tendon, which then is slack, a pennate muscle has no tension. With damping, a muscle that shortens
    fast with little activation may push.
    """

    force: float
    optimal_length: float
    tendon_length: float = 0.0
    max_velocity: float = 10.0
    pennation: float = 0.0
    damping: float = 0.0
    curves: Any = "redmax"
    name: str = ""
    pennate: bool = field(init=False, default=False)  # structure: without pennation there is no root in the law

    def __post_init__(self) -> None:
        owner = self.owner
        kept: dict[str, Any] = {
            "force": positive(owner, "force", self.force, "N"),
            "optimal_length": positive(owner, "optimal_length", self.optimal_length, "m"),
            "tendon_length": number(owner, "tendon_length", self.tendon_length, "a finite number of at least 0 (m)", least=0),
            "max_velocity": positive(owner, "max_velocity", self.max_velocity, "optimal lengths per second"),
            "pennation": angle(owner, self.pennation),
            "damping": number(owner, "damping", self.damping, "a finite number of at least 0 (of the force)", least=0),
            "curves": curves_of(owner, self.curves),
        }
        kept["pennate"] = kept["pennation"] > 0
        for name, value in kept.items():
            object.__setattr__(self, name, value)
        if not strongest(self.curves) > 0:
            raise SceneError(
                f"{owner} has no active range: active_length of its curves is 0 at all fibre lengths from 0 to {LONGEST:g} optimal ones. "
                "Give a curve with a peak of 1 near 1.",
                owner=owner,
                argument="curves",
            )

    @property
    def owner(self) -> str:
        return called("Muscle", self.name) if self.name else "Muscle"

    def structure(self) -> tuple[Any, ...]:
        kind, rest = super().structure()
        return kind, tuple(entry for entry in rest if not (isinstance(entry, tuple) and entry[0] == "name"))

    def fibre(self, l_mt: ValueOrArray) -> tuple[Any, Any]:
        """Fibre length l (m) and cos(alpha) at the path length l_mt (m)."""
        x = l_mt - self.tendon_length
        if not self.pennate:
            return x, 1.0
        x = maximum(x, 0.0)
        h = self.optimal_length * sin(self.pennation)
        length = sqrt(x * x + h * h)
        return length, x / length

    def normalised(self, l_mt: ValueOrArray, ldot_mt: ValueOrArray) -> tuple[Any, Any]:
        """l~ and v~, without units, at the path length (m) and its rate (m/s, positive when lengthening)."""
        length, cosine = self.fibre(l_mt)
        return length / self.optimal_length, ldot_mt * cosine / (self.optimal_length * self.max_velocity)

    def tension(self, l_mt: ValueOrArray, ldot_mt: ValueOrArray, activation: ValueOrArray) -> Any:
        """The pull (N) of the tendon on both of its ends, at an activation from 0 to 1."""
        _, cosine = self.fibre(l_mt)
        length, v = self.normalised(l_mt, ldot_mt)
        active = activation * self.curves.active_length(length) * self.curves.velocity(v)
        return self.force * (active + self.curves.passive_length(length) + self.damping * v) * cosine

    def fibres(self, l_mt: ValueOrArray, ldot_mt: ValueOrArray = 0.0, activation: ValueOrArray = 1.0) -> Fibres:
        """What fibres and tendon do there: lengths, velocities, pennation, the place on the curves, and the parts of the force."""
        return fibres_of(self, l_mt, ldot_mt, activation)

    def potential(self, l_mt: ValueOrArray) -> Any:
        """The energy (J) stored in the passive fibres; its derivative is the tension without activation and velocity."""
        length, _ = self.normalised(l_mt, 0.0)
        return self.force * self.optimal_length * self.curves.energy(length)

    def check_path_length(self, l_mt: float) -> None:
        """Raise where nothing of a path of this length (m) is left for the fibres."""
        if not l_mt > self.tendon_length:
            raise SceneError(
                f"{self.owner}: the tendon is longer than the path: tendon_length is {self.tendon_length:g} m and the path {l_mt:g} m. "
                "Make tendon_length smaller, or the path longer.",
                owner=self.owner,
                argument="tendon_length",
            )

    def check_range(self, shortest: float, longest: float) -> None:
        """Raise where the muscle cannot pull actively at any path length (m) from `shortest` to `longest`."""
        low, high = finite(self.owner, "the range of path lengths", (shortest, longest), ((2,),), "two finite numbers (m)").tolist()
        if low > high:
            raise SceneError(
                f"{self.owner}: the path lengths go from {low:g} to {high:g} m, expected the shortest one first.", owner=self.owner
            )
        paths = np.linspace(low, high, SAMPLES + 1)
        lengths = [float(self.normalised(float(p), 0.0)[0]) for p in paths]
        factors = [self.curves.active_length(x) if p > self.tendon_length else 0.0 for p, x in zip(paths, lengths)]
        if not max(factors) > SOME * strongest(self.curves):
            raise SceneError(
                f"{self.owner} has no active range: its path goes from {low:g} to {high:g} m, so that its fibres are "
                f"{min(lengths):.3g} to {max(lengths):.3g} optimal lengths long, where they have less than {SOME:.0%} of their force. "
                f"Change tendon_length ({self.tendon_length:g} m) or optimal_length ({self.optimal_length:g} m): "
                "at the middle of the path they should add up to its length.",
                owner=self.owner,
                argument="tendon_length",
            )


def angle(owner: str, value: Any) -> float:
    valid = "an angle from 0 to below pi/2 (rad)"
    found = number(owner, "pennation", value, valid)
    if not 0 <= found < pi / 2:
        hint = "; in degrees? Use numpy.radians" if found > pi / 2 else ""
        raise wrong(owner, "pennation", value, f"{valid}{hint}")
    return found


@lru_cache(maxsize=256)
def strongest(curves: Curves) -> float:
    """The largest active factor up to LONGEST."""
    return max(float(curves.active_length(x)) for x in np.linspace(0, LONGEST, SAMPLES + 1).tolist())
