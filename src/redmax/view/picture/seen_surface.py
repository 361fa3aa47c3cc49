"""What a picture shows of a thing at a moment: triangles of one colour."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from redmax.view.materials import FINISHES, Finish
from redmax.view.picture.theme import Colour

Array = NDArray[np.float64]
NO_LINES = np.zeros((0, 2, 3))


@dataclass(frozen=True, eq=False)
class SeenSurface:
    """Triangles in the world at a moment, all of one colour.

    corners, normals: (m, 3, 3); colour: linear (3,); lines: (k, 2, 3) ends of the edges to draw; thickness: decides whether they are
    marks: the frame (4, 4) whose octants alternate in tone, so that the spin of what is round can be seen, or None
    weave: (m, 3), whether the edge across a corner shows on cloth, through which some light shines; None for what is solid
    opacity: how much of what is behind it hides; finish: what it seems to be made of; casts: whether it has a shadow
    """

    corners: Array
    normals: Array
    colour: Colour
    lines: Array = field(default_factory=lambda: NO_LINES)
    thickness: float = 0.0
    is_closed: bool = False
    marks: Array | None = None
    weave: NDArray[np.bool_] | None = None
    opacity: float = 1.0
    finish: Finish = FINISHES["plastic"]
    casts: bool = True
