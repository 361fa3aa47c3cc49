"""Random shapes, poses and meshes for the property tests of bodies."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from redmax.bodies import Body, Capsule, Cone, Cuboid, Cylinder, Ellipsoid, Sphere, Torus

lengths = st.floats(0.05, 20.0)
lengths3 = st.tuples(lengths, lengths, lengths)
densities = st.floats(0.1, 1e4)
coordinates = st.floats(-5.0, 5.0)
translations = st.tuples(coordinates, coordinates, coordinates)

# Name -> (class, strategy for its dimensions in the order of the constructor).
PRIMITIVES = {
    "cuboid": (Cuboid, st.tuples(lengths3)),
    "sphere": (Sphere, st.tuples(lengths)),
    "ellipsoid": (Ellipsoid, st.tuples(lengths3)),
    "cylinder": (Cylinder, st.tuples(lengths, lengths)),
    "capsule": (Capsule, st.tuples(lengths, lengths)),
    "cone": (Cone, st.tuples(lengths, lengths)),
    "torus": (Torus, st.tuples(lengths, st.floats(0.05, 0.95)).map(lambda d: (d[0], d[0] * d[1]))),
}


@st.composite
def primitives(draw: st.DrawFn) -> Body:
    """Any primitive of any size and density."""
    shape, dimensions = PRIMITIVES[draw(st.sampled_from(sorted(PRIMITIVES)))]
    return shape(*draw(dimensions), density=draw(densities))


@st.composite
def rotations(draw: st.DrawFn) -> np.ndarray:
    """(3, 3) rotation, uniformly distributed."""
    return Rotation.random(rng=draw(st.integers(0, 2**32 - 1))).as_matrix()


@st.composite
def poses(draw: st.DrawFn) -> np.ndarray:
    """(4, 4) rigid transform."""
    E = np.eye(4)
    E[:3, :3] = draw(rotations())
    E[:3, 3] = draw(translations)
    return E


def close(actual: object, expected: object, tolerance: float = 1e-12) -> bool:
    """max|a - b| <= tolerance max|b|, the measure of agreement used throughout."""
    a, b = np.asarray(actual, float), np.asarray(expected, float)
    return a.shape == b.shape and bool(np.abs(a - b).max() <= tolerance * np.abs(b).max())
