"""Stiffness and damping of a force between the bodies it touches: K = d(wrench)/d(pose), D = -d(wrench)/d(twist), from the trace.

A pose is perturbed as E exp([xi]), with its twist kept in body axes, and a wrench is meant in body axes (RedMax notes Sec. 1.9). Here
all is written in world axes about an origin `o` of each body: a turn theta and a shift delta move a point x by delta + theta x (x - o),
turn its axes and its velocity, and a wrench seen from the turning body loses theta x wrench.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.forces.base import Force, Site
from redmax.forces.frames import Frame, crossed, skew
from redmax.forces.local import localised
from redmax.forces.path import PathForce, tension_slopes
from redmax.forces.symmetric_path import SymmetricPath, symmetric_path
from redmax.math import maximum
from redmax.trace import Scalar, jvp, reachable, substitute
from redmax.trace.vector import vector_of

Blocks = dict[tuple[int, int], Any]


@dataclass(frozen=True)
class Linear:
    """wrenches: (torque; force) on each body about its `o`; K, D: (6, 6) blocks, rows of wrenches by columns of (theta; delta)."""

    wrenches: list[Any]
    K: Blocks
    D: Blocks

    def symmetrised(self) -> Linear:
        """1/2 (K + K^T) and 1/2 (D + D^T), as the notes take them (after Baraff and Witkin)."""
        return Linear(self.wrenches, half(self.K), half(self.D))

    def pushed(self, phi: Sequence[Any], h: Any) -> list[Any]:
        """f + h K phi on each body; phi: the present twists, (6,)."""
        totals = list(self.wrenches)
        for i, j in self.K:
            totals[i] = totals[i] + h * (self.K[i, j] @ phi[j])
        return totals

    def block(self, i: int, j: int, h: Any) -> Any:
        """h D - h^2 K of two bodies, (6, 6)."""
        return h * self.D[i, j] - (h * h) * self.K[i, j]


def half(blocks: Blocks) -> Blocks:
    return {(i, j): 0.5 * (block + blocks[j, i].T) for (i, j), block in blocks.items()}


def impedance(force: Force, frames: Sequence[Frame], origins: Sequence[Any], sites: Sequence[Site], t: Any) -> Linear | SymmetricPath:
    """Of the kind that the force asks for, as an implicit step takes it."""
    if force.stiffness_kind == "exact":
        return linearised(force, frames, origins, sites, t)
    if isinstance(force, PathForce) and force.straight:
        return symmetric_path(force, len(frames), origins, sites, t)
    if isinstance(force, PathForce) and force.stiffness_kind == "definite":
        return definite_path(force, frames, origins, sites, t)
    if force.stiffness_kind == "definite" and force.strains(sites, t) is not None:
        return definite(force, frames, origins, sites, t)
    return linearised(force, frames, origins, sites, t).symmetrised()


def linearised(force: Force, frames: Sequence[Frame], origins: Sequence[Any], sites: Sequence[Site], t: Any) -> Linear:
    """At the present state; along a path by its own formulas, which need far fewer operations."""
    if isinstance(force, PathForce) and force.straight:
        return along_path(force, frames, origins, sites, t)
    return by_differentiation(force, frames, origins, sites, t)


def along_path(force: PathForce, frames: Sequence[Frame], origins: Sequence[Any], sites: Sequence[Site], t: Any) -> Linear:
    """With g = dl/dE and c = d(ldot)/dE:   K = -T_l g g' - T_ldot g c' - T dg/dE,   D = T_ldot g g'   (Eqs. 1.50-1.68, corrected).

    What T stays when both ends of a segment are on one body does not matter: it has no share in g.
    """
    n = len(frames)
    parts = force.segments(sites)
    T, T_l, T_rate = tension_slopes(force, *force.whole(parts), t)
    members = [a.member for a in force.anchors]
    arms = [None if m < 0 else site.x - origins[m] for m, site in zip(members, sites, strict=True)]
    g = [np.zeros(6).astype(object) for _ in frames]
    c = [np.zeros(6).astype(object) for _ in frames]
    bend = {(i, j): np.zeros((6, 6)).astype(object) for i in range(n) for j in range(n)}
    pulls: list[Any] = [np.zeros(3).astype(object) for _ in sites]
    for s in parts:
        P = (np.eye(3) - np.outer(s.u, s.u)) * s.inverse
        slip = P @ s.dv
        ends = [(s.start, -1.0), (s.start + 1, 1.0)]
        for a, sign in ends:
            m = members[a]
            if m < 0:
                continue
            w, spin = sign * s.u, sign * slip
            pulls[a] = pulls[a] + w
            g[m] = g[m] + np.concatenate([crossed(arms[a], w), w])
            # d(ldot) = slip . d(dx) + u . d(dv), and a turn turns the velocity
            c[m] = c[m] + np.concatenate([crossed(arms[a], spin) + crossed(sites[a].v, w), spin])
            for b, other in ends:
                if members[b] >= 0:
                    bend[m, members[b]] = bend[m, members[b]] + sign * other * congruent(arms[a], P, arms[b])
    for a, m in enumerate(members):
        if m >= 0:
            turning = skew(pulls[a])
            bend[m, m][:, :3] = bend[m, m][:, :3] + np.concatenate([skew(arms[a]) @ turning, turning])
    K = {(i, j): -np.outer(g[i], T_l * g[j] + T_rate * c[j]) - T * bend[i, j] for i in range(n) for j in range(n)}
    D = {(i, j): T_rate * np.outer(g[i], g[j]) for i in range(n) for j in range(n)}
    return Linear([-T * x for x in g], K, D)


def congruent(a: Any, P: Any, b: Any) -> np.ndarray:
    """([a]; 1) P (-[b], 1): what a force P dx at arm a feels of a turn and a shift at arm b."""
    turned = np.concatenate([-(P @ skew(b)), P], axis=1)
    return np.concatenate([skew(a) @ turned, turned])


def definite(force: Force, frames: Sequence[Frame], origins: Sequence[Any], sites: Sequence[Site], t: Any) -> Linear:
    """Of a force with the energy 1/2 z' k z: K = -(dz)' k dz, without how dz turns; and D as it is, at the present velocities."""
    n = len(frames)
    whole = by_differentiation(force, frames, origins, sites, t).symmetrised()
    K = {(i, j): np.zeros((6, 6)).astype(object) for i in range(n) for j in range(n)}
    local, leaf = localised(sites)
    for z, k in force.strains(local, t) or []:
        moved = Moved(force, local, sites, origins)
        nodes = reachable(z)
        slopes = [jvp(list(z), moved.pose(j, direction), nodes) for j in range(n) for direction in range(6)]
        values = substitute([x for slope in slopes for x in slope], leaf)
        dz = vector_of(values).reshape(n, 6, len(z)).transpose(0, 2, 1)
        for i, j in K:
            K[i, j] = K[i, j] - dz[i].T @ np.asarray(k, object) @ dz[j]
    return Linear(whole.wrenches, K, whole.D)


def definite_path(force: PathForce, frames: Sequence[Frame], origins: Sequence[Any], sites: Sequence[Site], t: Any) -> Linear:
    """As SymmetricPath's, for points that move or come and go: K = -T_l g g' - T sum of C' (1 - u u') C / |x|, with C = dx/dE, g = sum u'C.

    What a joint's coordinate does to a point that moves with it is left to the next step.
    """
    n = len(frames)
    parts = force.segments(sites)
    T, T_l, T_rate = tension_slopes(force, *force.whole(parts), t)
    local, leaf = localised(sites)
    flat = [x for s in force.segments(local) for x in s.dx]
    moved = Moved(force, local, sites, origins)
    nodes = reachable(flat)
    slopes = [jvp(flat, moved.pose(j, k), nodes) for j in range(n) for k in range(6)]
    values = substitute([x for slope in slopes for x in slope], leaf)
    C = vector_of(values).reshape(n, 6, len(parts), 3)
    along = [[C[i, :, s] @ part.u for s, part in enumerate(parts)] for i in range(n)]  # N of each segment, (6,)
    g = [np.sum(along[i], axis=0) if parts else np.zeros(6) for i in range(n)]
    pulls, bend = maximum(T, 0.0), maximum(T_l, 0.0)
    K = {(i, j): -bend * np.outer(g[i], g[j]) for i in range(n) for j in range(n)}
    for i, j in K:
        for s, part in enumerate(parts):
            if force.inside(part.start):
                continue
            across = C[i, :, s] @ C[j, :, s].T - np.outer(along[i][s], along[j][s])
            K[i, j] = K[i, j] - (pulls * part.inverse) * across
    D = {(i, j): maximum(T_rate, 0.0) * np.outer(g[i], g[j]) for i, j in K}
    return Linear([-T * x for x in g], K, D)


@dataclass(frozen=True)
class Moved:
    """How the sites of a force change with its bodies. local: inputs to differentiate by; sites: where these really are."""

    force: Force
    local: Sequence[Site]
    sites: Sequence[Site]
    origins: Sequence[Any]

    def on(self, j: int) -> list[tuple[Site, Site]]:
        pairs = zip(self.force.anchors, self.local, self.sites, strict=True)
        return [(site, real) for anchor, site, real in pairs if anchor.member == j]

    def pose(self, j: int, k: int) -> dict[Scalar, Any]:
        """When body j turns about its origin (k < 3) or shifts (k >= 3), its twist staying as it is in its own axes."""
        seeds: dict[Scalar, Any] = {}
        axis = np.eye(3)[k % 3]
        for site, real in self.on(j):
            seed(seeds, site.x, crossed(axis, real.x - self.origins[j]) if k < 3 else axis)
            if k < 3:
                seed(seeds, site.v, crossed(axis, real.v))
            if k < 3 and self.force.oriented:
                seed(seeds, np.ravel(site.R), np.ravel(skew(axis) @ real.R))
                seed(seeds, site.omega, crossed(axis, real.omega))
        return seeds

    def twist(self, j: int, k: int) -> dict[Scalar, Any]:
        """When the twist of body j changes."""
        seeds: dict[Scalar, Any] = {}
        axis = np.eye(3)[k % 3]
        for site, real in self.on(j):
            seed(seeds, site.v, crossed(axis, real.x - self.origins[j]) if k < 3 else axis)
            if k < 3 and self.force.oriented:
                seed(seeds, site.omega, axis)
        return seeds


def by_differentiation(
    force: Force, frames: Sequence[Frame], origins: Sequence[Any], sites: Sequence[Site], t: Any, moving: type[Moved] | None = None
) -> Linear:
    """For any force: its wrenches are differentiated by the positions, axes and velocities of its sites. moving: how these change."""
    n = len(frames)
    local, leaf = localised(sites)
    outputs = force.wrenches(local, t)
    pulls = [np.concatenate([np.zeros(3).astype(object) if torque is None else torque, pull]) for torque, pull in outputs]
    members = [a.member for a in force.anchors]
    flat = [x for pull in pulls for x in pull]

    moved, nodes = (moving or Moved)(force, local, sites, origins), reachable(flat)

    def wrench_slopes(j: int, k: int, moving: bool) -> list[Any]:
        """The wrenches' derivative when body j turns (k < 3) or shifts (k >= 3); or when its twist changes."""
        seeds = moved.twist(j, k) if moving else moved.pose(j, k)
        return jvp(flat, seeds, nodes) if seeds else [0.0] * len(flat)

    directions = [(j, k) for j in range(n) for k in range(6)]
    slopes = {(j, k, moving): wrench_slopes(j, k, moving) for j, k in directions for moving in (False, True)}
    order = list(slopes)
    values = substitute([*flat, *[x for key in order for x in slopes[key]]], leaf)
    wrench = vector_of(values[: len(flat)]).reshape(-1, 6)
    size = len(flat)
    rest = vector_of(values[size:]).reshape(-1, size)
    found = {key: slope.reshape(-1, 6) for key, slope in zip(order, rest, strict=True)}
    totals = [np.zeros(6).astype(object) for _ in frames]
    K = {(i, j): np.zeros((6, 6)).astype(object) for i in range(n) for j in range(n)}
    D = {(i, j): np.zeros((6, 6)).astype(object) for i in range(n) for j in range(n)}
    for a, (m, site) in enumerate(zip(members, sites, strict=True)):
        if m < 0:
            continue
        arm = site.x - origins[m]

        def about(x: Any, arm: Any = arm) -> Any:
            return np.concatenate([x[:3] + crossed(arm, x[3:]), x[3:]])

        totals[m] = totals[m] + about(wrench[a])
        for j, k in directions:
            change = found[j, k, False][a]
            if j == m and k < 3:
                axis = np.eye(3)[k]
                change = change - np.concatenate([crossed(axis, wrench[a][:3]), crossed(axis, wrench[a][3:])])
            K[m, j][:, k] = K[m, j][:, k] + about(change)
            D[m, j][:, k] = D[m, j][:, k] - about(found[j, k, True][a])
    return Linear(totals, K, D)


def seed(seeds: dict[Scalar, Any], inputs: Any, values: Any) -> None:
    for x, value in zip(inputs, values, strict=True):
        seeds[x] = value
