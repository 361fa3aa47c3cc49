"""Elastic solids of linear tetrahedra, their mass lumped at the nodes: a quarter of that of each tetrahedron beside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_array
from redmax.components.checks import as_pose, finite, positive, positive3, whole
from redmax.components.given import Cells, Length, Lengths3, PerElement, Points, Pose, Rayleigh, Shape
from redmax.deformables import tet_files, tet_mesh
from redmax.deformables.base import Array, Deformable, Numbers
from redmax.deformables.elements import Elements, check_range, check_size, integers
from redmax.deformables.materials import MATERIALS, Material, lame
from redmax.errors import Phrase, SceneError, called, wrong


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Tetrahedra(Deformable):
    """An elastic solid.

    nodes: (N, 3) at rest (m);  tets: (n, 4) the nodes of each tetrahedron, in any order
    density: kg/m^3;  youngs: E (Pa);  poisson: nu, from -1 to 1/2;  each one number, or one for each tetrahedron
    material: "neo-hookean" (stable, for any deformation) or "corotated" (linear but for rotations), or one of your own
    rayleigh: (alpha, beta), damping proportional to mass (1/s) and to stiffness (s)
    """

    tets: Numbers = field(init=False)
    volumes: Array = field(init=False)

    def __init__(
        self,
        nodes: Points,
        tets: Annotated[ArrayLike, Shape((-1, 4))],
        *,
        density: PerElement,
        youngs: PerElement,
        poisson: PerElement,
        material: str | Material = "neo-hookean",
        rayleigh: Rayleigh = (0.0, 0.0),
        name: str | None = None,
    ) -> None:
        owner = "Tetrahedra" if name is None else called("Tetrahedra", name)
        x = finite(owner, "nodes", nodes, ((-1, 3),), "an (N, 3) array of finite coordinates (m)")
        given = integers(owner, "tets", tets, 4, "an (n, 4) array of node numbers")
        if not len(given):
            raise SceneError(
                f"{owner}: tets is empty, expected at least one tetrahedron of four node numbers.", owner=owner, argument="tets"
            )
        check_range(owner, Phrase("tetrahedron", "tets"), given, len(x))
        tet_mesh.check_used(owner, len(x), given)
        tets = tet_mesh.oriented(owner, x, given)
        surface = tet_mesh.boundary(owner, tets)
        V = tet_mesh.volumes(x, tets)
        rho = each(owner, "density", density, len(tets), "kg/m^3", 0.0, np.inf)
        masses = np.zeros(len(x))
        np.add.at(masses, tets, (rho * V / 4)[:, None])
        E = each(owner, "youngs", youngs, len(tets), "Pa", 0.0, np.inf)
        nu = each(owner, "poisson", poisson, len(tets), "no unit", -1.0, 0.5)
        law = chosen(owner, material)
        mu, lam = law.own(*lame(E, nu))
        B = np.linalg.inv(tet_mesh.edges(x, tets)).astype(np.float64)
        data = np.concatenate([B.reshape(-1, 9), (V * mu)[:, None], (V * lam)[:, None]], axis=1)
        super().__init__(x, masses, (Elements(law, tets, data),), rayleigh, surface=surface, name=name)
        self._set(tets=tets, volumes=V)

    @classmethod
    def box(cls, size: Lengths3, cells: Cells, *, at: Pose = (0.0, 0.0, 0.0), **options: Any) -> Self:
        """A box of the given size (x, y, z, m) in cells (nx, ny, nz) of six tetrahedra each, centred at `at`, a place (3,) or pose (4, 4).

        Node (k (ny + 1) + j) (nx + 1) + i is the i-th, j-th, k-th along x, y, z. The other options are those of Tetrahedra.
        """
        return cls._box(size, cells, (0.0, 0.0, 0.0), at, options)

    @classmethod
    def beam(cls, length: Length, width: Length, height: Length, cells: Cells, *, at: Pose = (0.0, 0.0, 0.0), **options: Any) -> Self:
        """A beam from x = 0 to its length, centred in y (width) and z (height), as `box` otherwise."""
        return cls._box((length, width, height), cells, (0.5, 0.0, 0.0), at, options)

    @classmethod
    def _box(cls, size: Lengths3, cells: Cells, shift: Any, at: Any, options: dict[str, Any]) -> Self:
        sides = positive3(cls.__name__, "size", size, "sides")
        if not isinstance(cells, tuple | list | np.ndarray) or as_array(cells).shape != (3,):
            raise wrong(cls.__name__, "cells", cells, "three whole numbers from 1 up, along x, y and z")
        nx, ny, nz = (whole(cls.__name__, Phrase(f"cells along {axis}", "cells"), n, 1) for axis, n in zip("xyz", cells, strict=True))
        check_size(cls.__name__, 5 * nx * ny * nz, "cells")
        E = as_pose(cls.__name__, "at", at)
        nodes, tets = tet_mesh.box(sides, (nx, ny, nz))
        return cls((nodes + np.multiply(shift, sides)) @ E[:3, :3].T + E[:3, 3], tets, **options)

    @classmethod
    def from_file(cls, path: str | PathLike[str], *, scale: float = 1.0, at: Pose = (0.0, 0.0, 0.0), **options: Any) -> Self:
        """From a .tet, .node, .ele file or one that meshio reads (tet_files.py); nodes that no tetrahedron uses are left out.

        scale: m per unit of the file;  at: place (3,) or pose (4, 4) of the file's frame;  other options: those of Tetrahedra
        """
        factor, E = positive(cls.__name__, "scale", scale, "m per unit of the file"), as_pose(cls.__name__, "at", at)
        nodes, tets = tet_files.read(path)
        try:
            check_range(cls.__name__, Phrase("tetrahedron", "path"), tets, len(nodes))
            nodes, tets = tet_mesh.used(nodes, tets)
            return cls(factor * nodes @ E[:3, :3].T + E[:3, 3], tets, **options)
        except SceneError as error:
            raise SceneError(f"In the file {str(path)!r}: {error}", owner=error.owner, argument="path") from error

    def save(self, path: str | PathLike[str]) -> None:
        """Write nodes (at rest) and tetrahedra in the format of the path's ending (tet_files.py)."""
        tet_files.write(path, self.nodes, self.tets)


def chosen(owner: str, material: Any) -> Material:
    if isinstance(material, Material):
        return material
    if not isinstance(material, str) or material not in MATERIALS:
        names = " or ".join(repr(n) for n in MATERIALS)
        raise wrong(owner, "material", material, f"{names}, or a Material")
    return MATERIALS[material]


def each(owner: str, name: str, value: Any, count: int, unit: str, above: float, below: float) -> Array:
    """(count,) numbers between two bounds from one number or as many."""
    between = f"greater than {above:g}" if below == np.inf else f"greater than {above:g} and less than {below:g}"
    valid = f"a finite number {between} ({unit}), or one for each of {count} tetrahedra"
    numbers = np.broadcast_to(finite(owner, name, value, ((), (count,)), valid), (count,)).copy()
    beyond = np.flatnonzero(~((numbers > above) & (numbers < below)))
    if len(beyond):
        raise wrong(owner, name, value, valid, but=f", with {numbers[beyond[0]]:g} at {beyond[0]}" if np.ndim(value) else "")
    return numbers
