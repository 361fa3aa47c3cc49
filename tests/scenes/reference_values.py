"""What is known of the published scenes: converged final states, kinetic energies at the start, and counts of coordinates.

Final states are of an eighth-order solution with relative tolerance 1e-12, an independent implementation.
"""

# reference -> q and qdot at the end
CONVERGED = {
    "redmax:-1": (
        [1.5001012115, -0.00879958062147],
        [6.6734572814, -14.4991021362],
    ),
    "redmax:0": (
        [1.61826744322, -0.237708585101, -20.2975516637],
        [1.68754088618, -10.9497948251, 10.8306962728],
    ),
    "redmax:1": (
        [1.12264887327, 1.65952291415, -1.25047293083],
        [-0.165269285884, 1.12607212793, 9.07312631635],
    ),
    "redmax:2": (
        [-0.127049466472, 0.993903044351, 0.515445637922, -0.217418912931],
        [0.751433001681, -1.56654925752, 6.86673701332, 10.7753761755],
    ),
    "redmax:14": (
        [0.183934310546, 0.0944415045591, 0.0846653758098, 0.0918398680192, -0.0645347572534, -0.263095755362],
        [1.75843645647, -0.786472617299, -9.62489575507, -0.859054909904, 4.3104634043, 0.232821621204],
    ),
    "redmax:16": (
        [-0.62529039852, 0.20367411385, -0.524403738723, 0.220060749484],
        [-5.88574820241, -3.72225633324, -16.3186531931, 9.15417555645],
    ),
    "redmax:25": ([0.0530624859524], [-1.83909398423]),
}

# reference -> T at t = 0
KINETIC = {
    "redmax:-1": 0.0, "redmax:0": 0.0, "redmax:1": 0.0, "redmax:2": 0.0, "redmax:3": 523.3499273, "redmax:5": 0.0, "redmax:9": 0.0,
    "redmax:11": 4501.25, "redmax:14": 0.0, "redmax:16": 0.0, "redmax:17": 835.4166667, "redmax:18": 4.546666667, "redmax:25": 0.0,
    "redmax:26": 0.0,
}  # fmt: skip

# reference -> reduced coordinates, and 6 for each body
COUNTS = {
    "redmax:-1": (2, 12), "redmax:0": (3, 30), "redmax:1": (3, 18), "redmax:2": (4, 24), "redmax:3": (6, 12), "redmax:5": (3, 18),
    "redmax:9": (3, 18), "redmax:11": (3, 18), "redmax:14": (6, 18), "redmax:16": (4, 18), "redmax:17": (5, 18), "redmax:18": (6, 6),
    "redmax:26": (2, 12),
}  # fmt: skip

# reference -> duration and step, where they are not 2 s (1 s for redmax-diff) and 0.01 s
TIMES = {
    "redmax:3": (3, 0.01), "redmax:5": (10, 0.05), "redmax:9": (10, 0.02), "redmax:11": (5, 0.02), "redmax:18": (7, 0.01),
    "redmax:26": (1, 0.01), "redmax-diff:5": (2, 0.01),
}  # fmt: skip
