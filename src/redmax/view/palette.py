"""Default body colours: distinct ones for a few bodies, a smooth ramp through them for many."""

import numpy as np

DISTINCT = ("#4c7fb8", "#e58a3c", "#4fa387", "#cf5c4a", "#8b72b8", "#dcae42", "#54a9bd", "#c0708f")
RAMP = ("#3f6db0", "#4a9fbe", "#58b394", "#b9bf63", "#eab04c", "#e47f45", "#c8525a", "#94548f")


def default_colours(count: int) -> list[str]:
    """`count` colours "#rrggbb"."""
    if count <= len(DISTINCT):
        return list(DISTINCT[:count])
    stops = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in RAMP])
    at = np.linspace(0, len(RAMP) - 1, count)
    channels = [np.interp(at, np.arange(len(RAMP)), stops[:, k]) for k in range(3)]
    return ["#{:02x}{:02x}{:02x}".format(*np.rint(rgb).astype(int)) for rgb in np.transpose(channels)]
