"""The symmetrised stiffness and damping of a tension along a path, kept as factors: what implicit steps take, in few operations.

With g = dl/dE, c = d(ldot)/dE, and for each segment N = d|x|/dE and C = dx/dE of its vector x (RedMax notes Eqs. 1.50-1.68, corrected),

    K = -T_l g g' - T_ldot (g c' + c g') / 2 - T B,    D = T_ldot g g',    B = sum of (C' C - N N') / |x|, and of turns of the pulls

A block of h D - h^2 K is then a few outer products. Those of segments join the ones of g where a body has one segment only, since N = g
there. K phi, for the present twists phi, needs no blocks: C phi is the velocity along a segment, and N'phi its rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.forces.base import Site
from redmax.forces.frames import crossed, skew
from redmax.forces.path import PathForce, Segment, sum_of, tension_slopes
from redmax.math import maximum


@dataclass(frozen=True)
class End:
    """Of a segment, on a body. arm, far: this and its other end, from the body's origin; w: the gradient of its length by this point;
    N: by the body; S: N's rate as far as points shift; turned: (3,) as far as velocities turn with the body.
    """

    body: int
    arm: Any
    far: Any
    w: Any
    N: Any
    S: Any
    turned: Any


@dataclass(frozen=True)
class Piece:
    """A segment with those of its ends that are on bodies; bend: T / |x|."""

    segment: Segment
    ends: list[End]
    bend: Any

    def on(self, body: int) -> End | None:
        return next((e for e in self.ends if e.body == body), None)


@dataclass(frozen=True)
class SymmetricPath:
    """T, T_l, T_rate: the tension and its slopes; rate: of the whole length; g, c: (6,) of each body; pieces: segments between bodies.

    definite: without what makes the matrix of a step indefinite: pushes and falling tensions, how pulls turn, how a damper's rate turns
    """

    T: Any
    T_l: Any
    T_rate: Any
    rate: Any
    g: list[Any]
    c: list[Any]
    pieces: list[Piece]
    definite: bool = False

    def ends_on(self, i: int) -> list[tuple[Piece, End]]:
        return [(piece, e) for piece in self.pieces for e in piece.ends if e.body == i]

    def pushed(self, phi: Sequence[Any], h: Any) -> list[Any]:
        """f + h K phi on each body; phi: the present twists, (6,)."""
        if self.definite:
            along = self.T + h * (maximum(self.T_l, 0.0) * self.rate)
            bend = h * maximum(self.T, 0.0)
            return [-along * g - bend * sum_of([e.S for _, e in self.ends_on(i)]) for i, g in enumerate(self.g)]
        omega = [p[:3] for p in phi]
        slipping = sum_of([(p.segment.dv @ p.segment.dv - p.segment.rate * p.segment.rate) * p.segment.inverse for p in self.pieces])
        c_phi = slipping + sum_of([e.turned @ omega[e.body] for p in self.pieces for e in p.ends])
        along_g = self.T + h * (self.T_l * self.rate + 0.5 * self.T_rate * c_phi)
        along_c = (0.5 * h) * self.T_rate * self.rate
        totals: list[Any] = []
        for i, (g, c) in enumerate(zip(self.g, self.c, strict=True)):
            bent = sum_of([e.S + 0.5 * turning(e, omega[i]) for _, e in self.ends_on(i)])
            totals.append(-along_g * g - along_c * c - (h * self.T) * bent)
        return totals

    def block(self, i: int, j: int, h: Any) -> np.ndarray:
        """h D - h^2 K of two bodies, (6, 6)."""
        if self.definite:
            left, right = np.zeros(6), (h * maximum(self.T_rate, 0.0) + h * h * maximum(self.T_l, 0.0)) * self.g[j]
        else:
            left, right = (0.5 * h * h * self.T_rate) * self.c[i], (0.5 * h * h * self.T_rate) * self.c[j]
            right = (h * self.T_rate + h * h * self.T_l) * self.g[j] + right
        total: Any = 0.0
        for piece in self.pieces:
            a, b = piece.on(i), piece.on(j)
            if a is None or b is None:
                continue
            bend = h * h * piece.bend
            if len(self.ends_on(i)) == 1:
                right = right - bend * b.N
            elif len(self.ends_on(j)) == 1:
                left = left - bend * a.N
            else:
                total = total - np.outer(bend * a.N, b.N)
            own = between(a, a, bend) if self.definite else stretched(a, bend)
            total = total + (own if i == j else -between(a, b, bend))
        total = np.outer(self.g[i], right) + np.outer(left, self.g[j]) + total
        return mirrored(total) if i == j else total


def symmetric_path(force: PathForce, count: int, origins: Sequence[Any], sites: Sequence[Site], t: Any) -> SymmetricPath:
    """count: how many bodies it touches; origins: of each, in the world."""
    definite = force.stiffness_kind == "definite"
    parts = force.segments(sites)
    length, rate = force.whole(parts)
    T, T_l, T_rate = tension_slopes(force, length, rate, t)
    pieces: list[Piece] = []
    for s in parts:
        a, b = s.start, s.start + 1
        ends = [
            end(force.anchors[k].member, sign, sites[k], sites[other], origins[force.anchors[k].member], s)
            for k, other, sign in ((a, b, -1.0), (b, a, 1.0))
            if force.anchors[k].member >= 0
        ]
        pieces.append(Piece(s, ends, (maximum(T, 0.0) if definite else T) * s.inverse))
    g, c = [np.zeros(6).astype(object) for _ in range(count)], [np.zeros(6).astype(object) for _ in range(count)]
    for e in (e for piece in pieces for e in piece.ends):
        g[e.body] = g[e.body] + e.N
        c[e.body] = c[e.body] + np.concatenate([e.S[:3] + e.turned, e.S[3:]])
    return SymmetricPath(T, T_l, T_rate, rate, g, c, pieces, definite)


def end(body: int, sign: float, site: Site, other: Site, origin: Any, s: Segment) -> End:
    arm, w = site.x - origin, sign * s.u
    slip = (sign * s.inverse) * (s.dv - s.rate * s.u)
    return End(
        body, arm, other.x - origin, w, np.concatenate([crossed(arm, w), w]), np.concatenate([crossed(arm, slip), slip]), crossed(site.v, w)
    )


def turning(e: End, omega: Any) -> np.ndarray:
    """Twice the symmetric part of what a turn of the body does to the pull of an end, times its twist."""
    pull = crossed(e.w, omega)
    return np.concatenate([crossed(e.arm, pull) + e.turned, pull])


def stretched(e: End, k: Any) -> np.ndarray:
    """k C'C of an end and the symmetric part of its turning pull: with the arms a, b of both ends,

    [a]'[a] - sym([a][x]) = a.b 1 - (a b' + b a') / 2   and   [a] + [x]/2 = [(a + b) / 2],   x = b - a
    """
    a, b, middle = (0.5 * k) * e.arm, e.far, (0.5 * k) * (e.arm + e.far)
    spread = np.outer(a, b)
    spread = np.eye(3) * (2.0 * (a @ b)) - spread - spread.T
    return np.block([[spread, skew(middle)], [-skew(middle), np.eye(3) * k]])


def between(a: End, b: End, k: Any) -> np.ndarray:
    """k C'C of the two ends of a segment: ([a]; 1) (-[b], 1)."""
    kb = k * b.arm
    return np.block([[np.eye(3) * (a.arm @ kb) - np.outer(kb, a.arm), skew(k * a.arm)], [-skew(kb), np.eye(3) * k]])


def mirrored(M: Any) -> np.ndarray:
    """A symmetric matrix, from one half of it."""
    upper = np.triu(np.ones(np.shape(M), bool))
    return np.where(upper, M, np.transpose(M))
