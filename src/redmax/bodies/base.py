"""A rigid body: mass, inertia about its centre of mass, and a surface to draw.

The body frame has its origin at the centre of mass. `frame` is its pose in the frame in which the user described the
shape: the identity for shapes described about their centre, something else for a composite or a mesh. In the body
frame the spatial inertia is block diagonal (RedMax notes Eq. 1.24), angular part first:

    M = [ I   0  ]
        [ 0  m 1 ]
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.components.checks import positive
from redmax.components.given import Density, Mass
from redmax.components.kept_arguments import Made
from redmax.components.one_line import OneLine
from redmax.errors import SceneError

Array = NDArray[np.float64]
Triangles = tuple[NDArray[np.float64], NDArray[np.int64]]

DEFAULT_DENSITY = 1000.0  # water, kg/m^3
NOT_GIVEN: Any = None
ORDINARY = 1e-100  # of a volume, m^3: of smaller ones, and of larger than its inverse, other numbers follow that no float can hold


@dataclass(frozen=True, repr=False)
class Body(OneLine, Made, ABC):
    """Mass properties and shape of one rigid body.

    mass: () total mass (kg)
    inertia: (3, 3) about the centre of mass, in body axes (kg m^2)
    frame: (4, 4) pose of the body frame in the frame in which the shape was described
    """

    mass: float = field(init=False)
    inertia: Array = field(init=False, repr=False, compare=False)
    frame: Array = field(init=False, repr=False, compare=False)

    @abstractmethod
    def geometry(self) -> dict[str, Any]:
        """Kind and dimensions, in the body frame, of types that JSON knows: {"kind": "sphere", "radius": 0.1}."""

    @abstractmethod
    def mesh(self, segments: int = 24) -> Triangles:
        """Triangles for display: vertices (n, 3) in body coordinates, faces (m, 3) seen counterclockwise from outside.

        `segments` is the number of edges around a full circle.
        """

    @property
    def mass_matrix(self) -> Array:
        """(6, 6) spatial inertia at the body origin, angular then linear."""
        M = np.zeros((6, 6))
        M[:3, :3] = self.inertia
        M[3:, 3:] = self.mass * np.eye(3)
        return M

    def _set(self, **values: Any) -> None:
        """Store computed fields while the frozen object is being made; arrays become read-only."""
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            object.__setattr__(self, name, value)


@dataclass(frozen=True, repr=False)
class Solid(Body):
    """A body filled with one material: give either its density (kg/m^3, 1000 if neither) or its mass (kg)."""

    mass: Mass = field(default=NOT_GIVEN, kw_only=True)
    density: Density = field(default=NOT_GIVEN, kw_only=True)

    def _fill(self, volume: float, unit_inertia: Array, frame: Array | None = None) -> None:
        """Set mass, density, inertia and frame from the volume (m^3) and the inertia for unit mass (m^2)."""
        name = type(self).__name__
        if self.mass is not None and self.density is not None:
            raise SceneError(f"{name}: got mass={self.mass} and density={self.density}, expected only one.", owner=name, argument="mass")
        if self.mass is not None:
            mass = positive(name, "mass", self.mass, "kg")
            density = mass / volume if volume > 0 else np.inf
        else:
            density = positive(name, "density", DEFAULT_DENSITY if self.density is None else self.density, "kg/m^3")
            mass = density * volume
        numbers = np.array([volume, density, mass, *(mass * np.diag(unit_inertia))])
        if not (np.isfinite(numbers).all() and numbers.min() > 0):
            got = f"volume {volume:g}, density {density:g} and mass {mass:g} or the inertia overflow or underflow"
            valid = "numbers that floating point can hold; choose other units"
            raise SceneError(f"{name}: {got}, expected {valid}.", owner=name, argument=self._extreme(volume), expected=valid)
        self._set(mass=mass, density=density, inertia=mass * unit_inertia, frame=np.eye(4) if frame is None else frame)

    def _extreme(self, volume: float) -> str:
        """The argument that is too large or too small: of the mass where the volume is an ordinary number, else of the shape."""
        given = next((name for name in ("mass", "density") if getattr(self, name) is not None), "")
        ordinary = ORDINARY < volume < 1 / ORDINARY
        return given if given and ordinary else next(f.name for f in fields(self) if f.init and f.name not in ("mass", "density"))
