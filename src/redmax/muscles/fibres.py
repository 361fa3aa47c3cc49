"""What the fibres and the tendon of a muscle do, at a path length, its rate and an activation (symbols as in hill.py).

    l = sqrt(x^2 + h^2),    tan(alpha) = h / x,    v = l' = l_MT' cos(alpha),    x = l_MT - l_T
    F = f_opt (a f_L(l~) f_V(v~) + f_P(l~) + d v~),    the tendon has F cos(alpha)

The parts of the force are those of the tendon's, so that active, passive and damping force add up to it. A rigid tendon keeps its length;
where it is slack and the fibres are pennate, it is as long as the path.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from redmax.components.one_line import OneLine
from redmax.math import atan2, less, maximum, minimum, sin, where
from redmax.types import ValueOrArray

if TYPE_CHECKING:
    from redmax.muscles.hill import Hill


@dataclass(frozen=True, eq=False, repr=False)
class Fibres(OneLine):
    """Each a number, or an array where the path's numbers are arrays.

    fibre_length (m), fibre_velocity (m/s, positive when lengthening), pennation: the angle alpha between fibres and tendon (rad)
    tendon_length (m), tendon_velocity (m/s)
    normalised_length, normalised_velocity: l~ and v~, where the muscle is on its curves; length_factor, velocity_factor, passive_factor:
        the curves f_L, f_V and f_P there
    fibre_force: F, along the fibres (N); active_force, passive_force, damping_force: what F cos(alpha) = tendon_force is made of (N)
    fibre_power: what the fibres do to the tendon, -F v (W)
    """

    fibre_length: Any
    fibre_velocity: Any
    pennation: Any
    tendon_length: Any
    tendon_velocity: Any
    normalised_length: Any
    normalised_velocity: Any
    length_factor: Any
    velocity_factor: Any
    passive_factor: Any
    fibre_force: Any
    active_force: Any
    passive_force: Any
    damping_force: Any
    tendon_force: Any
    fibre_power: Any


def fibres_of(hill: Hill, l_mt: ValueOrArray, ldot_mt: ValueOrArray, activation: ValueOrArray) -> Fibres:
    """Of a muscle whose path has the length l_mt (m) and the rate ldot_mt (m/s), at an activation from 0 to 1."""
    f, curves = hill.force, hill.curves
    length, cosine = hill.fibre(l_mt)
    at, v = hill.normalised(l_mt, ldot_mt)
    f_L, f_V, f_P = curves.active_length(at), curves.velocity(v), curves.passive_length(at)
    velocity, force = ldot_mt * cosine, f * (activation * f_L * f_V + f_P + hill.damping * v)
    tendon_length, tendon_velocity, pennation = tendon_of(hill, l_mt, ldot_mt)
    return Fibres(
        fibre_length=length,
        fibre_velocity=velocity,
        pennation=pennation,
        tendon_length=tendon_length,
        tendon_velocity=tendon_velocity,
        normalised_length=at,
        normalised_velocity=v,
        length_factor=f_L,
        velocity_factor=f_V,
        passive_factor=f_P,
        fibre_force=force,
        active_force=f * (activation * f_L * f_V) * cosine,
        passive_force=f * f_P * cosine,
        damping_force=f * (hill.damping * v) * cosine,
        tendon_force=hill.tension(l_mt, ldot_mt, activation),
        fibre_power=-force * velocity,
    )


def tendon_of(hill: Hill, l_mt: Any, ldot_mt: Any) -> tuple[Any, Any, Any]:
    """Its length and rate, and the angle of the fibres to it."""
    still = 0.0 * l_mt  # with the axes of the path's length
    if not hill.pennate:
        return hill.tendon_length + still, still, still
    x, h = maximum(l_mt - hill.tendon_length, 0.0), hill.optimal_length * sin(hill.pennation)
    slack = less(l_mt, hill.tendon_length)
    return minimum(l_mt, hill.tendon_length), where(slack, ldot_mt, 0.0 * ldot_mt), atan2(h, x)
