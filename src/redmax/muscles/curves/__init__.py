"""The curves of a muscle: how its force depends on the normalised length and velocity of its fibres."""

from redmax.muscles.curves import degroote_fregly, millard, redmax
from redmax.muscles.curves.base import Curves
from redmax.muscles.curves.cubic import cubic, joined, through
from redmax.muscles.curves.named import NAMES, curves_of
from redmax.muscles.curves.piecewise import PiecewisePolynomial

__all__ = [
    "NAMES", "Curves", "PiecewisePolynomial", "cubic", "curves_of", "degroote_fregly", "joined", "millard", "redmax", "through",
]  # fmt: skip
