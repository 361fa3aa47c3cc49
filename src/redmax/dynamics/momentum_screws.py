"""Momentum screws: the momentum of a body or of all of them, written in the four ways of twists (lie/twists.py), of states (..., n)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from redmax.dynamics.centroidal import CentroidalFunctions
from redmax.dynamics.common.momenta import MOMENTA
from redmax.dynamics.common.twist_kinds import TwistKind, check_kind
from redmax.dynamics.frames import FrameKinematics
from redmax.errors import SceneError
from redmax.lie.twists import convert_wrench
from redmax.model.frames import Framed, located


class MomentumScrews(FrameKinematics, CentroidalFunctions):
    """The functions of `Dynamics` that are of momentum screws."""

    def momentum_screw(
        self, q: ArrayLike, qdot: ArrayLike, of: Framed | None = None, kind: TwistKind = "spatial", t: ArrayLike = 0.0
    ) -> np.ndarray:
        """(..., 6): angular; linear momentum of a body, or of all bodies and nodes, as their rotors have no part in it.

        of: the body, or a frame or point of it, which is where `kind` is seen from; None of all bodies together
        kind: "spatial" (about the world's origin, in world axes), "body" (about the frame's origin, in its axes), "hybrid" (about the
            frame's origin, in world axes) or "mixed" (angular in the frame's axes, linear in the world's). All bodies together have no
            axes of their own: "spatial", or "hybrid", about their centre of mass
        """
        check_kind("Dynamics.momentum_screw", kind)
        if of is None:
            return self.whole_momentum(q, qdot, kind, t)
        momentum = self.momenta(q, qdot, t)[..., located(self.model, of).link, :]
        return momentum if kind == "spatial" else convert_wrench(momentum, self.pose(q, of, t), "spatial", kind)

    def whole_momentum(self, q: ArrayLike, qdot: ArrayLike, kind: str, t: ArrayLike) -> np.ndarray:
        if kind == "hybrid":
            return self.centroidal_momentum(q, qdot, t)
        if kind != "spatial":
            fix = "Say which body: of='arm'; or take 'spatial' (about the world's origin) or 'hybrid' (about the centre of mass)"
            said = f"Dynamics.momentum_screw: kind is {kind!r}, but all bodies together have no axes of their own. {fix}."
            raise SceneError(said, owner="Dynamics.momentum_screw", argument="kind", got=kind, expected="'spatial' or 'hybrid'")
        return self.momenta(q, qdot, t).sum(axis=-2)

    def momenta(self, q: ArrayLike, qdot: ArrayLike, t: ArrayLike = 0.0) -> np.ndarray:
        """(..., links, 6): the spatial momentum screws of all bodies, then of nodes."""
        shape, arrays = self.arrays(q=q, qdot=qdot, t=t)
        return self.call("momenta of bodies", MOMENTA, arrays, shape, (len(self.model.links), 6))[0]
