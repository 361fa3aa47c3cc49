"""How thick and how long things beside the bodies are drawn, unless somebody chose: shares of the size of the scene.

One table for pictures, the live page and the page that plays offline, whose script gets it as `SIZES`.
"""

import json

MUSCLE_RADIUS = 0.0055  # of paths with a level
ROD_RADIUS = 0.0038  # of other paths, and of nets
PATH_BEAD, NET_BEAD = 1.45, 1.9  # of the radius of the rod
WIRE_RADIUS = 0.0034
TRAIL_RADIUS = 0.0022
WIDEST_WIRE = 0.02  # of the size of the wire itself
LONGEST_ARROW, SHORTEST_ARROW, ARROW_RADIUS = 0.17, 0.012, 0.0042
DOT_RADIUS, CONE_OPACITY = 0.0062, 0.28  # of points of contact, and of cones of friction
ARROW_HEAD = (2.6, 7.0)  # radius and length, of the radius of the shaft


def for_script() -> str:
    """The table as a line of JavaScript."""
    return f"const SIZES = {json.dumps({name: value for name, value in globals().items() if name.isupper()})};"
