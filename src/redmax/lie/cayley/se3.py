"""The Cayley map of rigid motions, that of the 4x4 matrices.

    cay(V) = (I - [V]/2)^-1 (I + [V]/2) = (cay(w), B v)          B = (I - [w]/2)^-1,  V = (w; v)

    dcay_left(V) = [[D, 0], [1/2 [v] D, B]],     its inverse [[D^-1, 0], [-1/2 B^-1 [v], B^-1]]          D = dcay_left(w) of rotations

from d cay(V) cay(V)^-1 = (I - [V]/2)^-1 [dV] (I + [V]/2)^-1 (Kobilarov, Marsden, IEEE Trans. Robotics 27, 2011; Selig, Cayley
maps for SE(3), 2007). It is not a screw motion, unlike exp, and not that of the 6x6 adjoints, which is another map.
Twists are (..., 6), poses (..., 4, 4).
"""

from __future__ import annotations

import numpy as np

from redmax.lie.cayley import so3
from redmax.lie.se3 import pose, rotation, translation
from redmax.lie.so3 import bracket, polynomial
from redmax.lie.three import product, rows, split, times
from redmax.math import array
from redmax.types import Array


def cay(V: Array) -> np.ndarray:
    """The pose (cay(w), B v)."""
    V = np.asarray(V)
    w, v = V[..., :3], V[..., 3:]
    return pose(so3.cay(w), array(times(rows(so3.half_resolvent(w)), split(v))))


def inverse(E: Array) -> np.ndarray:
    """The twist (..., 6) with cay(V) = E; a pose turned by pi has none (not finite)."""
    w = so3.inverse(rotation(E))
    v = times(rows(polynomial(-0.5, 0.0, w)), split(translation(E)))
    return array([*split(w), *v])


def dcay_left(V: Array) -> np.ndarray:
    """J with d/dt cay(V) = [J Vdot] cay(V)."""
    V = np.asarray(V)
    w, v = V[..., :3], V[..., 3:]
    D = so3.dcay_left(w)
    below = product(rows(bracket(array([0.5 * x for x in split(v)]))), rows(D))
    return blocks(D, array(below), so3.half_resolvent(w))


def dcay_right(V: Array) -> np.ndarray:
    """J with d/dt cay(V) = cay(V) [J Vdot]: dcay_left(-V), since cay(-V) is the inverse."""
    return dcay_left(0.0 - np.asarray(V))


def dcay_left_inverse(V: Array) -> np.ndarray:
    """Vdot from the spatial twist."""
    V = np.asarray(V)
    w, v = V[..., :3], V[..., 3:]
    B = polynomial(-0.5, 0.0, w)
    below = product(rows(B), rows(bracket(array([-0.5 * x for x in split(v)]))))
    return blocks(so3.dcay_left_inverse(w), array(below), B)


def dcay_right_inverse(V: Array) -> np.ndarray:
    """Vdot from the body twist."""
    return dcay_left_inverse(0.0 - np.asarray(V))


def blocks(D: np.ndarray, Q: np.ndarray, B: np.ndarray) -> np.ndarray:
    """[[D, 0], [Q, B]]."""
    D, Q, B = np.broadcast_arrays(D, Q, B)
    M = np.full((*D.shape[:-2], 6, 6), 0.0, np.result_type(D, Q, B))
    M[..., :3, :3], M[..., 3:, :3], M[..., 3:, 3:] = D, Q, B
    return M
