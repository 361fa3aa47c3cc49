"""A rectangular sheet of point masses and springs.

Springs join neighbours (structural), the diagonals of each cell (shear), and nodes two apart (bending). Their K (spring.py) are chosen
so that the energy of a homogeneous strain does not depend on the number of cells (dx, dy: sides of a cell; area: dx dy, half at an edge):

    structural  K = stretch area                      stretch/2 e^2 per area under a strain e along a side
    shear       K = shear (dx^2 + dy^2)^2 / (2 area)  shear/2 gamma^2 per area under the angle gamma
    bending     K = bend area                         little: at a crease of angle phi, nodes two apart are strained by only -phi^2/8

A strain along x meets the other two kinds as well: the sheet's stiffness in it is stretch + bend (nx - 1)/nx + shear dx^2/dy^2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_array
from redmax.components.checks import as_pose, finite, number, positive, whole
from redmax.components.given import FromZero, Pose, Positive, Range, Rayleigh, Shape, Unit
from redmax.deformables.base import Array, Deformable, Numbers
from redmax.deformables.elements import Elements, check_size
from redmax.deformables.spring import Spring
from redmax.errors import Phrase, called, wrong


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Cloth(Deformable):
    """A sheet, flat at rest, in the x-y plane of `at` and centred there; node j (nx + 1) + i is the i-th along x of the j-th row along y.

    size: (width, height) along x and y (m);  cells: (nx, ny)
    density: mass per area (kg/m^2)
    stretch, shear, bend: stiffness of the three kinds of springs (N/m)
    damping: D / K of every spring (s)
    at: (3,) or (4, 4) place in the world
    """

    def __init__(
        self,
        size: Annotated[ArrayLike, Shape((2,)), Range(above=0), Unit("m")],
        cells: Annotated[Sequence[int], Shape((2,)), Range(least=1)],
        *,
        density: Annotated[Positive, Unit("kg/m^2")],
        stretch: Annotated[Positive, Unit("N/m")],
        shear: Annotated[FromZero, Unit("N/m")] = 0.0,
        bend: Annotated[FromZero, Unit("N/m")] = 0.0,
        damping: Annotated[FromZero, Unit("s")] = 0.0,
        at: Pose = (0.0, 0.0, 0.0),
        rayleigh: Rayleigh = (0.0, 0.0),
        name: str | None = None,
    ) -> None:
        owner = "Cloth" if name is None else called("Cloth", name)
        width, height = checked_size(owner, size)
        nx, ny = checked_cells(owner, cells)
        E = as_pose(owner, "at", at)
        flat = grid(width, height, nx, ny)
        stiffness = (
            positive(owner, "stretch", stretch, "N/m"),
            number(owner, "shear", shear, "a finite number from 0 up (N/m)", least=0),
            number(owner, "bend", bend, "a finite number from 0 up (N/m)", least=0),
        )
        pairs, K = springs(width / nx, height / ny, nx, ny, *stiffness)
        L = np.linalg.norm(flat[pairs[:, 1]] - flat[pairs[:, 0]], axis=1)
        D = number(owner, "damping", damping, "a finite number from 0 up (s)", least=0)
        data = np.stack([K, L, D * K], axis=1)
        rho = positive(owner, "density", density, "kg/m^2")
        masses = rho * np.outer(shares(ny) * height / ny, shares(nx) * width / nx).ravel()
        super().__init__(
            flat @ E[:3, :3].T + E[:3, 3],
            masses,
            (Elements(Spring(damped=D > 0), pairs, data),),
            rayleigh,
            surface=triangles(nx, ny),
            name=name,
        )


def grid(width: float, height: float, nx: int, ny: int) -> Array:
    """(N, 3) places in the sheet's own frame."""
    x, y = np.meshgrid(np.linspace(-width / 2, width / 2, nx + 1), np.linspace(-height / 2, height / 2, ny + 1))
    return np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1)


def shares(n: int) -> Array:
    """What each of n + 1 lines of nodes has of the cells beside it: 1, at the two ends 1/2."""
    share = np.ones(n + 1)
    share[[0, -1]] = 0.5
    return share


def springs(dx: float, dy: float, nx: int, ny: int, stretch: float, shear: float, bend: float) -> tuple[Numbers, Array]:
    """Pairs (n, 2) of nodes, and K (n,) of the spring between them; none where K is zero."""
    number = np.arange((nx + 1) * (ny + 1)).reshape(ny + 1, nx + 1)
    area_x = np.repeat(shares(ny)[:, None], nx + 1, axis=1) * dx * dy  # beside a spring along x: half at the edges y = const
    area_y = np.repeat(shares(nx)[None, :], ny + 1, axis=0) * dx * dy
    diagonal = np.full((ny, nx), shear * (dx * dx + dy * dy) ** 2 / (2 * dx * dy))
    kinds = [
        (number[:, :-1], number[:, 1:], stretch * area_x[:, 1:]),
        (number[:-1], number[1:], stretch * area_y[1:]),
        (number[:-1, :-1], number[1:, 1:], diagonal),
        (number[:-1, 1:], number[1:, :-1], diagonal),
        (number[:, :-2], number[:, 2:], bend * area_x[:, 2:]),
        (number[:-2], number[2:], bend * area_y[2:]),
    ]
    pairs = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b, _ in kinds])
    K = np.concatenate([k.ravel() for *_, k in kinds])
    return pairs[K > 0], K[K > 0]


def triangles(nx: int, ny: int) -> Numbers:
    """(2 nx ny, 3), counterclockwise seen from +z."""
    number = np.arange((nx + 1) * (ny + 1)).reshape(ny + 1, nx + 1)
    a, b, c, d = number[:-1, :-1].ravel(), number[:-1, 1:].ravel(), number[1:, 1:].ravel(), number[1:, :-1].ravel()
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def checked_size(owner: str, size: Any) -> tuple[float, float]:
    valid = "two finite numbers greater than 0 (width and height, m)"
    width, height = finite(owner, "size", size, ((2,),), valid).tolist()
    if not min(width, height) > 0:
        raise wrong(owner, "size", size, valid)
    return width, height


def checked_cells(owner: str, cells: Any) -> tuple[int, int]:
    if not isinstance(cells, tuple | list | np.ndarray) or as_array(cells).shape != (2,):
        raise wrong(owner, "cells", cells, "two whole numbers from 1 up, along x and y")
    across, along = (whole(owner, Phrase(f"cells along {a}", "cells"), n, 1) for a, n in zip("xy", cells, strict=True))
    check_size(owner, 4 * across * along, "cells")
    return across, along
