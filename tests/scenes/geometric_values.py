"""Tops and free bodies, far more exact than any run: extrapolation in 80 bits of Euler's equations written out for one body.

q' = q (0, Omega) / 2,  J Omega' = m X x R'g - Omega x J Omega. Two numbers of steps agree to 1e-13. t: s; x: the centre of mass
"""

import numpy as np

REFERENCES = {
    "heavy-top": {
        "t": 1.0,
        "x": (0.17334396409838, 0.64008859207057, -0.74849079113358),
        "omega": (-0.82207810168269, 150.0, -5.92329134811734),
        "q": (0.73294398067966, -0.27828571933761, 0.53182461133416, -0.32017614273625),
    },
    "heavy-top-slow": {
        "t": 1.0,
        "x": (-0.46359095477645, -0.85132909740314, -0.24560577062483),
        "omega": (2.34773244684069, 10.0, 0.69483985240125),
        "q": (0.27095119310257, -0.35298684809332, -0.03034637136008, 0.89502225322878),
    },
    "asymmetric-top": {
        "t": 1.0,
        "x": (0.36882873690502, 0.20211611495437, 0.41607023314436),
        "omega": (-0.72274552039638, 8.15291908490293, 6.94822887193236),
        "q": (0.44944866706665, 0.37889918904582, 0.48626181088749, 0.64651430880132),
    },
    "free-body": {
        "t": 10.0,
        "x": (0.0, 0.0, 0.0),
        "omega": (0.20353306829402, 0.28300742681284, 1.30267375149234),
        "q": (0.76511103082931, 0.37431955148322, 0.10285413145504, 0.51372269905401),
    },
    "free-body-unstable": {
        "t": 20.0,
        "x": (0.0, 0.0, 0.0),
        "omega": (-0.10532100800937, -0.99443877904670, 0.06081259389334),
        "q": (-0.04501209505234, 0.99723688599726, -0.02889963300960, -0.05154915826070),
    },
}
PERIOD = 10.7314652348828  # s, of the angular velocity of "free-body"


def rotation(q: np.ndarray) -> np.ndarray:
    """(..., 3, 3) of unit quaternions."""
    w, x, y, z = np.moveaxis(np.asarray(q, float), -1, 0)
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))
