"""Centre of mass, mass, momentum and inertia of the whole mechanism, or of what hangs on a body, as functions of states (..., n).

All bodies count, and the nodes of deformables, each with its mass. Angular momentum and inertia are about the centre of mass; everything is
in world axes, (angular; linear). The equations are in common/centroidal.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from redmax.components.handles import BodyHandle
from redmax.components.one_line import OneLine
from redmax.dynamics.common.centroidal import COLUMNS, SUMS, SYMMETRIC
from redmax.dynamics.programs import Pair, Programs
from redmax.errors import SceneError
from redmax.model.frames import located
from redmax.model.model import Model
from redmax.types import Given


@dataclass(frozen=True, eq=False, repr=False)
class Centroidal(OneLine):
    """A mechanism as a whole, at states (...), in world axes.

    mass: (...) kg;  center: (..., 3) m, its centre of mass, with velocity (m/s) and acceleration (m/s2)
    momentum: (..., 6) angular about the centre of mass, then linear;  momentum_rate: (..., 6) its rate: the moment and the force of all
        that acts from outside
    inertia: (..., 6, 6) as if all joints were locked, about the centre of mass: [[I, 0], [0, m]]
    """

    mass: np.ndarray
    center: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    momentum: np.ndarray
    momentum_rate: np.ndarray
    inertia: np.ndarray


class CentroidalFunctions(Programs):
    """The functions of `Dynamics` that look at the mechanism as a whole. body: only that body and all that hangs on it."""

    def centroidal(
        self, q: ArrayLike, qdot: Given = None, qddot: Given = None, t: ArrayLike = 0.0, body: BodyHandle | str | None = None
    ) -> Centroidal:
        """All of it at once; qdot and qddot are zero if left out. body: only that body and all that hangs on it."""
        shape, arrays = self.arrays(q=q, qdot=qdot, qddot=qddot, t=t, share=self.with_mass(body))
        mass, center, momentum, rate, inertia = self.call("centroidal", SUMS, arrays, shape, (1,), (3,), (6,), (6,), (6,))
        whole = np.zeros((*shape, 6, 6), self.dtype)
        whole[..., :3, :3] = inertia[..., SYMMETRIC]
        whole[..., [3, 4, 5], [3, 4, 5]] = mass
        return Centroidal(mass[..., 0], center, momentum[..., 3:] / mass, rate[..., 3:] / mass, momentum, rate, whole)

    def total_mass(self, body: BodyHandle | str | None = None) -> np.ndarray:
        """Mass (kg) of all bodies and nodes; (...) where masses are parameters of many worlds. body: of it and all that hangs on it."""
        if self.model.parameters:
            return self.centroidal(self.model.q0, body=body).mass
        return np.asarray(share_of(self.model, body) @ masses(self.model), self.dtype)[()]

    def center_of_mass(self, q: ArrayLike, t: ArrayLike = 0.0, body: BodyHandle | str | None = None) -> np.ndarray:
        """Where the centre of mass is in the world, (..., 3) m."""
        return self.centroidal(q, t=t, body=body).center

    def center_of_mass_velocity(
        self, q: ArrayLike, qdot: ArrayLike, t: ArrayLike = 0.0, body: BodyHandle | str | None = None
    ) -> np.ndarray:
        """Velocity of the centre of mass in world axes, (..., 3) m/s."""
        return self.centroidal(q, qdot, t=t, body=body).velocity

    def center_of_mass_acceleration(
        self, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, t: ArrayLike = 0.0, body: BodyHandle | str | None = None
    ) -> np.ndarray:
        """Acceleration of the centre of mass in world axes, (..., 3) m/s2."""
        return self.centroidal(q, qdot, qddot, t, body).acceleration

    def center_of_mass_jacobian(self, q: ArrayLike, qdot: Given = None, t: ArrayLike = 0.0, body: BodyHandle | str | None = None) -> Pair:
        """J and Jdot, (..., 3, nv): velocity = J qdot, acceleration = J qddot + Jdot qdot, unless joints depend on time.

        qdot is for Jdot alone.
        """
        A, Adot, mass = self.centroidal_columns(q, qdot, t, body)
        return A[..., 3:, :] / mass[..., None], Adot[..., 3:, :] / mass[..., None]

    def centroidal_momentum(self, q: ArrayLike, qdot: ArrayLike, t: ArrayLike = 0.0, body: BodyHandle | str | None = None) -> np.ndarray:
        """h, (..., 6): angular momentum about the centre of mass; linear momentum, in world axes."""
        return self.centroidal(q, qdot, t=t, body=body).momentum

    def centroidal_momentum_rate(
        self, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, t: ArrayLike = 0.0, body: BodyHandle | str | None = None
    ) -> np.ndarray:
        """hdot, (..., 6): the moment about the centre of mass and the force, in world axes, that this motion takes, gravity included."""
        return self.centroidal(q, qdot, qddot, t, body).momentum_rate

    def centroidal_momentum_matrix(
        self, q: ArrayLike, qdot: Given = None, t: ArrayLike = 0.0, body: BodyHandle | str | None = None
    ) -> Pair:
        """A and Adot, (..., 6, nv): h = A qdot, hdot = A qddot + Adot qdot, unless joints depend on time. qdot is for Adot alone."""
        A, Adot, _ = self.centroidal_columns(q, qdot, t, body)
        return A, Adot

    def centroidal_columns(self, q: ArrayLike, qdot: Given, t: ArrayLike, body: BodyHandle | str | None) -> tuple[np.ndarray, ...]:
        """A, Adot and the mass, (..., 1)."""
        n = self.model.nv
        shape, arrays = self.arrays(q=q, qdot=qdot, t=t, share=self.with_mass(body))
        A, Adot, mass = self.call("centroidal columns", COLUMNS, arrays, shape, (n, 6), (n, 6), (1,))
        return np.swapaxes(A, -1, -2), np.swapaxes(Adot, -1, -2), mass

    def centroidal_inertia(self, q: ArrayLike, t: ArrayLike = 0.0, body: BodyHandle | str | None = None) -> np.ndarray:
        """(..., 6, 6): inertia about the centre of mass as if all joints were locked, in world axes: [[I, 0], [0, m]]."""
        return self.centroidal(q, t=t, body=body).inertia

    def with_mass(self, body: BodyHandle | str | None) -> np.ndarray:
        """(links,): 1 for those that count, which must have some mass to have a centre."""
        if isinstance(body, str | None) and body in self.shares:
            return self.shares[body]
        share = share_of(self.model, body)
        if not self.model.parameters and not share @ masses(self.model) > 0:
            name = body.name if isinstance(body, BodyHandle) else body
            whose = "The scene has" if body is None else f"Body {name!r} and all that hangs on it have"
            raise SceneError(f"{whose} no mass, and so no centre of mass. Give a body some.", owner="Dynamics", argument="body")
        if isinstance(body, str | None):  # a handle is looked at each time: it may be that of another scene
            self.shares[body] = share
        return share

    @cached_property
    def shares(self) -> dict[str | None, np.ndarray]:
        """What `with_mass` found, by the name of the body."""
        return {}


def share_of(model: Model, body: BodyHandle | str | None) -> np.ndarray:
    """(links,): 1 for those that count. Hidden states of forces never do."""
    share = np.ones(len(model.links))
    if body is not None:
        below = {located(model, body).link}
        for i, link in enumerate(model.links):
            if link.parent in below:  # parents come first
                below.add(i)
        share[[i for i in range(len(share)) if i not in below]] = 0.0
    share[len(model.bodies) : len(model.bodies) + len(model.hidden)] = 0.0
    return share


def masses(model: Model) -> np.ndarray:
    """(links,) kg."""
    return np.array([link.shape.mass for link in model.links])
