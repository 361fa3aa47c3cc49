"""The group that a body moves on: how a step goes along it, and what its velocity v and its rate v' are to the body twist and its rate.

    SE3            q = E,       v = (Omega; V), the body twist            q exp(d) = E exp([d])
    SO3xR3         q = (R, x),  v = (Omega; xdot), V = R' xdot            q exp(d) = (R exp([d_w]), x + d_x)
    SE3-right      q = E,       v = Ad_E (Omega; V), the spatial twist    exp(d) q = exp([d]) E
    SO3xR3-right   q = (R, x),  v = (R Omega; xdot)                       exp(d) q = (exp([d_w]) R, x + d_x)

(Brüls, Cardona, Arnold, Mech. Mach. Theory 48, 2012.) The first two are left-trivialised: v is seen from the body, but for xdot; the
others right-trivialised, seen from the world. Frames are those of bodies, or of joints (frame.py). Each also says how all this changes
where the body is displaced by a twist s, E -> E exp([s]); changes of v, a and d are then told as the body twists that they are: Ad_E^-1 of
those of spatial twists, R' of others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from redmax.dynamics.common.kinematics import ad
from redmax.forces.frames import crossed
from redmax.integrators.absolute.frame import Frame
from redmax.integrators.variational.relative import Pose, Twist, inverse_differential, reversed_differential, twist_of
from redmax.lie import Adjoint

LEFT = ("SE3", "SO3xR3")
GROUPS = (*LEFT, "SE3-right", "SO3xR3-right")


class Group(Protocol):
    """V, Vdot: body twists and their rates; v, a: of the group; E: a pose. The repr tells one from another."""

    @property
    def frame(self) -> Frame:
        """Whose poses and velocities these are."""
        ...

    def difference(self, begin: Pose, end: Pose) -> Any:
        """d, (6,), that goes from begin to end."""
        ...

    def moved(self, begin: Pose, end: Pose, s: Any) -> Any:
        """How d changes as the end is displaced by s."""
        ...

    def motion(self, E: Pose, v: Any, a: Any) -> tuple[Any, Any]:
        """V and Vdot."""
        ...

    def own(self, E: Pose, V: Any, Vdot: Any) -> tuple[Any, Any]:
        """v and a."""
        ...

    def twist_moved(self, V: Any, s: Any, dv: Any) -> Any:
        """How V changes as the body is displaced by s, and v by dv."""
        ...

    def velocity_moved(self, V: Any, s: Any, dV: Any) -> Any:
        """dv of dV: the inverse."""
        ...

    def rate_moved(self, V: Any, Vdot: Any, s: Any, dV: Any, da: Any) -> Any:
        """How Vdot changes as V does by dV, and a by da."""
        ...

    def as_own(self, E: Pose, d: Any) -> Any:
        """A change of v or d as it is, of one that is told as a body twist."""
        ...

    def covector(self, E: Pose, D: Any) -> Any:
        """What body twists feel of D: D' v = covector' V."""
        ...


def log_between(begin: Pose, end: Pose) -> Twist:
    """log(begin^-1 end)."""
    return twist_of((begin[0].T @ end[0], begin[0].T @ (end[1] - begin[1])))


def turn_between(begin: Pose, end: Pose) -> Twist:
    """log of the rotation; nothing else."""
    nothing = np.zeros(3).astype(object)
    return twist_of((begin[0].T @ end[0], nothing))


def to_world(E: Pose) -> Adjoint:
    """Ad_E, as that of the inverse of E^-1."""
    R, x = E
    return Adjoint(R.T, -(R.T @ x))


def both(R: Any, x: Any) -> Any:
    """R of both halves."""
    return np.concatenate([R @ x[:3], R @ x[3:]])


@dataclass(frozen=True)
class SE3:
    """Screw motions: rotation and translation belong together."""

    frame: Frame

    def difference(self, begin: Pose, end: Pose) -> Any:
        return log_between(begin, end).whole

    def moved(self, begin: Pose, end: Pose, s: Any) -> Any:
        """dexp^-1_{-d} s."""
        d = log_between(begin, end)
        J, P = inverse_differential(d)[0].T, reversed_differential(d)
        return np.concatenate([J @ s[:3], P @ s[:3] + J @ s[3:]])

    def motion(self, E: Pose, v: Any, a: Any) -> tuple[Any, Any]:
        return v, a

    def own(self, E: Pose, V: Any, Vdot: Any) -> tuple[Any, Any]:
        return V, Vdot

    def twist_moved(self, V: Any, s: Any, dv: Any) -> Any:
        return dv

    def velocity_moved(self, V: Any, s: Any, dV: Any) -> Any:
        return dV

    def rate_moved(self, V: Any, Vdot: Any, s: Any, dV: Any, da: Any) -> Any:
        return da

    def as_own(self, E: Pose, d: Any) -> Any:
        return d

    def covector(self, E: Pose, D: Any) -> Any:
        return D


@dataclass(frozen=True)
class SpatialSE3:
    """The same, seen from the world: with d0 = log(begin^-1 end), d = Ad_begin d0, and Ad_end^-1 of how d changes is dexp^-1_{d0} s."""

    frame: Frame

    def difference(self, begin: Pose, end: Pose) -> Any:
        return to_world(begin) @ log_between(begin, end).whole

    def moved(self, begin: Pose, end: Pose, s: Any) -> Any:
        J, Q = inverse_differential(log_between(begin, end))
        return np.concatenate([J @ s[:3], Q @ s[:3] + J @ s[3:]])

    def motion(self, E: Pose, v: Any, a: Any) -> tuple[Any, Any]:
        return Adjoint(*E) @ v, Adjoint(*E) @ a

    def own(self, E: Pose, V: Any, Vdot: Any) -> tuple[Any, Any]:
        return to_world(E) @ V, to_world(E) @ Vdot

    def twist_moved(self, V: Any, s: Any, dv: Any) -> Any:
        return dv + ad(V, s)

    def velocity_moved(self, V: Any, s: Any, dV: Any) -> Any:
        return dV - ad(V, s)

    def rate_moved(self, V: Any, Vdot: Any, s: Any, dV: Any, da: Any) -> Any:
        return da + ad(Vdot, s)

    def as_own(self, E: Pose, d: Any) -> Any:
        return to_world(E) @ d

    def covector(self, E: Pose, D: Any) -> Any:
        return to_world(E).T @ D


@dataclass(frozen=True)
class SO3xR3:
    """Rotation, and translation in the world's axes, which know nothing of each other."""

    frame: Frame

    def difference(self, begin: Pose, end: Pose) -> Any:
        return np.concatenate([turn_between(begin, end).w, end[1] - begin[1]])

    def moved(self, begin: Pose, end: Pose, s: Any) -> Any:
        turned = inverse_differential(Twist(turn_between(begin, end).w, np.zeros(3)))[0].T
        return np.concatenate([turned @ s[:3], s[3:]])

    def motion(self, E: Pose, v: Any, a: Any) -> tuple[Any, Any]:
        V, Vdot = E[0].T @ v[3:], E[0].T @ a[3:]
        return np.concatenate([v[:3], V]), np.concatenate([a[:3], Vdot - crossed(v[:3], V)])

    def own(self, E: Pose, V: Any, Vdot: Any) -> tuple[Any, Any]:
        w, u = V[:3], V[3:]
        return np.concatenate([w, E[0] @ u]), np.concatenate([Vdot[:3], E[0] @ (Vdot[3:] + crossed(w, u))])

    def twist_moved(self, V: Any, s: Any, dv: Any) -> Any:
        return np.concatenate([dv[:3], dv[3:] + crossed(V[3:], s[:3])])

    def velocity_moved(self, V: Any, s: Any, dV: Any) -> Any:
        return np.concatenate([dV[:3], dV[3:] - crossed(V[3:], s[:3])])

    def rate_moved(self, V: Any, Vdot: Any, s: Any, dV: Any, da: Any) -> Any:
        w, u = V[:3], V[3:]
        a = Vdot[3:] + crossed(w, u)
        return np.concatenate([da[:3], da[3:] + crossed(a, s[:3]) - crossed(dV[:3], u) - crossed(w, dV[3:])])

    def as_own(self, E: Pose, d: Any) -> Any:
        return np.concatenate([d[:3], E[0] @ d[3:]])

    def covector(self, E: Pose, D: Any) -> Any:
        return np.concatenate([D[:3], E[0].T @ D[3:]])


@dataclass(frozen=True)
class SpatialSO3xR3:
    """The same with the angular velocity in the world's axes."""

    frame: Frame

    def difference(self, begin: Pose, end: Pose) -> Any:
        return np.concatenate([begin[0] @ turn_between(begin, end).w, end[1] - begin[1]])

    def moved(self, begin: Pose, end: Pose, s: Any) -> Any:
        turned = inverse_differential(Twist(turn_between(begin, end).w, np.zeros(3)))[0]
        return np.concatenate([turned @ s[:3], s[3:]])

    def motion(self, E: Pose, v: Any, a: Any) -> tuple[Any, Any]:
        V, Vdot = both(E[0].T, v), both(E[0].T, a)
        return V, np.concatenate([Vdot[:3], Vdot[3:] - crossed(V[:3], V[3:])])

    def own(self, E: Pose, V: Any, Vdot: Any) -> tuple[Any, Any]:
        return both(E[0], V), both(E[0], np.concatenate([Vdot[:3], Vdot[3:] + crossed(V[:3], V[3:])]))

    def twist_moved(self, V: Any, s: Any, dv: Any) -> Any:
        return dv + np.concatenate([crossed(V[:3], s[:3]), crossed(V[3:], s[:3])])

    def velocity_moved(self, V: Any, s: Any, dV: Any) -> Any:
        return dV - np.concatenate([crossed(V[:3], s[:3]), crossed(V[3:], s[:3])])

    def rate_moved(self, V: Any, Vdot: Any, s: Any, dV: Any, da: Any) -> Any:
        w, u, a = V[:3], V[3:], Vdot[3:] + crossed(V[:3], V[3:])
        shifted = da[3:] + crossed(a, s[:3]) - crossed(dV[:3], u) - crossed(w, dV[3:])
        return np.concatenate([da[:3] + crossed(Vdot[:3], s[:3]), shifted])

    def as_own(self, E: Pose, d: Any) -> Any:
        return both(E[0], d)

    def covector(self, E: Pose, D: Any) -> Any:
        return both(E[0].T, D)


CLASSES: dict[str, type[Any]] = dict(zip(GROUPS, (SE3, SO3xR3, SpatialSE3, SpatialSO3xR3), strict=True))


def group_of(name: str, frame: str) -> Group:
    """Of bodies with this frame."""
    return CLASSES[name](Frame(frame))
