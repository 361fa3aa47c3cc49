"""The direction in which two convex shapes are farthest apart, or overlap least, where no closed form gives it.

B is in its own axes: half extents c along them, a disc of radius R about z (a cuboid has no disc, a cylinder only a height). A lies at p,
with a half height h along the unit vector Z and a disc of radius r about it (a capsule's axis has none). For a unit vector n

    s(n) = n.p - h |n.Z| - r |n x Z| - sum c_k |n_k| - R |(n_x, n_y)|

is how far they are apart along n; its largest value is the distance, or minus the depth. It is smooth but for the planes n.Z = 0, n_k = 0,
where it has ridges, and but for n = Z, z, where it has tips. It is climbed from the best of the directions that faces, edges and axes give,
by Newton's method on the sphere, or along a ridge that holds it. Of bodies apart that is the top. Of an overlap it may be another: its
depth is then at most the least depth divided by the cosine of the angle between the two, if that is acute.
"""

from __future__ import annotations

from typing import Any

from redmax.contact.pairs.distance import sign_of
from redmax.contact.pairs.placed import TINY, clamp
from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Number

RIDGE = 3e-7  # how near a direction is to a plane, to be on its ridge
LONGEST = 0.4  # step (rad)
TURNS = 40.0
DEEP = 0.01  # of the size: overlaps that have several ways out
LAST = 1e-5  # step (rad) behind which the climb ends: the next would be its square


@routine
def separation(p: Number, Z: Number, h: Number, r: Number, c: Number, R: Number, x: Number, y: Number, z: Number) -> Any:
    """s of the direction (x, y, z) or its contrary, whichever is larger."""
    kx, ky, kz = y * Z[2] - z * Z[1], z * Z[0] - x * Z[2], x * Z[1] - y * Z[0]
    along = abs(x * Z[0] + y * Z[1] + z * Z[2])
    reach = c[0] * abs(x) + c[1] * abs(y) + c[2] * abs(z) + R * sqrt(x * x + y * y)
    return abs(x * p[0] + y * p[1] + z * p[2]) - h * along - r * sqrt(kx * kx + ky * ky + kz * kz) - reach


@routine
def better(
    p: Number, Z: Number, h: Number, r: Number, c: Number, R: Number, dx: Number, dy: Number, dz: Number, tie: Number, best: Number
) -> Any:
    """The better of a direction, whose length is any, and the best so far (s, n)."""
    square = dx * dx + dy * dy + dz * dz
    scale = sign_of(dx * p[0] + dy * p[1] + dz * p[2]) / sqrt(max(square, TINY))
    x, y, z = dx * scale, dy * scale, dz * scale
    s = where(square > 1e-20, separation(p, Z, h, r, c, R, x, y, z), -1e30)
    wins = s > best[0] + tie
    return where(wins, s, best[0]), where(wins, x, best[1]), where(wins, y, best[2]), where(wins, z, best[3])


@routine
def best_axis(p: Number, Z: Number, h: Number, r: Number, c: Number, R: Number, dx: Number, dy: Number, dz: Number, tie: Number) -> Any:
    """(s, n): the best of B's axes, Z, their cross products, and d."""
    best = better(p, Z, h, r, c, R, 0.0, 0.0, 1.0, tie, (-1e30, 0.0, 0.0, 1.0))
    best = better(p, Z, h, r, c, R, 1.0, 0.0, 0.0, tie, best)
    best = better(p, Z, h, r, c, R, 0.0, 1.0, 0.0, tie, best)
    best = better(p, Z, h, r, c, R, Z[0], Z[1], Z[2], tie, best)
    best = better(p, Z, h, r, c, R, 0.0, Z[2], -Z[1], tie, best)
    best = better(p, Z, h, r, c, R, -Z[2], 0.0, Z[0], tie, best)
    best = better(p, Z, h, r, c, R, Z[1], -Z[0], 0.0, tie, best)
    return better(p, Z, h, r, c, R, dx, dy, dz, tie, best)


@routine
def climb(p: Number, Z: Number, h: Number, r: Number, c: Number, R: Number, begin: Number) -> Any:
    """(s, n) at the top, from (s, n) on."""
    size = h + r + R + c[0] + c[1] + c[2]
    s, nx, ny, nz = begin
    dx, dy, dz, part, turns, last = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    s -= size
    while turns < TURNS:
        turns += 1.0
        x, y, z = nx + part * dx, ny + part * dy, nz + part * dz
        scale = 1.0 / sqrt(x * x + y * y + z * z)
        x, y, z = x * scale, y * scale, z * scale
        now = separation(p, Z, h, r, c, R, x, y, z)
        if now >= s - 1e-15 * size:
            nx, ny, nz, s = x, y, z, now
            if last > 0.0:
                turns = TURNS
            else:
                dx, dy, dz, part = next_step(p, Z, h, r, c, R, now, x, y, z, size)
                square = dx * dx + dy * dy + dz * dz
                last = where(square < LAST * LAST, where(part < 1.0, 0.0, 1.0), 0.0)
                turns = where(square > TINY, turns, TURNS)
        else:
            part *= 0.25
            turns = where(part * (1.0 - last) < 1e-8, TURNS, turns)
    return s, nx, ny, nz


@routine
def slope_beside_ridges(G: Number, Z: Number, h: Number, c: Number, on: Number, up: Number) -> Any:
    """What is left of the slope G when ridges take theirs, and how much of a direction the ridges hold: one vector, and their number."""
    taken, across = 0.0, 0.0
    gx, gy, gz = G
    tx, ty, tz = 0.0, 0.0, 0.0
    for _ in range(3):
        gx, gy, gz = G[0] - taken * Z[0], G[1] - taken * Z[1], G[2] - taken * Z[2]
        tx, ty, tz = on[0] * clamp(gx, -c[0], c[0]), on[1] * clamp(gy, -c[1], c[1]), on[2] * clamp(gz, -c[2], c[2])
        across = (G[0] - tx) * Z[0] + (G[1] - ty) * Z[1] + (G[2] - tz) * Z[2]
        taken = up * clamp(across, -h, h)
    hx, hy, hz = where(abs(gx) < c[0], on[0], 0.0), where(abs(gy) < c[1], on[1], 0.0), where(abs(gz) < c[2], on[2], 0.0)
    hold = where(abs(across) < h, up, 0.0)
    gx, gy, gz = G[0] - tx - taken * Z[0], G[1] - ty - taken * Z[1], G[2] - tz - taken * Z[2]
    return gx, gy, gz, hx + hold * Z[0], hy + hold * Z[1], hz + hold * Z[2], hx + hy + hz + hold


@routine
def to_ridge(m: Number, dm: Number, on: Number, c: Number, part: Number) -> Any:
    """The part of a step that ends where m changes its sign, if it does and no ridge is there already."""
    crosses = where(m * (m + dm) < 0.0, where(c > 0.0, 1.0 - on, 0.0), 0.0)
    return where(crosses > 0.0, min(part, -m / where(crosses > 0.0, dm, 1.0)), part)


@routine
def next_step(
    p: Number, Z: Number, h: Number, r: Number, c: Number, R: Number, s: Number, x: Number, y: Number, z: Number, size: Number
) -> Any:
    """A step from n = (x, y, z), and the part of it that ends at the first ridge."""
    m = x * Z[0] + y * Z[1] + z * Z[2]
    n, q = (x, y, z), (x - m * Z[0], y - m * Z[1], z - m * Z[2])
    rho, rim = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]), sqrt(x * x + y * y)
    ra, rb = where(rho > RIDGE, r / max(rho, RIDGE), 0.0), where(rim > RIDGE, R / max(rim, RIDGE), 0.0)
    on, up = [where(abs(n[k]) < RIDGE, 1.0, 0.0) for k in range(3)], where(abs(m) < RIDGE, 1.0, 0.0)
    e = h * (1.0 - up) * sign_of(m)
    G = [p[k] - (1.0 - on[k]) * c[k] * sign_of(n[k]) - e * Z[k] - ra * q[k] - s * n[k] for k in range(3)]
    slope = (G[0] - rb * x, G[1] - rb * y, G[2])
    gx, gy, gz, ux, uy, uz, held = slope_beside_ridges(slope, Z, h, c, on, up)
    steep = sqrt(gx * gx + gy * gy + gz * gz)
    tip = where(rho > RIDGE, 0.0, r) + where(rim > RIDGE, 0.0, R)
    steep, over = max(steep - tip, 0.0), 1.0 / max(steep, 1e-30)
    ex, ey, ez = gx * over, gy * over, gz * over
    if held > 0.5:  # along the ridge alone
        ex, ey, ez = uy * z - uz * y, uz * x - ux * z, ux * y - uy * x
        steep = gx * ex + gy * ey + gz * ez
    fx, fy, fz = y * ez - z * ey, z * ex - x * ez, x * ey - y * ex
    # Minus the second derivatives: each disc bends s along t = Z x n, and so does the sphere.
    tx, ty, tz = Z[1] * z - Z[2] * y, Z[2] * x - Z[0] * z, Z[0] * y - Z[1] * x
    ae, af = tx * ex + ty * ey + tz * ez, tx * fx + ty * fy + tz * fz
    be, bf = x * ey - y * ex, x * fy - y * fx
    ka, kb = where(rho > RIDGE, ra / max(rho * rho, TINY), 0.0), where(rim > RIDGE, rb / max(rim * rim, TINY), 0.0)
    M, N, K = ka * ae * ae + kb * be * be + s, ka * af * af + kb * bf * bf + s, ka * ae * af + kb * be * bf
    determinant = M * N - K * K
    sharp = tip + up * h + on[0] * c[0] + on[1] * c[1] + on[2] * c[2]  # from a ridge or a tip, straight up
    plane = where(sharp > 0.0, 0.0, where(M > 0.0, where(determinant > 1e-9 * (M * M + N * N), 1.0, 0.0), 0.0))
    alone = where(1e-12 * size < M, steep / where(1e-12 * size < M, M, 1.0), LONGEST * sign_of(steep))
    solved = steep / where(plane > 0.0, determinant, 1.0)
    u, v = where(plane > 0.0, N * solved, alone), where(plane > 0.0, -K * solved, 0.0)
    long = sqrt(u * u + v * v)
    scale = where(held > 1.5, 0.0, where(abs(steep) < 1e-13 * size, 0.0, min(1.0, LONGEST / max(long, TINY))))
    u, v = scale * u, scale * v
    dx, dy, dz = u * ex + v * fx, u * ey + v * fy, u * ez + v * fz
    part = to_ridge(x, dx, on[0], c[0], 1.0)
    part = to_ridge(y, dy, on[1], c[1], part)
    part = to_ridge(z, dz, on[2], c[2], part)
    return dx, dy, dz, to_ridge(m, dx * Z[0] + dy * Z[1] + dz * Z[2], up, h, part)


@routine
def least_overlap(
    p: Number, Z: Number, h: Number, r: Number, c: Number, R: Number, dx: Number, dy: Number, dz: Number, tie: Number, margin: Number
) -> Any:
    """(s, n) where s is largest, if that may be below the margin; d: a direction to try. Deep overlaps are climbed from two sides."""
    best = best_axis(p, Z, h, r, c, R, dx, dy, dz, tie)
    s, nx, ny, nz = best
    if s < margin:
        s, nx, ny, nz = climb(p, Z, h, r, c, R, best)
        if s < -DEEP * (h + r + R + c[0] + c[1] + c[2]):
            begin = better(p, Z, h, r, c, R, p[0], p[1], p[2], tie, (-1e30, nx, ny, nz))
            other, x, y, z = climb(p, Z, h, r, c, R, begin)
            if other > s + tie:
                s, nx, ny, nz = other, x, y, z
    return s, nx, ny, nz
