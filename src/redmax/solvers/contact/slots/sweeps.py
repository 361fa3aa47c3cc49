"""Steps of Newton's method in worlds side by side: one sweep inward and one outward, each with all that a body and its slots have to do.

Of what is known of a body, little leaves the cache before it is used again: slots lie body by body (`start`).
"""

from __future__ import annotations

from typing import Any

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Places, Vector, Whole, Wholes, some
from redmax.solvers.contact.slots.cone import larger
from redmax.solvers.contact.slots.rest import settle
from redmax.solvers.contact.slots.terms import ahead, arrive, begin_slots, impel, press, residual
from redmax.solvers.contact.slots.trees import (
    advance,
    factor_one,
    factor_several,
    hand_over_several,
    hand_wrench,
    kinetic,
    of_joint,
    six,
    unload_joint,
)


@routine
def begin_leaf(M: Vector, B: Vector) -> None:
    """I = M, by upper halves."""
    for i in range(6):
        for j in range(i, 6):
            B[6 * i + j] = M[6 * i + j]


@routine
def factor(
    B: Matrix, G: Matrix, L: Matrix, p: Vector, M: Places, s: Places, E: Places, b: Whole, up: Whole, first: Whole, n: Whole, opens: Whole
) -> None:
    """One body of the sweep inward: its joint's factors, and what is left for the body before it. opens: the first that leaves any."""
    if n == 1:
        if opens > 0:
            p[first] = factor_one(B[b], s[b], E[b], G[first], M[up], B[up], up)
        else:
            p[first] = factor_one(B[b], s[b], E[b], G[first], B[max(up, 0)], B[max(up, 0)], up)
    else:
        factor_several(B[b], s[b], E[b], G, L, p, first, n)
        if up >= 0:
            if opens > 0:
                hand_over_several(M[up], B[b], B[up], G, p, first, n)
            else:
                hand_over_several(B[up], B[b], B[up], G, p, first, n)


@routine
def factor_masses(
    B: Matrix, G: Matrix, L: Matrix, p: Vector, M: Places, s: Places, E: Places, first: Wholes, parent: Wholes, opens: Wholes, leaf: Wholes,
    bodies: Whole,
) -> None:  # fmt: skip
    """The factors of the masses alone."""
    for b in reversed(range(bodies)):
        if leaf[b] > 0:
            begin_leaf(M[b], B[b])
        factor(B, G, L, p, M, s, E, b, parent[b], first[b], first[b + 1] - first[b], opens[b])


@routine
def move(V: Vector, x: Vector, W: Vector, y: Vector, way: Number, first: Whole, behind: Whole) -> None:
    """V += way W, x += way y, of one body and its joint."""
    if some(abs(way) > 0.0):
        for i in range(6):
            V[i] += way * W[i]
        for k in range(first, behind):
            x[k] += way * y[k]


@routine
def sweep_inward(
    C: Matrix, V: Matrix, x: Vector, W: Matrix, y: Vector, way: Number, B: Matrix, w: Matrix, G: Matrix, L: Matrix, p: Vector, z: Vector,
    M: Places, s: Places, E: Places, first: Wholes, parent: Wholes, opens: Wholes, leaf: Wholes, start: Wholes, bodies: Whole,
) -> None:  # fmt: skip
    """V += way W, x += way y; the system of a step of Newton's method there, factors of its matrix, and z of its right side."""
    for b in reversed(range(bodies)):
        n, up = first[b + 1] - first[b], parent[b]
        move(V[b], x, W[b], y, way, first[b], first[b + 1])
        if leaf[b] > 0:
            begin_leaf(M[b], B[b])
            for i in range(6):
                w[b, i] = 0.0
        press(C, way, B[b], w[b], start[b], start[b + 1])
        factor(B, G, L, p, M, s, E, b, up, first[b], n, opens[b])
        hand_wrench(w[b], s[b], w[max(up, 0)], G, L, p, z, first[b], n, up, opens[b])


@routine
def sweep_outward(
    C: Matrix, V: Matrix, x: Vector, W: Matrix, y: Vector, v: Vector, G: Matrix, L: Matrix, p: Vector, z: Vector, s: Places, first: Wholes,
    before: Wholes, start: Wholes, bodies: Whole, on: Number,
) -> Any:  # fmt: skip
    """W and y: from V and x to where a step of Newton's method leads. Returns what slots see of it (`ahead`)."""
    change, work, curve, after, error = 0.0, 0.0, 0.0, 0.0, 0.0
    for b in range(bodies):
        n = first[b + 1] - first[b]
        up = before[b]
        a, c, d, e, f, g = [V[up, i] + W[up, i] for i in range(6)]
        if n == 1:
            k = first[b]
            new = (z[k] - six(G[k, 0] * a, G[k, 1] * c, G[k, 2] * d, G[k, 3] * e, G[k, 4] * f, G[k, 5] * g)) * p[k]
            y[k] = new - x[k]
            W[b, 0] = a + (new * s[b][0] - V[b, 0])
            W[b, 1] = c + (new * s[b][1] - V[b, 1])
            W[b, 2] = d + (new * s[b][2] - V[b, 2])
            W[b, 3] = e + (new * s[b][3] - V[b, 3])
            W[b, 4] = f + (new * s[b][4] - V[b, 4])
            W[b, 5] = g + (new * s[b][5] - V[b, 5])
        else:
            for i in range(6):
                v[i] = V[up, i] + W[up, i]
            unload_joint(v, G, L, p, z, y, first[b], n)
            advance(v, s[b], y, W[b], first[b], n)
            for i in range(6):
                W[b, i] -= V[b, i]
            for k in range(first[b], first[b + 1]):
                y[k] -= x[k]
        most, begin, bent, end, off = ahead(C, W[b], start[b], start[b + 1], on)
        change = larger(change, most)
        work += begin
        curve += bent
        after += end
        error = larger(error, off)
    return change, work, curve, after, error


@routine
def products(M: Places, E: Places, V: Matrix, x: Vector, W: Matrix, y: Vector, first: Wholes, bodies: Whole) -> Any:
    """W' M W + y' E y and W' M V + y' E x: in the kinetic metric."""
    square, mixed = 0.0, 0.0
    for b in range(bodies):
        a, m = kinetic(M[b], W[b], V[b])
        e, f = of_joint(E[b], y, x, first[b], first[b + 1] - first[b])
        square += a + e
        mixed += m + f
    return square, mixed


@routine
def arrive_at(C: Matrix, V: Matrix, x: Vector, W: Matrix, y: Vector, way: Number, first: Wholes, slots: Whole, bodies: Whole) -> None:
    """V += way W, x += way y, and what slots say of it."""
    for b in range(bodies):
        move(V[b], x, W[b], y, way, first[b], first[b + 1])
    arrive(C, slots, way)


@routine
def push_inward(
    C: Matrix, w: Matrix, G: Matrix, L: Matrix, p: Vector, z: Vector, s: Places, first: Wholes, parent: Wholes, opens: Wholes,
    leaf: Wholes, start: Wholes, bodies: Whole,
) -> None:  # fmt: skip
    """z of what impulses exert."""
    for b in reversed(range(bodies)):
        if leaf[b] > 0:
            for i in range(6):
                w[b, i] = 0.0
        impel(C, w[b], start[b], start[b + 1])
        n, up = first[b + 1] - first[b], parent[b]
        hand_wrench(w[b], s[b], w[max(up, 0)], G, L, p, z, first[b], n, up, opens[b])


@routine
def balance(
    C: Matrix, w: Matrix, W: Matrix, y: Vector, G: Matrix, L: Matrix, p: Vector, z: Vector, s: Places, first: Wholes, parent: Wholes,
    before: Wholes, opens: Wholes, leaf: Wholes, start: Wholes, bodies: Whole, exact: Number,
) -> Any:  # fmt: skip
    """y and W that impulses bring by exact momentum balance, and the square of the residual there."""
    push_inward(C, w, G, L, p, z, s, first, parent, opens, leaf, start, bodies)
    worst = 0.0
    for b in range(bodies):
        n = first[b + 1] - first[b]
        unload_joint(W[before[b]], G, L, p, z, y, first[b], n)
        advance(W[before[b]], s[b], y, W[b], first[b], n)
        far = residual(C, W[b], exact, start[b], start[b + 1])
        worst = larger(worst, far)
    return worst


@routine
def balance_at_rest(
    C: Matrix, w: Matrix, V: Matrix, W: Matrix, v: Vector, y: Vector, G: Matrix, L: Matrix, p: Vector, z: Vector, s: Places,
    first: Wholes, parent: Wholes, before: Wholes, opens: Wholes, leaf: Wholes, start: Wholes, bodies: Whole, exact: Number,
) -> Any:  # fmt: skip
    """The same of what rests, with what the next step tries and is told of it. V: what the motion without impulses lacks."""
    push_inward(C, w, G, L, p, z, s, first, parent, opens, leaf, start, bodies)
    worst = 0.0
    for b in range(bodies):
        n = first[b + 1] - first[b]
        unload_joint(W[before[b]], G, L, p, z, y, first[b], n)
        advance(W[before[b]], s[b], y, W[b], first[b], n)
        far = residual(C, W[b], exact, start[b], start[b + 1])
        worst = larger(worst, far)
        for i in range(6):
            v[i] = W[b, i] - V[b, i]
        settle(C, v, start[b], start[b + 1])
    return worst


@routine
def carry(s: Places, x: Vector, V: Matrix, first: Wholes, before: Wholes, bodies: Whole) -> None:
    """V = J x: the twists of bodies."""
    for b in range(bodies):
        advance(V[before[b]], s[b], x, V[b], first[b], first[b + 1] - first[b])


@routine
def begin(C: Matrix, V: Matrix, y: Vector, W: Matrix, first: Wholes, start: Wholes, bodies: Whole) -> None:
    """What slots see of V; no step is under way."""
    for b in range(bodies):
        for i in range(6):
            W[b, i] = 0.0
        for k in range(first[b], first[b + 1]):
            y[k] = 0.0
        begin_slots(C, V[b], start[b], start[b + 1])
