"""Robust losses rho(s) of squared residuals s: like s where it is small, and slower beyond `scale`^2, so that outliers count less.

Holland and Welsch, Robust regression using iteratively reweighted least-squares (1977), where the losses are those of sqrt(s).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from redmax.components.checks import number
from redmax.errors import SceneError, warn
from redmax.types import Array

LEAST, MOST = 1e-100, 1e100  # of scales, whose powers must be numbers


class Loss:
    """rho(s), with rho'(0) = 1. milder: losses with fewer local minima, whose minima are where fits with this one begin"""

    @property
    def milder(self) -> tuple[Loss, ...]:
        return ()

    def value(self, s: Array) -> Array:
        raise NotImplementedError

    def slope(self, s: Array) -> Array:
        """rho'."""
        raise NotImplementedError

    def bend(self, s: Array) -> Array:
        """rho''."""
        raise NotImplementedError


@dataclass(frozen=True)
class Squares(Loss):
    """rho = s: least squares."""

    def value(self, s: Array) -> Array:
        return s

    def slope(self, s: Array) -> Array:
        return np.ones_like(s)

    def bend(self, s: Array) -> Array:
        return np.zeros_like(s)


@dataclass(frozen=True)
class Scaled(Loss):
    """scale: of residuals (rad and m under the metric) from which on they count less."""

    scale: float

    def __post_init__(self) -> None:
        valid = f"a number from {LEAST:g} to {MOST:g} (rad and m, as the metric weighs them)"
        number(type(self).__name__, "scale", self.scale, valid, least=LEAST, most=MOST)


def check_counted(owner: str, loss: Loss, s: Array, weights: Array) -> None:
    """Raise where no pose counts at the end of a fit, warn where most do not. s: (N,) squared residuals"""
    far, known = int(np.sum((loss.slope(s) == 0.0) & (weights > 0))), int(np.sum(weights > 0))
    if 2 * far <= known:
        return
    said = f"{owner}: {far} of {known} poses are so far from the joint that they do not count under {loss!r}"
    fix = f"Give a larger scale: the nearest half of the poses are within {np.sqrt(np.median(s[weights > 0])):.2g} (rad and m)"
    if far == known:
        raise SceneError(f"{said}. {fix}.", owner=owner, argument="loss")
    warn(f"{said}. {fix}.")


class Huber(Scaled):
    """Squares up to the scale, then straight on: 2 scale sqrt(s) - scale^2. Convex, and outliers still pull, each as hard as any other."""

    def value(self, s: Array) -> Array:
        return np.where(s <= self.scale**2, s, 2.0 * self.scale * np.sqrt(s) - self.scale**2)

    def slope(self, s: Array) -> Array:
        return self.scale / np.sqrt(np.maximum(s, self.scale**2))

    def bend(self, s: Array) -> Array:
        return np.where(s <= self.scale**2, 0.0, -0.5 * self.scale * np.maximum(s, self.scale**2) ** -1.5)


class Cauchy(Scaled):
    """scale^2 log(1 + s / scale^2): smooth, and far outliers hardly pull."""

    @property
    def milder(self) -> tuple[Loss, ...]:
        return (Huber(self.scale),)

    def value(self, s: Array) -> Array:
        return self.scale**2 * np.log1p(s / self.scale**2)

    def slope(self, s: Array) -> Array:
        return 1.0 / (1.0 + s / self.scale**2)

    def bend(self, s: Array) -> Array:
        return -((self.scale + s / self.scale) ** -2.0)


class Tukey(Scaled):
    """scale^2 / 3 (1 - (1 - s / scale^2)^3) up to the scale, then constant: farther outliers do not pull at all."""

    @property
    def milder(self) -> tuple[Loss, ...]:
        return Huber(self.scale), Cauchy(self.scale)

    def value(self, s: Array) -> Array:
        return self.scale**2 / 3.0 * (1.0 - self.inside(s) ** 3)

    def slope(self, s: Array) -> Array:
        return self.inside(s) ** 2

    def bend(self, s: Array) -> Array:
        return -2.0 / self.scale**2 * self.inside(s)

    def inside(self, s: Array) -> Array:
        return np.maximum(1.0 - s / self.scale**2, 0.0)
