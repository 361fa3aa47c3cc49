"""The package coal: which shapes it knows, and where two of them meet."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.contact.asked.placed import NONE, Placed, Points
from redmax.contact.asked.polish import polished
from redmax.contact.asked.surface import polytope_of, way_out
from redmax.contact.polytope import Polytope
from redmax.contact.shape import ContactShape
from redmax.errors import SceneError

TOLERANCES = (1e-7, 1e-6, 1e-4)  # of how far apart they are: of iterations in coal, which may find nothing with the first
TURNS = 300
FAR = 10.0  # times both radii: no depth
AROUND = 8  # corners of a patch of what is round
DEEPER = 1e-5  # of a radius, by which a point between the corners of a patch is deeper than these, to count
FACE = 2e-3  # how far a normal may be from that of a face, and is taken for it


def coal_for(names: str) -> Any:
    """The package, or an error that says what it is for."""
    try:
        import coal  # type: ignore[import-not-found]  # of cmeel, which adds its folder when Python starts
    except ImportError:
        said = f"Contact of {names} needs the package coal, which is not installed"
        raise SceneError(f'{said}. Install it: pip install "redmax[collide]".', owner="contact", argument="contact") from None
    return coal


class Library:
    """coal, with the shapes that it was asked for."""

    def __init__(self, coal: Any) -> None:
        self.coal = coal
        self.solids: dict[ContactShape, tuple[Any, Polytope | None]] = {}
        self.request = coal.CollisionRequest(coal.CollisionRequestFlag.CONTACT, 1)
        self.request.gjk_max_iterations = self.request.epa_max_iterations = TURNS

    def solid(self, shape: ContactShape) -> tuple[Any, Polytope | None]:
        """As coal has it, and its faces."""
        if shape not in self.solids:
            self.solids[shape] = self.made(shape), polytope_of(shape)
        return self.solids[shape]

    def made(self, shape: ContactShape) -> Any:
        coal, (r, h, d) = self.coal, shape.size.tolist()
        if shape.kind == "mesh":
            return self.convex(shape.solid.vertices, shape.solid.faces)
        makes = {
            "sphere": lambda: coal.Sphere(r), "capsule": lambda: coal.Capsule(r, 2 * h), "cylinder": lambda: coal.Cylinder(r, 2 * h),
            "cuboid": lambda: coal.Box(2 * r, 2 * h, 2 * d), "ellipsoid": lambda: coal.Ellipsoid(r, h, d),
        }  # fmt: skip
        return makes[shape.kind]()

    def convex(self, vertices: np.ndarray, faces: np.ndarray) -> Any:
        """Vertices (n, 3), triangles (m, 3)."""
        points, triangles = self.coal.StdVec_Vec3s(), self.coal.StdVec_Triangle()
        for v in vertices:
            points.append(v)
        for f in faces.tolist():
            triangles.append(self.coal.Triangle(*f))
        return self.coal.Convex(points, triangles)

    def collided(self, one: Any, at: Any, two: Any, there: Any, margin: float, far: float) -> Any:
        """What coal finds within the margin, if it does; with larger tolerances, where it gets lost."""
        self.request.security_margin = margin
        for tolerance in TOLERANCES:
            self.request.gjk_tolerance = self.request.epa_tolerance = tolerance
            result = self.coal.CollisionResult()
            self.coal.collide(one, at, two, there, self.request, result)
            if not result.numContacts():
                return None
            contact = result.getContact(0)
            if abs(contact.penetration_depth) < far and np.isfinite(contact.normal).all():
                return result
        return None

    def meet(self, a: Placed, b: Placed, margin: float) -> Points:
        """Where two convex shapes meet that are nearer than the margin."""
        coal, (one, first), (two, second) = self.coal, self.solid(a.shape), self.solid(b.shape)
        places = coal.Transform3s(a.R, a.x), coal.Transform3s(b.R, b.x)
        result = self.collided(one, places[0], two, places[1], margin, FAR * (a.shape.radius + b.shape.radius))
        if result is None:
            return NONE
        contact = result.getContact(0)
        n, gap = np.array(contact.normal), float(contact.penetration_depth)
        n = of_a_face(n, (a, first, 1.0), (b, second, -1.0))
        contact.normal = n  # exactly, so that corners of the patch do not tremble
        result.clear()
        result.addContact(contact)
        patches = coal.ContactPatchResult()
        coal.computeContactPatch(one, places[0], two, places[1], result, coal.ContactPatchRequest(1, AROUND, margin), patches)
        patch = patches.getContactPatch(0) if patches.numContactPatches() else None
        corners = [] if patch is None else [patch.getPoint(k) for k in range(patch.size())]
        several = len(corners) > 1
        if not several and first is None and second is None:
            n, point, gap = polished(n, a, b) or (n, np.array(contact.pos), gap)
            return Points(point[None], n[None], np.array([gap]))
        points = np.array([contact.pos, *corners] if several else [contact.pos])
        up, down = way_out(a, first, points, n), way_out(b, second, points, -n)
        middle, gaps = points + 0.5 * (up - down)[:, None] * n, -(up + down)
        deepest = not several or gaps[0] < gaps[1:].min() - DEEPER * min(a.shape.radius, b.shape.radius)
        kept = slice(None) if deepest else slice(1, None)  # where edges cross, all corners are higher
        return Points(middle[kept], np.broadcast_to(n, middle[kept].shape), gaps[kept])


def of_a_face(n: np.ndarray, *sides: tuple[Placed, Polytope | None, float]) -> np.ndarray:
    """The normal of the nearest face, if one is near; of the first shape, where both have such."""
    for body, faces, sign in sides:
        if faces is not None:
            nearest = faces.normals[(faces.normals @ (sign * n @ body.R)).argmax()]
            found = sign * body.R @ nearest
            if np.abs(found - n).max() < FACE:
                return found
    return n
