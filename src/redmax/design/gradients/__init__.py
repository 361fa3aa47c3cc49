"""Gradients of runs: `gradient`, and `linearize` for one step."""

from redmax.design.gradients.gradient import gradient
from redmax.design.gradients.linearized import StepLinearization, linearize
from redmax.design.gradients.moment import Moment
from redmax.design.gradients.run_gradient import Gradient, RunGradient

__all__ = ["Gradient", "Moment", "RunGradient", "StepLinearization", "gradient", "linearize"]
