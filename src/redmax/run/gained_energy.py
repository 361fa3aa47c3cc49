"""Where the steps of a run that broke off gave it energy that nothing in the scene gave.

With E the total energy and P the power of all that is not conservative (`energy_account.power`), the steps themselves gave, from sample j
to k, X(k) - X(j), where X(k + 1) = X(k) + E(k + 1) - E(k) - h max(P(k), P(k + 1), 0). A sample is wild once that is several times what the
scene had: X(k) - min X(j <= k) > 3 max(T in the first half of the samples, T(0) + |V(0)| + m g L). A conservative scene has P = 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from redmax.run.energy_account import power

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory

GAINED = 3.0  # times the energy of before
UNEXPLAINED = 100.0  # times, where nobody knows the power of what drives the scene


def gained_from(run: Trajectory, largest: NDArray[np.float64]) -> int:
    """The number of the first sample, of those of one world with nothing left out between them, at which its steps have given too much;
    how many there are if they have not. largest: (time,), the energy of before (J)."""
    if len(run) < 2:
        return len(run)
    total = np.asarray(run.energy.total, float)
    P = power(run) if run.controls is None else None  # torques that jump at samples have another power between them
    gained = own_rise(total, np.zeros(len(run)) if P is None else P, np.asarray(run.t))
    wild = np.flatnonzero(~(gained <= (UNEXPLAINED if P is None else GAINED) * largest))
    return max(int(wild[0]), 1) if len(wild) else len(run)


def own_rise(total: NDArray[np.float64], P: NDArray[np.float64], t: NDArray[np.float64]) -> NDArray[np.float64]:
    """(time,): how far the energy rose until each sample, from where it was lowest, by more than the power P gives."""
    given = np.diff(t) * np.maximum(np.maximum(P[:-1], P[1:]), 0.0)
    X = np.concatenate([[0.0], np.cumsum(np.diff(total) - given)])
    return X - np.minimum.accumulate(X)
