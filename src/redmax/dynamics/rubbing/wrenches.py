"""Wrenches that rows and contacts exert on bodies: in world axes about the origins of trees, and in joint frames."""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Places, Vector, Whole, whole
from redmax.solvers.contact.terms import add_wrenches


@routine
def take_wrench(W: Vector, x: Vector, flag: Vector, out: Vector, n: Whole, at_times: Whole) -> None:
    """out += W' x; at_times: if the flag is set."""
    for r in range(n):
        row = W[6 * r :]
        y = x[r]
        if at_times > 0:
            y *= flag[0]
        for i in range(6):
            out[i] += y * row[i]


@routine
def take_contacts(C: Matrix, counts: Vector, turned: Vector, w: Matrix, h: Vector, out: Places, bodies: Whole, moments: Whole) -> None:
    """out = J' f / h of each body. turned: how many contacts have moments, whose rows are behind the others."""
    for b in range(bodies):
        w[b, 0:8] = 0.0
    w[bodies, 0:8] = 0.0
    every = counts[0]
    if moments > 0:
        every += turned[0]
    add_wrenches(C, whole(every), w, 0.0, bodies)
    for b in range(bodies):
        for i in range(6):
            out[b][i] = w[b, i] / h[0]


@routine
def into_joint(w: Vector, R: Vector, x: Vector, o: Vector, z: Vector, out: Vector) -> None:
    """A wrench in world axes about the origin of a tree, in and about a joint frame."""
    for i in range(3):
        z[i] = x[i] - o[i]
        z[3 + i] = w[i]
    z[3] -= z[1] * w[5] - z[2] * w[4]
    z[4] -= z[2] * w[3] - z[0] * w[5]
    z[5] -= z[0] * w[4] - z[1] * w[3]
    for i in range(3):
        out[i] = R[i] * z[3] + R[3 + i] * z[4] + R[6 + i] * z[5]
        out[3 + i] = R[i] * w[3] + R[3 + i] * w[4] + R[6 + i] * w[5]
