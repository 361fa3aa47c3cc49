"""Exact volume integrals over a closed triangle mesh.

Each triangle (a, b, c) spans a signed tetrahedron with the origin; with s = a + b + c,

    V = det[a b c] / 6,   int x dV = V s / 4,   int x x' dV = V (a a' + b b' + c c' + s s') / 20

and the sum over triangles is the integral over the inside. Same integrals as Mirtich, "Fast and accurate computation
of polyhedral mass properties", 1996 (which RedMax notes Sec. 1.7 use), in the form of Blow & Binstock, 2004.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class VolumeIntegrals:
    """volume: () signed; centre: (3,) of the volume; inertia: (3, 3) about the centre, for unit mass."""

    volume: float
    centre: NDArray[np.float64]
    inertia: NDArray[np.float64]


def integrate(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> VolumeIntegrals:
    """Volume integrals of the inside of a closed mesh; the centre and inertia mean nothing when the volume is 0."""
    reference = vertices.mean(axis=0)  # near the centre, so that far-away meshes lose no digits
    a, b, c = np.moveaxis((vertices - reference)[faces], 1, 0)
    s = a + b + c
    V = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
    volume = float(V.sum())
    if volume == 0:
        return VolumeIntegrals(0.0, reference, np.zeros((3, 3)))
    centre = V @ s / (4 * volume)
    C = sum(np.einsum("i,ij,ik->jk", V, x, x) for x in (a, b, c, s)) / (20 * volume)
    C = C - np.outer(centre, centre)
    return VolumeIntegrals(volume, reference + centre, np.trace(C) * np.eye(3) - C)
