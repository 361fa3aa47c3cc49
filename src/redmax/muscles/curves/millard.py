"""The curves of Millard, Uchida, Seth and Delp 2013 ("Flexing computational muscle"), with two continuous derivatives.

They are bends through given places (module `bezier`). The defaults are those that the authors' implementation in OpenSim comes with,
except that the active force falls to zero outside its range: the 0.1 that OpenSim may leave there serves models with elastic tendons.
"""

from __future__ import annotations

from functools import cache

from redmax.muscles.curves.bezier import Place, through_bends
from redmax.muscles.curves.piecewise import PiecewisePolynomial


@cache
def active_length(
    shortest: float = 0.4441,
    transition: float = 0.73,
    longest: float = 1.8123,
    shallow_slope: float = 0.8616,
    minimum: float = 0.0,
    curviness: float = 1.0,
) -> PiecewisePolynomial:
    """f_L of the normalised fibre length: 1 at 1, `minimum` below `shortest` and above `longest`.

    Rising, it is steep up to `transition` and has the slope `shallow_slope` from there.
    """
    half = 0.05  # of the width of the plateau around 1
    knee = 1 - shallow_slope * (1 - half - transition)  # on the shallow line that ends at the plateau
    steep = 1.25 * knee / (transition - shortest)
    falling = (1 + half + longest) / 2
    places = [
        Place(shortest, minimum, 0.0),
        Place((shortest + transition) / 2, knee / 2, steep),
        Place((transition + 1 - half) / 2, (knee + 1) / 2, shallow_slope),
        Place(1.0, 1.0, 0.0),
        Place(falling, 0.5, -1 / (longest - 1 - 2 * half)),
        Place(longest, minimum, 0.0),
    ]
    return through_bends(places, [curviness] * 5)


@cache
def velocity(
    isometric_slope: float = 5.0,
    concentric_slope: float = 0.25,
    eccentric_slope: float = 0.15,
    eccentric_force: float = 1.4,
    concentric_curviness: float = 0.6,
    eccentric_curviness: float = 0.9,
) -> PiecewisePolynomial:
    """f_V of the normalised velocity, positive when lengthening: 0 up to -1, 1 at 0, `eccentric_force` from 1 on.

    The slopes are those at 0, -0.9 and 0.9; the slopes at -1 and 1 are 0.
    """
    near = 0.1  # of the last bends at both ends
    places = [
        Place(-1.0, 0.0, 0.0),
        Place(-1.0 + near, 0.5 * near * concentric_slope, concentric_slope),
        Place(0.0, 1.0, isometric_slope),
        Place(1.0 - near, eccentric_force - 0.5 * near * eccentric_slope, eccentric_slope),
        Place(1.0, eccentric_force, 0.0),
    ]
    return through_bends(places, [concentric_curviness, concentric_curviness, eccentric_curviness, eccentric_curviness])


@cache
def passive_length(
    strain_at_zero: float = 0.0,
    strain_at_one: float = 0.7,
    low_stiffness: float = 0.2,
    stiffness_at_one: float = 2 / 0.7,
    curviness: float = 0.75,
) -> PiecewisePolynomial:
    """f_P of the normalised fibre length: 0 up to the length 1 + `strain_at_zero`, 1 at 1 + `strain_at_one`, then a line."""
    zero, one = 1 + strain_at_zero, 1 + strain_at_one
    toe = 0.1 * min(1 / stiffness_at_one, one - zero)
    places = [
        Place(zero, 0.0, 0.0),
        Place(zero + toe, 0.5 * toe * low_stiffness, low_stiffness),
        Place(one, 1.0, stiffness_at_one),
    ]
    return through_bends(places, [curviness] * 2)
