"""Momentum screws at every sample of a run: of each body, or of all of them; a row of run/quantities.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from redmax.dynamics.common.twist_kinds import TwistKind, check_kind
from redmax.model.frames import Framed, located
from redmax.run.known_samples import where_known
from redmax.run.quantity import Quantity, body_links

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory


class MomentumHistories:
    """The method of a Trajectory that is of momentum screws."""

    def momentum_screw(self, name: Framed | None = None, kind: TwistKind = "spatial") -> np.ndarray:
        """(time, ..., 6): angular; linear momentum of a body, or of all of them where none is named.

        name: of a body, or of a frame or joint of it, which is where `kind` is seen from: as of `pose`
        kind: "spatial" (about the world's origin, in world axes), "body" (about the frame's origin, in its axes), "hybrid" (about the
            frame's origin, in world axes; of all bodies, about their centre of mass) or "mixed" (angular in the frame's axes, linear in
            the world's)
        """
        run = cast("Trajectory", self)
        check_kind("momentum_screw", kind)
        if name is not None:
            located(run.model, name)
        return where_known(run, lambda q, qdot, t: run.engine.momentum_screw(q, qdot, name, kind, t))


def of_all_bodies(run: Trajectory) -> np.ndarray:
    """(time, ..., bodies, 6)."""
    return where_known(run, run.engine.momenta)[..., body_links(run.model), :]


MOMENTUM_QUANTITIES = (
    Quantity(
        "momentum_screw", "momentum of each body, about the world's origin, in world axes", ("body", "angular; linear"),
        "{M} {L}\u00b2/s; {M} {L}/s", of_all_bodies, array=False, table="momentum-screw",
        labels=tuple(f"{part}.{axis}" for part in ("angular", "linear") for axis in "xyz"),
    ),
)  # fmt: skip
