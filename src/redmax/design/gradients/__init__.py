"""Gradients of runs: `gradient` and what it returns."""

from redmax.design.gradients.gradient import gradient
from redmax.design.gradients.moment import Moment
from redmax.design.gradients.run_gradient import Gradient, RunGradient

__all__ = ["Gradient", "Moment", "RunGradient", "gradient"]
