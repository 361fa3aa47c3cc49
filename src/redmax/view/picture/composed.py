"""The mean of the samples of each pixel: those of things, and what is behind for the others."""

from __future__ import annotations

from typing import Any

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole
from redmax.view.picture.scan import most

CLEAREST = 1e-6  # opacity of a pixel that has no colour


@routine
def summed(first: Whole, several: Whole, owner: Vector, things: Matrix, behind: Vector) -> Any:
    """Red, green, blue and opacity of all samples of a pixel together."""
    red, green, blue, alpha, left = 0.0, 0.0, 0.0, 0.0, 0.0
    for s in range(several):
        at = first + s
        if owner[at] >= 0.0:
            red, green, blue, alpha = red + things[at, 0], green + things[at, 1], blue + things[at, 2], alpha + things[at, 3]
        else:
            left = left + 1.0
    return red + left * behind[0], green + left * behind[1], blue + left * behind[2], alpha + left * behind[3]


@routine
def compose(pixels: Whole, several: Whole, clear: Whole, owner: Vector, things: Matrix, behind: Matrix, out: Matrix) -> None:
    """Red, green, blue and opacity of pixels, 0 to 255, half above the number that is meant.

    things: of samples, behind: of pixels, both times their opacity; clear: 1 if colours are wanted as they are without their opacity
    """
    for p in range(pixels):
        first, back, n = several * p, behind[p], float(several)
        red, green, blue, alpha = n * back[0], n * back[1], n * back[2], n * back[3]
        if max(owner[first], most(owner[first + 1], owner[first + 2], owner[first + 3])) >= 0.0:
            red, green, blue, alpha = summed(first, several, owner, things, back)
        share = 255.0 / n
        if clear > 0:
            share = 255.0 / max(alpha, CLEAREST)
        out[p, 0], out[p, 1] = min(red * share + 0.5, 255.5), min(green * share + 0.5, 255.5)
        out[p, 2], out[p, 3] = min(blue * share + 0.5, 255.5), min(alpha * (255.0 / n) + 0.5, 255.5)
