"""Curves in space, for joints that follow one: `redmax.curves.Bezier(points)`."""

from redmax.curves.base import ParametricCurve
from redmax.curves.bezier import Bezier
from redmax.curves.circle import Circle
from redmax.curves.ellipse import Ellipse
from redmax.curves.function import Curve
from redmax.curves.helix import Helix
from redmax.curves.lissajous import Lissajous
from redmax.curves.polyline import Polyline

__all__ = ["Bezier", "Circle", "Curve", "Ellipse", "Helix", "Lissajous", "ParametricCurve", "Polyline"]
