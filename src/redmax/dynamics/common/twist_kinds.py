"""The four ways to write the twist of a frame E = (R, p) with the angular velocity omega, in world axes:

    hybrid   (omega; pdot)                            at the frame's origin, in world axes
    body     (R^T omega; R^T pdot)                    at the frame's origin, in the frame's axes
    spatial  (omega; pdot + p x omega)                of the point of the body that is at the world's origin, in world axes
    mixed    (R^T omega; pdot)                        the former in the frame's axes, the latter in the world's

(Mueller, Screw and Lie group theory in multibody kinematics, 2018, Sec. 3; mixed as in Mueller and Terze, 2014.) A column of a Jacobian is
a twist per rate, so that J and J qdot are rewritten by the same lines, their rates by the derivatives of these: dR^T/dt = -R^T [omega].
"""

from __future__ import annotations

import numpy as np

from redmax.components.checks import choice
from redmax.lie.twists import KINDS, TwistKind

__all__ = ["KINDS", "TwistKind", "check_kind", "classical", "cross", "hybrid", "rewritten"]
NEXT, LAST = np.array([1, 2, 0]), np.array([2, 0, 1])  # of each axis


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a x b of vectors (..., 3): of few of them six times as fast as NumPy's, which looks for the axes first."""
    return a[..., NEXT] * b[..., LAST] - a[..., LAST] * b[..., NEXT]


def check_kind(owner: str, kind: str) -> str:
    """Raise unless it is one of the four."""
    return choice(owner, "kind", kind, KINDS)


def rewritten(kind: str, E: np.ndarray, V: np.ndarray, u: np.ndarray, udot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Twists u (..., k, 6) and their rates, both hybrid, as those of this kind. E, V: the frame, (..., 4, 4), and its hybrid twist."""
    R, (p, omega, v) = E[..., :3, :3], (part[..., None, :] for part in (E[..., :3, 3], V[..., :3], V[..., 3:]))
    w, b, wdot, bdot = u[..., :3], u[..., 3:], udot[..., :3], udot[..., 3:]
    if kind == "spatial":
        b, bdot = b + cross(p, w), bdot + cross(v, w) + cross(p, wdot)
    if kind == "body":
        b, bdot = b @ R, (bdot - cross(omega, b)) @ R
    if kind in ("body", "mixed"):
        w, wdot = w @ R, (wdot - cross(omega, w)) @ R
    return np.concatenate([w, b], axis=-1), np.concatenate([wdot, bdot], axis=-1)


def hybrid(E: np.ndarray, V: np.ndarray, u: np.ndarray, udot: np.ndarray) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """The other way: the hybrid twist of frames E (..., 4, 4) with body twists V (..., 6), and of body twists u (..., k, 6) and their
    rates the hybrid ones: d(R x)/dt = R (xdot + omega x x), with omega in the frame's axes."""
    back, omega = np.swapaxes(E[..., :3, :3], -1, -2), V[..., None, :3]

    def turned(x: np.ndarray) -> np.ndarray:
        return np.concatenate([x[..., :3] @ back, x[..., 3:] @ back], axis=-1)

    swept = np.concatenate([cross(omega, u[..., :3]), cross(omega, u[..., 3:])], axis=-1)
    return turned(V[..., None, :])[..., 0, :], (turned(u), turned(udot + swept))


def classical(kind: str, V: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """The angular acceleration, and the acceleration of the point, from a twist of this kind and its rate, (..., 6).

    The rate of a body twist is seen from axes that turn, that of a spatial twist from a place that other points pass: vdot + omega x v is
    the acceleration of the point. The others have pddot already.
    """
    if kind in ("hybrid", "mixed"):
        return rate
    return np.concatenate([rate[..., :3], rate[..., 3:] + cross(V[..., :3], V[..., 3:])], axis=-1)
