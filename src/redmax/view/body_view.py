"""What a viewer needs to know about one rigid body: its surface and where it was."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redmax.errors import RedmaxError

RIGID_TOLERANCE = 1e-3
HEX_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True, eq=False)
class CoordinatesView:
    """The coordinates of a joint, q (T, nq), and its rates, qdot (T, nv), one row per time; units, rate_units: of each of them."""

    q: NDArray[np.float64]
    qdot: NDArray[np.float64]
    units: Sequence[str]
    rate_units: Sequence[str]


@dataclass(frozen=True, eq=False)
class BodyView:
    """A rigid triangle mesh and its motion.

    name: shown when the pointer rests on the body
    vertices: (n, 3) in the body frame
    faces: (m, 3) vertex indices, counter-clockwise seen from outside
    poses: (T, 4, 4) of the body frame in the world, one per time
    colour: "#rrggbb", or None for one from the default palette
    twists: (T, 6) angular; linear velocity of the body frame in body axes, for who selects the body; None if they are not known
    joint: the name of the joint that moves it; joint_kind: such as "Revolute"; coordinates: of the joint, if it has any
    opacity: how much of what is behind it hides, 0 to 1; material: what it seems to be made of, one of `materials.FINISHES`
    """

    name: str
    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    poses: NDArray[np.float64]
    colour: str | None = None
    twists: NDArray[np.float64] | None = None
    joint: str = ""
    joint_kind: str = ""
    coordinates: CoordinatesView | None = None
    opacity: float = 1.0
    material: str = "plastic"

    def __post_init__(self) -> None:
        object.__setattr__(self, "vertices", self._array("vertices", self.vertices, np.float64, (-1, 3)))
        object.__setattr__(self, "faces", self._array("faces", self.faces, np.int64, (-1, 3)))
        object.__setattr__(self, "poses", self._array("poses", self.poses, np.float64, (-1, 4, 4)))
        if self.twists is not None:
            object.__setattr__(self, "twists", self._array("twists", self.twists, np.float64, (-1, 6)))
            if len(self.twists) != len(self.poses):
                raise RedmaxError(f"Body {self.name!r}: got {len(self.twists)} twists, expected one per pose: {len(self.poses)}.")
        self._check_faces()
        self._check_rigid()
        if self.colour is not None and not HEX_COLOUR.fullmatch(self.colour):
            raise RedmaxError(f"Body {self.name!r}: got colour {self.colour!r}, expected a form such as '#4f7cac'.")

    def _array(self, what: str, value: ArrayLike, dtype: type, shape: tuple[int, ...]) -> NDArray:
        array = np.asarray(value, dtype)
        if array.ndim != len(shape) or array.shape[1:] != shape[1:] or array.size == 0:
            wanted = ", ".join("n" if n < 0 else str(n) for n in shape)
            raise RedmaxError(f"Body {self.name!r}: got {what} of shape {array.shape}, expected ({wanted}), n > 0.")
        if not np.isfinite(array).all():
            first = np.argmin(np.isfinite(array).reshape(len(array), -1).all(axis=1))
            raise RedmaxError(f"Body {self.name!r}: {what}[{first}] is not finite; show only what comes before it.")
        return array

    def _check_faces(self) -> None:
        low, high, n = self.faces.min(), self.faces.max(), len(self.vertices)
        if low < 0 or high >= n:
            raise RedmaxError(f"Body {self.name!r}: got face indices {low} to {high}, expected 0 to {n - 1}.")

    def _check_rigid(self) -> None:
        R = self.poses[:, :3, :3]
        error = np.abs(R.transpose(0, 2, 1) @ R - np.eye(3)).max(axis=(1, 2))
        worst = int(np.argmax(error))
        if error[worst] > RIGID_TOLERANCE or np.linalg.det(R[worst]) < 0:
            raise RedmaxError(
                f"Body {self.name!r}: poses[{worst}] is not a rigid transform (R'R is off by {error[worst]:.1e}); "
                "put a scale into the vertices, and check that poses are 4x4 with the translation in the last column."
            )
