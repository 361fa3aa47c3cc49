"""Joints along one parameter, fitted to poses: `fit_curve`, and what it gives.

`spans`, `windows` and `chains` are the curve and how it moves with its control frames; `misfit` is what is made small, `bands` and
`descent` make it so; `fit` is what a user calls.
"""

from redmax.design.curves.descent import Iteration
from redmax.design.curves.fit import fit_curve
from redmax.design.curves.loss import Cauchy, Huber, Loss, Tukey
from redmax.design.curves.result import CurveFit

__all__ = ["Cauchy", "CurveFit", "Huber", "Iteration", "Loss", "Tukey", "fit_curve"]
