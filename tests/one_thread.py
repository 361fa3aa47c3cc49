"""Linear algebra has one thread in tests: imported before NumPy, which reads this when it is first imported.

The matrices are small and each core has a worker: threads that wait for each other made the exponential of a 4 x 4 matrix take 8 ms of
processor time in place of 0.02.
"""

from __future__ import annotations

import os

for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
