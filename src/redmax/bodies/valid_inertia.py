"""Which inertias a distribution of mass can have, and the nearest of them to one that none has.

With the second moments C = int x x' dm about the centre of mass, symmetric and positive semidefinite, the inertia is I = tr(C) 1 - C: in
its principal axes I_i = c_j + c_k with c >= 0, so that no moment is negative and the sum of any two is at least the third. The nearest such
I to a symmetric matrix, by the sum of squares of all entries, has the same principal axes (von Neumann's trace inequality), and its moments
are the nearest to the matrix's eigenvalues in the cone that (0, 1, 1), (1, 0, 1) and (1, 1, 0) span: least squares with c >= 0.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from redmax.bodies.base import Array
from redmax.errors import warn

TOLERANCE = 1e-9  # relative to the largest moment
CONE = 1.0 - np.eye(3)  # its columns: the moments of mass along one axis


def fault_of(inertia: Array, tolerance: float = TOLERANCE, effective: bool = False) -> str:
    """What no distribution of mass has, in words that follow "inertia", and what is valid; "" where there is nothing.

    effective: of moments that are not of mass alone only what no motion could have
    """
    scale, skew = float(np.abs(inertia).max()), float(np.abs(inertia - inertia.T).max())
    if skew > tolerance * scale:
        return f"is not symmetric (entries differ by {skew:.3g}), expected I = I': check the products of inertia"
    low, mid, high = np.linalg.eigvalsh((inertia + inertia.T) / 2).tolist()
    if low < -tolerance * scale:
        return f"has the {said(low, mid, high)}, expected none negative: check its signs"
    if low + mid < high - tolerance * scale and not effective:
        why = "no distribution of mass has these; check units, and that it is about the centre of mass"
        return f"has the {said(low, mid, high)}, expected the sum of any two to be at least the third: {why}"
    return ""


def said(*moments: float) -> str:
    return f"principal moments {', '.join(f'{x:.6g}' for x in moments)}"


def nearest_moments(moments: Array) -> Array:
    """(3,): of all c_j + c_k with c >= 0, those with the smallest sum of squares of the differences."""
    best, found = np.inf, np.zeros(3)
    for some in product((False, True), repeat=3):  # which of c are not zero
        A = CONE[:, list(some)]
        c = np.linalg.lstsq(A, moments, rcond=None)[0]
        if (c >= 0).all() and (off := float(np.sum((A @ c - moments) ** 2))) < best:
            best, found = off, A @ c
    return found


def nearest_inertia(inertia: Array) -> Array:
    """(3, 3): the valid inertia whose entries have the smallest sum of squares of the differences from these."""
    moments, R = np.linalg.eigh((inertia + inertia.T) / 2)
    return R @ np.diag(nearest_moments(moments)) @ R.T


def repaired(owner: str, inertia: Array, tolerance: float = TOLERANCE) -> Array:
    """The inertia, or with a warning the nearest that is valid."""
    fault = fault_of(inertia, tolerance)
    if not fault:
        return inertia
    valid = nearest_inertia(inertia)
    off = np.linalg.norm(valid - inertia) / np.linalg.norm(inertia)
    low, mid, high = np.linalg.eigvalsh(valid).tolist()
    was = "" if "principal" in fault else f" ({said(*np.linalg.eigvalsh((inertia + inertia.T) / 2).tolist())})"
    now = f"It was repaired: the nearest valid one has the {said(low, mid, high)}, and differs by {100 * off:.2g} %"
    warn(f"{owner}: inertia {fault.partition(':')[0]}{was}. {now} of its size.")
    return valid
