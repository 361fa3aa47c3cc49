"""What surfaces seem to be made of, as numbers of the shading: pictures and pages have them from here.

shine: the strength of highlights; sharp: whether they are small, as on something polished; rim: how much the border catches the sky;
metal: how far highlights have the colour of the surface, which then reflects less light otherwise.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Finish:
    """See above."""

    shine: float
    sharp: float
    rim: float
    metal: float


FINISHES = {
    "plastic": Finish(0.22, 0.0, 1.0, 0.0),
    "matte": Finish(-0.04, 0.0, 0.0, 0.0),
    "glossy": Finish(1.1, 1.0, 1.4, 0.0),
    "metal": Finish(1.6, 0.0, 1.2, 1.0),
}


def for_script() -> str:
    """The table as a constant of the page's script."""
    return f"const FINISHES = {json.dumps({name: asdict(finish) for name, finish in FINISHES.items()})};"
