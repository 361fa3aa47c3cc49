"""A body given by its mass and inertia alone.

A real distribution of mass has a symmetric inertia whose principal moments satisfy I1 + I2 >= I3 >= I2 >= I1 >= 0 (valid_inertia.py).
Without a shape of its own it is drawn as the solid ellipsoid of equal mass and inertia, whose semi-axes are
a_i^2 = 5/(2m) (I_j + I_k - I_i).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from redmax.arguments import brief
from redmax.bodies.base import Array, Body, Triangles
from redmax.bodies.ellipsoid import Ellipsoid
from redmax.bodies.principal import principal_axes
from redmax.bodies.valid_inertia import fault_of, repaired
from redmax.components.checks import finite, flag
from redmax.components.given import Range, Shape, Unit
from redmax.errors import SceneError, wrong

THINNEST = 0.02  # the drawn ellipsoid of a rod or plate keeps this fraction of its largest semi-axis


@dataclass(frozen=True, eq=False, repr=False)
class MassProperties(Body):
    """Explicit mass (kg) and inertia (kg m^2) about the centre of mass.

    inertia: (3, 3) in body axes, or (3,) principal values along the body axes
    display: shape to draw; the frame it was described in is taken to be this body's frame
    repair: what to do with an inertia that no distribution of mass has, as from a rounded data sheet: False to refuse it, True to take the
        nearest that one has (by the sum of squares of the entries), with a warning that says what was changed
    effective: whether the inertia may be none of mass alone, as with a fluid around the body: any that is symmetric and has no negative
        principal moment
    MassProperties(0, (0, 0, 0)) is a massless body.
    """

    mass: Annotated[float, Range(least=0), Unit("kg")]
    inertia: Annotated[Array, Shape((3,), (3, 3)), Unit("kg m^2")]
    display: Body | None = None
    repair: bool = False
    effective: bool = False

    def __post_init__(self) -> None:
        mass = float(finite("MassProperties", "mass", self.mass, ((),), "a finite number, 0 or greater (kg)"))
        if mass < 0:
            raise wrong("MassProperties", "mass", self.mass, "0 or greater (kg)")
        if self.display is not None and not isinstance(self.display, Body):
            raise wrong("MassProperties", "display", self.display, "a body such as Sphere(0.1)")
        repair, effective = (flag("MassProperties", name, getattr(self, name)) for name in ("repair", "effective"))
        if repair and effective:
            raise wrong("MassProperties", "repair", repair, "False beside effective=True, which takes the inertia as it is")
        inertia = checked_inertia(self.inertia, repair, "; repair=True takes the nearest that one has", effective)
        if mass == 0 and inertia.any():
            raise SceneError(
                f"MassProperties: mass is 0 but inertia is {brief(self.inertia)}; a massless body has zero inertia: "
                "give it a mass, or write MassProperties(0, (0, 0, 0)).",
                owner="MassProperties",
                argument="mass",
            )
        self._set(mass=mass, inertia=inertia, frame=np.eye(4))

    def geometry(self) -> dict[str, Any]:
        if self.display is None:
            return {"kind": "mass-properties", "display": None}
        display = {**self.display.geometry(), "pose": self.display.frame.tolist()}
        return {"kind": "mass-properties", "display": display}

    def mesh(self, segments: int = 24) -> Triangles:
        if self.display is not None:
            vertices, faces = self.display.mesh(segments)
            return vertices @ self.display.frame[:3, :3].T + self.display.frame[:3, 3], faces
        if not self.inertia.any():  # a point or nothing at all
            return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)
        R, moments = principal_axes(self.inertia)
        squared = 5 / (2 * self.mass) * (moments.sum() - 2 * moments)
        radii = np.sqrt(np.maximum(squared, THINNEST**2 * squared.max()))
        vertices, faces = Ellipsoid(tuple(radii.tolist())).mesh(segments)
        return vertices @ R.T, faces


def checked_inertia(value: Any, repair: bool = False, advice: str = "", effective: bool = False) -> Array:
    """(3, 3) symmetric inertia that some distribution of mass could have, or an error. repair: or the nearest; advice: of the error;
    effective: or any without a negative moment."""
    given = finite("MassProperties", "inertia", value, ((3,), (3, 3)), "3 principal values or a 3x3 matrix (kg m^2)")
    inertia = np.diag(given) if given.ndim == 1 else given
    fault = fault_of(inertia, effective=effective)
    if fault and not repair:
        which = f"is {brief(value)}, which " if fault.startswith("is not symmetric") else ""
        raise SceneError(f"MassProperties: inertia {which}{fault}{advice}.", owner="MassProperties", argument="inertia")
    inertia = repaired("MassProperties", inertia) if repair else inertia
    return (inertia + inertia.T) / 2
