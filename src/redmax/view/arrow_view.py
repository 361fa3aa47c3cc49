"""What a viewer needs to know about a force or a torque that acts on a body: where, how strong, and in which direction."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from redmax.errors import RedmaxError

KINDS = ("force", "torque")


@dataclass(frozen=True, eq=False)
class ArrowView:
    """An arrow whose length is in proportion to its vector, those of one kind to the same scale.

    name: shown when the pointer rests on it
    points: (T, 3) where it acts, in the world (m)
    vectors: (T, 3) in world axes, N of a force and N m of a torque
    kind: "force", or "torque", about the direction of its arrow as a right-hand screw turns
    """

    name: str
    points: NDArray[np.float64]
    vectors: NDArray[np.float64]
    kind: str = "force"

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise RedmaxError(f"Arrow {self.name!r}: got kind {self.kind!r}, expected 'force' or 'torque'.")
        for what in ("points", "vectors"):
            rows = np.asarray(getattr(self, what), np.float64)
            if rows.ndim != 2 or rows.shape[1] != 3 or not len(rows) or not np.isfinite(rows).all():
                raise RedmaxError(f"Arrow {self.name!r}: got {what} of shape {rows.shape}, expected finite numbers (T, 3), T > 0.")
            object.__setattr__(self, what, rows)
