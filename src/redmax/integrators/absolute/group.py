"""The group that a body moves on: how a step goes along it, and what its velocity v and its rate v' are to the body twist and its rate.

    SE3        q = E,       v = (Omega; V), the body twist            q exp(d) = E exp([d])
    SO3xR3     q = (R, x),  v = (Omega; xdot), V = R' xdot            q exp(d) = (R exp([d_w]), x + d_x)

(Brüls, Cardona, Arnold, Mech. Mach. Theory 48, 2012; both left-trivialised: v is seen from the body, but for xdot.) Frames are those of
bodies. Each also says how all this changes where the body is displaced by a twist s, E -> E exp([s]).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from redmax.forces.frames import crossed
from redmax.integrators.variational.relative import Pose, Twist, inverse_differential, reversed_differential, twist_of

GROUPS = ("SE3", "SO3xR3")


class Group(Protocol):
    """V, Vdot: body twists and their rates; v, a: of the group. The repr tells one from another."""

    def difference(self, begin: Pose, end: Pose) -> Any:
        """d, (6,), with begin exp(d) = end."""
        ...

    def moved(self, begin: Pose, end: Pose, s: Any) -> Any:
        """How d changes as the end is displaced by s; of xdot in the axes of the end."""
        ...

    def motion(self, R: Any, v: Any, a: Any) -> tuple[Any, Any]:
        """V and Vdot."""
        ...

    def own(self, R: Any, V: Any, Vdot: Any) -> tuple[Any, Any]:
        """v and a."""
        ...

    def twist_moved(self, V: Any, s: Any, dv: Any) -> Any:
        """How V changes as the body is displaced by s, and v by dv (of xdot in the body's axes)."""
        ...

    def velocity_moved(self, V: Any, s: Any, dV: Any) -> Any:
        """dv of dV: the inverse."""
        ...

    def rate_moved(self, V: Any, Vdot: Any, s: Any, dV: Any, da: Any) -> Any:
        """How Vdot changes as V does by dV, and a by da (of xddot in the body's axes)."""
        ...

    def in_world(self, R: Any, d: Any) -> Any:
        """A change of v or d as they are, of one whose xdot is told in the body's axes."""
        ...

    def covector(self, R: Any, D: Any) -> Any:
        """What body twists feel of D: D' v = covector' V."""
        ...


def split(x: Any) -> tuple[Any, Any]:
    return x[:3], x[3:]


@dataclass(frozen=True)
class SE3:
    """Screw motions: rotation and translation belong together."""

    def difference(self, begin: Pose, end: Pose) -> Any:
        return self.log(begin, end).whole

    def log(self, begin: Pose, end: Pose) -> Twist:
        """Of begin^-1 end."""
        return twist_of((begin[0].T @ end[0], begin[0].T @ (end[1] - begin[1])))

    def moved(self, begin: Pose, end: Pose, s: Any) -> Any:
        """dexp^-1_{-d} s."""
        d = self.log(begin, end)
        J, P = inverse_differential(d)[0].T, reversed_differential(d)
        return np.concatenate([J @ s[:3], P @ s[:3] + J @ s[3:]])

    def motion(self, R: Any, v: Any, a: Any) -> tuple[Any, Any]:
        return v, a

    def own(self, R: Any, V: Any, Vdot: Any) -> tuple[Any, Any]:
        return V, Vdot

    def twist_moved(self, V: Any, s: Any, dv: Any) -> Any:
        return dv

    def velocity_moved(self, V: Any, s: Any, dV: Any) -> Any:
        return dV

    def rate_moved(self, V: Any, Vdot: Any, s: Any, dV: Any, da: Any) -> Any:
        return da

    def in_world(self, R: Any, d: Any) -> Any:
        return d

    def covector(self, R: Any, D: Any) -> Any:
        return D


@dataclass(frozen=True)
class SO3xR3:
    """Rotation, and translation in the world's axes, which know nothing of each other."""

    def difference(self, begin: Pose, end: Pose) -> Any:
        return np.concatenate([self.turn(begin, end).w, end[1] - begin[1]])

    def turn(self, begin: Pose, end: Pose) -> Twist:
        """log of the rotation; nothing else."""
        nothing = np.zeros(3).astype(object)
        return twist_of((begin[0].T @ end[0], nothing))

    def moved(self, begin: Pose, end: Pose, s: Any) -> Any:
        turned = inverse_differential(Twist(self.turn(begin, end).w, np.zeros(3)))[0].T
        return np.concatenate([turned @ s[:3], s[3:]])

    def motion(self, R: Any, v: Any, a: Any) -> tuple[Any, Any]:
        V, Vdot = R.T @ v[3:], R.T @ a[3:]
        return np.concatenate([v[:3], V]), np.concatenate([a[:3], Vdot - crossed(v[:3], V)])

    def own(self, R: Any, V: Any, Vdot: Any) -> tuple[Any, Any]:
        w, u = split(V)
        return np.concatenate([w, R @ u]), np.concatenate([Vdot[:3], R @ (Vdot[3:] + crossed(w, u))])

    def twist_moved(self, V: Any, s: Any, dv: Any) -> Any:
        return np.concatenate([dv[:3], dv[3:] + crossed(V[3:], s[:3])])

    def velocity_moved(self, V: Any, s: Any, dV: Any) -> Any:
        return np.concatenate([dV[:3], dV[3:] - crossed(V[3:], s[:3])])

    def rate_moved(self, V: Any, Vdot: Any, s: Any, dV: Any, da: Any) -> Any:
        w, u = split(V)
        a = Vdot[3:] + crossed(w, u)
        return np.concatenate([da[:3], da[3:] + crossed(a, s[:3]) - crossed(dV[:3], u) - crossed(w, dV[3:])])

    def in_world(self, R: Any, d: Any) -> Any:
        return np.concatenate([d[:3], R @ d[3:]])

    def covector(self, R: Any, D: Any) -> Any:
        return np.concatenate([D[:3], R.T @ D[3:]])


OF_NAME: dict[str, Group] = {"SE3": SE3(), "SO3xR3": SO3xR3()}
