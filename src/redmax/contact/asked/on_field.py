"""Shapes over height fields: points of the shape above triangles, with the normals of these; and coal, where the ground is convex.

Corners of what has flat faces, points of rims, and the lowest points of what is round lie above one triangle each, by how far they are
above its plane: no edge within flat ground is felt. What meets a ridge or a peak is asked of coal, triangle by triangle, as a prism below
each; what it finds counts where the ground around that point lies below the plane of the contact.
"""

from __future__ import annotations

import numpy as np

from redmax.contact.asked.library import Library
from redmax.contact.asked.placed import NONE, Placed, Points
from redmax.contact.asked.surface import polytope_of
from redmax.contact.height_field import HeightField
from redmax.contact.pairs.plane import LOWER, STANDS
from redmax.contact.polytope import Polytope
from redmax.contact.shape import ContactShape

CONVEX = 1e-6  # how far neighbours lie below the plane of a triangle, of a step of the grid, to be a ridge
FLUSH = 1e-4  # how far they may lie above the plane of a contact
UPWARD = 0.5  # of a normal that leads out of the ground
TOUCHES = 1e-6  # of a cell, beside a triangle: still on it
ENDS = {"capsule": 2, "cylinder": 2}
AROUND = np.array([(1.0, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0)])  # points of a rim that are fixed in it
PRISM = np.array([(0, 1, 2), (3, 5, 4), (0, 3, 4), (0, 4, 1), (1, 4, 5), (1, 5, 2), (2, 5, 3), (2, 3, 0)])


class Ground:
    """A height field, and the prisms below its triangles that coal was asked for."""

    def __init__(self, shape: ContactShape, library: Library) -> None:
        self.shape, self.library = shape, library
        self.field: HeightField = shape.solid
        self.flat = self.field.normals.reshape(-1, 3)
        self.tops = self.field.corners.reshape(-1, 3, 3)
        self.ridges = self.ridged()
        self.prisms: dict[int, ContactShape] = {}

    def ridged(self) -> np.ndarray:
        """(triangles,): whether one of its borders, or a corner, is convex, or at the border of the field."""
        n, m = np.array(self.field.heights.shape) - 1
        i, j = np.indices((n, m))
        found = np.zeros((n, m, 2), bool)
        for di in (-1, 0, 1):
            for dj in (-1, 0, 1):
                up, on = np.clip(i + di, 0, n - 1), np.clip(j + dj, 0, m - 1)
                others = self.field.corners[up, on].reshape(n, m, 1, 6, 3) - self.field.corners[:, :, :, :1, :]
                below = (others * self.field.normals[:, :, :, None, :]).sum(axis=-1).min(axis=-1)
                found |= below < -CONVEX * self.field.step.min()
        found[[0, -1]] = found[:, [0, -1]] = True
        return found.ravel()

    def meet(self, a: Placed, b: Placed, margin: float) -> Points:
        """a: the field."""
        R, x = a.R.T @ b.R, a.local(b.x)
        local = Placed(b.shape, R, x, 0.0)
        near = self.below(local, margin)
        if not len(near):
            return NONE
        points, at = self.candidates(local, near)
        gap = ((points - self.tops[at, 0]) * self.flat[at]).sum(axis=1)
        low = gap < margin
        n = self.flat[at[low]]
        found = [Points(points[low] - 0.5 * gap[low, None] * n, n, gap[low])]
        ridges = near[self.ridges[near]]
        above = ((x - self.tops[ridges, 0]) * self.flat[ridges]).sum(axis=1) - extents(local, self.flat[ridges])
        steep = list[Points]()
        for t in ridges[above < margin].tolist():
            met = self.library.meet(Placed(self.prism(t), np.eye(3), np.zeros(3), 0.0), local, margin)
            if len(met):
                found.append(met.some(self.holds(met)))
                steep.append(met.some((met.gap < 0) & (met.normal[:, 2] > UPWARD)))
        if not sum(map(len, found)):  # deep in the ground: any way up will do
            most = max(steep, key=lambda met: float(-met.gap.min()) if len(met) else -np.inf, default=NONE)
            found.append(most if len(most) else self.pushed(local))
        whole = [np.concatenate([getattr(p, name) for p in found]) for name in ("point", "normal", "gap")]
        return Points(a.world(whole[0]), whole[1] @ a.R.T, whole[2])

    def pushed(self, b: Placed) -> Points:
        """Out of the ground, of a shape whose centre is in it: along the normal of the triangle there."""
        t = int(self.under(b.x[None])[0])
        n = self.flat[t]
        above, reach = n @ (b.x - self.tops[t, 0]), float(extents(b, n[None])[0])
        if t < 0 or above > 0:
            return NONE
        gap = above - reach
        return Points((b.x - (reach + 0.5 * gap) * n)[None], n[None], np.array([gap]))

    def below(self, b: Placed, margin: float) -> np.ndarray:
        """The numbers of triangles in the box around a shape."""
        n, m = np.array(self.field.heights.shape) - 1
        low, high = b.x - extents(b, np.eye(3)) - margin, b.x + extents(b, -np.eye(3)) + margin
        (i, j), (up, on) = np.maximum(self.cell(low[:2]), 0), np.minimum(self.cell(high[:2]), [n - 1, m - 1])
        if i > up or j > on:
            return np.zeros(0, int)
        cells = (np.arange(i, up + 1)[:, None] * m + np.arange(j, on + 1)).ravel()
        found = (2 * cells[:, None] + [0, 1]).ravel()
        return found[self.tops[found, :, 2].max(axis=1) > low[2]]

    def cell(self, p: np.ndarray) -> np.ndarray:
        """(..., 2): whole numbers of the cell of places (..., 2), also beyond the border."""
        return np.floor((p + 0.5 * self.field.span) / self.field.step).astype(int)

    def under(self, points: np.ndarray) -> np.ndarray:
        """(k,): the triangle under each point (k, 3), straight down; -1 beyond the border."""
        counts = np.array(self.field.heights.shape) - 1
        place = (points[:, :2] + 0.5 * self.field.span) / self.field.step
        inside = ((place >= 0) & (place <= counts)).all(axis=1)
        cell = np.clip(np.floor(place).astype(int), 0, counts - 1)
        u, v = (place - cell).T
        return np.where(inside, 2 * (cell[:, 0] * counts[1] + cell[:, 1]) + (v > u), -1)

    def candidates(self, b: Placed, near: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Points of the shape (k, 3), and the triangles (k,) that they are above."""
        faces = polytope_of(b.shape)
        if faces is not None:
            points = b.world(faces.vertices)
            at = self.under(points)
            return points[at >= 0], at[at >= 0]
        lowest = lowest_points(b, self.flat[near])
        of = np.tile(near, len(lowest) // len(near))
        foot = lowest - ((lowest - self.tops[of, 0]) * self.flat[of]).sum(axis=1)[:, None] * self.flat[of]  # in the plane of the triangle
        own = self.under(foot) == of
        points, at = lowest[own], of[own]
        middle = self.under(b.x[None])[0]
        if b.shape.kind == "cylinder" and middle >= 0:
            n = self.flat[middle] @ b.R
            lean = np.hypot(n[0], n[1])
            if lean < STANDS:  # as over a plane: four points of the lower rim, and the lowest where that is lower (pairs/plane.py)
                r, h = b.shape.size[:2]
                rim = b.world(r * AROUND - (0, 0, np.copysign(h, n[2])))
                lower = ((points - b.x) @ b.R)[:, 2] * n[2] < 0
                lower &= lean - np.abs(n[:2]).max() > LOWER
                on = self.under(rim)
                points, at = np.concatenate([rim[on >= 0], points[lower]]), np.concatenate([on[on >= 0], at[lower]])
        return points, at

    def prism(self, t: int) -> ContactShape:
        """Below a triangle, far down."""
        if t not in self.prisms:
            top = self.tops[t]
            deep = self.field.heights.min() - float(np.max(self.field.span))
            vertices = np.concatenate([top, np.column_stack([top[:, :2], np.full(3, deep)])])
            sides = np.array([(top[(k + 1) % 3] - top[k])[[1, 0]] * (1, -1) for k in range(3)])
            sides = np.column_stack([sides / np.linalg.norm(sides, axis=1)[:, None], np.zeros(3)])
            normals = np.concatenate([[self.flat[t], (0.0, 0, -1)], sides])
            offsets = np.array([self.flat[t] @ top[0], -deep, *(sides * top).sum(axis=1)])
            solid, s = Polytope(vertices, PRISM, normals, offsets), self.shape
            self.prisms[t] = ContactShape(s.owner, -1, "mesh", np.eye(4), np.zeros(3), solid.radius, s.material, solid=solid)
        return self.prisms[t]

    def holds(self, met: Points) -> np.ndarray:
        """(k,): whether the ground around a point lies below the plane of its contact, and is convex there."""
        counts, step = np.array(self.field.heights.shape) - 1, self.field.step.min()
        found = np.zeros(len(met), bool)
        for k, (p, n, gap) in enumerate(zip(met.point, met.normal, met.gap, strict=True)):
            p = p - 0.5 * gap * n
            first, last = (np.clip(self.cell(p[:2] + side * TOUCHES * self.field.step), 0, counts - 1) for side in (-1, 1))
            cells = [(i, j) for i in range(first[0], last[0] + 1) for j in range(first[1], last[1] + 1)]
            around = np.concatenate([self.field.corners[i, j] for i, j in cells])
            around = around[[touches(triangle[:, :2], p[:2]) for triangle in around]]
            height = ((around - p) @ n) / step
            edge = (np.abs(np.abs(p[:2]) - 0.5 * self.field.span) < TOUCHES * self.field.step).any()
            convex = edge or (len(around) > 1 and height.min() < -CONVEX)
            found[k] = n[2] > 0 and len(around) and convex and height.max() < FLUSH
        return found


def touches(triangle: np.ndarray, p: np.ndarray) -> bool:
    """Whether a place (2,) lies in a triangle (3, 2), seen from above, or on its border."""
    a, b, c = triangle
    whole = cross(b - a, c - a)
    return bool(min(cross(b - a, p - a), cross(c - b, p - b), cross(a - c, p - c)) > -1e-5 * whole)


def cross(a: np.ndarray, b: np.ndarray) -> float:
    return float(a[0] * b[1] - a[1] * b[0])


def extents(b: Placed, normals: np.ndarray) -> np.ndarray:
    """(n,): how far a shape reaches from its centre against normals (n, 3)."""
    faces = polytope_of(b.shape)
    if faces is not None:
        return (-(normals @ b.R) @ faces.vertices.T).max(axis=1)
    below = (b.x - lowest_points(b, normals).reshape(ENDS.get(b.shape.kind, 1), len(normals), 3)) * normals
    return below.sum(axis=-1).max(axis=0)


def lowest_points(b: Placed, normals: np.ndarray) -> np.ndarray:
    """(k n, 3): the lowest points of what is round above planes with normals (n, 3): one for each, or one of each end."""
    kind, (r, h, _) = b.shape.kind, b.shape.size
    d = normals @ b.R
    if kind == "sphere":
        return b.x - r * normals
    if kind == "ellipsoid":
        scaled = b.shape.size * d
        return b.world(-b.shape.size * scaled / np.linalg.norm(scaled, axis=1)[:, None])
    ends = [np.broadcast_to((0.0, 0.0, z), d.shape) for z in (-h, h)]
    if kind == "cylinder":
        beside = d * (1.0, 1.0, 0.0)
        d = beside / np.maximum(np.linalg.norm(beside, axis=1), 1e-12)[:, None]
    return b.world(np.concatenate([end - r * d for end in ends]))
