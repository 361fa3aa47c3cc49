"""Lissajous curves: a harmonic motion along each axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.components.checks import finite
from redmax.components.given import Point3, Vector3
from redmax.curves.base import ParametricCurve
from redmax.math import array, sin
from redmax.types import ValueOrArray


class Lissajous(ParametricCurve):
    """A Lissajous curve: x_i = amplitude_i sin(frequency_i s + phase_i), i = x, y, z; amplitudes in m, phases in rad."""

    def __init__(self, amplitudes: Point3, frequencies: Vector3, phases: Vector3 = (0.0, 0.0, 0.0)) -> None:
        given = {"amplitudes": amplitudes, "frequencies": frequencies, "phases": phases}
        checked = [finite("curves.Lissajous", name, value, ((3,),), "three finite numbers (x, y, z)") for name, value in given.items()]
        self.amplitudes, self.frequencies, self.phases = checked

    @property
    def period(self) -> float | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Of whole frequencies; other curves need not close."""
        whole = np.round(self.frequencies).astype(int)
        same = np.allclose(self.frequencies, whole, atol=1e-12) and whole.any()
        return 2 * np.pi / float(np.gcd.reduce(whole)) if same else None

    def point(self, s: ValueOrArray) -> Any:
        return array([a * sin(f * s + p) for a, f, p in zip(self.amplitudes, self.frequencies, self.phases)])

    def sample(self, count: int = 200) -> np.ndarray:
        slowest = np.min(np.abs(self.frequencies[self.frequencies != 0.0]), initial=np.inf)
        return np.linspace(0.0, self.period or (2 * np.pi / slowest if np.isfinite(slowest) else 1.0), count)
