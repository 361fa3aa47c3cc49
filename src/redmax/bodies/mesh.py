"""A solid bounded by a closed triangle mesh; mass, centre and inertia by exact volume integration (volume.py)."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redmax.arguments import as_path
from redmax.bodies.base import NOT_GIVEN, Array, Solid, Triangles
from redmax.bodies.hull import hull_of
from redmax.bodies.principal import principal_axes
from redmax.bodies.valid_inertia import fault_of, nearest_inertia, repaired
from redmax.bodies.volume import integrate
from redmax.components.checks import finite, flag, positive
from redmax.components.given import Shape, Unit
from redmax.errors import SceneError, wrong

INEXACT = 1e-6  # of the moments of a mesh, relative to the largest: what a flat one may be off by
FLAT = 1e-12  # a volume below this fraction of the bounding box's diagonal cubed is none


@dataclass(frozen=True, eq=False, repr=False)
class Mesh(Solid):
    """Solid bounded by triangles: vertices (n, 3) (m) and faces (m, 3), counterclockwise seen from outside.

    The mesh may lie anywhere: `frame` is the pose of the body frame (centre of mass, principal axes) in the frame of
    the vertices. It must be closed, with every edge used as often in one direction as in the other.
    repair: what to do where parts that are inside out leave an inertia that no distribution of mass has: False to refuse the mesh, True to
        take the nearest inertia that one has, with a warning that says what was changed
    """

    vertices: Annotated[Array, Shape((-1, 3)), Unit("m")]
    faces: Annotated[NDArray[np.int64], Shape((-1, 3))]
    repair: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        vertices = finite("Mesh", "vertices", self.vertices, ((-1, 3),), "an (n, 3) array of finite coordinates (m)")
        faces = checked_faces(self.faces, len(vertices))
        check_closed(faces)
        integrals = integrate(vertices, faces)
        check_volume(vertices, integrals.volume)
        frame = np.eye(4)
        frame[:3, :3], moments = principal_axes(checked_inertia(integrals.inertia, flag("Mesh", "repair", self.repair)))
        frame[:3, 3] = integrals.centre
        self._set(vertices=vertices, faces=faces)
        self._fill(integrals.volume, np.diag(moments), frame)

    @classmethod
    def load(
        cls, path: str | PathLike[str], scale: float = 1.0, *, density: float = NOT_GIVEN, mass: float = NOT_GIVEN, repair: bool = False
    ) -> Mesh:
        """Mesh from a file (OBJ, STL, PLY, ...); `scale` multiplies its coordinates, 0.001 for a file in mm."""
        factor = positive("Mesh", "scale", scale, "m per unit of the file")
        vertices, faces = load_triangles(as_path(path, "Mesh: the file", "part.stl"))
        try:
            return cls(factor * vertices, faces, density=density, mass=mass, repair=repair)
        except SceneError as error:
            raise SceneError(f"In the file {str(path)!r}: {error}", owner=error.owner, argument="path") from error

    @classmethod
    def hull(cls, points: ArrayLike, *, density: float = NOT_GIVEN, mass: float = NOT_GIVEN) -> Mesh:
        """The convex hull of points (n, 3) (m), such as the vertices of a mesh that is not convex."""
        given = finite("Mesh", "points", points, ((-1, 3),), "an (n, 3) array of finite coordinates (m)")
        found = hull_of(given)
        if found is None:
            said = f"Mesh: the {len(given)} points have no hull with a volume, expected at least 4 that do not lie in one plane."
            raise SceneError(said, owner="Mesh", argument="points")
        return cls(found.vertices, found.faces, density=density, mass=mass)

    def geometry(self) -> dict[str, Any]:
        vertices, faces = self.mesh()
        return {"kind": "mesh", "vertices": vertices.tolist(), "faces": faces.tolist()}

    def mesh(self, segments: int = 24) -> Triangles:
        return (self.vertices - self.frame[:3, 3]) @ self.frame[:3, :3], self.faces.copy()


def checked_faces(value: ArrayLike, count: int) -> NDArray[np.int64]:
    """(m, 3) indices into `count` vertices, three different ones to a face, or an error."""
    valid = "an (m, 3) array of integers, the three vertices of each face"
    given = finite("Mesh", "faces", value, ((-1, 3),), valid)
    faces = given.astype(np.int64)
    if not len(faces) or not np.array_equal(faces, given):
        raise wrong("Mesh", "faces", value, valid)
    if faces.min() < 0 or faces.max() >= count:
        raise SceneError(
            f"Mesh: faces use vertices {faces.min()} to {faces.max()}, expected 0 to {count - 1}; "
            "numbering starts at 0 (an OBJ file's starts at 1).",
            owner="Mesh",
            argument="faces",
        )
    repeated = np.flatnonzero((faces == np.roll(faces, 1, axis=1)).any(axis=1))
    if len(repeated):
        raise SceneError(
            f"Mesh: face {repeated[0]} is {faces[repeated[0]].tolist()}, expected three different vertices; leave such faces out.",
            owner="Mesh",
            argument="faces",
        )
    return faces


def check_closed(faces: NDArray[np.int64]) -> None:
    """Raise unless every edge is used equally often in both directions."""
    directed = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    low, high = directed.min(axis=1), directed.max(axis=1)
    numbers, index = np.unique(low * (int(faces.max()) + 1) + high, return_inverse=True)  # one number for each edge: quicker than pairs
    edges, index = np.column_stack(np.divmod(numbers, int(faces.max()) + 1)), index.reshape(-1)
    uses = np.bincount(index)
    balance = np.bincount(index, weights=np.where(directed[:, 0] < directed[:, 1], 1, -1))
    holes = np.flatnonzero(uses % 2)
    if len(holes):
        i, j = edges[holes[0]]
        raise SceneError(
            f"Mesh: not closed: {len(holes)} edges, the first from vertex {i} to {j}, lack a face on one side; "
            "merge duplicate vertices or fill the holes (trimesh: merge_vertices, fill_holes), or give MassProperties.",
            owner="Mesh",
            argument="faces",
        )
    twisted = np.flatnonzero(balance)
    if len(twisted):
        i, j = edges[twisted[0]]
        raise SceneError(
            f"Mesh: inconsistent orientation at {len(twisted)} edges, the first from vertex {i} to {j}: its faces "
            "run the same way along it; turn all faces counterclockwise seen from outside (trimesh: fix_normals).",
            owner="Mesh",
            argument="faces",
        )


def check_volume(vertices: NDArray[np.float64], volume: float) -> None:
    """Raise unless the mesh encloses a positive volume."""
    diagonal = float(np.linalg.norm(np.ptp(vertices, axis=0)))
    if abs(volume) <= FLAT * diagonal**3:
        raise SceneError(
            f"Mesh: the volume is {volume:.3g}, expected more than 0: the mesh is flat; give it a thickness, or give "
            "MassProperties with the mesh's numbers.",
            owner="Mesh",
            argument="vertices",
        )
    if volume < 0:
        raise SceneError(
            f"Mesh: the volume is {volume:.6g}, expected more than 0: the faces look inward; pass faces[:, ::-1].",
            owner="Mesh",
            argument="faces",
        )


def checked_inertia(inertia: Array, repair: bool) -> Array:
    """The inertia of unit mass, which parts of a mesh that are inside out can make one of nothing; or repaired."""
    fault = fault_of(inertia, INEXACT)
    if not fault:
        return inertia
    why = "parts of the mesh overlap, or are inside out: turn their faces"
    thin = np.linalg.eigvalsh(nearest_inertia(inertia))[0] <= INEXACT * np.abs(inertia).max()
    if thin or not repair:
        more = (
            " (the nearest valid inertia is that of a line or a point)" if thin else ", or take the nearest valid inertia with repair=True"
        )
        raise SceneError(f"Mesh: the inertia (of 1 kg) {fault.partition(':')[0]}; {why}{more}.", owner="Mesh", argument="faces")
    return repaired("Mesh, of 1 kg", inertia, INEXACT)


def load_triangles(path: str | PathLike[str]) -> Triangles:
    """Vertices and faces of a mesh file, with duplicate vertices merged."""
    try:
        import trimesh
    except ImportError as error:
        raise SceneError(
            f"Mesh: loading {str(path)!r} needs the package trimesh; install it with: pip install 'redmax[mesh]'.",
            owner="Mesh",
            argument="path",
        ) from error
    try:
        loaded: Any = trimesh.load_mesh(str(path))
    except Exception as error:
        raise SceneError(
            f"Mesh: cannot load {str(path)!r} ({error}), expected a readable mesh file such as OBJ, STL or PLY.",
            owner="Mesh",
            argument="path",
        ) from error
    loaded.merge_vertices(merge_tex=True, merge_norm=True)
    return np.asarray(loaded.vertices, dtype=float), np.asarray(loaded.faces, dtype=np.int64)
